#pragma once

#include <string>
#include <vector>

#include "sinew/math/function_knots.hpp"
#include "sinew/system/system.hpp"

namespace sinew {

struct OpenSimPath;

/// Functions of coordinates that are not smooth everywhere, and the knots that coordinates pass
/// from stage to stage: functions of joints, of couplings, of dependent coordinates and of points
/// of paths that move. Where f, f' or f'' of a joint jumps, forces jump, since they contain
/// f''q̇²; where f''' does, they have a kink. The pull along a path without mass contains f' alone:
/// it jumps where that does, and has a kink where f'' jumps.
class PassedKnots {
 public:
  explicit PassedKnots(const System& system);
  bool empty() const { return watched_.empty(); }

  /// Starts a sweep through the stages of a run, in either direction.
  void restart();

  /// A knot at which forces jump.
  struct Jump {
    std::string element, coordinate;
    FunctionKnot knot;
  };
  /// Goes on to the next stage of the sweep, with these coordinates of the skeleton and of the
  /// state, and counts the kinks on the way. Null, or the first knot on the way at which forces
  /// jump.
  const Jump* pass(const VecView& skeleton_q, const VecView& state_q);

  /// Element and number of the kinks since the restart; of those without any, nothing.
  struct Count {
    std::string element;
    int count;
  };
  std::vector<Count> counts() const;

 private:
  /// The functions of one element in one coordinate.
  struct Watched {
    std::string element, coordinate;
    bool of_state;  // an index among the coordinates of the state, not of the skeleton
    int dof;
    std::vector<double> kinks;
    std::vector<Jump> jumps;
    double rounding = 0;  // values this near to a knot are on it
    double last = 0;      // value at the last stage that was not on a knot; NaN: none yet
    int passed = 0;
  };
  void add(const std::string& element, bool of_state, int dof, const std::string& coordinate,
           const std::vector<FunctionKnot>& knots, int highest_jump);
  void add_joints(const System& system);
  void add_rows_and_map(const System& system);
  void add_muscles(const System& system);
  void add_opensim_path(const std::string& element, const Skeleton& skeleton,
                        const OpenSimPath& path);

  std::vector<Watched> watched_;
};

/// Throws the Error of a run that passes the knot at t [s].
[[noreturn]] void throw_jump(const PassedKnots::Jump& jump, double t);

}  // namespace sinew
