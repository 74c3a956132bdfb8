#include "sinew/muscles/transfer/muscle_masses.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sinew {
namespace muscle_masses_test {

using ::testing::HasSubstr;

/// A torso with two legs of a thigh and a shank each: 75 kg.
Skeleton person(const char* thigh = "femur", double torso = 48.8) {
  SkeletonBuilder builder;
  const auto add = [&](const std::string& name, const std::string& parent, double mass) {
    BodySpec body;
    body.name = name;
    body.parent = parent;
    body.joint = Revolute{Vec3::UnitZ()};
    body.M_B = SpatialInertia::FromCentral(mass, {0, 0, 0}, Mat3::Identity());
    builder.add_body(body);
  };
  add("torso", "", torso);
  for (const char* side : {"_r", "_l"}) {
    add(std::string(thigh) + side, "torso", 9.3);
    add(std::string("tibia") + side, std::string(thigh) + side, 3.8);
  }
  return builder.build();
}

WeighedMuscle muscle(const Skeleton& skeleton, const std::string& from, const std::string& to,
                     double force, double fibre) {
  WeighedMuscle out;
  out.muscle.points = {PathPoint::Fixed(skeleton.find_body(from), {0, 0, 0}),
                       PathPoint::Fixed(skeleton.find_body(to), {0, 1, 0})};
  out.hill.emplace();
  out.hill->max_isometric_force = force;
  out.hill->optimal_fibre_length = fibre;
  return out;
}

/// F₀ l₀ of both legs: 4200 N m, two thirds in the second muscle.
std::vector<WeighedMuscle> legs(const Skeleton& skeleton) {
  std::vector<WeighedMuscle> out;
  for (const std::string side : {"_r", "_l"}) {
    out.push_back(muscle(skeleton, "femur" + side, "tibia" + side, 14000, 0.1));
    out.push_back(muscle(skeleton, "torso", "tibia" + side, 14000, 0.2));
  }
  out.push_back(muscle(skeleton, "torso", "torso", 1000, 0.1));
  return out;
}

TEST(MuscleMasses, OfLegsAreThoseMeasured) {
  const Skeleton skeleton = person();
  MassRule rule;
  rule.height = 1.8;
  const MuscleMasses out = muscle_masses(skeleton, legs(skeleton), rule);
  EXPECT_EQ(out.source, MassBy::volumes);
  // 47 cm³/(kg m) · 75 kg · 1.8 m + 1285 cm³, at 1059.7 kg/m³.
  const double leg = 1059.7 * (47e-6 * 75 * 1.8 + 1285e-6);
  EXPECT_NEAR(leg, 8.08, 0.01);
  EXPECT_NEAR(out.mass[0], leg / 3, 1e-12);
  EXPECT_NEAR(out.mass[1], 2 * leg / 3, 1e-12);
  EXPECT_NEAR(out.mass[2] + out.mass[3], leg, 1e-12);
  EXPECT_NEAR(out.specific_tension, 1059.7 * 4200 / leg, 1e-6);
  EXPECT_NEAR(out.mass[4], 1059.7 * 100 / out.specific_tension, 1e-12) << "not of a leg";
  // Without a height, that of a body mass index of 23.
  rule.height.reset();
  const MuscleMasses usual = muscle_masses(skeleton, legs(skeleton), rule);
  EXPECT_NEAR(usual.mass[0] / out.mass[0], 1.0027, 1e-3);
}

TEST(MuscleMasses, FollowFromStrengthWhereNoVolumesAreKnown) {
  MassRule rule;
  const Skeleton arm = person("humerus");
  std::vector<WeighedMuscle> muscles = {muscle(arm, "humerus_r", "tibia_r", 6000, 0.1)};
  const MuscleMasses out = muscle_masses(arm, muscles, rule);
  EXPECT_EQ(out.source, MassBy::strength);
  EXPECT_NEAR(out.mass[0], 1059.7 * 600 / 0.6e6, 1e-12);
  EXPECT_THAT(out.remarks[0], HasSubstr("not those of a leg"));

  // A leg with one muscle must not get all that a leg's muscles weigh.
  const Skeleton skeleton = person();
  muscles = {muscle(skeleton, "femur_r", "tibia_r", 1000, 0.1)};
  const MuscleMasses few = muscle_masses(skeleton, muscles, rule);
  EXPECT_EQ(few.source, MassBy::strength);
  EXPECT_THAT(few.remarks[0], HasSubstr("fewer than a leg's muscles"));

  rule.source = MassBy::strength;
  rule.specific_tension = 0.3e6;
  EXPECT_NEAR(muscle_masses(skeleton, legs(skeleton), rule).mass[0], 1059.7 * 1400 / 0.3e6, 1e-12);
  muscles[0].hill.reset();
  EXPECT_EQ(muscle_masses(skeleton, muscles, rule).mass[0], 0);
}

TEST(MuscleMasses, KnowThePersonFromAModelOfALegAlone) {
  MassRule rule;
  rule.height = 1.8;
  const Skeleton whole = person(), legs_only = person("femur", 1);
  const double expected = muscle_masses(whole, legs(whole), rule).mass[0];
  EXPECT_NEAR(muscle_masses(legs_only, legs(legs_only), rule).mass[0], expected, 0.01 * expected);
}

TEST(Belly, IsThePathWithoutFreeTendons) {
  HillMuscle muscle;
  muscle.tendon_slack_length = 0.25;  // a tenth of a metre is free
  const MaterialMap belly = belly_of(muscle, 0.5);
  for (const double length : {0.4, 0.5}) {
    EXPECT_NEAR(belly.A(length), 0.01, 1e-15);
    EXPECT_NEAR(belly.B(length), length - 0.1, 1e-15);
  }
  EXPECT_NEAR(belly_of(muscle, 0.1).B(0.1), 0.05, 1e-15) << "at most half is tendon";
}

}  // namespace muscle_masses_test
}  // namespace sinew
