#include <optional>

#include "sinew/core/error.hpp"
#include "support/guided_strands.hpp"
#include "support/residual_derivatives.hpp"

/// Strands around surfaces, with turns, on drums and in loops, in a thousand random configurations.

namespace sinew {
namespace strand_guides_validation {

/// None where chance puts a node inside a surface.
std::optional<System> wound(unsigned seed) {
  try {
    return test::wound(seed, true);
  } catch (const Error&) {
    return {};
  }
}

TEST(StrandGuidesLong, EveryDerivativeInAThousandConfigurations) {
  const auto surfaces = test::surfaces();
  int done = 0;
  for (unsigned seed = 1000; done < 1000; ++seed) {
    // Every tenth one around an ellipsoid, which takes ten times as long.
    const size_t last = surfaces.size() - 1, which = seed % 10 == 9 ? last : seed % surfaces.size();
    const bool on_pulleys = which == last && seed % 10 != 9;
    // Not by seed % 2: every surface with and without.
    const double damping = seed / 10 % 2 == 0 ? 3.0 : 0.0;
    const std::optional<System> system =
        on_pulleys ? wound(seed) : test::guided(seed, surfaces[which].second, damping, false);
    if (!system) continue;
    test::check_every_derivative(
        *system, test::near_start(*system, seed),
        (on_pulleys ? "wound" : surfaces[which].first) + (" " + std::to_string(seed)));
    ++done;
  }
}

}  // namespace strand_guides_validation
}  // namespace sinew
