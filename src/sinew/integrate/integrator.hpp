#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sinew/math/conjugate_gradient.hpp"
#include "sinew/system/projection.hpp"

namespace sinew {

enum class Integrator {
  semi_implicit_euler,
  linearly_implicit_euler,
  rk4,
  dopri5,
  bdf1,
  sdirk2,
  sdirk4,
  bdf2,
  variational,
};

/// The name in the command line and scene files ("linearly-implicit-euler").
std::string to_string(Integrator integrator);
/// Throws an Error with the nearest name.
Integrator integrator_from_string(std::string_view name);
const std::vector<Integrator>& all_integrators();

/// The method by which linearly implicit Euler solves its linear system. Conjugate gradients take
/// time and memory that grow with the number of bodies only, and use the derivatives of
/// StiffnessModel::definite.
enum class LinearSolver { direct, conjugate_gradient };
std::string to_string(LinearSolver solver);
std::string to_string(StiffnessModel kind);

/// A step as an adaptive run took it, to take it again.
struct TakenStep {
  double t;       ///< its end [s]
  double h;       ///< its length [s]
  double h_next;  ///< the length that was to be tried next [s]
};

/// The unknowns to which SDIRK methods are applied, where the mass of muscles changes fast: Lᵀq̇
/// with M = L Lᵀ, which keeps energy better, or q̇.
enum class StepVariables { energy, rates };
std::string to_string(StepVariables variables);

class StepTape;

struct StepOptions {
  Integrator integrator = Integrator::semi_implicit_euler;

  // linearly implicit Euler
  StiffnessModel jacobian = StiffnessModel::exact;
  LinearSolver solver = LinearSolver::direct;
  ConjugateGradientOptions conjugate_gradient = {};

  // integrators that estimate their error
  /// The error that a step may add [rad, m, optimal fibre lengths; to rates ten times as much per
  /// second]: the lengths of steps and the end of Newton's method follow from it. 0: steps are as
  /// long as they are asked to be, those of dopri5 by the tolerances below.
  double accuracy = 0;
  double largest_step = 0;  ///< 0: none. ode45 takes a tenth of the whole span
  /// With an accuracy: a step of this length is accepted with any error, and the report says with
  /// how much. Where paths jump, no step is short enough. 0: none, and such a run fails.
  double least_step = 0;
  const TakenStep* repeat = nullptr;  ///< adaptive integrators: take this step, choose none

  // dopri5
  double relative_tolerance = 1e-8;
  double absolute_tolerance = 1e-10;
  bool ode45_rules = false;  ///< MATLAB's ode45 error norm and step rules

  // systems with constraints
  /// Brings positions and velocities back to the constraints after every step. Without it they
  /// drift, as far as `baumgarte` lets them.
  bool projection = true;
  Baumgarte baumgarte = {};

  /// Implicit methods: along which directions. Borrowed ones of Newton's method cost nothing;
  /// `none` makes them anew, so that where the projection ends depends on where it began alone.
  Directions directions = Directions::borrowed;

  // bdf1, sdirk2, sdirk4, bdf2
  StepVariables variables = StepVariables::energy;  ///< also of bdf2's first step
  StepTape* tape = nullptr;  ///< what a step did is written here, if it is not adaptive
  int newton_iterations = 50;
  /// Newton stops at |g| ≤ tolerance × (largest force in the residual), or where it stalls at
  /// rounding, or below 1e-9: forces may jump slightly.
  double newton_tolerance = 1e-12;
  /// If positive, Newton starts and stops as the public REDMAX implementation does, to compare
  /// digits with it: BDF2 from q + h q̇, and at γ² |g| below this absolute bound (γ the method's
  /// share of h).
  double newton_residual = 0;
  /// bdf1, sdirk2, sdirk4: a step that Newton's method fails on is taken in two halves, each of
  /// which may be halved again, up to this depth. Where forces jump (paths that leave a surface,
  /// limits), shorter steps have a solution where longer ones have none.
  int newton_halvings = 8;
};

enum class StepStatus {
  ok,
  diverged,           ///< a coordinate or rate is no longer finite, or became enormous
  newton_failed,      ///< no step length reduces the residual, or the iterations ran out
  step_underflow,     ///< the adaptive step fell below rounding
  singular,           ///< the Newton matrix cannot be solved
  solver_failed,      ///< conjugate gradients: not positive definite, or iterations ran out
  constraint_failed,  ///< a constraint cannot be satisfied, or contradicts others
  contact_failed,     ///< no impulses keep a limit or contact, or an overlap cannot be undone
  part_failed,        ///< a part could not be evaluated: a muscle whose mass has no room
  too_many_steps,     ///< an adaptive run reached its limit of steps
};
std::string to_string(StepStatus status);

/// The outcome of one step, as a value.
struct StepReport {
  StepStatus status = StepStatus::ok;
  double h = 0;     ///< the step taken (adaptive: as chosen)
  double work = 0;  ///< done by non-conservative forces and prescribed motions [J]
  /// The part for which Euler methods use the power at the start of the step for the whole
  /// step; 0 for all others.
  double one_sided_work = 0;
  double newton_residual = 0;  ///< relative, at the end; 0 for explicit methods
  int newton_iterations = 0;
  int linearizations = 0;         ///< times that implicit methods took derivatives
  int solver_iterations = 0;      ///< iterations of conjugate gradients
  int rejected = 0;               ///< attempts thrown away: adaptive, or taken in halves
  double excess = 0;              ///< the error over what is allowed, of a least step with more
  int worst_dof = -1;             ///< coordinate at which it failed
  double constraint_error = 0;    ///< largest |g|, or overlap, at the end [m, rad]
  bool projected = false;         ///< whether the result was moved to the constraints
  int worst_constraint = -1;      ///< the one that failed, index into System::constraints()
  double contact_residual = 0;    ///< for the impulses of limits and contacts, relative
  UnilateralSource worst_source;  ///< limit or contact that failed
  PartEvent part_failure;         ///< failure of a part
};

/// Advances `state` by h, or, if the options make it adaptive, by one accepted step of at most h,
/// ending on t + h exactly when it gets there. h < 0 steps back in time. Moves rotation charts
/// first where needed. On failure the state is unchanged, except its charts. Throws an Error if the
/// integrator cannot step this system (require_supported). Controls are the system's own, unless
/// others are given.
StepReport step(const System& system, const StepOptions& options, double h, State& state,
                Workspace& ws);
StepReport step(const System& system, const StepOptions& options, double h,
                const Controls& controls, State& state, Workspace& ws);

}  // namespace sinew
