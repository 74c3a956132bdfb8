#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/adjoint/run_derivatives.hpp"
#include "sinew/core/error.hpp"
#include "sinew/muscles/wrap/chosen_side.hpp"

namespace sinew {
namespace {

/// Adjoints of (q, q̇) after charts moved become those before.
void pull_back_charts(const std::vector<ChartChange>& changes, StateVectors& bar) {
  for (const ChartChange& change : changes) {
    const Eigen::Index n = change.dq.rows();
    auto q = bar.q.segment(change.first, n), qdot = bar.qdot.segment(change.first, n);
    const VecXb q_bar =
        change.dq.transpose().lazyProduct(q) + change.dqdot.transpose().lazyProduct(qdot);
    const VecXb qdot_bar = change.dq.transpose().lazyProduct(qdot);
    q = q_bar;
    qdot = qdot_bar;
  }
}

}  // namespace

/// In: the adjoint of the end of the step in out.start, that of its start by later steps in older_.
/// Out: that of its start, as it was before charts moved, and of the state before.
void RunDerivatives::pull_back_step(size_t taped, const ControlAdjoint& controls) {
  Gradient& out = gradient_;
  const StepTape::Step& step = tape_.step(taped);
  const StageTable& table = *step.table;
  start_of(taped, from_);
  const State& start = from_;
  before_.set_zero(system());
  for (size_t i = 0; i < table.stages; ++i) {
    bars_[i].set_zero(system());
    zdot_bars_[i].setZero(system().internal_count());
  }
  MotionVectors& last = bars_[table.stages - 1];
  last.q = out.start.q;
  last.qdot = out.start.qdot;
  last.z = out.start.z;
  last.lambda = out.start.lambda;
  if (projection_) {
    update_projection(taped, start);
    if (model_ != nullptr) model_->update_projection(*projection_, last_stage(taped), start);
    out.newton_error += std::abs(projection_->pull_back(last));
    if (model_ != nullptr) {
      projection_adjoint_ = -projection_->adjoints();
      model_->add_to_sum(step.t + step.h, projection_adjoint_, out.model);
    }
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
    count_kinks(tape_.stage(taped, i));
    update_flows(taped, i, start);
    u_bar_.setZero(u_.size());
    halfway_bar_.setZero(flows_.empty() ? 0 : u_.size());
    // ż = (z − c_z)/γ.
    bar.z += zdot_bars_[i] / gamma;
    z_bar_ = bar.z;
    out.newton_error += std::abs(stage_->pull_back(bar, u_bar_));
    bar.z -= zdot_bars_[i] / gamma;
    if (model_ != nullptr) {
      model_->update_stage(tape_.stage(taped, i), start, settings_.step.baumgarte.implicit);
      pull_back_model_stage(taped, i);
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
    if (model_ != nullptr && model_->moves_time()) pull_back_length(taped, i);
    pass_on(t, u_bar_);
    pass_on(0.5 * (start.t + t), halfway_bar_);
    out.start.q += table.past[0] * bar.q;
    out.start.qdot += table.past[0] * bar.qdot;
    out.start.z += table.past[0] * bar.z;
    before_.q += table.past[1] * bar.q;
    before_.qdot += table.past[1] * bar.qdot;
    before_.z += table.past[1] * bar.z;
    for (size_t j = 0; j < i; ++j) {
      bars_[j].qdot += (table.a[i][j] * step.h) * bar.q;
      bars_[j].qddot += (table.a[i][j] * step.h) * bar.qdot;
      zdot_bars_[j] += (table.a[i][j] * step.h) * bar.z;
    }
  }
  older_ = before_;
  if (!step.recharted) return;
  arrival_at(taped, arrival_);
  const VecX& q = arrival_.q;
  update_chart_changes(system(), q, q, arrival_.qdot, *ws_, chart_changes_);
  pull_back_charts(chart_changes_, out.start);
  if (table.past[1] == 0) return;
  before(taped, from_);
  update_chart_changes(system(), q, from_.q, from_.qdot, *ws_, chart_changes_);
  pull_back_charts(chart_changes_, older_);
}

Objective::At RunDerivatives::judged(int number, const State& state, const System& of, double dt,
                                     Workspace& ws) const {
  const VecX& lambda = multipliers_.lambda;
  return {
      of, state, number, settings_.steps, dt, ws, {lambda.data(), number > 0 ? lambda.size() : 0}};
}

double RunDerivatives::judge(int number, const State& state, StateVectors* bar) {
  return objective_->evaluate(judged(number, state, system(), settings_.dt, *ws_), bar);
}

/// The same state in systems with other parameters.
void RunDerivatives::add_judgement_of_model(int number, const State& state) {
  if (model_ == nullptr) return;
  moved_.q = state.q;
  moved_.qdot = state.qdot;
  moved_.z = state.z;
  const double start = checkpoints_[0].t;
  model_->differentiate(1, [&](const ModelDerivatives::Neighbour& of, VecRef value) {
    moved_.t = of.time(start, state.t);
    value[0] =
        objective_->evaluate(judged(number, moved_, *of.at.system, of.at.dt, *of.ws), nullptr);
  });
  model_->add_to_sum(state.t, one_, gradient_.model);
}

/// Needs pull_back of the stage, the adjoint of z at its end in z_bar_, and c̄_z in its bars.
void RunDerivatives::pull_back_model_stage(size_t taped, size_t i) {
  stage_adjoint_.resize(stage_->w().size() + stage_->rho().size() + 2 * z_bar_.size());
  stage_adjoint_ << -stage_->w(), -stage_->rho(), z_bar_, bars_[i].z;
  model_->add_to_sum(tape_.stage(taped, i).t, stage_adjoint_, gradient_.model);
}

/// What the length of the step does to c_q, c_v and c_z of a stage, and to its ż.
void RunDerivatives::pull_back_length(size_t taped, size_t i) {
  const MotionVectors& bar = bars_[i];
  const double h = tape_.step(taped).h;
  differentiate_by_length(taped, i, by_length_);
  double by_length = bar.q.dot(by_length_.q) + bar.qdot.dot(by_length_.qdot);
  if (bar.z.size() > 0) by_length += bar.z.dot(by_length_.z) - zdot_bars_[i].dot(zdots_[i]) / h;
  gradient_.model += (by_length * h / settings_.dt) * model_->dt();
}

void RunDerivatives::update_internal_rates(size_t taped, const State& start) {
  if (model_ == nullptr || !model_->moves_time() || start.z.size() == 0) return zdots_.clear();
  zdots_.resize(StageTable::kMostStages);
  for (size_t i = 0; i < tape_.step(taped).table->stages; ++i) {
    update_stage(taped, i, start);
    const StepTape::Stage stage = tape_.stage(taped, i);
    VecX& z = zdots_[i];
    z = stage.c_z;
    for (size_t k = 0; k < system().parts().size(); ++k) {
      const Part& part = *system().parts()[k];
      part.read_stage(*ws_->parts[k], z.segment(system().place(k).internal, part.internal_count()));
    }
    z = (z - stage.c_z) / stage.gamma;
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

void RunDerivatives::restart_pieces() {
  kinks_.clear();
  model_kinks_.clear();
  later_pieces_.clear();
  later_sides_.clear();
  knots_->restart();
}

void RunDerivatives::read_pieces(const StepTape::Stage& stage) {
  const At at(stage.t, stage.q, stage.qdot, stage.c_z, stage.gamma, u_);
  const ExpandedState x = ws_->border->expanded(at);
  SkeletonAt in(system().skeleton(), at.t, x.q, x.qdot, ws_->skeleton);
  pieces_.clear();
  sides_.clear();
  piece_ends_.resize(system().parts().size());
  for (size_t k = 0; k < system().forces().size(); ++k) {
    in.controls = u_.data() + system().first_control(k);
    pieces_.push_back(system().forces()[k]->piece(in));
  }
  for (size_t k = 0; k < system().parts().size(); ++k) {
    const Part& part = *system().parts()[k];
    const PartAt part_at_stage = part_at(system(), k, at, *ws_);
    const size_t first_piece = pieces_.size(), first_side = sides_.size();
    part.append_pieces(part_at_stage, *ws_->parts[k], pieces_);
    part.append_sides(part_at_stage, *ws_->parts[k], sides_);
    for (size_t m = first_side; m < sides_.size(); ++m) sides_[m].piece += first_piece;
    piece_ends_[k] = pieces_.size();
  }
  passed_jump_ = knots_->empty() ? nullptr : knots_->pass(x.q, at.q);
}

bool RunDerivatives::passes_jump_at_start() {
  if (knots_->empty()) return false;
  const State& start = checkpoints_[0];
  expand_coordinates(system(), {start.t, start.q, start.qdot}, *ws_, expanded_q_, expanded_qdot_);
  passed_jump_ = knots_->pass(view(expanded_q_), view(start.q));
  return passed_jump_ != nullptr;
}

bool RunDerivatives::loses_a_path() const {
  return std::any_of(pieces_.begin() + static_cast<std::ptrdiff_t>(system().forces().size()),
                     pieces_.end(), [](int piece) { return piece < 0; });
}

/// A path that goes around a surface turns by less than a right angle from stage to stage, or is
/// far outside of it; one that jumps turns by half a turn, and steps that are long enough find it
/// free before and after.
const ChosenSide* RunDerivatives::turned_side() const {
  for (size_t k = 0; k < later_sides_.size(); ++k)
    if (passes_over(sides_[k].side, later_sides_[k].side)) return &sides_[k];
  return nullptr;
}

std::string RunDerivatives::element_of(size_t piece) const {
  const size_t forces = system().forces().size();
  if (piece < forces) return "force '" + system().forces()[piece]->name() + "'";
  const auto end = std::upper_bound(piece_ends_.begin(), piece_ends_.end(), piece);
  const size_t first = end == piece_ends_.begin() ? forces : *(end - 1);
  return system().parts()[static_cast<size_t>(end - piece_ends_.begin())]->piece_name(piece -
                                                                                      first);
}

void RunDerivatives::count_kinks(const StepTape::Stage& stage) {
  read_pieces(stage);
  if (loses_a_path() || turned_side() != nullptr || passed_jump_ != nullptr) throw_first_jump();
  kinks_.resize(pieces_.size());
  for (size_t k = 0; k < later_pieces_.size(); ++k) kinks_[k] += pieces_[k] != later_pieces_[k];
  later_pieces_ = pieces_;
  later_sides_ = sides_;
}

/// On the way back through a run the last jump comes first: the run is searched from its start.
void RunDerivatives::throw_first_jump() {
  restart_pieces();
  passes_jump_at_start();
  for (size_t segment = 0; segment < checkpoints_.size(); ++segment) {
    if (checkpoints_.size() > 1) tape_segment(segment);
    for (size_t taped = 0; taped < tape_.size(); ++taped) {
      start_of(taped, from_);
      for (size_t i = 0; i < tape_.step(taped).table->stages; ++i) {
        update_stage(taped, i, from_);
        const StepTape::Stage stage = tape_.stage(taped, i);
        read_pieces(stage);
        throw_jump(stage.t);
        later_sides_ = sides_;
      }
    }
  }
}

void RunDerivatives::throw_jump(double t) const {
  for (size_t k = system().forces().size(); k < pieces_.size(); ++k)
    if (pieces_[k] < 0)
      throw Error(element_of(k),
                  fmt::format("loses its path at t = {:.6g} s, where forces jump", t),
                  "move its points or its surfaces");
  if (const ChosenSide* turned = turned_side())
    throw Error(element_of(turned->piece),
                fmt::format("passes a surface on its other side from t = {:.6g} s on, and its pull "
                            "jumps there",
                            t),
                "give the surface a 'side', or a sphere the smooth model");
  if (passed_jump_ != nullptr) sinew::throw_jump(*passed_jump_, t);
}

std::vector<RunDerivatives::Kinks> RunDerivatives::kinks() const {
  std::vector<Kinks> out;
  for (size_t k = 0; k < kinks_.size(); ++k)
    if (kinks_[k] > 0) out.push_back({element_of(k), kinks_[k]});
  for (const PassedKnots::Count& knots : knots_->counts()) {
    const auto same = std::find_if(
        out.begin(), out.end(), [&](const Kinks& other) { return other.element == knots.element; });
    if (same == out.end())
      out.push_back({knots.element, knots.count});
    else
      same->count += knots.count;
  }
  out.insert(out.end(), model_kinks_.begin(), model_kinks_.end());
  return out;
}

void RunDerivatives::note_kinks_of_model() {
  for (int k = 0; k < model_->size(); ++k)
    if (model_->kinks(k) > 0)
      model_kinks_.push_back({"parameter '" + model_->name(k) + "'", model_->kinks(k)});
}

const RunDerivatives::Gradient& RunDerivatives::gradient(const ControlAdjoint& controls,
                                                         ModelDerivatives* model) {
  if (result_.end != SimulationEnd::finished || checkpoints_.empty())
    throw Error("gradient", "no run has finished", "run first");
  model_ = model;
  Gradient& out = gradient_;
  out.newton_error = 0;
  restart_pieces();
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
      state_after(number, end - 1, arrival_);
      multipliers_.lambda = last_stage(end - 1).lambda;
      judge(number, arrival_, &out.start);
      add_judgement_of_model(number, arrival_);
      for (size_t taped = end; taped-- > begin;) pull_back_step(taped, controls);
    }
  }
  if (passes_jump_at_start()) throw_first_jump();
  out.before = older_;
  judge(0, checkpoints_[0], &out.start);
  if (model == nullptr) return out;
  add_judgement_of_model(0, checkpoints_[0]);
  start_adjoint_.resize(2 * out.start.q.size() + out.start.z.size());
  start_adjoint_ << out.start.q, out.start.qdot, out.start.z;
  out.model.noalias() += model->start().transpose() * start_adjoint_;
  model->require_smooth(value_);
  note_kinks_of_model();
  return out;
}

}  // namespace sinew
