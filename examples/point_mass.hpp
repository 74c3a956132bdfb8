#pragma once

#include <sinew/sinew.hpp>

/// A user's own part: everything that the library knows about it is in this file.

namespace example {

/// A mass that moves along the world's y axis, on a spring whose other end a coordinate q of the
/// skeleton moves. Its own coordinate is its height s [m]:
///     m s̈ = −f + m g_y,   f = k (s − q − rest) + d (ṡ − q̇),   and f acts on q.
class PointMass final : public sinew::Part {
 public:
  struct Spec {
    double mass, stiffness, damping, rest;  ///< [kg, N/m, N s/m, m]
    int dof;                                ///< the coordinate q
    double start;                           ///< initial s [m]
  };
  explicit PointMass(const Spec& spec) : p_(spec) {}

  std::string element_with(sinew::Feature) const override { return "point mass"; }
  int dof_count() const override { return 1; }
  std::string dof_name(int) const override { return "point_mass_y"; }
  double mass() const override { return p_.mass; }
  void place(sinew::VecRef q, sinew::VecRef qdot) const override {
    q[0] = p_.start;
    qdot[0] = 0;
  }
  /// Its entry of M is its own; only the spring couples it to the skeleton.
  void lay_out(sinew::NodeLayout& masses, sinew::NodeLayout& all) const override {
    masses.add_node(1);
    all.couple(all.add_node(1));
  }

  void add_forces(const sinew::PartAt& at, sinew::ForceForm, sinew::PartScratch&,
                  sinew::AppliedForces& out) const override {
    const double rate = at.skeleton.qdot[at.dof] - at.skeleton.qdot[p_.dof];
    const double f = p_.stiffness * stretch(at) + p_.damping * rate;
    out.tau[at.dof] -= f;
    out.tau[p_.dof] += f;
    out.power -= p_.damping * rate * rate;
  }
  void add_force_derivatives(const sinew::PartAt& at, const double*, sinew::StiffnessModel,
                             const sinew::DerivativeWorkspace&, sinew::PartScratch&,
                             sinew::PartDerivatives& out) const override {
    add(p_.stiffness, at, out.layout, out.dg_dq, out.dg_dq_nodes);
    add(p_.damping, at, out.layout, out.dg_dqdot, out.dg_dqdot_nodes);
  }
  void add_inertial_forces(const sinew::PartAt& at, const double* qddot, sinew::PartScratch&,
                           sinew::InertialForces out) const override {
    const double acceleration = qddot == nullptr ? 0 : qddot[at.dof];
    out.tau[at.dof] += p_.mass * (acceleration - at.gravity.y());
  }
  void add_mass(const sinew::PartAt& at, sinew::PartScratch&,
                sinew::MassEntries out) const override {
    out.nodes.block(out.layout, at.node, at.node)(0, 0) += p_.mass;
  }
  sinew::PartEnergy energy(const sinew::PartAt& at, sinew::PartScratch&) const override {
    const double s = at.skeleton.q[at.dof], rate = at.skeleton.qdot[at.dof];
    return {.kinetic = 0.5 * p_.mass * rate * rate,
            .gravity = -p_.mass * at.gravity.y() * s,
            .elastic = 0.5 * p_.stiffness * stretch(at) * stretch(at)};
  }

  /// The spring, from the world's y axis at q to the mass.
  std::vector<sinew::MovingShape> shapes() const override { return {{"point mass", "spring", 2}}; }
  void draw(const sinew::PartAt& at, sinew::PartScratch&,
            std::vector<double>& points) const override {
    points.insert(points.end(), {0, at.skeleton.q[p_.dof], 0, 0, at.skeleton.q[at.dof], 0});
  }

 private:
  double stretch(const sinew::PartAt& at) const {
    return at.skeleton.q[at.dof] - at.skeleton.q[p_.dof] - p_.rest;
  }
  /// c (1 −1; −1 1) on (s, q): entries among q, of s with q and of q with s, and of s.
  void add(double c, const sinew::PartAt& at, const sinew::NodeLayout& layout, sinew::MatX& rr,
           sinew::NodeEntries& nodes) const {
    rr(p_.dof, p_.dof) += c;
    nodes.fr_rows(layout, at.node)(0, p_.dof) -= c;
    nodes.rf_rows(layout, at.node)(0, p_.dof) -= c;
    nodes.block(layout, at.node, at.node)(0, 0) += c;
  }

  Spec p_;
};

}  // namespace example
