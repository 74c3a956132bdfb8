#include "sinew/model/skeleton.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "sinew/core/error.hpp"
#include "support/random.hpp"

/// The builder with good descriptions. Its errors: skeleton_errors_test.cpp.

namespace sinew {
namespace skeleton_test {

SpatialInertia some_inertia(test::Random& random) {
  const double mass = random.uniform(0.5, 2);
  return SpatialInertia::FromCentral(mass, random.vec3(0.2),
                                     mass * Vec3(0.02, 0.03, 0.04).asDiagonal());
}

BodySpec body(const std::string& name, const std::string& parent, Joint joint, unsigned seed = 0) {
  test::Random random(seed);
  BodySpec spec;
  spec.name = name;
  spec.parent = parent;
  spec.joint = std::move(joint);
  spec.E_PJ = random.pose();
  spec.E_JB = random.pose();
  spec.M_B = some_inertia(random);
  return spec;
}

Skeleton build(const std::vector<BodySpec>& specs) {
  SkeletonBuilder builder;
  for (const BodySpec& spec : specs) builder.add_body(spec);
  return builder.build();
}

double distance(const Pose& a, const Pose& b) {
  return std::max((a.R - b.R).cwiseAbs().maxCoeff(), (a.p - b.p).cwiseAbs().maxCoeff());
}

double distance(const Link& link, const SpatialInertia& M) {
  return std::max({std::abs(link.mass - M.mass), (link.h - M.h).cwiseAbs().maxCoeff(),
                   (link.I - M.I).cwiseAbs().maxCoeff()});
}

// Products of a few rotations and inertias of size one.
constexpr double kRounding = 1e-14;

TEST(Skeleton, KeepsBodiesAndCoordinatesInTheUsersOrder) {
  const Skeleton s = build({body("toe", "foot", Universal()), body("shank", "", SphericalExp()),
                            body("foot", "shank", Revolute(Vec3::UnitZ()))});
  ASSERT_EQ(s.body_count(), 3);
  EXPECT_EQ(s.find_body("toe"), BodyIndex(0));
  EXPECT_EQ(s.find_body("foot"), BodyIndex(2));
  EXPECT_EQ(s.body(BodyIndex(0)).parent, BodyIndex(2));
  EXPECT_EQ(s.body(BodyIndex(1)).parent, kWorld);
  EXPECT_EQ(s.body(BodyIndex(2)).parent, BodyIndex(1));

  ASSERT_EQ(s.dof_count(), 6);
  std::vector<std::string> names;
  for (const Coordinate& c : s.coordinates()) names.push_back(c.name);
  EXPECT_THAT(names, testing::ElementsAre("toe_joint_1", "toe_joint_2", "shank_joint_1",
                                          "shank_joint_2", "shank_joint_3", "foot_joint_1"));
  EXPECT_EQ(s.find_coordinate("shank_joint_2"), DofIndex(3));
  EXPECT_EQ(s.coordinates()[3].body, BodyIndex(1));
  EXPECT_EQ(s.coordinates()[3].local, 1);
  EXPECT_EQ(s.body(BodyIndex(1)).first_dof, DofIndex(2));
}

TEST(Skeleton, TakesNamesKindsAndDefaultsFromTheDescription) {
  BodySpec spec = body("slider", "", Free2D());
  spec.joint_name = "rail";
  spec.coordinate_names = {"x", "y", "turn"};
  spec.q0 = {1, 2, 3};
  spec.qdot0 = {-1, -2, -3};
  const Skeleton s = build({spec, body("other", "", Prismatic(Vec3::UnitX()))});
  EXPECT_EQ(s.body(BodyIndex(0)).joint_name, "rail");
  EXPECT_EQ(s.coordinates()[0].kind, CoordinateKind::length);
  EXPECT_EQ(s.coordinates()[2].kind, CoordinateKind::angle);
  EXPECT_EQ(s.coordinates()[2].name, "turn");
  EXPECT_EQ(s.coordinates()[1].q0, 2);
  EXPECT_EQ(s.coordinates()[1].qdot0, -2);
  EXPECT_EQ(s.coordinates()[3].q0, 0);
}

TEST(Skeleton, IsTheSameWhateverTheOrderOfItsBodies) {
  const std::vector<BodySpec> forward{body("a", "", Revolute(Vec3(1, 2, 3)), 1),
                                      body("b", "a", Fixed(), 2), body("c", "b", SphericalExp(), 3),
                                      body("d", "a", Prismatic(Vec3(0, 1, 1)), 4)};
  const std::vector<BodySpec> backward(forward.rbegin(), forward.rend());
  const Skeleton s = build(forward), t = build(backward);
  ASSERT_EQ(s.link_count(), t.link_count());
  for (const Body& one : s.bodies()) {
    const Body& same = t.body(t.find_body(one.name));
    EXPECT_EQ(one.E_LB.R, same.E_LB.R);
    EXPECT_EQ(one.E_LB.p, same.E_LB.p);
    const Link &l = s.link(one.link), &m = t.link(same.link);
    EXPECT_EQ(l.kind, m.kind);
    EXPECT_EQ(l.dof_count, m.dof_count);
    EXPECT_EQ(l.E_PL0.R, m.E_PL0.R);
    EXPECT_EQ(l.E_PL0.p, m.E_PL0.p);
    EXPECT_EQ(l.mass, m.mass);
    EXPECT_EQ(l.h, m.h);
    EXPECT_EQ(l.I, m.I);
  }
}

TEST(Skeleton, VisitsParentsBeforeChildren) {
  const Skeleton s =
      build({body("e", "d", Fixed()), body("d", "b", Fixed()), body("c", "a", Fixed()),
             body("b", "a", Revolute(Vec3::UnitX())), body("a", "", Fixed())});
  std::vector<bool> seen(5, false);
  for (const int b : s.root_to_tip()) {
    const BodyIndex parent = s.body(BodyIndex(b)).parent;
    if (parent != kWorld) {
      EXPECT_TRUE(seen[static_cast<size_t>(parent.value)]);
    }
    seen[static_cast<size_t>(b)] = true;
  }
  EXPECT_THAT(seen, testing::Each(true));
}

// Links in depth-first order: a subtree is the range [i, subtree_end(i)).
TEST(Skeleton, MakesOfEverySubtreeOneRangeOfLinks) {
  std::vector<BodySpec> specs;
  test::Random random(5);
  constexpr int kBodies = 60;
  for (int i = 0; i < kBodies; ++i) {
    const int above = i == 0 ? -1 : static_cast<int>(random.uniform(-2, i));
    const Joint joint = i % 5 == 4 ? Joint(Fixed()) : Joint(Revolute(random.unit_vector()));
    specs.push_back(
        body("b" + std::to_string(i), above < 0 ? "" : "b" + std::to_string(above), joint));
  }
  std::swap(specs[3], specs[40]);
  const Skeleton s = build(specs);
  EXPECT_EQ(s.link_count(), 1 + kBodies - kBodies / 5);
  EXPECT_EQ(s.subtree_end(0), s.link_count());
  const auto descends = [&](int link, int from) {
    while (link > from) link = s.link(link).parent;
    return link == from;
  };
  for (int i = 1; i < s.link_count(); ++i) {
    EXPECT_LT(s.link(i).parent, i);
    for (int j = i; j < s.link_count(); ++j)
      EXPECT_EQ(j < s.subtree_end(i), descends(j, i)) << "links " << i << " and " << j;
  }
  for (int k = 0; k < s.dof_count(); ++k) {
    const Link& link = s.link(s.link_of_dof(k));
    EXPECT_LE(link.dof, k);
    EXPECT_LT(k, link.dof + link.dof_count);
  }
}

TEST(Skeleton, MergesWeldedBodiesIntoOneLink) {
  const std::vector<BodySpec> specs{body("pelvis", "", Free3D(), 1),
                                    body("plate", "pelvis", Fixed(), 2),
                                    body("screw", "plate", Composite{{Fixed(), Fixed()}}, 3),
                                    body("thigh", "screw", SphericalExp(), 4)};
  const Skeleton s = build(specs);
  EXPECT_EQ(s.link_count(), 3);
  const LinkIndex pelvis = s.body(BodyIndex(0)).link;
  EXPECT_EQ(s.body(BodyIndex(1)).link, pelvis);
  EXPECT_EQ(s.body(BodyIndex(2)).link, pelvis);
  EXPECT_NE(s.body(BodyIndex(3)).link, pelvis);
  EXPECT_EQ(s.link(s.body(BodyIndex(3)).link).parent, pelvis);

  // The link frame is the moving frame of the pelvis' joint; poses follow the chain of welds.
  const Pose plate = specs[0].E_JB * specs[1].E_PJ * specs[1].E_JB;
  const Pose screw = plate * specs[2].E_PJ * specs[2].E_JB;
  EXPECT_LT(distance(s.body(BodyIndex(0)).E_LB, specs[0].E_JB), kRounding);
  EXPECT_LT(distance(s.body(BodyIndex(1)).E_LB, plate), kRounding);
  EXPECT_LT(distance(s.body(BodyIndex(2)).E_LB, screw), kRounding);
  EXPECT_LT(distance(s.link(s.body(BodyIndex(3)).link).E_PL0, screw * specs[3].E_PJ), kRounding);
  EXPECT_LT(distance(s.link(pelvis), specs[0].M_B.transformed(specs[0].E_JB) +
                                         specs[1].M_B.transformed(plate) +
                                         specs[2].M_B.transformed(screw)),
            // Arms of several metres squared.
            10 * kRounding);
}

TEST(Skeleton, GivesOtherInertiasToBodiesAndTheirLinks) {
  test::Random random(5);
  const std::vector<BodySpec> specs{body("a", "", Revolute(Vec3::UnitX()), 1),
                                    body("b", "a", Fixed(), 2), body("c", "b", Universal(), 3),
                                    body("d", "c", Fixed(), 4)};
  std::vector<BodySpec> others = specs;
  std::vector<SpatialInertia> same, other;
  for (BodySpec& spec : others) {
    same.push_back(spec.M_B);
    other.push_back(spec.M_B = some_inertia(random));
  }
  const auto expect_same_bits = [](const Skeleton& a, const Skeleton& b) {
    for (int i = 0; i < a.link_count(); ++i) {
      EXPECT_EQ(a.link(i).mass, b.link(i).mass);
      EXPECT_EQ(a.link(i).h, b.link(i).h);
      EXPECT_EQ(a.link(i).I, b.link(i).I);
    }
    for (size_t i = 0; i < a.bodies().size(); ++i)
      EXPECT_EQ(a.bodies()[i].M_B.I, b.bodies()[i].M_B.I);
  };
  const Skeleton skeleton = build(specs);
  expect_same_bits(skeleton.with_inertias(same), skeleton);
  expect_same_bits(skeleton.with_inertias(other), build(others));

  other[2].mass = -1;
  EXPECT_THROW(skeleton.with_inertias(other), Error);
  other.pop_back();
  EXPECT_THROW(skeleton.with_inertias(other), Error);
}

TEST(Skeleton, WeldsBodiesToTheWorld) {
  const std::vector<BodySpec> specs{body("wall", "", Fixed(), 1),
                                    body("door", "wall", Revolute(Vec3::UnitY()), 2)};
  const Skeleton s = build(specs);
  EXPECT_EQ(s.link_count(), 2);
  EXPECT_EQ(s.body(BodyIndex(0)).link, LinkIndex(0));
  EXPECT_LT(distance(s.body(BodyIndex(0)).E_LB, specs[0].E_PJ * specs[0].E_JB), kRounding);
  EXPECT_EQ(s.link(1).parent, LinkIndex(0));
  EXPECT_EQ(s.link(1).mass, specs[1].M_B.mass) << "the wall's mass is not the door's";
}

Pose at(const Joint& joint, double q) {
  JointMotion motion;
  joint.evaluate({&q, 1}, {&q, 1}, motion);
  return motion.Q;
}

/// E_PL0 Q_z(q) E_LB with the link's own joint about or along z.
Pose pose_by_link(const Skeleton& s, double q) {
  const Link& link = s.link(1);
  const Joint about_z = link.kind == LinkKind::revolute_z ? Joint(Revolute(Vec3::UnitZ()))
                                                          : Joint(Prismatic(Vec3::UnitZ()));
  return link.E_PL0 * at(about_z, q) * s.body(BodyIndex(0)).E_LB;
}

TEST(Skeleton, TurnsEveryAxisIntoZWithoutMovingTheBody) {
  test::Random random(7);
  for (int i = 0; i < 20; ++i) {
    const Vec3 axis = random.unit_vector();
    for (const Joint& joint : {Joint(Revolute(axis)), Joint(Prismatic(axis))}) {
      const BodySpec spec = body("b", "", joint, static_cast<unsigned>(i));
      const Skeleton s = build({spec});
      EXPECT_EQ(s.link(1).kind, std::holds_alternative<Revolute>(joint.variant())
                                    ? LinkKind::revolute_z
                                    : LinkKind::prismatic_z);
      const double q = random.uniform(-3, 3);
      EXPECT_LT(distance(pose_by_link(s, q), spec.E_PJ * at(joint, q) * spec.E_JB), kRounding);
    }
  }
}

// Turning about a coordinate axis must cost no digit: models are full of them.
TEST(Skeleton, TurnsCoordinateAxesExactly) {
  for (int k = 0; k < 3; ++k)
    for (const double sign : {1.0, -1.0}) {
      const Vec3 axis = sign * Vec3::Unit(k);
      BodySpec spec = body("b", "", Revolute(axis));
      spec.E_PJ = spec.E_JB = Pose();
      const Skeleton s = build({spec});
      const Mat3& A = s.link(1).E_PL0.R;
      EXPECT_EQ(A.col(2), axis);
      EXPECT_EQ(A.transpose() * A, Mat3::Identity());
      EXPECT_EQ(A.determinant(), 1);
      for (int i = 0; i < 9; ++i)
        EXPECT_TRUE(A(i) == 0 || std::abs(A(i)) == 1) << "entry " << i << " is " << A(i);
      EXPECT_EQ(s.body(BodyIndex(0)).E_LB.R, A.transpose());
    }
}

TEST(Skeleton, KeepsGoodRotationsToTheBitAndMendsRoundedOnes) {
  BodySpec spec = body("b", "", SphericalExp(), 3);
  EXPECT_EQ(build({spec}).body(BodyIndex(0)).E_PJ.R, spec.E_PJ.R);

  BodySpec rounded = spec;
  rounded.E_PJ.R = (spec.E_PJ.R * 1e7).array().round() / 1e7;
  const Mat3 R = build({rounded}).body(BodyIndex(0)).E_PJ.R;
  EXPECT_LT((R.transpose() * R - Mat3::Identity()).norm(), 1e-15);
  EXPECT_LT((R - spec.E_PJ.R).norm(), 3e-7) << "seven digits were given";
}

// No recursion may follow the tree: a stack would overflow. Linear: a second is ample.
TEST(Skeleton, BuildsALongChainQuickly) {
  constexpr int kBodies = 100000;
  SkeletonBuilder builder;
  for (int i = kBodies - 1; i >= 0; --i) {  // children before parents
    const Joint joint = i % 10 == 9 ? Joint(Fixed()) : Joint(Revolute(Vec3::UnitZ()));
    BodySpec spec;
    spec.name = "b" + std::to_string(i);
    spec.parent = i == 0 ? "" : "b" + std::to_string(i - 1);
    spec.joint = joint;
    spec.E_PJ = Pose::Translation(Vec3(1, 0, 0));
    spec.M_B = SpatialInertia::FromCentral(1, Vec3(0.5, 0, 0), Mat3::Identity());
    builder.add_body(std::move(spec));
  }
  const Skeleton s = builder.build();
  EXPECT_EQ(s.link_count(), 1 + kBodies - kBodies / 10);
  EXPECT_EQ(s.subtree_end(1), s.link_count());
  EXPECT_EQ(s.body(BodyIndex(0)).link, LinkIndex(s.link_count() - 1)) << "the tip came first";
}

TEST(Skeleton, WeldsALongChainIntoOneLink) {
  constexpr int kBodies = 100000;
  SkeletonBuilder builder;
  for (int i = 0; i < kBodies; ++i) {
    BodySpec spec;
    spec.name = "b" + std::to_string(i);
    spec.parent = i == 0 ? "" : "b" + std::to_string(i - 1);
    if (i == 0) spec.joint = Prismatic(Vec3::UnitZ());
    spec.E_PJ = Pose::Translation(Vec3(1e-3, 0, 0));
    spec.M_B = SpatialInertia::FromCentral(1, Vec3::Zero(), Mat3::Identity());
    builder.add_body(std::move(spec));
  }
  const Skeleton s = builder.build();
  EXPECT_EQ(s.link_count(), 2);
  EXPECT_EQ(s.link(1).mass, kBodies);
  // Sum of 1e5 roundings of 1e-3 each: the last body is at (1e5 − 1) mm from the first.
  EXPECT_NEAR((s.body(BodyIndex(kBodies - 1)).E_LB.p - s.body(BodyIndex(0)).E_LB.p).norm(),
              1e-3 * (kBodies - 1), 1e-8);
}

}  // namespace skeleton_test
}  // namespace sinew
