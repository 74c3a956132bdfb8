#pragma once

#include "sinew/math/lq_problem.hpp"
#include "sinew/math/minimize.hpp"

/// Multiple shooting: a run is cut into N intervals, each of which starts from a state of its own;
/// gaps between the end of one and the start of the next close while the optimum is found.
///
///     minimise ½ Σ |r_k(s_k, u_k)|² + ½ |r_N(s_N)|²
///     subject to s_{k+1} = F_k(s_k, u_k), and bounds of all s_k and u_k
///
/// by a Gauss–Newton SQP method whose quadratic programs are solved stage by stage. Constants of
/// the whole run are states that do not change. Derivation in docs/theory/optimisation.md.

namespace sinew {

struct StageValues {
  VecX end;        ///< F_k(s, u)
  VecX residuals;  ///< r_k(s, u), their number up to the stage
};

/// Writes the values of stage k at (s, u) and, unless it is null, their derivatives. False if there
/// are none, as of an interval that diverges. k = N is the end: u has no entries, and only
/// residuals and Rs are read. Trials are seen without derivatives first; where one is taken, the
/// same arguments follow with them.
using StageFunction = std::function<bool(int k, const VecX& s, const VecX& u, StageValues& values,
                                         StageJacobians* jacobians)>;

struct Trajectory {
  std::vector<VecX> states;    ///< s_0 … s_N
  std::vector<VecX> controls;  ///< u_0 … u_{N−1}
};

struct ShootingProblem {
  StageFunction stage;
  /// One for each state and control of the trajectory; equal bounds fix. Those of s_0 and all
  /// controls hold in every iteration, those of later states at the end.
  std::vector<Bounds> states, controls;
};

struct ShootingOptions {
  int iterations = 100;
  /// Ends where no entry of a gap, and no state beyond its bound, is larger than this, and
  double gap_tolerance = 1e-8;
  /// no entry of the gradient of the Lagrangian larger than this part of the largest of a term of
  /// it.
  double gradient_tolerance = 1e-8;
  /// Smallest weight of the squares of a step, in parts of the squares of the largest derivatives
  /// of residuals. It slows convergence and does not change the optimum.
  double proximal = 1e-8;
};

/// x and gradient of MinimizeResult stay empty. An evaluation is one of all stages; `value` is
/// ½ Σ |r|², `gradient_norm` relative, as `gradient_tolerance`.
struct ShootingResult : MinimizeResult, Trajectory {
  double gap = 0;     ///< largest entry of s_{k+1} − F_k
  int gap_stage = 0;  ///< its k
  double excess = 0;  ///< largest distance of a state beyond its bound
  int excess_stage = 0, excess_entry = 0;
  double step = 0;        ///< part of the last step that was taken
  double proximal = 0;    ///< present weight of the squares of a step
  int programs = 0;       ///< recursions over the stages in the last quadratic program
  int failed_stage = -1;  ///< of the last trial without a value
  /// Derivatives of the value by F_{k−1} at k > 0, by s_0 at 0; of bounds, positive at upper ones.
  std::vector<VecX> multipliers, state_multipliers, control_multipliers;
};
/// How it ended, with the stage if one is to blame.
std::string describe(const ShootingResult& result);

/// One iteration, for a log; false stops.
using OnShooting = std::function<bool(const ShootingResult& so_far)>;

/// Starts from a trajectory, whose gaps may be open; controls and s_0 are moved into their bounds.
ShootingResult shoot(const ShootingProblem& problem, const Trajectory& start,
                     const ShootingOptions& options = {}, const OnShooting& on_iteration = {});

}  // namespace sinew
