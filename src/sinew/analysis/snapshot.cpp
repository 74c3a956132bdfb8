#include "sinew/analysis/snapshot.hpp"

#include "sinew/muscles/muscles.hpp"
#include "sinew/system/element_sums.hpp"

namespace sinew {
namespace {

/// Evaluates the paths of a muscle as far as `detail` needs them, and adds the energy of its mass.
void observe(const System& system, size_t k, const SkeletonAt& in, Workspace& ws, Snapshot& out,
             PartEnergy& energy) {
  const MuscleElement& muscle = *system.muscles()[k];
  PathWorkspace& scratch = muscle_scratch(ws).path;
  const bool massive = muscle.muscle().has_mass(), all = out.detail != SnapshotDetail::audit;
  MusclePath& path = out.paths[k];
  if (!all) path = MusclePath();
  if (muscle.spans() && (massive || muscle.may_lose_path() || (all && !muscle.opensim_path()))) {
    muscle.spans()->update(in, nullptr, massive ? MuscleView::moving : MuscleView::path,
                           scratch.spans);
    path.status = muscle.spans()->status(scratch.spans);
  }
  if (massive) {
    energy.kinetic += muscle.spans()->kinetic_energy(scratch.spans);
    energy.gravity += muscle.spans()->gravity_energy(system.gravity(), scratch.spans);
  }
  if (muscle.opensim_path() && (all || muscle.may_jump()))
    muscle.opensim_path()->update(in, scratch.opensim);
  if (all) {
    const SpanStatus of_mass = massive ? path.status : SpanStatus::free;
    read_muscle_path(system, k, in, ws, path);
    if (failed(of_mass)) path.status = of_mass;
  } else if (muscle.may_jump()) {
    const PathState state = muscle.path_state(in, scratch);
    path.length = state.length;
    path.rate = state.rate;
  }
  if (out.detail == SnapshotDetail::pictures) draw_muscle(muscle, scratch, out.drawings[k]);
}

}  // namespace

LostPath Snapshot::lost_path() const {
  for (size_t k = 0; k < paths.size(); ++k)
    if (failed(paths[k].status)) return {static_cast<int>(k), paths[k].status};
  return {};
}

void take_snapshot(const System& system, const At& at, SnapshotDetail detail, Workspace& ws,
                   Snapshot& out) {
  out.t = at.t;
  out.detail = detail;
  update_kinematics(system, at, ws);
  out.energy = energy_without_parts(system, at, ws);
  for (Vec6& a : ws.skeleton.a) a.setZero();
  const double* const controls = controls_at(system, at, ws);
  const ExpandedState x = ws.border->expanded(at);
  const SkeletonAt in = skeleton_at(system, at, x, ws);
  const size_t muscles = system.muscles().size();
  out.paths.resize(muscles);
  out.drawings.resize(detail == SnapshotDetail::pictures ? muscles : 0);
  out.hill.clear();
  for (size_t p = 0; p < system.parts().size(); ++p) {
    const Part& part = *system.parts()[p];
    if (&part != system.muscle_part()) {
      out.energy += part.energy(part_at(system, p, at, x, controls, ws), *ws.parts[p]);
      continue;
    }
    PartEnergy energy;
    system.muscle_part()->update_tensions(controls + system.place(p).control, muscle_scratch(ws));
    for (size_t k = 0; k < muscles; ++k) observe(system, k, in, ws, out, energy);
    out.energy += energy;
  }
  if (detail == SnapshotDetail::audit) return;
  for (size_t i = 0; at.z.size() > 0 && i < system.hill_muscles().size(); ++i) {
    MusclePath& path = out.paths[system.hill_muscles()[i]];
    const HillMuscle& muscle = system.muscles()[system.hill_muscles()[i]]->muscle().hill->muscle;
    out.hill.push_back(evaluate_hill(muscle, at.z[activation_index(system, i)], path.length,
                                     path.rate, at.z[fibre_index(system, i)]));
    path.tension = out.hill.back().actuation;
  }
  expand_coordinates(system, at, ws, out.q, out.qdot);
  out.bodies.clear();
  for (int i = 0; i < system.skeleton().body_count(); ++i)
    out.bodies.push_back(body_pose(system.skeleton(), ws.skeleton, BodyIndex(i)));
}

}  // namespace sinew
