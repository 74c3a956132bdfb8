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
//
// Third differences fall with δ³ where f is smooth, with δ² where f'' jumps between the nodes, and
// with δ where f' does; rounding stays. So entries that are still curved are taken again with
// δ = 2⁻²¹, and bend if their third differences have not fallen as those of smooth ones.

namespace sinew {
namespace {

constexpr double kOffsets[] = {-2, -1, 1, 2};
/// A parameter near the end of what makes sense is moved by less, down to this.
constexpr double kLeastStep = 0x1p-25, kShorter = 0x1p-4;
/// A difference that exceeds all others by this factor is a jump.
constexpr double kJump = 10;
/// Differences below this share of the largest in a column are rounding.
constexpr double kRounding = 1e-9;

/// Between the values of one entry at neighbouring nodes.
struct Differences4 {
  double e[4];
  double largest, next_largest;  ///< their sizes
  double third;                  ///< of two differences of their differences, the larger size
  bool alike;                    ///< the two, as those of rounding are not
  double rounding;               ///< third is 0 if this explains it

  double central(double step) const { return (7 * (e[1] + e[2]) - e[0] - e[3]) / (12 * step); }
  /// Of the side without a kink, to second order.
  double one_sided(double step) const {
    const bool back = std::abs(e[1] - e[0]) <= std::abs(e[3] - e[2]);
    return (back ? 3 * e[1] - e[0] : 3 * e[2] - e[3]) / (2 * step);
  }
  bool jumps() const { return largest > kJump * next_largest + rounding; }
};

/// `scale`: the largest difference of all entries.
Differences4 differences_of(const MatX& values, Eigen::Index entry, double scale) {
  const auto f = values.row(entry);
  Differences4 out{{f[1] - f[0], f[2] - f[1], f[3] - f[2], f[4] - f[3]}, 0, 0, 0, false, 0};
  const double(&e)[4] = out.e;
  double size[] = {std::abs(e[0]), std::abs(e[1]), std::abs(e[2]), std::abs(e[3])};
  std::sort(std::begin(size), std::end(size));
  out.largest = size[3];
  out.next_largest = size[2];
  out.rounding = std::max(kRounding * scale, 64 * std::numeric_limits<double>::epsilon() *
                                                 (std::abs(f[0]) + std::abs(f[4])));
  const double before = e[2] - 2 * e[1] + e[0], after = e[3] - 2 * e[2] + e[1];
  out.third = std::max(std::abs(before), std::abs(after));
  out.alike = std::abs(after - before) <= 0.1 * out.third;
  if (!(out.largest > out.rounding) || out.third <= out.rounding) out.third = 0;
  return out;
}

/// The largest of all entries.
double largest_difference(const MatX& values, Eigen::Index entries) {
  double out = 0;
  for (Eigen::Index m = 0; m + 1 < values.cols(); ++m)
    out =
        std::max(out, (values.col(m + 1) - values.col(m)).head(entries).lpNorm<Eigen::Infinity>());
  return out;
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

ModelDerivatives::ModelDerivatives(BuildModel build, MakeControls controls, const ModelAt& middle,
                                   const VecX& values, std::vector<ModelParameter> parameters)
    : build_(std::move(build)),
      controls_(std::move(controls)),
      values_of_model_(values),
      parameters_(std::move(parameters)),
      middle_{middle, controls_(middle), std::make_unique<Workspace>(*middle.system)},
      closer_(parameters_.size()),
      closest_(parameters_.size()),
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
  thirds_.resize(most);
  suspects_.reserve(static_cast<size_t>(most));
  start_kinks_.assign(parameters_.size(), 0);
  not_counted_ = start_kinks_;
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

const ModelDerivatives::Neighbours& ModelDerivatives::closer(
    int k, double step, std::vector<std::optional<Neighbours>>& known) {
  std::optional<Neighbours>& out = known[static_cast<size_t>(k)];
  if (!out) out = find_neighbours(k, step);
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
  return take_differences(k, of.step, kCurved).curved;
}

void ModelDerivatives::differentiate_start(int k) {
  const Eigen::Index states = 2 * n_ + z_;
  begin_columns(states + 1);
  const auto put = [](const Neighbour& of, VecRef out) {
    out << of.at.start.q, of.at.start.qdot, of.at.start.z, of.at.dt;
  };
  put(middle_, values(kMiddle));
  // A start is solved, to more than the rounding of one evaluation: only bends are looked at
  // closer.
  start_kinks_[static_cast<size_t>(k)] = take_column(k, kBent, put);
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
    thirds_.resize(rows);
    suspects_.reserve(static_cast<size_t>(rows));
  }
  columns_.topRows(rows).setZero();
  jumps_.topRows(rows).setZero();
}

ModelDerivatives::Differences ModelDerivatives::take_differences(int k, double step,
                                                                 double suspicious) {
  const double scale = largest_difference(values_, used_);
  Differences out{false, false};
  suspects_.clear();
  suspect_step_ = step;
  for (Eigen::Index i = 0; i < used_; ++i) {
    const Differences4 at = differences_of(values_, i, scale);
    columns_(i, k) = at.central(step);
    jumps_(i, k) = 0;
    out.curved |= at.third > kCurved * at.largest;
    if (at.third > kBent * at.largest) {
      columns_(i, k) = at.one_sided(step);
      out.bent = true;
      if (at.jumps()) jumps_(i, k) = at.largest;
    }
    const bool suspect = at.third > (at.alike ? suspicious : kBent) * at.largest;
    if (!suspect || jumps_(i, k) > 0) continue;
    suspects_.push_back(i);
    thirds_[i] = at.third;
  }
  return out;
}

bool ModelDerivatives::take_suspects(int k, double step) {
  const double scale = largest_difference(values_, used_), fall = step / suspect_step_;
  bool bent = (jumps(k).array() > 0).any();
  for (const Eigen::Index i : suspects_) {
    const Differences4 at = differences_of(values_, i, scale);
    // The power of the distance with which they fall.
    const double power = std::log(at.third / thirds_[i]) / std::log(fall);
    if (power < 0.5) continue;  // rounding: closer nodes tell nothing
    const bool bends =
        power < 2.5 && (at.third > kBent * at.largest || (at.alike && std::abs(power - 2) < 0.2));
    columns_(i, k) = bends ? at.one_sided(step) : at.central(step);
    bent |= bends;
  }
  return bent;
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
  const auto evaluate = [&](const Neighbour& of, VecRef out) {
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
  };
  // What bends shows in stages. Moves are as small as what Newton's method leaves: they are
  // rounded.
  take_columns(2 * (n_ + rows_), evaluate, not_counted_);
}

}  // namespace sinew
