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

LeastSquares::Residual KineticEnergyTarget::residual(const At& at) const {
  return Residual::Constant(1, energy(at.system, at.state, at.ws).kinetic - target_);
}

/// ∂T/∂q̇ = M q̇. ∂T/∂q = ½ ∂(q̇ᵀM q̇)/∂q, which is half of q̇ᵀ times the change of ∂(M q̈ − f)/∂q
/// from q̈ = 0 to q̈ = q̇, at rest.
void KineticEnergyTarget::pull_back(const At& at, const Residual& r_bar, StateVectors& bar) const {
  const System& system = at.system;
  VecX p(system.dof_count()), unused = p;
  momentum_and_force(system, at.state, at.ws, p, unused);
  bar.qdot += r_bar[0] * p;
  State rest = at.state;
  rest.qdot.setZero();
  Linearization turning, still;
  VecX g(system.dof_count());
  linearize(system, rest, at.state.qdot, StiffnessModel::exact, at.ws, g, turning);
  linearize(system, rest, rest.qdot, StiffnessModel::exact, at.ws, g, still);
  const auto add = [&](const Linearization& of, double c) {
    add_transposed_product(system.nodes(), of.dg_dq, of.dg_dq_nodes, c, at.state.qdot, bar.q);
  };
  add(turning, r_bar[0] / 2);
  add(still, -r_bar[0] / 2);
}

}  // namespace sinew
