#include "sinew/constraints/contact/broad_phase.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/core/error.hpp"

namespace sinew {
namespace {

/// Two bodies in either order as one number; kWorld is 0.
std::uint64_t key(int body_i, int body_j) {
  const auto [low, high] = std::minmax(body_i, body_j);
  return static_cast<std::uint64_t>(low + 1) << 32 | static_cast<std::uint64_t>(high + 1);
}

void check_body(const Skeleton& skeleton, BodyIndex body, const std::string& element) {
  if (body == kWorld || (body >= 0 && body < skeleton.body_count())) return;
  throw Error(
      element, fmt::format("body {} does not exist", body.value),
      fmt::format("bodies are counted from 0 to {}; -1 is the world", skeleton.body_count() - 1));
}

bool is_bounded(const Aabb& box) {
  for (int k = 0; k < 3; ++k)
    if (!std::isfinite(box.low[k]) || !std::isfinite(box.high[k])) return false;
  return true;
}

/// The axis along which the centres of the bounded boxes vary most.
int widest_axis(std::span<const Aabb> bounds) {
  Vec3 sum = Vec3::Zero(), squares = Vec3::Zero();
  double n = 0;
  for (const Aabb& box : bounds) {
    if (!is_bounded(box)) continue;
    const Vec3 centre = 0.5 * (box.low + box.high);
    n += 1;
    sum += centre;
    squares += centre.cwiseAbs2();
  }
  if (n == 0) return 0;
  int axis = 0;
  (squares - sum.cwiseAbs2() / n).maxCoeff(&axis);
  return axis;
}

}  // namespace

PairFilter::PairFilter(const Skeleton& skeleton, std::span<const BodyIndex> body_of_shape,
                       std::span<const std::pair<BodyIndex, BodyIndex>> excluded) {
  carriers_.reserve(body_of_shape.size());
  for (std::size_t k = 0; k < body_of_shape.size(); ++k) {
    const BodyIndex body = body_of_shape[k];
    check_body(skeleton, body, fmt::format("contact shape {}", k + 1));
    const int link = body == kWorld ? 0 : skeleton.body(body).link.value;
    carriers_.push_back({body, link, skeleton.link(link).parent});
  }
  for (std::size_t k = 0; k < excluded.size(); ++k) {
    const auto& [i, j] = excluded[k];
    check_body(skeleton, i, fmt::format("contact exclusion {}", k + 1));
    check_body(skeleton, j, fmt::format("contact exclusion {}", k + 1));
    excluded_.push_back(key(i, j));
  }
  std::sort(excluded_.begin(), excluded_.end());
}

bool PairFilter::allows(int shape_i, int shape_j) const {
  const Carrier& i = carriers_[static_cast<std::size_t>(shape_i)];
  const Carrier& j = carriers_[static_cast<std::size_t>(shape_j)];
  if (i.link == j.link) return false;
  if (i.link > 0 && j.link > 0 && (i.parent_link == j.link || j.parent_link == i.link))
    return false;
  return !std::binary_search(excluded_.begin(), excluded_.end(), key(i.body, j.body));
}

void BroadPhase::update_pairs(std::span<const Aabb> bounds, const PairFilter& filter,
                              std::vector<ShapePair>& pairs) {
  if (static_cast<int>(bounds.size()) != filter.shape_count()) {
    throw Error("broad phase",
                fmt::format("{} bounds for {} shapes", bounds.size(), filter.shape_count()),
                "give one box per shape of the filter");
  }
  pairs.clear();
  sorted_.clear();
  for (std::size_t k = 0; k < bounds.size(); ++k)
    if ((bounds[k].low.array() <= bounds[k].high.array()).all())  // false for NaN
      sorted_.push_back({bounds[k], static_cast<int>(k)});

  const int x = widest_axis(bounds), y = (x + 1) % 3, z = (x + 2) % 3;
  std::sort(sorted_.begin(), sorted_.end(), [x](const Entry& i, const Entry& j) {
    return i.box.low[x] != j.box.low[x] ? i.box.low[x] < j.box.low[x] : i.shape < j.shape;
  });
  for (std::size_t i = 0; i < sorted_.size(); ++i) {
    const Aabb& a = sorted_[i].box;
    for (std::size_t j = i + 1; j < sorted_.size() && sorted_[j].box.low[x] <= a.high[x]; ++j) {
      const Aabb& b = sorted_[j].box;
      // One branch, since each of the four tests alone is a coin toss.
      const bool y_below = b.low[y] <= a.high[y], y_above = a.low[y] <= b.high[y];
      const bool z_below = b.low[z] <= a.high[z], z_above = a.low[z] <= b.high[z];
      if (!(y_below & y_above & z_below & z_above)) continue;
      const auto [first, second] = std::minmax(sorted_[i].shape, sorted_[j].shape);
      if (filter.allows(first, second)) pairs.push_back({first, second});
    }
  }
  std::sort(pairs.begin(), pairs.end());
}

}  // namespace sinew
