#pragma once

#include <limits>
#include <vector>

#include "sinew/constraints/contact/contact_pairs.hpp"

namespace sinew::test {

inline constexpr double kEverything = 1e3;  // a margin that includes everything

inline std::vector<Contact> contacts_of(const ContactShape& A, const Pose& E_WA,
                                        const ContactShape& B, const Pose& E_WB,
                                        double margin = kEverything) {
  std::vector<Contact> contacts;
  add_contacts(A, E_WA, B, E_WB, margin, contacts);
  return contacts;
}

inline double least_gap(const std::vector<Contact>& contacts) {
  double least = std::numeric_limits<double>::infinity();
  for (const Contact& c : contacts) least = std::min(least, c.gap);
  return least;
}

/// One shape of every kind, about 1 m across.
inline const std::vector<ContactShape>& shapes() {
  static const std::vector<ContactShape> all = {
      Sphere{0.4},
      Capsule{0.3, 0.9},
      Cuboid{{0.6, 0.8, 1.0}},
      Cylinder{0.4, 0.7},
      Ellipsoid{{0.3, 0.5, 0.7}},
      MeshVertices{{Vec3(0.3, 0.2, 0.1), Vec3(-0.2, 0.1, 0.4), Vec3(0, -0.3, -0.2)}},
      Plane{}};
  return all;
}

}  // namespace sinew::test
