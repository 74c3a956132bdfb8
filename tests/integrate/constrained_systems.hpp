#pragma once

#include <cmath>
#include <memory>
#include <numbers>

#include "integrate/example_systems.hpp"
#include "sinew/builder/system_builder.hpp"
#include "sinew/constraints/rows/closure.hpp"
#include "sinew/constraints/rows/coupling.hpp"
#include "sinew/constraints/rows/point_constraints.hpp"
#include "sinew/constraints/rows/prescribed_motion.hpp"
#include "sinew/system/projection.hpp"

/// Linkages that the tests of constrained motion share. Y is up, z the axis of planar ones.

namespace sinew::test {

template <class C>
std::shared_ptr<const Constraint> shared(C constraint) {
  return std::make_shared<C>(std::move(constraint));
}

/// A uniform bar of that mass from its joint along +x.
inline BodySpec bar(const std::string& name, const std::string& parent, double length, double mass,
                    Joint joint, const Vec3& at) {
  const double I = mass * length * length / 12;
  BodySpec spec;
  spec.name = name;
  spec.parent = parent;
  spec.joint = std::move(joint);
  spec.E_PJ.p = at;
  spec.M_B = SpatialInertia::FromCentral(mass, Vec3(length / 2, 0, 0),
                                         Vec3(0.02 * I, 1.01 * I, I).asDiagonal());
  return spec;
}

/// Crank, coupler and rocker over a ground of length d, as a chain; closed at the rocker's pivot.
struct FourBar {
  double crank = 0.3, coupler = 0.8, rocker = 0.6, ground = 0.9;

  /// (crank, coupler, rocker) relative joint angles at a crank angle, the rocker above the ground.
  Vec3 angles(double theta) const {
    const double x = crank * std::cos(theta), y = crank * std::sin(theta);
    const double dx = ground - x, dy = -y, s = std::hypot(dx, dy);
    const double along = (s * s + coupler * coupler - rocker * rocker) / (2 * s);
    const double across = std::sqrt(coupler * coupler - along * along);
    const double px = x + (along * dx - across * dy) / s, py = y + (along * dy + across * dx) / s;
    const double absolute_coupler = std::atan2(py - y, px - x);
    const double absolute_rocker = std::atan2(-py, ground - px);  // from the joint to the pivot
    return {theta, absolute_coupler - theta, absolute_rocker - absolute_coupler};
  }

  Skeleton skeleton(double theta) const {
    const Revolute z{Vec3::UnitZ()};
    const Vec3 q = angles(theta);
    BodySpec a = bar("crank", "", crank, 0.4, z, Vec3::Zero());
    BodySpec b = bar("coupler", "crank", coupler, 0.7, z, Vec3(crank, 0, 0));
    BodySpec c = bar("rocker", "coupler", rocker, 0.5, z, Vec3(coupler, 0, 0));
    a.q0 = {q[0]};
    b.q0 = {q[1]};
    c.q0 = {q[2]};
    return SkeletonBuilder().add_body(a).add_body(b).add_body(c).build();
  }

  Closure closure() const {
    return Closure::Ball("pivot", kWorld, Vec3(ground, 0, 0), BodyIndex(2), Vec3(rocker, 0, 0));
  }

  SystemBuilder builder(double theta = 0.7) const {
    SystemBuilder out(skeleton(theta));
    out.add_constraint(shared(closure()));
    return out;
  }
};

/// smooth_system with the foot's tip held by a ball on the ground: a spatial loop of three degrees
/// of freedom, with springs, dampers and a torque that varies with time.
inline System smooth_loop(std::shared_ptr<const Constraint> further = nullptr) {
  const System tree = smooth_system();
  const Vec3 tip(0.02, -0.3, 0.01);
  Workspace ws(tree);
  const State state = tree.default_state();
  update_kinematics(tree.skeleton(), state.q, state.qdot, ws.skeleton);
  const Vec3 at = body_pose(tree.skeleton(), ws.skeleton, BodyIndex(2)) * tip;
  SystemBuilder builder(tree.skeleton());
  builder.set_gravity(tree.gravity());
  for (const auto& force : tree.forces()) builder.add_force(force);
  builder.add_constraint(shared(Closure::Ball("tip", kWorld, at, BodyIndex(2), tip)));
  if (further) builder.add_constraint(further);
  return builder.build();
}

inline std::string test_name(Integrator integrator) {
  std::string name = to_string(integrator);
  std::erase(name, '-');
  return name;
}

}  // namespace sinew::test
