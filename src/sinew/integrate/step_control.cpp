#include "sinew/integrate/step_control.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sinew {
namespace {

/// The units of z, in a vector of the workspace.
const VecX& internal_units(const StepContext& s) {
  VecX& units = s.ws.internal_units;
  if (units.size() == s.state.z.size()) return units;
  units.resize(s.state.z.size());
  for (size_t k = 0; k < s.system.parts().size(); ++k) {
    const Part& part = *s.system.parts()[k];
    part.internal_units(units.segment(s.system.place(k).internal, part.internal_count()));
  }
  return units;
}

void note(double ratio, int dof, ErrorRatio& worst) {
  if (!(ratio <= worst.value) && !std::isnan(worst.value)) worst = {ratio, dof};
}

ErrorRatio by_accuracy(const StepContext& s, const StepVectors& error) {
  const double E = s.options.accuracy;
  ErrorRatio worst;
  for (Eigen::Index n = 0; n < error.q.size(); ++n) {
    note(std::abs(error.q[n]) / E, static_cast<int>(n), worst);
    note(kRateTime * std::abs(error.qdot[n]) / E, static_cast<int>(n), worst);
  }
  const VecX& units = internal_units(s);
  for (Eigen::Index n = 0; n < error.z.size(); ++n)
    note(std::abs(error.z[n]) / (E * units[n]), -1, worst);
  return worst;
}

/// ode45 tolerates rtol × max(|y₀|, |y₁|, atol/rtol), otherwise it is atol + rtol × max(|y₀|,
/// |y₁|).
ErrorRatio by_tolerances(const StepContext& s, const StepVectors& error, const StepVectors& end) {
  const double rtol = s.options.relative_tolerance, atol = s.options.absolute_tolerance;
  ErrorRatio worst;
  const auto compare = [&](const VecX& e, const VecX& y0, const VecX& y1, bool of_coordinates) {
    for (Eigen::Index n = 0; n < y0.size(); ++n) {
      const double y = rtol * std::max(std::abs(y0[n]), std::abs(y1[n]));
      note(std::abs(e[n]) / (s.options.ode45_rules ? std::max(y, atol) : atol + y),
           of_coordinates ? static_cast<int>(n) : -1, worst);
    }
  };
  compare(error.q, s.state.q, end.q, true);
  compare(error.qdot, s.state.qdot, end.qdot, true);
  compare(error.z, s.state.z, end.z, false);
  return worst;
}

/// Factor of the step (≥ 1 or slightly less) after one with this error.
double growth(const StepOptions& options, int order, double ratio) {
  const double safety = options.ode45_rules ? 0.8 : 0.9;
  return ratio > 0 ? std::min(5.0, safety * std::pow(ratio, -1.0 / order)) : 5.0;
}

/// Factor of the step after a failure. Not finite: the step left the region where the
/// equations are meaningful.
double shrinkage(const StepOptions& options, int order, double ratio, int failures) {
  if (!std::isfinite(ratio)) return 0.1;
  if (options.ode45_rules && failures > 1) return 0.5;
  return std::max(0.1, growth(options, order, ratio));
}

/// The end of the step: t + h, or an earlier jump of the forces.
struct StepLimit {
  double t;
  bool jump;
};
StepLimit next_limit(const StepContext& s) {
  const double t = s.state.t, end = t + s.h;
  if (s.h < 0) {
    const double last = last_jump(s, t - hair(t, s.h));
    return last >= end ? StepLimit{last, true} : StepLimit{end, false};
  }
  const double next = next_jump(s, t + hair(t, s.h));
  return next <= end ? StepLimit{next, true} : StepLimit{end, false};
}

}  // namespace

ErrorRatio error_ratio(const StepContext& s, const StepVectors& error, const StepVectors& end) {
  return s.options.accuracy > 0 ? by_accuracy(s, error) : by_tolerances(s, error, end);
}

double hair(double t, double h) { return 1e-11 * std::max(std::abs(t), std::abs(h)); }

double just_before(double t, double h) { return h > 0 ? t - hair(t, h) : t + hair(t, h); }

double largest_rate(const StepContext& s, const VecX& qddot, const VecX& zdot) {
  const VecX& units = internal_units(s);
  double rate =
      std::max(s.state.qdot.lpNorm<Eigen::Infinity>(), kRateTime * qddot.lpNorm<Eigen::Infinity>());
  for (Eigen::Index n = 0; n < zdot.size(); ++n)
    rate = std::max(rate, std::abs(zdot[n]) / units[n]);
  return rate;
}

double EstimatingMethod::first_length(const StepContext& s, int order) {
  const double reach = 0.3 * std::pow(s.options.accuracy, 1.0 / order);
  return reach / std::max(rate(), std::numeric_limits<double>::min());
}

namespace {

/// The step of an earlier run, without a look at its error.
StepReport repeat_step(const StepContext& s, const TakenStep& taken, EstimatingMethod& method) {
  StepReport report;
  report.h = taken.h;
  const StepLimit limit = next_limit(s);
  const bool jumps = limit.jump && limit.t == taken.t;
  if (!method.attempt(taken.h, jumps, report)) return report;
  const StepVectors end = method.end();
  if (finish(s, jumps ? just_before(taken.t, taken.h) : taken.t, Directions::borrowed, end.q,
             end.qdot, report))
    method.accept(taken.h, taken.t, taken.h_next, jumps || report.projected, report);
  return report;
}

}  // namespace

StepReport control_step(const StepContext& s, int order, EstimatingMethod& method) {
  if (s.options.repeat) return repeat_step(s, *s.options.repeat, method);
  const StepOptions& options = s.options;
  State& state = s.state;
  const double infinity = std::numeric_limits<double>::infinity();
  const double longest = options.largest_step > 0 ? options.largest_step : infinity;
  const double shortest =
      16 * std::numeric_limits<double>::epsilon() * std::max(std::abs(state.t), std::abs(s.h));
  const double direction = s.h > 0 ? 1 : -1;
  const StepLimit limit = next_limit(s);
  const double first =
      state.memory.h_next > 0 ? state.memory.h_next : method.first_length(s, order);
  const double least = options.accuracy > 0 ? options.least_step : 0;
  double wanted = std::max(first, least);
  StepReport report;
  for (;;) {
    wanted = std::min(wanted, longest);
    // Within a tenth of the limit the step is stretched to it, so that no tiny step remains.
    const bool reaches = 1.1 * wanted >= std::abs(limit.t - state.t);
    report.h = reaches ? limit.t - state.t : direction * wanted;
    const bool jumps = reaches && limit.jump;
    report.status = StepStatus::ok;
    const std::optional<ErrorRatio> error = method.attempt(report.h, jumps, report);
    const bool is_known = error && std::isfinite(error->value);
    const bool is_least = wanted <= least;
    if (is_known && (error->value <= 1 || is_least)) {
      const double t = reaches ? limit.t : state.t + report.h;
      const StepVectors end = method.end();
      if (!finish(s, jumps ? just_before(t, report.h) : t, Directions::borrowed, end.q, end.qdot,
                  report))
        return report;
      // A step cut short by the limit does not discredit the length that was wanted.
      const double grown = growth(options, order, std::min(error->value, 1.0)) * std::abs(report.h);
      if (error->value > 1) report.excess = error->value;
      if (report.rejected == 0) wanted = reaches ? std::max(grown, wanted) : grown;
      method.accept(report.h, t, wanted, jumps || report.projected, report);
      return report;
    }
    ++report.rejected;
    const double shorter =
        std::abs(report.h) *
        (error ? shrinkage(options, order, error->value, report.rejected) : 0.25);
    // Only a step without a solution may become shorter than the least.
    wanted = is_known ? std::max(shorter, least) : shorter;
    if (wanted < shortest) {
      if (!error) return report;
      report.status =
          std::isfinite(error->value) ? StepStatus::step_underflow : StepStatus::diverged;
      report.worst_dof = error->dof;
      return report;
    }
  }
}

}  // namespace sinew
