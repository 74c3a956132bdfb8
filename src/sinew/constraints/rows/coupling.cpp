#include "sinew/constraints/rows/coupling.hpp"

#include <algorithm>
#include <cmath>

#include "sinew/constraints/rows/row_primitives.hpp"

namespace sinew {
namespace {

/// The jet of a term in its own arguments, numbered 0, 1, …
JointFunctionValue evaluate_term(const CoordinateCoupling::Term& term, const ConstVecRef& q,
                                 const ConstVecRef& qdot) {
  constexpr std::array<int, kMaxJointDofs> kLocal = {0, 1, 2, 3, 4, 5};
  std::array<double, kMaxJointDofs> x{}, xdot{};
  const size_t n = term.arguments.size();
  for (size_t i = 0; i < n; ++i) {
    x[i] = q[term.arguments[i]];
    xdot[i] = qdot[term.arguments[i]];
  }
  return evaluate(term.f, {kLocal.data(), n}, {x.data(), n}, {xdot.data(), n});
}

}  // namespace

CoordinateCoupling::CoordinateCoupling(std::string name, std::vector<Term> terms)
    : Constraint(std::move(name)), terms_(std::move(terms)) {}

CoordinateCoupling CoordinateCoupling::Linear(
    std::string name, const std::vector<std::pair<DofIndex, double>>& coefficients, double value) {
  std::vector<Term> terms;
  for (const auto& [dof, c] : coefficients) terms.push_back({LinearFunction{{c}, 0}, {dof}});
  if (value != 0) terms.push_back({ConstantFunction{-value}, {}});
  return {std::move(name), std::move(terms)};
}

CoordinateCoupling CoordinateCoupling::Function(std::string name, DofIndex dependent,
                                                ScalarFunction f, std::vector<DofIndex> arguments) {
  return {std::move(name),
          {{LinearFunction{{-1}, 0}, {dependent}}, {std::move(f), std::move(arguments)}}};
}

CoordinateCoupling CoordinateCoupling::Gear(std::string name, DofIndex driver, DofIndex driven,
                                            double ratio, double offset) {
  return Linear(std::move(name), {{driven, 1}, {driver, -ratio}}, offset);
}

std::optional<DofIndex> CoordinateCoupling::dependent() const {
  const Term& first = terms_.front();
  const auto* f = std::get_if<LinearFunction>(&first.f);
  if (f == nullptr || f->coefficients.size() != 1 || f->coefficients[0] == 0) return std::nullopt;
  const std::vector<DofIndex> others = independent();
  const DofIndex dof = first.arguments.front();
  if (std::find(others.begin(), others.end(), dof) != others.end()) return std::nullopt;
  return dof;
}

std::vector<DofIndex> CoordinateCoupling::independent() const {
  std::vector<DofIndex> out;
  for (size_t k = 1; k < terms_.size(); ++k)
    out.insert(out.end(), terms_[k].arguments.begin(), terms_[k].arguments.end());
  return out;
}

// With x the other coordinates: c q_d = −f, c q̇_d = −f_i ẋ_i, c q̈_d = −f_i ẍ_i − f_ij ẋ_i ẋ_j.
void CoordinateCoupling::follow(VecX& q, VecX& qdot, VecX& qddot) const {
  const auto& own = std::get<LinearFunction>(terms_.front().f);
  double value = own.offset, rate = 0, acceleration = 0;
  for (size_t k = 1; k < terms_.size(); ++k) {
    const std::vector<DofIndex>& x = terms_[k].arguments;
    const JointFunctionValue jet = evaluate_term(terms_[k], q, qdot);
    value += jet.value;
    for (size_t i = 0; i < x.size(); ++i) {
      rate += jet.gradient[i] * qdot[x[i]];
      acceleration += jet.gradient[i] * qddot[x[i]];
      for (size_t j = 0; j < x.size(); ++j)
        acceleration += jet.hessian[i][j] * qdot[x[i]] * qdot[x[j]];
    }
  }
  const DofIndex dof = terms_.front().arguments.front();
  q[dof] = -value / own.coefficients[0];
  qdot[dof] = -rate / own.coefficients[0];
  qddot[dof] = -acceleration / own.coefficients[0];
}

void CoordinateCoupling::pass_on(const VecX& q, VecRef force) const {
  const DofIndex dof = terms_.front().arguments.front();
  const double per_gradient =
      -force[dof] / std::get<LinearFunction>(terms_.front().f).coefficients[0];
  const VecX rest = VecX::Zero(q.size());
  for (size_t k = 1; k < terms_.size(); ++k) {
    const JointFunctionValue jet = evaluate_term(terms_[k], q, rest);
    for (size_t i = 0; i < terms_[k].arguments.size(); ++i)
      force[terms_[k].arguments[i]] += per_gradient * jet.gradient[i];
  }
  force[dof] = 0;
}

void CoordinateCoupling::evaluate(const SkeletonAt& in, int row, ConstraintRows& out) const {
  out.value[row] = out.rate[row] = out.bias[row] = 0;
  for (const Term& term : terms_) {
    const JointFunctionValue jet = evaluate_term(term, in.q, in.qdot);
    out.value[row] += jet.value;
    for (size_t i = 0; i < term.arguments.size(); ++i) {
      double cdot = 0;
      for (size_t j = 0; j < term.arguments.size(); ++j)
        cdot += jet.hessian[i][j] * in.qdot[term.arguments[j]];
      out.add_coordinate(row, term.arguments[i], jet.gradient[i], cdot);
    }
  }
}

void CoordinateCoupling::add_reaction_derivatives(const SkeletonAt& in,
                                                  std::span<const double> lambda,
                                                  ForceDerivatives& out) const {
  for (const Term& term : terms_) {
    const JointFunctionValue jet = evaluate_term(term, in.q, in.qdot);
    for (size_t i = 0; i < term.arguments.size(); ++i)
      for (size_t j = 0; j < term.arguments.size(); ++j) {
        const double K = -lambda[0] * jet.hessian[i][j];
        if (i == j)
          out.dtau_dq[term.arguments[i]] += K;
        else if (K != 0)
          out.coordinate_pairs.push_back({term.arguments[i], term.arguments[j], K});
      }
  }
}

std::vector<Measurement> CoordinateCoupling::measure(const SkeletonAt& in,
                                                     std::span<const double> lambda) const {
  const DofIndex first = terms_.front().arguments.front();
  double slope = 0;
  for (const Term& term : terms_) {
    const JointFunctionValue jet = evaluate_term(term, in.q, in.qdot);
    for (size_t i = 0; i < term.arguments.size(); ++i)
      if (term.arguments[i] == first) slope += jet.gradient[i];
  }
  return {{"force", -lambda[0] * slope}};
}

void CoordinateCoupling::validate(const Skeleton& skeleton) const {
  require_constraint(!terms_.empty() && !terms_.front().arguments.empty(), *this,
                     "names no coordinate", "name the coordinates that it couples");
  for (const Term& term : terms_) {
    const std::string defect = function_defect(term.f);
    require_constraint(defect.empty(), *this, "has a function that cannot be used: " + defect,
                       "correct the function");
    const auto n = static_cast<int>(term.arguments.size());
    require_constraint(
        n <= kMaxJointDofs && (argument_count(term.f) == n || argument_count(term.f) == 0), *this,
        "has a function whose number of arguments differs from that of coordinates",
        "name one coordinate for every argument, at most six");
    for (size_t i = 0; i < term.arguments.size(); ++i) {
      require_dof(skeleton, term.arguments[i], *this);
      require_constraint(
          std::find(term.arguments.begin(), term.arguments.begin() + static_cast<std::ptrdiff_t>(i),
                    term.arguments[i]) == term.arguments.begin() + static_cast<std::ptrdiff_t>(i),
          *this, "names a coordinate twice in one function", "name it once");
    }
  }
}

}  // namespace sinew
