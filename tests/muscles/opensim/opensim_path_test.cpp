#include "sinew/muscles/opensim/opensim_path.hpp"

#include <gtest/gtest.h>

#include "sinew/core/error.hpp"

namespace sinew {
namespace opensim_path_test {

TEST(OpenSimPath, RefusesOnePointAndRangesOutsideThePath) {
  OpenSimPath path{"m", {OpenSimPathPoint{}, OpenSimPathPoint{}}, {}};
  const auto sphere = std::make_shared<PathSurface>();
  path.surfaces = {{sphere, 0, 2}};
  EXPECT_THROW(validate(path, "m"), Error);
  path.surfaces.clear();
  EXPECT_NO_THROW(validate(path, "m"));
  path.points.pop_back();
  EXPECT_THROW(validate(path, "m"), Error);
}

}  // namespace opensim_path_test
}  // namespace sinew
