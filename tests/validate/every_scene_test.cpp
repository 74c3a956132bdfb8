#include "cli/scene_run.hpp"
#include "support/all_models.hpp"

/// Laws for every scene and model, over two seconds of each.

namespace sinew {
namespace validate_every_scene_test {

constexpr double kUntil = 2;  // [s]

class EveryScene : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(EveryScene, RunsWithoutAFloatingPointTrap) { test::expect_no_trap(GetParam(), kUntil); }

TEST_P(EveryScene, GivesTheSameBitsFromEveryVectorUnit) {
  test::expect_same_bits_with_every_unit(GetParam(), kUntil);
}

TEST_P(EveryScene, GivesTheSameBitsInThreadsBesideEachOther) {
  test::expect_same_bits_in_threads(GetParam(), kUntil);
}

INSTANTIATE_TEST_SUITE_P(Of, EveryScene, testing::ValuesIn(test::all_scenes_and_models()),
                         [](const auto& of) { return test::test_name(of.param); });

}  // namespace validate_every_scene_test
}  // namespace sinew
