#include <fmt/format.h>

#include "sinew/core/error.hpp"
#include "sinew/system/soft_equations.hpp"

namespace sinew {

void SoftBodies::refuse(const std::string& problem, const std::string& remedy) const {
  throw Error("soft body '" + bodies[0]->name() + "'", problem, remedy);
}

void SoftBodies::add(const Skeleton& skeleton, const SoftBodySpec& spec) {
  const std::string element = "soft body '" + spec.name + "'";
  for (const auto& body : bodies)
    if (body->name() == spec.name)
      throw Error(element, "is defined twice", "give every soft body a name of its own");
  for (const VertexAttachment& a : spec.attachments) {
    if (a.body != kWorld && (a.body.value < 0 || a.body.value >= skeleton.body_count()))
      throw Error(element, "is attached to a body that does not exist", "correct the index");
    if (!a.x_B.allFinite())
      throw Error(element, "is attached at a point that is not finite", "give finite numbers");
  }
  bodies.push_back(std::make_shared<SoftBody>(spec));
}

void SoftBodies::finish(int first) {
  first_dof = first;
  free.clear();
  block.clear();
  std::vector<double> masses;
  std::vector<std::array<int, 2>> edges;
  for (const auto& body : bodies) {
    std::vector<int>& number = free.emplace_back();
    for (int v = 0; v < body->vertex_count(); ++v) {
      const bool is_free = body->attachment_of(v) < 0;
      number.push_back(is_free ? static_cast<int>(masses.size()) : -1);
      if (is_free) masses.push_back(body->mass(v));
    }
    const BlockPattern& own = body->pattern();
    for (int i = 0; i < own.size(); ++i)
      for (int b = own.row_begin(i); b < own.row_end(i); ++b)
        if (number[i] >= 0 && number[own.column(b)] >= 0 && own.column(b) < i)
          edges.push_back({number[i], number[own.column(b)]});
  }
  mass = Eigen::Map<const VecX>(masses.data(), static_cast<Eigen::Index>(masses.size()));
  pattern = BlockPattern(static_cast<int>(masses.size()), edges);
  for (size_t k = 0; k < bodies.size(); ++k) {
    const BlockPattern& own = bodies[k]->pattern();
    std::vector<int>& where = block.emplace_back(own.block_count(), -1);
    for (int i = 0; i < own.size(); ++i)
      for (int b = own.row_begin(i); b < own.row_end(i); ++b)
        if (free[k][i] >= 0 && free[k][own.column(b)] >= 0)
          where[b] = pattern.find(free[k][i], free[k][own.column(b)]);
  }
}

Skeleton with_attached_masses(const Skeleton& skeleton, const SoftBody& body) {
  std::vector<SpatialInertia> M_B;
  for (const Body& b : skeleton.bodies()) M_B.push_back(b.M_B);
  for (const VertexAttachment& a : body.spec().attachments)
    if (a.body != kWorld)
      M_B[a.body.value] =
          M_B[a.body.value] + SpatialInertia::FromCentral(body.mass(a.vertex), a.x_B, Mat3::Zero());
  return skeleton.with_inertias(M_B);
}

void append_vertices(const SoftBodies& soft, State& state) {
  const Eigen::Index n = state.q.size();
  state.q.conservativeResize(n + soft.dof_count());
  state.qdot.conservativeResize(n + soft.dof_count());
  for (size_t k = 0; k < soft.bodies.size(); ++k) {
    const SoftBodySpec& spec = soft.bodies[k]->spec();
    const std::vector<Vec3>& start = spec.start.empty() ? spec.mesh.vertices : spec.start;
    for (size_t v = 0; v < start.size(); ++v) {
      if (soft.free[k][v] < 0) continue;
      const Eigen::Index at = n + 3 * soft.free[k][v];
      state.q.segment<3>(at) = start[v];
      state.qdot.segment<3>(at) =
          spec.start_velocity.empty() ? Vec3::Zero() : spec.start_velocity[v];
    }
  }
}

std::string entry_name(const System& system, int dof) {
  const auto n = static_cast<int>(system.coordinates().size());
  if (dof < n)
    return fmt::format("coordinate '{}'", system.coordinates()[static_cast<size_t>(dof)].name);
  const SoftBodies& soft = *system.soft();
  for (size_t k = 0; k < soft.bodies.size(); ++k)
    for (size_t v = 0; v < soft.free[k].size(); ++v)
      if (soft.free[k][v] == (dof - n) / 3)
        return fmt::format("vertex {} of soft body '{}'", v + 1, soft.bodies[k]->name());
  return "";
}

}  // namespace sinew
