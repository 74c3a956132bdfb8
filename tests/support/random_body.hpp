#pragma once

#include "sinew/model/skeleton.hpp"
#include "support/random.hpp"

namespace sinew::test {

/// A body of 1 kg whose joint, frame and centre of mass are at random places.
inline BodySpec body(const std::string& name, const std::string& parent, Joint joint,
                     unsigned seed) {
  test::Random random(seed);
  BodySpec spec;
  spec.name = name;
  spec.parent = parent;
  spec.joint = std::move(joint);
  spec.E_PJ = random.pose(0.5);
  spec.E_JB = random.pose(0.3);
  spec.M_B = SpatialInertia::FromCentral(1, random.vec3(0.1), 0.01 * Mat3::Identity());
  return spec;
}

}  // namespace sinew::test
