#pragma once

#include <optional>

#include "sinew/integrate/integrator.hpp"

namespace sinew {

/// Keeps steps from going past an event of a part (PartEvent). Towards one that is seen ahead they
/// go half of the way each, down to where the present speeds tell its time well enough. A step that
/// a part fails in is tried again with half of its length, down to the shortest one.
class EventWatch {
 public:
  explicit EventWatch(const System& system);

  /// The length of the next step, of about `expected` and at most `longest` [s]. None: an event is
  /// there.
  std::optional<double> length(double longest, double expected, const State& state, Workspace& ws);
  /// Whether a step of that length is to be tried again with another one.
  bool again(const StepReport& report, double shortest, const State& state);
  /// Without a kind as long as nothing has happened.
  const PartEvent& event() const { return event_; }

 private:
  const System& system_;
  bool foresees_;
  double last_ = 0;                                        ///< length of the step tried last [s]
  double most_ = std::numeric_limits<double>::infinity();  ///< after failures [s]
  PartEvent event_;
};

}  // namespace sinew
