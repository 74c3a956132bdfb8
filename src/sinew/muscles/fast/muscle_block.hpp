#pragma once

#include <tuple>

#include "sinew/muscles/fast/span_mass.hpp"
#include "sinew/muscles/fast/tensions.hpp"
#include "sinew/muscles/path/span_path.hpp"

/// The fast way to the mass matrix and the forces of a muscle, for forward dynamics.
///
/// Seen from the body that a span's surface is fixed to, the span's shape depends only on the
/// coordinates between that body and the span's ends: one or two for most muscles. So its mass is
///     a rigid inertia that rides on the body (composite-rigid-body recursion does the rest),
///     a momentum per spanned coordinate, and a small block between spanned coordinates,
/// and its forces are a wrench on the body and one number per spanned coordinate. Straight spans
/// count as fixed to the body they start from.

namespace sinew {

/// Place and motion of the frame S of a span: world axes, acceleration less gravity.
struct SpanFrame {
  Mat3 R;
  Vec3 d;  ///< from the link's origin to that of S
  Vec3 p, w, v, alpha, a;
};

/// Scratch: frames and shapes of the spans of one muscle.
struct MuscleBlockWorkspace {
  std::vector<SpanFrame> frames;
  std::tuple<std::vector<SpanShape<PathMotion1>>, std::vector<SpanShape<PathMotion3>>,
             std::vector<SpanShape<PathMotion6>>>
      shapes;
};

/// A path's length and its rate.
struct PathLength {
  double length = 0, rate = 0;
};
/// The power of a muscle's pull and its length.
struct MuscleBlockPull {
  double power = 0, length = 0;
};

/// A muscle laid out for this method. Immutable.
class MuscleBlock {
 public:
  static constexpr int kMaxCoordinates = 6;
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

  /// Null if the muscle cannot be laid out like this: path points that move; with mass also too
  /// many coordinates, mass points, or omitted velocity terms.
  static std::shared_ptr<const MuscleBlock> Make(const Skeleton& skeleton, const Muscle& muscle);

  /// The length, its rate, and ∂L/∂q of dofs(). Needs update_kinematics.
  PathLength measure(const Muscle& muscle, const SkeletonAt& in, std::vector<double>& dL) const;
  /// Adds what a tension [N] asks for on coordinates; returns its power.
  double add_pull(const Muscle& muscle, double tension, const SkeletonAt& in, VecX& tau) const;
  /// Adds inertias and coordinate forces to `sums` and wrenches (world axes, about the links'
  /// origins) to `wrench`, the pull among them: `number` is the muscle's place in `tensions`. Needs
  /// the accelerations in in.ws.a besides.
  MuscleBlockPull add(const Muscle& muscle, size_t number, const Tensions& tensions,
                      const SkeletonAt& in, MuscleBlockWorkspace& ws, MuscleSums& sums,
                      std::vector<Vec6>& wrench) const;

  const std::vector<Span>& spans() const { return spans_; }
  /// Coordinates that change the muscle's shape, and the links that they move directly.
  const std::vector<int>& dofs() const { return dofs_; }
  const std::vector<int>& links_of_dofs() const { return link_of_dof_; }

 private:
  /// Calls f(k, ∂L/∂q of dofs()[k]) for every end that a coordinate moves; these add up. Returns L.
  template <class F>
  double for_each_slope(const Muscle& muscle, const SkeletonAt& in, F&& f) const;
  template <int K>
  Point<MotionDual<K>> end_point(const SkeletonAt& in, const SpanFrame& frame, const Span& span,
                                 const End& end) const;
  /// Frames and shapes; returns the length.
  template <int K>
  MotionDual<K> update(const Muscle& muscle, const SkeletonAt& in, std::vector<SpanFrame>& frames,
                       std::vector<SpanShape<MotionDual<K>>>& shapes) const;
  template <int K>
  void add_mass(const Muscle& muscle, const SkeletonAt& in, const MotionDual<K>& L,
                const std::vector<SpanFrame>& frames,
                const std::vector<SpanShape<MotionDual<K>>>& shapes, MuscleSums& sums,
                std::vector<Vec6>& wrench) const;
  template <int K>
  MuscleBlockPull add(const Muscle& muscle, size_t number, const Tensions& tensions,
                      const SkeletonAt& in, std::vector<SpanFrame>& frames,
                      std::vector<SpanShape<MotionDual<K>>>& shapes, MuscleSums& sums,
                      std::vector<Vec6>& wrench) const;

  std::vector<Span> spans_;
  std::vector<int> dofs_, link_of_dof_;
};

}  // namespace sinew
