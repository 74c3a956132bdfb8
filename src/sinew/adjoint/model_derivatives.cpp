#include "sinew/adjoint/model_derivatives.hpp"

#include <fmt/format.h>

#include <cmath>

#include "sinew/core/error.hpp"
#include "sinew/integrate/internal_stage.hpp"

// f' = (4 D₁ − D₂)/3 + O(δ⁴), with D₁ over ±δ and D₂ over ±2δ: exact to rounding for whatever
// enters up to its fourth power. Of a function that changes over a length L of its parameter, in
// units of the scale, truncation is (δ/L)⁴/30 and rounding 1.5 ε L/δ. With δ = 2⁻¹³ both are below
// 1e-11 from L = 0.03 on; the slack length of a tendon has L = 0.02.

namespace sinew {
namespace {

constexpr double kStep = 0x1p-13;
constexpr double kOffsets[] = {-2, -1, 1, 2};
/// A parameter near the end of what makes sense is moved by less, down to this.
constexpr double kLeastStep = 0x1p-25, kShorter = 0x1p-4;
/// A parameter is refused if the estimates of two orders differ by more than this share. Of a
/// smooth one that is (δ/L)²/2: 2e-5. A jump makes them differ by half.
constexpr double kDoubt = 0.01;

bool is_inner(size_t node) { return std::abs(kOffsets[node]) == 1; }
/// Weights of the nodes in D₁ or D₂, and in f'.
double simple_weight(size_t node, double step) { return 1 / (2 * kOffsets[node] * step); }
double weight(size_t node, double step) {
  return (is_inner(node) ? 4. / 3 : -1. / 3) * simple_weight(node, step);
}

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

ModelDerivatives::ModelDerivatives(const BuildModel& build, const MakeControls& controls,
                                   const ModelAt& middle, const VecX& values,
                                   std::vector<ModelParameter> parameters)
    : parameters_(std::move(parameters)),
      middle_(middle),
      run_start_(middle.start.t),
      n_(middle.system->dof_count()),
      rows_(0),
      z_(middle.system->internal_count()),
      zero_(VecX::Zero(n_)) {
  for (const auto& constraint : middle.system->constraints()) rows_ += constraint->rows();
  start_.setZero(2 * n_ + z_, size());
  dt_.setZero(size());
  for (VecX* x : {&g_, &at_rest_, &scaled_}) x->resize(n_);
  neighbours_.resize(kNodes * parameters_.size());
  step_.resize(parameters_.size());
  for (int k = 0; k < size(); ++k) find_neighbours(build, controls, values, k);
}

void ModelDerivatives::require_same_structure(const ModelAt& at, int k) const {
  if (structure_of(*at.system) != structure_of(*middle_.system))
    throw Error("parameter '" + name(k) + "'", "changes what the system is made of",
                "start from a value at which it does not, or keep it");
}

void ModelDerivatives::find_neighbours(const BuildModel& build, const MakeControls& controls,
                                       const VecX& values, int k) {
  const auto first = kNodes * static_cast<size_t>(k);
  double& step = step_[static_cast<size_t>(k)];
  const double scale = parameters_[static_cast<size_t>(k)].scale;
  for (step = kStep;; step *= kShorter) {
    try {
      for (size_t node = 0; node < kNodes; ++node) {
        VecX moved = values;
        moved[k] += kOffsets[node] * step * scale;
        Neighbour& n = neighbours_[first + node];
        n.at = build(moved);
        if (n.at.dt == 0) n.at.dt = middle_.dt;
      }
      break;
    } catch (const Error& error) {
      if (step * kShorter < kLeastStep)
        throw Error("parameter '" + name(k) + "'",
                    fmt::format("cannot be moved both ways from {:.6g}: {}: {}", values[k],
                                error.element(), error.problem()),
                    "keep it away from the end of what makes sense");
    }
  }
  const Eigen::Index states = 2 * n_ + z_;
  VecX difference(states + 1), sum = VecX::Zero(states + 1);
  for (size_t node = 0; node < kNodes; ++node) {
    Neighbour& n = neighbours_[first + node];
    require_same_structure(n.at, k);
    n.controls = controls(n.at);
    n.stretch = n.at.dt / middle_.dt;
    if (n.at.system != middle_.system || n.stretch != 1)
      n.ws = std::make_unique<Workspace>(*n.at.system);
    difference << n.at.start.q - middle_.start.q, n.at.start.qdot - middle_.start.qdot,
        n.at.start.z - middle_.start.z, n.at.dt - middle_.dt;
    sum += weight(node, step) * difference;
  }
  start_.col(k) = sum.head(states);
  dt_[k] = sum[states];
  moves_time_ |= dt_[k] != 0;
}

void ModelDerivatives::begin(int k) {
  columns_.col(k).setZero();
  check_.col(k).setZero();
}

void ModelDerivatives::add(int k, size_t node) {
  const double step = step_[static_cast<size_t>(k)];
  columns_.col(k) += weight(node, step) * value_;
  check_.col(k) += (is_inner(node) ? 1 : -1) * simple_weight(node, step) * value_;
}

void ModelDerivatives::add_to_sum(double t, const VecX& adjoint, VecX& out) {
  sum_.noalias() = columns_.transpose() * adjoint;
  out += sum_;
  total_ += sum_.cwiseAbs();
  sum_.noalias() = check_.transpose() * adjoint;
  doubt_ += sum_.cwiseAbs();
  for (int k = 0; k < size(); ++k)
    if (std::abs(sum_[k]) > worst_[k]) {
      worst_[k] = std::abs(sum_[k]);
      worst_time_[k] = t;
    }
}

void ModelDerivatives::require_smooth(double value) const {
  if (size() == 0) return;
  const double rounding = 1e-7 * (std::abs(value) + total_.maxCoeff());
  for (int k = 0; k < size(); ++k)
    if (!(doubt_[k] <= kDoubt * total_[k] + rounding))
      throw Error("parameter '" + name(k) + "'",
                  fmt::format("changes the run with a jump or a kink, most at t = {:.6g} s",
                              worst_time_[k]),
                  "start from another value, or choose smooth elements");
}

void ModelDerivatives::evaluate_controls(const Neighbour& of, const State& start, double t,
                                         VecX& out) const {
  out.resize(of.controls.size());
  if (out.size() == 0) return;
  At measured(start);
  measured.t = of.time(run_start_, start.t);
  of.controls.evaluate(of.time(run_start_, t), measured, out);
}

void ModelDerivatives::update_stage(const StepTape::Stage& stage, const State& start, double beta) {
  differentiate(n_ + rows_ + 2 * z_, [&](const Neighbour& of, VecRef out) {
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
