#include <algorithm>
#include <cmath>

#include "sinew/strands/strands.hpp"

// Motion of nodes, forces, mass and energy: docs/theory/strands.md, §2 and §3.

namespace sinew {
namespace {

StrandScratch& strand_scratch(PartScratch& scratch) { return static_cast<StrandScratch&>(scratch); }

Eigen::Index place_in(size_t node) { return 3 * static_cast<Eigen::Index>(node); }

/// Whether a strand has left a pulley that it turns: `worst` is then the piece there.
bool lifts_off(const PlacedSection& section, const SectionMotion& at, SectionPull& now) {
  PieceLength piece;
  for (size_t k = 0; k < section.pieces.size(); ++k) {
    if (section.pieces[k].rim < 0) continue;
    section.element.update_piece(at, k, false, piece);
    if (piece.status != SpanStatus::free) continue;
    now.worst = k;
    return true;
  }
  return false;
}

}  // namespace

std::unique_ptr<PartScratch> Strands::make_scratch() const {
  auto out = std::make_unique<StrandScratch>();
  out->nodes.resize(nodes().size());
  Eigen::Index most = 3;
  for (size_t k = 0; k < nodes().size(); ++k) {
    const Place& place = place_of(static_cast<int>(k));
    if (place.free) continue;
    StrandScratch::Node& node = out->nodes[k];
    node.J.setZero(3, place.column_count());
    node.Jdot = node.Jddot = node.J;
    most = std::max(most, node.J.cols());
  }
  out->by_q.setZero(3, most);
  out->by_rate = out->by_q;
  out->sections.resize(sections_.size());
  out->terms.emplace_back();
  for (size_t k = 0; k < sections_.size(); ++k) {
    if (sections_[k].element.is_plain()) continue;
    out->sections[k].terms = out->terms.size();
    out->terms.emplace_back();
  }
  prepare_passages(*out);
  return out;
}

void Strands::update_nodes(const PartAt& at, StrandScratch& ws) const {
  const SkeletonAt& in = at.skeleton;
  for (size_t k = 0; k < nodes().size(); ++k) {
    StrandScratch::Node& node = ws.nodes[k];
    const Place& place = place_of(static_cast<int>(k));
    if (place.free) {
      const int own = at.dof + tree_->movers()[static_cast<size_t>(place.mover)].first;
      node.x = in.q.segment<3>(own);
      node.v = in.qdot.segment<3>(own);
    } else if (!place.shaped()) {
      const AttachedPoint point = attach(in.skeleton, in.ws, place.body, place.x_B);
      node.x = point.position;
      node.v = point.velocity;
      node.offset = point.offset;
    }
  }
  for (const int k : tree_->shaped()) {
    StrandScratch::Node& node = ws.nodes[static_cast<size_t>(k)];
    node.u = tree_->coordinates(k, in.q.data() + at.dof);
    node.udot = tree_->coordinates(k, in.qdot.data() + at.dof);
    node.x = node.v = node.force = Vec3::Zero();
    tree_->for_each_control(k, node.u, [&](int control, const NodeWeight& w) {
      const StrandScratch::Node& y = ws.nodes[static_cast<size_t>(control)];
      node.x += w.w * y.x;
      node.v += w.w * y.v + rates_of(w, node.udot, node.uddot).first * y.x;
    });
  }
  arrange(at, ws);
}

void Strands::update_accelerations(const PartAt& at, const double* qddot, StrandScratch& ws) const {
  const SkeletonAt& in = at.skeleton;
  const double* const own = qddot == nullptr ? nullptr : qddot + at.dof;
  for (size_t k = 0; k < nodes().size(); ++k) {
    StrandScratch::Node& node = ws.nodes[k];
    const Place& place = place_of(static_cast<int>(k));
    if (place.shaped()) continue;
    node.a = node.a_rest = Vec3::Zero();
    if (place.free) {
      const int first = tree_->movers()[static_cast<size_t>(place.mover)].first;
      if (own != nullptr) node.a = Eigen::Map<const Vec3>(own + first);
      node.a_rest = node.a;
      continue;
    }
    if (place.link == 0) continue;
    const auto link = static_cast<size_t>(place.link);
    const Vec6& a = in.ws.a[link];  // less gravity
    const Vec3& w = in.ws.link[link].w;
    node.a =
        a.tail<3>() + a.head<3>().cross(node.offset) + w.cross(w.cross(node.offset)) + at.gravity;
    if (!any_at_rest_ || qddot == nullptr) continue;
    for (size_t d = 0; d < place.dofs.size(); ++d)
      node.a_rest += node.J.col(static_cast<Eigen::Index>(d)) * qddot[place.dofs[d]];
  }
  for (const int k : tree_->shaped()) {
    StrandScratch::Node& node = ws.nodes[static_cast<size_t>(k)];
    node.uddot = tree_->coordinates(k, own);
    node.a = node.a_rest = Vec3::Zero();
    tree_->for_each_control(k, node.u, [&](int control, const NodeWeight& w) {
      const StrandScratch::Node& y = ws.nodes[static_cast<size_t>(control)];
      const WeightRates rates = rates_of(w, node.udot, node.uddot);
      node.a += w.w * y.a + 2 * rates.first * y.v + rates.second * y.x;
      node.a_rest += w.w * y.a_rest + (w.d[0] * node.uddot[0] + w.d[1] * node.uddot[1]) * y.x;
    });
  }
}

void Strands::update_rigid_columns(const PartAt& at, const DerivativeWorkspace* dws, int k,
                                   StrandScratch& ws) const {
  const SkeletonAt& in = at.skeleton;
  const Place& place = place_of(k);
  StrandScratch::Node& node = ws.nodes[static_cast<size_t>(k)];
  for (size_t d = 0; d < place.dofs.size(); ++d) {
    const auto column = static_cast<Eigen::Index>(d);
    const auto dof = static_cast<size_t>(place.dofs[d]);
    const Vec6& s = in.ws.s[dof];
    const Vec3& p = in.ws.link[static_cast<size_t>(place.links[d])].p;
    node.J.col(column) = s.tail<3>() + s.head<3>().cross(node.x - p);
    if (dws == nullptr) continue;
    // The axes in dws share an origin.
    const Vec3 r = node.x - common_origin(in.ws), a = node.a - at.gravity;
    const Vec3 w = s.head<3>();
    const Vec6 &s1 = dws->sdot[dof], &s2 = dws->sddot[dof];
    node.Jdot.col(column) = s1.tail<3>() + s1.head<3>().cross(r) + w.cross(node.v);
    node.Jddot.col(column) =
        s2.tail<3>() + s2.head<3>().cross(r) + 2 * s1.head<3>().cross(node.v) + w.cross(a);
  }
}

/// x = Σ w y: columns of control points times w, own ones y times ∂w/∂u; rates by Leibniz's rule.
void Strands::update_shaped_columns(bool rates, int k, StrandScratch& ws) const {
  const Place& place = place_of(k);
  StrandScratch::Node& node = ws.nodes[static_cast<size_t>(k)];
  node.J.setZero();
  node.Jdot.setZero();
  node.Jddot.setZero();
  const auto own = static_cast<Eigen::Index>(place.dofs.size());  // its own mover comes first
  const auto add = [&](const NodeWeight& w) {
    const auto control = static_cast<size_t>(place.controls[w.control]);
    const StrandScratch::Node& y = ws.nodes[control];
    const auto J = columns_of(ws, place.controls[w.control]);
    const WeightRates of_w = rates_of(w, node.udot, node.uddot);
    const std::vector<int>& columns = place.columns[w.control];
    const bool moves = place_of(place.controls[w.control]).free;  // its columns are constant
    for (size_t c = 0; c < columns.size(); ++c) {
      const auto from = static_cast<Eigen::Index>(c);
      node.J.col(columns[c]) += w.w * J.col(from);
      if (!rates) continue;
      node.Jdot.col(columns[c]) += of_w.first * J.col(from);
      node.Jddot.col(columns[c]) += of_w.second * J.col(from);
      if (moves) continue;
      node.Jdot.col(columns[c]) += w.w * y.Jdot.col(from);
      node.Jddot.col(columns[c]) += w.w * y.Jddot.col(from) + 2 * of_w.first * y.Jdot.col(from);
    }
    if (place.mover < 0) return;
    for (size_t i = 0; i < 2; ++i) {
      const Eigen::Index column = own + static_cast<Eigen::Index>(i);
      node.J.col(column) += w.d[i] * y.x;
      if (!rates) continue;
      const WeightRates slope = rates_of_slope(w, i, node.udot, node.uddot);
      node.Jdot.col(column) += w.d[i] * y.v + slope.first * y.x;
      node.Jddot.col(column) += w.d[i] * y.a + 2 * slope.first * y.v + slope.second * y.x;
    }
  };
  for_each_weight(tree_->shape(k).shape, place.controls.size(), node.u, add);
}

void Strands::update_jacobians(const PartAt& at, const DerivativeWorkspace* dws,
                               StrandScratch& ws) const {
  for (size_t k = 0; k < nodes().size(); ++k)
    if (place_of(static_cast<int>(k)).link >= 0)
      update_rigid_columns(at, dws, static_cast<int>(k), ws);
  for (const int k : tree_->shaped()) update_shaped_columns(dws != nullptr, k, ws);
}

void Strands::gather(const PartAt& at, const Section& section, bool for_mass,
                     StrandScratch& ws) const {
  const bool at_rest = for_mass && !section.element.has_velocity_terms();
  const size_t count = section.nodes.size();
  if (ws.motion.x.size() < count)
    for (std::vector<Vec3>* list : {&ws.motion.x, &ws.motion.v, &ws.motion.a}) list->resize(count);
  if (ws.motion.wound.size() < section.pieces.size()) ws.motion.wound.resize(section.pieces.size());
  for (size_t k = 0; k < section.pieces.size(); ++k)
    ws.motion.wound[k] = section.pieces[k].winding.expected(at.skeleton.q);
  for (size_t k = 0; k < count; ++k) {
    const StrandScratch::Node& node = ws.nodes[static_cast<size_t>(section.nodes[k])];
    ws.motion.x[k] = node.x;
    ws.motion.v[k] = at_rest ? Vec3(Vec3::Zero()) : node.v;
    ws.motion.a[k] = at_rest ? node.a_rest : node.a;
  }
}

void Strands::push(const PartAt& at, StrandScratch& ws, int node, const Vec3& force,
                   std::vector<Vec6>& wrench, VecX& tau) const {
  const Place& place = place_of(node);
  if (place.free) {
    tau.segment<3>(at.dof + tree_->movers()[static_cast<size_t>(place.mover)].first) += force;
  } else if (place.shaped()) {
    ws.nodes[static_cast<size_t>(node)].force += force;
  } else {
    Vec6& on_link = wrench[static_cast<size_t>(place.link)];
    on_link.head<3>() += ws.nodes[static_cast<size_t>(node)].offset.cross(force);
    on_link.tail<3>() += force;
  }
}

void Strands::hand_on(const PartAt& at, StrandScratch& ws, std::vector<Vec6>& wrench,
                      VecX& tau) const {
  for (auto k = tree_->shaped().rbegin(); k != tree_->shaped().rend(); ++k) {
    StrandScratch::Node& node = ws.nodes[static_cast<size_t>(*k)];
    const Vec3 force = node.force;
    node.force.setZero();
    const int mover = place_of(*k).mover;
    tree_->for_each_control(*k, node.u, [&](int control, const NodeWeight& w) {
      push(at, ws, control, w.w * force, wrench, tau);
      if (mover < 0) return;
      const NodeTree::Mover& own = tree_->movers()[static_cast<size_t>(mover)];
      const double along = force.dot(ws.nodes[static_cast<size_t>(control)].x);
      for (int i = 0; i < own.size; ++i)
        tau[at.dof + own.first + i] += w.d[static_cast<size_t>(i)] * along;
    });
  }
}

void Strands::add_forces(const PartAt& at, ForceForm, PartScratch& scratch,
                         AppliedForces& out) const {
  StrandScratch& ws = strand_scratch(scratch);
  update_nodes(at, ws);
  ws.failed = -1;
  PieceLength piece;
  for_each_section(ws, [&](size_t i, const Section& section) {
    gather(at, section, false, ws);
    SectionPull& now = ws.sections[i].pull;
    now = section.element.pull(ws.motion);
    if (have_met(section, now) || sinew::failed(now.status) || lifts_off(section, ws.motion, now))
      ws.failed = static_cast<int>(i);
    if (section.element.is_sliding()) {
      add_sliding(at, i, ws, out);
      return;
    }
    out.power -= (now.stretch.tension - now.stretch.elastic) * now.rate;
    if (now.stretch.tension == 0) return;
    for (size_t k = 0; k < section.pieces.size(); ++k) {
      section.element.update_piece(ws.motion, k, false, piece);
      for (int n = 0; n < piece.nodes; ++n)
        push(at, ws, section.nodes[section.element.piece_node(k, n)],
             -now.stretch.tension * piece.gradient(n), out.wrench, out.tau);
    }
  });
  add_resting_forces(at, ws, out.tau);
  hand_on(at, ws, out.wrench, out.tau);
}

void Strands::add_sliding(const PartAt& at, size_t i, StrandScratch& ws, AppliedForces& out) const {
  const Section& section = this->section(i, ws);
  SlidingPull& now = ws.terms_of(i).sliding;
  SectionTerms& terms = ws.terms_of(i).by_nodes;
  section.element.update_sliding(ws.motion, ws.kernel, now, terms);
  for (const GuideSlip& slip : now.slips)
    if (slip.lifted) ws.failed = static_cast<int>(i);
  out.power += now.power;
  for (size_t k = 0; k < section.nodes.size(); ++k)
    push(at, ws, section.nodes[k], -terms.f.segment<3>(place_in(k)), out.wrench, out.tau);
}

void Strands::add_holds(const PartAt& at, PartScratch& scratch, int row, ConstraintRows& rows,
                        std::span<double> most) const {
  StrandScratch& ws = strand_scratch(scratch);
  const SkeletonAt& in = at.skeleton;
  update_nodes(at, ws);
  for (size_t k = 0; k < holds_.size(); ++k, ++row) {
    const Hold& hold = holds_[k];
    const Section& section = sections_[hold.section];
    SlidingPull& sliding = ws.terms_of(hold.section).sliding;
    SectionTerms& terms = ws.terms_of(hold.section).by_nodes;
    if (k == 0 || holds_[k - 1].section != hold.section) {
      gather(at, section, false, ws);
      section.element.update_sliding(ws.motion, ws.kernel, sliding, terms);
    }
    most[k] = sliding.slips[hold.slip].most;
    section.element.update_slip_row(hold.slip, sliding, ws.kernel, terms.f);
    ws.row_wrench.assign(static_cast<size_t>(in.skeleton.link_count()), Vec6::Zero());
    ws.row_tau.setZero(in.q.size());
    for (size_t n = 0; n < section.nodes.size(); ++n)
      push(at, ws, section.nodes[n], terms.f.segment<3>(place_in(n)), ws.row_wrench, ws.row_tau);
    hand_on(at, ws, ws.row_wrench, ws.row_tau);
    for (size_t link = 1; link < ws.row_wrench.size(); ++link)
      if (!ws.row_wrench[link].isZero(0))
        rows.add(row, static_cast<int>(link), in.ws.link[link], ws.row_wrench[link], Vec6::Zero());
    for (int dof = 0; dof < static_cast<int>(ws.row_tau.size()); ++dof)
      if (ws.row_tau[dof] != 0) rows.add_coordinate(row, dof, ws.row_tau[dof], 0);
  }
}

const SectionTerms& Strands::inertia_of(size_t i, const PartAt& at, bool with_mass,
                                        StrandScratch& ws) const {
  SectionTerms& out = ws.terms_of(i).by_nodes;
  section(i, ws).element.update_inertia(ws.motion, at.gravity, ws.kernel, out, with_mass);
  return out;
}

void Strands::add_beads(const PartAt& at, StrandScratch& ws, const MassEntries* mass,
                        const InertialForces* out) const {
  for (size_t k = 0; k < nodes().size(); ++k) {
    const auto index = static_cast<int>(k);
    const Place& place = place_of(index);
    if (place.bead == 0) continue;
    if (out) push(at, ws, index, place.bead * (ws.nodes[k].a - at.gravity), out->wrench, out->tau);
    if (!mass) continue;
    if (place.free) {
      const int node = at.node + place.mover;
      mass->nodes.block(mass->layout, node, node).diagonal().array() += place.bead;
      continue;
    }
    auto MJ = ws.by_q.leftCols(place.column_count());
    MJ = place.bead * ws.nodes[k].J;
    add_columns(at, ws, index, index, MJ, *mass);
  }
}

void Strands::add_inertia(const PartAt& at, const double* qddot, StrandScratch& ws,
                          const MassEntries* mass, const InertialForces* out) const {
  update_nodes(at, ws);
  update_jacobians(at, nullptr, ws);
  update_accelerations(at, qddot, ws);
  add_beads(at, ws, mass, out);
  add_resting_mass(at, qddot, ws, mass, out == nullptr ? nullptr : &out->tau);
  for_each_section(ws, [&](size_t i, const Section& section) {
    if (!section.element.has_inertia()) return;
    gather(at, section, true, ws);
    const bool reduced = !section.coordinates.empty();
    const SectionTerms& terms = inertia_of(i, at, mass != nullptr && !reduced, ws);
    if (mass && reduced) {
      gather_columns(section, i, false, ws);
      MatX& M = ws.terms_of(i).by_coordinates.M;
      section.element.update_reduced_mass(ws.motion, at.gravity, ws.terms_of(i).columns, ws.kernel,
                                          M);
      add_reduced(at, section, M, *mass);
    } else if (mass) {
      add_local_mass(at, i, terms.M, ws, *mass);
    }
    if (!out) return;
    for (size_t k = 0; k < section.nodes.size(); ++k)
      push(at, ws, section.nodes[k], terms.f.segment<3>(place_in(k)), out->wrench, out->tau);
  });
  if (out) hand_on(at, ws, out->wrench, out->tau);
}

void Strands::add_inertial_forces(const PartAt& at, const double* qddot, PartScratch& scratch,
                                  InertialForces out) const {
  add_inertia(at, qddot, strand_scratch(scratch), nullptr, &out);
}

void Strands::add_mass(const PartAt& at, PartScratch& scratch, MassEntries out) const {
  add_inertia(at, nullptr, strand_scratch(scratch), &out, nullptr);
}

void Strands::add_mass_and_forces(const PartAt& at, const double* qddot, PartScratch& scratch,
                                  PartMass& mass, InertialForces out) const {
  const MassEntries entries = mass.entries();
  add_inertia(at, qddot, strand_scratch(scratch), &entries, &out);
}

PartEnergy Strands::energy(const PartAt& at, PartScratch& scratch) const {
  StrandScratch& ws = strand_scratch(scratch);
  update_nodes(at, ws);
  PartEnergy out;
  for (size_t k = 0; k < nodes().size(); ++k) {
    const double bead = place_of(static_cast<int>(k)).bead;
    out.kinetic += 0.5 * bead * ws.nodes[k].v.squaredNorm();
    out.gravity -= bead * at.gravity.dot(ws.nodes[k].x);
  }
  for_each_section(ws, [&](size_t i, const Section& section) {
    gather(at, section, false, ws);
    if (section.element.is_sliding()) {
      SlidingPull& now = ws.terms_of(i).sliding;
      section.element.update_sliding(ws.motion, ws.kernel, now, ws.terms_of(i).by_nodes);
      out.elastic += now.energy;
    } else {
      out.elastic += section.element.rest_length() * section.element.pull(ws.motion).stretch.energy;
    }
    if (section.element.has_inertia())
      section.element.add_energy(ws.motion, at.gravity, ws.kernel, out.kinetic, out.gravity);
  });
  add_resting_energy(at, ws, out);
  return out;
}

}  // namespace sinew
