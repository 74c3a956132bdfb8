#include "sinew/muscles/muscles.hpp"

#include <algorithm>

#include "sinew/core/error.hpp"
#include "sinew/math/infinity.hpp"
#include "sinew/muscles/wrap/chosen_side.hpp"

namespace sinew {
namespace {

MuscleScratch& muscle_scratch(PartScratch& scratch) { return static_cast<MuscleScratch&>(scratch); }
const MuscleScratch& muscle_scratch(const PartScratch& scratch) {
  return static_cast<const MuscleScratch&>(scratch);
}

SpanPathList paths_of(const MuscleList& elements) {
  SpanPathList out;
  for (const auto& element : elements) out.push_back(element->spans());
  return out;
}

}  // namespace

MuscleScratch::MuscleScratch(const Skeleton& skeleton, size_t muscles, size_t hill_muscles)
    : tension(muscles),
      tau(skeleton.dof_count()),
      wrench(static_cast<size_t>(skeleton.link_count())),
      hill(hill_muscles),
      length(VecX::Zero(static_cast<Eigen::Index>(hill_muscles))),
      rate(length),
      dL(hill_muscles) {}

/// Tensions of the muscles whose pull is evaluated along with their mass.
class Muscles::PullsWithMass final : public TensionLaw {
 public:
  PullsWithMass(const Muscles& muscles, const PartAt& at, MuscleScratch& ws)
      : muscles_(muscles), at_(at), ws_(ws) {}
  double tension(size_t muscle, double length, double rate) override {
    if (!muscles_.elements_[muscle]->pulls_with_mass()) return 0;
    const int hill = muscles_.hill_index_[muscle];
    if (hill < 0) return ws_.tension[muscle];
    // Where M alone is wanted, the internal state may be missing.
    if (at_.z.size() == 0) return 0;
    return muscles_.pull_hill(static_cast<size_t>(hill), length, rate, at_, ws_);
  }

 private:
  const Muscles& muscles_;
  const PartAt& at_;
  MuscleScratch& ws_;
};

Muscles::Muscles(const Skeleton& skeleton, MuscleList elements)
    : skeleton_(skeleton), elements_(std::move(elements)), massive_(skeleton, paths_of(elements_)) {
  hill_index_.assign(elements_.size(), -1);
  control_.resize(elements_.size());
  for (size_t k = 0; k < elements_.size(); ++k) {
    if (!elements_[k]->muscle().hill) continue;
    hill_index_[k] = static_cast<int>(hill_.size());
    hill_.push_back(k);
  }
  tensions_known_ =
      std::all_of(massive_.numbers().begin(), massive_.numbers().end(),
                  [&](size_t k) { return hill_index_[k] < 0 && elements_[k]->pulls_with_mass(); });
  int next = 0;
  for (const bool hill : {false, true})
    for (size_t k = 0; k < elements_.size(); ++k)
      if ((hill_index_[k] >= 0) == hill) control_[k] = next++;
}

/// Most systems do without the law.
Tensions Muscles::tensions(TensionLaw& law, const MuscleScratch& ws) const {
  return tensions_known_ ? Tensions(ws.tension) : Tensions(law);
}

std::string Muscles::element_with(Feature feature) const {
  const size_t k = feature == Feature::hill_muscles ? hill_[0] : massive_.numbers()[0];
  return "muscle '" + elements_[k]->name() + "'";
}

std::unique_ptr<PartScratch> Muscles::make_scratch() const {
  return std::make_unique<MuscleScratch>(skeleton_, elements_.size(), hill_.size());
}

std::vector<Control> Muscles::controls() const {
  std::vector<Control> out(elements_.size());
  for (size_t k = 0; k < elements_.size(); ++k) {
    const Muscle& muscle = elements_[k]->muscle();
    out[static_cast<size_t>(control_[k])] =
        muscle.hill ? Control{muscle.name, ControlKind::excitation, muscle.hill->excitation}
                    : Control{muscle.name, ControlKind::tension, muscle.tension};
  }
  return out;
}

void Muscles::add_control_derivatives(const PartAt& at, PartScratch& scratch,
                                      MatRef columns) const {
  PathWorkspace& ws = muscle_scratch(scratch).path;
  for (size_t k = 0; k < elements_.size(); ++k) {
    if (hill_index_[k] >= 0) continue;
    const PathState path = elements_[k]->measure(at.skeleton, ws);
    for (size_t i = 0; i < path.dofs.size(); ++i) columns(path.dofs[i], control_[k]) -= path.dL[i];
  }
}

namespace {

/// Whether a point of its spans comes and goes at once.
bool switches(const Muscle& muscle) {
  for (const PathPoint& point : muscle.points)
    for (const PathTerm& term : point.terms)
      for (const PathWeight& weight : term.weights)
        if (const auto* window = std::get_if<Window>(&weight.function);
            window != nullptr && window->band == 0 && window->inside != window->outside)
          return true;
  return false;
}

}  // namespace

Obstacle Muscles::obstacle() const {
  for (const auto& element : elements_) {
    const Muscle& muscle = element->muscle();
    const std::string name = "muscle '" + muscle.name + "' ";
    if (muscle.opensim_path && element->may_jump())
      return {name + "follows a path by OpenSim's rules, which jumps",
              "set \"smooth_paths\": true in the task: its route is then fixed and smooth"};
    if (switches(muscle))
      return {name + "has points that come and go with a jump",
              "choose the policy \"smooth\" for its conditional points"};
    for (const PathSpan& span : muscle.spans)
      if (const auto* cylinder = std::get_if<CylinderWrap>(&span.wrap);
          cylinder != nullptr && cylinder->side == WrapSide::nearest)
        return {
            name + "passes a cylinder on the nearer side, and its pull jumps where that changes",
            "choose a side"};
    if (!muscle.has_mass()) continue;
    if (muscle.mass_model == MassModel::points)
      return {name + "has its mass in points, which jump from span to span",
              "leave out \"mass_model\": continuous mass is smooth"};
    for (const PathSpan& span : muscle.spans)
      if (!is_smooth(span.wrap))
        return {name + "has mass on a surface that it leaves with a jump of its velocities",
                "choose the smooth model of the surface"};
  }
  return {};
}

void Muscles::append_pieces(const PartAt& at, PartScratch& scratch, std::vector<int>& out) const {
  MuscleScratch& ws = muscle_scratch(scratch);
  for (size_t k = 0; k < elements_.size(); ++k) {
    const MuscleElement& element = *elements_[k];
    const Muscle& muscle = element.muscle();
    int piece = 0;
    const auto add = [&](int choice, int choices) { piece = choices * piece + choice; };
    if (hill_index_[k] >= 0) {
      const auto hill = static_cast<size_t>(hill_index_[k]);
      const HillDescription& d = *muscle.hill;
      const double u = at.skeleton.controls[control_[k]], a = at.z[activation_index(hill)];
      const double least = d.activation.minimum;
      add(u < least ? 1 : u > 1 ? 2 : 0, 3);
      if (!d.immediate && d.activation.kind == ActivationDynamics::Kind::piecewise)
        add(u > a ? 1 : 0, 2);
      add(ws.hill[hill].fibre_length <= d.muscle.min_fibre_length() ? 1 : 0, 2);
      if (d.muscle.rigid_tendon) add(ws.hill[hill].tension == 0 ? 1 : 0, 2);
      // The slope of Thelen's force–velocity curve doubles where the fibre is at rest.
      if (std::holds_alternative<Thelen2003Curves>(d.muscle.curves)) {
        const bool lengthens = d.muscle.rigid_tendon
                                   ? ws.rate[static_cast<Eigen::Index>(hill)] > 0
                                   : ws.hill[hill].fibre_length > at.z[fibre_index(hill)];
        add(lengthens ? 1 : 0, 2);
      }
    }
    if (element.may_lose_path()) {
      element.spans()->update(at.skeleton, nullptr, MuscleView::path, ws.path.spans);
      for (size_t j = 0; j < muscle.spans.size(); ++j) {
        const SpanStatus status = ws.path.spans.solutions[j].status;
        if (failed(status)) {
          piece = -1;
          break;
        }
        if (!is_smooth(muscle.spans[j].wrap)) add(static_cast<int>(status), 3);
      }
    }
    out.push_back(piece);
  }
}

void Muscles::append_sides(const PartAt& at, PartScratch& scratch,
                           std::vector<ChosenSide>& out) const {
  SpanPathWorkspace& ws = muscle_scratch(scratch).path.spans;
  for (size_t k = 0; k < elements_.size(); ++k) {
    const std::vector<PathSpan>& spans = elements_[k]->muscle().spans;
    const bool any = elements_[k]->may_lose_path() &&
                     std::any_of(spans.begin(), spans.end(),
                                 [](const PathSpan& span) { return chooses_side(span.wrap); });
    if (!any) continue;
    elements_[k]->spans()->update(at.skeleton, nullptr, MuscleView::path, ws);
    for (size_t j = 0; j < spans.size(); ++j)
      if (chooses_side(spans[j].wrap))
        out.push_back(
            {k, side_of(spans[j].wrap, ws.solutions[j], ws.motion[j].x[0], ws.motion[j].x[1])});
  }
}

double Muscles::mass() const {
  double sum = 0;
  for (const size_t k : massive_.numbers()) sum += elements_[k]->muscle().mass;
  return sum;
}

void Muscles::update_tensions(const double* controls, MuscleScratch& ws) const {
  for (size_t k = 0; k < elements_.size(); ++k)
    ws.tension[k] = hill_index_[k] < 0 ? controls[control_[k]] : 0;
}

double Muscles::pull_hill(size_t hill, double length, double rate, const PartAt& at,
                          MuscleScratch& ws) const {
  const HillMuscle& m = hill_of(hill).muscle;
  const double activation = at.z[activation_index(hill)], fibre = at.z[fibre_index(hill)];
  ws.length[static_cast<Eigen::Index>(hill)] = length;
  ws.rate[static_cast<Eigen::Index>(hill)] = rate;
  ws.hill[hill] = at.gamma > 0 ? implicit_tension(m, activation, length, rate, fibre, at.gamma)
                               : held_tension(m, activation, length, rate, fibre);
  return ws.tension[hill_[hill]] = ws.hill[hill].tension;
}

void Muscles::add_forces(const PartAt& at, ForceForm how, PartScratch& scratch,
                         AppliedForces& out) const {
  if (at.z.size() != internal_count())
    throw Error("state", "has no activations or fibre lengths for the system's muscles",
                "start from default_state, or call initialize_muscles");
  MuscleScratch& ws = muscle_scratch(scratch);
  const SkeletonAt& in = at.skeleton;
  update_tensions(in.controls, ws);
  for (Vec6& wrench : ws.wrench) wrench.setZero();
  ws.tau.setZero();
  for (size_t k = 0; k < elements_.size(); ++k) {
    const MuscleElement& muscle = *elements_[k];
    if (how != ForceForm::alone && muscle.pulls_with_mass()) continue;
    if (hill_index_[k] < 0 && ws.tension[k] == 0) continue;
    const auto hill = static_cast<size_t>(hill_index_[k]);
    const bool wrenches = how == ForceForm::wrenches;
    if (const MuscleBlock* block = muscle.block(); block && !wrenches && hill_index_[k] < 0) {
      out.power += block->add_pull(muscle.muscle(), ws.tension[k], in, ws.tau);
      continue;
    }
    const PathState path = wrenches ? muscle.update_path(in, ws.path) : muscle.measure(in, ws.path);
    if (hill_index_[k] >= 0) pull_hill(hill, path.length, path.rate, at, ws);
    const double tension = ws.tension[k];
    out.power -= tension * path.rate;
    if (!wrenches) {
      for (size_t d = 0; d < path.dofs.size(); ++d) ws.tau[path.dofs[d]] += tension * path.dL[d];
      continue;
    }
    if (hill_index_[k] >= 0) ws.dL[hill] = path.dL;
    muscle.add_pull(in, tension, ws.path, ws.wrench, ws.tau);
  }
  // These are forces that muscles ask for: what acts is the opposite.
  for (size_t i = 0; i < ws.wrench.size(); ++i) out.wrench[i] -= ws.wrench[i];
  out.tau.head(ws.tau.size()) -= ws.tau;
}

PartEvent Muscles::failure(const PartScratch& scratch) const {
  const int muscle = muscle_scratch(scratch).massive.vanished_belly;
  if (muscle < 0) return {};
  PartEvent out;
  out.kind = "no_room";
  out.element = elements_[static_cast<size_t>(muscle)]->name();
  out.text = name_of(SpanStatus::no_room) + std::string(" in muscle '") + out.element + "'";
  return out;
}

void Muscles::add_inertial_forces(const PartAt& at, const double* qddot, PartScratch& scratch,
                                  InertialForces out) const {
  MuscleScratch& ws = muscle_scratch(scratch);
  PullsWithMass law(*this, at, ws);
  out.power += massive_.add_forces(at.skeleton, tensions(law, ws), qddot, ws.massive, ws.path.spans,
                                   out.tau, out.wrench);
}

void Muscles::add_mass_and_forces(const PartAt& at, const double* qddot, PartScratch& scratch,
                                  PartMass& mass, InertialForces out) const {
  if (massive_.empty()) return;
  MuscleScratch& ws = muscle_scratch(scratch);
  MuscleSums sums{mass.carried, mass.rr, out.tau};
  PullsWithMass law(*this, at, ws);
  out.power += massive_.add(at.skeleton, tensions(law, ws), qddot, ws.massive, ws.path.spans, sums,
                            out.wrench);
}

void Muscles::add_inertial_derivatives(const PartAt& at, const double* qddot,
                                       const DerivativeWorkspace* dws, PartScratch& scratch,
                                       PartDerivatives& out) const {
  MuscleScratch& ws = muscle_scratch(scratch);
  for (const size_t k : massive_.numbers()) {
    const SpanPath& path = *elements_[k]->spans();
    path.update(at.skeleton, qddot, path.force_view(), ws.path.spans);
    path.add_mass_matrix(ws.path.spans, out.M);
    if (elements_[k]->pulls_with_mass() && hill_index_[k] >= 0) {
      path.update_length_gradient(ws.path.spans);
      ws.dL[static_cast<size_t>(hill_index_[k])] = ws.path.spans.dL;
    }
    if (!dws) continue;
    const double tension = elements_[k]->pulls_with_mass() ? ws.tension[k] : 0;
    if (tension != 0 && tension_by_rate(k, ws) != 0) {
      add_pull_and_mass_derivatives(k, at, qddot, *dws, ws, out);
      continue;
    }
    path.add_forces(at.skeleton, tension, ws.path.spans, ws.wrench, ws.tau);
    path.add_derivatives(at.skeleton, tension, qddot, *dws, ws.path.spans, out.dg_dq, out.dg_dqdot);
  }
}

// g has T dL, and ∂T/∂q = T_L dL + T_L̇ ∂L̇/∂q. Since L̇ = Σ dL_i q̇_i, ∂L̇/∂q_j is the rate of dL_j:
// with the unit wrenches w_a that hold 1 N, dL_j = Σ w_a · s_j over the links a that j moves. The
// wrench turns along with its link, at twist V_a, and changes by B q̇ beyond that, so
//     ∂L̇/∂q_j = (B q̇)_j + Σ w_a · (ṡ_j − V_a × s_j).
void Muscles::add_pull_derivatives(size_t k, const PartAt& at, const double* qddot,
                                   const DerivativeWorkspace& dws, MuscleScratch& ws,
                                   PartDerivatives& out) const {
  const MuscleElement& muscle = *elements_[k];
  const SkeletonAt& in = at.skeleton;
  const double tension = ws.tension[k];
  muscle.update_path(in, ws.path);
  if (tension_by_rate(k, ws) == 0) {
    muscle.add_pull(in, tension, ws.path, ws.wrench, ws.tau);
    muscle.add_pull_derivatives(in, tension, qddot, dws, ws.path, out.dg_dq, out.dg_dqdot);
    return;
  }
  ws.pull_wrench.assign(ws.wrench.size(), Vec6::Zero());
  ws.unused_tau.setZero(ws.tau.size());
  ws.pull_dq.setZero(out.dg_dq.rows(), out.dg_dq.cols());
  muscle.add_pull(in, tension, ws.path, ws.pull_wrench, ws.unused_tau);
  muscle.add_pull_derivatives(in, tension, qddot, dws, ws.path, ws.pull_dq, out.dg_dqdot);
  out.dg_dq += ws.pull_dq;
  add_rate_derivatives(k, at, dws, ws, out);
}

// Forces are linear in the tension: the pull's are the difference to those of mass alone.
void Muscles::add_pull_and_mass_derivatives(size_t k, const PartAt& at, const double* qddot,
                                            const DerivativeWorkspace& dws, MuscleScratch& ws,
                                            PartDerivatives& out) const {
  const SpanPath& path = *elements_[k]->spans();
  const SkeletonAt& in = at.skeleton;
  ws.unused_tau.setZero(ws.tau.size());
  const auto differentiate = [&](double tension, std::vector<Vec6>& wrench, MatX& dq, MatX& dqdot) {
    wrench.assign(ws.wrench.size(), Vec6::Zero());
    dq.setZero(out.dg_dq.rows(), out.dg_dq.cols());
    path.add_forces(in, tension, ws.path.spans, wrench, ws.unused_tau);
    path.add_derivatives(in, tension, qddot, dws, ws.path.spans, dq, dqdot);
  };
  ws.unused_dqdot.setZero(out.dg_dqdot.rows(), out.dg_dqdot.cols());
  differentiate(0, ws.mass_wrench, ws.mass_dq, ws.unused_dqdot);
  differentiate(ws.tension[k], ws.pull_wrench, ws.pull_dq, out.dg_dqdot);
  out.dg_dq += ws.pull_dq;
  ws.pull_dq -= ws.mass_dq;
  for (size_t a = 0; a < ws.pull_wrench.size(); ++a) ws.pull_wrench[a] -= ws.mass_wrench[a];
  add_rate_derivatives(k, at, dws, ws, out);
}

void Muscles::add_rate_derivatives(size_t k, const PartAt& at, const DerivativeWorkspace& dws,
                                   MuscleScratch& ws, PartDerivatives& out) const {
  const SkeletonAt& in = at.skeleton;
  ws.rate_dq.noalias() = ws.pull_dq * in.qdot.head(ws.pull_dq.cols());
  const Vec3 origin = common_origin(in.ws);
  for (size_t a = 1; a < ws.pull_wrench.size(); ++a) {
    Vec6 w = ws.pull_wrench[a];
    if (w.isZero(0)) continue;
    const LinkMotion& motion = in.ws.link[a];
    const Vec3 d = motion.p - origin;
    w.head<3>() += d.cross(Vec3(w.tail<3>()));
    Vec6 V;
    V << motion.w, motion.v + d.cross(motion.w);
    for (int l = static_cast<int>(a); l > 0; l = skeleton_.link(l).parent.value)
      for (int i = 0; i < skeleton_.link(l).dof_count; ++i) {
        const auto j = static_cast<size_t>(skeleton_.link(l).dof + i);
        ws.rate_dq[static_cast<Eigen::Index>(j)] += w.dot(dws.sdot[j] - ad_times(V, dws.s[j]));
      }
  }
  const double by_rate = tension_by_rate(k, ws) / ws.tension[k];
  const std::vector<double>& dL = ws.dL[static_cast<size_t>(hill_index_[k])];
  const std::vector<int>& dofs = elements_[k]->dofs();
  for (const int c : dofs)
    for (size_t r = 0; r < dofs.size(); ++r)
      out.dg_dq(dofs[r], c) += by_rate * dL[r] * ws.rate_dq[c];
}

void Muscles::add_force_derivatives(const PartAt& at, const double* qddot, StiffnessModel kind,
                                    const DerivativeWorkspace& dws, PartScratch& scratch,
                                    PartDerivatives& out) const {
  MuscleScratch& ws = muscle_scratch(scratch);
  for (size_t i = 0; i < hill_.size(); ++i) {
    const std::vector<int>& dofs = elements_[hill_[i]]->dofs();
    const std::vector<double>& dL = ws.dL[i];
    // A force that falls as the path lengthens would make the matrix indefinite.
    const double least = kind == StiffnessModel::definite ? 0 : -kInfinity;
    const double by_length = std::max(ws.hill[i].d_length, least);
    const double by_rate = std::max(ws.hill[i].d_rate, least);
    for (size_t c = 0; c < dofs.size(); ++c)
      for (size_t r = 0; r < dofs.size(); ++r) {
        const double product = dL[r] * dL[c];
        out.dg_dq(dofs[r], dofs[c]) += by_length * product;
        out.dg_dqdot(dofs[r], dofs[c]) += by_rate * product;
      }
  }
  if (kind != StiffnessModel::exact) return;
  for (size_t k = 0; k < elements_.size(); ++k) {
    if (elements_[k]->pulls_with_mass() || ws.tension[k] == 0) continue;
    add_pull_derivatives(k, at, qddot, dws, ws, out);
  }
}

PartEnergy Muscles::energy(const PartAt& at, PartScratch& scratch) const {
  SpanPathWorkspace& ws = muscle_scratch(scratch).path.spans;
  PartEnergy out;
  for (const size_t k : massive_.numbers()) {
    const SpanPath& path = *elements_[k]->spans();
    path.update(at.skeleton, nullptr, MuscleView::moving, ws);
    out.kinetic += path.kinetic_energy(ws);
    out.gravity += path.gravity_energy(at.gravity, ws);
  }
  return out;
}

bool Muscles::mass_changes_fast() const {
  return !massive_.empty() && hill_.empty() &&
         std::all_of(massive_.numbers().begin(), massive_.numbers().end(),
                     [&](size_t k) { return elements_[k]->muscle().velocity_terms; });
}

void Muscles::describe_internal(VecRef z) const {
  for (size_t i = 0; i < hill_.size(); ++i) {
    const HillDescription& d = hill_of(i);
    z[activation_index(i)] = std::clamp(d.initial_activation, d.activation.minimum, 1.0);
    z[fibre_index(i)] = d.initial_fibre_length.value_or(d.muscle.optimal_fibre_length);
  }
}

void Muscles::internal_units(VecRef units) const {
  for (size_t i = 0; i < hill_.size(); ++i) {
    units[activation_index(i)] = 1;
    units[fibre_index(i)] = hill_of(i).muscle.optimal_fibre_length;
  }
}

std::vector<HillStatus> Muscles::equilibrate(const PartAt& at, Settling how, MuscleScratch& ws,
                                             VecRef z) const {
  std::vector<HillStatus> status(hill_.size(), HillStatus::equilibrated);
  follow_controls(at.skeleton.controls, z);
  for (size_t i = 0; i < hill_.size(); ++i) {
    const HillDescription& d = hill_of(i);
    const PathState path = elements_[hill_[i]]->measure(at.skeleton, ws.path);
    const HillEquilibrium e =
        sinew::equilibrate(d.muscle, z[activation_index(i)], path.length, path.rate, how);
    status[i] = e.status;
    if (e.status == HillStatus::no_equilibrium)
      throw Error("muscle '" + elements_[hill_[i]]->name() + "'",
                  "has a path without a finite length",
                  "check its points and surfaces in the initial pose");
    z[fibre_index(i)] = d.initial_fibre_length && !d.muscle.rigid_tendon
                            ? std::max(*d.initial_fibre_length, d.muscle.min_fibre_length())
                            : e.fibre_length;
  }
  return status;
}

void Muscles::settle_internal(const PartAt& at, Settling how, PartScratch& scratch,
                              VecRef z) const {
  equilibrate(at, how, muscle_scratch(scratch), z);
}

void Muscles::internal_rates(const PartAt& at, const PartScratch& scratch, VecRef zdot) const {
  const MuscleScratch& ws = muscle_scratch(scratch);
  for (size_t i = 0; i < hill_.size(); ++i) {
    const HillDescription& d = hill_of(i);
    const auto k = static_cast<Eigen::Index>(i);
    const double activation = at.z[activation_index(i)];
    const double excitation = at.skeleton.controls[control_[hill_[i]]];
    zdot[activation_index(i)] =
        d.immediate ? 0 : activation_rate(d.activation, activation, excitation).rate;
    zdot[fibre_index(i)] =
        evaluate_hill(d.muscle, activation, ws.length[k], ws.rate[k], at.z[fibre_index(i)])
            .fibre_velocity;
  }
}

void Muscles::follow_controls(const double* controls, VecRef z) const {
  for (size_t i = 0; i < hill_.size(); ++i) {
    const HillDescription& d = hill_of(i);
    if (d.immediate)
      z[activation_index(i)] = std::clamp(controls[control_[hill_[i]]], d.activation.minimum, 1.0);
  }
}

void Muscles::flow_internal(const VecView& z0, double dt, const double* controls, VecRef z) const {
  for (size_t i = 0; i < hill_.size(); ++i) {
    const HillDescription& d = hill_of(i);
    if (!d.immediate)
      z[activation_index(i)] =
          step_activation(d.activation, z0[activation_index(i)], controls[control_[hill_[i]]], dt);
  }
}

void Muscles::differentiate_flow(bool follow, const VecView& z0, double dt, const double* controls,
                                 std::vector<InternalFlow>& out) const {
  for (size_t i = 0; i < hill_.size(); ++i) {
    const HillDescription& d = hill_of(i);
    if (d.immediate != follow) continue;
    const int entry = static_cast<int>(activation_index(i)), control = control_[hill_[i]];
    const double u = controls[control];
    if (follow) {
      out.push_back({entry, control, 0, u >= d.activation.minimum && u <= 1 ? 1.0 : 0.0});
    } else {
      const ActivationStep step = differentiate_step_activation(d.activation, z0[entry], u, dt);
      out.push_back({entry, control, step.d_activation, step.d_excitation});
    }
  }
}

void Muscles::add_internal_derivatives(const PartAt& at, PartScratch& scratch, int first,
                                       InternalDerivatives& out) const {
  const MuscleScratch& ws = muscle_scratch(scratch);
  for (size_t i = 0; i < hill_.size(); ++i) {
    const int activation = first + static_cast<int>(activation_index(i));
    const int fibre = first + static_cast<int>(fibre_index(i));
    const auto number = static_cast<Eigen::Index>(i);
    const HillStageSlopes slopes =
        differentiate_stage(hill_of(i).muscle, at.z[activation_index(i)], ws.length[number],
                            ws.rate[number], at.z[fibre_index(i)], at.gamma, ws.hill[i]);
    const std::vector<int>& dofs = elements_[hill_[i]]->dofs();
    for (size_t k = 0; k < dofs.size(); ++k) {
      out.force_by_start(dofs[k], activation) -= slopes.tension_by_activation * ws.dL[i][k];
      out.force_by_start(dofs[k], fibre) -= slopes.tension_by_start * ws.dL[i][k];
      out.by_coordinates(fibre, dofs[k]) += slopes.fibre_by_length * ws.dL[i][k];
    }
    out.by_start.push_back({activation, activation, 1});
    out.by_start.push_back({fibre, activation, slopes.fibre_by_activation});
    out.by_start.push_back({fibre, fibre, slopes.fibre_by_start});
  }
}

void Muscles::read_stage(const PartScratch& scratch, VecRef z) const {
  for (size_t i = 0; i < hill_.size(); ++i)
    z[fibre_index(i)] = muscle_scratch(scratch).hill[i].fibre_length;
}

}  // namespace sinew
