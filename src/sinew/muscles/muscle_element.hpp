#pragma once

#include "sinew/muscles/opensim/opensim_path_on_skeleton.hpp"
#include "sinew/muscles/path/span_path.hpp"

namespace sinew {

/// A path at one moment: its length [m], its rate, and its gradient by the coordinates `dofs`.
struct PathState {
  double length, rate;
  const std::vector<int>& dofs;
  const std::vector<double>& dL;
};

/// Scratch of paths of both kinds, for one path at a time. Disposable.
struct PathWorkspace {
  SpanPathWorkspace spans;
  OpenSimPathWorkspace opensim;
  std::vector<double> dL;  ///< written by measure
};

/// A muscle on a skeleton: the path that it pulls along, and the one that its mass lies along. Most
/// muscles have one path for both; the mass of those that pull along a path by OpenSim's rules,
/// which searches and jumps, lies along its own smooth one. Immutable.
class MuscleElement {
 public:
  /// Throws an Error naming the muscle where the description makes no sense on the skeleton.
  MuscleElement(const Skeleton& skeleton, Muscle muscle);

  const Muscle& muscle() const { return muscle_; }
  const std::string& name() const { return muscle_.name; }
  /// Its path of spans, with its mass; null where it has none.
  const std::shared_ptr<const SpanPath>& spans() const { return spans_; }
  /// The path by OpenSim's rules that it pulls along; null: it pulls along its spans.
  const OpenSimPathOnSkeleton* opensim_path() const { return opensim_path_.get(); }
  /// The path that it pulls along, laid out for speed; null where it cannot be.
  const MuscleBlock* block() const { return block_; }
  /// Whether its pull is evaluated along with its mass: they share a path.
  bool pulls_with_mass() const { return pulls_with_mass_; }

  /// Coordinates that can change the length of the path that it pulls along, ascending.
  const std::vector<int>& dofs() const {
    return opensim_path_ ? opensim_path_->dofs() : spans_->dofs();
  }

  /// Whether its spans may lose their path in some pose: around a surface, or with tendons that are
  /// too long.
  bool may_lose_path() const { return may_lose_path_; }
  /// Whether the length of the path that it pulls along may jump.
  bool may_jump() const { return may_jump_; }

  /// The path that it pulls along, as fast as can be. Needs update_kinematics.
  PathState measure(const SkeletonAt& in, PathWorkspace& ws) const;
  /// The same, as the functions below need it.
  PathState update_path(const SkeletonAt& in, PathWorkspace& ws) const;
  /// The same where spans() or opensim_path() were updated in `ws` already.
  PathState path_state(const SkeletonAt& in, PathWorkspace& ws) const;
  /// Adds the wrenches (world axes, about the links' origins) and the forces on single coordinates
  /// that a tension [N] along the path asks for. Needs update_path. Not for pulls_with_mass.
  void add_pull(const SkeletonAt& in, double tension, PathWorkspace& ws, std::vector<Vec6>& wrench,
                VecRef tau) const;
  /// Adds the derivatives of add_pull at a constant tension, beyond those that come from the
  /// wrenches turning with their links (see ForceDerivatives). Needs add_pull and
  /// inverse_dynamics_derivatives.
  void add_pull_derivatives(const SkeletonAt& in, double tension, const double* qddot,
                            const DerivativeWorkspace& dws, PathWorkspace& ws, MatRef dg_dq,
                            MatRef dg_dqdot) const;

 private:
  // What every evaluation asks for stands first, on one cache line.
  const MuscleBlock* block_ = nullptr;
  bool pulls_with_mass_ = false, may_lose_path_ = false, may_jump_ = false;
  std::shared_ptr<const SpanPath> spans_;
  std::shared_ptr<const OpenSimPathOnSkeleton> opensim_path_;
  Muscle muscle_;
};

using MuscleList = std::vector<std::shared_ptr<const MuscleElement>>;

}  // namespace sinew
