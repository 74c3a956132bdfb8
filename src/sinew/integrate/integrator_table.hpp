#pragma once

#include <optional>
#include <span>

#include "sinew/integrate/integrator.hpp"

/// The integrators' properties and limits: one table, one check.

namespace sinew {

struct StepContext;

/// The properties of an integrator.
struct IntegratorInfo {
  Integrator integrator;
  std::string_view name;  ///< in the command line and scene files
  int order;              ///< errors over a given time fall as h^order
  bool implicit;          ///< solves equations in its step: has a Newton residual to report
  bool stiff;             ///< steps may be longer than the periods of stiff forces
  bool estimates;         ///< estimates its error: chooses its steps if it is given an accuracy
  bool adaptive;          ///< chooses them in any case
  bool energy_judged;     ///< answers for its energy in the audit; the others only report it
  bool remembers;         ///< carries more than (t, q, q̇) from step to step, also in fixed steps
  bool halves;            ///< takes a step that Newton's method fails on in two halves
  bool impulses;          ///< velocities may jump in its step
  StepReport (*step)(const StepContext& s);
};

/// In the order of the enum.
std::span<const IntegratorInfo> integrator_table();
const IntegratorInfo& info(Integrator integrator);

/// Whether steps end where the error demands it, and not where they are asked to.
bool is_adaptive(const StepOptions& options);

/// The reason why an integrator, with the solver of the options, cannot step a feature: "… makes
/// velocities jump, which rk4 cannot step over", without its subject. None if it can.
std::optional<std::string> refusal(const StepOptions& options, Feature feature);

/// The reason why it cannot step the system: "limit 'stop' makes velocities jump, which rk4 cannot
/// step over". None if it can.
std::optional<std::string> refusal(const System& system, const StepOptions& options);

/// Throws an Error that names the element, the reason and the alternatives, if the
/// integrator cannot step the system by h. Called before anything is stepped.
void require_supported(const System& system, const StepOptions& options, double h);

/// Integrators that step the system forwards, in the order of the table.
std::vector<Integrator> supported_integrators(const System& system);

/// The integrator of scenes that name none: the cheapest one that suits the content.
Integrator default_integrator(const System& system);

}  // namespace sinew
