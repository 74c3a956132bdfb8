#include "sinew/integrate/joint_friction_step.hpp"

// The wrench that a joint transmits comes from inverse dynamics with q̈ = (q̇₁ − q̇₀)/h, the reactions
// of the constraints and the impulses of contacts among the forces. Along the joint's own direction
// it holds springs, limits and the friction itself; bearing_load uses the other components.
// Friction acts at the points that carry the load, unevenly, and so takes part in it: that part is
// not normal load and is subtracted.

namespace sinew {
namespace {

/// All wrenches on links: applied forces, reactions of constraints, contacts.
void update_applied(double h, Workspace& ws) {
  UnilateralWorkspace& u = ws.unilateral;
  u.applied.wrench = ws.forces.wrench;
  const auto count = static_cast<int>(u.order.size());
  const ConstraintWorkspace& c = ws.constraints;
  for (const ConstraintRows::TwistTerm& term : c.rows.twist) {
    double lambda = c.lambda[term.row];
    for (int i = 0; i < count; ++i)
      lambda += u.x[i] / h * u.Y(term.row, u.order[static_cast<size_t>(i)]);
    u.applied.wrench[static_cast<size_t>(term.link)] -= lambda * term.c;
  }
  // Bearings come first among the unknowns: they act inside the joints, except for closures.
  for (const ConstraintRows::TwistTerm& term : u.rows.rows.twist)
    for (int i = 0; i < count; ++i) {
      if (u.order[static_cast<size_t>(i)] != term.row) continue;
      const bool bearing = i < static_cast<int>(u.rows.bearing_rows.size());
      if (bearing) {
        const auto& row = u.rows.bearing_rows[static_cast<size_t>(i)];
        if (u.rows.bearing_frames[static_cast<size_t>(row.bearing)].row_count == 0) continue;
      }
      u.applied.wrench[static_cast<size_t>(term.link)] += u.x[i] / h * term.c;
    }
}

/// Wrench of a closure on its first body, about the origin of its link.
Vec6 closure_wrench(const BearingFrame& frame, double h, const Workspace& ws) {
  const UnilateralWorkspace& u = ws.unilateral;
  const ConstraintWorkspace& c = ws.constraints;
  // The world has no terms: the second body gets the opposite.
  const int link = frame.child > 0 ? frame.child : frame.parent;
  const double sign = frame.child > 0 ? 1 : -1;
  Vec6 out = Vec6::Zero();
  for (const ConstraintRows::TwistTerm& term : c.rows.twist) {
    const bool mine = term.row >= frame.first_row && term.row < frame.first_row + frame.row_count;
    if (!mine || term.link != link) continue;
    double lambda = c.lambda[term.row];
    for (size_t i = 0; i < u.order.size(); ++i)
      lambda += u.x[static_cast<Eigen::Index>(i)] / h * u.Y(term.row, u.order[i]);
    out -= sign * lambda * term.c;
  }
  return out;
}

}  // namespace

void reset_bearings(double h, UnilateralWorkspace& u) {
  u.bounded.clear();
  u.loads.assign(u.rows.bearing_frames.size(), BearingLoad{});
  for (size_t i = 0; i < u.rows.bearing_rows.size(); ++i)
    u.bounded.push_back({static_cast<int>(i), 0.0});
  for (const double most : u.rows.holds)
    u.bounded.push_back({static_cast<int>(u.bounded.size()), h * most});
}

void update_bearing_bounds(const System& system, double h, const State& state, double relaxation,
                           Workspace& ws) {
  UnilateralWorkspace& u = ws.unilateral;
  update_applied(h, ws);
  u.qddot = (u.qdot - state.qdot) / h;
  update_transmitted_wrenches(system, state, u.qddot, u.applied, ws);
  for (size_t k = 0; k < u.rows.bearing_frames.size(); ++k) {
    const JointFriction& bearing = system.unilaterals().bearings[k];
    const BearingFrame& frame = u.rows.bearing_frames[k];
    const bool closes = frame.row_count > 0;
    const int link = closes && frame.child == 0 ? frame.parent : frame.child;
    const LinkMotion& m = ws.skeleton.link[static_cast<size_t>(link)];
    const Vec6 wrench =
        closes ? closure_wrench(frame, h, ws) : ws.skeleton.F[static_cast<size_t>(frame.child)];
    const Vec3 f = wrench.tail<3>();
    Vec3 force = frame.R.transpose() * f;
    Vec3 moment = frame.R.transpose() * (wrench.head<3>() - (frame.centre - m.p).cross(f));
    for (size_t i = 0; i < u.rows.bearing_rows.size() && !closes; ++i) {
      const auto& row = u.rows.bearing_rows[i];
      if (row.bearing != static_cast<int>(k)) continue;
      const double friction = u.x[static_cast<Eigen::Index>(i)] / h;
      moment -= friction * u.loads[k].friction[row.axis].head<3>();
      force -= friction * u.loads[k].friction[row.axis].tail<3>();
    }
    u.loads[k] = bearing_load(bearing.shape, frame.slide, moment, force);
    for (size_t i = 0; i < u.rows.bearing_rows.size(); ++i) {
      const auto& row = u.rows.bearing_rows[i];
      if (row.bearing != static_cast<int>(k)) continue;
      const double target = h * bearing.friction * u.loads[k].bound[row.axis];
      u.bounded[i].bound += relaxation * (target - u.bounded[i].bound);
    }
  }
}

}  // namespace sinew
