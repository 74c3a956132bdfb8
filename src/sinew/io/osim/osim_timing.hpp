#pragma once

#include <memory>

#include "sinew/io/models/muscle_mass.hpp"
#include "sinew/io/osim/osim_model.hpp"
#include "sinew/system/equations.hpp"

namespace sinew {

/// An OpenSim model in a number of poses, to time its equations. Used by `sinew bench` and by
/// benchmarks/bench_osim.cpp.
class OsimTiming {
 public:
  /// Uses sample_states; fibres are held there. Muscles have mass unless `mass` is off.
  OsimTiming(const OsimModel& model, const MuscleMassOptions& mass);

  const System& system() const { return system_; }
  int poses() const { return static_cast<int>(states_.size()); }
  double moved() const { return moved_; }  ///< mass moved from bodies to muscles [kg]

  /// Accelerations in every pose: skeleton, paths, forces of muscles, constraints. Returns their
  /// sum.
  double accelerations();
  /// The same and, as explicit integrators need them, the rates of fibres and activations.
  double rates();

 private:
  struct Build;
  explicit OsimTiming(Build&& build);
  static Build build(const OsimModel& model, const MuscleMassOptions& mass);

  System system_;
  double moved_ = 0;
  std::vector<State> states_;
  Workspace ws_;
  VecX qddot_, zdot_;
};

}  // namespace sinew
