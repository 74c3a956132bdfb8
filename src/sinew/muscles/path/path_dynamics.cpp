#include "sinew/muscles/path/path_dynamics.hpp"

#include <cmath>

// The material point β of span j is y(o, i, s) with s = A(L) + β B(L) − c_j, c_j the arc length of
// the span's start and L that of the whole path: spans interact only through their lengths. A force
// F on the point does the virtual work
//     F · (δ_S(y) + ∂y/∂(o,i) δ(o,i) + ∂y/∂s δs),   δs = (A′ + β B′) δL − δc_j,
// δ_S the rigid motion of the surface's frame. With F = (acceleration less gravity) dm, summed over
// the mass, and with the flow through the kinks, this is d/dt ∂T/∂q̇ − ∂T/∂q + ∂V/∂q.
//
// At a kink the node needs the force λ u² (t₊ − t₋): the momentum that material gains as it passes
// with speed u from one direction to the other, equation (8).
//
// Breaks divide a path into zones: path_zones.cpp.

namespace sinew {
namespace {

template <class T>
Point<T> cross(const Point<T>& a, const Point<T>& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

}  // namespace

template <class T>
void PathDynamics<T>::update(const Muscle& muscle, const std::vector<SpanSolution>& solutions,
                             const std::vector<SpanMotion<T>>& motion, MuscleView view,
                             const PathFlow<T>* flow, std::span<const PathBreak<T>> breaks) {
  in_time_ = view >= MuscleView::at_rest;
  closed_ = flow != nullptr;
  flow_ = closed_ ? *flow : PathFlow<T>{T(0), T(0)};
  span_count_ = static_cast<int>(muscle.spans.size());
  const auto count = static_cast<size_t>(span_count_);
  if (spans_.size() < count) {
    spans_.resize(count);
    on_start_.resize(count);
    motion_.resize(count);
  }
  material_ = muscle.material;
  L_ = Time(0);
  for (size_t j = 0; j < count; ++j) {
    const SpanMotion<T>& in = motion_[j] = motion[j];
    Point<Ends> o_e, i_e;
    Point<Time> o_t, i_t;
    for (int k = 0; k < 3; ++k) {
      o_e[k] = Ends::Variable(in.x[0][k], k);
      i_e[k] = Ends::Variable(in.x[1][k], k + 3);
      o_t[k] = Time(in.x[0][k], in.v[0][k], in.a[0][k]);
      i_t[k] = Time(in.x[1][k], in.v[1][k], in.a[1][k]);
    }
    Span& span = spans_[j];
    const Wrap& wrap = muscle.spans[j].wrap;
    sinew::shape<Ends>(wrap, solutions[j], o_e, i_e, span.ends);
    if (in_time_) sinew::shape<Time>(wrap, solutions[j], o_t, i_t, span.time);
    span.start = L_;
    L_ += in_time_ ? span.time.length : Time(span.ends.length.v, T(0), T(0));
  }
  mass_ = view == MuscleView::moving ? muscle.mass : 0;
  group_count_ = kink_count_ = 0;
  find_zones(breaks);
  if (view == MuscleView::path || !muscle.has_mass()) return;
  reserve(muscle);
  A_ = material_.A(L_.v);
  B_ = material_.B(L_.v);
  if (muscle.mass_model == MassModel::points) {
    sample_lumps(muscle);
    return;
  }
  for (const MassRegion& region : muscle.regions) sample_region(region);
  if (view != MuscleView::moving) return;
  find_kinks(muscle);
  add_breaks(muscle);
}

template <class T>
void PathDynamics<T>::reserve(const Muscle& muscle) {
  size_t pieces = 0;
  size_t groups = 0;
  for (const PathSpan& span : muscle.spans) {
    pieces += static_cast<size_t>(max_pieces(span.wrap));
    groups += static_cast<size_t>(max_groups(span.wrap));
  }
  const bool lumps = muscle.mass_model == MassModel::points;
  groups = lumps ? static_cast<size_t>(muscle.lumps) : groups * muscle.regions.size();
  if (groups_.size() < groups) groups_.resize(groups);
  if (kinks_.size() < pieces) kinks_.resize(pieces);
}

template <class T>
MassGroup<T>& PathDynamics<T>::next_group() {
  if (static_cast<size_t>(group_count_) == groups_.size()) groups_.emplace_back();
  return groups_[static_cast<size_t>(group_count_++)];
}

template <class T>
PathSample<T> PathDynamics<T>::sample(int span, int piece, const PieceStart& start, const T& beta,
                                      int zone) const {
  const Span& at = spans_[static_cast<size_t>(span)];
  const SpanMotion<T>& frame = motion_[static_cast<size_t>(span)];
  PathSample<T> out;
  out.span = span;
  out.zone = zone;
  Time s_t;
  if (zones_.empty()) {
    out.by_length = beta * material_.B1 + material_.A1;
    // β is one material point: a constant for the derivatives of the path, but for the flow.
    s_t = L_ * Time(out.by_length, flow_.rate, flow_.acceleration) +
          Time(beta * material_.B0 + material_.A0, T(0), T(0)) - at.start;
  } else {
    const Zone& in = zones_[static_cast<size_t>(zone)];
    out.by_length = (beta - in.share0.v) / (in.share1.v - in.share0.v);
    s_t = in.arc0 + (Time(beta, T(0), T(0)) - in.share0) * in.stretch - at.start;
  }
  const Point<Ends> by_ends = at.ends.at(piece, Ends::Variable(s_t.v, 6) - start.ends);
  for (int k = 0; k < 3; ++k) {
    out.y[k] = by_ends[k].v;
    for (int d = 0; d < kPathDirections; ++d) out.dy(k, d) = by_ends[k].d[static_cast<size_t>(d)];
  }
  if (!in_time_) return out;
  const Point<Time> y_t = at.time.at(piece, s_t - start.time);
  Point<T> rate, second;
  for (int k = 0; k < 3; ++k) {
    rate[k] = y_t[k].d1;
    second[k] = y_t[k].d2;
  }
  const Point<T> turn = cross(frame.omega, out.y);
  out.velocity = frame.velocity + turn + rate;
  out.acceleration = frame.acceleration + cross(frame.alpha, out.y) +
                     cross<T>(frame.omega, turn + 2.0 * rate) + second;
  return out;
}

template <class T>
void PathDynamics<T>::add_arc_group(const MassRegion& region, int span, int piece,
                                    const PieceStart& start, const ArcShare& share, int zone) {
  const T width = share.end - share.begin;
  const PieceKind kind =
      spans_[static_cast<size_t>(span)].ends.piece[static_cast<size_t>(piece)].kind;
  const std::span<const GaussNode> nodes = gauss_nodes(kind, share.angle, region);
  MassGroup<T>& group = next_group();
  group.linear = false;
  group.count = static_cast<int>(nodes.size());
  for (size_t n = 0; n < nodes.size(); ++n) {
    const T beta = share.begin + nodes[n].x * width;
    group.sample[n] = sample(span, piece, start, beta, zone);
    group.weight[n] = region.density(beta) * (share.weight * nodes[n].w * width);
  }
}

/// The mass on an arc from β = lo to hi.
template <class T>
void PathDynamics<T>::sample_arc(const MassRegion& region, int span, int piece,
                                 const PieceStart& start, const T& lo, const T& hi, int zone) {
  using std::abs;
  const SpanShape<Ends>& shape = spans_[static_cast<size_t>(span)].ends;
  const auto& arc = shape.piece[static_cast<size_t>(piece)];
  if (arc.kind != PieceKind::helix)
    return add_arc_group(region, span, piece, start, {lo, hi, 0, 1}, zone);
  const T& B = arc_per_beta(zone);
  const T turn = shape.helix[static_cast<size_t>(arc.arc)].turn.v;
  const double angle = std::abs(value_of(turn) * value_of(B) * (value_of(hi) - value_of(lo)));
  if (angle <= kLargestGaussArc)
    return add_arc_group(region, span, piece, start, {lo, hi, angle, 1}, zone);
  const T per_turn = 2 * std::numbers::pi / abs(T(turn * B));
  const double turns = angle / (2 * std::numbers::pi);
  for (const TurnPart& part : turn_parts(turns)) {
    const auto beta_at_turn = [&](double at) {
      if (at == turns) return hi;
      // Within the last, unfinished turn places are shares of what is left.
      const double whole = std::floor(turns);
      if (at <= whole) return T(lo + at * per_turn);
      const T begin = lo + whole * per_turn;
      return T(begin + (at - whole) / (turns - whole) * (hi - begin));
    };
    add_arc_group(region, span, piece, start,
                  {beta_at_turn(part.from), beta_at_turn(part.to),
                   2 * std::numbers::pi * (part.to - part.from), part.weight},
                  zone);
  }
}

template <class T>
void PathDynamics<T>::sample_piece(const MassRegion& region, int span, int piece,
                                   const PieceStart& start, T lo, T hi, int zone) {
  if (lo < region.begin) lo = T(region.begin);
  if (hi > region.end) hi = T(region.end);
  if (!(value_of(hi) - value_of(lo) > kSmallestShare)) return;
  const auto& of = spans_[static_cast<size_t>(span)].ends.piece[static_cast<size_t>(piece)];
  if (of.kind != PieceKind::straight) return sample_arc(region, span, piece, start, lo, hi, zone);
  MassGroup<T>& group = next_group();
  group.linear = true;
  group.count = 2;
  group.sample[0] = sample(span, piece, start, lo, zone);
  group.sample[1] = sample(span, piece, start, hi, zone);
  const PieceMoments<T> m = piece_moments(region, lo, hi);
  group.weight[0] = m.m00;
  group.weight[1] = m.m01;
  group.weight[2] = m.m11;
}

template <class T>
void PathDynamics<T>::sample_region(const MassRegion& region) {
  for (int j = 0; j < span_count_; ++j) {
    const Span& span = spans_[static_cast<size_t>(j)];
    PieceStart start{Ends(0), Time(0)};
    for (int k = 0; k < span.ends.pieces; ++k) {
      const auto& ends_piece = span.ends.piece[static_cast<size_t>(k)];
      const T s0 = span.start.v + start.time.v, s1 = s0 + ends_piece.length.v;
      if (zones_.empty()) sample_piece(region, j, k, start, beta_at(s0), beta_at(s1), 0);
      for (size_t z = 0; z < zones_.size(); ++z) {
        const Zone& zone = zones_[z];
        const T from = s0 < zone.arc0.v ? zone.arc0.v : s0,
                to = s1 > zone.arc1.v ? zone.arc1.v : s1;
        if (from < to)
          sample_piece(region, j, k, start, beta_at(from, zone), beta_at(to, zone),
                       static_cast<int>(z));
      }
      start.ends += ends_piece.length;
      start.time += time_length(span, k);
    }
  }
}

template <class T>
void PathDynamics<T>::sample_lumps(const Muscle& muscle) {
  const int n = muscle.lumps;
  for (int p = 0; p < n; ++p) {
    const double beta = muscle.lumps_at_ends ? p / (n - 1.0) : (p + 0.5) / n;
    const double target = value_of(A_) + beta * value_of(B_);
    int j = 0;
    while (j + 1 < span_count_ && value_of(spans_[static_cast<size_t>(j + 1)].start.v) < target)
      ++j;
    const Span& span = spans_[static_cast<size_t>(j)];
    PieceStart start{Ends(0), Time(0)};
    int k = 0;
    for (; k + 1 < span.ends.pieces; ++k) {
      const auto kk = static_cast<size_t>(k);
      const double end = value_of(span.start.v + start.time.v + time_length(span, k).v);
      if (end >= target) break;
      start.ends += span.ends.piece[kk].length;
      start.time += time_length(span, k);
    }
    MassGroup<T>& group = next_group();
    group.linear = false;
    group.count = 1;
    group.sample[0] = sample(j, k, start, T(beta), 0);
    group.weight[0] = T(muscle.mass / n);
  }
}

template <class T>
Point<T> PathDynamics<T>::tangent(int span, int piece, const T& s) const {
  const Point<Ends> y =
      spans_[static_cast<size_t>(span)].ends.at(piece, Ends::Variable(s, kPathDirections - 1));
  return {y[0].d[6], y[1].d[6], y[2].d[6]};
}

template <class T>
void PathDynamics<T>::find_kinks(const Muscle& muscle) {
  for (int j = 0; j < span_count_; ++j) {
    const Span& span = spans_[static_cast<size_t>(j)];
    Time node = span.start;  // arc length of the piece's start from the path's
    for (int k = 0; k < span.ends.pieces; ++k) {
      const int zone = zone_at(node.v);
      const T beta =
          zones_.empty() ? beta_at(node.v) : beta_at(node.v, zones_[static_cast<size_t>(zone)]);
      const bool seam = closed_ && j == 0 && k == 0;
      if (seam || ((k == 0 ? j > 0 : !span.ends.smooth) && beta > 0.0 && beta < 1.0)) {
        if (static_cast<size_t>(kink_count_) == kinks_.size()) kinks_.emplace_back();
        PathKink<T>& kink = kinks_[static_cast<size_t>(kink_count_++)];
        kink.span = j;
        kink.piece = k;
        // Speed of the node against the material, and λ = ρ/B.
        T u = node.d1 - (beta * material_.B1 + material_.A1) * L_.d1;
        if (closed_) u = u - L_.v * flow_.rate;
        if (!zones_.empty()) {
          const Zone& in = zones_[static_cast<size_t>(zone)];
          u = node.d1 - Time(in.arc0 + (Time(beta, T(0), T(0)) - in.share0) * in.stretch).d1;
        }
        T flow = density_at(muscle.regions, beta) * u * u / arc_per_beta(zone), flow_before = flow;
        if (seam && !zones_.empty()) {
          flow = flux_at_start() * zones_.front().stretch.v;
          flow_before = flux_at_start() * zones_.back().stretch.v;
        }
        kink.after = flow * tangent(j, k, T(0));
        const int span_before = k > 0 ? j : (j > 0 ? j : span_count_) - 1;
        const SpanShape<Ends>& shape_before = spans_[static_cast<size_t>(span_before)].ends;
        const int piece_before = (k > 0 ? k : shape_before.pieces) - 1;
        const T end = shape_before.piece[static_cast<size_t>(piece_before)].length.v;
        kink.before = flow_before * tangent(span_before, piece_before, end);
      }
      node += time_length(span, k);
    }
  }
}

/// A node between two pieces depends on the span's ends.
template <class T>
void PathDynamics<T>::add_kink_inside(const PathKink<T>& kink,
                                      std::vector<SpanForce<T>>& out) const {
  const auto j = static_cast<size_t>(kink.span);
  const Point<Ends>& node = spans_[j].ends.node[static_cast<size_t>(kink.piece)];
  const Point<T> force = kink.after - kink.before;
  Point<T> y;
  for (int c = 0; c < 3; ++c) {
    y[c] = node[c].v;
    for (int d = 0; d < 6; ++d)
      out[j].end[static_cast<size_t>(d / 3)][d % 3] += node[c].d[static_cast<size_t>(d)] * force[c];
  }
  out[j].torque += cross(y, force);
  out[j].force += force;
}

template <class T>
void PathDynamics<T>::push(const PathSample<T>& at, const Point<T>& force,
                           std::vector<SpanForce<T>>& out) {
  SpanForce<T>& span = out[static_cast<size_t>(at.span)];
  std::array<T, kPathDirections> work;
  for (int d = 0; d < kPathDirections; ++d)
    work[static_cast<size_t>(d)] =
        at.dy(0, d) * force[0] + at.dy(1, d) * force[1] + at.dy(2, d) * force[2];
  for (size_t k = 0; k < 3; ++k) {
    const auto kk = static_cast<Eigen::Index>(k);
    span.end[0][kk] += work[k];
    span.end[1][kk] += work[k + 3];
  }
  if (zones_.empty()) {
    on_length_ += at.by_length * work[6];
  } else {
    const auto z = static_cast<size_t>(at.zone);
    const T behind = at.by_length * work[6], before = work[6] - behind;
    on_arc_[z] += before;
    on_arc_[z + 1] += behind;
    on_share_[z] -= zones_[z].stretch.v * before;
    on_share_[z + 1] -= zones_[z].stretch.v * behind;
  }
  on_flow_ += work[6];
  on_start_[static_cast<size_t>(at.span)] -= work[6];
  span.torque += cross(at.y, force);
  span.force += force;
}

template <class T>
void PathDynamics<T>::forces(const T& tension, std::vector<SpanForce<T>>& out) {
  forces(std::span<const T>(&tension, 1), out);
}

template <class T>
void PathDynamics<T>::forces(std::span<const T> tensions, std::vector<SpanForce<T>>& out) {
  const auto count = static_cast<size_t>(span_count_);
  for (size_t j = 0; j < count; ++j) {
    for (Point<T>* f : {&out[j].end[0], &out[j].end[1], &out[j].torque, &out[j].force})
      f->setConstant(T(0));
    on_start_[j] = T(0);
  }
  on_length_ = zones_.empty() ? tensions[0] : T(0);
  on_flow_ = T(0);
  if (!zones_.empty()) {
    on_arc_.assign(zones_.size() + 1, T(0));
    on_share_.assign(zones_.size() + 1, T(0));
    for (size_t z = 0; z < zones_.size(); ++z) {
      on_arc_[z] -= tensions[z];
      on_arc_[z + 1] += tensions[z];
    }
  }

  for (int g = 0; g < group_count_; ++g) {
    const MassGroup<T>& group = groups_[static_cast<size_t>(g)];
    if (group.linear) {
      const Point<T>&a0 = group.sample[0].acceleration, &a1 = group.sample[1].acceleration;
      push(group.sample[0], group.weight[0] * a0 + group.weight[1] * a1, out);
      push(group.sample[1], group.weight[1] * a0 + group.weight[2] * a1, out);
    } else {
      for (size_t n = 0; n < static_cast<size_t>(group.count); ++n)
        push(group.sample[n], group.weight[n] * group.sample[n].acceleration, out);
    }
  }
  for (int c = 0; c < kink_count_; ++c)
    if (kinks_[static_cast<size_t>(c)].piece > 0)
      add_kink_inside(kinks_[static_cast<size_t>(c)], out);

  push_breaks(out);
  spread(out);
  on_flow_ = zones_.empty() ? T(L_.v * on_flow_) : T(0.0 - on_share_.front() - on_share_.back());

  // Lengths to ends; then the ends' reaction on the surface.
  T on_span = on_length_;
  for (size_t j = count; j-- > 0;) {
    const auto& gradient = spans_[j].ends.length.d;
    for (size_t e = 0; e < 2; ++e) {
      for (size_t k = 0; k < 3; ++k)
        out[j].end[e][static_cast<Eigen::Index>(k)] += on_span * gradient[3 * e + k];
      out[j].torque -= cross(motion_[j].x[e], out[j].end[e]);
      out[j].force -= out[j].end[e];
    }
    on_span += on_start_[j];
  }
  // A path point gets its absolute force, not one relative to a surface.
  for (int c = 0; c < kink_count_; ++c) {
    const PathKink<T>& kink = kinks_[static_cast<size_t>(c)];
    if (kink.piece > 0) continue;
    const auto j = static_cast<size_t>(kink.span);
    out[(j > 0 ? j : count) - 1].end[1] -= kink.before;
    out[j].end[0] += kink.after;
  }
}

template class PathDynamics<double>;
template class PathDynamics<Chunk>;

}  // namespace sinew
