#include "sinew/muscles/fast/muscle_block.hpp"

#include <algorithm>

#include "sinew/dynamics/attached_point.hpp"
#include "sinew/muscles/fast/arc_mass.hpp"
#include "sinew/muscles/path/gauss.hpp"

namespace sinew {
namespace {

template <int K>
using MovingPoint = Point<MotionDual<K>>;

template <int K>
Vec3 value(const MovingPoint<K>& y) {
  return {y[0].v, y[1].v, y[2].v};
}
template <int K>
Vec3 partial(const MovingPoint<K>& y, size_t k) {
  return {y[0].d[k], y[1].d[k], y[2].d[k]};
}
template <int K>
Vec3 second(const MovingPoint<K>& y) {
  return {y[0].d2, y[1].d2, y[2].d2};
}

SpanFrame frame_of(const SkeletonAt& in, int link, const Pose& E_LS) {
  const LinkMotion& m = in.ws.link[static_cast<size_t>(link)];
  const Vec6& a_L = in.ws.a[static_cast<size_t>(link)];
  SpanFrame f;
  f.R = m.R * E_LS.R;
  f.d = m.R * E_LS.p;
  f.p = m.p + f.d;
  f.w = m.w;
  const Vec3 turn = m.w.cross(f.d);
  f.v = m.v + turn;
  f.alpha = a_L.head<3>();
  f.a = a_L.tail<3>() + f.alpha.cross(f.d) + m.w.cross(turn);
  return f;
}

/// A piece of a span, ready for many of its material points.
template <int K>
class PieceOfPath {
 public:
  using T = MotionDual<K>;
  /// `start`: arc length of the piece's start on the path of length L.
  PieceOfPath(const SpanShape<T>& span, int index, const MaterialMap& map, const T& L,
              const T& start)
      : span_(span), index_(index), map_(map), L_(L), start_(start) {
    if (kind() != PieceKind::straight) return;
    const auto n = static_cast<size_t>(index);
    const T inverse = 1.0 / length();
    for (int c = 0; c < 3; ++c) direction_[c] = (span.node[n + 1][c] - span.node[n][c]) * inverse;
  }
  PieceKind kind() const { return span_.piece[static_cast<size_t>(index_)].kind; }
  const T& length() const { return span_.piece[static_cast<size_t>(index_)].length; }
  /// The unit vector of a straight piece.
  Vec3 direction() const { return value<K>(direction_); }
  /// Angle per arc length for helices, 0 for others; ≥ 0.
  double turn() const {
    if (kind() != PieceKind::helix) return 0;
    const int arc = span_.piece[static_cast<size_t>(index_)].arc;
    return std::abs(span_.helix[static_cast<size_t>(arc)].turn.v);
  }

  /// Arc length of a material point from the piece's start.
  T arc_length(double beta) const {
    return L_ * (map_.A1 + beta * map_.B1) + (map_.A0 + beta * map_.B0) - start_;
  }
  /// Helices only.
  ArcMass<K> arc_mass(double from, double to) const {
    const double half = 0.5 * (to - from);
    const auto arc = static_cast<size_t>(span_.piece[static_cast<size_t>(index_)].arc);
    return {span_.helix[arc], arc_length(from + half), L_ * (half * map_.B1) + half * map_.B0};
  }

  MovingPoint<K> at(double beta) const {
    const T s = arc_length(beta);
    if (kind() != PieceKind::straight) return span_.at(index_, s);
    MovingPoint<K> y;
    for (int c = 0; c < 3; ++c)
      y[c] = span_.node[static_cast<size_t>(index_)][c] + s * direction_[c];
    return y;
  }

 private:
  const SpanShape<T>& span_;
  int index_;
  const MaterialMap& map_;
  const T& L_;
  const T start_;
  MovingPoint<K> direction_;
};

/// The work of a force on a point of the path.
template <int K>
void push(const MovingPoint<K>& y, const Vec3& f, SpanMass<K>& to) {
  to.torque += value<K>(y).cross(f);
  to.force += f;
  for (size_t k = 0; k < K; ++k) to.tau[k] += partial<K>(y, k).dot(f);
}

/// A mass point.
template <int K>
void add_point(const MovingPoint<K>& y, double m, const Vec3& acceleration, SpanMass<K>& to) {
  const Vec3 x = value<K>(y);
  to.mass += m;
  to.h += m * x;
  to.E[0] += m * x[0] * x[0];
  to.E[1] += m * x[0] * x[1];
  to.E[2] += m * x[0] * x[2];
  to.E[3] += m * x[1] * x[1];
  to.E[4] += m * x[1] * x[2];
  to.E[5] += m * x[2] * x[2];
  push<K>(y, m * acceleration, to);
  for (size_t k = 0; k < K; ++k) {
    const Vec3 J = m * partial<K>(y, k);
    to.momentum_n[k] += x.cross(J);
    to.momentum_f[k] += J;
    for (size_t l = 0; l <= k; ++l) to.M[k][l] += J.dot(partial<K>(y, l));
  }
}

}  // namespace

template <int K>
Point<MotionDual<K>> MuscleBlock::end_point(const SkeletonAt& in, const SpanFrame& f,
                                            const Span& span, const End& end) const {
  MovingPoint<K> out;
  const LinkMotion& m = in.ws.link[static_cast<size_t>(end.link)];
  const Vec3 offset = m.R * end.x_L;
  const Vec3 r = m.p + offset - f.p;
  const Vec3 x = f.R.transpose() * r;
  for (int c = 0; c < 3; ++c) out[c] = MotionDual<K>(x[c]);
  if (end.link == span.link) return out;
  const Vec6& a_L = in.ws.a[static_cast<size_t>(end.link)];
  const Vec3 turn = m.w.cross(offset);
  const Vec3 drag = f.w.cross(r);
  const Vec3 u = m.v + turn - f.v - drag;
  const Vec3 udot = a_L.tail<3>() + a_L.head<3>().cross(offset) + m.w.cross(turn) - f.a -
                    f.alpha.cross(r) - f.w.cross(drag + 2 * u);
  const Vec3 v_S = f.R.transpose() * u, a_S = f.R.transpose() * udot;
  for (int c = 0; c < 3; ++c) {
    out[c].d[K] = v_S[c];
    out[c].d2 = a_S[c];
  }
  for (const End::Column& column : end.columns) {
    const auto k = static_cast<size_t>(column.k);
    const Vec6& s = in.ws.s[static_cast<size_t>(dofs_[k])];
    const Vec3& origin = in.ws.link[static_cast<size_t>(link_of_dof_[k])].p;
    const Vec3 J = column.sign * (s.tail<3>() + s.head<3>().cross(m.p + offset - origin));
    const Vec3 J_S = f.R.transpose() * J;
    for (int c = 0; c < 3; ++c) out[c].d[k] = J_S[c];
  }
  return out;
}

template <int K>
MotionDual<K> MuscleBlock::update(const Muscle& muscle, const SkeletonAt& in,
                                  std::vector<SpanFrame>& frames,
                                  std::vector<SpanShape<MotionDual<K>>>& shapes) const {
  const size_t count = spans_.size();
  if (shapes.size() < count) shapes.resize(count);
  if (frames.size() < count) frames.resize(count);
  MotionDual<K> L(0);
  for (size_t j = 0; j < count; ++j) {
    SpanFrame& f = frames[j];
    f = frame_of(in, spans_[j].link, spans_[j].E_LS);
    const MovingPoint<K> o = end_point<K>(in, f, spans_[j], spans_[j].end[0]);
    const MovingPoint<K> i = end_point<K>(in, f, spans_[j], spans_[j].end[1]);
    const Wrap& wrap = muscle.spans[j].wrap;
    shape<MotionDual<K>>(wrap, solve(wrap, value<K>(o), value<K>(i)), o, i, shapes[j]);
    L += shapes[j].length;
  }
  return L;
}

template <int K>
void MuscleBlock::add_mass(const Muscle& muscle, const SkeletonAt& in, const MotionDual<K>& L,
                           const std::vector<SpanFrame>& frames,
                           const std::vector<SpanShape<MotionDual<K>>>& shapes, MuscleSums& sums,
                           std::vector<Vec6>& wrench) const {
  using T = MotionDual<K>;
  const size_t count = spans_.size();
  const MaterialMap& map = muscle.material;
  const double A = map.A(L.v), B = map.B(L.v);
  double flow = 0;  // λ u² at the kink between the last piece and this one, or 0
  T start(0);       // arc length at which a piece begins
  for (size_t j = 0; j < count; ++j) {
    const SpanFrame& f = frames[j];
    const SpanShape<T>& span = shapes[j];
    const Vec3 a = muscle.gravity ? f.a : Vec3(f.a - in.ws.a[0].tail<3>());
    const FrameAcceleration frame{f.R.transpose() * f.w, f.R.transpose() * f.alpha,
                                  f.R.transpose() * a};
    SpanMass<K> sum;
    for (int n = 0; n < span.pieces; ++n) {
      const PieceOfPath<K> piece(span, n, map, L, start);
      const double lo = (start.v - A) / B;
      start += piece.length();
      const double hi = (start.v - A) / B;

      if (flow != 0) push<K>(span.node[static_cast<size_t>(n)], flow * piece.direction(), sum);

      for (const MassRegion& region : muscle.regions) {
        const double from = std::max(lo, region.begin), to = std::min(hi, region.end);
        if (to - from <= kSmallestShare) continue;
        const double angle = piece.turn() * B * (to - from);
        const bool uniform = region.c1 == 0 && region.c2 == 0;
        if (piece.kind() == PieceKind::helix && uniform && angle < kMaxArcAngle) {
          piece.arc_mass(from, to).add(region.c0 * (to - from), frame, sum);
          continue;
        }
        for (const GaussNode& node : gauss_nodes(piece.kind(), angle, region)) {
          const double beta = from + node.x * (to - from);
          const MovingPoint<K> y = piece.at(beta);
          const Vec3 acceleration =
              frame.a + frame.of(value<K>(y), partial<K>(y, K)) + second<K>(y);
          add_point<K>(y, node.w * (to - from) * region.density(beta), acceleration, sum);
        }
      }

      flow = 0;
      if (hi > 0 && hi < 1 && (n + 1 < span.pieces ? !span.smooth : j + 1 < count)) {
        const double u = start.rate() - (map.A1 + hi * map.B1) * L.rate();
        flow = density_at(muscle.regions, hi) * u * u / B;
        push<K>(span.node[static_cast<size_t>(n + 1)], -flow * piece.direction(), sum);
      }
    }
    scatter<K>(in, f.R, f.d, spans_[j].link, dofs_, sum, sums, wrench);
  }
}

template <class F>
[[gnu::always_inline]] inline double MuscleBlock::for_each_slope(const Muscle& muscle,
                                                                 const SkeletonAt& in,
                                                                 F&& f) const {
  double sum = 0;
  for (size_t j = 0; j < spans_.size(); ++j) {
    const Span& span = spans_[j];
    const LinkMotion& m = in.ws.link[static_cast<size_t>(span.link)];
    const Mat3 R = m.R * span.E_LS.R;
    const Vec3 p = m.p + m.R * span.E_LS.p;
    std::array<Vec3, 2> x, x_S, gradient;
    for (size_t e = 0; e < 2; ++e) {
      const LinkMotion& of_end = in.ws.link[static_cast<size_t>(span.end[e].link)];
      x[e] = of_end.p + of_end.R * span.end[e].x_L;
      x_S[e] = R.transpose() * (x[e] - p);
    }
    const Wrap& wrap = muscle.spans[j].wrap;
    double length = 0;
    length_gradient(wrap, solve(wrap, x_S[0], x_S[1]), x_S[0], x_S[1], length, gradient[0],
                    gradient[1]);
    sum += length;
    for (size_t e = 0; e < 2; ++e) {
      const Vec3 pull = R * gradient[e];
      for (const End::Column& column : span.end[e].columns) {
        const auto k = static_cast<size_t>(column.k);
        const Vec6& s = in.ws.s[static_cast<size_t>(dofs_[k])];
        const Vec3& origin = in.ws.link[static_cast<size_t>(link_of_dof_[k])].p;
        f(k, column.sign * (s.tail<3>().dot(pull) + s.head<3>().dot((x[e] - origin).cross(pull))));
      }
    }
  }
  return sum;
}

PathLength MuscleBlock::measure(const Muscle& muscle, const SkeletonAt& in,
                                std::vector<double>& dL) const {
  PathLength out;
  dL.assign(dofs_.size(), 0);
  out.length = for_each_slope(muscle, in, [&](size_t k, double slope) { dL[k] += slope; });
  for (size_t k = 0; k < dofs_.size(); ++k) out.rate += dL[k] * in.qdot[dofs_[k]];
  return out;
}

double MuscleBlock::add_pull(const Muscle& muscle, double tension, const SkeletonAt& in,
                             VecX& tau) const {
  double rate = 0;
  for_each_slope(muscle, in, [&](size_t k, double slope) {
    tau[dofs_[k]] += tension * slope;
    rate += slope * in.qdot[dofs_[k]];
  });
  return -tension * rate;
}

template <int K>
MuscleBlockPull MuscleBlock::add(const Muscle& muscle, size_t number, const Tensions& tensions,
                                 const SkeletonAt& in, std::vector<SpanFrame>& frames,
                                 std::vector<SpanShape<MotionDual<K>>>& shapes, MuscleSums& sums,
                                 std::vector<Vec6>& wrench) const {
  const MotionDual<K> L = update(muscle, in, frames, shapes);
  add_mass(muscle, in, L, frames, shapes, sums, wrench);
  const double tension = tensions.at(number, L.v, L.rate());
  for (size_t k = 0; k < dofs_.size(); ++k) sums.tau[dofs_[k]] += tension * L.d[k];
  return {-tension * L.rate(), L.v};
}

MuscleBlockPull MuscleBlock::add(const Muscle& muscle, size_t number, const Tensions& tensions,
                                 const SkeletonAt& in, MuscleBlockWorkspace& ws, MuscleSums& sums,
                                 std::vector<Vec6>& wrench) const {
  const auto add_as = [&](auto& shapes) {
    return add(muscle, number, tensions, in, ws.frames, shapes, sums, wrench);
  };
  if (dofs_.size() <= 1) return add_as(std::get<0>(ws.shapes));
  if (dofs_.size() <= 3) return add_as(std::get<1>(ws.shapes));
  return add_as(std::get<2>(ws.shapes));
}

}  // namespace sinew
