#pragma once

#include <vector>

#include "sinew/constraints/contact/contact.hpp"
#include "sinew/model/shape.hpp"

namespace sinew {

/// Contacts of two boxes. The axis of least overlap (of the 15 on which boxes can be apart) gives
/// the normal. A face of one box against the other: the nearest face of the other, clipped to the
/// outline of the first, up to 8 points. An edge against an edge: their nearest points.
void add_box_contacts(const Cuboid& A, const Pose& E_WA, const Cuboid& B, const Pose& E_WB,
                      double margin, std::vector<Contact>& contacts);

ContactDerivatives box_contact_derivatives(const Cuboid& A, const Pose& E_WA, const Cuboid& B,
                                           const Pose& E_WB, const Contact& contact);

}  // namespace sinew
