#include <gmock/gmock.h>

#include "cli/scene_run.hpp"
#include "support/all_models.hpp"
#include "support/source_dir.hpp"

/// Slices of tests/validate/every_scene_test.cpp.

namespace sinew {
namespace every_scene_test {

class EveryScene : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(EveryScene, StartsWithoutAFloatingPointTrap) { test::expect_no_trap(GetParam(), 0.02); }

INSTANTIATE_TEST_SUITE_P(Of, EveryScene, testing::ValuesIn(test::all_scenes_and_models()),
                         [](const auto& of) { return test::test_name(of.param); });

/// Wrapped and straight muscles in lanes, contacts, a strand, a soft body, spline surfaces and a
/// Hill-type model.
std::vector<std::filesystem::path> some_scenes() {
  const std::filesystem::path folder = test::source_dir();
  return {folder / "scenes/muscle-pendulums.json", folder / "scenes/swing-leg.json",
          folder / "scenes/brick-wall.json",       folder / "scenes/strand-arm.json",
          folder / "scenes/starfish.json",         folder / "scenes/scapula.json",
          folder / "models/leg/leg.osim"};
}

TEST(SameBits, FromEveryVectorUnit) {
  for (const auto& file : some_scenes()) test::expect_same_bits_with_every_unit(file, 0.05);
}

TEST(SameBits, InThreadsBesideEachOther) {
  for (const auto& file : some_scenes()) test::expect_same_bits_in_threads(file, 0.05);
}

TEST(SameBits, AVectorUnitThatDoesNotExistIsRefused) {
  setenv("SINEW_VECTOR_UNIT", "avx", 1);
  const test::ProgramResult run =
      test::run_program("simulate '" + some_scenes().front().string() + "' --until 0.01");
  unsetenv("SINEW_VECTOR_UNIT");
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, testing::HasSubstr("SINEW_VECTOR_UNIT 'avx': is not a vector unit"));
}

}  // namespace every_scene_test
}  // namespace sinew
