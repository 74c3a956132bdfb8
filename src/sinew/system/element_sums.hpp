#pragma once

#include "sinew/system/equations.hpp"

/// Sums over the elements of a system, in the coordinates x that elements know; the
/// functions of equations.hpp are made of them.

namespace sinew {

/// A vector of x owned elsewhere.
using VecRoom = Eigen::Map<VecX>;

/// The controls that update_forces used at the same state.
inline const double* last_controls(const At& at, const Workspace& ws) {
  return at.controls.size() > 0 ? at.controls.data() : ws.controls.data();
}

inline SkeletonAt skeleton_at(const System& system, const At& at, const ExpandedState& x,
                              const Workspace& ws) {
  return {system.skeleton(), at.t, x.q, x.qdot, ws.skeleton};
}

/// Calls f(part, at, scratch) for every part, at the state of the last expand.
template <class F>
void for_each_part(const System& system, const At& at, const double* controls, Workspace& ws,
                   F&& f) {
  const ExpandedState x = ws.border->expanded(at);
  for (size_t k = 0; k < system.parts().size(); ++k)
    f(*system.parts()[k], part_at(system, k, at, x, controls, ws), *ws.parts[k]);
}

/// Kinematics and applied forces, in the requested form.
void update_forces(const System& system, const At& at, ForceForm how, Workspace& ws);

/// The mass of parts into ws.part_mass and, at accelerations ẍ (null: zero), the forces it requires
/// on coordinates into ws.part_tau; wrenches on links are added.
void add_part_mass(const System& system, const At& at, const double* xddot, Workspace& ws,
                   std::vector<Vec6>& wrench, double& power);
/// Forces that the mass of parts requires: as wrenches on links, added to ws.skeleton.F, and on
/// coordinates in ws.part_tau.
void add_part_forces(const System& system, const At& at, const double* xddot, Workspace& ws,
                     double& power);

/// g at ẍ (null: zero) and the forces in ws, for all x.
void residual_of_elements(const System& system, const At& at, const double* xddot, ForceForm how,
                          Workspace& ws, double* g);
/// The same at the state's q̈, with the power that drives coordinates; q̈ and g may be the same
/// vector.
void residual(const System& system, const At& at, const VecView& qddot, ForceForm how,
              Workspace& ws, VecRef& g);

/// M into ws.mass.M. Needs update_inertias and add_part_mass, whose entries it takes along.
void assemble_mass(const System& system, Workspace& ws);

/// ws.linearizer, made on first use.
Workspace::Linearizer& linearizer(const System& system, Workspace& ws);

}  // namespace sinew
