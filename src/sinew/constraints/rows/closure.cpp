#include "sinew/constraints/rows/closure.hpp"

#include <algorithm>
#include <cstdint>

#include "sinew/constraints/rows/row_primitives.hpp"

namespace sinew {
namespace {

Mat3 frame_with_z(const Vec3& axis) {
  Mat3 R;
  Vec3 x, y;
  const Vec3 z = axis.normalized();
  orthonormal_complement(z, x, y);
  R << x, y, z;
  return R;
}

/// Uniform in [−1, 1], the same on every machine (a linear congruential sequence).
class Scatter {
 public:
  double operator()() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state_ >> 11) * 0x1p-52 - 1;
  }

 private:
  std::uint64_t state_ = 1;
};

/// Squared singular values below this share of the largest count as zero: differences of axes that
/// are parallel to rounding leave 1e-30, anything a user means leaves more than 1e-8.
constexpr double kRankTolerance = 1e-14;
constexpr int kSamples = 5;
constexpr double kLargestGap = 1e-4;  ///< along the normal, relative to the skeleton's size
constexpr double kSpread = 0.4;       ///< spread of the sampled coordinates around q0

/// Motion of b as seen from a at one state: velocity of its point and angular velocity from q̇,
/// both 3×n, world axes.
struct RelativeMotion {
  Eigen::Matrix<double, 3, Eigen::Dynamic> linear, angular;
  Vec3 gap;             ///< x_A − x_B
  double size = 0;      ///< size of the skeleton
  std::vector<Mat3> R;  ///< for all links
};

RelativeMotion relative_motion(const Skeleton& skeleton, BodyIndex a, const Vec3& x_A, BodyIndex b,
                               const Vec3& x_B, const VecX& q, SkeletonWorkspace& ws) {
  const VecX qdot = VecX::Zero(q.size());
  update_kinematics(skeleton, q, qdot, ws);
  const AttachedPoint on_a = attach(skeleton, ws, a, x_A), on_b = attach(skeleton, ws, b, x_B);
  RelativeMotion out;
  out.gap = on_a.position - on_b.position;
  ConstraintRows rows(skeleton, 6);
  for (int k = 0; k < 3; ++k) {
    const Vec3 e = Vec3::Unit(k), zero = Vec3::Zero();
    const auto add = [&](int row, int link, const Vec3& w, const Vec3& v) {
      Vec6 c;
      c << w, v;
      rows.add_nonholonomic(row, link, c, Vec6::Zero(), Vec6::Zero());
    };
    // e · (ẋ_A − ẋ_B − ω_A × gap) and e · (ω_A − ω_B).
    add(k, on_a.link, on_a.offset.cross(e) + e.cross(out.gap), e);
    add(k, on_b.link, -on_b.offset.cross(e), -e);
    add(3 + k, on_a.link, e, zero);
    add(3 + k, on_b.link, -e, zero);
  }
  update_row_jacobian(skeleton, ws, rows);
  out.linear = rows.Gt().leftCols(3).transpose();
  out.angular = rows.Gt().rightCols(3).transpose();
  for (const LinkMotion& m : ws.link) {
    out.R.push_back(m.R);
    out.size = std::max(out.size, m.r.norm());
  }
  return out;
}

/// The one direction along which the points never separate; empty if there is not exactly one.
std::optional<Vec3> immobile_direction(const RelativeMotion& motion) {
  const Eigen::SelfAdjointEigenSolver<Mat3> eigen(Mat3(motion.linear * motion.linear.transpose()));
  const Vec3 values = eigen.eigenvalues();
  const double zero = kRankTolerance * values[2];
  if (!(values[2] > 0) || values[0] > zero || values[1] <= zero) return std::nullopt;
  return eigen.eigenvectors().col(0);
}

/// Whether link i carries the normals: they are constant, up to sign, in its frame.
bool carries(int i, const std::vector<RelativeMotion>& samples, const std::vector<Vec3>& normals) {
  const auto in_link = [&](size_t k) {
    return Vec3(samples[k].R[static_cast<size_t>(i)].transpose() * normals[k]);
  };
  const Vec3 first = in_link(0);
  for (size_t k = 1; k < samples.size(); ++k)
    if (first.cross(in_link(k)).norm() > 1e-7) return false;  // √kRankTolerance
  return true;
}

}  // namespace

Closure Closure::Ball(std::string name, BodyIndex a, const Vec3& x_A, BodyIndex b,
                      const Vec3& x_B) {
  return {std::move(name), Kind::ball, a, Pose::Translation(x_A), b, Pose::Translation(x_B)};
}

Closure Closure::Hinge(std::string name, BodyIndex a, const Vec3& x_A, const Vec3& axis_A,
                       BodyIndex b, const Vec3& x_B, const Vec3& axis_B) {
  return {
      std::move(name), Kind::hinge, a, {frame_with_z(axis_A), x_A}, b, {frame_with_z(axis_B), x_B}};
}

Closure Closure::Weld(std::string name, BodyIndex a, const Pose& E_AJ, BodyIndex b,
                      const Pose& E_BJ) {
  return {std::move(name), Kind::weld, a, E_AJ, b, E_BJ};
}

int Closure::rows() const {
  switch (kind_) {
    case Kind::ball:
      return plane_ ? 2 : 3;
    case Kind::hinge:
      return plane_ ? 2 : 5;
    case Kind::weld:
      return plane_ ? 3 : 6;
  }
  return 0;
}

template <class Point, class Angle>
void Closure::for_each_row(const SkeletonAt& in, Point point, Angle angle) const {
  for (int k = 0; k < (plane_ ? 2 : 3); ++k) {
    const Vec3 v = !plane_ ? Vec3::Unit(k) : k == 0 ? plane_->v1 : plane_->v2;
    point(carrier() == 0 ? v : Vec3(motion(in, carrier()).R * v));
  }
  if (kind_ == Kind::ball || (plane_ && kind_ == Kind::hinge)) return;
  const auto on_a = [&](const Vec3& v_J) { return direction(in, a_, E_AJ_.R * v_J); };
  const auto on_b = [&](const Vec3& v_J) { return direction(in, b_, E_BJ_.R * v_J); };
  const Vec3 x = Vec3::UnitX(), y = Vec3::UnitY(), z = Vec3::UnitZ();
  if (plane_) {
    angle(on_a(plane_->u1), on_b(plane_->u2));
  } else if (kind_ == Kind::hinge) {
    angle(on_a(z), on_b(x));
    angle(on_a(z), on_b(y));
  } else {
    angle(on_a(y), on_b(z));
    angle(on_a(z), on_b(x));
    angle(on_a(x), on_b(y));
  }
}

void Closure::evaluate(const SkeletonAt& in, int row, ConstraintRows& out) const {
  const AttachedPoint a = attach(in, a_, E_AJ_.p), b = attach(in, b_, E_BJ_.p);
  for_each_row(
      in, [&](const Vec3& v) { add_direction_row(in, a, b, carrier(), v, row++, out); },
      [&](const Vec3& on_a, const Vec3& on_b) {
        add_perpendicular_row(in, a.link, on_a, b.link, on_b, row++, out);
      });
}

void Closure::add_reaction_derivatives(const SkeletonAt& in, std::span<const double> lambda,
                                       ForceDerivatives& out) const {
  const AttachedPoint a = attach(in, a_, E_AJ_.p), b = attach(in, b_, E_BJ_.p);
  size_t k = 0;
  Vec3 F = Vec3::Zero();
  for_each_row(
      in, [&](const Vec3& v) { F -= lambda[k++] * v; },
      [&](const Vec3& on_a, const Vec3& on_b) {
        add_perpendicular_derivatives(a.link, on_a, b.link, on_b, lambda[k++], out);
      });
  add_direction_derivatives(a, b, carrier(), F, out);
}

std::vector<Measurement> Closure::measure(const SkeletonAt& in,
                                          std::span<const double> lambda) const {
  size_t k = 0;
  Vec3 force = Vec3::Zero(), moment = Vec3::Zero();
  for_each_row(
      in, [&](const Vec3& v) { force += lambda[k++] * v; },
      [&](const Vec3& on_a, const Vec3& on_b) { moment += lambda[k++] * on_a.cross(on_b); });
  std::vector<Measurement> out;
  add_measurements("force", force, out);
  if (kind_ != Kind::ball) add_measurements("moment", moment, out);
  return out;
}

void Closure::validate(const Skeleton& skeleton) const {
  require_two_bodies(skeleton, a_, b_, *this);
  const auto finite = [](const Pose& E) { return E.R.allFinite() && E.p.allFinite(); };
  require_constraint(finite(E_AJ_) && finite(E_BJ_), *this,
                     "has a point, axis or frame that is zero or not finite",
                     "give finite numbers and axes that are not zero");
  const auto turns = [](const Mat3& R) {
    return (R.transpose() * R - Mat3::Identity()).norm() < 1e-9 && R.determinant() > 0;
  };
  require_constraint(turns(E_AJ_.R) && turns(E_BJ_.R), *this, "has a frame that is not a rotation",
                     "give a right-handed orthonormal frame, or an axis that is not zero");
}

std::shared_ptr<const Constraint> Closure::specialized(const Skeleton& skeleton,
                                                       const VecX& q0) const {
  SkeletonWorkspace ws(skeleton);
  Scatter scatter;
  std::vector<RelativeMotion> samples;
  std::vector<Vec3> normals;
  for (int k = 0; k < kSamples; ++k) {
    const VecX q = q0 + kSpread * VecX::NullaryExpr(q0.size(), [&] { return scatter(); });
    samples.push_back(relative_motion(skeleton, a_, E_AJ_.p, b_, E_BJ_.p, q, ws));
    const std::optional<Vec3> normal = immobile_direction(samples.back());
    if (!normal) return nullptr;
    // A gap that no motion closes: let the assembly refuse it, unless it is only inexact input.
    const RelativeMotion& sample = samples.back();
    if (std::abs(normal->dot(sample.gap)) > kLargestGap * sample.size) return nullptr;
    normals.push_back(*normal);
  }

  // The body nearest to the root, on the way from a, that carries the normal.
  const int link_a = link_of(skeleton, a_);
  if (!carries(link_a, samples, normals)) return nullptr;
  Plane plane;
  plane.carrier = link_a;
  for (int i = link_a; i > 0;) {
    i = skeleton.link(i).parent;
    if (!carries(i, samples, normals)) continue;
    plane.carrier = i;
  }
  const auto link_axes = [&](int i, const Vec3& v) {
    return Vec3(samples[0].R[static_cast<size_t>(i)].transpose() * v);
  };
  plane.normal = link_axes(plane.carrier, normals[0]);
  orthonormal_complement(plane.normal, plane.v1, plane.v2);
  const Mat3 R_LA = a_ == kWorld ? Mat3::Identity() : skeleton.body(a_).E_LB.R;
  const Vec3 normal_J = (R_LA * E_AJ_.R).transpose() * link_axes(link_a, normals[0]);
  orthonormal_complement(normal_J, plane.u1, plane.u2);

  // Rows that hold angles are redundant as well if the bodies only turn about the normal, and the
  // hinge's axis is the normal.
  if (kind_ == Kind::hinge && normal_J.cross(Vec3::UnitZ()).norm() > 1e-7) return nullptr;
  if (kind_ != Kind::ball)
    for (size_t k = 0; k < samples.size(); ++k) {
      const auto& angular = samples[k].angular;
      const MatX across = angular - normals[k] * (normals[k].transpose() * angular);
      if (across.norm() > 1e-7 * angular.norm()) return nullptr;
    }
  auto out = std::make_shared<Closure>(*this);
  out->plane_ = plane;
  return out;
}

}  // namespace sinew
