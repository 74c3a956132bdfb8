#include <algorithm>

#include "sinew/strands/strands.hpp"

// From the nodes of a section to coordinates of the system: docs/theory/strands.md, §5. A section
// requires f(x, v, a) of its nodes. A free node is its own three coordinates; others have columns
// ∂x/∂q = J, ∂v/∂q = J̇, ∂a/∂q = J̈, ∂v/∂q̇ = J, ∂a/∂q̇ = 2 J̇. So by the columns of a node b
//     ∂f/∂q = K J_b + D J̇_b + M J̈_b,      ∂f/∂q̇ = D J_b + 2 M J̇_b,
// and rows of a node a are J_aᵀ of that. What f does through ∂J_aᵀ/∂q comes in addition: for nodes
// on shapes f · ∂²x/∂q². A force on a link that turns along with it is counted elsewhere
// (ForceDerivatives): its part ω × f is subtracted.

namespace sinew {
namespace {

StrandScratch& strand_scratch_of(PartScratch& scratch) {
  return static_cast<StrandScratch&>(scratch);
}

Mat3 block_of(const Eigen::Ref<const MatX>& matrix, size_t a, size_t b) {
  return matrix.block<3, 3>(3 * static_cast<Eigen::Index>(a), 3 * static_cast<Eigen::Index>(b));
}

}  // namespace

void Strands::find_blocks(const PartAt& at, const Section& section, const NodeLayout& layout,
                          std::vector<int>& blocks) const {
  if (!blocks.empty()) return;
  for (const int a : section.nodes)
    for (const int b : section.nodes) {
      const Place &of_a = place_of(a), &of_b = place_of(b);
      blocks.push_back(of_a.free && of_b.free
                           ? layout.pattern().find(at.node + of_a.mover, at.node + of_b.mover)
                           : -1);
    }
}

Eigen::Ref<const Eigen::Matrix3Xd> Strands::columns_of(const StrandScratch& ws, int node) const {
  static const Eigen::Matrix3Xd kIdentity = Mat3::Identity();
  if (place_of(node).free) return kIdentity;
  return ws.nodes[static_cast<size_t>(node)].J;
}

void Strands::add_columns(const PartAt& at, const StrandScratch& ws, int a, int b,
                          const Eigen::Ref<const Eigen::Matrix3Xd>& R, MassEntries out) const {
  const Place &of_a = place_of(a), &of_b = place_of(b);
  const auto J = columns_of(ws, a);
  const auto dofs_a = static_cast<Eigen::Index>(of_a.dofs.size()),
             dofs_b = static_cast<Eigen::Index>(of_b.dofs.size());
  const auto block = [](const Eigen::Ref<const Eigen::Matrix3Xd>& of, Eigen::Index first,
                        size_t mover) {
    return of.middleCols<3>(first + 3 * static_cast<Eigen::Index>(mover));
  };
  for (Eigen::Index d = 0; d < dofs_b; ++d) {
    const int dof = of_b.dofs[static_cast<size_t>(d)];
    for (size_t i = 0; i < of_a.movers.size(); ++i)
      out.nodes.fr_rows(out.layout, at.node + of_a.movers[i]).col(dof) +=
          block(J, dofs_a, i).transpose().lazyProduct(R.col(d));
    for (Eigen::Index c = 0; c < dofs_a; ++c)
      out.rr(of_a.dofs[static_cast<size_t>(c)], dof) += J.col(c).dot(R.col(d));
  }
  for (size_t j = 0; j < of_b.movers.size(); ++j) {
    const int node = at.node + of_b.movers[j];
    const auto R_j = block(R, dofs_b, j);
    for (size_t i = 0; i < of_a.movers.size(); ++i)
      out.nodes.block(out.layout, at.node + of_a.movers[i], node) +=
          block(J, dofs_a, i).transpose().lazyProduct(R_j);
    for (Eigen::Index c = 0; c < dofs_a; ++c)
      out.nodes.rf_rows(out.layout, node).col(of_a.dofs[static_cast<size_t>(c)]) +=
          R_j.transpose().lazyProduct(J.col(c));
  }
}

void Strands::add_local_mass(const PartAt& at, size_t section, const MatX& M, StrandScratch& ws,
                             const MassEntries& out) const {
  const std::vector<int>& nodes = this->section(section, ws).nodes;
  std::vector<int>& blocks = ws.sections[section].masses;
  find_blocks(at, this->section(section, ws), out.layout, blocks);
  for (size_t a = 0; a < nodes.size(); ++a)
    for (size_t b = 0; b < nodes.size(); ++b) {
      const Mat3 M_ab = block_of(M, a, b);
      if (const int where = blocks[a * nodes.size() + b]; where >= 0) {
        out.nodes.ff[static_cast<size_t>(where)] += M_ab;
        continue;
      }
      auto MJ = ws.by_q.leftCols(place_of(nodes[b]).column_count());
      MJ = M_ab.lazyProduct(columns_of(ws, nodes[b]));
      add_columns(at, ws, nodes[a], nodes[b], MJ, out);
    }
}

void Strands::add_turning(const PartAt& at, const StrandScratch& ws, int node, const Vec3& force,
                          PartDerivatives& out) const {
  const Place& place = place_of(node);
  const Eigen::Matrix3Xd& J = ws.nodes[static_cast<size_t>(node)].J;
  for (const int dof : place.dofs) {
    const Vec3 axis = at.skeleton.ws.s[static_cast<size_t>(dof)].head<3>();
    const Vec3 turning = axis.cross(force);
    for (size_t c = 0; c < place.dofs.size(); ++c)
      out.dg_dq(place.dofs[c], dof) -= J.col(static_cast<Eigen::Index>(c)).dot(turning);
  }
}

void Strands::add_bending(const PartAt& at, StrandScratch& ws, PartDerivatives& out) const {
  for (auto k = tree_->shaped().rbegin(); k != tree_->shaped().rend(); ++k) {
    StrandScratch::Node& node = ws.nodes[static_cast<size_t>(*k)];
    const Vec3 force = node.force;
    node.force.setZero();
    if (force.isZero(0)) continue;
    const int mover = place_of(*k).mover;
    const int own = mover < 0 ? 0 : tree_->movers()[static_cast<size_t>(mover)].size;
    const auto add = [&](const NodeCoordinate& i, const NodeCoordinate& j, double value) {
      add_entry(out.layout, at.node, i, j, value, out.dg_dq, out.dg_dq_nodes);
    };
    tree_->for_each_control(*k, node.u, [&](int control, const NodeWeight& w) {
      const Place& of = place_of(control);
      if (of.shaped()) ws.nodes[static_cast<size_t>(control)].force += w.w * force;
      if (of.link >= 0) add_turning(at, ws, control, w.w * force, out);
      const double along = force.dot(ws.nodes[static_cast<size_t>(control)].x);
      const auto J = columns_of(ws, control);
      for (int i = 0; i < own; ++i) {
        const NodeCoordinate u{-1, mover, i};
        for (int j = 0; j < own; ++j)
          add(u, {-1, mover, j}, w.dd[static_cast<size_t>(i + j)] * along);
        for (const NodeCoordinate& q : of.coordinates) {
          const double value = w.d[static_cast<size_t>(i)] * force.dot(J.col(q.column));
          add(u, q, value);
          add(q, u, value);
        }
      }
    });
  }
}

void Strands::add_local_derivatives(const PartAt& at, size_t section, const LocalTerms& terms,
                                    bool exact, StrandScratch& ws, PartDerivatives& out) const {
  const std::vector<int>& nodes = this->section(section, ws).nodes;
  std::vector<int>& blocks = ws.sections[section].all;
  find_blocks(at, this->section(section, ws), out.layout, blocks);
  const auto part = [](const Eigen::Ref<const MatX>& matrix, size_t a, size_t b) {
    return matrix.size() == 0 ? Mat3(Mat3::Zero()) : block_of(matrix, a, b);
  };
  for (size_t a = 0; a < nodes.size(); ++a) {
    for (size_t b = 0; b < nodes.size(); ++b) {
      const Mat3 K = part(terms.K, a, b), D = part(terms.D, a, b);
      if (const int where = blocks[a * nodes.size() + b]; where >= 0) {
        out.dg_dq_nodes.ff[static_cast<size_t>(where)] += K;
        out.dg_dqdot_nodes.ff[static_cast<size_t>(where)] += D;
        continue;
      }
      const StrandScratch::Node& node_b = ws.nodes[static_cast<size_t>(nodes[b])];
      const auto J = columns_of(ws, nodes[b]);
      auto by_q = ws.by_q.leftCols(J.cols()), by_rate = ws.by_rate.leftCols(J.cols());
      by_q = K.lazyProduct(J);
      by_rate = D.lazyProduct(J);
      if (exact && !place_of(nodes[b]).free) {
        const Mat3 M = part(terms.M, a, b);
        by_q += D.lazyProduct(node_b.Jdot) + M.lazyProduct(node_b.Jddot);
        by_rate += 2 * M.lazyProduct(node_b.Jdot);
      }
      add_columns(at, ws, nodes[a], nodes[b], by_q, {out.dg_dq, out.layout, out.dg_dq_nodes});
      add_columns(at, ws, nodes[a], nodes[b], by_rate,
                  {out.dg_dqdot, out.layout, out.dg_dqdot_nodes});
    }
  }
  if (exact) add_turned_forces(at, this->section(section, ws), terms.f, ws, out);
}

// By two nodes a and b on links the force F = −f on a changes with the twist of b's link by
//     G_aᵀ (∂F/∂x G_b − ∂F/∂v ([ẋ_b] 0) + [a = b] ([F] 0)),     G_aᵀ ∂F/∂v G_b,     G = ∂x/∂ξ,
// as seen from the links: see ForceDerivatives.
void Strands::add_link_derivatives(const PartAt& at, const Section& section,
                                   const SectionTerms& terms, bool exact,
                                   ForceDerivatives& out) const {
  const auto on = [&](int node) {
    const Place& place = place_of(node);
    return attach(at.skeleton.skeleton, at.skeleton.ws, place.body, place.x_B);
  };
  for (size_t a = 0; a < section.nodes.size(); ++a) {
    const AttachedPoint at_a = on(section.nodes[a]);
    if (at_a.link == 0) continue;
    const Mat36 G_a = at_a.jacobian();
    for (size_t b = 0; b < section.nodes.size(); ++b) {
      const AttachedPoint at_b = on(section.nodes[b]);
      if (at_b.link == 0) continue;
      const Mat36 G_b = at_b.jacobian();
      const Mat3 D = block_of(terms.D, a, b);
      Mat36 by_b = block_of(terms.K, a, b) * G_b;
      if (exact) by_b -= on_rotation(D * skew(at_b.velocity));
      if (exact && a == b)
        by_b += on_rotation(skew(Vec3(terms.f.segment<3>(3 * static_cast<Eigen::Index>(a)))));
      out.add(at_a.link, at_b.link, -G_a.transpose() * by_b, -G_a.transpose() * D * G_b);
    }
  }
}

void Strands::add_turned_forces(const PartAt& at, const Section& section,
                                const Eigen::Ref<const VecX>& f, StrandScratch& ws,
                                PartDerivatives& out) const {
  for (size_t a = 0; a < section.nodes.size(); ++a) {
    const int node = section.nodes[a];
    const Vec3 force = f.segment<3>(3 * static_cast<Eigen::Index>(a));
    if (place_of(node).link >= 0) add_turning(at, ws, node, force, out);
    if (place_of(node).shaped()) ws.nodes[static_cast<size_t>(node)].force += force;
  }
}

void Strands::gather_columns(const Section& section, size_t index, bool rates,
                             StrandScratch& ws) const {
  SectionColumns& out = ws.terms_of(index).columns;
  const auto n = 3 * static_cast<Eigen::Index>(section.nodes.size()),
             m = static_cast<Eigen::Index>(section.coordinates.size());
  for (MatX* matrix : {&out.J, &out.Jdot, &out.Jddot}) matrix->setZero(n, m);
  const auto number = [&](const NodeCoordinate& of) {
    for (Eigen::Index k = 0; k < m; ++k) {
      const NodeCoordinate& c = section.coordinates[static_cast<size_t>(k)];
      if (c.dof == of.dof && c.mover == of.mover && c.entry == of.entry) return k;
    }
    return Eigen::Index{-1};
  };
  for (size_t a = 0; a < section.nodes.size(); ++a) {
    const Place& place = place_of(section.nodes[a]);
    const StrandScratch::Node& node = ws.nodes[static_cast<size_t>(section.nodes[a])];
    const auto J = columns_of(ws, section.nodes[a]);
    const auto row = 3 * static_cast<Eigen::Index>(a);
    for (const NodeCoordinate& c : place.coordinates) {
      const Eigen::Index k = number(c);
      out.J.col(k).segment<3>(row) = J.col(c.column);
      if (!rates || place.free) continue;
      out.Jdot.col(k).segment<3>(row) = node.Jdot.col(c.column);
      out.Jddot.col(k).segment<3>(row) = node.Jddot.col(c.column);
    }
  }
}

void Strands::add_reduced(const PartAt& at, const Section& section, const MatX& value,
                          MassEntries out) const {
  for (size_t i = 0; i < section.coordinates.size(); ++i)
    for (size_t j = 0; j < section.coordinates.size(); ++j)
      add_entry(out.layout, at.node, section.coordinates[i], section.coordinates[j],
                value(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)), out.rr,
                out.nodes);
}

void Strands::add_bead_derivatives(const PartAt& at, StrandScratch& ws,
                                   PartDerivatives& out) const {
  for (const int k : tree_->shaped()) {
    const double bead = place_of(k).bead;
    if (bead == 0) continue;
    StrandScratch::Node& node = ws.nodes[static_cast<size_t>(k)];
    auto by_q = ws.by_q.leftCols(node.J.cols());
    by_q = bead * node.Jddot;
    add_columns(at, ws, k, k, by_q, {out.dg_dq, out.layout, out.dg_dq_nodes});
    by_q = 2 * bead * node.Jdot;
    add_columns(at, ws, k, k, by_q, {out.dg_dqdot, out.layout, out.dg_dqdot_nodes});
    node.force += bead * (node.a - at.gravity);
  }
}

void Strands::add_inertial_derivatives(const PartAt& at, const double* qddot,
                                       const DerivativeWorkspace* dws, PartScratch& scratch,
                                       PartDerivatives& out) const {
  StrandScratch& ws = strand_scratch_of(scratch);
  const MassEntries mass{out.M, out.masses, out.M_nodes};
  if (dws == nullptr) return add_inertia(at, qddot, ws, &mass, nullptr);
  update_nodes(at, ws);
  update_jacobians(at, nullptr, ws);
  update_accelerations(at, qddot, ws);
  update_jacobians(at, dws, ws);
  add_beads(at, ws, &mass, nullptr);
  add_resting_mass(at, nullptr, ws, &mass, nullptr);
  add_bead_derivatives(at, ws, out);
  for_each_section(ws, [&](size_t i, const Section& section) {
    const StrandSection& element = section.element;
    if (!element.has_inertia()) return;
    gather(at, section, true, ws);
    // Without velocity terms the rates of columns do not enter; what accelerations of bodies do
    // through their columns is left out.
    const bool moving = element.has_velocity_terms();
    if (!section.coordinates.empty()) {
      const SectionTerms& inertia = inertia_of(i, at, false, ws);
      gather_columns(section, i, moving, ws);
      SectionTerms& reduced = ws.terms_of(i).by_coordinates;
      element.update_reduced_inertia(ws.motion, at.gravity, ws.terms_of(i).columns, moving,
                                     ws.kernel, reduced);
      add_reduced(at, section, reduced.M, mass);
      add_reduced(at, section, reduced.K, {out.dg_dq, out.layout, out.dg_dq_nodes});
      add_reduced(at, section, reduced.D, {out.dg_dqdot, out.layout, out.dg_dqdot_nodes});
      if (moving) add_turned_forces(at, section, inertia.f, ws, out);
      return;
    }
    add_local_mass(at, i, inertia_of(i, at, true, ws).M, ws, mass);
    SectionTerms& terms = ws.terms_of(i).by_nodes;
    element.update_inertial_derivatives(ws.motion, at.gravity, ws.kernel, terms);
    add_local_derivatives(at, i, {terms.f, terms.M, terms.K, terms.D}, moving, ws, out);
  });
  add_bending(at, ws, out);
}

void Strands::add_force_derivatives(const PartAt& at, const double* qddot, StiffnessModel kind,
                                    const DerivativeWorkspace& dws, PartScratch& scratch,
                                    PartDerivatives& out) const {
  StrandScratch& ws = strand_scratch_of(scratch);
  const bool exact = kind == StiffnessModel::exact;
  update_nodes(at, ws);
  if (!acts_on_links_only()) update_jacobians(at, nullptr, ws);
  if (exact && !acts_on_links_only()) {
    update_accelerations(at, qddot, ws);
    update_jacobians(at, &dws, ws);
  }
  const MatX none;
  add_resting_stiffness(at, ws, out);
  for_each_section(ws, [&](size_t i, const Section& section) {
    const StrandSection& element = section.element;
    if (!element.is_elastic()) return;
    // The reference steps its strands explicitly.
    if (kind == StiffnessModel::redmax && strands_[section.strand].form == StrandForm::soft_body)
      return;
    gather(at, section, false, ws);
    if (section.on_links) {
      SectionTerms& terms = ws.terms_of(i).by_nodes;
      element.update_pull(ws.motion, true, !exact, terms);
      add_link_derivatives(at, section, terms, exact, out.wrenches);
      return;
    }
    if (!section.coordinates.empty()) {
      gather_columns(section, i, exact, ws);
      SectionTerms& reduced = ws.terms_of(i).by_coordinates;
      element.update_reduced_pull(ws.motion, !exact, ws.terms_of(i).columns, reduced);
      add_reduced(at, section, reduced.K, {out.dg_dq, out.layout, out.dg_dq_nodes});
      add_reduced(at, section, reduced.D, {out.dg_dqdot, out.layout, out.dg_dqdot_nodes});
      if (exact) add_turned_forces(at, section, reduced.f, ws, out);
      return;
    }
    SectionTerms& terms = ws.terms_of(i).by_nodes;
    if (element.is_sliding()) {
      SlidingPull& now = ws.terms_of(i).sliding;
      element.update_sliding(ws.motion, ws.kernel, now, terms);
      element.update_sliding_derivatives(ws.motion, !exact, now, ws.kernel, terms);
    } else {
      element.update_pull(ws.motion, true, !exact, terms);
    }
    add_local_derivatives(at, i, {terms.f, none, terms.K, terms.D}, exact, ws, out);
  });
  add_bending(at, ws, out);
}

double Strands::force_scale(const PartAt& at, const PartScratch& scratch) const {
  const auto& ws = static_cast<const StrandScratch&>(scratch);
  double scale = 0;
  for_each_section(ws, [&](size_t i, const Section& placed) {
    const StrandSection& section = placed.element;
    scale = std::max(scale, section.mass() * at.gravity.lpNorm<Eigen::Infinity>());
    double stiffness = ws.sections[i].pull.stretch.by_strain / section.rest_length();
    if (section.is_sliding())
      for (const ZonePull& zone : ws.terms_of(i).sliding.zones)
        stiffness = std::max(stiffness, zone.stretch.by_strain / zone.rest_length);
    for (const int node : placed.nodes)
      scale = std::max(scale, 0.01 * stiffness *
                                  ws.nodes[static_cast<size_t>(node)].x.lpNorm<Eigen::Infinity>());
  });
  return scale;
}

}  // namespace sinew
