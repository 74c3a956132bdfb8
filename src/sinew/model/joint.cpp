#include "sinew/model/joint.hpp"

#include <Eigen/SVD>

#include "sinew/model/joints/series.hpp"
#include "sinew/model/joints/validation.hpp"

namespace sinew {
namespace {

/// Calls f(part, at, n) for every part, `at` its first coordinate and n their number.
template <class F>
void for_each_part(const Composite& composite, F&& f) {
  size_t at = 0;
  for (const Joint& part : composite.parts) {
    const size_t n = static_cast<size_t>(part.dof());
    f(part, at, n);
    at += n;
  }
}

/// The smallest singular value of S with its columns scaled to length 1; 0 where a column vanishes
/// but for rounding.
double independence(const MatX& S) {
  const auto norms = S.colwise().norm().eval();
  if (!(norms.minCoeff() > 1e-12 * norms.maxCoeff())) return 0;
  const MatX unit = S.array().rowwise() / norms.array();
  return Eigen::JacobiSVD<MatX>(unit).singularValues().minCoeff();
}

/// A joint may be singular somewhere, but one that is singular everywhere makes the mass matrix
/// singular: its coordinates do not all move something different. Two generic points decide. Time
/// may move what other coordinates move, or nothing: it has no equation.
bool coordinates_independent(const Joint& joint) {
  constexpr std::array<std::array<double, kMaxJointDofs>, 2> kPoints{
      {{0.31, 0.57, 0.83, 0.41, 0.67, 0.23}, {0.71, 0.37, 0.43, 0.89, 0.19, 0.53}}};
  const size_t n = static_cast<size_t>(joint.dof());
  std::vector<int> moving;
  for (int k = 0; k < joint.dof(); ++k)
    if (joint.kind(k) != CoordinateKind::time) moving.push_back(k);
  JointMotion motion;
  for (const auto& point : kPoints) {
    const Coordinates q(point.data(), n);
    joint.evaluate(q, q, motion);
    // Far above rounding, far below any joint that is intended.
    if (independence(motion.S(Eigen::all, moving)) > 1e-9) return true;
  }
  return false;
}

}  // namespace

int Composite::dof() const {
  int n = 0;
  for (const Joint& part : parts) n += part.dof();
  return n;
}

CoordinateKind Composite::kind(int k) const {
  for (const Joint& part : parts) {
    if (k < part.dof()) return part.kind(k);
    k -= part.dof();
  }
  return CoordinateKind::parameter;
}

void Composite::evaluate(Coordinates q, Coordinates qdot, JointMotion& out) const {
  SeriesMotion series(q, qdot, out);
  for (const Joint& part : parts) series.append(part);
}

void Composite::differentiate(Coordinates q, Coordinates qdot, JointMotionDerivatives& out) const {
  SeriesDerivatives series(q, qdot, out);
  for (const Joint& part : parts) series.append(part);
}

void Composite::validate(const std::string& element) const {
  require(!parts.empty(), element, "composite joint has no parts", "give at least one joint");
  for (size_t k = 0; k < parts.size(); ++k)
    parts[k].validate(element + ", part " + std::to_string(k + 1));
  require(dof() <= kMaxJointDofs, element,
          "composite joint has " + std::to_string(dof()) + " coordinates",
          "no joint can have more than six; put a body between the parts");
}

bool Composite::needs_rechart(Coordinates q) const {
  bool any = false;
  for_each_part(*this, [&](const Joint& part, size_t at, size_t n) {
    any = any || part.needs_rechart(q.subspan(at, n));
  });
  return any;
}

void Composite::rechart(Coordinates reference, std::span<double> q, std::span<double> qdot) const {
  for_each_part(*this, [&](const Joint& part, size_t at, size_t n) {
    part.rechart(reference.subspan(at, n), q.subspan(at, n), qdot.subspan(at, n));
  });
}

void Composite::differentiate_rechart(Coordinates reference, Coordinates q, Coordinates qdot,
                                      MatRef dq, MatRef dqdot) const {
  for_each_part(*this, [&](const Joint& part, size_t at, size_t n) {
    const auto k = static_cast<Eigen::Index>(at), m = static_cast<Eigen::Index>(n);
    part.differentiate_rechart(reference.subspan(at, n), q.subspan(at, n), qdot.subspan(at, n),
                               dq.block(k, k, m, m), dqdot.block(k, k, m, m));
  });
}

int Joint::dof() const {
  return std::visit([](const auto& j) { return j.dof(); }, variant_);
}

CoordinateKind Joint::kind(int k) const {
  return std::visit([k](const auto& j) { return j.kind(k); }, variant_);
}

std::string Joint::type_name() const {
  return std::visit([](const auto& j) { return std::string(j.kTypeName); }, variant_);
}

void Joint::evaluate(Coordinates q, Coordinates qdot, JointMotion& out) const {
  std::visit([&](const auto& j) { j.evaluate(q, qdot, out); }, variant_);
}

void Joint::differentiate(Coordinates q, Coordinates qdot, JointMotionDerivatives& out) const {
  std::visit([&](const auto& j) { j.differentiate(q, qdot, out); }, variant_);
}

bool Joint::needs_rechart(Coordinates q) const {
  return std::visit(
      [&](const auto& j) {
        if constexpr (requires { j.needs_rechart(q); })
          return j.needs_rechart(q);
        else
          return false;
      },
      variant_);
}

void Joint::rechart(Coordinates reference, std::span<double> q, std::span<double> qdot) const {
  std::visit(
      [&](const auto& j) {
        if constexpr (requires { j.rechart(reference, q, qdot); }) j.rechart(reference, q, qdot);
      },
      variant_);
}

void Joint::differentiate_rechart(Coordinates reference, Coordinates q, Coordinates qdot, MatRef dq,
                                  MatRef dqdot) const {
  dq.setIdentity();
  dqdot.setZero();
  std::visit(
      [&](const auto& j) {
        if constexpr (requires { j.differentiate_rechart(reference, q, qdot, dq, dqdot); })
          j.differentiate_rechart(reference, q, qdot, dq, dqdot);
      },
      variant_);
}

void Joint::validate(const std::string& element) const {
  std::visit([&](const auto& j) { j.validate(element); }, variant_);
  require(dof() == 0 || coordinates_independent(*this), element,
          "the coordinates of the " + type_name() + " joint are not independent",
          "let every coordinate move the joint in its own way");
}

}  // namespace sinew
