#pragma once

#include "sinew/muscles/path/span_path.hpp"

namespace sinew {

/// A material point of a muscle at one moment, in the world.
struct MaterialPoint {
  Vec3 x, v;                                   ///< [m, m/s]
  Eigen::Matrix<double, 3, Eigen::Dynamic> J;  ///< ∂x/∂q by the coordinates MusclePoints::dofs()
};

/// Points of the material of a muscle, evenly spaced along its belly: point p of n is at β = (p +
/// 1/2)/n and stands for as much of the belly as any other.
class MusclePoints {
 public:
  /// Throws an Error naming the muscle if it has no mass.
  MusclePoints(const Skeleton& skeleton, Muscle muscle, int count);

  const std::string& name() const { return path_.name(); }
  int count() const { return path_.muscle().lumps; }
  double beta(int point) const { return (point + 0.5) / count(); }
  /// Coordinates that move the muscle, ascending; each one alone, whatever couplers say.
  const std::vector<int>& dofs() const { return path_.dofs(); }

  /// Needs update_kinematics. Throws an Error naming muscle and time if it has no path.
  std::vector<MaterialPoint> at(const SkeletonAt& in, SpanPathWorkspace& ws) const;

 private:
  SpanPath path_;
};

}  // namespace sinew
