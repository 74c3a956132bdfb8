#include "io/constrained_scenes.hpp"

#include <gtest/gtest.h>

namespace sinew {
namespace {

TEST(ConstrainedScenes, HoldTheirConstraintsForTenSecondsWithEveryIntegrator) {
  double largest = 0;
  for (const Scene& scene : test::constrained_scenes())
    for (const Integrator integrator : all_integrators())
      largest = std::max(largest, test::expect_held(scene, integrator, 10));
  std::printf("largest residual: %.1e\n", largest);
}

}  // namespace
}  // namespace sinew
