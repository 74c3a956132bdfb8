#pragma once

#include <numbers>

#include "support/strand_systems.hpp"

/// Pulleys, drums and wheels for tests of strands.

namespace sinew::test {

/// A pulley about z of a body.
inline StrandGuide pulley(const std::string& name, BodyIndex body, const Vec3& centre,
                          double radius, WrapSide side, GuideHold hold = GuideHold::slip) {
  return {name, body, Pose::Translation(centre), PulleyWrap{.radius = radius, .side = side}, hold};
}

/// A body that turns about z through a point of the world.
inline BodySpec wheel(const std::string& name, const Vec3& centre, double inertia) {
  BodySpec out;
  out.name = name;
  out.joint = Revolute{Vec3::UnitZ()};
  out.E_PJ = Pose::Translation(centre);
  out.M_B = SpatialInertia::FromCentral(1, Vec3::Zero(), inertia * Mat3::Identity());
  return out;
}

inline Strand inextensible(std::vector<StrandPoint> points, double density,
                           const std::string& name = "rope") {
  Strand out;
  out.name = name;
  out.points = std::move(points);
  out.density = density;
  out.length = StrandLength::fixed;
  return out;
}

/// A place on the rim of a guide.
inline StrandPoint on_rim(const std::string& guide, double s) { return {"", s, guide}; }

/// A belt around two pulleys at x = ±0.3 of bodies or of the world. It passes points of the world
/// in the middle of its straight stretches.
inline Strand belt(double rest_length, double density) {
  Strand out;
  out.name = "belt";
  out.points = {{"below", {}, "right"}, {"above", {}, "left"}};
  out.loop = rest_length;
  out.density = density;
  out.law.elastic = LinearStretch{500};
  return out;
}

}  // namespace sinew::test
