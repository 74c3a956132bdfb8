#include "sinew/deformables/soft_bodies.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "sinew/core/error.hpp"

namespace sinew {
namespace {

SoftScratch& soft_scratch(PartScratch& scratch) { return static_cast<SoftScratch&>(scratch); }
const SoftScratch& soft_scratch(const PartScratch& scratch) {
  return static_cast<const SoftScratch&>(scratch);
}

void check(const Skeleton& skeleton, const SoftBodySpec& spec) {
  const std::string element = "soft body '" + spec.name + "'";
  for (const VertexAttachment& a : spec.attachments) {
    if (a.body != kWorld && (a.body.value < 0 || a.body.value >= skeleton.body_count()))
      throw Error(element, "is attached to a body that does not exist", "correct the index");
    if (!a.x_B.allFinite())
      throw Error(element, "is attached at a point that is not finite", "give finite numbers");
  }
}

}  // namespace

SoftBodies::SoftBodies(const Skeleton& skeleton, SoftBodyList bodies)
    : skeleton_(skeleton), bodies_(std::move(bodies)) {
  std::set<std::string> names;
  for (const auto& body : bodies_) {
    if (!names.insert(body->name()).second)
      throw Error("soft body '" + body->name() + "'", "is defined twice",
                  "give each soft body a unique name");
    check(skeleton, body->spec());
    std::vector<int>& number = free_.emplace_back();
    for (int v = 0; v < body->vertex_count(); ++v) {
      const bool is_free = body->attachment_of(v) < 0;
      number.push_back(is_free ? free_count() : -1);
      if (is_free) mass_.push_back(body->mass(v));
    }
  }
}

std::string SoftBodies::element_with(Feature) const {
  return "soft body '" + bodies_[0]->name() + "'";
}

int SoftBodies::link_of_vertex(const SoftBody& body, int vertex) const {
  return link_of(skeleton_,
                 body.spec().attachments[static_cast<size_t>(body.attachment_of(vertex))].body);
}

void SoftBodies::lay_out(NodeLayout& masses, NodeLayout& all) const {
  const int first = all.count();
  for (int k = 0; k < free_count(); ++k) {
    masses.add_node(3);
    all.add_node(3);
  }
  for (size_t k = 0; k < bodies_.size(); ++k) {
    const BlockPattern& pattern = bodies_[k]->pattern();
    for (int i = 0; i < pattern.size(); ++i) {
      if (free_vertex(k, i) < 0) continue;
      for (int b = pattern.row_begin(i); b < pattern.row_end(i); ++b) {
        const int j = pattern.column(b);
        if (free_vertex(k, j) < 0)
          all.couple(first + free_vertex(k, i));
        else if (j < i)
          all.connect(first + free_vertex(k, i), first + free_vertex(k, j));
      }
    }
  }
}

void SoftBodies::place(VecRef q, VecRef qdot) const {
  for (size_t k = 0; k < bodies_.size(); ++k) {
    const SoftBodySpec& spec = bodies_[k]->spec();
    const std::vector<Vec3>& start = spec.start.empty() ? spec.mesh.vertices : spec.start;
    for (size_t v = 0; v < start.size(); ++v) {
      const int free = free_[k][v];
      if (free < 0) continue;
      q.segment<3>(3 * free) = start[v];
      qdot.segment<3>(3 * free) =
          spec.start_velocity.empty() ? Vec3::Zero() : spec.start_velocity[v];
    }
  }
}

std::string SoftBodies::dof_name(int dof) const {
  for (size_t k = 0; k < bodies_.size(); ++k)
    for (size_t v = 0; v < free_[k].size(); ++v)
      if (free_[k][v] == dof / 3)
        return "vertex " + std::to_string(v + 1) + " of soft body '" + bodies_[k]->name() + "'";
  return "";
}

std::unique_ptr<PartScratch> SoftBodies::make_scratch() const {
  auto out = std::make_unique<SoftScratch>();
  std::map<std::pair<int, int>, int> pair_number;
  for (size_t k = 0; k < bodies_.size(); ++k) {
    const SoftBody& soft = *bodies_[k];
    const BlockPattern& pattern = soft.pattern();
    SoftScratch::Body& body = out->bodies.emplace_back();
    for (Points* p : {&body.x, &body.v, &body.f}) p->setZero(3, soft.vertex_count());
    body.attached.resize(soft.spec().attachments.size());
    body.J.resize(body.attached.size(), Eigen::Matrix3Xd::Zero(3, skeleton_.dof_count()));
    body.Jdot = body.J;
    body.K.resize(static_cast<size_t>(pattern.block_count()), Mat3::Zero());
    body.D = body.K;
    body.pair.resize(body.K.size(), -1);
    for (int i = 0; i < pattern.size(); ++i)
      for (int b = pattern.row_begin(i); b < pattern.row_end(i); ++b) {
        const int j = pattern.column(b);
        if (free_vertex(k, i) >= 0 || free_vertex(k, j) >= 0) continue;
        const int from = link_of_vertex(soft, i), to = link_of_vertex(soft, j);
        if (from == to || from == 0 || to == 0) continue;
        const auto [found, fresh] =
            pair_number.try_emplace({from, to}, static_cast<int>(out->pairs.size()));
        if (fresh) out->pairs.push_back({from, to, Mat6::Zero(), Mat6::Zero()});
        body.pair[static_cast<size_t>(b)] = found->second;
      }
  }
  return out;
}

void SoftBodies::update_vertices(const PartAt& at, SoftScratch& ws) const {
  const SkeletonAt& in = at.skeleton;
  for (size_t k = 0; k < bodies_.size(); ++k) {
    SoftScratch::Body& body = ws.bodies[k];
    for (int v = 0; v < body.x.cols(); ++v) {
      const int free = free_vertex(k, v);
      if (free < 0) continue;
      body.x.col(v) = in.q.segment<3>(at.dof + 3 * free);
      body.v.col(v) = in.qdot.segment<3>(at.dof + 3 * free);
    }
    const std::vector<VertexAttachment>& attachments = bodies_[k]->spec().attachments;
    for (size_t a = 0; a < attachments.size(); ++a) {
      body.attached[a] = attach(in.skeleton, in.ws, attachments[a].body, attachments[a].x_B);
      body.x.col(attachments[a].vertex) = body.attached[a].position;
      body.v.col(attachments[a].vertex) = body.attached[a].velocity;
    }
  }
}

void SoftBodies::add_forces(const PartAt& at, ForceForm, PartScratch& scratch,
                            AppliedForces& out) const {
  SoftScratch& ws = soft_scratch(scratch);
  update_vertices(at, ws);
  for (size_t k = 0; k < bodies_.size(); ++k) {
    SoftScratch::Body& body = ws.bodies[k];
    body.f.setZero();
    bodies_[k]->add_forces(body.x, body.v, body.f, out.power);
    for (int v = 0; v < body.x.cols(); ++v)
      if (const int free = free_vertex(k, v); free >= 0)
        out.tau.segment<3>(at.dof + 3 * free) += body.f.col(v);
    const std::vector<VertexAttachment>& attachments = bodies_[k]->spec().attachments;
    for (size_t a = 0; a < attachments.size(); ++a)
      out.add_force(body.attached[a].link, body.attached[a].offset,
                    body.f.col(attachments[a].vertex));
  }
}

void SoftBodies::add_inertial_forces(const PartAt& at, const double* qddot, PartScratch&,
                                     InertialForces out) const {
  for (int v = 0; v < free_count(); ++v) {
    const double m = mass_[static_cast<size_t>(v)];
    auto tau = out.tau.segment<3>(at.dof + 3 * v);
    if (qddot != nullptr) tau += m * Eigen::Map<const Vec3>(qddot + at.dof + 3 * v);
    tau -= m * at.gravity;
  }
}

void SoftBodies::add_mass(const PartAt& at, PartScratch&, MassEntries out) const {
  for (int v = 0; v < free_count(); ++v) {
    const int node = at.node + v;
    out.nodes.block(out.layout, node, node).diagonal().array() += mass_[static_cast<size_t>(v)];
  }
}

namespace {

/// Blocks (i, j) and (j, i) become each other's transpose.
void symmetrize(const BlockPattern& pattern, std::vector<Mat3>& values) {
  for (int i = 0; i < pattern.size(); ++i)
    for (int b = pattern.row_begin(i); b < pattern.row_end(i); ++b) {
      if (pattern.column(b) > i) continue;
      Mat3& one = values[static_cast<size_t>(b)];
      Mat3& other = values[static_cast<size_t>(pattern.find(pattern.column(b), i))];
      const Mat3 mean = 0.5 * (one + other.transpose());
      one = mean;
      other = mean.transpose();
    }
}

}  // namespace

void SoftBodies::add_link_stiffness(const SoftBody& element, StiffnessModel kind,
                                    SoftScratch::Body& body, SoftScratch& ws,
                                    ForceDerivatives& out) const {
  const BlockPattern& pattern = element.pattern();
  for (const VertexAttachment& attachment : element.spec().attachments) {
    const int i = attachment.vertex;
    const AttachedPoint& at_i = body.attached[static_cast<size_t>(element.attachment_of(i))];
    if (at_i.link == 0) continue;
    const Mat36 G_i = at_i.jacobian();
    for (int b = pattern.row_begin(i); b < pattern.row_end(i); ++b) {
      const auto bb = static_cast<size_t>(b);
      const int j = pattern.column(b);
      if (element.attachment_of(j) < 0) continue;
      const AttachedPoint& at_j = body.attached[static_cast<size_t>(element.attachment_of(j))];
      if (at_j.link == 0) continue;
      const Mat36 G_j = at_j.jacobian();
      Mat36 dF = body.K[bb] * G_j;
      if (kind == StiffnessModel::exact) {
        // As seen from the links: see ForceDerivatives.
        dF -= on_rotation(body.D[bb] * skew(at_j.velocity));
        if (i == j) dF += on_rotation(skew(Vec3(body.f.col(i))));
      }
      const Mat6 K = G_i.transpose() * dF, D = G_i.transpose() * body.D[bb] * G_j;
      if (body.pair[bb] < 0) {
        out.add(at_i.link, at_j.link, K, D);
        continue;
      }
      ForceDerivatives::Pair& pair = ws.pairs[static_cast<size_t>(body.pair[bb])];
      pair.K += K;
      pair.D += D;
    }
  }
}

void SoftBodies::add_coupling(const SoftBody& element, size_t body_index, const PartAt& at,
                              StiffnessModel kind, const DerivativeWorkspace& dws,
                              SoftScratch::Body& body, PartDerivatives& out) const {
  const BlockPattern& pattern = element.pattern();
  for (const VertexAttachment& attachment : element.spec().attachments) {
    const int i = attachment.vertex;
    const auto a = static_cast<size_t>(element.attachment_of(i));
    if (body.attached[a].link == 0) continue;
    auto &J = body.J[a], &Jdot = body.Jdot[a];
    const bool exact = kind == StiffnessModel::exact;
    update_point_jacobian(at.skeleton, body.attached[a], J);
    if (exact) update_point_jacobian_rate(at.skeleton, body.attached[a], dws, Jdot);
    for (int b = pattern.row_begin(i); b < pattern.row_end(i); ++b) {
      const int free = free_vertex(body_index, pattern.column(b));
      if (free < 0) continue;
      const int node = at.node + free;
      const auto bb = static_cast<size_t>(b);
      const auto back = static_cast<size_t>(pattern.find(pattern.column(b), i));
      out.dg_dq_nodes.rf_rows(out.layout, node) -= body.K[bb].transpose().lazyProduct(J);
      out.dg_dqdot_nodes.rf_rows(out.layout, node) -= body.D[bb].transpose().lazyProduct(J);
      out.dg_dq_nodes.fr_rows(out.layout, node) -= body.K[back].lazyProduct(J);
      if (exact) out.dg_dq_nodes.fr_rows(out.layout, node) -= body.D[back].lazyProduct(Jdot);
      out.dg_dqdot_nodes.fr_rows(out.layout, node) -= body.D[back].lazyProduct(J);
    }
  }
}

void SoftBodies::add_force_derivatives(const PartAt& at, const double*, StiffnessModel kind,
                                       const DerivativeWorkspace& dws, PartScratch& scratch,
                                       PartDerivatives& out) const {
  SoftScratch& ws = soft_scratch(scratch);
  for (auto& pair : ws.pairs) {
    pair.K.setZero();
    pair.D.setZero();
  }
  for (size_t k = 0; k < bodies_.size(); ++k) {
    SoftScratch::Body& body = ws.bodies[k];
    const SoftBody& element = *bodies_[k];
    const BlockPattern& pattern = element.pattern();
    std::fill(body.K.begin(), body.K.end(), Mat3::Zero());
    std::fill(body.D.begin(), body.D.end(), Mat3::Zero());
    // The reference steps what deforms explicitly.
    if (kind == StiffnessModel::redmax) continue;
    element.add_derivatives(body.x, body.v, body.K, body.D);
    if (kind == StiffnessModel::definite) {
      symmetrize(pattern, body.K);
      symmetrize(pattern, body.D);
    }
    if (body.block.empty()) {
      body.block.assign(body.K.size(), -1);
      for (int i = 0; i < pattern.size(); ++i)
        for (int b = pattern.row_begin(i); b < pattern.row_end(i); ++b) {
          const int from = free_vertex(k, i), to = free_vertex(k, pattern.column(b));
          if (from >= 0 && to >= 0)
            body.block[static_cast<size_t>(b)] =
                out.layout.pattern().find(at.node + from, at.node + to);
        }
    }
    for (size_t b = 0; b < body.block.size(); ++b)
      if (body.block[b] >= 0) {
        const auto where = static_cast<size_t>(body.block[b]);
        out.dg_dq_nodes.ff[where] -= body.K[b];
        out.dg_dqdot_nodes.ff[where] -= body.D[b];
      }
    add_link_stiffness(element, kind, body, ws, out.wrenches);
    add_coupling(element, k, at, kind, dws, body, out);
  }
  for (const auto& pair : ws.pairs) out.wrenches.add(pair.a, pair.b, pair.K, pair.D);
}

PartEnergy SoftBodies::energy(const PartAt& at, PartScratch& scratch) const {
  SoftScratch& ws = soft_scratch(scratch);
  update_vertices(at, ws);
  PartEnergy out;
  for (int v = 0; v < free_count(); ++v) {
    const double m = mass_[static_cast<size_t>(v)];
    out.kinetic += 0.5 * m * at.skeleton.qdot.segment<3>(at.dof + 3 * v).squaredNorm();
    out.gravity -= m * at.gravity.dot(at.skeleton.q.segment<3>(at.dof + 3 * v));
  }
  for (size_t k = 0; k < bodies_.size(); ++k) out.elastic += bodies_[k]->energy(ws.bodies[k].x);
  return out;
}

double SoftBodies::force_scale(const PartAt& at, const PartScratch& scratch) const {
  double scale = 0;
  for (const double m : mass_) scale = std::max(scale, m * at.gravity.lpNorm<Eigen::Infinity>());
  for (size_t k = 0; k < bodies_.size(); ++k) {
    const SoftScratch::Body& body = soft_scratch(scratch).bodies[k];
    const BlockPattern& pattern = bodies_[k]->pattern();
    for (int v = 0; v < pattern.size(); ++v)
      scale = std::max(
          scale, 0.01 * body.K[static_cast<size_t>(pattern.find(v, v))].lpNorm<Eigen::Infinity>() *
                     body.x.col(v).lpNorm<Eigen::Infinity>());
  }
  return scale;
}

double SoftBodies::mass() const { return std::accumulate(mass_.begin(), mass_.end(), 0.0); }

std::vector<PartColumns> SoftBodies::columns() const {
  PartColumns out{"vertices", {}};
  for (const auto& body : bodies_)
    for (int v = 1; v <= body->vertex_count(); ++v)
      for (const char* axis : {"_x", "_y", "_z"})
        out.names.push_back(body->name() + "_" + std::to_string(v) + axis);
  return {std::move(out)};
}

void SoftBodies::measure(const PartAt& at, PartScratch& scratch, std::vector<double>& out) const {
  SoftScratch& ws = soft_scratch(scratch);
  update_vertices(at, ws);
  for (const SoftScratch::Body& body : ws.bodies)
    out.insert(out.end(), body.x.data(), body.x.data() + body.x.size());
}

void SoftBodies::recall(std::span<const double> values, VecRef q) const {
  for (const std::vector<int>& numbers : free_)
    for (const int free : numbers) {
      if (free >= 0) q.segment<3>(3 * free) = Eigen::Map<const Vec3>(values.data());
      values = values.subspan(3);
    }
}

namespace {

/// The surface to draw: the fine one of the body, or the faces of its tetrahedra.
MovingShape surface_of(const SoftBody& body) {
  const SoftBodySpec& spec = body.spec();
  const bool fine = !spec.surface.triangles.empty();
  const auto faces = fine ? spec.surface.triangles : spec.mesh.boundary();
  MovingShape out{
      body.name(), "",
      static_cast<int>(fine ? spec.surface.vertices.size() : spec.mesh.vertices.size())};
  for (const auto& face : faces)
    out.triangles.insert(out.triangles.end(), face.begin(), face.end());
  return out;
}

}  // namespace

std::vector<MovingShape> SoftBodies::shapes() const {
  std::vector<MovingShape> out;
  for (const auto& body : bodies_) {
    if (MovingShape surface = surface_of(*body); !surface.triangles.empty())
      out.push_back(std::move(surface));
  }
  return out;
}

void SoftBodies::draw(const PartAt& at, PartScratch& scratch, std::vector<double>& points) const {
  SoftScratch& ws = soft_scratch(scratch);
  update_vertices(at, ws);
  Points surface;
  for (size_t k = 0; k < bodies_.size(); ++k) {
    const SoftBodySpec& spec = bodies_[k]->spec();
    const Points& x = ws.bodies[k].x;
    if (!spec.surface.triangles.empty()) {
      bodies_[k]->update_surface(x, surface);
      points.insert(points.end(), surface.data(), surface.data() + surface.size());
    } else if (!spec.mesh.tetrahedra.empty()) {
      points.insert(points.end(), x.data(), x.data() + x.size());
    }
  }
}

Skeleton with_attached_masses(const Skeleton& skeleton, const SoftBody& body) {
  std::vector<SpatialInertia> M_B;
  for (const Body& b : skeleton.bodies()) M_B.push_back(b.M_B);
  for (const VertexAttachment& a : body.spec().attachments)
    if (a.body != kWorld) {
      SpatialInertia& inertia = M_B[static_cast<size_t>(a.body.value)];
      inertia = inertia + SpatialInertia::FromCentral(body.mass(a.vertex), a.x_B, Mat3::Zero());
    }
  return skeleton.with_inertias(M_B);
}

}  // namespace sinew
