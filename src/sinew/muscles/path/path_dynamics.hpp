#pragma once

#include <span>
#include <vector>

#include "sinew/muscles/path/gauss.hpp"
#include "sinew/muscles/path/muscle.hpp"

/// Dynamics of a muscle's path and mass, as functions of the motion of its path points and surfaces
/// alone, without a skeleton. Written once for T = double and for numbers that carry derivatives.
/// Derivation: docs/theory/muscles.md.

namespace sinew {

/// The motion of a span's two ends and of the frame S of its surface, all in axes of S. The
/// acceleration of the frame's origin is less gravity.
template <class T>
struct SpanMotion {
  std::array<Point<T>, 2> x, v, a;  ///< motion of o and i as seen from S
  Point<T> omega, velocity;         ///< motion of S
  Point<T> alpha, acceleration;
};

/// Forces required at a span's ends and at the body with its surface; axes of S, torque about the
/// origin of S.
template <class T>
struct SpanForce {
  std::array<Point<T>, 2> end;
  Point<T> torque, force;
};

/// A material point of the path.
template <class T>
struct PathSample {
  int span = 0;
  int zone = 0;  ///< between breaks, from the path's start
  T by_length;   ///< ∂σ/∂L at constant β; with breaks, its share of the zone
  Point<T> y;    ///< position, S
  Eigen::Matrix<T, 3, kPathDirections> dy;  ///< ∂y by o and i at constant arc length s, and by s
  Point<T> velocity, acceleration;          ///< absolute, axes of S; the latter less gravity
};

/// Material points that stand for the mass on one piece of the path.
template <class T>
struct MassGroup {
  static constexpr int kMaxSamples = kMaxGaussNodes;
  int count = 0;
  /// Two samples, velocity linear between them, moments ∫(1−ξ)²dm, ∫ξ(1−ξ)dm, ∫ξ²dm; or
  /// independent samples with a mass each.
  bool linear = false;
  std::array<PathSample<T>, kMaxSamples> sample;
  std::array<T, kMaxSamples> weight;
};

/// A node at which material changes its direction as it passes, and the force λ u² (t₊ − t₋) that
/// this requires: between spans, or between two pieces of one.
template <class T>
struct PathKink {
  int span = 0, piece = 0;  ///< the ones after the node
  Point<T> before, after;   ///< λ u² t₋ and λ u² t₊, in the frames of their spans
};

/// The flow of material along a path that is closed: its last node is its first, and material that
/// leaves at one comes in at the other. In shares of the whole path.
template <class T>
struct PathFlow {
  T rate, acceleration;  ///< [1/s, 1/s²]
  /// With breaks: less the share of the material at the path's start, whose value is zero. Shares
  /// of breaks are counted from there, at its value now.
  T share = T(0);
};

/// A place where the strain of a path changes: the middle of the arc of a span around a pulley. The
/// material that is there moves.
template <class T>
struct PathBreak {
  int span = 0;
  Taylor2<T> share;  ///< of the material before it, and its rates
};

/// The extent of an evaluation of a muscle; each level includes those above it.
enum class MuscleView {
  path,     ///< lengths and their gradient
  inertia,  ///< also the mass matrix
  at_rest,  ///< also forces at zero speed: accelerations by q̈ and gravity alone
  moving,   ///< also forces
};

/// Evaluates one path at a time. It is scratch: its contents may be discarded between two calls.
template <class T>
class PathDynamics {
 public:
  using Ends = Dual<T, kPathDirections>;
  using Time = Taylor2<T>;

  /// Shapes of all spans and, for muscles with mass, samples. `solutions` are those at the values
  /// of `motion`. With `flow` the path is closed; its mass must be uniform. `breaks`, in order,
  /// divide a path of uniform mass into zones, each with a strain of its own; the start of a closed
  /// one is a further break.
  void update(const Muscle& muscle, const std::vector<SpanSolution>& solutions,
              const std::vector<SpanMotion<T>>& motion, MuscleView view,
              const PathFlow<T>* flow = nullptr, std::span<const PathBreak<T>> breaks = {});

  const T& length() const { return L_.v; }
  int span_count() const { return span_count_; }
  const SpanShape<Ends>& shape(int span) const { return spans_[static_cast<size_t>(span)].ends; }
  int group_count() const { return group_count_; }
  const MassGroup<T>& group(int k) const { return groups_[static_cast<size_t>(k)]; }

  /// Forces that the muscle's inertia, gravity and tension require. Needs update.
  void forces(const T& tension, std::vector<SpanForce<T>>& out);
  /// The same with a tension for each zone of a path with breaks.
  void forces(std::span<const T> tensions, std::vector<SpanForce<T>>& out);
  /// The length of a zone in time; only its value at MuscleView::path and below.
  Time zone_length(size_t zone) const { return zones_[zone].arc1 - zones_[zone].arc0; }
  /// The force conjugate to the share of a break [N m]. Needs forces.
  const T& on_share(size_t at) const { return on_share_[at + 1]; }
  /// The force conjugate to the flow of a closed path [N m]. Needs forces.
  const T& on_flow() const { return on_flow_; }

 private:
  struct Span {
    SpanShape<Ends> ends;
    SpanShape<Time> time;  ///< only if forces are requested
    Time start;            ///< its arc length from the path's start
  };
  /// Arc length of a piece's start within its span.
  struct PieceStart {
    Ends ends;
    Time time;
  };

  /// The path between two breaks: arc lengths from the path's start, and shares of material.
  struct Zone {
    Time arc0, arc1, share0, share1;
    Time stretch;  ///< arc length per share
  };

  void find_zones(std::span<const PathBreak<T>> breaks);
  /// The length of a span up to its break: half of its arc included.
  template <class X>
  static X length_to_break(const SpanShape<X>& shape) {
    if (shape.pieces < 3) return shape.length * 0.5;
    return shape.piece[0].length + shape.piece[1].length * 0.5;
  }
  PathSample<T> sample(int span, int piece, const PieceStart& start, const T& beta, int zone) const;
  /// Unit tangent at arc length `s` from the start of a piece, in the span's frame.
  Point<T> tangent(int span, int piece, const T& s) const;
  void sample_region(const MassRegion& region);
  /// The mass of a piece, or of its part in a zone, from β = lo to hi.
  void sample_piece(const MassRegion& region, int span, int piece, const PieceStart& start, T lo,
                    T hi, int zone);
  /// A share of an arc in β, its angle [rad], and how often it counts.
  struct ArcShare {
    T begin, end;
    double angle, weight;
  };
  void sample_arc(const MassRegion& region, int span, int piece, const PieceStart& start,
                  const T& lo, const T& hi, int zone);
  void add_arc_group(const MassRegion& region, int span, int piece, const PieceStart& start,
                     const ArcShare& share, int zone);
  void sample_lumps(const Muscle& muscle);
  void find_kinks(const Muscle& muscle);
  void add_breaks(const Muscle& muscle);
  void push_breaks(std::vector<SpanForce<T>>& out);
  /// m β̇², m the mass of all of the path, where the start of a closed one with breaks is.
  T flux_at_start() const { return mass_ * flow_.rate * flow_.rate; }
  void spread(std::vector<SpanForce<T>>& out);
  void add_kink_inside(const PathKink<T>& kink, std::vector<SpanForce<T>>& out) const;
  void push(const PathSample<T>& at, const Point<T>& force, std::vector<SpanForce<T>>& out);
  /// β of a node at arc length `s` from the path's start.
  T beta_at(const T& s) const { return (s - A_) / B_; }
  T beta_at(const T& s, const Zone& zone) const {
    return zone.share0.v + (s - zone.arc0.v) / zone.stretch.v;
  }
  /// Arc length per β.
  const T& arc_per_beta(int zone) const {
    return zones_.empty() ? B_ : zones_[static_cast<size_t>(zone)].stretch.v;
  }
  /// The last zone that starts before an arc length.
  int zone_at(const T& s) const;
  /// Room for all groups and kinks that the muscle can have, so that touch-down allocates nothing.
  void reserve(const Muscle& muscle);
  MassGroup<T>& next_group();

  /// A piece's length in time; only its value if no forces are requested.
  Time time_length(const Span& span, int piece) const {
    const auto k = static_cast<size_t>(piece);
    if (in_time_) return span.time.piece[k].length;
    return Time(span.ends.piece[k].length.v, T(0), T(0));
  }

  bool in_time_ = false, closed_ = false;
  PathFlow<T> flow_;
  double mass_ = 0;  ///< without velocity terms zero
  int span_count_ = 0, group_count_ = 0, kink_count_ = 0;
  std::vector<Span> spans_;
  std::vector<SpanMotion<T>> motion_;
  std::vector<MassGroup<T>> groups_;
  std::vector<PathKink<T>> kinks_;
  std::vector<Zone> zones_;            ///< of a path with breaks
  std::vector<int> break_spans_;       ///< of its breaks
  std::vector<PathSample<T>> breaks_;  ///< material there
  std::vector<T> flux_;                ///< m β̇² there, m the mass of all of the path
  std::vector<T> on_arc_, on_share_;   ///< forces conjugate to where zones start, and the last ends
  MaterialMap material_;
  Time L_;
  T A_, B_;                  ///< material map at L
  std::vector<T> on_start_;  ///< force conjugate to the arc length of each span's start
  T on_length_, on_flow_;    ///< … to the total length, and to the flow
};

}  // namespace sinew
