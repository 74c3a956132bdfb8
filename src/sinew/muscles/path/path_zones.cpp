#include "sinew/muscles/path/path_dynamics.hpp"

// Breaks at arc lengths c_k hold the shares β_k(t) of the material. Between two of them the strain
// is uniform: s = c_k + a (c_{k+1} − c_k) − c_j, a = (β − β_k)/(β_{k+1} − β_k), so
//     δs = (1 − a) (δc_k − g δβ_k) + a (δc_{k+1} − g δβ_{k+1}) − δc_j,   g = Δc/Δβ.
// At a break g jumps: docs/theory/strands.md, §4. A closed path has one more where it starts:
// shares run from β₀(t) there to β₀ + 1.

namespace sinew {

template <class T>
void PathDynamics<T>::find_zones(std::span<const PathBreak<T>> breaks) {
  zones_.clear();
  break_spans_.clear();
  breaks_.clear();
  flux_.clear();
  if (breaks.empty()) return;
  Zone zone;
  zone.arc0 = zone.share0 = Time(0);
  if (closed_)
    zone.share0 = {T(0.0 - flow_.share), T(0.0 - flow_.rate), T(0.0 - flow_.acceleration)};
  const Time end = zone.share0 + Time(1);
  for (size_t k = 0; k <= breaks.size(); ++k) {
    zone.arc1 = L_;
    zone.share1 = end;
    if (k < breaks.size()) {
      const Span& span = spans_[static_cast<size_t>(breaks[k].span)];
      const Time half =
          in_time_ ? length_to_break(span.time) : Time(length_to_break(span.ends).v, T(0), T(0));
      zone.arc1 = span.start + half;
      zone.share1 = breaks[k].share;
      break_spans_.push_back(breaks[k].span);
    }
    zone.stretch = (zone.arc1 - zone.arc0) / (zone.share1 - zone.share0);
    zones_.push_back(zone);
    zone.arc0 = zone.arc1;
    zone.share0 = zone.share1;
  }
}

template <class T>
int PathDynamics<T>::zone_at(const T& s) const {
  int zone = 0;
  while (zone + 1 < static_cast<int>(zones_.size()) && zones_[static_cast<size_t>(zone)].arc1.v < s)
    ++zone;
  return zone;
}

/// The material at breaks, and its flux.
template <class T>
void PathDynamics<T>::add_breaks(const Muscle& muscle) {
  for (size_t k = 0; k < break_spans_.size(); ++k) {
    const Span& span = spans_[static_cast<size_t>(break_spans_[k])];
    PieceStart start{Ends(0), Time(0)};
    const int piece = span.ends.pieces < 3 ? 0 : 1;
    if (piece > 0) start = {span.ends.piece[0].length, time_length(span, 0)};
    const Time& share = zones_[k].share1;
    breaks_.push_back(sample(break_spans_[k], piece, start, share.v, static_cast<int>(k)));
    flux_.push_back(density_at(muscle.regions, share.v) * share.d1 * share.d1);
  }
}

/// As material of length per share g passes a break, the momentum of Lagrange's equations changes
/// by m β̇² (g₊ − g₋) t on the break's place, and by ½ m β̇² (g₋² − g₊²) on its share.
template <class T>
void PathDynamics<T>::push_breaks(std::vector<SpanForce<T>>& out) {
  for (size_t k = 0; k < breaks_.size(); ++k) {
    const T &before = zones_[k].stretch.v, &after = zones_[k + 1].stretch.v;
    const T jump = flux_[k] * (after - before);
    const PathSample<T>& at = breaks_[k];
    push(at, {jump * at.dy(0, 6), jump * at.dy(1, 6), jump * at.dy(2, 6)}, out);
    // The place stays where it is if material moves through it.
    on_share_[k + 1] += before * jump;
    on_share_[k + 1] -= 0.5 * jump * (before + after);
  }
  if (!closed_ || zones_.empty()) return;
  // Its place is pushed by the kink there.
  const T &before = zones_.back().stretch.v, &after = zones_.front().stretch.v;
  on_share_[0] += 0.5 * flux_at_start() * (before * before - after * after);
}

/// From the places of breaks to the ends of their spans.
template <class T>
void PathDynamics<T>::spread(std::vector<SpanForce<T>>& out) {
  for (size_t k = 0; k < break_spans_.size(); ++k) {
    const auto j = static_cast<size_t>(break_spans_[k]);
    const Ends half = length_to_break(spans_[j].ends);
    for (size_t d = 0; d < 6; ++d)
      out[j].end[d / 3][static_cast<Eigen::Index>(d % 3)] += on_arc_[k + 1] * half.d[d];
    on_start_[j] += on_arc_[k + 1];
  }
  if (!zones_.empty()) on_length_ += on_arc_[zones_.size()];
}

#define SINEW_ZONES(T)                                                      \
  template void PathDynamics<T>::find_zones(std::span<const PathBreak<T>>); \
  template int PathDynamics<T>::zone_at(const T&) const;                    \
  template void PathDynamics<T>::add_breaks(const Muscle&);                 \
  template void PathDynamics<T>::push_breaks(std::vector<SpanForce<T>>&);   \
  template void PathDynamics<T>::spread(std::vector<SpanForce<T>>&);
SINEW_ZONES(double)
SINEW_ZONES(Chunk)
#undef SINEW_ZONES

}  // namespace sinew
