#pragma once

#include "sinew/analysis/drawing/soft_drawing.hpp"

namespace sinew::test {

/// Linear momentum, and angular momentum about the origin, of bodies and vertices.
inline Vec6 soft_momentum(const System& system, const State& state, Workspace& ws) {
  const ConstVecRef q = state.q, qdot = state.qdot;
  update_kinematics(system, {0, q, qdot}, ws);
  Vec6 out = Vec6::Zero();
  for (const Body& body : system.skeleton().bodies()) {
    const LinkMotion& m = ws.skeleton.link[static_cast<size_t>(body.link.value)];
    const Pose E = Pose{m.R, m.p} * body.E_LB;
    const Vec3 c = E * body.M_B.com(), v = m.v + m.w.cross(c - m.p);
    const Mat3 I = E.R * body.M_B.central_inertia() * E.R.transpose();
    out.head<3>() += I * m.w + c.cross(body.M_B.mass * v);
    out.tail<3>() += body.M_B.mass * v;
  }
  const SoftBodies& soft = *system.soft();
  const int first = system.state_dof(system.soft_index());
  for (int k = 0; k < soft.free_count(); ++k) {
    const Vec3 x = q.segment<3>(first + 3 * k), v = qdot.segment<3>(first + 3 * k);
    out.head<3>() += x.cross(soft.mass(k) * v);
    out.tail<3>() += soft.mass(k) * v;
  }
  return out;
}

}  // namespace sinew::test
