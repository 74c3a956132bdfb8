#include "sinew/integrate/stage_table.hpp"

#include <numbers>

namespace sinew {
namespace {

constexpr StageTable kBdf1 = {.order = 1, .stages = 1, .share = 1, .c = {1}, .a = {}};

constexpr double kShare2 = 1 - 1 / std::numbers::sqrt2;
/// The error is measured by the second divided difference of the rates at 0, a and 1. Of a linear
/// system that is a h² y⃛; the method's error is ((1 − a) a² + a/2 − 1/6) h³ y⃛.
constexpr double kMeasure = ((1 - kShare2) * kShare2 * kShare2 + kShare2 / 2 - 1. / 6) / kShare2;

/// Alexander's method of two stages; L-stable. Written for q₁ alone it is the reference's
/// M (q₁ − q₀ − (2a−1) h q̇₀ − 2(1−a) h q̇_a) = a² h² f.
constexpr StageTable kSdirk2 = {
    .order = 2,
    .stages = 2,
    .share = kShare2,
    .c = {kShare2, 1},
    .a = {{}, {1 - kShare2}},
    .by_energy = true,
    .guess = {{}, {1}},
    .start_error = kMeasure / kShare2,
    .error = {-kMeasure / (kShare2 * (1 - kShare2)), kMeasure / (1 - kShare2)},
    .error_order = 3,
};

/// Hairer and Wanner II, Table IV.6.5, with its embedded solution of third order; L-stable.
constexpr StageTable kSdirk4 = {
    .order = 4,
    .stages = 5,
    .share = 1. / 4,
    .c = {1. / 4, 3. / 4, 11. / 20, 1. / 2, 1},
    .a = {{},
          {1. / 2},
          {17. / 50, -1. / 25},
          {371. / 1360, -137. / 2720, 15. / 544},
          {25. / 24, -49. / 48, 125. / 16, -85. / 12}},
    .by_energy = true,
    .guess = {{}, {1}, {0.4, 0.6}, {1. / 12, -1. / 8, 25. / 24}, {0, 2, 0, -1}},
    .start_error = 0,
    .error = {25. / 24 - 59. / 48, -49. / 48 + 17. / 96, 125. / 16 - 225. / 32, 0, 1. / 4},
    .error_order = 4,
};

constexpr StageTable kBdf2 = {
    .order = 2, .stages = 1, .share = 2. / 3, .c = {1}, .a = {}, .past = {4. / 3, -1. / 3}};

}  // namespace

const StageTable& stage_table(Integrator integrator) {
  switch (integrator) {
    case Integrator::sdirk2:
      return kSdirk2;
    case Integrator::sdirk4:
      return kSdirk4;
    case Integrator::bdf2:
      return kBdf2;
    default:
      return kBdf1;
  }
}

}  // namespace sinew
