#pragma once

#include <filesystem>

#include "io/scene_run.hpp"
#include "support/source_dir.hpp"

/// The scenes with muscles, as their tests use them.

namespace sinew::test {

inline Scene load(const std::string& name, const std::vector<std::string>& set = {}) {
  return load_scene(std::filesystem::path(source_dir()) / "scenes" / (name + ".json"), set);
}

/// Largest energy error over the largest kinetic energy of a scene, run so.
inline double energy_error(const std::string& name, Integrator integrator, double dt, double until,
                           const std::vector<std::string>& set = {}) {
  const Scene scene = load(name, set);
  SimulationSettings settings = scene.settings;
  settings.step.integrator = integrator;
  settings.dt = dt;
  settings.until = until;
  return run(scene, settings).audit.energy_error;
}

/// The mass matrix of all coordinates at q.
inline MatX mass_matrix_at(const System& system, const VecX& q) {
  Workspace ws(system);
  MatX M;
  mass_matrix(system, {0, q, VecX::Zero(q.size())}, ws, M);
  return M;
}

}  // namespace sinew::test
