#include "sinew/constraints/solve/joint_friction.hpp"

#include <cmath>

#include "sinew/constraints/rows/row_primitives.hpp"
#include "sinew/core/error.hpp"
#include "sinew/model/joint.hpp"

// Contact points and the shortest normal loads a with Nᵀa = (moment; force), whose magnitudes |·|
// rub. The columns of N for the components of the wrench are orthogonal by symmetry, so that a is a
// sum:
//
// Pin: angles θ = 0, 90, 180, 270° with n = (cos θ, sin θ, 0), z = ±H/2, radius r; at each point a
// radial normal and an axial one. With d = H² + 4r² and m = M_y cos θ − M_x sin θ
//     radial  |F·n/4 + z m/d|,   axial  |F_z/8 − r m/d|.
// Box, half sides (a, b, c), sliding along c: at the corner (x, y, z) one normal along either side,
//     |F_x/8 + z M_y/8c² − y M_z/8(a² + b²)|,   |F_y/8 − z M_x/8c² + x M_z/8(a² + b²)|.
// Ball: ±r e_k, |F_k|/2 each.

namespace sinew {
namespace {

template <class... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};
template <class... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;

Vec6 point_force(const Vec3& x, const Vec3& f) {
  Vec6 out;
  out << x.cross(f), f;
  return out;
}

BearingLoad load_of(const CylinderBearing& pin, const Vec3& M, const Vec3& F) {
  BearingLoad out;
  const double r = pin.radius, d = pin.height * pin.height + 4 * r * r;
  double sum = 0;
  for (int k = 0; k < 4; ++k) {
    const double c = k == 0 ? 1 : k == 2 ? -1 : 0, s = k == 1 ? 1 : k == 3 ? -1 : 0;
    for (const double z : {-0.5 * pin.height, 0.5 * pin.height}) {
      const double bend = c * M.y() - s * M.x();
      const double radial = (c * F.x() + s * F.y()) / 4 + z * bend / d;
      const double axial = F.z() / 8 - r * bend / d;
      const double load = std::abs(radial) + std::abs(axial);
      sum += load;
      out.friction[0] += load * point_force(Vec3(r * c, r * s, z), Vec3(-s, c, 0));
    }
  }
  out.bound[0] = r * sum;
  if (sum > 0) out.friction[0] /= r * sum;
  return out;
}

BearingLoad load_of(const BallBearing& ball, const Vec3&, const Vec3& F) {
  BearingLoad out;
  for (int k = 0; k < 3; ++k) {
    out.bound[k] = ball.radius * (F.cwiseAbs().sum() - std::abs(F[k]));
    out.friction[k][k] = 1;  // the forces at opposite points make a couple
  }
  return out;
}

/// M, F and sides with the direction of sliding as z.
BearingLoad load_along_z(const Vec3& half, const Vec3& M, const Vec3& F) {
  BearingLoad out;
  const double cross = 8 * (half.x() * half.x() + half.y() * half.y());
  double sum = 0;
  for (const double x : {-half.x(), half.x()})
    for (const double y : {-half.y(), half.y()})
      for (const double z : {-half.z(), half.z()}) {
        const double along = z / (8 * half.z() * half.z());
        const double on_x = F.x() / 8 + along * M.y() - y * M.z() / cross;
        const double on_y = F.y() / 8 - along * M.x() + x * M.z() / cross;
        const double load = std::abs(on_x) + std::abs(on_y);
        sum += load;
        out.friction[0] += load * point_force(Vec3(x, y, z), Vec3::UnitZ());
      }
  out.bound[0] = sum;
  if (sum > 0) out.friction[0] /= sum;
  return out;
}

/// Axes permuted cyclically so that the one along which the box slides is z.
Vec3 turned(const Vec3& v, int slide) { return {v[(slide + 1) % 3], v[(slide + 2) % 3], v[slide]}; }
Vec3 turned_back(const Vec3& v, int slide) {
  Vec3 out;
  out[(slide + 1) % 3] = v[0];
  out[(slide + 2) % 3] = v[1];
  out[slide] = v[2];
  return out;
}

const Closure* find_closure(const ConstraintList& constraints, const std::string& name,
                            int& first_row) {
  first_row = 0;
  for (const auto& constraint : constraints) {
    if (constraint->name() == name) return dynamic_cast<const Closure*>(constraint.get());
    first_row += constraint->rows();
  }
  return nullptr;
}

}  // namespace

void JointFriction::validate(const Skeleton& skeleton, const ConstraintList& constraints) const {
  const auto require = [&](bool condition, const std::string& problem, const std::string& remedy) {
    if (!condition) throw Error("bearing '" + name + "'", problem, remedy);
  };
  const auto positive = [](double x) { return std::isfinite(x) && x > 0; };
  require(std::isfinite(friction) && friction >= 0, "its friction is negative or not finite",
          "give zero or more");
  require(std::visit(Overloaded{[&](const CylinderBearing& s) {
                                  return positive(s.radius) && positive(s.height);
                                },
                                [&](const BallBearing& s) { return positive(s.radius); },
                                [&](const BoxBearing& s) {
                                  return positive(s.sides.minCoeff()) && s.sides.allFinite();
                                }},
                     shape),
          "its size is not positive", "give positive lengths");
  const bool pin = std::holds_alternative<CylinderBearing>(shape);
  if (!closure.empty()) {
    int row;
    require(find_closure(constraints, closure, row) != nullptr,
            "there is no closure '" + closure + "'", "name a ball, hinge or weld");
    require(pin, "is in a closure but is not a cylinder", "give it a radius and a height");
    require(axis.allFinite() && axis.norm() > 1e-12, "its axis is zero", "give a direction");
    return;
  }
  require(body >= 0 && body < skeleton.body_count(), "is on a body that does not exist",
          "use an index of this skeleton");
  const Joint& joint = skeleton.body(body).joint;
  const bool fits = std::visit(
      Overloaded{[&](const Revolute&) { return pin; },
                 [&](const SphericalExp&) { return std::holds_alternative<BallBearing>(shape); },
                 [&](const SphericalEuler&) { return std::holds_alternative<BallBearing>(shape); },
                 [&](const Prismatic& j) {
                   return std::holds_alternative<BoxBearing>(shape) &&
                          j.axis.cwiseAbs().maxCoeff() > (1 - 1e-12) * j.axis.norm();
                 },
                 [](const auto&) { return false; }},
      joint.variant());
  require(fits, "does not fit a joint of type '" + joint.type_name() + "'",
          "cylinders are for revolute joints, balls for spherical ones, boxes for prismatic ones "
          "along an axis of their frame");
}

int row_count(const BearingShape& shape) {
  return std::holds_alternative<BallBearing>(shape) ? 3 : 1;
}

BearingFrame bearing_frame(const JointFriction& bearing, const ConstraintList& constraints,
                           const Skeleton& skeleton, const SkeletonWorkspace& ws) {
  BearingFrame out;
  const auto pin = [](const Vec3& axis) {
    Mat3 R;
    Vec3 x, y;
    orthonormal_complement(axis, x, y);
    R << x, y, axis;
    return R;
  };
  if (!bearing.closure.empty()) {
    const Closure& closure = *find_closure(constraints, bearing.closure, out.first_row);
    out.row_count = closure.rows();
    out.child = link_of(skeleton, closure.a());
    out.parent = link_of(skeleton, closure.b());
    const Pose E_WA = body_pose(skeleton, ws, closure.a());
    out.centre = E_WA * closure.E_AJ().p;
    out.R = E_WA.R * pin(bearing.axis.normalized());
    return out;
  }
  const Body& body = skeleton.body(bearing.body);
  out.child = body.link;
  out.parent = skeleton.link(out.child).parent;
  const Pose E_WJ = body_pose(skeleton, ws, bearing.body) * body.E_JB.inverse();
  out.centre = E_WJ.p;
  out.R = E_WJ.R;
  if (const auto* revolute = std::get_if<Revolute>(&body.joint.variant()))
    out.R = E_WJ.R * pin(revolute->axis.normalized());
  if (const auto* prismatic = std::get_if<Prismatic>(&body.joint.variant()))
    prismatic->axis.cwiseAbs().maxCoeff(&out.slide);
  return out;
}

Vec6 bearing_coefficient(const BearingShape& shape, const BearingFrame& frame, int row,
                         const Vec3& p) {
  Vec6 out = Vec6::Zero();
  if (std::holds_alternative<BoxBearing>(shape))
    return point_force(frame.centre - p, frame.R.col(frame.slide));
  out.head<3>() = frame.R.col(std::holds_alternative<BallBearing>(shape) ? row : 2);
  return out;
}

BearingLoad bearing_load(const BearingShape& shape, int slide, const Vec3& moment,
                         const Vec3& force) {
  return std::visit(
      Overloaded{[&](const BoxBearing& box) {
                   BearingLoad out = load_along_z(0.5 * turned(box.sides, slide),
                                                  turned(moment, slide), turned(force, slide));
                   const Vec3 couple = out.friction[0].head<3>(), push = out.friction[0].tail<3>();
                   out.friction[0] << turned_back(couple, slide), turned_back(push, slide);
                   return out;
                 },
                 [&](const auto& other) { return load_of(other, moment, force); }},
      shape);
}

}  // namespace sinew
