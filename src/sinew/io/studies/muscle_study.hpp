#pragma once

#include "sinew/analysis/motion/motion.hpp"
#include "sinew/io/models/model_source.hpp"
#include "sinew/io/models/muscle_source.hpp"

/// Studies of muscles along a motion, over the range of a coordinate, and against the bones.

namespace sinew {

/// Muscles along a motion: a row for each muscle, a column for each instant.
struct MuscleStudy {
  std::vector<double> times;
  MatX length, rate;
  std::vector<MatX> geometric_arms, effective_arms;  ///< one for each coordinate
  bool coupled = false;                              ///< whether they differ somewhere
  std::vector<size_t> driven;                        ///< muscles whose force is known
  std::vector<std::vector<HillInstant>> hill;        ///< for the driven ones
  bool interrupted = false;
  std::vector<std::string> warnings;  ///< from the files that drive them
};

/// Paths at all instants of the motion, while `go_on(t)` is true.
MuscleStudy follow_muscles(const MuscleSource& source, const Motion& motion,
                           const std::function<bool(double)>& go_on);

/// The drive of the muscles of a study, one of these; none: each has its initial activation.
struct MuscleDriveSource {
  std::optional<double> activation;  ///< of all muscles
  std::string states, controls;      ///< files of activations or excitations
};
/// Forces and fibres at the instants of the study. Throws an Error if there is a drive but no
/// muscle whose force is known.
void add_forces(const MuscleSource& source, const MuscleDriveSource& from, MuscleStudy& out);

/// Lengths and moment arms −dl/dq while one coordinate goes through its range, coupled ones with
/// it.
struct MuscleSweep {
  std::vector<std::string> labels;
  std::vector<std::vector<double>> rows;
};
/// Without a range it uses the coordinate's own. Throws an Error for a coordinate that follows
/// others.
MuscleSweep sweep_coordinate(const MuscleSource& source, const std::string& coordinate,
                             std::optional<std::pair<double, double>> range, int samples);

/// The system of an OpenSim model whose muscles are ranked: their masses follow from their strength
/// and the `specific_tension` [Pa] (add_massive_muscles), and the bones have that much less.
System ranked_system(ModelSource& model, const std::vector<VecX>& poses, double specific_tension);

}  // namespace sinew
