#include "sinew/io/scene/structures.hpp"

#include <gmock/gmock.h>

#include "sinew/core/error.hpp"
#include "sinew/system/equations.hpp"

namespace sinew {
namespace structures_test {

constexpr StructureShape kShapes[] = {StructureShape::chain, StructureShape::binary_tree,
                                      StructureShape::rope_bridge, StructureShape::umbrella};

TEST(Structures, HaveTheRodsAskedForAndRestInTheirSprings) {
  for (const StructureShape shape : kShapes)
    for (const int n : {1, 2, 3, 10, 57, 200}) {
      StructureOptions options;
      options.bodies = n;
      const System system = structure_builder(make_structure(shape, options)).build();
      EXPECT_EQ(system.skeleton().body_count(), n);
      double mass = 0;
      for (const Body& body : system.skeleton().bodies()) mass += body.M_B.mass;
      EXPECT_NEAR(mass, n * 0.04, 1e-12 * n);  // 0.1 m × (0.02 m)² × 1000 kg/m³
      Workspace ws(system);
      const State state = system.default_state();
      // Lengths up to 20 m are good to 1e-14 m.
      EXPECT_LT(energy(system, {0, state.q, state.qdot}, ws).elastic, 1e-22);
    }
}

TEST(Structures, AreTiedAsTheirNamesSay) {
  const auto springs = [](StructureShape shape, int n) {
    StructureOptions options;
    options.bodies = n;
    return make_structure(shape, options).springs.size();
  };
  EXPECT_EQ(springs(StructureShape::chain, 10), 8u);
  // Generations of 1, 2, 4, 8 rods.
  EXPECT_EQ(springs(StructureShape::binary_tree, 15), 0u + 1 + 3 + 7);
  // Two ropes of five rods, and their far ends.
  EXPECT_EQ(springs(StructureShape::rope_bridge, 10), 5u + 2);
  // Ten ribs of ten rods: ten closed rings; one rod less opens the last.
  EXPECT_EQ(springs(StructureShape::umbrella, 100), 100u);
  EXPECT_EQ(springs(StructureShape::umbrella, 99), 98u);
}

TEST(Structures, OfNoBodiesAreRefused) {
  StructureOptions options;
  options.bodies = 0;
  try {
    make_structure(StructureShape::chain, options);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("cannot have 0 bodies"));
  }
}

}  // namespace structures_test
}  // namespace sinew
