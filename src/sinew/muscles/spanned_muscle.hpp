#pragma once

#include <tuple>

#include "sinew/muscles/muscle_element.hpp"

/// The fast way to the mass matrix and the forces of a muscle, for forward dynamics.
///
/// Seen from the body that a span's surface is fixed to, the span's shape depends only on the
/// coordinates between that body and the span's ends: one or two for most muscles. So its mass is
///     a rigid inertia that rides on the body (composite-rigid-body recursion does the rest),
///     a momentum per spanned coordinate, and a small block between spanned coordinates,
/// and its forces are a wrench on the body and one number per spanned coordinate. Straight spans
/// count as fixed to the body they start from.

namespace sinew {

/// Where muscles with mass put what they add to the equation of motion.
struct MuscleSums {
  explicit MuscleSums(const Skeleton& skeleton)
      : carried(static_cast<size_t>(skeleton.link_count())),
        M(skeleton.dof_count(), skeleton.dof_count()),
        tau(skeleton.dof_count()) {}
  void set_zero() {
    for (SpatialInertia& inertia : carried) inertia = SpatialInertia();
    M.setZero();
    tau.setZero();
  }
  std::vector<SpatialInertia> carried;  ///< per link, world axes about the link's origin
  MatX M;                               ///< all mass that does not just ride along
  VecX tau;                             ///< forces asked for on coordinates
};

/// Scratch: shapes of the spans of one muscle.
struct SpannedWorkspace {
  std::tuple<std::vector<SpanShape<PathMotion1>>, std::vector<SpanShape<PathMotion3>>,
             std::vector<SpanShape<PathMotion6>>>
      shapes;
};

/// A muscle laid out for it. Immutable.
class SpannedMuscle {
 public:
  static constexpr int kMaxCoordinates = 6;

  /// Null where the muscle cannot be laid out like this: more coordinates, path points that move,
  /// velocity terms left out, mass points.
  static std::shared_ptr<const SpannedMuscle> Make(const Skeleton& skeleton, const Muscle& muscle);

  /// Adds inertias and coordinate forces to `sums` and wrenches (world axes, about the links'
  /// origins) to `wrench`. Needs update_kinematics and accelerations less gravity in in.ws.a that
  /// belong to q̈ = 0. Returns the power of the muscle's pull.
  double add(const Muscle& muscle, const ForceInput& in, SpannedWorkspace& ws, MuscleSums& sums,
             std::vector<Vec6>& wrench) const;

 private:
  struct End {
    int link = 0;
    Vec3 x_L;  ///< link frame
    struct Column {
      int k;        ///< place in dofs_
      double sign;  ///< +1: moves the end, −1: moves the frame
    };
    std::vector<Column> columns;  ///< coordinates that move it as seen from the span's frame
  };
  struct Span {
    int link = 0;
    Pose E_LS;
    std::array<End, 2> end;
  };
  struct Frame;
  template <int K>
  struct Accumulator;

  Frame frame_of(const ForceInput& in, const Muscle& muscle, const Span& span) const;
  template <int K>
  Point<MotionDual<K>> end_point(const ForceInput& in, const Frame& frame, const Span& span,
                                 const End& end) const;
  template <int K>
  double add(const Muscle& muscle, const ForceInput& in, std::vector<SpanShape<MotionDual<K>>>& ws,
             MuscleSums& sums, std::vector<Vec6>& wrench) const;
  template <int K>
  void scatter(const ForceInput& in, const Frame& frame, const Accumulator<K>& from,
               const Span& span, MuscleSums& sums, std::vector<Vec6>& wrench) const;

  std::vector<Span> spans_;
  std::vector<int> dofs_;         ///< coordinates that change the muscle's shape
  std::vector<int> link_of_dof_;  ///< and the links they move directly
};

}  // namespace sinew
