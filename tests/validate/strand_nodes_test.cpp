#include "support/residual_derivatives.hpp"
#include "support/shaped_strands.hpp"

/// Nodes of strands on every curve and surface, in a thousand random configurations.

namespace sinew {
namespace strand_nodes_validation {

TEST(StrandNodesLong, EveryDerivativeInAThousandConfigurations) {
  const std::vector<test::ShapeExample> shapes = test::shape_examples();
  for (unsigned seed = 1000; seed < 2000; ++seed) {
    const auto meets = static_cast<test::Meets>(seed % 3);
    const test::ShapeExample& example = shapes[seed % shapes.size()];
    // Not by seed % 2: every shape with and without.
    const double damping = seed / shapes.size() % 2 == 0 ? 3.0 : 0.0;
    const System system = test::shaped_strands(seed, example, meets, damping).build();
    test::check_every_derivative(system, test::near_start(system, seed),
                                 example.name + (" " + std::to_string(seed)));
  }
}

}  // namespace strand_nodes_validation
}  // namespace sinew
