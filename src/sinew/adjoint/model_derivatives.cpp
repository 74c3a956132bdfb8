#include "sinew/adjoint/model_derivatives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sinew/core/error.hpp"
#include "sinew/integrate/internal_stage.hpp"

// f' = (f₋₂ − 8 f₋₁ + 8 f₁ − f₂)/12δ + O(δ⁴): exact to rounding for whatever enters up to its
// fourth power. Of a function that changes over a length L of its parameter, in units of the scale,
// truncation is (δ/L)⁴/30 and rounding 1.5 ε L/δ, relative. With δ = 2⁻¹³ these are 7e-18 and 3e-12
// for L = 1. Third differences over first ones are (δ/L)²: where they are seen, δ = 2⁻¹⁷ is used,
// which suits lengths from 0.1 (3e-19, 4e-12) to 0.001 (1e-10, 4e-14); tendons have 0.001 to 0.01.
// L may change during a run: a path that lifts off is curved over the width of its touch-down. So
// every stage that is curved takes the shorter δ for itself.

namespace sinew {
namespace {

constexpr double kOffsets[] = {-2, -1, 1, 2};
/// A parameter near the end of what makes sense is moved by less, down to this.
constexpr double kLeastStep = 0x1p-25, kShorter = 0x1p-4;
/// Third differences over first ones: curved above the first, bent above the second.
constexpr double kCurved = 1e-6, kBent = 3e-3;
/// A difference that exceeds all others by this factor is a jump.
constexpr double kJump = 10;
/// Differences below this share of the largest in a column are rounding.
constexpr double kRounding = 1e-9;

/// What must not change: then entries of states, rows and controls mean the same.
std::string structure_of(const System& system) {
  std::string out =
      fmt::format("{} {} {} {} {}", system.dof_count(), system.internal_count(),
                  system.controls().size(), system.parts().size(), system.forces().size());
  for (const Coordinate& c : system.coordinates()) out += ' ' + c.name;
  for (const auto& c : system.constraints()) out += fmt::format(" {}:{}", c->name(), c->rows());
  return out;
}

}  // namespace

ModelDerivatives::ModelDerivatives(BuildModel build, MakeControls controls, const ModelAt& middle,
                                   const VecX& values, std::vector<ModelParameter> parameters)
    : build_(std::move(build)),
      controls_(std::move(controls)),
      values_of_model_(values),
      parameters_(std::move(parameters)),
      middle_{middle, controls_(middle), std::make_unique<Workspace>(*middle.system)},
      closer_(parameters_.size()),
      run_start_(middle.start.t),
      n_(middle.system->dof_count()),
      rows_(middle_.ws->constraints.rows.size()),
      z_(middle.system->internal_count()),
      zero_(VecX::Zero(n_)) {
  start_.setZero(2 * n_ + z_, size());
  dt_.setZero(size());
  for (VecX* x : {&g_, &at_rest_, &scaled_}) x->resize(n_);
  const Eigen::Index most = 2 * (n_ + rows_ + z_) + 1;
  for (MatX* x : {&columns_, &jumps_}) x->resize(most, size());
  values_.resize(most, kNodes + 1);
  begin_sum();
  for (int k = 0; k < size(); ++k) {
    neighbours_.push_back(find_neighbours(k, kStep));
    if (is_curved(k)) neighbours_.back() = find_neighbours(k, kShortStep);
    differentiate_start(k);
  }
}

void ModelDerivatives::require_same_structure(const ModelAt& at, int k) const {
  if (structure_of(*at.system) != structure_of(*middle_.at.system))
    throw Error("parameter '" + name(k) + "'", "changes what the system is made of",
                "start from a value at which it does not, or keep it");
}

ModelDerivatives::Neighbours ModelDerivatives::build_neighbours(int k, double step) const {
  Neighbours out{step, {}};
  for (size_t node = 0; node < kNodes; ++node) {
    VecX moved = values_of_model_;
    moved[k] += kOffsets[node] * step * parameters_[static_cast<size_t>(k)].scale;
    Neighbour& n = out.node[node];
    n.at = build_(moved);
    if (n.at.dt == 0) n.at.dt = middle_.at.dt;
    require_same_structure(n.at, k);
    n.controls = controls_(n.at);
    n.stretch = n.at.dt / middle_.at.dt;
    if (n.at.system != middle_.at.system || n.stretch != 1)
      n.ws = std::make_unique<Workspace>(*n.at.system);
  }
  return out;
}

ModelDerivatives::Neighbours ModelDerivatives::find_neighbours(int k, double step) const {
  for (;; step *= kShorter) {
    try {
      return build_neighbours(k, step);
    } catch (const Error& error) {
      if (error.element() == "parameter '" + name(k) + "'") throw;
      if (step * kShorter < kLeastStep)
        throw Error("parameter '" + name(k) + "'",
                    fmt::format("cannot be moved both ways from {:.6g}: {}: {}",
                                values_of_model_[k], error.element(), error.problem()),
                    "keep it away from the end of what makes sense");
    }
  }
}

const ModelDerivatives::Neighbours& ModelDerivatives::closer(int k) {
  std::optional<Neighbours>& out = closer_[static_cast<size_t>(k)];
  if (!out) out = find_neighbours(k, kShortStep);
  return *out;
}

bool ModelDerivatives::is_curved(int k) {
  const State& s = middle_.at.start;
  const Neighbours& of = neighbours_[static_cast<size_t>(k)];
  if (of.node[0].ws == nullptr || of.step <= kShortStep) return false;
  lambda_.setZero(rows_);
  const StepTape::Stage stage{s.t + middle_.at.dt, middle_.at.dt, view(s.q), view(s.qdot),
                              view(zero_),         view(lambda_), view(s.z)};
  begin_columns(n_ + rows_ + 2 * z_);
  evaluate_stage(middle_, stage, s, 0, values(kMiddle));
  for (size_t node = 0; node < kNodes; ++node)
    evaluate_stage(of.node[node], stage, s, 0, values(column_of(node)));
  return take_differences(k, of.step).curved;
}

void ModelDerivatives::differentiate_start(int k) {
  const Eigen::Index states = 2 * n_ + z_;
  begin_columns(states + 1);
  const auto put = [&](const ModelAt& at, Eigen::Index column) {
    values(column) << at.start.q, at.start.qdot, at.start.z, at.dt;
  };
  const auto evaluate = [&](const Neighbours& of) {
    for (size_t node = 0; node < kNodes; ++node) put(of.node[node].at, column_of(node));
    return take_differences(k, of.step);
  };
  put(middle_.at, kMiddle);
  const Neighbours& of = neighbours_[static_cast<size_t>(k)];
  Differences found = evaluate(of);
  if (found.curved && of.step > kShortStep) found = evaluate(closer(k));
  kinks_[static_cast<size_t>(k)] += found.bent;
  if (jumps(k).lpNorm<Eigen::Infinity>() > 0)
    throw Error("parameter '" + name(k) + "'", "makes the start jump",
                "start from another value, or from other coordinates");
  start_.col(k) = columns_.col(k).head(states);
  dt_[k] = columns_(states, k);
  moves_time_ |= dt_[k] != 0;
}

void ModelDerivatives::begin_columns(Eigen::Index rows) {
  used_ = rows;
  if (columns_.rows() < rows) {
    columns_.resize(rows, columns_.cols());
    jumps_.resize(rows, jumps_.cols());
    values_.resize(rows, values_.cols());
  }
  columns_.topRows(rows).setZero();
  jumps_.topRows(rows).setZero();
}

/// Column k from the values at its nodes.
ModelDerivatives::Differences ModelDerivatives::take_differences(int k, double step) {
  const auto f = [&](Eigen::Index column) { return values(column); };
  double largest = 0;
  for (Eigen::Index m = 0; m + 1 < values_.cols(); ++m)
    largest = std::max(largest, (f(m + 1) - f(m)).lpNorm<Eigen::Infinity>());
  Differences out{false, false};
  for (Eigen::Index i = 0; i < used_; ++i) {
    const double e[] = {f(1)[i] - f(0)[i], f(2)[i] - f(1)[i], f(3)[i] - f(2)[i], f(4)[i] - f(3)[i]};
    columns_(i, k) = (7 * (e[1] + e[2]) - e[0] - e[3]) / (12 * step);
    jumps_(i, k) = 0;
    double size[] = {std::abs(e[0]), std::abs(e[1]), std::abs(e[2]), std::abs(e[3])};
    std::sort(std::begin(size), std::end(size));
    const double rounding =
        std::max(kRounding * largest, 64 * std::numeric_limits<double>::epsilon() *
                                          (std::abs(f(0)[i]) + std::abs(f(4)[i])));
    if (!(size[3] > rounding)) continue;
    const double third =
        std::max(std::abs(e[2] - 2 * e[1] + e[0]), std::abs(e[3] - 2 * e[2] + e[1]));
    if (third <= rounding) continue;
    out.curved |= third > kCurved * size[3];
    if (third <= kBent * size[3]) continue;
    // The side without the kink, to second order.
    const bool back = std::abs(e[1] - e[0]) <= std::abs(e[3] - e[2]);
    columns_(i, k) = (back ? 3 * e[1] - e[0] : 3 * e[2] - e[3]) / (2 * step);
    out.bent = true;
    if (size[3] > kJump * size[2] + rounding) jumps_(i, k) = size[3];
  }
  return out;
}

void ModelDerivatives::begin_sum() {
  total_.setZero(size());
  jump_.setZero(size());
  jump_time_.setZero(size());
  kinks_.assign(parameters_.size(), 0);
  stage_total_.setZero(n_ + rows_ + 2 * z_, size());
  stage_jump_ = stage_total_;
}

void ModelDerivatives::add_to_sum(double t, const ConstVecRef& adjoint, VecX& out) {
  sum_.noalias() = columns().transpose() * adjoint;
  out += sum_;
  total_ += sum_.cwiseAbs();
  for (int k = 0; k < size(); ++k) {
    const double jump = jumps(k).cwiseAbs().dot(adjoint.cwiseAbs());
    if (!(jump > jump_[k])) continue;
    jump_[k] = jump;
    jump_time_[k] = t;
  }
}

void ModelDerivatives::require_smooth(double value) const {
  if (size() == 0) return;
  // A kink in the outermost interval looks like a jump of δ times its slope.
  const double small = 3 * kStep * (std::abs(value) + total_.maxCoeff());
  for (int k = 0; k < size(); ++k)
    if (!(jump_[k] <= small)) throw_jump(k);
}

void ModelDerivatives::throw_jump(int k) const {
  throw Error("parameter '" + name(k) + "'",
              fmt::format("makes forces jump, most at t = {:.6g} s", jump_time_[k]),
              "start from another value, or choose smooth elements");
}

void ModelDerivatives::note_jumps(double t) {
  stage_total_ += columns().cwiseAbs();
  for (int k = 0; k < size(); ++k) {
    if ((jumps(k).array() > stage_jump_.col(k).array()).any()) jump_time_[k] = t;
    stage_jump_.col(k) = stage_jump_.col(k).cwiseMax(jumps(k));
  }
}

void ModelDerivatives::require_smooth_stages() const {
  if (size() == 0) return;
  constexpr double kNothing = 1e-9;  // [N m, N, kg m²…]: rounding of forces, of which none changes
  const double small = 3 * kStep * stage_total_.maxCoeff() + kNothing;
  for (int k = 0; k < size(); ++k)
    if (!(stage_jump_.col(k).maxCoeff() <= small)) throw_jump(k);
}

void ModelDerivatives::evaluate_controls(const Neighbour& of, const State& start, double t,
                                         VecX& out) const {
  out.resize(of.controls.size());
  if (out.size() == 0) return;
  At measured(start);
  measured.t = of.time(run_start_, start.t);
  of.controls.evaluate(of.time(run_start_, t), measured, out);
}

void ModelDerivatives::evaluate_stage(const Neighbour& of, const StepTape::Stage& stage,
                                      const State& start, double beta, VecRef out) {
  const System& system = *of.at.system;
  Workspace& ws = *of.ws;
  const double t = of.time(run_start_, stage.t);
  evaluate_controls(of, start, stage.t, u_);
  const At at(t, stage.q, stage.qdot, stage.c_z, of.stretch * stage.gamma, u_);
  inverse_dynamics(system, at, stage.qddot, stage.lambda, ws, g_);
  out.head(n_) = g_;
  const ConstraintRows& rows = ws.constraints.rows;
  for (Eigen::Index r = 0; r < rows_; ++r)
    out[n_ + r] =
        (rows.dot(static_cast<int>(r), stage.qdot.data()) + rows.rate[r] + beta * rows.value[r]) /
        stage.gamma;
  if (z_ == 0) return;
  evaluate_controls(of, start, 0.5 * (start.t + stage.t), halfway_);
  c_z_ = stage.c_z;
  follow_controls(system, view(u_), c_z_);
  out.segment(n_ + rows_, z_) = stage.c_z;
  for (size_t k = 0; k < system.parts().size(); ++k) {
    const Part& part = *system.parts()[k];
    const PartPlace& place = system.place(k);
    const Eigen::Index first = place.internal, count = part.internal_count();
    part.read_stage(*ws.parts[k], out.segment(n_ + rows_ + first, count));
    part.flow_internal({start.z.data() + first, count}, of.stretch * (stage.t - start.t),
                       halfway_.data() + place.control, c_z_.segment(first, count));
  }
  out.tail(z_) = c_z_;
}

void ModelDerivatives::update_stage(const StepTape::Stage& stage, const State& start, double beta) {
  differentiate(n_ + rows_ + 2 * z_, [&](const Neighbour& of, VecRef out) {
    evaluate_stage(of, stage, start, beta, out);
  });
}

void ModelDerivatives::update_projection(const ProjectionDerivatives& projection,
                                         const StepTape::Stage& stage, const State& start) {
  differentiate(2 * (n_ + rows_), [&](const Neighbour& of, VecRef out) {
    const System& system = *of.at.system;
    Workspace& ws = *of.ws;
    const double t = of.time(run_start_, stage.t);
    evaluate_controls(of, start, stage.t, u_);
    const At at(t, stage.q, zero_, stage.c_z, 0, u_);
    // M δ + Gᵀμ is linear in (δ, μ): what they add to the residual at rest.
    const auto add = [&](const ProjectionDerivatives::Move& move, auto&& block) {
      block.setZero();
      const double size = move.change.lpNorm<Eigen::Infinity>();
      if (size == 0) return;
      scaled_ = move.change / size;
      lambda_ = move.multipliers / size;
      inverse_dynamics(system, at, scaled_, lambda_, ws, g_);
      lambda_.setZero();
      inverse_dynamics(system, at, zero_, lambda_, ws, at_rest_);
      block = size * (g_ - at_rest_);
    };
    add(projection.position(), out.head(n_));
    add(projection.velocity(), out.segment(n_, n_));
    const VecX &q = projection.q_end(), &qdot = projection.qdot_end();
    update_constraint_values(system, {t, q, qdot}, ws);
    const ConstraintRows& rows = ws.constraints.rows;
    for (Eigen::Index r = 0; r < rows_; ++r) {
      out[2 * n_ + r] = rows.value[r];
      out[2 * n_ + rows_ + r] = rows.dot(static_cast<int>(r), qdot.data()) + rows.rate[r];
    }
  });
}

}  // namespace sinew
