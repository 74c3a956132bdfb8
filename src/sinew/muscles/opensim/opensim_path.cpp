#include "sinew/muscles/opensim/opensim_path.hpp"

#include "sinew/core/error.hpp"

namespace sinew {

void validate(const OpenSimPath& path, const std::string& element) {
  if (path.points.size() < 2)
    throw Error(element, "its path has fewer than two points", "give an origin and an insertion");
  for (const OpenSimPathSurface& route : path.surfaces)
    if (route.first < 0 || route.last >= static_cast<int>(path.points.size()) ||
        route.first > route.last)
      throw Error(element, "a surface has a range of points that the path does not have",
                  "give the first and last point, counted from 1, or −1 −1 for all");
}

}  // namespace sinew
