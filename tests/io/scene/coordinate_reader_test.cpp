#include "sinew/io/scene/coordinate_reader.hpp"

#include <gmock/gmock.h>

#include "io/scene_text.hpp"
#include "sinew/io/scene/scene.hpp"
#include "sinew/system/equations.hpp"

namespace sinew {
namespace coordinate_reader_test {

/// A slider on a hinge; both follow an extra coordinate.
constexpr const char* kGripper = R"({"sinew_scene": 1, "units": "UNITS", "bodies": [
    {"name": "finger", "parent": "world",
     "joint": {"name": "h", "type": "revolute", "axis": [0, 0, 1]},
     "inertia": {"mass": {1 kg}, "moments": [{1 kgm2}, {1 kgm2}, {1 kgm2}]}},
    {"name": "pad", "parent": "finger", "joint": {"name": "s", "type": "prismatic", "axis": [1, 0, 0]},
     "inertia": {"mass": {1 kg}, "moments": [{1 kgm2}, {1 kgm2}, {1 kgm2}]}}],
    "extra_coordinates": [{"name": "stroke", "kind": "length", "q0": {0.2 m}, "qdot0": {0.3 m}}],
    "dependent_coordinates": [
      {"coordinate": "h_1", "arguments": ["stroke"],
       "function": {"type": "polynomial", "coefficients": [0.1, {2 1/m}, {0.5 1/m2}]}},
      {"coordinate": "s_1", "arguments": ["stroke"],
       "function": {"type": "linear", "coefficients": [-1], "offset": {0.5 m}}}]})";

TEST(CoordinateReader, ReadsExtraAndDependentCoordinatesInTheUnitsOfTheFile) {
  for (const bool cgs : {false, true}) {
    const Scene scene =
        parse_scene(test::in_units(kGripper, cgs ? "cgs" : "si", cgs ? 100 : 1, cgs ? 1000 : 1),
                    "test.json", "", {});
    const System& system = scene.system;
    ASSERT_EQ(system.dof_count(), 1);
    EXPECT_EQ(system.coordinates()[0].name, "stroke");
    const State state = system.default_state();
    Workspace ws(system);
    VecX q, qdot;
    expand_coordinates(system, state, ws, q, qdot);
    // h = 0.1 + 2 x + x²/2 and s = 0.5 − x at x = 0.2, ẋ = 0.3.
    EXPECT_LT((q - Vec3(0.52, 0.3, 0.2)).norm(), 1e-15) << q;
    EXPECT_LT((qdot - Vec3(0.66, -0.3, 0.3)).norm(), 1e-15) << qdot;
    // The skeleton's own defaults follow, so that "initial" means what it says.
    EXPECT_NEAR(system.skeleton().coordinates()[0].q0, 0.52, 1e-15);
  }
}

}  // namespace coordinate_reader_test
}  // namespace sinew
