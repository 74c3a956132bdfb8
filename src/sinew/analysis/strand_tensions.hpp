#pragma once

#include "sinew/integrate/integrator.hpp"
#include "sinew/strands/strands.hpp"

namespace sinew {

/// The tensions of a system's strands: of elastic ones one for each section, of inextensible ones
/// one for each length that they keep. Those that may be slack are limits, which have no force at
/// one moment.
class StrandTensions {
 public:
  /// A tension, named as the constraint that keeps the length, "rope_2"; behind a guide with
  /// friction "rope_2_after_drum".
  struct Place {
    size_t strand = 0;
    int number = 1;       ///< along the strand: its section, or its length
    int zone = 0;         ///< of the section
    int constraint = -1;  ///< −1: elastic
    std::string name;
    std::string column;  ///< of strands.sto, if it is elastic
  };

  explicit StrandTensions(const System& system);

  const std::vector<Place>& places() const { return places_; }
  /// Those along the piece that follows a node: before the guide that it runs around, and behind
  /// it; −1: none.
  std::array<int, 2> along(const StrandReading& node) const;
  /// Overwrites `out` with the tensions at a state, in the order of places() [N]; those of
  /// constraints take the accelerations there. Leaves the kinematics in ws.
  void read(const State& state, const Controls& controls, Workspace& ws,
            std::vector<double>& out) const;
  /// The nodes of all strands, in order. Leaves the kinematics in ws.
  std::vector<StrandReading> nodes(const State& state, Workspace& ws) const;
  /// Whether one of them is the last of its strand, which no piece follows.
  static bool is_end(const std::vector<StrandReading>& nodes, size_t k);

 private:
  int find(size_t strand, int number, int zone) const;

  const System& system_;
  std::vector<Place> places_;
  bool held_ = false;  // some are those of constraints
};

}  // namespace sinew
