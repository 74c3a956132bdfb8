#pragma once

#include "sinew/dynamics/kinematics.hpp"
#include "sinew/strands/strand.hpp"

namespace sinew {

/// Puts free nodes, named `<strand>_1`, …, on a strand, at equal shares of the material between its
/// material nodes, at most `spacing` apart [m]. They lie and move at the start as the undivided
/// strand does, and pass rings and guides if those let the strand slip. Where they may not
/// (friction, grip, strands that do not stretch, lumped mass), only stretches without rings and
/// guides are divided. Throws an Error naming the element at fault.
void divide(const Skeleton& skeleton, const std::vector<StrandGuide>& guides, double spacing,
            std::vector<StrandNode>& nodes, Strand& strand);

}  // namespace sinew
