#pragma once

#include "sinew/muscles/fast/cylinder_muscle_batch.hpp"
#include "sinew/muscles/fast/polyline_muscle_batch.hpp"

namespace sinew {

/// Inertia and forces of all muscles with mass, each in the fastest way that serves it: in a batch,
/// as a block, or by its SpanPath, which alone has all options. Immutable.
class MassiveMuscles {
 public:
  /// Paths of all muscles; null or without mass: not one of these.
  MassiveMuscles(const Skeleton& skeleton, SpanPathList paths);

  struct Workspace {
    CylinderMuscleBatch::Workspace cylinders;
    PolylineMuscleBatch::Workspace polylines;
    MuscleBlockWorkspace block;
    /// The first muscle whose tendons left no room for its belly in the last add; −1: none.
    int vanished_belly = -1;
  };

  /// Numbers of the muscles that have mass.
  const std::vector<size_t>& numbers() const { return numbers_; }
  bool empty() const { return numbers_.empty(); }

  /// Adds inertias and coordinate forces to `sums`, and wrenches (world axes, about the links'
  /// origins) to `wrench`, pulls along these paths among them, at the q̈ that in.ws.a belongs to
  /// (null: zero). Returns the power of the pulls. Needs update_kinematics.
  double add(const SkeletonAt& in, const Tensions& tensions, const double* qddot, Workspace& ws,
             SpanPathWorkspace& path, MuscleSums& sums, std::vector<Vec6>& wrench) const;
  /// The same one muscle at a time by their SpanPaths, without M: as derivatives see it.
  double add_forces(const SkeletonAt& in, const Tensions& tensions, const double* qddot,
                    Workspace& ws, SpanPathWorkspace& path, VecX& tau,
                    std::vector<Vec6>& wrench) const;

 private:
  double add_path(const SkeletonAt& in, const Tensions& tensions, size_t muscle,
                  const double* qddot, Workspace& ws, SpanPathWorkspace& path, VecX& tau,
                  std::vector<Vec6>& wrench) const;
  void note_belly(size_t muscle, double length, Workspace& ws) const;

  SpanPathList paths_;
  CylinderMuscleBatch cylinders_;
  PolylineMuscleBatch polylines_;
  std::vector<size_t> numbers_, blocks_, others_;  // all; those not in a batch
};

}  // namespace sinew
