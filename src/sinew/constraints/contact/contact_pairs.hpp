#pragma once

#include <vector>

#include "sinew/constraints/contact/contact.hpp"
#include "sinew/constraints/contact/contact_shape.hpp"

/// Contacts between two shapes whose geometry has a closed form (for an ellipsoid, one scalar
/// root): see the table in docs/theory/contact_geometry.md. Each contact of a pair keeps two parts
/// of the shapes apart; together they keep the shapes apart.

namespace sinew {

/// Whether add_contacts knows the pair, in either order.
bool can_touch(const ContactShape& A, const ContactShape& B);

/// Throws an Error naming `element` and both kinds of shape unless can_touch.
void require_contact(const ContactShape& A, const ContactShape& B, const std::string& element);

/// Appends the contacts of the pair with gap ≤ margin, in an order that depends on the poses alone.
/// Writes nothing for a pair that cannot touch. Allocates only if `contacts` must grow.
void add_contacts(const ContactShape& A, const Pose& E_WA, const ContactShape& B, const Pose& E_WB,
                  double margin, std::vector<Contact>& contacts);

/// Derivatives of one contact that add_contacts gave for the same shapes and poses.
ContactDerivatives contact_derivatives(const ContactShape& A, const Pose& E_WA,
                                       const ContactShape& B, const Pose& E_WB,
                                       const Contact& contact);

}  // namespace sinew
