#pragma once

#include "sinew/io/osim/constraints.hpp"
#include "sinew/io/osim/osim_geometry.hpp"

namespace sinew {

/// Whether an element is a force of contact that read_osim_contacts reads.
bool is_osim_contact(const OsimElement& in);

/// The forces of a HuntCrossleyForce, one for every sphere and half-space of it on different
/// bodies, or of a SmoothSphereHalfSpaceForce. Pairs that make a force in OpenSim but not in Sinew
/// (sphere on sphere) are counted in `unsupported`.
std::vector<std::shared_ptr<const Force>> read_osim_contacts(
    const OsimElement& in, const OsimScope& scope, const std::vector<OsimContactGeometry>& geometry,
    std::map<std::string, int>& unsupported);

}  // namespace sinew
