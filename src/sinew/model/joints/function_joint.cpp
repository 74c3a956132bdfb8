#include "sinew/model/joints/function_joint.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sinew/model/joints/product_of_exponentials.hpp"
#include "sinew/model/joints/validation.hpp"

namespace sinew {
namespace {

std::array<ExponentialFactor, 6> function_factors(const std::array<TransformAxis, 3>& rotation,
                                                  const std::array<TransformAxis, 3>& translation,
                                                  bool reversed, Coordinates q, Coordinates qdot) {
  std::array<ExponentialFactor, 6> factors;
  for (size_t i = 0; i < 3; ++i) {
    const TransformAxis &t = translation[i], &r = rotation[i];
    factors[i] = {translation_twist(t.axis), evaluate(t.function, t.coordinates, q, qdot)};
    factors[3 + i] = {rotation_twist(r.axis), evaluate(r.function, r.coordinates, q, qdot)};
  }
  if (reversed) {  // (exp(g₁φ₁) exp(g₂φ₂) …)⁻¹ = … exp(−g₂φ₂) exp(−g₁φ₁)
    std::reverse(factors.begin(), factors.end());
    for (ExponentialFactor& factor : factors) factor.twist = -factor.twist;
  }
  return factors;
}

/// The part of an axis that `evaluate` needs: f, ∂f/∂q and its rate.
struct Amount {
  double value = 0;
  bool moves = false;
  std::array<double, kMaxJointDofs> gradient, rate;

  double speed(Coordinates qdot) const {
    double sum = 0;
    for (size_t k = 0; k < qdot.size(); ++k) sum += gradient[k] * qdot[k];
    return sum;
  }
};

void set_univariate(int k, const std::array<double, 4>& f, Coordinates qdot, Amount& out) {
  out.value = f[0];
  out.gradient.fill(0);
  out.rate.fill(0);
  out.gradient[static_cast<size_t>(k)] = f[1];
  out.rate[static_cast<size_t>(k)] = f[2] * qdot[static_cast<size_t>(k)];
}

void update_amount(const TransformAxis& axis, Coordinates q, Coordinates qdot, Amount& out) {
  if (const auto* constant = std::get_if<ConstantFunction>(&axis.function)) {
    out.value = constant->value;
    out.moves = false;
    return;
  }
  out.moves = true;
  if (const auto* spline = std::get_if<PiecewisePolynomial>(&axis.function)) {
    const int k = axis.coordinates[0];
    set_univariate(k, spline->derivatives(q[static_cast<size_t>(k)]), qdot, out);
    return;
  }
  if (const auto* linear = std::get_if<LinearFunction>(&axis.function)) {
    out.value = linear->offset;
    out.gradient.fill(0);
    out.rate.fill(0);
    for (size_t i = 0; i < axis.coordinates.size(); ++i) {
      const auto k = static_cast<size_t>(axis.coordinates[i]);
      out.value += linear->coefficients[i] * q[k];
      out.gradient[k] += linear->coefficients[i];
    }
    return;
  }
  const JointFunctionValue jet = evaluate(axis.function, axis.coordinates, q, qdot);
  out.value = jet.value;
  out.gradient = jet.gradient;
  for (size_t k = 0; k < qdot.size(); ++k) {
    out.rate[k] = 0;
    for (size_t j = 0; j < qdot.size(); ++j) out.rate[k] += jet.hessian[k][j] * qdot[j];
  }
}

/// Rᵀx, R the turn by `angle` about a unit axis.
struct Turn {
  Vec3 axis;
  double sine = 0, cosine = 1;
  Turn(const Vec3& a, double angle) : axis(a) {
    if (angle == 0) return;
    sine = std::sin(angle);
    cosine = std::cos(angle);
  }
  Vec3 back(const Vec3& x) const {
    return cosine * x - sine * axis.cross(x) + (1 - cosine) * axis.dot(x) * axis;
  }
};

void validate_axis(const TransformAxis& axis, int dof, const std::string& element,
                   const std::string& what) {
  require_axis(axis.axis, element, what);
  const std::string defect = function_defect(axis.function);
  require(defect.empty(), element, what + ": " + defect, "correct the function");
  const bool constant = std::holds_alternative<ConstantFunction>(axis.function);
  const size_t expected = static_cast<size_t>(argument_count(axis.function));
  require(constant || axis.coordinates.size() == expected, element,
          what + ": its function takes " + std::to_string(expected) + " coordinates, not " +
              std::to_string(axis.coordinates.size()),
          "name one coordinate for each argument");
  for (const int k : axis.coordinates)
    require(k >= 0 && k < dof, element,
            what + ": there is no coordinate " + std::to_string(k) + " in this joint",
            "use 0 to " + std::to_string(dof - 1));
}

bool moves(const TransformAxis& axis) {
  return !std::holds_alternative<ConstantFunction>(axis.function);
}

}  // namespace

FunctionJoint::FunctionJoint(std::vector<CoordinateKind> kinds,
                             std::array<TransformAxis, 3> rotation,
                             std::array<TransformAxis, 3> translation, bool reversed)
    : kinds_(std::move(kinds)),
      rotation_(std::move(rotation)),
      translation_(std::move(translation)),
      reversed_(reversed) {
  for (TransformAxis& axis : rotation_) axis.axis = normalized_axis(axis.axis);
  for (TransformAxis& axis : translation_) axis.axis = normalized_axis(axis.axis);
}

// With p = Σ f_i a_i, R = R₁R₂R₃ and b₁ = R₃ᵀR₂ᵀa₁, b₂ = R₃ᵀa₂, b₃ = a₃ the axes as the moving
// frame sees them, the columns of S are
//     ω: Σ b_i ∂φ_i,   v: Rᵀ ∂p,
// and their rates follow from ḃ₂ = −φ̇₃ b₃ × b₂, ḃ₁ = −(φ̇₂ b₂ + φ̇₃ b₃) × b₁, d(Rᵀx)/dt = −ω × Rᵀx.
void FunctionJoint::evaluate(Coordinates q, Coordinates qdot, JointMotion& out) const {
  if (reversed_) {
    evaluate_product(Pose(), function_factors(rotation_, translation_, reversed_, q, qdot), qdot,
                     out);
    return;
  }
  Amount along, phi[3];
  for (size_t i = 0; i < 3; ++i) update_amount(rotation_[i], q, qdot, phi[i]);
  const Turn first(rotation_[0].axis, phi[0].value), second(rotation_[1].axis, phi[1].value),
      third(rotation_[2].axis, phi[2].value);
  const auto back = [&](const Vec3& x) { return third.back(second.back(first.back(x))); };
  Vec3 b[3], b_dot[3], omega = Vec3::Zero();
  b[2] = third.axis;
  b[1] = third.back(second.axis);
  b[0] = third.back(second.back(first.axis));
  for (int i = 2; i >= 0; --i) {
    b_dot[i] = -omega.cross(b[i]);
    if (phi[i].moves) omega += phi[i].speed(qdot) * b[i];
  }

  const int n = dof();
  out.S.setZero(6, n);
  out.Sdot.setZero(6, n);
  out.Q.p.setZero();
  for (int i = 0; i < 3; ++i) {
    if (!phi[i].moves) continue;
    for (int k = 0; k < n; ++k) {
      const double by = phi[i].gradient[static_cast<size_t>(k)];
      if (by == 0 && phi[i].rate[static_cast<size_t>(k)] == 0) continue;
      out.S.col(k).head<3>() += by * b[i];
      out.Sdot.col(k).head<3>() += by * b_dot[i] + phi[i].rate[static_cast<size_t>(k)] * b[i];
    }
  }
  for (const TransformAxis& axis : translation_) {
    update_amount(axis, q, qdot, along);
    out.Q.p += along.value * axis.axis;
    if (!along.moves) continue;
    const Vec3 seen = back(axis.axis), seen_dot = -omega.cross(seen);
    for (int k = 0; k < n; ++k) {
      const double by = along.gradient[static_cast<size_t>(k)];
      if (by == 0 && along.rate[static_cast<size_t>(k)] == 0) continue;
      out.S.col(k).tail<3>() += by * seen;
      out.Sdot.col(k).tail<3>() += by * seen_dot + along.rate[static_cast<size_t>(k)] * seen;
    }
  }
  // The rows of R are the axes of the fixed frame as the moving one sees them.
  for (int r = 0; r < 3; ++r) out.Q.R.row(r) = back(Vec3::Unit(r)).transpose();
}

void FunctionJoint::differentiate(Coordinates q, Coordinates qdot,
                                  JointMotionDerivatives& out) const {
  differentiate_product(function_factors(rotation_, translation_, reversed_, q, qdot), qdot, out);
}

void FunctionJoint::validate(const std::string& element) const {
  require(dof() >= 1 && dof() <= kMaxJointDofs, element,
          "function joint has " + std::to_string(dof()) + " coordinates",
          "give one to six; a joint without any is a fixed joint");
  for (size_t i = 0; i < 3; ++i) {
    validate_axis(rotation_[i], dof(), element, "rotation axis " + std::to_string(i + 1));
    validate_axis(translation_[i], dof(), element, "translation axis " + std::to_string(i + 1));
  }
  const auto parallel = [](const TransformAxis& a, const TransformAxis& b) {
    // Unit vectors: the sine of the angle between them.
    return a.axis.cross(b.axis).norm() < 1e-9;
  };
  const bool all_move = std::all_of(rotation_.begin(), rotation_.end(), moves);
  require(
      !all_move || !parallel(rotation_[0], rotation_[1]) || !parallel(rotation_[1], rotation_[2]),
      element, "the three rotation axes are parallel", "turn at least one of them");
}

}  // namespace sinew
