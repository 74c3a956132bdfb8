#include "sinew/deformables/soft_body.hpp"

#include <fmt/format.h>

#include <cmath>

#include "sinew/core/error.hpp"

namespace sinew {
namespace {

void check(bool condition, const std::string& name, const std::string& problem,
           const std::string& remedy) {
  if (!condition) throw Error("soft body '" + name + "'", problem, remedy);
}

void check_spec(const SoftBodySpec& spec) {
  const size_t n = spec.mesh.vertices.size();
  const auto has = [&](int v) { return v >= 0 && v < static_cast<int>(n); };
  const auto require = [&](bool condition, const std::string& problem, const std::string& remedy) {
    check(condition, spec.name, problem, remedy);
  };
  require(n > 0, "has no vertices", "give a mesh");
  if (!spec.mesh.tetrahedra.empty()) {
    spec.mesh.validate("soft body '" + spec.name + "'");
    spec.material.validate("soft body '" + spec.name + "'");
  }
  require(spec.masses.empty() || spec.masses.size() == n,
          fmt::format("has {} masses for {} vertices", spec.masses.size(), n),
          "give one for each vertex");
  for (const auto* list : {&spec.start, &spec.start_velocity})
    require(list->empty() || list->size() == n, "has a start that does not cover all vertices",
            "give one for each vertex");
  for (const VertexAttachment& a : spec.attachments)
    require(has(a.vertex), fmt::format("attaches vertex {}, but has {}", a.vertex + 1, n),
            "correct the index");
  for (const SoftContact& contact : spec.contacts) {
    contact.law.validate(spec.name);
    require(contact.point.allFinite() && contact.normal.allFinite() && contact.normal.norm() > 0,
            "touches a plane whose normal is zero or not finite", "give a direction");
    require(!contact.by_surface || !spec.surface.vertices.empty(),
            "touches by its surface, but has none", "give a surface, or touch by vertices");
  }
  require(spec.surface.vertices.empty() || !spec.mesh.tetrahedra.empty(),
          "has a surface but no tetrahedra to move it", "give a mesh");
}

Mat34 gather(const Points& x, const std::array<int, 4>& corners) {
  Mat34 out;
  for (int i = 0; i < 4; ++i) out.col(i) = x.col(corners[i]);
  return out;
}

}  // namespace

SoftBody::SoftBody(SoftBodySpec spec) : spec_(std::move(spec)) {
  check_spec(spec_);
  make_elements();
  if (!spec_.surface.vertices.empty())
    embedded_ = embed(spec_.mesh, spec_.surface.vertices, "soft body '" + spec_.name + "'");
  make_touches();
  make_pattern();
}

void SoftBody::make_elements() {
  const size_t n = spec_.mesh.vertices.size();
  mass_ = spec_.masses.empty() ? std::vector<double>(n, 0.0) : spec_.masses;
  for (const auto& corners : spec_.mesh.tetrahedra) {
    tets_.push_back(make_tetrahedron(spec_.mesh.vertices, corners));
    for (const int v : corners) mass_[v] += 0.25 * spec_.material.density * tets_.back().volume;
  }
  attached_.assign(n, -1);
  for (size_t k = 0; k < spec_.attachments.size(); ++k) {
    int& mine = attached_[spec_.attachments[k].vertex];
    check(mine < 0, spec_.name,
          fmt::format("attaches vertex {} twice", spec_.attachments[k].vertex + 1),
          "attach it to one body");
    mine = static_cast<int>(k);
  }
  for (size_t v = 0; v < n; ++v) {
    check(std::isfinite(mass_[v]) && mass_[v] >= 0, spec_.name,
          fmt::format("vertex {} has a negative mass", v + 1), "give kilograms");
    check(mass_[v] > 0 || attached_[v] >= 0, spec_.name,
          fmt::format("the free vertex {} has no mass", v + 1), "give it mass, or attach it");
  }
}

void SoftBody::make_touches() {
  for (size_t c = 0; c < spec_.contacts.size(); ++c) {
    spec_.contacts[c].normal.normalize();
    if (!spec_.contacts[c].by_surface) {
      for (int v = 0; v < vertex_count(); ++v)
        touches_.push_back({static_cast<int>(c), 1, {v, v, v, v}, {1, 0, 0, 0}});
      continue;
    }
    for (const EmbeddedPoint& point : embedded_) {
      Touch touch{static_cast<int>(c), 4, tets_[point.tetrahedron].corners, {}};
      for (int i = 0; i < 4; ++i) touch.weights[i] = point.weights[i];
      touches_.push_back(touch);
    }
  }
}

void SoftBody::make_pattern() {
  std::vector<std::array<int, 2>> edges;
  for (const Tetrahedron& tet : tets_)
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < i; ++j) edges.push_back({tet.corners[i], tet.corners[j]});
  pattern_ = BlockPattern(vertex_count(), edges);
  const auto sixteen = [&](const std::array<int, 4>& v, int count) {
    std::array<int, 16> out{};
    for (int i = 0; i < count; ++i)
      for (int j = 0; j < count; ++j) out[4 * i + j] = pattern_.find(v[i], v[j]);
    return out;
  };
  for (const Tetrahedron& tet : tets_) tet_blocks_.push_back(sixteen(tet.corners, 4));
  for (const Touch& touch : touches_) touch_blocks_.push_back(sixteen(touch.vertices, touch.count));
}

Vec3 SoftBody::Touch::at(const Points& x) const {
  Vec3 out = weights[0] * x.col(vertices[0]);
  for (int i = 1; i < count; ++i) out += weights[i] * x.col(vertices[i]);
  return out;
}

double SoftBody::total_mass() const {
  double sum = 0;
  for (const double m : mass_) sum += m;
  return sum;
}

double SoftBody::energy(const Points& x) const {
  double sum = 0;
  for (const Tetrahedron& tet : tets_)
    sum += tetrahedron_energy(spec_.material, tet, gather(x, tet.corners));
  for (const Touch& touch : touches_) {
    const SoftContact& contact = spec_.contacts[touch.contact];
    sum += contact_energy(contact.law, contact.normal.dot(touch.at(x) - contact.point));
  }
  return sum;
}

void SoftBody::add_forces(const Points& x, const Points& v, Points& f, double& power) const {
  Mat34 f_tet;
  for (const Tetrahedron& tet : tets_) {
    tetrahedron_forces(spec_.material, tet, gather(x, tet.corners), gather(v, tet.corners), f_tet,
                       power);
    for (int i = 0; i < 4; ++i) f.col(tet.corners[i]) += f_tet.col(i);
  }
  for (const Touch& touch : touches_) {
    const SoftContact& contact = spec_.contacts[touch.contact];
    const double gap = contact.normal.dot(touch.at(x) - contact.point);
    if (gap >= 0) continue;
    const SmoothContactForce push = contact_force(contact.law, gap, contact.normal, touch.at(v));
    power += push.power;
    for (int i = 0; i < touch.count; ++i) f.col(touch.vertices[i]) += touch.weights[i] * push.f;
  }
}

void SoftBody::add_derivatives(const Points& x, const Points& v, std::vector<Mat3>& K,
                               std::vector<Mat3>& D) const {
  Mat12 K_tet, D_tet;
  const bool viscous = spec_.material.viscosity > 0;
  for (size_t k = 0; k < tets_.size(); ++k) {
    const Tetrahedron& tet = tets_[k];
    tetrahedron_derivatives(spec_.material, tet, gather(x, tet.corners), gather(v, tet.corners),
                            K_tet, D_tet);
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) {
        K[tet_blocks_[k][4 * i + j]] += K_tet.block<3, 3>(3 * i, 3 * j);
        if (viscous) D[tet_blocks_[k][4 * i + j]] += D_tet.block<3, 3>(3 * i, 3 * j);
      }
  }
  for (size_t k = 0; k < touches_.size(); ++k) {
    const Touch& touch = touches_[k];
    const SoftContact& contact = spec_.contacts[touch.contact];
    const double gap = contact.normal.dot(touch.at(x) - contact.point);
    if (gap >= 0) continue;
    const SmoothContactSlopes slopes =
        contact_slopes(contact.law, gap, contact.normal, touch.at(v));
    const Mat3 by_x = slopes.df_dgap * contact.normal.transpose();
    for (int i = 0; i < touch.count; ++i)
      for (int j = 0; j < touch.count; ++j) {
        const double w = touch.weights[i] * touch.weights[j];
        K[touch_blocks_[k][4 * i + j]] += w * by_x;
        D[touch_blocks_[k][4 * i + j]] += w * slopes.df_du;
      }
  }
}

void SoftBody::update_surface(const Points& x, Points& surface) const {
  surface.resize(3, static_cast<Eigen::Index>(embedded_.size()));
  for (size_t p = 0; p < embedded_.size(); ++p)
    surface.col(static_cast<Eigen::Index>(p)) =
        gather(x, tets_[embedded_[p].tetrahedron].corners) * embedded_[p].weights;
}

double SoftBody::volume(const Points& x) const {
  double sum = 0;
  for (const Tetrahedron& tet : tets_)
    sum += tet.volume * (gather(x, tet.corners) * tet.gradient.transpose()).determinant();
  return sum;
}

}  // namespace sinew
