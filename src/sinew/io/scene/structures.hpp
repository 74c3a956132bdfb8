#pragma once

#include "sinew/builder/system_builder.hpp"
#include "sinew/model/shape.hpp"

/// Large articulated systems of any size, made of equal rods, for measuring solvers.

namespace sinew {

struct StructureOptions {
  int bodies = 100;
  double length = 0.1;      ///< length of a rod [m]
  double thickness = 0.02;  ///< [m]
  double density = 1000;    ///< [kg/m³]
  double stiffness = 1e4;   ///< springs between rods [N/m]
  double damping = 1;       ///< springs [N s/m]
};

/// Bodies in the order of their indices, the solid of each, and springs between them, all at rest
/// in the default state.
struct Structure {
  std::vector<BodySpec> bodies;
  std::vector<ShapePart> shapes;
  ForceList springs;
};

/// "chain": one rod behind the other in a zigzag, hinged about z and y in turn, held at one end;
/// springs tie each to the next but one.
/// "binary-tree": every rod carries two; springs tie the tips of neighbours of one generation.
/// "rope-bridge": two chains side by side, held at one end by hinges and by springs at the other;
/// springs across are its planks.
/// "umbrella": chains that radiate from the origin; springs make rings of rods equally far out.
enum class StructureShape { chain, binary_tree, rope_bridge, umbrella };
const std::vector<std::string>& structure_names();

/// Throws an Error if the options make no sense.
Structure make_structure(StructureShape shape, const StructureOptions& options);

/// A builder with these bodies and springs.
SystemBuilder structure_builder(const Structure& structure);

}  // namespace sinew
