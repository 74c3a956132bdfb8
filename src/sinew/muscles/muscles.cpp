#include "sinew/muscles/muscles.hpp"

#include <algorithm>

#include "sinew/core/error.hpp"

namespace sinew {
namespace {

MuscleScratch& muscle_scratch(PartScratch& scratch) { return static_cast<MuscleScratch&>(scratch); }
const MuscleScratch& muscle_scratch(const PartScratch& scratch) {
  return static_cast<const MuscleScratch&>(scratch);
}

/// Work per second of a muscle's pull. Needs update of the muscle.
double pull_power(const MuscleElement& muscle, const SkeletonAt& in, double tension,
                  MuscleWorkspace& ws) {
  if (tension == 0) return 0;
  muscle.update_length_gradient(ws);
  double rate = 0;
  for (size_t l = 0; l < muscle.dofs().size(); ++l) rate += ws.dL[l] * in.qdot[muscle.dofs()[l]];
  return -tension * rate;
}

/// The wrenches and forces on coordinates that 1 N along the path of a Hill muscle asks for. Needs
/// update_path.
void update_unit_pull(const HillElement& element, const SkeletonAt& in, MuscleScratch& ws) {
  for (Vec6& w : ws.wrench) w.setZero();
  ws.tau.setZero();
  if (const OpenSimPathOnSkeleton* route = element.route())
    route->add_forces(in, 1, ws.route, ws.wrench, ws.tau);
  else
    std::get<0>(element.path)->add_forces(in, 1, ws.path, ws.wrench, ws.tau);
}

/// Adds the derivatives of a constant tension's pull, turning with the links apart. Needs
/// update_unit_pull.
void add_pull_derivatives(const HillElement& element, double tension, const SkeletonAt& in,
                          const double* qddot, const DerivativeWorkspace& dws, MuscleScratch& ws,
                          PartDerivatives& out) {
  if (const OpenSimPathOnSkeleton* route = element.route()) {
    route->add_derivatives(in, tension, ws.route, out.dg_dq);
    return;
  }
  ws.dg_dq.setZero(out.dg_dq.rows(), out.dg_dq.cols());
  ws.dg_dqdot.setZero(out.dg_dq.rows(), out.dg_dq.cols());
  std::get<0>(element.path)->add_derivatives(in, 1, qddot, dws, ws.path, ws.dg_dq, ws.dg_dqdot);
  out.dg_dq += tension * ws.dg_dq;
  out.dg_dqdot += tension * ws.dg_dqdot;
}

}  // namespace

MuscleScratch::MuscleScratch(const Skeleton& skeleton, size_t muscles, size_t hill_muscles)
    : tension(muscles),
      tau(skeleton.dof_count()),
      wrench(static_cast<size_t>(skeleton.link_count())),
      hill(hill_muscles),
      length(VecX::Zero(static_cast<Eigen::Index>(hill_muscles))),
      rate(length) {}

Muscles::Muscles(const Skeleton& skeleton, MuscleList elements, HillList hill)
    : skeleton_(skeleton),
      elements_(std::move(elements)),
      hill_(std::move(hill)),
      tension_control_(elements_.size(), 0) {
  for (const auto& element : hill_)
    if (element->muscle >= 0) tension_control_[static_cast<size_t>(element->muscle)] = -1;
  for (int& control : tension_control_)
    if (control == 0) control = first_excitation_++;
  for (size_t k = 0; k < elements_.size(); ++k)
    (elements_[k]->muscle().has_mass() ? massive_ : massless_).push_back(k);
}

std::string Muscles::element_with(Feature feature) const {
  return "muscle '" +
         (feature == Feature::hill_muscles ? hill_[0]->name() : elements_[massive_[0]]->name()) +
         "'";
}

std::unique_ptr<PartScratch> Muscles::make_scratch() const {
  return std::make_unique<MuscleScratch>(skeleton_, elements_.size(), hill_.size());
}

std::vector<Control> Muscles::controls() const {
  std::vector<Control> out;
  for (size_t k = 0; k < elements_.size(); ++k)
    if (tension_control_[k] >= 0)
      out.push_back({elements_[k]->name(), ControlKind::tension, elements_[k]->muscle().tension});
  for (const auto& element : hill_)
    out.push_back({element->name(), ControlKind::excitation, element->description.excitation});
  return out;
}

double Muscles::mass() const {
  double sum = 0;
  for (const size_t k : massive_) sum += elements_[k]->muscle().mass;
  return sum;
}

void Muscles::update_tensions(const double* controls, MuscleScratch& ws) const {
  for (size_t k = 0; k < elements_.size(); ++k)
    ws.tension[k] = tension_control_[k] < 0 ? 0 : controls[tension_control_[k]];
}

void Muscles::add_forces(const PartAt& at, ForceForm how, PartScratch& scratch,
                         AppliedForces& out) const {
  MuscleScratch& ws = muscle_scratch(scratch);
  update_tensions(at.skeleton.controls, ws);
  add_massless(at.skeleton, how, ws, out);
  add_hill(at, how, ws, out);
}

void Muscles::add_massless(const SkeletonAt& in, ForceForm how, MuscleScratch& ws,
                           AppliedForces& out) const {
  for (Vec6& wrench : ws.wrench) wrench.setZero();
  ws.tau.setZero();
  for (const size_t k : massless_) {
    const MuscleElement& muscle = *elements_[k];
    const double tension = ws.tension[k];
    if (tension == 0) continue;
    if (how == ForceForm::fast && muscle.spanned()) {
      out.power += muscle.spanned()->add_pull(muscle.muscle(), tension, in, ws.tau);
    } else {
      muscle.update(in, nullptr, MuscleView::path, ws.path);
      muscle.add_forces(in, tension, ws.path, ws.wrench, ws.tau);
      out.power += pull_power(muscle, in, tension, ws.path);
    }
  }
  // These are forces that muscles ask for: what acts is the opposite.
  for (size_t i = 0; i < ws.wrench.size(); ++i) out.wrench[i] -= ws.wrench[i];
  out.tau.head(ws.tau.size()) -= ws.tau;
}

void Muscles::add_hill(const PartAt& at, ForceForm how, MuscleScratch& ws,
                       AppliedForces& out) const {
  if (at.z.size() != internal_count())
    throw Error("state", "has no activations or fibre lengths for the system's muscles",
                "start from default_state, or call initialize_muscles");
  for (size_t i = 0; i < hill_.size(); ++i) {
    const HillElement& element = *hill_[i];
    const HillMuscle& m = element.description.muscle;
    const auto k = static_cast<Eigen::Index>(i);
    const PathState path = update_path(element, at.skeleton, {ws.path, ws.route});
    ws.length[k] = path.length;
    ws.rate[k] = path.rate;
    const double activation = at.z[activation_index(i)], fibre = at.z[fibre_index(i)];
    ws.hill[i] = at.gamma > 0
                     ? implicit_tension(m, activation, path.length, path.rate, fibre, at.gamma)
                     : held_tension(m, activation, path.length, path.rate, fibre);
    const double tension = ws.hill[i].tension;
    out.power -= tension * path.rate;
    if (how == ForceForm::wrenches) {
      update_unit_pull(element, at.skeleton, ws);
      for (size_t b = 0; b < ws.wrench.size(); ++b) out.wrench[b] -= tension * ws.wrench[b];
      out.tau.head(ws.tau.size()) -= tension * ws.tau;
    } else {
      for (size_t d = 0; d < path.dofs.size(); ++d) out.tau[path.dofs[d]] -= tension * path.dL[d];
    }
  }
}

void Muscles::note_belly(size_t muscle, double length, MuscleScratch& ws) const {
  if (elements_[muscle]->has_belly(length) || ws.vanished_belly >= 0) return;
  ws.vanished_belly = static_cast<int>(muscle);
}

std::string Muscles::failure(const PartScratch& scratch) const {
  const int muscle = muscle_scratch(scratch).vanished_belly;
  if (muscle < 0) return "";
  return name_of(SpanStatus::no_room) + std::string(" in muscle '") +
         elements_[static_cast<size_t>(muscle)]->name() + "'";
}

void Muscles::add_inertial_forces(const PartAt& at, const double* qddot, PartScratch& scratch,
                                  InertialForces out) const {
  MuscleScratch& ws = muscle_scratch(scratch);
  ws.vanished_belly = -1;
  for (const size_t k : massive_) {
    const MuscleElement& muscle = *elements_[k];
    muscle.update(at.skeleton, qddot, muscle.force_view(), ws.path);
    muscle.add_forces(at.skeleton, ws.tension[k], ws.path, out.wrench, out.tau);
    out.power += pull_power(muscle, at.skeleton, ws.tension[k], ws.path);
    note_belly(k, muscle.length(ws.path), ws);
  }
}

void Muscles::add_mass_and_forces(const PartAt& at, const double* qddot, PartScratch& scratch,
                                  PartMass& mass, InertialForces out) const {
  if (massive_.empty()) return;
  MuscleScratch& ws = muscle_scratch(scratch);
  const SkeletonAt& in = at.skeleton;
  MuscleSums sums{mass.carried, mass.rr, out.tau};
  ws.vanished_belly = -1;
  if (!ws.lanes) {
    ws.lanes = std::make_unique<const CylinderMuscleBatch>(skeleton_, elements_);
    ws.straight = std::make_unique<const PolylineMuscleBatch>(skeleton_, elements_);
  }
  const auto add_spanned = [&](size_t k) {
    const MuscleElement& muscle = *elements_[k];
    const MuscleBlockPull pull =
        muscle.spanned()->add(muscle.muscle(), ws.tension[k], in, ws.spanned, sums, out.wrench);
    out.power += pull.power;
    note_belly(k, pull.length, ws);
  };
  out.power += ws.lanes->add(in, ws.tension, ws.lane, sums, out.wrench);
  for (const size_t k : ws.lane.others) add_spanned(k);
  out.power += ws.straight->add(in, ws.tension, qddot, ws.polygon, sums, out.wrench);
  for (const size_t k : massive_) {
    const MuscleElement& muscle = *elements_[k];
    if (ws.lanes->takes(k)) continue;
    if (ws.straight->takes(k)) {
      note_belly(k, ws.polygon.length[k], ws);
      continue;
    }
    if (muscle.spanned()) {
      add_spanned(k);
      continue;
    }
    muscle.update(in, qddot, muscle.force_view(), ws.path);
    muscle.add_forces(in, ws.tension[k], ws.path, out.wrench, out.tau);
    muscle.add_mass_matrix(ws.path, sums.M);
    out.power += pull_power(muscle, in, ws.tension[k], ws.path);
    note_belly(k, muscle.length(ws.path), ws);
  }
}

void Muscles::add_inertial_derivatives(const PartAt& at, const double* qddot,
                                       const DerivativeWorkspace* dws, PartScratch& scratch,
                                       PartDerivatives& out) const {
  MuscleScratch& ws = muscle_scratch(scratch);
  for (const size_t k : massive_) {
    const MuscleElement& muscle = *elements_[k];
    muscle.update(at.skeleton, qddot, muscle.force_view(), ws.path);
    muscle.add_mass_matrix(ws.path, out.M);
    if (!dws) continue;
    muscle.add_forces(at.skeleton, ws.tension[k], ws.path, ws.wrench, ws.tau);
    muscle.add_derivatives(at.skeleton, ws.tension[k], qddot, *dws, ws.path, out.dg_dq,
                           out.dg_dqdot);
  }
}

void Muscles::add_force_derivatives(const PartAt& at, const double* qddot, StiffnessModel kind,
                                    const DerivativeWorkspace& dws, PartScratch& scratch,
                                    PartDerivatives& out) const {
  MuscleScratch& ws = muscle_scratch(scratch);
  const SkeletonAt& in = at.skeleton;
  const bool exact = kind == StiffnessModel::exact;
  for (const size_t k : massless_) {
    const MuscleElement& muscle = *elements_[k];
    if (!exact || ws.tension[k] == 0) continue;
    muscle.update(in, qddot, MuscleView::path, ws.path);
    muscle.add_forces(in, ws.tension[k], ws.path, ws.wrench, ws.tau);
    muscle.add_derivatives(in, ws.tension[k], qddot, dws, ws.path, out.dg_dq, out.dg_dqdot);
  }
  for (size_t i = 0; i < hill_.size(); ++i) {
    const HillElement& element = *hill_[i];
    const HillTension& tension = ws.hill[i];
    const PathState path = update_path(element, in, {ws.path, ws.route});
    // A force that falls as the path lengthens would make the matrix indefinite.
    const bool definite = kind == StiffnessModel::definite;
    const double by_length = definite ? std::max(tension.d_length, 0.0) : tension.d_length;
    const double by_rate = definite ? std::max(tension.d_rate, 0.0) : tension.d_rate;
    for (size_t c = 0; c < path.dofs.size(); ++c)
      for (size_t r = 0; r < path.dofs.size(); ++r) {
        const double product = path.dL[r] * path.dL[c];
        out.dg_dq(path.dofs[r], path.dofs[c]) += by_length * product;
        out.dg_dqdot(path.dofs[r], path.dofs[c]) += by_rate * product;
      }
    if (!exact || tension.tension == 0) continue;
    update_unit_pull(element, in, ws);
    add_pull_derivatives(element, tension.tension, in, qddot, dws, ws, out);
  }
}

PartEnergy Muscles::energy(const PartAt& at, PartScratch& scratch) const {
  MuscleScratch& ws = muscle_scratch(scratch);
  PartEnergy out;
  for (const size_t k : massive_) {
    const MuscleElement& muscle = *elements_[k];
    muscle.update(at.skeleton, nullptr, MuscleView::moving, ws.path);
    out.kinetic += muscle.kinetic_energy(ws.path);
    out.gravity += muscle.gravity_energy(at.gravity, ws.path);
  }
  return out;
}

bool Muscles::mass_changes_fast() const {
  return !massive_.empty() && hill_.empty() &&
         std::all_of(massive_.begin(), massive_.end(),
                     [&](size_t k) { return elements_[k]->muscle().velocity_terms; });
}

void Muscles::describe_internal(VecRef z) const {
  for (size_t i = 0; i < hill_.size(); ++i) {
    const HillDescription& d = hill_[i]->description;
    z[activation_index(i)] = std::clamp(d.initial_activation, d.activation.minimum, 1.0);
    z[fibre_index(i)] = d.initial_fibre_length.value_or(d.muscle.optimal_fibre_length);
  }
}

std::vector<HillStatus> Muscles::equilibrate(const PartAt& at, MuscleScratch& ws, VecRef z) const {
  std::vector<HillStatus> status(hill_.size(), HillStatus::equilibrated);
  follow_controls(at.skeleton.controls, z);
  for (size_t i = 0; i < hill_.size(); ++i) {
    const HillElement& element = *hill_[i];
    const HillDescription& d = element.description;
    const PathState path = update_path(element, at.skeleton, {ws.path, ws.route});
    const HillEquilibrium e =
        sinew::equilibrate(d.muscle, z[activation_index(i)], path.length, path.rate);
    status[i] = e.status;
    if (e.status == HillStatus::no_equilibrium)
      throw Error("muscle '" + element.name() + "'", "has a path without a finite length",
                  "check its points and surfaces in the initial pose");
    z[fibre_index(i)] = d.initial_fibre_length && !d.muscle.rigid_tendon
                            ? std::max(*d.initial_fibre_length, d.muscle.min_fibre_length())
                            : e.fibre_length;
  }
  return status;
}

void Muscles::settle_internal(const PartAt& at, PartScratch& scratch, VecRef z) const {
  equilibrate(at, muscle_scratch(scratch), z);
}

void Muscles::internal_rates(const PartAt& at, const PartScratch& scratch, VecRef zdot) const {
  const MuscleScratch& ws = muscle_scratch(scratch);
  for (size_t i = 0; i < hill_.size(); ++i) {
    const HillDescription& d = hill_[i]->description;
    const auto k = static_cast<Eigen::Index>(i);
    const double activation = at.z[activation_index(i)];
    const double excitation = at.skeleton.controls[excitation_control(i)];
    zdot[activation_index(i)] =
        d.immediate ? 0 : activation_rate(d.activation, activation, excitation).rate;
    zdot[fibre_index(i)] =
        evaluate_hill(d.muscle, activation, ws.length[k], ws.rate[k], at.z[fibre_index(i)])
            .fibre_velocity;
  }
}

void Muscles::follow_controls(const double* controls, VecRef z) const {
  for (size_t i = 0; i < hill_.size(); ++i) {
    const HillDescription& d = hill_[i]->description;
    if (d.immediate)
      z[activation_index(i)] =
          std::clamp(controls[excitation_control(i)], d.activation.minimum, 1.0);
  }
}

void Muscles::flow_internal(const VecView& z0, double dt, const double* controls, VecRef z) const {
  for (size_t i = 0; i < hill_.size(); ++i) {
    const HillDescription& d = hill_[i]->description;
    if (!d.immediate)
      z[activation_index(i)] = step_activation(d.activation, z0[activation_index(i)],
                                               controls[excitation_control(i)], dt);
  }
}

void Muscles::read_stage(const PartScratch& scratch, VecRef z) const {
  for (size_t i = 0; i < hill_.size(); ++i)
    z[fibre_index(i)] = muscle_scratch(scratch).hill[i].fibre_length;
}

}  // namespace sinew
