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
  const InertialForces out{wrench, ws.part_tau, power};
  for_each_part(system, at, last_controls(at, ws), ws,
                [&](const Part& part, const PartAt& in, PartScratch& scratch) {
                  part.add_mass_and_forces(in, xddot, scratch, ws.part_mass, out);
                });
}

void add_part_forces(const System& system, const At& at, const double* xddot, Workspace& ws,
                     double& power) {
  ws.part_tau.setZero();
  const InertialForces out{ws.skeleton.F, ws.part_tau, power};
  for_each_part(system, at, last_controls(at, ws), ws,
                [&](const Part& part, const PartAt& in, PartScratch& scratch) {
                  part.add_inertial_forces(in, xddot, scratch, out);
                });
}

void residual_of_elements(const System& system, const At& at, const double* xddot, ForceForm how,
                          Workspace& ws, VecRoom g) {
  const Skeleton& skeleton = system.skeleton();
  const Eigen::Index n = skeleton.dof_count();
  update_inertias(skeleton, ws.skeleton);
  update_link_forces(skeleton, system.gravity(), ws.forces, xddot, ws.skeleton);
  if (how == ForceForm::fast)
    ws.mass_solver->add_part_forces(system, at, xddot, ws);
  else
    add_part_forces(system, at, xddot, ws, ws.forces.power);
  collect_link_forces(skeleton, ws.forces, ws.skeleton, g.head(n));
  g.head(n) += ws.part_tau.head(n);
  g.tail(g.size() - n) = ws.part_tau.tail(g.size() - n) - ws.forces.tau.tail(g.size() - n);
}

void residual(const System& system, const At& at, const ConstVecRef& qddot, ForceForm how,
              Workspace& ws, VecRef g) {
  const double* const xddot = ws.border->accelerations(qddot);
  residual_of_elements(system, at, xddot, how, ws, {ws.border->force_room(g), ws.part_tau.size()});
  ws.border->pull_force(g);
}

void assemble_mass(const System& system, Workspace& ws) {
  Linearization& out = ws.mass.at;
  out.resize(static_cast<Eigen::Index>(system.coordinates().size()), system.masses(),
             system.nodes());
  Linearization& room = ws.border->linearization_room(out);
  mass_matrix(system.skeleton(), ws.part_mass.carried, ws.skeleton, room.M);
  room.M += ws.part_mass.rr;
  room.M_nodes = ws.part_mass.nodes;
  ws.border->pull_mass(out);
}

Workspace::Linearizer& linearizer(const System& system, Workspace& ws) {
  if (!ws.linearizer)
    ws.linearizer = std::make_unique<Workspace::Linearizer>(system.skeleton(), system.dof_count());
  return *ws.linearizer;
}

}  // namespace sinew
