#include "sinew/adjoint/run_derivatives.hpp"

#include <algorithm>
#include <cmath>

#include "sinew/core/error.hpp"

namespace sinew {

void StateVectors::set_zero(const System& system) {
  q.setZero(system.dof_count());
  qdot.setZero(system.dof_count());
  z.setZero(system.internal_count());
  lambda.setZero(row_count(system));
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
  knots_.emplace(system());
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
      multipliers_.lambda = ws_->constraints.lambda;
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
  size_t& states = checkpoint_memory_;
  states = 0;
  for (int first = 0; first < settings_.steps; first += stride_) {
    checkpoints_.push_back(end_);
    State& kept = checkpoints_.back();
    // Room for what bdf2 will remember: steps that are taken again need not make it.
    if (kept.memory.owner == 0) {
      kept.memory.q_1 = kept.q;
      kept.memory.qdot_1 = kept.qdot;
      kept.memory.z_1 = kept.z;
    }
    for (const VecX* x :
         {&kept.q, &kept.qdot, &kept.z, &kept.memory.q_1, &kept.memory.qdot_1, &kept.memory.z_1})
      states += sizeof(double) * static_cast<size_t>(x->size());
    const int last = segment_end(checkpoints_.size() - 1);
    // The last segment is the first to be needed on the way back.
    const bool tapes = last == settings_.steps;
    if (tapes) {
      tape_.clear();
      ends_.clear();
      taped_segment_ = checkpoints_.size() - 1;
    }
    if (!take_steps(first, last, end_, tapes ? &tape_ : nullptr, &objective)) return false;
  }
  memory_ = tape_.memory() + states;
  return true;
}

void RunDerivatives::tape_segment(size_t segment) {
  tape_.clear();
  ends_.clear();
  taped_segment_ = segment;
  retaken_ = checkpoints_[segment];
  take_steps(static_cast<int>(segment) * stride_, segment_end(segment), retaken_, &tape_, nullptr);
  memory_ = std::max(memory_, tape_.memory() + checkpoint_memory_);
}

void RunDerivatives::end_of(size_t taped, State& out) const {
  const StepTape::Step& step = tape_.step(taped);
  out.t = step.t + step.h;
  out.q = tape_.end_q(taped);
  out.qdot = tape_.end_qdot(taped);
  out.z = last_stage(taped).c_z;  // the entries that flow
}

void RunDerivatives::state_after(int number, size_t taped, State& out) {
  end_of(taped, out);
  out.t = checkpoints_[0].t + settings_.dt * number;
  if (out.z.size() == 0) return;
  const StepTape::Stage stage = last_stage(taped);
  start_of(taped, from_);
  if (u_.size() > 0) controls_->evaluate(stage.t, from_, u_);
  update_forces(system(), {stage.t, stage.q, stage.qdot, stage.c_z, stage.gamma, u_}, *ws_);
  for (size_t k = 0; k < system().parts().size(); ++k) {
    const Part& part = *system().parts()[k];
    part.read_stage(*ws_->parts[k],
                    out.z.segment(system().place(k).internal, part.internal_count()));
  }
}

void RunDerivatives::arrival_at(size_t taped, State& out) const {
  if (taped > 0) return end_of(taped - 1, out);
  const State& from = checkpoints_[taped_segment_];
  out.q = from.q;
  out.qdot = from.qdot;
  out.z = from.z;
}

void RunDerivatives::start_of(size_t taped, State& out) const {
  arrival_at(taped, out);
  out.t = tape_.step(taped).t;
  if (tape_.step(taped).recharted) rechart(system(), out, *ws_);
}

void RunDerivatives::before(size_t taped, State& out) const {
  if (taped > 0) return start_of(taped - 1, out);
  const StepMemory& memory = checkpoints_[taped_segment_].memory;
  out.q = memory.q_1;
  out.qdot = memory.qdot_1;
}

void RunDerivatives::update_stage(size_t taped, size_t i, const State& start) {
  const StepTape::Stage stage = tape_.stage(taped, i);
  if (u_.size() > 0) controls_->evaluate(stage.t, start, u_);
  if (!stage_->update(stage, u_, settings_.step.baumgarte.implicit, *ws_))
    throw Error("gradient", "the equations of a step are singular at their solution",
                "choose a shorter step");
}

void RunDerivatives::update_projection(size_t taped, const State& start) {
  const StepTape::Stage stage = last_stage(taped);
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

}  // namespace sinew
