#include "sinew/integrate/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/core/error.hpp"
#include "sinew/integrate/dopri5.hpp"
#include "sinew/integrate/integrator_table.hpp"

namespace sinew {
namespace {

// A remainder below this fraction of a step is rounding of until / dt, not a step to take.
constexpr double kWholeStep = 1e-9;
constexpr double kMostRows = 1e9;

/// One run. Counts, reports and stops; the two loops below decide on the steps.
class Run {
 public:
  Run(const System& system, const SimulationSettings& settings, const Controls& controls,
      State& state, Workspace& ws, const SimulationObserver& observer)
      : system_(system),
        settings_(settings),
        controls_(controls),
        state_(state),
        ws_(ws),
        observer_(observer) {}

  SimulationResult fixed_steps() {
    const double t0 = state_.t, dt = settings_.dt;
    const double steps = (settings_.until - t0) / dt;
    const auto whole = static_cast<long long>(std::floor(steps + kWholeStep));
    const bool has_rest = steps - static_cast<double>(whole) > kWholeStep;
    const auto stride = std::max(1LL, std::llround(settings_.output_interval / dt));

    output(state_);
    for (long long k = 1; k <= whole + (has_rest ? 1 : 0); ++k) {
      const bool last = k == whole + (has_rest ? 1 : 0);
      const double end = last ? settings_.until : t0 + static_cast<double>(k) * dt;
      if (!proceed(step(system_, settings_.step, k <= whole ? dt : end - state_.t, controls_,
                        state_, ws_)))
        return result_;
      state_.t = end;
      if (last || k % stride == 0) output(state_);
      report_step();
      if (!last && stopped()) return result_;
    }
    return result_;
  }

  SimulationResult adaptive_steps() {
    StepOptions options = settings_.step;
    const double t0 = state_.t, until = settings_.until, interval = settings_.output_interval;
    if (options.ode45_rules && options.largest_step == 0) options.largest_step = 0.1 * (until - t0);
    DenseOutput dense;
    State between = state_;
    long long outputs = 1;

    output(state_);
    while (state_.t < until) {
      if (result_.steps >= settings_.most_steps) {
        result_.last.status = StepStatus::too_many_steps;
        result_.end = SimulationEnd::failed;
        return result_;
      }
      if (!proceed(step_dopri5({system_, options, controls_, until - state_.t, state_, ws_},
                               interval > 0 ? &dense : nullptr)))
        return result_;
      // until − t + t may miss `until` by a rounding.
      if (std::abs(until - state_.t) < 1e-14 * std::abs(until)) state_.t = until;
      const bool last = state_.t == until;
      for (double t; interval > 0 && (t = t0 + static_cast<double>(outputs) * interval) <
                                         (last ? until - kWholeStep * interval : state_.t);
           ++outputs) {
        dense.evaluate(t, between);
        output(between);
      }
      if (last || interval == 0) output(state_);
      report_step();
      if (!last && stopped()) return result_;
    }
    return result_;
  }

 private:
  bool proceed(const StepReport& report) {
    result_.last = report;
    result_.rejected += report.rejected;
    if (report.status == StepStatus::ok) {
      ++result_.steps;
      return true;
    }
    result_.end = SimulationEnd::failed;
    return false;
  }

  void report_step() {
    if (observer_.on_step) observer_.on_step(state_, result_.last);
  }

  void output(const State& state) {
    if (observer_.on_output) observer_.on_output(state);
  }

  bool stopped() {
    if (observer_.stop == nullptr || !observer_.stop->load(std::memory_order_relaxed)) return false;
    result_.end = SimulationEnd::interrupted;
    return true;
  }

  const System& system_;
  const SimulationSettings& settings_;
  const Controls& controls_;
  State& state_;
  Workspace& ws_;
  const SimulationObserver& observer_;
  SimulationResult result_;
};

void check(const SimulationSettings& settings, const State& state) {
  const auto positive = [](double x) { return std::isfinite(x) && x > 0; };
  if (!positive(settings.dt))
    throw Error("simulation", "dt is not positive", "give a step in seconds");
  if (!std::isfinite(settings.until) || settings.until < state.t)
    throw Error("simulation", "ends before it starts", "choose a later 'until'");
  if (!std::isfinite(settings.output_interval) || settings.output_interval < 0)
    throw Error("simulation", "the output interval is negative",
                "give seconds, or 0 for all steps");
  if (!positive(settings.step.relative_tolerance) || !positive(settings.step.absolute_tolerance))
    throw Error("simulation", "a tolerance is not positive", "give a small positive number");
  if ((settings.until - state.t) / settings.dt > 1e12)
    throw Error("simulation", "would take more than 1e12 steps", "choose a larger dt");
  if (settings.output_interval > 0 &&
      (settings.until - state.t) / settings.output_interval > kMostRows)
    throw Error("simulation", fmt::format("would write more than {:g} rows", kMostRows),
                "choose a larger output_interval");
  const double largest = settings.step.largest_step;
  if (largest > 0 && info(settings.step.integrator).adaptive &&
      (settings.until - state.t) / largest > settings.most_steps)
    throw Error("simulation",
                fmt::format("would take more than {} steps of the largest length allowed, {:g} s",
                            settings.most_steps, largest),
                "choose a larger largest_step, or a larger most_steps");
}

}  // namespace

State initial_state(const System& system, const StepOptions& options) {
  return options.projection ? system.default_state() : system.described_state();
}

SimulationResult simulate(const System& system, const SimulationSettings& settings, State& state,
                          Workspace& ws, const SimulationObserver& observer) {
  return simulate(system, settings, system.controls(), state, ws, observer);
}

SimulationResult simulate(const System& system, const SimulationSettings& settings,
                          const Controls& controls, State& state, Workspace& ws,
                          const SimulationObserver& observer) {
  check(settings, state);
  require_supported(system, settings.step, settings.dt);
  Run run(system, settings, controls, state, ws, observer);
  return info(settings.step.integrator).adaptive ? run.adaptive_steps() : run.fixed_steps();
}

std::string describe_failure(const System& system, const SimulationResult& result,
                             const State& state) {
  std::string text = fmt::format("{} at t = {:.6g} s", to_string(result.last.status), state.t);
  const int worst = result.last.worst_dof;
  if (worst >= 0 && worst < system.dof_count()) text += ", worst in " + system.entry_name(worst);
  const int constraint = result.last.worst_constraint;
  if (constraint >= 0 && constraint < static_cast<int>(system.constraints().size()))
    text += fmt::format(", worst in constraint '{}'",
                        system.constraints()[static_cast<size_t>(constraint)]->name());
  if (!result.last.part_failure.empty()) text += ", " + result.last.part_failure;
  if (result.last.status == StepStatus::contact_failed)
    text += fmt::format(
        ", worst in {}: no impulses of contacts, limits and friction satisfy each other; a shorter "
        "step, less friction or projection may help",
        describe(system.unilaterals(), result.last.worst_source));
  return text;
}

}  // namespace sinew
