#include "sinew/adjoint/run_parameters.hpp"

#include <algorithm>
#include <cmath>

#include "sinew/core/error.hpp"

namespace sinew {
namespace {

const std::string& name_of(const System& system, int control) {
  return system.controls().entries()[static_cast<size_t>(control)].control.name;
}

}  // namespace

RunParameters::RunParameters(const System& system, State start)
    : system_(system),
      described_(std::move(start)),
      start_(described_),
      schedule_(system.controls()) {}

void RunParameters::add_control(int control, std::vector<double> times, Interpolation interpolation,
                                double scale) {
  const std::vector<double> zeros(times.size());
  const std::string element = "control '" + name_of(system_, control) + "'";
  if (times.empty()) throw Error(element, "has no knots", "give at least one time");
  TimeFunction::Table(times, zeros, interpolation, element);  // checks
  Knots knots{control, size_, std::move(times), interpolation, scale, {}};
  const size_t count = knots.times.size();
  if (interpolation == Interpolation::cubic && count > 1)
    for (size_t k = 0; k < count; ++k) {
      std::vector<double> unit = zeros;
      unit[k] = 1;
      knots.basis.push_back(TimeFunction::Table(knots.times, unit, interpolation, element));
    }
  size_ += static_cast<int>(count);
  knots_.push_back(std::move(knots));
}

void RunParameters::add_start(int entry, double scale) {
  if (!system_.constraints().empty())
    throw Error("start", "of a system with constraints is assembled, which gradients do not pass",
                "keep it, or use dependent coordinates instead of constraints");
  starts_.push_back({entry, size_++, scale});
}

void RunParameters::set(const VecX& p) {
  for (const Knots& knots : knots_) {
    const auto count = static_cast<Eigen::Index>(knots.times.size());
    const VecX values = knots.scale * p.segment(knots.first, count);
    schedule_.set(knots.control,
                  TimeFunction::Table(knots.times, {values.begin(), values.end()},
                                      knots.interpolation, name_of(system_, knots.control)));
  }
  start_ = described_;
  const int n = system_.dof_count();
  for (const Start& s : starts_)
    (s.entry < n ? start_.q[s.entry] : start_.qdot[s.entry - n]) = s.scale * p[s.parameter];
}

template <class F>
void RunParameters::Knots::for_each_weight(double t, F&& f) const {
  for (size_t k = 0; k < basis.size(); ++k) f(static_cast<int>(k), basis[k].derivatives(t)[0]);
  if (!basis.empty()) return;
  // A step counts as reached a hair early, as in TimeFunction.
  const auto next = std::partition_point(
      times.begin(), times.end(), [t](double knot) { return t >= knot - 1e-12 * std::abs(knot); });
  const int after = static_cast<int>(next - times.begin()), last = static_cast<int>(times.size());
  if (after == 0 || after == last || interpolation == Interpolation::step) {
    f(std::max(after - 1, 0), 1.0);
    return;
  }
  const double weight = (t - *(next - 1)) / (*next - *(next - 1));
  f(after - 1, 1 - weight);
  f(after, weight);
}

void RunParameters::pull_back_controls(double t, const VecX& bar, VecX& out) const {
  for (const Knots& knots : knots_)
    knots.for_each_weight(t, [&](int k, double weight) {
      out[knots.first + k] += knots.scale * weight * bar[knots.control];
    });
}

void RunParameters::pull_back_start(const StateVectors& bar, VecX& out) const {
  const int n = system_.dof_count();
  for (const Start& s : starts_)
    out[s.parameter] += s.scale * (s.entry < n ? bar.q[s.entry] : bar.qdot[s.entry - n]);
}

void RunParameters::push_forward_controls(double t, MatX& columns) const {
  for (const Knots& knots : knots_)
    knots.for_each_weight(t, [&](int k, double weight) {
      columns(knots.control, knots.first + k) += knots.scale * weight;
    });
}

MatX RunParameters::start_directions() const {
  MatX out = MatX::Zero(2 * system_.dof_count() + system_.internal_count(), size_);
  for (const Start& s : starts_) out(s.entry, s.parameter) = s.scale;
  return out;
}

bool differentiate(RunDerivatives& run, RunParameters& parameters, const Objective& objective,
                   const VecX& p, ValueAndGradient& out) {
  parameters.set(p);
  if (!run.run(parameters.controls(), parameters.start(), objective)) return false;
  out.value = run.value();
  out.gradient.setZero(parameters.size());
  const RunDerivatives::Gradient gradient = run.gradient(
      [&](double t, const VecX& bar) { parameters.pull_back_controls(t, bar, out.gradient); });
  parameters.pull_back_start(gradient.start, out.gradient);
  out.newton_error = gradient.newton_error;
  return true;
}

}  // namespace sinew
