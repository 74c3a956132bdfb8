#include <algorithm>

#include "sinew/adjoint/run_derivatives.hpp"
#include "sinew/core/error.hpp"

namespace sinew {
namespace {

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
    arrival_at(taped, arrival_);
    const VecX& q = arrival_.q;
    update_chart_changes(system(), q, q, arrival_.qdot, *ws_, chart_changes_);
    push_forward_charts(chart_changes_, n, columns);
    if (table.past[1] != 0) {
      before(taped, from_);
      update_chart_changes(system(), q, from_.q, from_.qdot, *ws_, chart_changes_);
      push_forward_charts(chart_changes_, n, older);
    }
  }
  start_of(taped, from_);
  const State& start = from_;
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
  x.set_zero(system());
  update_internal_rates(taped, start);
  StageDerivatives::Change change;
  multipliers_.columns.resize(row_count(system()), count);
  for (size_t i = 0; i < table.stages; ++i) {
    update_stage(taped, i, start);
    count_kinks(tape_.stage(taped, i));
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
      model_->note_jumps(t);
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
      multipliers_.columns.col(k) = x.lambda;
      rates[i].col(k) << x.qdot, x.qddot, (x.z - c.col(k).tail(z)) / gamma;
      if (parameter >= 0 && !zdots_.empty())
        rates[i].col(k).tail(z) -= model_->dt()[parameter] / settings_.dt * zdots_[i];
    }
  }
  if (projection_) {
    update_projection(taped, start);
    if (model_ != nullptr) model_->update_projection(*projection_, last_stage(taped), start);
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
  restart_pieces();
  passes_jump_at_start();
  if (model != nullptr) model->begin_sum();
  MatX columns = start, older = MatX::Zero(start.rows(), start.cols());
  multipliers_ = {};
  on_state(0, checkpoints_[0], columns);
  State state;
  for (size_t segment = 0; segment < checkpoints_.size(); ++segment) {
    // Without checkpoints the whole run is on the tape.
    if (checkpoints_.size() > 1) tape_segment(segment);
    const int first = static_cast<int>(segment) * stride_;
    for (size_t k = 0, taped = 0; k < ends_.size(); ++k) {
      for (; taped < ends_[k]; ++taped) push_forward_step(taped, controls, columns, older);
      const int number = first + static_cast<int>(k) + 1;
      state_after(number, taped - 1, state);
      multipliers_.lambda = last_stage(taped - 1).lambda;
      on_state(number, state, columns);
    }
  }
  if (model == nullptr) return;
  model->require_smooth_stages();
  note_kinks_of_model();
}

bool RunDerivatives::transition(const Controls& controls, const State& start, Transition& out) {
  controls_ = &controls;
  model_ = nullptr;
  result_ = {};
  checkpoints_.assign(1, start);
  tape_.clear();
  ends_.clear();
  taped_segment_ = 0;
  end_ = start;
  end_.memory = {};
  if (!take_steps(0, 1, end_, &tape_, nullptr)) return false;
  restart_pieces();
  passes_jump_at_start();
  const Eigen::Index x = 2 * start.q.size() + start.z.size(), u = u_.size();
  MatX columns = MatX::Identity(x, x + u), older = MatX::Zero(x, x + u);
  for (size_t taped = 0; taped < tape_.size(); ++taped)
    push_forward_step(
        taped, [&](double, MatX& du) { du.rightCols(u).setIdentity(); }, columns, older);
  out.A = columns.leftCols(x);
  out.B = columns.rightCols(u);
  checkpoints_.clear();  // of this no gradient is asked
  return true;
}

}  // namespace sinew
