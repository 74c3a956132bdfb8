#include "sinew/dynamics/constraint.hpp"

// With φ = (ω; v) the twist of a link at its origin and φ̇ its componentwise rate,
//     d/dt (c · φ) = c · φ̇ + ċ · φ,   φ̇ = (rates from q̈) + a,
// where one forward recursion gives a at q̈ = 0: Ġ and J̇ are never formed. The coefficient of a
// link acts on all its ancestors' axes, moved to their origins as a wrench is moved.
//
// A row that is a rate, c · φ = ġ, has ∂ġ/∂q_m = dG_m/dt = ċ · s_m + c · ṡ_m with everything about
// one fixed origin O. There, with d from O to the link's origin, c′ = (c_ω + d × c_v; c_v), and
// ċ′ = (ċ_ω + v × c_v + d × ċ_v; ċ_v): so x = (ċ_ω + v × c_v; ċ_v), moved to O like c.

namespace sinew {
namespace {

/// The same coefficient on a twist about an origin that lies −d away.
Vec6 moved_coefficient(const Vec6& c, const Vec3& d) {
  Vec6 out = c;
  out.head<3>() += d.cross(c.tail<3>());
  return out;
}

/// Accelerations of the links at q̈ = 0, without gravity.
void update_bias_accelerations(const Skeleton& skeleton, const SkeletonWorkspace& ws,
                               std::vector<Vec6>& a) {
  const int count = skeleton.link_count();
  for (int i = 1; i < count; ++i) {
    const auto ii = static_cast<size_t>(i);
    const LinkMotion& m = ws.link[ii];
    const Vec6& a_p = a[static_cast<size_t>(skeleton.link(i).parent.value)];
    a[ii].head<3>() = a_p.head<3>() + m.c_w;
    a[ii].tail<3>() = a_p.tail<3>() + a_p.head<3>().cross(m.r) + m.c_v;
  }
}

}  // namespace

ConstraintRows::ConstraintRows(const Skeleton& skeleton, int rows, Eigen::Index on_links,
                               Eigen::Index on_parts)
    : value(VecX::Zero(rows)),
      rate(VecX::Zero(rows)),
      bias(VecX::Zero(rows)),
      G(on_links, on_parts, rows),
      Gdot_qdot(VecX::Zero(rows)),
      a(static_cast<size_t>(skeleton.link_count()), Vec6::Zero()) {}

void ConstraintRows::grow(int rows) {
  if (rows <= size()) return;
  for (VecX* x : {&value, &rate, &bias, &Gdot_qdot}) x->setZero(rows);
  G.resize(rows);
}

void ConstraintRows::add(int row, int link, const LinkMotion& motion, const Vec6& c,
                         const Vec6& cdot) {
  if (link == 0) return;
  TwistTerm& term = append(row, link);
  term.c = c;
  if (!with_rates) return;
  term.cdot = cdot;
  term.x = cdot;
  term.x.head<3>() += motion.v.cross(c.tail<3>());
}

void ConstraintRows::add_nonholonomic(int row, int link, const Vec6& c, const Vec6& cdot,
                                      const Vec6& x) {
  if (link == 0) return;
  TwistTerm& term = append(row, link);
  term.c = c;
  term.cdot = cdot;
  term.x = x;
}

void ConstraintRows::add_coordinate(int row, int dof, double c, double cdot) {
  coordinate.push_back({row, dof, c, cdot});
}

namespace {

void evaluate(const ConstraintList& constraints, const SkeletonAt& in, bool with_rates,
              ConstraintRows& out) {
  out.with_rates = with_rates;
  out.twist.clear();
  out.coordinate.clear();
  int row = 0;
  for (const auto& constraint : constraints) {
    constraint->evaluate(in, row, out);
    row += constraint->rows();
  }
  // The rows at the end of a step serve the next one; rows of coordinates alone are as cheap, and
  // those of parts may have moved.
  const bool fresh = out.G_t == in.t && out.G_placement == in.ws.placements;
  if (fresh && !out.twist.empty() && in.q.size() == in.skeleton.dof_count()) return;
  update_row_jacobian(in.skeleton, in.ws, out);
  out.G_t = in.t;
  out.G_placement = in.ws.placements;
}

}  // namespace

void update_constraint_rows(const ConstraintList& constraints, const SkeletonAt& in,
                            ConstraintRows& out) {
  evaluate(constraints, in, true, out);
  update_row_bias(in, out);
}

void update_constraint_values(const ConstraintList& constraints, const SkeletonAt& in,
                              ConstraintRows& out) {
  evaluate(constraints, in, false, out);
}

void update_row_bias(const SkeletonAt& in, ConstraintRows& out) {
  if (!out.twist.empty()) update_bias_accelerations(in.skeleton, in.ws, out.a);
  out.Gdot_qdot.setZero();
  for (const ConstraintRows::TwistTerm& term : out.twist) {
    const LinkMotion& m = in.ws.link[static_cast<size_t>(term.link)];
    out.Gdot_qdot[term.row] += term.cdot.head<3>().dot(m.w) + term.cdot.tail<3>().dot(m.v) +
                               term.c.dot(out.a[static_cast<size_t>(term.link)]);
  }
  for (const ConstraintRows::CoordinateTerm& term : out.coordinate)
    out.Gdot_qdot[term.row] += term.cdot * in.qdot[term.dof];
  out.bias += out.Gdot_qdot;
}

void update_row_jacobian(const Skeleton& skeleton, const SkeletonWorkspace& ws,
                         ConstraintRows& rows) {
  MatX& links = rows.G.links;
  links.setZero();
  for (const ConstraintRows::TwistTerm& term : rows.twist) {
    Vec3 c_w = term.c.head<3>();
    const Vec3 c_v = term.c.tail<3>();
    double* const G = links.col(term.row).data();
    for (int i = term.link; i > 0; i = skeleton.link(i).parent) {
      const Link& link = skeleton.link(i);
      const LinkMotion& m = ws.link[static_cast<size_t>(i)];
      if (link.kind == LinkKind::revolute_z)
        G[link.dof] += c_w.dot(m.R.col(2));
      else
        for (int k = link.dof; k < link.dof + link.dof_count; ++k) {
          const Vec6& s = ws.s[static_cast<size_t>(k)];
          G[k] += c_w.dot(s.head<3>()) + c_v.dot(s.tail<3>());
        }
      c_w += m.r.cross(c_v);
    }
  }
  const int n = skeleton.dof_count();
  for (const ConstraintRows::CoordinateTerm& term : rows.coordinate)
    if (term.dof < n) links(term.dof, term.row) += term.c;
  rows.G.place_parts([&](auto&& place) {
    for (const ConstraintRows::CoordinateTerm& term : rows.coordinate)
      if (term.dof >= n) place(term.row, term.dof - n, term.c);
  });
}

double reaction_power(const ConstraintList& constraints, const VecView& qdot,
                      const ConstraintRows& rows, const VecView& lambda) {
  double power = 0;
  int row = 0;
  for (const auto& constraint : constraints) {
    const bool moves = constraint->level() == ConstraintLevel::acceleration;
    for (const int end = row + constraint->rows(); row < end; ++row)
      power += moves ? -lambda[row] * rows.dot(row, qdot.data()) : lambda[row] * rows.rate[row];
  }
  return power;
}

void add_reactions(const ConstraintList& constraints, const VecView& qdot,
                   const ConstraintRows& rows, const VecView& lambda, AppliedForces& out) {
  for (const ConstraintRows::TwistTerm& term : rows.twist)
    out.wrench[static_cast<size_t>(term.link)] -= lambda[term.row] * term.c;
  for (const ConstraintRows::CoordinateTerm& term : rows.coordinate)
    out.tau[term.dof] -= lambda[term.row] * term.c;
  out.power += reaction_power(constraints, qdot, rows, lambda);
}

void row_rate_derivatives(const Skeleton& skeleton, const SkeletonWorkspace& ws,
                          const DerivativeWorkspace& dws, const ConstraintRows& rows, MatX& out) {
  out.setZero();
  for (const ConstraintRows::TwistTerm& term : rows.twist) {
    const Vec3 d = ws.link[static_cast<size_t>(term.link)].p - common_origin(ws);
    const Vec6 c = moved_coefficient(term.c, d), x = moved_coefficient(term.x, d);
    for (int i = term.link; i > 0; i = skeleton.link(i).parent) {
      const Link& link = skeleton.link(i);
      for (int k = link.dof; k < link.dof + link.dof_count; ++k) {
        const auto kk = static_cast<size_t>(k);
        out(term.row, k) += c.dot(dws.sdot[kk]) + x.dot(dws.s[kk]);
      }
    }
  }
  for (const ConstraintRows::CoordinateTerm& term : rows.coordinate)
    out(term.row, term.dof) += term.cdot;
}

}  // namespace sinew
