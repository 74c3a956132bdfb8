#include "sinew/system/hill_equations.hpp"

#include <algorithm>
#include <cmath>

#include "sinew/core/error.hpp"
#include "sinew/system/equations.hpp"

namespace sinew {

std::shared_ptr<HillScratch> make_hill_scratch(const System& system) {
  return std::make_shared<HillScratch>(system);
}

namespace {

void check(const Skeleton& skeleton, const HillDescription& description,
           const std::string& element) {
  check_hill_muscle(description.muscle, element);
  check_activation(description.activation, element);
  if (!(description.initial_activation >= 0 && description.initial_activation <= 1))
    throw Error(element, "starts with activation " + std::to_string(description.initial_activation),
                "give a number from 0 to 1");
  if (description.initial_fibre_length)
    check_fibre_length(description.muscle, *description.initial_fibre_length, element);
  if (const std::string defect = description.excitation.defect(); !defect.empty())
    throw Error(element, "its excitation " + defect, "give numbers that are finite");
  if (const auto& feedback = description.feedback) {
    if (feedback->dof.value < 0 || feedback->dof.value >= skeleton.dof_count())
      throw Error(element, "its feedback is of a coordinate that does not exist",
                  "name one of the skeleton's");
    if (!std::isfinite(feedback->gain) || !std::isfinite(feedback->target))
      throw Error(element, "its feedback is not finite", "give numbers that are finite");
  }
}

}  // namespace

const std::string& HillElement::name() const {
  return std::visit([](const auto& p) -> const std::string& { return p->name(); }, path);
}

const OpenSimPathOnSkeleton* HillElement::route() const {
  const auto* route = std::get_if<std::shared_ptr<const OpenSimPathOnSkeleton>>(&path);
  return route ? route->get() : nullptr;
}

std::shared_ptr<const HillElement> make_hill_element(const Skeleton& skeleton, int muscle,
                                                     const Muscle& path,
                                                     const HillDescription& description) {
  const std::string element = "muscle '" + path.name + "'";
  check(skeleton, description, element);
  if (path.tension.derivatives(0)[0] != 0 || path.tension.breakpoints().size() > 1)
    throw Error(element, "has a tension of its own", "leave it out: the Hill muscle has one");
  Muscle pull = path;
  pull.mass = 0;
  pull.regions.clear();
  auto out = std::make_shared<HillElement>();
  out->muscle = muscle;
  out->description = description;
  out->path = std::make_shared<const MuscleElement>(skeleton, pull);
  return out;
}

std::shared_ptr<const HillElement> make_hill_element(const Skeleton& skeleton,
                                                     const OpenSimPath& path,
                                                     const HillDescription& description) {
  check(skeleton, description, "muscle '" + path.name + "'");
  auto out = std::make_shared<HillElement>();
  out->description = description;
  out->path = std::make_shared<const OpenSimPathOnSkeleton>(skeleton, path);
  return out;
}

HillScratch::HillScratch(const System& system)
    : tension(system.hill_muscles().size()), tau(system.skeleton().dof_count()) {
  const auto n = static_cast<Eigen::Index>(tension.size());
  for (VecX* x : {&length, &rate}) x->setZero(n);
  wrench.resize(static_cast<size_t>(system.skeleton().link_count()));
}

namespace {

/// A path at `in`: its length, its rate, and its gradient by the coordinates `dofs`.
struct PathState {
  double length, rate;
  const std::vector<int>& dofs;
  const std::vector<double>& dL;
};

/// Of both kinds of paths; their scratch.
struct PathScratch {
  MuscleWorkspace& muscle;
  OpenSimPathWorkspace& route;
};

template <class Path, class PathWorkspace>
PathState state_of(const Path& path, double length, const SkeletonAt& in, const PathWorkspace& ws) {
  double rate = 0;
  for (size_t k = 0; k < path.dofs().size(); ++k) rate += ws.dL[k] * in.qdot[path.dofs()[k]];
  return {length, rate, path.dofs(), ws.dL};
}

PathState update_path(const HillElement& element, const SkeletonAt& in, PathScratch ws) {
  if (const OpenSimPathOnSkeleton* route = element.route()) {
    route->update(in, ws.route);
    route->update_length_gradient(in, ws.route);
    return state_of(*route, ws.route.length, in, ws.route);
  }
  const MuscleElement& pull = *std::get<0>(element.path);
  pull.update(in, nullptr, MuscleView::path, ws.muscle);
  pull.update_length_gradient(ws.muscle);
  return state_of(pull, pull.length(ws.muscle), in, ws.muscle);
}

/// The wrenches and forces on coordinates that 1 N asks for. Needs update_path.
void update_unit_pull(const HillElement& element, const SkeletonAt& in, MuscleWorkspace& path,
                      HillScratch& ws) {
  for (Vec6& w : ws.wrench) w.setZero();
  ws.tau.setZero();
  if (const OpenSimPathOnSkeleton* route = element.route())
    route->add_forces(in, 1, ws.route, ws.wrench, ws.tau);
  else
    std::get<0>(element.path)->add_forces(in, 1, path, ws.wrench, ws.tau);
}

/// Adds the derivatives of a constant tension's pull, turning with the links apart. Needs
/// update_unit_pull.
void add_pull_derivatives(const HillElement& element, double tension, const SkeletonAt& in,
                          const double* qddot, const DerivativeWorkspace& dws,
                          MuscleWorkspace& path, HillScratch& ws, MatRef dg_dq, MatRef dg_dqdot) {
  if (const OpenSimPathOnSkeleton* route = element.route()) {
    route->add_derivatives(in, tension, ws.route, dg_dq);
    return;
  }
  ws.dg_dq.setZero();
  ws.dg_dqdot.setZero();
  std::get<0>(element.path)->add_derivatives(in, 1, qddot, dws, path, ws.dg_dq, ws.dg_dqdot);
  dg_dq += tension * ws.dg_dq;
  dg_dqdot += tension * ws.dg_dqdot;
}

}  // namespace

void add_hill_forces(const System& system, const SkeletonAt& in, const At& at, ForceForm how,
                     MuscleScratch& muscles, HillScratch& ws, AppliedForces& out) {
  if (at.z.size() != 2 * static_cast<Eigen::Index>(ws.tension.size()))
    throw Error("state", "has no activations or fibre lengths for the system's muscles",
                "start from default_state, or call initialize_muscles");
  for (size_t i = 0; i < ws.tension.size(); ++i) {
    const HillElement& element = *system.hill_muscles()[i];
    const HillMuscle& m = element.description.muscle;
    const auto k = static_cast<Eigen::Index>(i);
    const PathState path = update_path(element, in, {muscles.path, ws.route});
    ws.length[k] = path.length;
    ws.rate[k] = path.rate;
    const double activation = at.z[activation_index(i)], fibre = at.z[fibre_index(system, i)];
    ws.tension[i] = at.gamma > 0
                        ? implicit_tension(m, activation, path.length, path.rate, fibre, at.gamma)
                        : held_tension(m, activation, path.length, path.rate, fibre);
    const double tension = ws.tension[i].tension;
    out.power -= tension * path.rate;
    if (how == ForceForm::wrenches) {
      update_unit_pull(element, in, muscles.path, ws);
      for (size_t b = 0; b < ws.wrench.size(); ++b) out.wrench[b] -= tension * ws.wrench[b];
      out.tau -= tension * ws.tau;
    } else {
      for (size_t d = 0; d < path.dofs.size(); ++d) out.tau[path.dofs[d]] -= tension * path.dL[d];
    }
  }
}

void add_hill_derivatives(const System& system, const SkeletonAt& in, const double* qddot,
                          const DerivativeWorkspace* dws, MuscleScratch& muscles, HillScratch& ws,
                          MatRef dg_dq, MatRef dg_dqdot) {
  ws.dg_dq.resize(dg_dq.rows(), dg_dq.cols());
  ws.dg_dqdot.resize(dg_dq.rows(), dg_dq.cols());
  for (size_t i = 0; i < ws.tension.size(); ++i) {
    const HillElement& element = *system.hill_muscles()[i];
    const HillTension& tension = ws.tension[i];
    const PathState path = update_path(element, in, {muscles.path, ws.route});
    for (size_t c = 0; c < path.dofs.size(); ++c)
      for (size_t r = 0; r < path.dofs.size(); ++r) {
        const double product = path.dL[r] * path.dL[c];
        dg_dq(path.dofs[r], path.dofs[c]) += tension.d_length * product;
        dg_dqdot(path.dofs[r], path.dofs[c]) += tension.d_rate * product;
      }
    if (!dws || tension.tension == 0) continue;
    update_unit_pull(element, in, muscles.path, ws);
    add_pull_derivatives(element, tension.tension, in, qddot, *dws, muscles.path, ws, dg_dq,
                         dg_dqdot);
  }
}

VecX described_internal_state(const System& system) {
  VecX z(2 * static_cast<Eigen::Index>(system.hill_muscles().size()));
  for (size_t i = 0; i < system.hill_muscles().size(); ++i) {
    const HillDescription& d = system.hill_muscles()[i]->description;
    z[activation_index(i)] = std::clamp(d.initial_activation, d.activation.minimum, 1.0);
    z[fibre_index(system, i)] = d.initial_fibre_length.value_or(d.muscle.optimal_fibre_length);
  }
  return z;
}

std::vector<HillStatus> initialize_muscles(const System& system, State& state, Workspace& ws) {
  const size_t n = system.hill_muscles().size();
  std::vector<HillStatus> status(n, HillStatus::equilibrated);
  state.z = described_internal_state(system);
  if (n == 0) return status;
  VecX controls(system.controls().size());
  system.controls().evaluate(state.t, state, controls);
  const ExpandedState x = expand(system, state, ws);
  update_kinematics(system.skeleton(), x.q, x.qdot, ws.skeleton);
  const SkeletonAt in{system.skeleton(), state.t, x.q, x.qdot, ws.skeleton};
  for (size_t i = 0; i < n; ++i) {
    const HillElement& element = *system.hill_muscles()[i];
    const HillDescription& d = element.description;
    double& activation = state.z[activation_index(i)];
    if (d.immediate)
      activation = std::clamp(controls[system.excitation_control(i)], d.activation.minimum, 1.0);
    const PathState path = update_path(element, in, {ws.muscles->path, ws.hill->route});
    const HillEquilibrium e = equilibrate(d.muscle, activation, path.length, path.rate);
    status[i] = e.status;
    if (e.status == HillStatus::no_equilibrium)
      throw Error("muscle '" + element.name() + "'", "has a path without a finite length",
                  "check its points and surfaces in the initial pose");
    state.z[fibre_index(system, i)] =
        d.initial_fibre_length && !d.muscle.rigid_tendon
            ? std::max(*d.initial_fibre_length, d.muscle.min_fibre_length())
            : e.fibre_length;
  }
  return status;
}

void internal_rates(const System& system, const At& at, Workspace& ws, VecRef zdot) {
  if (!ws.hill) return;
  const double* const controls = controls_at(system, at, ws);
  for (size_t i = 0; i < system.hill_muscles().size(); ++i) {
    const HillDescription& d = system.hill_muscles()[i]->description;
    const auto k = static_cast<Eigen::Index>(i);
    const double activation = at.z[activation_index(i)];
    zdot[activation_index(i)] =
        d.immediate
            ? 0
            : activation_rate(d.activation, activation, controls[system.excitation_control(i)])
                  .rate;
    zdot[fibre_index(system, i)] = evaluate_hill(d.muscle, activation, ws.hill->length[k],
                                                 ws.hill->rate[k], at.z[fibre_index(system, i)])
                                       .fibre_velocity;
  }
}

std::vector<HillValues<double>> hill_values(const System& system, const State& state,
                                            Workspace& ws) {
  std::vector<HillValues<double>> out;
  if (!ws.hill) return out;
  const ExpandedState x = expand(system, state, ws);
  update_kinematics(system.skeleton(), x.q, x.qdot, ws.skeleton);
  const SkeletonAt in{system.skeleton(), state.t, x.q, x.qdot, ws.skeleton};
  for (size_t i = 0; i < system.hill_muscles().size(); ++i) {
    const HillElement& element = *system.hill_muscles()[i];
    const PathState path = update_path(element, in, {ws.muscles->path, ws.hill->route});
    out.push_back(evaluate_hill(element.description.muscle, state.z[activation_index(i)],
                                path.length, path.rate, state.z[fibre_index(system, i)]));
  }
  return out;
}

}  // namespace sinew
