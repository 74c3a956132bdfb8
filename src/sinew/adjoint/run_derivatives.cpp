#include "sinew/adjoint/run_derivatives.hpp"

#include <algorithm>
#include <cmath>

#include "sinew/core/error.hpp"
#include "sinew/integrate/integrator_table.hpp"

namespace sinew {

void StateVectors::set_zero(const System& system) {
  q.setZero(system.dof_count());
  qdot.setZero(system.dof_count());
  z.setZero(system.internal_count());
}

StepOptions differentiable_options(StepOptions options) {
  options.variables = StepVariables::rates;
  options.directions = Directions::none;
  return options;
}

namespace {

constexpr Integrator kDifferentiable[] = {Integrator::bdf1, Integrator::sdirk2, Integrator::bdf2};

void refuse(const std::string& element, const Obstacle& obstacle) {
  if (!obstacle.reason.empty()) throw Error(element, obstacle.reason, obstacle.remedy);
}

}  // namespace

void require_differentiable(const System& system, const RunSettings& settings) {
  const StepOptions& step = settings.step;
  if (std::find(std::begin(kDifferentiable), std::end(kDifferentiable), step.integrator) ==
      std::end(kDifferentiable))
    throw Error("integrator", "gradients do not pass steps of " + to_string(step.integrator),
                "choose bdf1, sdirk2 or bdf2");
  if (step.accuracy > 0)
    throw Error("accuracy", "gradients are those of steps of one length",
                "leave it out and give a step");
  if (step.variables == StepVariables::energy && system.has_energy_variables() &&
      step.integrator != Integrator::bdf1)
    throw Error("variables", "gradients do not pass energy variables", "choose \"rates\"");
  if (system.has(Feature::constraints) && (step.directions != Directions::none || !step.projection))
    throw Error("projection", "gradients pass only projections along directions of their own",
                "use differentiable_options");
  if (settings.steps < 1 || !(settings.dt > 0))
    throw Error("run", "has no steps", "give a positive step and at least one of them");
  require_supported(system, step, settings.dt);
  if (!system.unilaterals().empty())
    throw Error("limits, rigid contacts and bearings", "make velocities jump",
                "use stops without dampers and smooth contact");
  if (!system.redundancies().empty())
    throw Error("constraints", "some depend on others: " + system.redundancies()[0],
                "remove those");
  for (const auto& constraint : system.constraints())
    if (constraint->level() == ConstraintLevel::acceleration)
      throw Error("constraint '" + constraint->name() + "'",
                  "acts on accelerations, which gradients do not pass",
                  "prescribe a position or a velocity");
  for (const auto& force : system.forces())
    refuse("force '" + force->name() + "'", force->obstacle());
  for (const auto& part : system.parts()) refuse("gradient", part->obstacle());
}

RunDerivatives::RunDerivatives(const System& system, const RunSettings& settings)
    : settings_(settings), bars_(StageTable::kMostStages), zdot_bars_(StageTable::kMostStages) {
  use(not_owned(system), settings.dt);
  stride_ = settings.checkpoints
                ? static_cast<int>(std::ceil(std::sqrt(static_cast<double>(settings.steps))))
                : settings.steps;
}

void RunDerivatives::use(std::shared_ptr<const System> of, double dt) {
  settings_.dt = dt;
  require_differentiable(*of, settings_);
  system_ = std::move(of);
  ws_.emplace(system());
  stage_.emplace(system());
  u_.resize(system().controls().size());
  halfway_ = u_;
  projection_.reset();
  if (!system().constraints().empty()) projection_.emplace(system());
  checkpoints_.clear();
}

bool RunDerivatives::take_steps(int first, int last, State& state, StepTape* tape,
                                const Objective* objective) {
  StepOptions options = settings_.step;
  options.tape = tape;
  for (int k = first; k < last; ++k) {
    const StepReport report = sinew::step(system(), options, settings_.dt, *controls_, state, *ws_);
    if (report.status != StepStatus::ok) {
      result_.last = report;
      result_.end = SimulationEnd::failed;
      return false;
    }
    state.t = checkpoints_[0].t + settings_.dt * (k + 1);
    if (tape != nullptr) ends_.push_back(tape->size());
    if (objective != nullptr) {
      ++result_.steps;
      result_.newton_iterations += report.newton_iterations;
      result_.linearizations += report.linearizations;
      result_.rejected += report.rejected;
      value_ += judge(k + 1, state, nullptr);
    }
  }
  return true;
}

int RunDerivatives::segment_end(size_t segment) const {
  return std::min(settings_.steps, static_cast<int>(segment + 1) * stride_);
}

bool RunDerivatives::run(const Controls& controls, const State& start, const Objective& objective) {
  controls_ = &controls;
  objective_ = &objective;
  result_ = {};
  checkpoints_.clear();
  end_ = start;
  value_ = judge(0, start, nullptr);
  size_t states = 0;
  for (int first = 0; first < settings_.steps; first += stride_) {
    checkpoints_.push_back(end_);
    const State& kept = checkpoints_.back();
    for (const VecX* x :
         {&kept.q, &kept.qdot, &kept.z, &kept.memory.q_1, &kept.memory.qdot_1, &kept.memory.z_1})
      states += sizeof(double) * static_cast<size_t>(x->size());
    const int last = segment_end(checkpoints_.size() - 1);
    // The last segment is the first to be needed on the way back.
    const bool tapes = last == settings_.steps;
    if (tapes) {
      tape_.clear();
      ends_.clear();
      taped_from_ = end_;
    }
    if (!take_steps(first, last, end_, tapes ? &tape_ : nullptr, &objective)) return false;
  }
  memory_ = tape_.memory() + states;
  return true;
}

void RunDerivatives::tape_segment(size_t segment) {
  tape_.clear();
  ends_.clear();
  State state = taped_from_ = checkpoints_[segment];
  take_steps(static_cast<int>(segment) * stride_, segment_end(segment), state, &tape_, nullptr);
}

State RunDerivatives::end_of(size_t taped) const {
  State out;
  const StepTape::Step& step = tape_.step(taped);
  out.t = step.t + step.h;
  out.q = tape_.end_q(taped);
  out.qdot = tape_.end_qdot(taped);
  out.z = tape_.stage(taped, step.table->stages - 1).c_z;  // the entries that flow
  return out;
}

State RunDerivatives::start_of(size_t taped) const {
  State out = taped > 0 ? end_of(taped - 1) : taped_from_;
  out.memory = {};
  out.t = tape_.step(taped).t;
  if (tape_.step(taped).recharted) rechart(system(), out, *ws_);
  return out;
}

State RunDerivatives::before(size_t taped) const {
  if (taped > 0) return start_of(taped - 1);
  State out;
  out.q = taped_from_.memory.q_1;
  out.qdot = taped_from_.memory.qdot_1;
  return out;
}

void RunDerivatives::update_stage(size_t taped, size_t i, const State& start) {
  const StepTape::Stage stage = tape_.stage(taped, i);
  if (u_.size() > 0) controls_->evaluate(stage.t, start, u_);
  if (!stage_->update(stage, u_, settings_.step.baumgarte.implicit, *ws_))
    throw Error("gradient", "the equations of a step are singular at their solution",
                "choose a shorter step");
}

void RunDerivatives::update_projection(size_t taped, const State& start) {
  const StepTape::Stage stage = tape_.stage(taped, tape_.step(taped).table->stages - 1);
  if (u_.size() > 0) controls_->evaluate(stage.t, start, u_);
  if (!projection_->update(stage, u_, tape_.end_q(taped), tape_.end_qdot(taped), *ws_))
    throw Error("gradient", "a projection to the constraints cannot be differentiated",
                "choose a shorter step");
}

void RunDerivatives::update_flows(size_t taped, size_t i, const State& start) {
  follows_.clear();
  flows_.clear();
  if (start.z.size() == 0) return;
  const double t = tape_.stage(taped, i).t;
  controls_->evaluate(0.5 * (start.t + t), start, halfway_);
  for (size_t k = 0; k < system().parts().size(); ++k) {
    const Part& part = *system().parts()[k];
    const PartPlace& place = system().place(k);
    const VecView z0(start.z.data() + place.internal, part.internal_count());
    const auto add = [&](bool follow, const VecX& controls, std::vector<InternalFlow>& out) {
      const size_t before = out.size();
      part.differentiate_flow(follow, z0, t - start.t, controls.data() + place.control, out);
      for (size_t m = before; m < out.size(); ++m) {
        out[m].entry += place.internal;
        out[m].control += place.control;
      }
    };
    add(true, u_, follows_);
    add(false, halfway_, flows_);
  }
}

namespace {

/// Adjoints of (q, q̇) after charts moved become those before.
void pull_back_charts(const std::vector<ChartChange>& changes, StateVectors& bar) {
  for (const ChartChange& change : changes) {
    const Eigen::Index n = change.dq.rows();
    auto q = bar.q.segment(change.first, n), qdot = bar.qdot.segment(change.first, n);
    const VecX q_bar = change.dq.transpose() * q + change.dqdot.transpose() * qdot;
    qdot = (change.dq.transpose() * qdot).eval();
    q = q_bar;
  }
}

/// Directions of (q; q̇; z), q of that size, a column each, before charts moved become those after.
void push_forward_charts(const std::vector<ChartChange>& changes, Eigen::Index size,
                         MatX& columns) {
  for (const ChartChange& change : changes) {
    const Eigen::Index n = change.dq.rows();
    auto q = columns.middleRows(change.first, n), qdot = columns.middleRows(size + change.first, n);
    qdot = (change.dq * qdot + change.dqdot * q).eval();
    q = (change.dq * q).eval();
  }
}

}  // namespace

/// In: the adjoint of the end of the step in out.start, that of its start by later steps in older_.
/// Out: that of its start, as it was before charts moved, and of the state before.
void RunDerivatives::pull_back_step(size_t taped, const ControlAdjoint& controls, Gradient& out) {
  const StepTape::Step& step = tape_.step(taped);
  const StageTable& table = *step.table;
  const State start = start_of(taped);
  StateVectors before_bar;
  before_bar.set_zero(system());
  for (size_t i = 0; i < table.stages; ++i) {
    bars_[i].set_zero(system());
    zdot_bars_[i].setZero(system().internal_count());
  }
  MotionVectors& last = bars_[table.stages - 1];
  last.q = out.start.q;
  last.qdot = out.start.qdot;
  last.z = out.start.z;
  if (projection_) {
    update_projection(taped, start);
    if (model_ != nullptr)
      model_->update_projection(*projection_, tape_.stage(taped, table.stages - 1), start);
    projection_->pull_back(last);
    if (model_ != nullptr)
      model_->add_to_sum(step.t + step.h, VecX(-projection_->adjoints()), out.model);
  }
  update_internal_rates(taped, start);
  out.start = older_;
  for (size_t i = table.stages; i-- > 0;) {
    MotionVectors& bar = bars_[i];
    const double t = tape_.stage(taped, i).t, gamma = table.share * step.h;
    const auto pass_on = [&](double time, const VecX& u_bar) {
      if (u_bar.size() == 0) return;
      controls(time, u_bar);
      for (const ControlFeedback& f : controls_->feedback(time, start)) {
        out.start.q[f.coordinate] += f.by_q * u_bar[f.control];
        out.start.qdot[f.coordinate] += f.by_qdot * u_bar[f.control];
      }
    };
    update_stage(taped, i, start);
    update_flows(taped, i, start);
    u_bar_.setZero(u_.size());
    halfway_bar_.setZero(flows_.empty() ? 0 : u_.size());
    // ż = (z − c_z)/γ.
    bar.z += zdot_bars_[i] / gamma;
    const VecX z_bar = bar.z;
    out.newton_error += std::abs(stage_->pull_back(bar, u_bar_));
    bar.z -= zdot_bars_[i] / gamma;
    if (model_ != nullptr) {
      model_->update_stage(tape_.stage(taped, i), start, settings_.step.baumgarte.implicit);
      pull_back_model_stage(taped, i, z_bar, out);
    }
    for (const InternalFlow& f : follows_) {
      u_bar_[f.control] += f.by_control * bar.z[f.entry];
      bar.z[f.entry] = 0;
    }
    for (const InternalFlow& f : flows_) {
      halfway_bar_[f.control] += f.by_control * bar.z[f.entry];
      out.start.z[f.entry] += f.by_start * bar.z[f.entry];
      bar.z[f.entry] = 0;
    }
    if (model_ != nullptr && model_->moves_time()) {
      differentiate_by_length(taped, i, by_length_);
      double by_length = bar.q.dot(by_length_.q) + bar.qdot.dot(by_length_.qdot);
      if (bar.z.size() > 0)
        by_length += bar.z.dot(by_length_.z) - zdot_bars_[i].dot(zdots_[i]) / step.h;
      out.model += (by_length * step.h / settings_.dt) * model_->dt();
    }
    pass_on(t, u_bar_);
    pass_on(0.5 * (start.t + t), halfway_bar_);
    out.start.q += table.past[0] * bar.q;
    out.start.qdot += table.past[0] * bar.qdot;
    out.start.z += table.past[0] * bar.z;
    before_bar.q += table.past[1] * bar.q;
    before_bar.qdot += table.past[1] * bar.qdot;
    before_bar.z += table.past[1] * bar.z;
    for (size_t j = 0; j < i; ++j) {
      bars_[j].qdot += (table.a[i][j] * step.h) * bar.q;
      bars_[j].qddot += (table.a[i][j] * step.h) * bar.qdot;
      zdot_bars_[j] += (table.a[i][j] * step.h) * bar.z;
    }
  }
  older_ = before_bar;
  if (!step.recharted) return;
  const State state = taped > 0 ? end_of(taped - 1) : taped_from_;
  pull_back_charts(chart_changes(system(), state.q, state.q, state.qdot, *ws_), out.start);
  if (table.past[1] == 0) return;
  const State older = before(taped);
  pull_back_charts(chart_changes(system(), state.q, older.q, older.qdot, *ws_), older_);
}

double RunDerivatives::judge(int number, const State& state, StateVectors* bar) {
  return objective_->evaluate({system(), state, number, settings_.steps, settings_.dt, *ws_}, bar);
}

/// The same state in systems with other parameters.
void RunDerivatives::add_judgement_of_model(int number, const State& state, Gradient& out) {
  if (model_ == nullptr) return;
  State moved = state;
  const double start = checkpoints_[0].t;
  model_->differentiate(1, [&](const ModelDerivatives::Neighbour& of, VecRef value) {
    moved.t = of.time(start, state.t);
    value[0] = objective_->evaluate(
        {*of.at.system, moved, number, settings_.steps, of.at.dt, *of.ws}, nullptr);
  });
  model_->add_to_sum(state.t, VecX::Ones(1), out.model);
}

/// `z_bar`: the adjoint of z at the end of the stage. Needs pull_back of the stage, and c̄_z in its
/// bars.
void RunDerivatives::pull_back_model_stage(size_t taped, size_t i, const VecX& z_bar,
                                           Gradient& out) {
  const Eigen::Index n = z_bar.size();
  model_adjoint_.resize(stage_->w().size() + stage_->rho().size() + 2 * n);
  model_adjoint_ << -stage_->w(), -stage_->rho(), z_bar, bars_[i].z;
  model_->add_to_sum(tape_.stage(taped, i).t, model_adjoint_, out.model);
}

void RunDerivatives::update_internal_rates(size_t taped, const State& start) {
  zdots_.clear();
  if (model_ == nullptr || !model_->moves_time() || start.z.size() == 0) return;
  for (size_t i = 0; i < tape_.step(taped).table->stages; ++i) {
    update_stage(taped, i, start);
    const StepTape::Stage stage = tape_.stage(taped, i);
    VecX z = stage.c_z;
    for (size_t k = 0; k < system().parts().size(); ++k) {
      const Part& part = *system().parts()[k];
      part.read_stage(*ws_->parts[k], z.segment(system().place(k).internal, part.internal_count()));
    }
    zdots_.push_back((z - stage.c_z) / stage.gamma);
  }
}

void RunDerivatives::differentiate_by_length(size_t taped, size_t i, MotionVectors& out) const {
  const StageTable& table = *tape_.step(taped).table;
  out.set_zero(system());
  for (size_t j = 0; j <= i; ++j) {
    const StepTape::Stage stage = tape_.stage(taped, j);
    const double share = j == i ? table.share : table.a[i][j];
    out.q += share * stage.qdot;
    out.qdot += share * stage.qddot;
    if (j < i && !zdots_.empty()) out.z += share * zdots_[j];
  }
}

RunDerivatives::Gradient RunDerivatives::gradient(const ControlAdjoint& controls,
                                                  ModelDerivatives* model) {
  if (result_.end != SimulationEnd::finished || checkpoints_.empty())
    throw Error("gradient", "no run has finished", "run first");
  model_ = model;
  Gradient out;
  if (model != nullptr) {
    out.model.setZero(model->size());
    model->begin_sum();
  }
  out.start.set_zero(system());
  older_.set_zero(system());
  for (size_t segment = checkpoints_.size(); segment-- > 0;) {
    if (segment + 1 < checkpoints_.size()) tape_segment(segment);
    for (size_t k = ends_.size(); k-- > 0;) {
      const size_t end = ends_[k], begin = k > 0 ? ends_[k - 1] : 0;
      const int number = static_cast<int>(segment) * stride_ + static_cast<int>(k) + 1;
      State state = end_of(end - 1);
      state.t = checkpoints_[0].t + settings_.dt * number;
      judge(number, state, &out.start);
      add_judgement_of_model(number, state, out);
      for (size_t taped = end; taped-- > begin;) pull_back_step(taped, controls, out);
    }
  }
  judge(0, checkpoints_[0], &out.start);
  if (model == nullptr) return out;
  add_judgement_of_model(0, checkpoints_[0], out);
  VecX bar(2 * out.start.q.size() + out.start.z.size());
  bar << out.start.q, out.start.qdot, out.start.z;
  out.model.noalias() += model->start().transpose() * bar;
  model->require_smooth(value_);
  return out;
}

int RunDerivatives::model_parameter(Eigen::Index column) const {
  if (model_ == nullptr) return -1;
  const auto found =
      std::find(model_columns_.begin(), model_columns_.end(), static_cast<int>(column));
  return found == model_columns_.end() ? -1 : static_cast<int>(found - model_columns_.begin());
}

/// Adds to the directions of c_q, c_v and c_z what parameters of the model change of them: entries
/// of c_z that flow, and all by the length of the step.
void RunDerivatives::push_forward_to_stage(size_t taped, size_t i, MatX& c) {
  const Eigen::Index n = system().dof_count(), z = system().internal_count();
  const double h = tape_.step(taped).h;
  if (model_->moves_time()) differentiate_by_length(taped, i, by_length_);
  for (int k = 0; k < model_->size(); ++k) {
    auto column = c.col(model_columns_[static_cast<size_t>(k)]);
    if (z > 0) column.tail(z) += model_->stage_c_z().col(k);
    if (model_->dt()[k] == 0) continue;
    const double change = model_->dt()[k] * h / settings_.dt;
    column.head(n) += change * by_length_.q;
    column.segment(n, n) += change * by_length_.qdot;
    // Those that flow have their share in c_z of the model.
    VecX by_length = change * by_length_.z;
    for (const std::vector<InternalFlow>* flows : {&follows_, &flows_})
      for (const InternalFlow& f : *flows) by_length[f.entry] = 0;
    column.tail(z) += by_length;
  }
}

/// In: directions of the state before charts moved, and of the one before it. Out: of the end of
/// the step, and of its start.
void RunDerivatives::push_forward_step(size_t taped, const ControlDirections& controls,
                                       MatX& columns, MatX& older) {
  const StepTape::Step& step = tape_.step(taped);
  const StageTable& table = *step.table;
  const Eigen::Index n = system().dof_count();
  if (step.recharted) {
    const State state = taped > 0 ? end_of(taped - 1) : taped_from_;
    push_forward_charts(chart_changes(system(), state.q, state.q, state.qdot, *ws_), n, columns);
    if (table.past[1] != 0) {
      const State before_it = before(taped);
      push_forward_charts(chart_changes(system(), state.q, before_it.q, before_it.qdot, *ws_), n,
                          older);
    }
  }
  const State start = start_of(taped);
  const MatX at_start = columns;
  const Eigen::Index z = system().internal_count(), count = columns.cols();
  std::vector<MatX> rates(table.stages);  // of (q; q̇; z)
  const auto directions_of_controls = [&](double t) {
    MatX du = MatX::Zero(u_.size(), count);
    if (u_.size() == 0) return du;
    controls(t, du);
    for (const ControlFeedback& f : controls_->feedback(t, start))
      du.row(f.control) +=
          f.by_q * at_start.row(f.coordinate) + f.by_qdot * at_start.row(n + f.coordinate);
    return du;
  };
  MotionVectors x;
  update_internal_rates(taped, start);
  StageDerivatives::Change change;
  for (size_t i = 0; i < table.stages; ++i) {
    update_stage(taped, i, start);
    update_flows(taped, i, start);
    const double t = tape_.stage(taped, i).t, gamma = table.share * step.h;
    const MatX du = directions_of_controls(t);
    MatX c = table.past[0] * at_start;
    if (table.past[1] != 0) c += table.past[1] * older;
    for (size_t j = 0; j < i; ++j) c += (table.a[i][j] * step.h) * rates[j];
    for (const InternalFlow& f : follows_)
      c.row(2 * n + f.entry) = f.by_control * du.row(f.control);
    if (!flows_.empty()) {
      const MatX halfway = directions_of_controls(0.5 * (start.t + t));
      for (const InternalFlow& f : flows_)
        c.row(2 * n + f.entry) =
            f.by_control * halfway.row(f.control) + f.by_start * at_start.row(2 * n + f.entry);
    }
    if (model_ != nullptr) {
      model_->update_stage(tape_.stage(taped, i), start, settings_.step.baumgarte.implicit);
      push_forward_to_stage(taped, i, c);
    }
    rates[i].resize(2 * n + z, count);
    for (Eigen::Index k = 0; k < count; ++k) {
      x.q = c.col(k).head(n);
      x.qdot = c.col(k).segment(n, n);
      x.z = c.col(k).tail(z);
      const int parameter = model_parameter(k);
      if (parameter < 0) {
        stage_->push_forward(x, du.col(k));
      } else {
        change.g = model_->stage_g().col(parameter);
        change.rows = model_->stage_rows().col(parameter);
        change.z = model_->stage_z().col(parameter);
        stage_->push_forward(x, du.col(k), change);
      }
      columns.col(k) << x.q, x.qdot, x.z;
      rates[i].col(k) << x.qdot, x.qddot, (x.z - c.col(k).tail(z)) / gamma;
      if (parameter >= 0 && !zdots_.empty())
        rates[i].col(k).tail(z) -= model_->dt()[parameter] / settings_.dt * zdots_[i];
    }
  }
  if (projection_) {
    update_projection(taped, start);
    if (model_ != nullptr)
      model_->update_projection(*projection_, tape_.stage(taped, table.stages - 1), start);
    for (Eigen::Index k = 0; k < columns.cols(); ++k) {
      x.q = columns.col(k).head(n);
      x.qdot = columns.col(k).segment(n, n);
      const int parameter = model_parameter(k);
      if (parameter < 0)
        projection_->push_forward(x);
      else
        projection_->push_forward(x, model_->columns().col(parameter));
      columns.col(k).head(2 * n) << x.q, x.qdot;
    }
  }
  older = at_start;
}

void RunDerivatives::sensitivities(const MatX& start, const ControlDirections& controls,
                                   const OnState& on_state, ModelDerivatives* model,
                                   std::span<const int> model_columns) {
  model_ = model;
  model_columns_ = model_columns;
  if (result_.end != SimulationEnd::finished || checkpoints_.empty())
    throw Error("sensitivities", "no run has finished", "run first");
  State state = checkpoints_[0];
  MatX columns = start, older = MatX::Zero(start.rows(), start.cols());
  on_state(0, state, columns);
  for (int k = 0; k < settings_.steps; ++k) {
    tape_.clear();
    ends_.clear();
    taped_from_ = state;
    take_steps(k, k + 1, state, &tape_, nullptr);
    for (size_t taped = 0; taped < tape_.size(); ++taped)
      push_forward_step(taped, controls, columns, older);
    on_state(k + 1, state, columns);
  }
  tape_segment(checkpoints_.size() - 1);
}

}  // namespace sinew
