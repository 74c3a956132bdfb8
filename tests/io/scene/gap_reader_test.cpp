#include "sinew/io/scene/gap_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "sinew/core/error.hpp"
#include "sinew/io/scene/scene.hpp"
#include "sinew/system/equations.hpp"

namespace sinew {
namespace gap_reader_test {

using ::testing::HasSubstr;

/// A slider with a shape, 1 m above a slab that is tilted by 0.3 rad about z.
std::string text(const std::string& shape, const std::string& gaps) {
  return R"({"sinew_scene": 1, "bodies": [
    {"name": "slab", "parent": "world", "joint": {"type": "fixed", "placement":
      {"position": [0, 0.2, 0], "rotation": {"axis": [0, 0, 1], "angle": 0.3}}},
      "inertia": {"mass": 1, "moments": [1, 1, 1]}},
    {"name": "block", "parent": "world", "joint": {"type": "prismatic", "axis": [0, 1, 0],
      "coordinates": ["y"], "q0": 1}, "inertia": {"mass": 1, "moments": [1, 1, 1]}, "shapes": [)" +
         shape + R"(]}], "gaps": [)" + gaps + "]}";
}
constexpr const char* kGap =
    R"({"name": "g", "body": "block", "base": "slab", "plane": {"point": [0, 0.1, 0]}})";

double measured(const std::string& shape) {
  const Scene scene = parse_scene(text(shape, kGap), "test.json", ".");
  const State state = scene.system.default_state();
  Workspace ws(scene.system);
  update_kinematics(scene.system, state, ws);
  std::vector<double> out;
  scene.system.parts().at(0)->measure(part_at(scene.system, 0, state, ws), *ws.parts[0], out);
  return out.at(0);
}

TEST(GapReader, MeasuresTheLowestPointOfEachShape) {
  // The plane is 0.1 m over the slab's origin, its normal (−sin 0.3, cos 0.3): the block's origin
  // is 0.8 cos 0.3 − 0.1 over it.
  const double c = std::cos(0.3), s = std::sin(0.3), origin = 0.8 * c - 0.1;
  EXPECT_NEAR(measured(R"({"type": "sphere", "radius": 0.1})"), origin - 0.1, 1e-15);
  EXPECT_NEAR(measured(R"({"type": "cuboid", "sides": [0.2, 0.4, 0.6]})"),
              origin - 0.1 * s - 0.2 * c, 1e-15);
  EXPECT_NEAR(measured(R"({"type": "ellipsoid", "radii": [0.1, 0.2, 0.3]})"),
              origin - std::hypot(0.1 * s, 0.2 * c), 1e-15);
  // About z, which is level; turned up by 0.3 about x, they reach down by their height, too.
  const std::string round = R"("radius": 0.05, "height": 0.4, "placement": {"rotation":
      {"axis": [1, 0, 0], "angle": 0.3}}})";
  const double down = 0.2 * s * c, across = std::sqrt(1 - s * c * s * c);
  EXPECT_NEAR(measured(R"({"type": "capsule", )" + round), origin - 0.05 - down, 1e-15);
  EXPECT_NEAR(measured(R"({"type": "cylinder", )" + round), origin - 0.05 * across - down, 1e-15);
}

TEST(GapReader, NamesWhatIsWrong) {
  const auto error = [](const std::string& shape, const std::string& gaps) {
    try {
      parse_scene(text(shape, gaps), "test.json", ".");
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string("none");
  };
  const std::string ball = R"({"type": "sphere", "radius": 0.1})";
  EXPECT_EQ(error(ball, kGap), "none");
  EXPECT_THAT(
      error(ball, R"({"name": "g", "body": "block", "shape": 2, "base": "slab", "plane": {}})"),
      HasSubstr("shape"));
  EXPECT_THAT(error("", kGap), HasSubstr("gap 'g' has no shapes"));
  EXPECT_THAT(error(ball, std::string(kGap) + ", " + kGap), HasSubstr("defined twice"));
  EXPECT_THAT(error(ball, R"({"name": "g", "body": "block", "base": "slap", "plane": {}})"),
              HasSubstr("'slab'"));
  EXPECT_THAT(
      error(ball,
            R"({"name": "g", "body": "block", "base": "slab", "plane": {"normal": [0, 0, 0]}})"),
      HasSubstr("'normal' is zero"));
}

}  // namespace gap_reader_test
}  // namespace sinew
