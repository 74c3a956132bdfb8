#include "sinew/analysis/rest.hpp"

#include <algorithm>

#include "sinew/core/error.hpp"

namespace sinew {
namespace {

constexpr int kMostSteps = 1000;
constexpr double kFirstStep = 1e-2, kShortestStep = 1e-8, kLongestStep = 1e3;  // [s]
// Rest: the longest step moves no coordinate by more than this share of the largest one.
constexpr double kNoMotion = 1e-11;

}  // namespace

RestReport find_rest(const System& system, State& state, Workspace& ws) {
  if (!system.unilaterals().empty())
    throw Error(
        "rest",
        "cannot be searched in a system with limits, contacts, bearings or friction that holds",
        "simulate it with damping until it rests");
  StepOptions options{.integrator = Integrator::bdf1};
  options.newton_halvings = 0;  // a shorter step is tried from where it is
  const double t = state.t;
  RestReport report;
  state.qdot.setZero();
  state.memory = {};
  State trial;
  for (double h = kFirstStep; report.steps < kMostSteps && h > kShortestStep; ++report.steps) {
    trial = state;
    trial.t = t - h;  // forces are those at the end of the step
    if (step(system, options, h, trial, ws).status != StepStatus::ok) {
      h /= 4;
      continue;
    }
    const double motion = (trial.q - state.q).lpNorm<Eigen::Infinity>();
    report.acceleration = motion / (h * h);
    state = trial;
    state.t = t;
    state.qdot.setZero();
    state.memory = {};
    const double size = std::max(1.0, state.q.lpNorm<Eigen::Infinity>());
    if (h >= kLongestStep && motion <= kNoMotion * size) {
      report.found = true;
      break;
    }
    h = std::min(2 * h, kLongestStep);
  }
  return report;
}

}  // namespace sinew
