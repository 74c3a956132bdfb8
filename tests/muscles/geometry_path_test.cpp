#include "sinew/muscles/geometry_path.hpp"

#include <gtest/gtest.h>

#include "sinew/core/error.hpp"

namespace sinew {
namespace geometry_path_test {

TEST(GeometryPath, RefusesOnePointAndRangesOutsideThePath) {
  GeometryPath path{"m", {RoutePoint{}, RoutePoint{}}, {}};
  const auto sphere = std::make_shared<PathSurface>();
  path.surfaces = {{sphere, 0, 2}};
  EXPECT_THROW(validate(path, "m"), Error);
  path.surfaces.clear();
  EXPECT_NO_THROW(validate(path, "m"));
  path.points.pop_back();
  EXPECT_THROW(validate(path, "m"), Error);
}

}  // namespace geometry_path_test
}  // namespace sinew
