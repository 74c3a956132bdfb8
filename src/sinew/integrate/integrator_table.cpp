#include "sinew/integrate/integrator_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "sinew/core/error.hpp"
#include "sinew/integrate/step_common.hpp"

namespace sinew {
namespace {

constexpr bool yes = true, no = false;
// order; implicit, stiff, estimates, adaptive; energy judged, remembers, halves, impulses: see
// IntegratorInfo.
constexpr std::array<IntegratorInfo, 9> kIntegrators = {{
    {Integrator::semi_implicit_euler, "semi-implicit-euler",  //
     1, no, no, no, no, no, no, no, yes, semi_implicit_euler},
    {Integrator::linearly_implicit_euler, "linearly-implicit-euler",  //
     1, no, yes, no, no, no, no, no, yes, linearly_implicit_euler},
    {Integrator::rk4, "rk4",  //
     4, no, no, no, no, yes, no, no, no, rk4},
    {Integrator::dopri5, "dopri5",  //
     5, no, no, yes, yes, yes, yes, no, no, dopri5},
    {Integrator::bdf1, "bdf1",  //
     1, yes, yes, no, no, no, no, yes, yes, bdf1},
    {Integrator::sdirk2, "sdirk2",  //
     2, yes, yes, yes, no, no, no, yes, no, sdirk2},
    {Integrator::sdirk4, "sdirk4",  //
     4, yes, yes, yes, no, no, no, yes, no, sdirk4},
    {Integrator::bdf2, "bdf2",  //
     2, yes, yes, no, no, no, yes, no, no, bdf2},
    {Integrator::variational, "variational",  //
     2, yes, no, no, no, yes, yes, no, no, variational},
}};

bool by_conjugate_gradients(const StepOptions& options) {
  return options.integrator == Integrator::linearly_implicit_euler &&
         options.solver == LinearSolver::conjugate_gradient;
}

std::string element_of_parts(const System& system, Feature feature) {
  for (const auto& part : system.parts())
    if ((part->features() & bit(feature)) != 0) return part->element_with(feature);
  return "";
}

/// The first element with the feature, for messages.
std::string element_with(const System& system, Feature feature) {
  const auto quoted = [](const char* kind, const std::string& name) {
    return std::string(kind) + " '" + name + "'";
  };
  switch (feature) {
    case Feature::constraints:
      return quoted("constraint", system.constraints()[0]->name());
    case Feature::contacts: {
      const UnilateralElements& elements = system.unilaterals();
      return elements.limits.empty() ? quoted("contact", elements.contacts.surfaces()[0].name)
                                     : quoted("limit", elements.limits[0].name());
    }
    case Feature::bearings:
      if (system.unilaterals().bearings.empty()) return element_of_parts(system, feature);
      return quoted("bearing", system.unilaterals().bearings[0].name);
    case Feature::massive_muscles:
    case Feature::hill_muscles:
    case Feature::soft_bodies:
    case Feature::strands:
      return element_of_parts(system, feature);
    case Feature::dependent_coordinates:
      for (const Coordinate& coordinate : system.all_coordinates())
        if (std::none_of(system.coordinates().begin(), system.coordinates().end(),
                         [&](const Coordinate& free) { return free.name == coordinate.name; }))
          return quoted("coordinate", coordinate.name);
      return "coordinates";
    case Feature::driven_coordinates: {
      const auto k = static_cast<size_t>(system.coordinate_map()->driven()[0]);
      return quoted("coordinate", system.skeleton().coordinates()[k].name);
    }
    case Feature::steps_back:
      return "step";
  }
  return "";
}

/// "a, b or c".
std::string listed(const std::vector<Integrator>& integrators) {
  std::string out;
  for (size_t k = 0; k < integrators.size(); ++k)
    out += (k == 0 ? "" : k + 1 == integrators.size() ? " or " : ", ") + to_string(integrators[k]);
  return out;
}

std::string remedy(const System& system, const StepOptions& options, Feature feature) {
  if (feature == Feature::steps_back) return "give a step h greater than 0";
  if (by_conjugate_gradients(options)) return "choose the solver 'direct'";
  const std::string others = listed(supported_integrators(system));
  const char* instead = feature == Feature::contacts ? ", or springs instead" : "";
  return others.empty() ? "no integrator steps all that this system has: take something away"
                        : "choose " + others + instead;
}

}  // namespace

std::span<const IntegratorInfo> integrator_table() { return kIntegrators; }

const IntegratorInfo& info(Integrator integrator) {
  return kIntegrators[static_cast<size_t>(integrator)];
}

bool is_adaptive(const StepOptions& options) {
  return info(options.integrator).adaptive || options.accuracy > 0;
}

std::optional<std::string> refusal(const StepOptions& options, Feature feature) {
  const IntegratorInfo& method = info(options.integrator);
  const auto with_name = [&](const char* before, const char* after) {
    return before + std::string(method.name) + after;
  };
  const bool rows = feature == Feature::constraints || feature == Feature::contacts ||
                    feature == Feature::bearings;
  if (by_conjugate_gradients(options) && rows) return "cannot be stepped by conjugate gradients";
  switch (feature) {
    case Feature::contacts:
    case Feature::bearings:
      if (!method.impulses) return with_name("makes velocities jump, which ", " cannot step over");
      break;
    default:
      break;
  }
  return std::nullopt;
}

namespace {

/// Features that the integrator, with the solver of the options, cannot step.
unsigned refused_features(const StepOptions& options) {
  static const auto kTable = [] {
    std::array<std::array<unsigned, 2>, kIntegrators.size()> out{};
    for (const IntegratorInfo& method : kIntegrators)
      for (const LinearSolver solver : {LinearSolver::direct, LinearSolver::conjugate_gradient})
        for (const Feature feature : kFeatures)
          if (refusal({.integrator = method.integrator, .solver = solver}, feature))
            out[static_cast<size_t>(method.integrator)][static_cast<size_t>(solver)] |=
                bit(feature);
    return out;
  }();
  return kTable[static_cast<size_t>(options.integrator)][static_cast<size_t>(options.solver)];
}

}  // namespace

namespace {

void require_estimate(const StepOptions& options) {
  if (!std::isfinite(options.accuracy) || options.accuracy < 0)
    throw Error("accuracy", "is not a positive number", "give the error that a step may add");
  if (info(options.integrator).estimates) return;
  std::vector<Integrator> able;
  for (const IntegratorInfo& method : kIntegrators)
    if (method.estimates) able.push_back(method.integrator);
  throw Error("accuracy", to_string(options.integrator) + " does not estimate its error",
              "choose " + listed(able) + ", or give the length of its steps (dt) alone");
}

}  // namespace

std::optional<std::string> refusal(const System& system, const StepOptions& options) {
  const unsigned refused = system.features() & refused_features(options);
  for (const Feature feature : kFeatures)
    if ((refused & bit(feature)) != 0)
      return element_with(system, feature) + " " + *refusal(options, feature);
  return std::nullopt;
}

void require_supported(const System& system, const StepOptions& options, double h) {
  if (options.accuracy != 0) require_estimate(options);
  constexpr unsigned kOneWay =
      bit(Feature::contacts) | bit(Feature::bearings) | bit(Feature::hill_muscles);
  const unsigned back = bit(Feature::steps_back);
  const unsigned asked = system.features() | (h < 0 ? back : 0);
  unsigned refused = asked & refused_features(options);
  if (h < 0 && refused == 0 && (asked & kOneWay) != 0) refused = asked & kOneWay;
  if (refused == 0) return;
  for (const Feature feature : kFeatures)
    if ((refused & bit(feature)) != 0)
      throw Error(
          element_with(system, feature),
          refusal(options, feature).value_or("cannot be stepped back in time"),
          h < 0 ? remedy(system, options, Feature::steps_back) : remedy(system, options, feature));
}

std::vector<Integrator> supported_integrators(const System& system) {
  std::vector<Integrator> out;
  for (const IntegratorInfo& method : kIntegrators) {
    if ((system.features() & refused_features({.integrator = method.integrator})) == 0)
      out.push_back(method.integrator);
  }
  return out;
}

Integrator default_integrator(const System& system) {
  for (const Feature feature : {Feature::contacts, Feature::bearings, Feature::soft_bodies})
    if (system.has(feature)) return Integrator::linearly_implicit_euler;
  for (const Feature feature : {Feature::hill_muscles, Feature::massive_muscles, Feature::strands})
    if (system.has(feature)) return Integrator::sdirk2;
  return Integrator::semi_implicit_euler;
}

}  // namespace sinew
