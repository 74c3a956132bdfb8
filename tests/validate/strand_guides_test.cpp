#include "support/guided_strands.hpp"
#include "support/residual_derivatives.hpp"

/// Strands around surfaces, with turns, on drums and in loops, in a thousand random configurations.

namespace sinew {
namespace strand_guides_validation {

TEST(StrandGuidesLong, EveryDerivativeInAThousandConfigurations) {
  const auto surfaces = test::surfaces();
  for (unsigned seed = 1000; seed < 2000; ++seed) {
    // Every tenth one around an ellipsoid, which takes ten times as long.
    const size_t which = seed % 10 == 9 ? surfaces.size() - 1 : seed % surfaces.size();
    const bool on_pulleys = which + 1 == surfaces.size() && seed % 10 != 9;
    const System system =
        on_pulleys ? test::wound(seed, true)
                   : test::guided(seed, surfaces[which].second, seed % 2 == 0 ? 3.0 : 0.0, false);
    test::check_every_derivative(
        system, test::near_start(system, seed),
        (on_pulleys ? "wound" : surfaces[which].first) + (" " + std::to_string(seed)));
  }
}

}  // namespace strand_guides_validation
}  // namespace sinew
