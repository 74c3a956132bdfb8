#include "sinew/system/muscle_equations.hpp"

namespace sinew {
namespace {

/// The input of elements at the (t, q, q̇) in `ws`.
struct StoredInput {
  StoredInput(const System& system, const SkeletonWorkspace& skeleton, const MuscleScratch& ws)
      : q(ws.q), qdot(ws.qdot), in{system.skeleton(), ws.t, q, qdot, skeleton} {}
  ConstVecRef q, qdot;
  SkeletonAt in;
};

/// Work per second of a muscle's pull. Needs update of the muscle.
double pull_power(const MuscleElement& muscle, const SkeletonAt& in, MuscleWorkspace& ws) {
  const double tension = muscle.muscle().tension.derivatives(in.t)[0];
  if (tension == 0) return 0;
  muscle.update_length_gradient(ws);
  double rate = 0;
  for (size_t l = 0; l < muscle.dofs().size(); ++l) rate += ws.dL[l] * in.qdot[muscle.dofs()[l]];
  return -tension * rate;
}

/// `element` is one of system.muscles(), a muscle with mass of this length.
void note_belly(const System& system, const std::shared_ptr<const MuscleElement>& element,
                double length, MuscleScratch& ws) {
  if (element->has_belly(length) || ws.vanished_belly >= 0) return;
  ws.vanished_belly = static_cast<int>(&element - system.muscles().data());
}

}  // namespace

std::shared_ptr<MuscleScratch> make_muscle_scratch(const Skeleton& skeleton) {
  return std::make_shared<MuscleScratch>(skeleton);
}

void add_massless_muscles(const System& system, const SkeletonAt& in, ForceForm how,
                          MuscleScratch& ws, AppliedForces& out) {
  for (Vec6& wrench : ws.wrench) wrench.setZero();
  ws.tau.setZero();
  for (const auto& element : system.muscles()) {
    const MuscleElement& muscle = *element;
    if (muscle.muscle().has_mass() || muscle.muscle().tension.derivatives(in.t)[0] == 0) continue;
    if (how == ForceForm::fast && muscle.spanned()) {
      out.power += muscle.spanned()->add_pull(muscle.muscle(), in, ws.tau);
    } else {
      muscle.update(in, nullptr, MuscleView::path, ws.path);
      muscle.add_forces(in, ws.path, ws.wrench, ws.tau);
      out.power += pull_power(muscle, in, ws.path);
    }
  }
  // What it asks for it takes from the others.
  for (size_t i = 0; i < ws.wrench.size(); ++i) out.wrench[i] -= ws.wrench[i];
  out.tau -= ws.tau;
}

void add_muscle_wrenches(const System& system, const double* qddot, SkeletonWorkspace& skeleton,
                         MuscleScratch& ws, double& power) {
  const StoredInput at(system, skeleton, ws);
  ws.tau.setZero();
  ws.vanished_belly = -1;
  for (const auto& element : system.muscles()) {
    const MuscleElement& muscle = *element;
    if (!muscle.muscle().has_mass()) continue;
    muscle.update(at.in, qddot, muscle.force_view(), ws.path);
    muscle.add_forces(at.in, ws.path, skeleton.F, ws.tau);
    power += pull_power(muscle, at.in, ws.path);
    note_belly(system, element, muscle.length(ws.path), ws);
  }
}

void update_muscle_sums(const System& system, const double* qddot,
                        const SkeletonWorkspace& skeleton, MuscleScratch& ws,
                        std::vector<Vec6>& wrench, double& power) {
  const StoredInput at(system, skeleton, ws);
  const MuscleList& muscles = system.muscles();
  ws.sums.set_zero();
  ws.vanished_belly = -1;
  if (!ws.lanes) {
    ws.lanes = std::make_unique<const CylinderMuscleBatch>(system.skeleton(), muscles);
    ws.straight = std::make_unique<const PolylineMuscleBatch>(system.skeleton(), muscles);
  }
  const auto add_spanned = [&](const std::shared_ptr<const MuscleElement>& element) {
    const MuscleBlockPull pull =
        element->spanned()->add(element->muscle(), at.in, ws.spanned, ws.sums, wrench);
    power += pull.power;
    note_belly(system, element, pull.length, ws);
  };
  power += ws.lanes->add(at.in, ws.lane, ws.sums, wrench);
  for (const size_t k : ws.lane.others) add_spanned(muscles[k]);
  power += ws.straight->add(at.in, qddot, ws.polygon, ws.sums, wrench);
  for (size_t k = 0; k < muscles.size(); ++k) {
    const MuscleElement& muscle = *muscles[k];
    if (!muscle.muscle().has_mass() || ws.lanes->takes(k)) continue;
    if (ws.straight->takes(k)) {
      note_belly(system, muscles[k], ws.polygon.length[k], ws);
      continue;
    }
    if (muscle.spanned()) {
      add_spanned(muscles[k]);
      continue;
    }
    muscle.update(at.in, qddot, muscle.force_view(), ws.path);
    muscle.add_forces(at.in, ws.path, wrench, ws.sums.tau);
    muscle.add_mass_matrix(ws.path, ws.sums.M);
    power += pull_power(muscle, at.in, ws.path);
    note_belly(system, muscles[k], muscle.length(ws.path), ws);
  }
}

void add_muscle_derivatives(const System& system, const double* qddot,
                            const DerivativeWorkspace* dws, const SkeletonWorkspace& skeleton,
                            MuscleScratch& ws, MatRef M, MatRef dg_dq, MatRef dg_dqdot) {
  const StoredInput at(system, skeleton, ws);
  for (const auto& element : system.muscles()) {
    const MuscleElement& muscle = *element;
    if (!muscle.muscle().has_mass() && muscle.muscle().tension.derivatives(at.in.t)[0] == 0)
      continue;
    muscle.update(at.in, qddot, muscle.force_view(), ws.path);
    muscle.add_mass_matrix(ws.path, M);
    if (!dws) continue;
    muscle.add_forces(at.in, ws.path, ws.wrench, ws.tau);
    muscle.add_derivatives(at.in, qddot, *dws, ws.path, dg_dq, dg_dqdot);
  }
}

MuscleEnergy muscle_energy(const System& system, SkeletonWorkspace& skeleton, MuscleScratch& ws) {
  for (Vec6& a : skeleton.a) a.setZero();
  const StoredInput at(system, skeleton, ws);
  MuscleEnergy out;
  for (const auto& element : system.muscles()) {
    const MuscleElement& muscle = *element;
    if (!muscle.muscle().has_mass()) continue;
    muscle.update(at.in, nullptr, MuscleView::moving, ws.path);
    out.kinetic += muscle.kinetic_energy(ws.path);
    out.gravity += muscle.gravity_energy(system.gravity(), ws.path);
  }
  return out;
}

}  // namespace sinew
