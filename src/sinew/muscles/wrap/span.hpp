#pragma once

#include <array>

#include "sinew/math/dual.hpp"

/// A span is the stretch of a muscle's path between two neighbouring path points o and i, straight
/// or around the surfaces between them. Everything here is in the frame of the span's surface (S),
/// where the surface stands still: the span's shape is a function of o and i alone.
///
/// A wrap model is a small value type with
///     SpanSolution solve(const Vec3& o, const Vec3& i) const;
///     template <class T> void shape(const SpanSolution&, const Point<T>& o, const Point<T>& i,
///                                   SpanShape<T>& out) const;
/// `solve` makes all choices and iterations (does it touch? which root?) with plain numbers,
/// without memory of earlier calls. `shape` then evaluates the path with numbers that carry
/// derivatives; an iterative model repeats its Newton step in T, with the factors at the solution:
/// each repetition makes one more order of derivatives exact.

namespace sinew {

/// The outcome for a span; for a muscle, the worst of its spans.
enum class SpanStatus {
  free,           ///< straight from o to i, exactly
  wrapped,        ///< touches a surface (smooth models: or is within the band around it)
  slipped_off,    ///< past the end of a finite surface that it would touch: straight
  anchor_inside,  ///< o or i is on or inside the surface: no taut path. Drawn straight
  no_path,        ///< no path of the chosen side and class (cut locus). Drawn straight
  not_converged,  ///< the iteration failed. Drawn straight
  no_room,        ///< muscles only: the tendons are as long as the path, or longer
};
const char* name_of(SpanStatus status);
inline bool failed(SpanStatus status) { return status >= SpanStatus::anchor_inside; }

/// The result of `solve`, in plain numbers; their meaning is private to the model.
struct SpanSolution {
  SpanStatus status = SpanStatus::free;
  int count = 0;
  std::array<double, 128> unknowns;
};

/// A helix (a circle if `pitch` is zero) in arc length s:
///     center + radius (e1 cos φ + e2 sin φ) + e3 pitch s,   φ = turn · s.
template <class T>
struct HelixArc {
  Point<T> center, e1, e2, e3;  ///< e1 points from the axis to the arc's start; e1, e2, e3 unit
  T radius, turn, pitch;        ///< turn: angle per arc length, signed

  Point<T> at(const T& s) const {
    T sine, cosine;
    sin_cos(T(turn * s), sine, cosine);
    const T x = radius * cosine, y = radius * sine, z = pitch * s;
    return center + x * e1 + y * e2 + z * e3;
  }
};

/// A curve through samples at equal distances of arc length: positions, unit tangents and
/// curvature vectors (first and second derivative), joined by quintic Hermite polynomials: C².
template <class T>
struct SampledArc {
  static constexpr int kMaxSamples = 25;
  struct Sample {
    Point<T> x, t, n;  ///< x, x′, x″
  };
  int samples = 0;
  T length;
  std::array<Sample, kMaxSamples> sample;

  Point<T> at(const T& s) const;
};

/// A piece of a span: straight from one node to the next, or an arc between them. A span begins and
/// ends with straight pieces.
enum class PieceKind { straight, helix, sampled };

template <class T>
struct SpanShape {
  static constexpr int kMaxPieces = 48;
  static constexpr int kMaxArcs = 2;
  struct Piece {
    PieceKind kind;
    int arc;  ///< index into `helix` or `sampled`
    T length;
  };
  int pieces = 0;
  std::array<Point<T>, kMaxPieces + 1> node;  ///< pieces + 1 of them, o first, i last
  std::array<Piece, kMaxPieces> piece;
  std::array<HelixArc<T>, kMaxArcs> helix;
  std::array<SampledArc<T>, kMaxArcs> sampled;
  T length;         ///< length of all pieces
  T wrapped_angle;  ///< total turning of the arcs [rad], ≥ 0
  /// True if neighbouring pieces share their tangent, so that material passes without a change of
  /// velocity; false for polylines of knots, all of whose pieces are straight.
  bool smooth = true;

  /// Empties the shape and puts its first node.
  void start(const Point<T>& o) {
    pieces = 0;
    node[0] = o;
    length = T(0);
    wrapped_angle = T(0);
    smooth = true;
  }
  /// Appends a straight piece; returns its length.
  T add_straight(const Point<T>& to) {
    using std::sqrt;
    const Point<T> d = to - node[static_cast<size_t>(pieces)];
    const T l = sqrt(d.dot(d));
    append(to, {PieceKind::straight, 0, l});
    return l;
  }
  /// The same if the caller knows its length.
  void add_straight(const Point<T>& to, const T& l) { append(to, {PieceKind::straight, 0, l}); }
  /// Appends an arc of the given length whose data the caller has put at index `arc`.
  void add_arc(const Point<T>& to, PieceKind kind, int arc, const T& l) {
    append(to, {kind, arc, l});
  }
  /// The point at arc length s from the start of a piece.
  Point<T> at(int index, const T& s) const {
    const auto k = static_cast<size_t>(index);
    const auto arc = static_cast<size_t>(piece[k].arc);
    switch (piece[k].kind) {
      case PieceKind::helix:
        return helix[arc].at(s);
      case PieceKind::sampled:
        return sampled[arc].at(s);
      case PieceKind::straight:
        break;
    }
    const T fraction = s / piece[k].length;
    return node[k] + fraction * (node[k + 1] - node[k]);
  }

 private:
  void append(const Point<T>& to, const Piece& what) {
    piece[static_cast<size_t>(pieces)] = what;
    node[static_cast<size_t>(++pieces)] = to;
    length = length + what.length;
  }
};

/// The straight path of spans without surfaces.
template <class T>
void straight_shape(const Point<T>& o, const Point<T>& i, SpanShape<T>& out) {
  out.start(o);
  out.add_straight(i);
}

/// Scalars that `shape` is instantiated for: positions; with derivatives by o, i and arc length;
/// accelerations along a motion; both differentiated once more, in up to eight directions; and both
/// at once, for the few coordinates that a muscle spans.
inline constexpr int kPathDirections = 7;
inline constexpr int kChunk = 8;
using PathDual = Dual<double, kPathDirections>;
using PathTaylor = Taylor2<double>;
using Chunk = Dual<double, kChunk>;
using ChunkDual = Dual<Chunk, kPathDirections>;
using ChunkTaylor = Taylor2<Chunk>;
using PathMotion1 = MotionDual<1>;
using PathMotion3 = MotionDual<3>;
using PathMotion6 = MotionDual<6>;

/// Expands to X(T) for each of them: `#define X(T) template void Model::shape<T>(…) const;`.
#define SINEW_FOR_PATH_SCALARS(X) \
  X(double)                       \
  X(PathDual)                     \
  X(PathTaylor)                   \
  X(ChunkDual)                    \
  X(ChunkTaylor)                  \
  X(PathMotion1)                  \
  X(PathMotion3)                  \
  X(PathMotion6)

template <class T>
Point<T> SampledArc<T>::at(const T& s) const {
  const double spacing = value_of(length) / (samples - 1);
  int k = static_cast<int>(value_of(s) / spacing);
  k = k < 0 ? 0 : (k > samples - 2 ? samples - 2 : k);
  const Sample &a = sample[static_cast<size_t>(k)], &b = sample[static_cast<size_t>(k + 1)];
  const T h = length / (samples - 1.0);
  const T u = s / h - static_cast<double>(k), v = 1.0 - u;
  const T u3 = u * u * u, v3 = v * v * v;
  const T hu = h * u, hv = h * v;
  // Quintic Hermite basis in the form symmetric under u ↔ 1 − u.
  return (v3 * (1.0 + u * (3.0 + 6.0 * u))) * a.x + (v3 * (1.0 + 3.0 * u) * hu) * a.t +
         (v3 * hu * hu * 0.5) * a.n + (u3 * (1.0 + v * (3.0 + 6.0 * v))) * b.x -
         (u3 * (1.0 + 3.0 * v) * hv) * b.t + (u3 * hv * hv * 0.5) * b.n;
}

}  // namespace sinew
