#include "sinew/system/element_sums.hpp"

#include "sinew/dynamics/crba.hpp"
#include "sinew/dynamics/rnea.hpp"

namespace sinew {

void update_forces(const System& system, const At& at, ForceForm how, Workspace& ws) {
  update_kinematics(system, at, ws);
  const double* const controls = controls_at(system, at, ws);
  ws.forces.set_zero();
  SkeletonAt in = skeleton_at(system, at, ws.border->expanded(at), ws);
  for (size_t k = 0; k < system.forces().size(); ++k) {
    in.controls = controls + system.first_control(k);
    system.forces()[k]->add_force(in, ws.forces);
  }
  for_each_part(system, at, controls, ws,
                [&](const Part& part, const PartAt& part_in, PartScratch& scratch) {
                  part.add_forces(part_in, how, scratch, ws.forces);
                });
}

void add_part_mass(const System& system, const At& at, const double* xddot, Workspace& ws,
                   std::vector<Vec6>& wrench, double& power) {
  ws.part_mass.resize(system.skeleton(), system.masses());
  ws.part_mass.set_zero();
  ws.part_tau.setZero();
  for_each_part(
      system, at, last_controls(at, ws), ws,
      [&](const Part& part, const PartAt& in, PartScratch& scratch) {
        part.add_mass_and_forces(in, xddot, scratch, ws.part_mass, {wrench, ws.part_tau, power});
      });
}

void add_part_forces(const System& system, const At& at, const double* xddot, Workspace& ws,
                     double& power) {
  ws.part_tau.setZero();
  for_each_part(system, at, last_controls(at, ws), ws,
                [&](const Part& part, const PartAt& in, PartScratch& scratch) {
                  part.add_inertial_forces(in, xddot, scratch, {ws.skeleton.F, ws.part_tau, power});
                });
}

void residual_of_elements(const System& system, const At& at, const double* xddot, ForceForm how,
                          Workspace& ws, double* g) {
  const Skeleton& skeleton = system.skeleton();
  const Eigen::Index n = skeleton.dof_count();
  update_inertias(skeleton, ws.skeleton);
  update_link_forces(skeleton, system.gravity(), ws.forces, xddot, ws.skeleton);
  if (how == ForceForm::fast)
    ws.mass_solver->add_part_forces(system, at, xddot, ws);
  else
    add_part_forces(system, at, xddot, ws, ws.forces.power);
  collect_link_forces(skeleton, ws.forces, ws.skeleton, g);
  for (Eigen::Index k = 0; k < n; ++k) g[k] += ws.part_tau[k];
  for (Eigen::Index k = n; k < ws.part_tau.size(); ++k) g[k] = ws.part_tau[k] - ws.forces.tau[k];
}

void residual(const System& system, const At& at, const VecView& qddot, ForceForm how,
              Workspace& ws, VecRef& g) {
  const double* const xddot = ws.border->accelerations(qddot);
  residual_of_elements(system, at, xddot, how, ws, ws.border->force_room(g));
  ws.border->pull_force(g);
  if (!ws.border->drives()) return;
  ws.drive_power = ws.border->drive_power();
  ws.forces.power += ws.drive_power;
}

void assemble_mass(const System& system, Workspace& ws) {
  NodeMatrix& M = ws.mass.M;
  M.resize(static_cast<Eigen::Index>(system.coordinates().size()));
  const MassRoom room = ws.border->mass_room(M);
  room.rr.swap(ws.part_mass.rr);
  std::swap(room.nodes, ws.part_mass.nodes);
  add_mass_matrix(system.skeleton(), ws.part_mass.carried, ws.skeleton, room.rr);
  ws.border->pull_mass(M);
}

Workspace::Linearizer& linearizer(const System& system, Workspace& ws) {
  if (!ws.linearizer)
    ws.linearizer = std::make_unique<Workspace::Linearizer>(system.skeleton(), system.dof_count());
  return *ws.linearizer;
}

}  // namespace sinew
