#include "sinew/deformables/point_grid.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace sinew {

PointGrid::PointGrid(const std::vector<Box>& boxes, double cell)
    : cell_(cell), bins_(std::max<size_t>(64, 2 * boxes.size())) {
  for (size_t k = 0; k < boxes.size(); ++k)
    for_cells(boxes[k], [&](size_t bin) {
      if (bins_[bin].empty() || bins_[bin].back() != static_cast<int>(k))
        bins_[bin].push_back(static_cast<int>(k));
    });
}

void PointGrid::find(const Box& box, std::vector<int>& out) const {
  out.clear();
  for_cells(box, [&](size_t bin) { out.insert(out.end(), bins_[bin].begin(), bins_[bin].end()); });
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
}

template <class Visit>
void PointGrid::for_cells(const Box& box, Visit&& visit) const {
  const auto cell = [&](double x) { return static_cast<std::int64_t>(std::floor(x / cell_)); };
  for (std::int64_t i = cell(box.low.x()); i <= cell(box.high.x()); ++i)
    for (std::int64_t j = cell(box.low.y()); j <= cell(box.high.y()); ++j)
      for (std::int64_t k = cell(box.low.z()); k <= cell(box.high.z()); ++k) {
        const auto hash = static_cast<std::uint64_t>(i) * 73856093u ^
                          static_cast<std::uint64_t>(j) * 19349663u ^
                          static_cast<std::uint64_t>(k) * 83492791u;
        visit(static_cast<size_t>(hash % bins_.size()));
      }
}

}  // namespace sinew
