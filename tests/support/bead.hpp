#pragma once

#include "sinew/dynamics/part.hpp"
#include "sinew/dynamics/rnea.hpp"

namespace sinew::test {

/// A bead that slides along a line of a body, without friction. Its coordinate is where it is on
/// the line: its mass couples that coordinate to those of the skeleton and changes M(q) of the
/// latter, as material of a strand does. A body on a prismatic joint is the same.
///
/// Derivatives are taken by differences, which tests of the places they go to may do.
class Bead final : public Part {
 public:
  /// At x_B + s e, body frame.
  Bead(const Skeleton& skeleton, BodyIndex body, const Vec3& x_B, const Vec3& e, double mass)
      : skeleton_(skeleton), body_(body), x_B_(x_B), e_(e), m_(mass) {}

  int dof_count() const override { return 1; }
  std::string dof_name(int) const override { return "bead"; }
  double mass() const override { return m_; }
  void lay_out(NodeLayout& masses, NodeLayout& all) const override {
    masses.couple(masses.add_node(1));
    all.couple(all.add_node(1));
  }
  void place(VecRef q, VecRef qdot) const override {
    q[0] = 0.1;
    qdot[0] = 0.3;
  }

  void add_forces(const PartAt&, ForceForm, PartScratch&, AppliedForces&) const override {}
  void add_force_derivatives(const PartAt&, const double*, StiffnessModel,
                             const DerivativeWorkspace&, PartScratch&,
                             PartDerivatives&) const override {}
  void add_inertial_forces(const PartAt& at, const double* qddot, PartScratch&,
                           InertialForces out) const override {
    const Along along = at_line(at.skeleton.q[at.dof], at.skeleton.ws);
    const Vec3 F = force(along, at.skeleton.qdot[at.dof], qddot == nullptr ? 0 : qddot[at.dof],
                         at.skeleton.ws);
    Vec6& wrench = out.wrench[static_cast<size_t>(along.point.link)];
    wrench.head<3>() += along.point.offset.cross(F);
    wrench.tail<3>() += F;
    out.tau[at.dof] += along.u.dot(F);
  }
  void add_mass(const PartAt& at, PartScratch&, MassEntries out) const override {
    const Along along = at_line(at.skeleton.q[at.dof], at.skeleton.ws);
    const Eigen::Matrix3Xd J = jacobian(at.skeleton, along);
    out.rr += m_ * J.transpose() * J;
    const Eigen::RowVectorXd row = m_ * along.u.transpose() * J;
    out.nodes.fr_rows(out.layout, at.node).row(0) += row;
    out.nodes.rf_rows(out.layout, at.node).row(0) += row;
    out.nodes.block(out.layout, at.node, at.node)(0, 0) += m_;
  }
  void add_inertial_derivatives(const PartAt& at, const double* qddot,
                                const DerivativeWorkspace* dws, PartScratch& scratch,
                                PartDerivatives& out) const override {
    Part::add_inertial_derivatives(at, qddot, dws, scratch, out);
    if (dws == nullptr) return;
    const Eigen::Index n = skeleton_.dof_count();
    VecX x(n + 1), v(n + 1);
    x << at.skeleton.q.head(n), at.skeleton.q[at.dof];
    v << at.skeleton.qdot.head(n), at.skeleton.qdot[at.dof];
    VecX a = VecX::Zero(n + 1);
    if (qddot != nullptr) a << Eigen::Map<const VecX>(qddot, n), qddot[at.dof];
    const Vec3 F = force(at_line(x[n], at.skeleton.ws), v[n], a[n], at.skeleton.ws);
    constexpr double eps = 1e-5;
    for (Eigen::Index k = 0; k <= n; ++k) {
      const VecX d = eps * VecX::Unit(n + 1, k);
      VecX by_q =
          (residual(x + d, v, a, at.gravity) - residual(x - d, v, a, at.gravity)) / (2 * eps);
      // Beyond turning with the link, which is added for all wrenches together.
      by_q -= (riding(x + d, x, F) - riding(x - d, x, F)) / (2 * eps);
      const VecX by_v =
          (residual(x, v + d, a, at.gravity) - residual(x, v - d, a, at.gravity)) / (2 * eps);
      add_column(k, by_q, at.node, out.layout, out.dg_dq, out.dg_dq_nodes);
      add_column(k, by_v, at.node, out.layout, out.dg_dqdot, out.dg_dqdot_nodes);
    }
  }
  PartEnergy energy(const PartAt& at, PartScratch&) const override {
    const Along along = at_line(at.skeleton.q[at.dof], at.skeleton.ws);
    const Vec3 v = along.point.velocity + at.skeleton.qdot[at.dof] * along.u;
    return {.kinetic = 0.5 * m_ * v.squaredNorm(),
            .gravity = -m_ * at.gravity.dot(along.point.position)};
  }

 private:
  struct Along {
    AttachedPoint point;
    Vec3 u;  ///< direction of the line, world
  };
  Along at_line(double s, const SkeletonWorkspace& ws) const {
    return {
        attach(skeleton_, ws, body_, x_B_ + s * e_),
        point_offset(skeleton_, ws, body_, x_B_ + e_) - point_offset(skeleton_, ws, body_, x_B_)};
  }
  /// m (ẍ − gravity), with the links' accelerations in ws.a.
  Vec3 force(const Along& at, double sdot, double sddot, const SkeletonWorkspace& ws) const {
    const LinkMotion& link = ws.link[static_cast<size_t>(at.point.link)];
    const Vec6& a = ws.a[static_cast<size_t>(at.point.link)];
    const Vec3& r = at.point.offset;
    return m_ * (a.tail<3>() + a.head<3>().cross(r) + link.w.cross(link.w.cross(r)) +
                 2 * sdot * link.w.cross(at.u) + sddot * at.u);
  }
  Eigen::Matrix3Xd jacobian(const SkeletonAt& in, const Along& at) const {
    Eigen::Matrix3Xd J = Eigen::Matrix3Xd::Zero(3, skeleton_.dof_count());
    update_point_jacobian(in, at.point, J);
    return J;
  }
  /// The forces it requires on (q; s).
  VecX residual(const VecX& x, const VecX& v, const VecX& a, const Vec3& gravity) const {
    const Eigen::Index n = skeleton_.dof_count();
    SkeletonWorkspace ws(skeleton_);
    const VecX q = x.head(n), qdot = v.head(n), qddot = a.head(n);
    update_kinematics(skeleton_, q, qdot, ws);
    update_inertias(skeleton_, ws);
    update_link_forces(skeleton_, gravity, AppliedForces(skeleton_), qddot.data(), ws);
    const Along along = at_line(x[n], ws);
    const Vec3 F = force(along, v[n], a[n], ws);
    VecX out(n + 1);
    out << jacobian({skeleton_, 0, q, qdot, ws}, along).transpose() * F, along.u.dot(F);
    return out;
  }
  /// The force F at x on (q; s) at `moved` if it moved with its link.
  VecX riding(const VecX& moved, const VecX& x, const Vec3& F) const {
    const Eigen::Index n = skeleton_.dof_count();
    const auto placed = [&](const VecX& q) {
      SkeletonWorkspace ws(skeleton_);
      update_kinematics(skeleton_, q.head(n), VecX::Zero(n), ws);
      return ws;
    };
    const SkeletonWorkspace from = placed(x), to = placed(moved);
    const Along along = at_line(x[n], to);  // where the link has it
    const auto link = static_cast<size_t>(along.point.link);
    const Vec3 turned = to.link[link].R * from.link[link].R.transpose() * F;
    const VecX q = moved.head(n), rest = VecX::Zero(n);
    VecX out = VecX::Zero(n + 1);
    out.head(n) = jacobian({skeleton_, 0, q, rest, to}, along).transpose() * turned;
    return out;
  }
  void add_column(Eigen::Index k, const VecX& column, int node, const NodeLayout& layout, MatX& rr,
                  NodeEntries& nodes) const {
    const Eigen::Index n = skeleton_.dof_count();
    if (k < n) {
      rr.col(k) += column.head(n);
      nodes.fr_rows(layout, node)(0, k) += column[n];
    } else {
      nodes.rf_rows(layout, node).row(0) += column.head(n).transpose();
      nodes.block(layout, node, node)(0, 0) += column[n];
    }
  }

  Skeleton skeleton_;
  BodyIndex body_;
  Vec3 x_B_, e_;
  double m_;
};

}  // namespace sinew::test
