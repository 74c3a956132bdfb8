#include <algorithm>
#include <cmath>

#include "sinew/strands/strands.hpp"

// Motion of nodes, forces, mass and energy: docs/theory/strands.md, §2 and §3.

namespace sinew {
namespace {

StrandScratch& strand_scratch(PartScratch& scratch) { return static_cast<StrandScratch&>(scratch); }

Eigen::Index place_in(size_t node) { return 3 * static_cast<Eigen::Index>(node); }

const MatX& no_matrix() {
  static const MatX kNone;
  return kNone;
}

}  // namespace

std::unique_ptr<PartScratch> Strands::make_scratch() const {
  auto out = std::make_unique<StrandScratch>();
  out->nodes.resize(nodes_.size());
  for (size_t k = 0; k < nodes_.size(); ++k) {
    StrandScratch::Node& node = out->nodes[k];
    node.J.setZero(3, static_cast<Eigen::Index>(places_[k].dofs.size()));
    node.Jdot = node.Jddot = node.J;
  }
  out->sections.resize(sections_.size());
  return out;
}

void Strands::update_nodes(const PartAt& at, StrandScratch& ws) const {
  const SkeletonAt& in = at.skeleton;
  for (size_t k = 0; k < nodes_.size(); ++k) {
    StrandScratch::Node& node = ws.nodes[k];
    if (const int free = places_[k].free; free >= 0) {
      node.x = in.q.segment<3>(at.dof + 3 * free);
      node.v = in.qdot.segment<3>(at.dof + 3 * free);
      continue;
    }
    const AttachedPoint point = attach(in.skeleton, in.ws, places_[k].body, places_[k].x_B);
    node.x = point.position;
    node.v = point.velocity;
    node.offset = point.offset;
  }
}

void Strands::update_accelerations(const PartAt& at, const double* qddot, StrandScratch& ws) const {
  const SkeletonAt& in = at.skeleton;
  for (size_t k = 0; k < nodes_.size(); ++k) {
    StrandScratch::Node& node = ws.nodes[k];
    if (const int free = places_[k].free; free >= 0) {
      node.a = Vec3::Zero();
      if (qddot != nullptr) node.a = Eigen::Map<const Vec3>(qddot + at.dof + 3 * free);
      node.a_rest = node.a;
      continue;
    }
    node.a = node.a_rest = Vec3::Zero();
    if (places_[k].link == 0) continue;
    const auto link = static_cast<size_t>(places_[k].link);
    const Vec6& a = in.ws.a[link];  // less gravity
    const Vec3& w = in.ws.link[link].w;
    node.a =
        a.tail<3>() + a.head<3>().cross(node.offset) + w.cross(w.cross(node.offset)) + at.gravity;
    if (!any_at_rest_ || qddot == nullptr) continue;
    for (size_t d = 0; d < places_[k].dofs.size(); ++d)
      node.a_rest += node.J.col(static_cast<Eigen::Index>(d)) * qddot[places_[k].dofs[d]];
  }
}

void Strands::update_jacobians(const PartAt& at, const DerivativeWorkspace* dws,
                               StrandScratch& ws) const {
  const SkeletonAt& in = at.skeleton;
  const Vec3 origin = common_origin(in.ws);  // of the axes in dws
  for (size_t k = 0; k < nodes_.size(); ++k) {
    StrandScratch::Node& node = ws.nodes[k];
    for (size_t d = 0; d < places_[k].dofs.size(); ++d) {
      const auto column = static_cast<Eigen::Index>(d);
      const auto dof = static_cast<size_t>(places_[k].dofs[d]);
      const Vec6& s = in.ws.s[dof];
      const Vec3& p = in.ws.link[static_cast<size_t>(places_[k].links[d])].p;
      node.J.col(column) = s.tail<3>() + s.head<3>().cross(node.x - p);
      if (dws == nullptr) continue;
      const Vec3 r = node.x - origin, a = node.a - at.gravity;
      const Vec3 w = s.head<3>();
      const Vec6 &s1 = dws->sdot[dof], &s2 = dws->sddot[dof];
      node.Jdot.col(column) = s1.tail<3>() + s1.head<3>().cross(r) + w.cross(node.v);
      node.Jddot.col(column) =
          s2.tail<3>() + s2.head<3>().cross(r) + 2 * s1.head<3>().cross(node.v) + w.cross(a);
    }
  }
}

void Strands::gather(const Section& section, bool for_mass, StrandScratch& ws) const {
  const bool at_rest = for_mass && !section.element.has_velocity_terms();
  const size_t count = section.nodes.size();
  if (ws.motion.x.size() < count)
    for (std::vector<Vec3>* list : {&ws.motion.x, &ws.motion.v, &ws.motion.a}) list->resize(count);
  for (size_t k = 0; k < count; ++k) {
    const StrandScratch::Node& node = ws.nodes[static_cast<size_t>(section.nodes[k])];
    ws.motion.x[k] = node.x;
    ws.motion.v[k] = at_rest ? Vec3(Vec3::Zero()) : node.v;
    ws.motion.a[k] = at_rest ? node.a_rest : node.a;
  }
}

void Strands::push(const PartAt& at, const StrandScratch& ws, int node, const Vec3& force,
                   std::vector<Vec6>& wrench, VecX& tau) const {
  const Place& place = place_of(node);
  if (place.free >= 0) {
    tau.segment<3>(at.dof + 3 * place.free) += force;
    return;
  }
  Vec6& on_link = wrench[static_cast<size_t>(place.link)];
  on_link.head<3>() += ws.nodes[static_cast<size_t>(node)].offset.cross(force);
  on_link.tail<3>() += force;
}

void Strands::add_forces(const PartAt& at, ForceForm, PartScratch& scratch,
                         AppliedForces& out) const {
  StrandScratch& ws = strand_scratch(scratch);
  update_nodes(at, ws);
  ws.failed = -1;
  for (size_t i = 0; i < sections_.size(); ++i) {
    const Section& section = sections_[i];
    gather(section, false, ws);
    SectionPull& now = ws.sections[i].pull;
    now = section.element.pull(ws.motion);
    if (now.shortest <= 1e-12 * now.length && !section.element.is_plain())
      ws.failed = static_cast<int>(i);
    out.power -= (now.stretch.tension - now.stretch.elastic) * now.rate;
    if (now.stretch.tension == 0) continue;
    const double T = now.stretch.tension;
    Vec3 before = Vec3::Zero();
    for (size_t k = 0; k < section.nodes.size(); ++k) {
      Vec3 after = Vec3::Zero();
      if (k + 1 < section.nodes.size()) {
        after = ws.motion.x[k + 1] - ws.motion.x[k];
        if (const double length = after.norm(); length > 0) after /= length;
      }
      push(at, ws, section.nodes[k], T * (after - before), out.wrench, out.tau);
      before = after;
    }
  }
}

Strands::LocalTerms Strands::inertia_of(size_t i, const PartAt& at, PlainTerms& plain,
                                        StrandScratch& ws) const {
  const StrandSection& section = sections_[i].element;
  if (!section.is_plain()) {
    SectionTerms& terms = ws.sections[i].terms;
    section.update_inertia(ws.motion, at.gravity, ws.kernel, terms);
    return {terms.f, terms.M, no_matrix(), no_matrix()};
  }
  const double own = section.own_mass(), shared = section.shared_mass();
  plain.M.setZero();
  plain.M.diagonal().setConstant(own);
  plain.M.topRightCorner<3, 3>().diagonal().setConstant(shared);
  plain.M.bottomLeftCorner<3, 3>().diagonal().setConstant(shared);
  const Vec3 weight =
      section.has_gravity() ? Vec3(0.5 * section.mass() * at.gravity) : Vec3::Zero();
  const Vec3 &a = ws.motion.a[0], &b = ws.motion.a[1];
  plain.f << own * a + shared * b - weight, own * b + shared * a - weight;
  return {plain.f, plain.M, no_matrix(), no_matrix()};
}

void Strands::add_inertia(const PartAt& at, const double* qddot, StrandScratch& ws,
                          const MassEntries* mass, const InertialForces* out) const {
  update_nodes(at, ws);
  update_jacobians(at, nullptr, ws);
  update_accelerations(at, qddot, ws);
  for (const int k : free_nodes_) {
    const Place& place = place_of(k);
    if (place.bead == 0) continue;
    const int node = at.node + place.free;
    if (mass) mass->nodes.block(mass->layout, node, node).diagonal().array() += place.bead;
    if (out)
      out->tau.segment<3>(at.dof + 3 * place.free) +=
          place.bead * (ws.nodes[static_cast<size_t>(k)].a - at.gravity);
  }
  PlainTerms plain;
  for (size_t i = 0; i < sections_.size(); ++i) {
    const Section& section = sections_[i];
    if (section.element.mass() == 0) continue;
    gather(section, true, ws);
    const LocalTerms terms = inertia_of(i, at, plain, ws);
    if (mass) add_local_mass(at, i, terms, ws, *mass);
    if (!out) continue;
    for (size_t k = 0; k < section.nodes.size(); ++k)
      push(at, ws, section.nodes[k], terms.f.segment<3>(place_in(k)), out->wrench, out->tau);
  }
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
  for (const int k : free_nodes_) {
    const StrandScratch::Node& node = ws.nodes[static_cast<size_t>(k)];
    out.kinetic += 0.5 * place_of(k).bead * node.v.squaredNorm();
    out.gravity -= place_of(k).bead * at.gravity.dot(node.x);
  }
  for (const Section& section : sections_) {
    gather(section, false, ws);
    out.elastic += section.element.rest_length() * section.element.pull(ws.motion).stretch.energy;
    if (section.element.mass() > 0)
      section.element.add_energy(ws.motion, at.gravity, ws.kernel, out.kinetic, out.gravity);
  }
  return out;
}

}  // namespace sinew
