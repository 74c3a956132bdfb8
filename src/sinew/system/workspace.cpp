#include "sinew/system/workspace.hpp"

namespace sinew {

Workspace::Workspace(const System& system)
    : border(
          make_border(system.skeleton(), system.coordinate_map(), system.masses(), system.nodes())),
      skeleton(system.skeleton()),
      forces(system.skeleton(), system.nodes().dof_count()),
      part_tau(VecX::Zero(system.skeleton().dof_count() + system.nodes().dof_count())),
      unused_wrench(static_cast<size_t>(system.skeleton().link_count()), Vec6::Zero()),
      mass(system.masses()),
      mass_solver(make_mass_solver(system)),
      constraints(system.skeleton(), system.constraints(),
                  static_cast<Eigen::Index>(system.coordinates().size()),
                  system.nodes().dof_count()),
      stage_saddle(system.nodes(), system.skeleton().dof_count()),
      mass_saddle(system.masses(), system.skeleton().dof_count()),
      unilateral(system.skeleton(), static_cast<Eigen::Index>(system.coordinates().size()),
                 system.nodes().dof_count()),
      newton(system.nodes()) {
  for (const auto& part : system.parts()) parts.push_back(part->make_scratch());
}

}  // namespace sinew
