#pragma once

#include <cstdint>
#include <functional>

#include "sinew/analysis/mirror.hpp"
#include "sinew/constraints/rows/coupled_coordinates.hpp"
#include "sinew/muscles/transfer/mass_transfer.hpp"
#include "sinew/system/equations.hpp"

/// Ranks muscles by what changes if their mass is fixed to the bones instead of moving with them
/// (docs/theory/muscle_ranking.md).

namespace sinew {

/// Over the poses of a sample: |λ|, the largest eigenvalue of ΔM v = λ M v by its size, where ΔM is
/// the muscle's mass matrix less that of the same mass on the bones, and v are the motions of the
/// coordinates that the muscle spans.
struct MuscleRank {
  int muscle = 0;         ///< index into System::muscles()
  double percentile = 0;  ///< the value that |λ| exceeds in 5 % of the poses
  double mean = 0;        ///< of |λ|
  int poses = 0;          ///< number of poses in which it has a path; only these count
};

struct PoseRange {
  VecX lower, upper;  ///< ranges of System::coordinates()
};

/// Poses that fill a range evenly, without end. Those at even places are drawn; with a mirror, each
/// is followed by its image, and ranges are those that both sides have. The same seed gives the
/// same ones on every machine.
class PoseSequence {
 public:
  PoseSequence(PoseRange range, std::optional<Mirror> mirror, std::uint64_t seed);

  VecX next();

 private:
  PoseRange range_;
  std::optional<Mirror> mirror_;
  VecX place_, step_;  // the last pose in the unit cube; what the next is ahead of it
  std::optional<VecX> image_;
};

/// The system whose muscles are ranked.
struct RankedSystem {
  System system;
  std::vector<MassMove> lumped;     ///< the mass of its muscles, on bodies of its skeleton
  CoupledCoordinates coupled = {};  ///< coordinates of its states that follow others
  std::vector<int> held = {};       ///< coordinates of its states that do not move
};

/// |λ| of all muscles of a system in one pose after the other.
class MovingMass {
 public:
  explicit MovingMass(const RankedSystem& ranked);

  /// One for each of System::muscles(): zero without mass, or if nothing moves within it; NaN
  /// without a path in the pose, whose coupled coordinates are set.
  VecX effects(VecX pose);
  /// Coordinates of states that move parts of the muscle or of its mass on the bones, but not all
  /// alike.
  const std::vector<int>& spanned(size_t muscle) const { return muscles_[muscle].spanned; }

 private:
  using Columns = Eigen::Matrix<double, 6, Eigen::Dynamic>;
  struct Lump {
    int link;
    SpatialInertia M_L;  // link frame
  };
  struct RankedMuscle {
    std::vector<int> spanned;
    std::vector<Lump> lumps;
  };

  void find_spanned(size_t muscle);
  void update_speeds(const VecX& pose);
  void update_columns();
  void update_masses(const SkeletonAt& at);
  /// The mass matrix of its mass on the bones, of some coordinates of states.
  MatX lumped(const RankedMuscle& muscle, const std::vector<int>& coordinates) const;

  const RankedSystem& ranked_;
  Workspace ws_;
  std::vector<RankedMuscle> muscles_;
  // per pose
  MatX speeds_;                   // of the skeleton's coordinates, by a state's
  std::vector<Columns> columns_;  // per link: ∂twist/∂ speeds of a state
  MatX M_;                        // everything where it is
  std::vector<MatX> moving_;      // per muscle
  std::vector<char> lost_;
};

struct RankOptions {
  PoseRange range;
  std::optional<Mirror> mirror = {};
  std::uint64_t seed = 1;
  int poses = 0;  ///< how many; 0: as many as the order needs, at most `most`
  int most = 131072;
  std::function<bool(int)> go_on = {};  ///< asked with the number of poses so far
};

struct MuscleRanking {
  std::vector<MuscleRank> ranks;  ///< the muscle with the largest percentile first
  int poses = 0;
  /// Whether all quarters of the poses, drawn independently, have one order of muscles but for
  /// those within 2 % of each other.
  bool settled = false;
};

MuscleRanking rank_muscles(const RankedSystem& ranked, const RankOptions& options);

}  // namespace sinew
