#include "sinew/adjoint/motion_objectives.hpp"

#include <cmath>

#include "sinew/adjoint/point_derivatives.hpp"
#include "sinew/core/error.hpp"

namespace sinew {

LandingTarget::LandingTarget(const System& system, BodyIndex body, const Vec3& point_B,
                             const Vec3& target, double weight, Moments when)
    : LeastSquares(weight, std::move(when)), body_(body), point_(point_B), target_(target) {
  require_point_velocities(system);
  if (system.gravity().norm() == 0)
    throw Error("landing", "nothing comes down without gravity", "give the scene gravity");
}

/// With up = −g/|g|, height h over the plane and speed v upwards: t = (v + √(v² + 2 |g| h))/|g|.
LandingTarget::Flight LandingTarget::fly(const At& at) const {
  const AttachedPoint point = attach(at.system.skeleton(), at.ws.skeleton, body_, point_);
  const Vec3& g = at.system.gravity();
  const Vec3 up = -g.normalized();
  const double height = up.dot(point.position - target_), speed = up.dot(point.velocity);
  const double t = (speed + std::sqrt(speed * speed + 2 * g.norm() * height)) / g.norm();
  return {point.position + t * point.velocity + t * t / 2 * g, point.velocity + t * g, t};
}

LeastSquares::Residual LandingTarget::residual(const At& at) const {
  update_kinematics(at.system, at.state, at.ws);
  return fly(at).landing - target_;
}

/// dx_L = (1 − w upᵀ/(up·w)) (dx + t dv), w the velocity at the end: the flight ends on the plane.
void LandingTarget::pull_back(const At& at, const Residual& r_bar, StateVectors& bar) const {
  const Flight flight = fly(at);
  const Vec3 up = -at.system.gravity().normalized(), r = r_bar;
  const Vec3 b = r - up * (flight.velocity.dot(r) / up.dot(flight.velocity));
  pull_back_position(at, attach(at.system.skeleton(), at.ws.skeleton, body_, point_), b,
                     Vec3::Zero(), bar);
  pull_back_velocity(at, body_, point_, flight.time * b, bar);
}

namespace {

/// Adds c ∂T/∂q and c ∂T/∂q̇. ∂T/∂q̇ = M q̇. ∂T/∂q = ½ ∂(q̇ᵀM q̇)/∂q, which is half of q̇ᵀ times the
/// change of ∂(M q̈ − f)/∂q from q̈ = 0 to q̈ = q̇, at rest.
void pull_back_kinetic_energy(const Objective::At& at, double c, StateVectors& bar) {
  const System& system = at.system;
  VecX p(system.dof_count()), unused = p;
  momentum_and_force(system, at.state, at.ws, p, unused);
  bar.qdot += c * p;
  State rest = at.state;
  rest.qdot.setZero();
  Linearization turning, still;
  VecX g(system.dof_count());
  linearize(system, rest, at.state.qdot, StiffnessModel::exact, at.ws, g, turning);
  linearize(system, rest, rest.qdot, StiffnessModel::exact, at.ws, g, still);
  const auto add = [&](const Linearization& of, double factor) {
    add_transposed_product(system.nodes(), of.dg_dq, of.dg_dq_nodes, factor, at.state.qdot, bar.q);
  };
  add(turning, c / 2);
  add(still, -c / 2);
}

/// Adds c ∂V/∂q. Elements tell their forces and the power P of those without a potential. With
/// q̇ = s e_k and q̈ = 0 the forces g = −f that are missing do the work
///     s g_k + P = Ṫ + V̇ = s³ T₃ + s ∂V/∂q_k,
/// of which two values of s give the second term exactly.
void pull_back_potential_energy(const Objective::At& at, double c, StateVectors& bar) {
  const System& system = at.system;
  State moving = at.state;
  moving.qdot.setZero();
  VecX g(system.dof_count());
  const VecX no_acceleration = VecX::Zero(system.dof_count());
  for (Eigen::Index k = 0; k < moving.qdot.size(); ++k) {
    const auto work = [&](double s) {
      moving.qdot[k] = s;
      inverse_dynamics(system, moving, no_acceleration, at.ws, g);
      return s * g[k] + at.ws.forces.power;
    };
    bar.q[k] += c * (8 * work(1) - work(2)) / 6;
    moving.qdot[k] = 0;
  }
}

}  // namespace

LeastSquares::Residual EnergyTarget::residual(const At& at) const {
  if (at.system.has(Feature::driven_coordinates))
    throw Error("energy", "is not differentiated where time drives coordinates",
                "use coordinates, points or forces");
  const Energy now = energy(at.system, at.state, at.ws);
  const double value = of_ == Of::kinetic     ? now.kinetic
                       : of_ == Of::potential ? now.potential()
                                              : now.total();
  return Residual::Constant(1, value - target_);
}

void EnergyTarget::pull_back(const At& at, const Residual& r_bar, StateVectors& bar) const {
  if (of_ != Of::potential) pull_back_kinetic_energy(at, r_bar[0], bar);
  if (of_ != Of::kinetic) pull_back_potential_energy(at, r_bar[0], bar);
}

}  // namespace sinew
