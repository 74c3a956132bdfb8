#include "sinew/system/muscle_equations.hpp"

namespace sinew {
namespace {

/// Work per second of a muscle's pull. Needs update of the muscle.
double pull_power(const MuscleElement& muscle, const SkeletonAt& in, double tension,
                  MuscleWorkspace& ws) {
  if (tension == 0) return 0;
  muscle.update_length_gradient(ws);
  double rate = 0;
  for (size_t l = 0; l < muscle.dofs().size(); ++l) rate += ws.dL[l] * in.qdot[muscle.dofs()[l]];
  return -tension * rate;
}

/// `muscle`, of system.muscles(), has mass and a path of this length.
void note_belly(const System& system, size_t muscle, double length, MuscleScratch& ws) {
  if (system.muscles()[muscle]->has_belly(length) || ws.vanished_belly >= 0) return;
  ws.vanished_belly = static_cast<int>(muscle);
}

}  // namespace

std::shared_ptr<MuscleScratch> make_muscle_scratch(const Skeleton& skeleton) {
  return std::make_shared<MuscleScratch>(skeleton);
}

void update_tensions(const System& system, const double* controls, MuscleScratch& ws) {
  ws.tension.resize(system.muscles().size());
  for (size_t k = 0; k < ws.tension.size(); ++k) {
    const int control = system.tension_control(k);
    ws.tension[k] = control < 0 ? 0 : controls[control];
  }
}

void add_massless_muscles(const System& system, const SkeletonAt& in, ForceForm how,
                          MuscleScratch& ws, AppliedForces& out) {
  for (Vec6& wrench : ws.wrench) wrench.setZero();
  ws.tau.setZero();
  for (size_t k = 0; k < ws.tension.size(); ++k) {
    const MuscleElement& muscle = *system.muscles()[k];
    const double tension = ws.tension[k];
    if (muscle.muscle().has_mass() || tension == 0) continue;
    if (how == ForceForm::fast && muscle.spanned()) {
      out.power += muscle.spanned()->add_pull(muscle.muscle(), tension, in, ws.tau);
    } else {
      muscle.update(in, nullptr, MuscleView::path, ws.path);
      muscle.add_forces(in, tension, ws.path, ws.wrench, ws.tau);
      out.power += pull_power(muscle, in, tension, ws.path);
    }
  }
  // What it asks for it takes from the others.
  for (size_t i = 0; i < ws.wrench.size(); ++i) out.wrench[i] -= ws.wrench[i];
  out.tau -= ws.tau;
}

void add_muscle_wrenches(const System& system, const SkeletonAt& in, const double* qddot,
                         SkeletonWorkspace& skeleton, MuscleScratch& ws, double& power) {
  ws.tau.setZero();
  ws.vanished_belly = -1;
  for (size_t k = 0; k < ws.tension.size(); ++k) {
    const MuscleElement& muscle = *system.muscles()[k];
    if (!muscle.muscle().has_mass()) continue;
    muscle.update(in, qddot, muscle.force_view(), ws.path);
    muscle.add_forces(in, ws.tension[k], ws.path, skeleton.F, ws.tau);
    power += pull_power(muscle, in, ws.tension[k], ws.path);
    note_belly(system, k, muscle.length(ws.path), ws);
  }
}

void update_muscle_sums(const System& system, const SkeletonAt& in, const double* qddot,
                        MuscleScratch& ws, std::vector<Vec6>& wrench, double& power) {
  const MuscleList& muscles = system.muscles();
  ws.sums.set_zero();
  ws.vanished_belly = -1;
  if (!ws.lanes) {
    ws.lanes = std::make_unique<const CylinderMuscleBatch>(system.skeleton(), muscles);
    ws.straight = std::make_unique<const PolylineMuscleBatch>(system.skeleton(), muscles);
  }
  const auto add_spanned = [&](size_t k) {
    const MuscleElement& muscle = *muscles[k];
    const MuscleBlockPull pull =
        muscle.spanned()->add(muscle.muscle(), ws.tension[k], in, ws.spanned, ws.sums, wrench);
    power += pull.power;
    note_belly(system, k, pull.length, ws);
  };
  power += ws.lanes->add(in, ws.tension, ws.lane, ws.sums, wrench);
  for (const size_t k : ws.lane.others) add_spanned(k);
  power += ws.straight->add(in, ws.tension, qddot, ws.polygon, ws.sums, wrench);
  for (size_t k = 0; k < muscles.size(); ++k) {
    const MuscleElement& muscle = *muscles[k];
    if (!muscle.muscle().has_mass() || ws.lanes->takes(k)) continue;
    if (ws.straight->takes(k)) {
      note_belly(system, k, ws.polygon.length[k], ws);
      continue;
    }
    if (muscle.spanned()) {
      add_spanned(k);
      continue;
    }
    muscle.update(in, qddot, muscle.force_view(), ws.path);
    muscle.add_forces(in, ws.tension[k], ws.path, wrench, ws.sums.tau);
    muscle.add_mass_matrix(ws.path, ws.sums.M);
    power += pull_power(muscle, in, ws.tension[k], ws.path);
    note_belly(system, k, muscle.length(ws.path), ws);
  }
}

void add_muscle_derivatives(const System& system, const SkeletonAt& in, const double* qddot,
                            const DerivativeWorkspace* dws, MuscleScratch& ws, MatRef M,
                            MatRef dg_dq, MatRef dg_dqdot) {
  for (size_t k = 0; k < ws.tension.size(); ++k) {
    const MuscleElement& muscle = *system.muscles()[k];
    if (!muscle.muscle().has_mass() && ws.tension[k] == 0) continue;
    muscle.update(in, qddot, muscle.force_view(), ws.path);
    muscle.add_mass_matrix(ws.path, M);
    if (!dws) continue;
    muscle.add_forces(in, ws.tension[k], ws.path, ws.wrench, ws.tau);
    muscle.add_derivatives(in, ws.tension[k], qddot, *dws, ws.path, dg_dq, dg_dqdot);
  }
}

MuscleEnergy muscle_energy(const System& system, const SkeletonAt& in, SkeletonWorkspace& skeleton,
                           MuscleScratch& ws) {
  for (Vec6& a : skeleton.a) a.setZero();
  MuscleEnergy out;
  for (const auto& element : system.muscles()) {
    const MuscleElement& muscle = *element;
    if (!muscle.muscle().has_mass()) continue;
    muscle.update(in, nullptr, MuscleView::moving, ws.path);
    out.kinetic += muscle.kinetic_energy(ws.path);
    out.gravity += muscle.gravity_energy(system.gravity(), ws.path);
  }
  return out;
}

}  // namespace sinew
