#include <algorithm>

#include "sinew/strands/strands.hpp"

// From the nodes of a section to coordinates of the system: docs/theory/strands.md, §4. A section
// requires f(x, v, a) of its nodes. A free node is its own three coordinates; a rigid one has ∂x/∂q
// = J, ∂v/∂q = J̇, ∂a/∂q = J̈, ∂v/∂q̇ = J, ∂a/∂q̇ = 2 J̇. So by a coordinate of a rigid node b
//     ∂f/∂q = K J_b + D J̇_b + M J̈_b,      ∂f/∂q̇ = D J_b + 2 M J̇_b,
// and rows of a rigid node a are J_aᵀ of that. A force on a link that turns along with it is
// counted elsewhere (ForceDerivatives): its part ω × f is subtracted.

namespace sinew {
namespace {

StrandScratch& strand_scratch_of(PartScratch& scratch) {
  return static_cast<StrandScratch&>(scratch);
}

Mat3 block_of(const Eigen::Ref<const MatX>& matrix, size_t a, size_t b) {
  return matrix.block<3, 3>(3 * static_cast<Eigen::Index>(a), 3 * static_cast<Eigen::Index>(b));
}

}  // namespace

void Strands::find_blocks(const PartAt& at, size_t section, const NodeLayout& layout,
                          std::vector<int>& blocks) const {
  if (!blocks.empty()) return;
  for (const int a : sections_[section].nodes)
    for (const int b : sections_[section].nodes) {
      const int i = place_of(a).free, j = place_of(b).free;
      blocks.push_back(i < 0 || j < 0 ? -1 : layout.pattern().find(at.node + i, at.node + j));
    }
}

void Strands::add_local_mass(const PartAt& at, size_t section, const LocalTerms& terms,
                             StrandScratch& ws, const MassEntries& out) const {
  const std::vector<int>& nodes = sections_[section].nodes;
  std::vector<int>& blocks = ws.sections[section].masses;
  find_blocks(at, section, out.layout, blocks);
  for (size_t a = 0; a < nodes.size(); ++a)
    for (size_t b = 0; b < nodes.size(); ++b) {
      const Mat3 M = block_of(terms.M, a, b);
      if (const int where = blocks[a * nodes.size() + b]; where >= 0) {
        out.nodes.ff[static_cast<size_t>(where)] += M;
        continue;
      }
      const Place &of_a = place_of(nodes[a]), &of_b = place_of(nodes[b]);
      const auto &J_a = ws.nodes[static_cast<size_t>(nodes[a])].J,
                 &J_b = ws.nodes[static_cast<size_t>(nodes[b])].J;
      for (size_t d = 0; d < of_b.dofs.size(); ++d) {
        const Vec3 MJ = M * J_b.col(static_cast<Eigen::Index>(d));
        if (of_a.free >= 0)
          out.nodes.fr_rows(out.layout, at.node + of_a.free).col(of_b.dofs[d]) += MJ;
        for (size_t c = 0; c < of_a.dofs.size(); ++c)
          out.rr(of_a.dofs[c], of_b.dofs[d]) += MJ.dot(J_a.col(static_cast<Eigen::Index>(c)));
      }
      if (of_b.free < 0) continue;
      for (size_t c = 0; c < of_a.dofs.size(); ++c)
        out.nodes.rf_rows(out.layout, at.node + of_b.free).col(of_a.dofs[c]) +=
            M.transpose() * J_a.col(static_cast<Eigen::Index>(c));
    }
}

void Strands::add_local_derivatives(const PartAt& at, size_t section, const LocalTerms& terms,
                                    bool exact, StrandScratch& ws, PartDerivatives& out) const {
  const std::vector<int>& nodes = sections_[section].nodes;
  std::vector<int>& blocks = ws.sections[section].all;
  find_blocks(at, section, out.layout, blocks);
  const auto part = [](const Eigen::Ref<const MatX>& matrix, size_t a, size_t b) {
    return matrix.size() == 0 ? Mat3(Mat3::Zero()) : block_of(matrix, a, b);
  };
  for (size_t a = 0; a < nodes.size(); ++a) {
    const Place& of_a = place_of(nodes[a]);
    const StrandScratch::Node& node_a = ws.nodes[static_cast<size_t>(nodes[a])];
    for (size_t b = 0; b < nodes.size(); ++b) {
      const Mat3 K = part(terms.K, a, b), D = part(terms.D, a, b);
      if (const int where = blocks[a * nodes.size() + b]; where >= 0) {
        out.dg_dq_nodes.ff[static_cast<size_t>(where)] += K;
        out.dg_dqdot_nodes.ff[static_cast<size_t>(where)] += D;
        continue;
      }
      const Place& of_b = place_of(nodes[b]);
      if (of_b.free >= 0) {
        for (size_t c = 0; c < of_a.dofs.size(); ++c) {
          const Vec3 J = node_a.J.col(static_cast<Eigen::Index>(c));
          const int node = at.node + of_b.free, row = of_a.dofs[c];
          out.dg_dq_nodes.rf_rows(out.layout, node).col(row) += K.transpose() * J;
          out.dg_dqdot_nodes.rf_rows(out.layout, node).col(row) += D.transpose() * J;
        }
        continue;
      }
      const Mat3 M = part(terms.M, a, b);
      const StrandScratch::Node& node_b = ws.nodes[static_cast<size_t>(nodes[b])];
      for (size_t d = 0; d < of_b.dofs.size(); ++d) {
        const auto column = static_cast<Eigen::Index>(d);
        Vec3 by_q = K * node_b.J.col(column), by_rate = D * node_b.J.col(column);
        if (exact) {
          by_q += D * node_b.Jdot.col(column) + M * node_b.Jddot.col(column);
          by_rate += 2 * M * node_b.Jdot.col(column);
        }
        const int dof = of_b.dofs[d];
        if (of_a.free >= 0) {
          out.dg_dq_nodes.fr_rows(out.layout, at.node + of_a.free).col(dof) += by_q;
          out.dg_dqdot_nodes.fr_rows(out.layout, at.node + of_a.free).col(dof) += by_rate;
        }
        for (size_t c = 0; c < of_a.dofs.size(); ++c) {
          const Vec3 J = node_a.J.col(static_cast<Eigen::Index>(c));
          out.dg_dq(of_a.dofs[c], dof) += J.dot(by_q);
          out.dg_dqdot(of_a.dofs[c], dof) += J.dot(by_rate);
        }
      }
    }
    for (size_t d = 0; exact && d < of_a.dofs.size(); ++d) {
      const Vec3 axis = at.skeleton.ws.s[static_cast<size_t>(of_a.dofs[d])].head<3>();
      const Vec3 turning = axis.cross(Vec3(terms.f.segment<3>(3 * static_cast<Eigen::Index>(a))));
      for (size_t c = 0; c < of_a.dofs.size(); ++c)
        out.dg_dq(of_a.dofs[c], of_a.dofs[d]) -=
            node_a.J.col(static_cast<Eigen::Index>(c)).dot(turning);
    }
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
  for (const int k : free_nodes_) {
    const int node = at.node + place_of(k).free;
    if (place_of(k).bead > 0)
      mass.nodes.block(mass.layout, node, node).diagonal().array() += place_of(k).bead;
  }
  PlainTerms plain;
  const MatX none;
  for (size_t i = 0; i < sections_.size(); ++i) {
    const StrandSection& element = sections_[i].element;
    if (element.mass() == 0) continue;
    gather(sections_[i], true, ws);
    const LocalTerms inertia = inertia_of(i, at, plain, ws);
    add_local_mass(at, i, inertia, ws, mass);
    // Without velocity terms the rates of columns do not enter; what accelerations of bodies do
    // through their columns is left out.
    const bool moving = element.has_velocity_terms();
    if (element.is_plain()) {
      add_local_derivatives(at, i, inertia, moving, ws, out);
      continue;
    }
    SectionTerms& terms = ws.sections[i].terms;
    element.update_inertial_derivatives(ws.motion, at.gravity, ws.kernel, terms);
    add_local_derivatives(at, i, {terms.f, terms.M, terms.K, terms.D}, moving, ws, out);
  }
}

void Strands::add_force_derivatives(const PartAt& at, const double* qddot, StiffnessModel kind,
                                    const DerivativeWorkspace& dws, PartScratch& scratch,
                                    PartDerivatives& out) const {
  StrandScratch& ws = strand_scratch_of(scratch);
  const bool exact = kind == StiffnessModel::exact;
  update_nodes(at, ws);
  update_jacobians(at, nullptr, ws);
  if (exact) {
    update_accelerations(at, qddot, ws);
    update_jacobians(at, &dws, ws);
  }
  const MatX none;
  for (size_t i = 0; i < sections_.size(); ++i) {
    gather(sections_[i], false, ws);
    SectionTerms& terms = ws.sections[i].terms;
    sections_[i].element.update_pull(ws.motion, true, !exact, terms);
    add_local_derivatives(at, i, {terms.f, none, terms.K, terms.D}, exact, ws, out);
  }
}

double Strands::force_scale(const PartAt& at, const PartScratch& scratch) const {
  const auto& ws = static_cast<const StrandScratch&>(scratch);
  double scale = 0;
  for (size_t i = 0; i < sections_.size(); ++i) {
    const StrandSection& section = sections_[i].element;
    scale = std::max(scale, section.mass() * at.gravity.lpNorm<Eigen::Infinity>());
    const double stiffness = ws.sections[i].pull.stretch.by_strain / section.rest_length();
    for (const int node : sections_[i].nodes)
      scale = std::max(scale, 0.01 * stiffness *
                                  ws.nodes[static_cast<size_t>(node)].x.lpNorm<Eigen::Infinity>());
  }
  return scale;
}

}  // namespace sinew
