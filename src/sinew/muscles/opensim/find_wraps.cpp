#include "sinew/muscles/opensim/find_wraps.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sinew {
namespace {

/// Several surfaces are visited in turn until the length no longer changes.
constexpr int kMostSweeps = 100;
constexpr double kStill = 1e-13;  ///< [m]

}  // namespace

double WrapSearch::length() const {
  double sum = 0;
  for (size_t i = 0; i + 1 < ws_.nodes.size(); ++i) {
    const OpenSimPathNode &a = ws_.nodes[i], &b = ws_.nodes[i + 1];
    const bool arc = a.surface >= 0 && a.surface == b.surface;
    sum += arc ? b.arc : (b.x - a.x).norm();
  }
  return sum;
}

/// One surface is visited once. Several are visited in turn, each with the path that the others
/// left.
void WrapSearch::wrap() {
  const size_t count = route_.path().surfaces.size();
  if (count == 0) return;
  if (count == 1) {
    meet(0);
    return;
  }
  const size_t points = ws_.nodes.size();
  ws_.order.resize(count);
  ws_.meetings.resize(count);
  for (size_t s = 0; s < count; ++s) ws_.order[s] = static_cast<int>(s);
  double before = std::numeric_limits<double>::infinity();
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    for (size_t k = 0; k < count; ++k) {
      remove(ws_.order[k]);
      ws_.meetings[k] = meet(ws_.order[k]);
    }
    // An end of the second may be inside because the first was not met yet: begin with the second.
    const bool other_first = sweep == 0 && ws_.meetings[0] == WrapDecision::none &&
                             ws_.meetings[1] == WrapDecision::inside;
    if (ws_.nodes.size() == points && !other_first) return;  // no surface is met: nothing changes
    const double now = length();
    if (std::abs(now - before) < kStill) return;
    before = now;
    if (other_first) {
      remove(ws_.order[0]);
      std::swap(ws_.order[0], ws_.order[1]);
    }
  }
}

void WrapSearch::remove(int s) {
  const auto on = [&](const OpenSimPathNode& node) { return node.surface == s; };
  ws_.nodes.erase(std::remove_if(ws_.nodes.begin(), ws_.nodes.end(), on), ws_.nodes.end());
}

/// First and last node of the surface's range; false if no point of it is active.
bool WrapSearch::find_range(const OpenSimPathSurface& route, size_t& first, size_t& last) const {
  const auto in_range = [&](const OpenSimPathNode& n) {
    return n.point >= route.first && n.point <= route.last;
  };
  const auto begin = std::find_if(ws_.nodes.begin(), ws_.nodes.end(), in_range);
  const auto end = std::find_if(ws_.nodes.rbegin(), ws_.nodes.rend(), in_range);
  if (begin == ws_.nodes.end()) return false;
  first = static_cast<size_t>(begin - ws_.nodes.begin());
  last = static_cast<size_t>(ws_.nodes.rend() - end) - 1;
  return true;
}

/// Finds the segment that wraps around surface s: the first that hits it, otherwise the one with
/// the least detour. Returns the outcome for the last segment examined.
WrapDecision WrapSearch::meet(int s) {
  const OpenSimPathSurface& route = route_.path().surfaces[static_cast<size_t>(s)];
  const PathSurface& surface = *route.surface;
  size_t first = 0, last = 0;
  if (!surface.active || !find_range(route, first, last)) return WrapDecision::none;
  const Pose& E_WS = ws_.E_WS[static_cast<size_t>(s)];
  const auto in_S = [&](const Vec3& x) -> Vec3 { return E_WS.R.transpose() * (x - E_WS.p); };
  WrapDecision result = WrapDecision::none;
  SegmentWrap best;
  size_t best_at = 0;
  double least = std::numeric_limits<double>::infinity();
  Vec3 p = in_S(ws_.nodes[first].x);
  for (size_t i = first; i < last; ++i) {
    const OpenSimPathNode &a = ws_.nodes[i], &b = ws_.nodes[i + 1];
    const Vec3 from = p;
    p = in_S(b.x);
    if (a.surface >= 0 && b.surface >= 0 && same_surface(a, b)) continue;
    const SegmentWrap c = wrap_segment(surface, from, p);
    result = c.meeting;
    if (!c.wraps()) continue;
    const double detour = (c.r1 - from).norm() + c.arc + (c.r2 - p).norm() - (from - p).norm();
    if (c.meeting != WrapDecision::mandatory && !(detour < least)) continue;
    best = c;
    best_at = i;
    least = detour;
    if (c.meeting == WrapDecision::mandatory) break;
  }
  if (best.wraps()) insert(s, best, best_at);
  return result;
}

bool WrapSearch::same_surface(const OpenSimPathNode& a, const OpenSimPathNode& b) const {
  const auto& surfaces = route_.path().surfaces;
  return surfaces[static_cast<size_t>(a.surface)].surface ==
         surfaces[static_cast<size_t>(b.surface)].surface;
}

void WrapSearch::insert(int s, const SegmentWrap& c, size_t after) {
  const Pose& E_WS = ws_.E_WS[static_cast<size_t>(s)];
  OpenSimPathNode touch{.slot = route_.grounds_[static_cast<size_t>(s)].slot, .surface = s};
  OpenSimPathNode leave = touch;
  touch.x = E_WS * c.r1;
  leave.x = E_WS * c.r2;
  leave.arc = c.arc;
  ws_.nodes.insert(ws_.nodes.begin() + static_cast<ptrdiff_t>(after) + 1, {touch, leave});
}

}  // namespace sinew
