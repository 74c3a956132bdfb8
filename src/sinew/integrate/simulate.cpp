#include "sinew/integrate/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/core/error.hpp"
#include "sinew/integrate/dopri5.hpp"
#include "sinew/integrate/event_watch.hpp"
#include "sinew/integrate/integrator_table.hpp"

namespace sinew {
namespace {

// A remainder below this fraction of a step is rounding of until / dt, not a step to take.
constexpr double kWholeStep = 1e-9;
constexpr double kMostRows = 1e9;
// The time of an event that a step fails at is known to this share of a step, or of an adaptive
// run.
constexpr double kEventTime = 1e-6, kAdaptiveEventTime = 1e-9;

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
        observer_(observer),
        watch_(system) {}

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
      if (!advance(k <= whole ? dt : end - state_.t, end)) return result_;
      state_.t = end;
      if (last || k % stride == 0) output(state_);
      report_step();
      if (!last && stopped()) return result_;
    }
    return result_;
  }

  SimulationResult adaptive_steps() {
    StepOptions options = settings_.step;
    const double until = settings_.until;
    if (options.ode45_rules && options.largest_step == 0)
      options.largest_step = 0.1 * (until - start_);
    const bool interpolates = options.integrator == Integrator::dopri5;
    DenseOutput dense;
    const std::vector<TakenStep>& repeated = settings_.repeated_steps;

    next_row_ = start_ + settings_.output_interval;
    between_ = state_;
    output(state_);
    while (state_.t < until) {
      if (result_.steps >= settings_.most_steps) {
        result_.last.status = StepStatus::too_many_steps;
        result_.end = SimulationEnd::failed;
        return result_;
      }
      if (!repeated.empty()) options.repeat = &repeated[static_cast<size_t>(result_.steps)];
      const double end =
          interpolates || settings_.output_interval == 0 || last_row() ? until : next_row_;
      const std::optional<double> h =
          watch_.length(end - state_.t, options.repeat ? 0 : state_.memory.h_next, state_, ws_);
      if (!h) {
        end_with_event();
        return result_;
      }
      const StepReport report = interpolates
                                    ? step_dopri5({system_, options, controls_, *h, state_, ws_},
                                                  settings_.output_interval > 0 ? &dense : nullptr)
                                    : step(system_, options, *h, controls_, state_, ws_);
      if (watch_.again(report, kAdaptiveEventTime * (until - start_), state_)) {
        ++result_.rejected;
        continue;
      }
      if (!proceed(report)) return result_;
      // end − t + t may miss the end by a rounding.
      if (std::abs(end - state_.t) < 1e-14 * std::abs(end)) state_.t = end;
      add_rows(interpolates ? &dense : nullptr);
      report_step();
      if (state_.t < until && stopped()) return result_;
    }
    return result_;
  }

 private:
  /// Steps over h, up to `end`: in one step unless an event comes before.
  bool advance(double h, double end) {
    for (double rest = h;; rest = end - state_.t) {
      const std::optional<double> length = watch_.length(rest, rest, state_, ws_);
      if (!length) {
        end_with_event();
        return false;
      }
      const StepReport report = step(system_, settings_.step, *length, controls_, state_, ws_);
      if (watch_.again(report, kEventTime * settings_.dt, state_)) {
        ++result_.rejected;
        continue;
      }
      if (!proceed(report)) return false;
      if (*length == rest) return true;
      report_step();
    }
  }

  /// The run does not go past it.
  void end_with_event() {
    result_.event = watch_.event();
    if (result_.event.wanted) {
      output(state_);
      return;
    }
    result_.last.status = StepStatus::part_failed;
    result_.last.part_failure = result_.event;
    result_.end = SimulationEnd::failed;
  }

  /// Whether the next row is the one at the end.
  bool last_row() const {
    return next_row_ >= settings_.until - kWholeStep * settings_.output_interval;
  }

  /// The rows that an adaptive step has come to or, by interpolation, passed.
  void add_rows(const DenseOutput* dense) {
    const double interval = settings_.output_interval;
    while (interval > 0 && !last_row() && (dense ? next_row_ < state_.t : next_row_ == state_.t)) {
      if (dense) dense->evaluate(next_row_, between_);
      output(dense ? between_ : state_);
      next_row_ = start_ + static_cast<double>(++row_) * interval;
    }
    if (interval == 0 || state_.t == settings_.until) output(state_);
  }

  bool proceed(const StepReport& report) {
    result_.last = report;
    result_.rejected += report.rejected;
    if (report.excess > 0) ++result_.inaccurate;
    if (report.excess > result_.largest_excess) {
      result_.largest_excess = report.excess;
      result_.excess_time = state_.t;
    }
    result_.newton_iterations += report.newton_iterations;
    result_.linearizations += report.linearizations;
    if (report.status == StepStatus::ok) {
      ++result_.steps;
      return true;
    }
    result_.end = SimulationEnd::failed;
    result_.event = watch_.event();
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
  EventWatch watch_;
  SimulationResult result_;

  // adaptive runs
  double start_ = state_.t;  // [s]
  double next_row_ = 0;      // its time [s]
  long long row_ = 1;        // its number
  State between_;            // interpolated
};

/// Each step must begin where the one before ends, and the last one must end with the run.
void check_repeated(const SimulationSettings& settings, const State& state) {
  const std::vector<TakenStep>& steps = settings.repeated_steps;
  if (steps.empty()) return;
  if (!is_adaptive(settings.step))
    throw Error("steps to repeat", "the run takes steps of one length",
                "give the integrator and the accuracy or tolerance of the earlier run");
  double t = state.t;
  for (const TakenStep& step : steps) {
    // Written so that NaN fails.
    if (!(step.h > 0) || !(std::abs(t + step.h - step.t) <= 1e-9 * (std::abs(t) + step.h)))
      throw Error("steps to repeat",
                  fmt::format("a step of {:g} s from t = {:g} s does not end at t = {:g} s", step.h,
                              t, step.t),
                  "give all steps of an earlier run with the same start");
    t = step.t;
  }
  if (t != settings.until)
    throw Error(
        "steps to repeat",
        fmt::format("the last one ends at t = {:g} s, the run at {:g} s", t, settings.until),
        "choose the 'until' of the earlier run");
}

void check(const SimulationSettings& settings, const State& state) {
  const auto positive = [](double x) { return std::isfinite(x) && x > 0; };
  if (settings.audit_every < 1)
    throw Error("simulation", "audit_every is not positive", "give a number of steps");
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
  const double largest = settings.step.largest_step, least = settings.step.least_step;
  // Written so that NaN fails.
  if (!(least >= 0) || !std::isfinite(least) || (largest > 0 && least > largest))
    throw Error("simulation", "the least step is negative or longer than the largest",
                "choose one such as 1e-4 s, or 0 for none");
  if (largest > 0 && is_adaptive(settings.step) &&
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
  check_repeated(settings, state);
  require_supported(system, settings.step, settings.dt);
  Run run(system, settings, controls, state, ws, observer);
  return is_adaptive(settings.step) ? run.adaptive_steps() : run.fixed_steps();
}

std::string describe_steps(const SimulationSettings& settings) {
  const StepOptions& step = settings.step;
  if (step.accuracy > 0) return fmt::format("accuracy {:g}", step.accuracy);
  if (is_adaptive(step)) return fmt::format("tolerance {:g}", step.relative_tolerance);
  return fmt::format("dt = {:g} s", settings.dt);
}

std::string describe_failure(const System& system, const SimulationResult& result,
                             const State& state) {
  const bool event = !result.event.kind.empty();
  std::string text = fmt::format("{} at t = {:.6g} s", to_string(result.last.status),
                                 event ? result.event.time : state.t);
  const int worst = result.last.worst_dof;
  if (worst >= 0 && worst < system.dof_count()) text += ", worst in " + system.entry_name(worst);
  const int constraint = result.last.worst_constraint;
  if (constraint >= 0 && constraint < static_cast<int>(system.constraints().size()))
    text += fmt::format(", worst in constraint '{}'",
                        system.constraints()[static_cast<size_t>(constraint)]->name());
  if (!result.last.part_failure.kind.empty()) text += ", " + result.last.part_failure.text;
  if (result.last.status == StepStatus::contact_failed)
    text += fmt::format(
        ", worst in {}: no impulses of contacts, limits and friction satisfy each other; "
        "projection, "
        "less friction or a shorter step may help",
        describe(system.unilaterals(), result.last.worst_source));
  return text;
}

}  // namespace sinew
