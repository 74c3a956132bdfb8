#include "sinew/constraints/contact/broad_phase.hpp"

#include <gmock/gmock.h>

#include <limits>

#include "sinew/constraints/contact/contact_pairs.hpp"
#include "sinew/core/error.hpp"
#include "support/allocation_guard.hpp"
#include "support/random.hpp"

namespace sinew {
namespace broad_phase_test {

using test::Random;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

BodySpec spec(const std::string& name, const std::string& parent, Joint joint) {
  BodySpec s;
  s.name = name;
  s.parent = parent;
  s.joint = std::move(joint);
  s.M_B = Sphere{0.1}.inertia(1000);
  return s;
}

/// Thigh hangs from the world by a hinge, shank from thigh, boot is welded to shank; ball is free.
Skeleton leg() {
  return SkeletonBuilder()
      .add_body(spec("thigh", "", Revolute{Vec3::UnitZ()}))
      .add_body(spec("shank", "thigh", Revolute{Vec3::UnitZ()}))
      .add_body(spec("boot", "shank", Fixed{}))
      .add_body(spec("ball", "", Free3D{}))
      .build();
}

/// n free bodies with a shape each.
Skeleton swarm(int n) {
  SkeletonBuilder builder;
  for (int i = 0; i < n; ++i) builder.add_body(spec("b" + std::to_string(i), "", Free3D{}));
  return builder.build();
}

std::vector<BodyIndex> one_shape_each(int n) {
  std::vector<BodyIndex> bodies;
  for (int i = 0; i < n; ++i) bodies.emplace_back(i);
  return bodies;
}

bool overlap(const Aabb& a, const Aabb& b) {
  return (a.low.array() <= b.high.array()).all() && (b.low.array() <= a.high.array()).all();
}

std::vector<ShapePair> by_brute_force(const std::vector<Aabb>& bounds, const PairFilter& filter) {
  std::vector<ShapePair> pairs;
  for (int i = 0; i < static_cast<int>(bounds.size()); ++i)
    for (int j = i + 1; j < static_cast<int>(bounds.size()); ++j)
      if (overlap(bounds[static_cast<std::size_t>(i)], bounds[static_cast<std::size_t>(j)]) &&
          filter.allows(i, j))
        pairs.push_back({i, j});
  return pairs;
}

std::vector<ShapePair> swept(const std::vector<Aabb>& bounds, const PairFilter& filter) {
  std::vector<ShapePair> pairs;
  BroadPhase().update_pairs(bounds, filter, pairs);
  return pairs;
}

TEST(PairFilter, LeavesOutOneBodyWeldsAndParentsButNotTheWorld) {
  const Skeleton skeleton = leg();
  const BodyIndex thigh = skeleton.find_body("thigh"), shank = skeleton.find_body("shank"),
                  boot = skeleton.find_body("boot"), ball = skeleton.find_body("ball");
  const std::vector<BodyIndex> bodies = {kWorld, thigh, shank, boot, ball, thigh, kWorld};
  const PairFilter filter(skeleton, bodies, {});
  EXPECT_TRUE(filter.allows(0, 1));   // thigh and ground, though it hangs from the world
  EXPECT_TRUE(filter.allows(4, 0));   // ball and ground
  EXPECT_FALSE(filter.allows(0, 6));  // ground and ground
  EXPECT_FALSE(filter.allows(1, 5));  // thigh and thigh
  EXPECT_FALSE(filter.allows(1, 2));  // thigh and shank, joined
  EXPECT_FALSE(filter.allows(3, 1));  // thigh and boot, which moves as one with the shank
  EXPECT_FALSE(filter.allows(2, 3));  // shank and boot, welded
  EXPECT_TRUE(filter.allows(3, 4));   // boot and ball
}

TEST(PairFilter, LeavesOutWhatTheUserExcludesInEitherOrder) {
  const Skeleton skeleton = leg();
  const BodyIndex boot = skeleton.find_body("boot"), ball = skeleton.find_body("ball"),
                  shank = skeleton.find_body("shank");
  const std::vector<BodyIndex> bodies = {kWorld, shank, boot, ball};
  const std::vector<std::pair<BodyIndex, BodyIndex>> excluded = {{boot, ball}, {kWorld, boot}};
  const PairFilter filter(skeleton, bodies, excluded);
  EXPECT_FALSE(filter.allows(2, 3));
  EXPECT_FALSE(filter.allows(3, 2));
  EXPECT_FALSE(filter.allows(2, 0));
  EXPECT_TRUE(filter.allows(1, 3));  // the shank was not named
  EXPECT_TRUE(filter.allows(0, 3));
}

TEST(PairFilter, NamesAnIndexThatIsNoBody) {
  const Skeleton skeleton = leg();
  const std::vector<BodyIndex> wrong = {BodyIndex(0), BodyIndex(4)};
  try {
    PairFilter(skeleton, wrong, {});
    FAIL();
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("contact shape 2"));
  }
  const std::vector<std::pair<BodyIndex, BodyIndex>> excluded = {{BodyIndex(-2), BodyIndex(1)}};
  EXPECT_THROW(PairFilter(skeleton, {}, excluded), Error);
}

/// Random shapes of all kinds in a cube, and their bounds.
struct Crowd {
  std::vector<ContactShape> shapes;
  std::vector<Pose> poses;
  std::vector<Aabb> bounds;
};

/// One of the first five kinds, by number.
ContactShape random_solid(int kind, Random& random) {
  const Vec3 size = Vec3::Constant(0.11) + random.vec3(0.09);
  if (kind == 0) return Sphere{size.x()};
  if (kind == 1) return Capsule{size.x(), size.y()};
  if (kind == 2) return Cuboid{size};
  if (kind == 3) return Ellipsoid{size};
  return Cylinder{size.x(), size.y()};
}

Crowd crowd(int n, double size, unsigned seed) {
  Random random(seed);
  Crowd c;
  for (int i = 0; i < n; ++i) {
    // Two planes: the first level, the second a slope.
    c.shapes.push_back(i < 2 ? ContactShape(Plane{}) : random_solid(i % 5, random));
    c.poses.push_back(i == 0 ? Pose::Translation({0, -0.8 * size, 0}) : random.pose(size));
    c.bounds.push_back(bounds(c.shapes.back(), c.poses.back(), 0.005));
  }
  return c;
}

TEST(BroadPhase, FindsThePairsThatBruteForceFinds) {
  const int n = 1000;
  const Skeleton skeleton = swarm(n);
  const PairFilter filter(skeleton, one_shape_each(n), {});
  BroadPhase phase;
  std::vector<ShapePair> pairs;
  for (double size : {0.3, 1.0, 3.0}) {
    const Crowd c = crowd(n, size, 31);
    const auto expected = by_brute_force(c.bounds, filter);
    phase.update_pairs(c.bounds, filter, pairs);  // with the scratch of the last crowd
    EXPECT_EQ(pairs, expected);
    EXPECT_EQ(swept(c.bounds, filter), expected);
    EXPECT_GT(expected.size(), 1000u);
  }
}

TEST(BroadPhase, MissesNoContact) {
  const int n = 300;
  const Skeleton skeleton = swarm(n);
  const PairFilter filter(skeleton, one_shape_each(n), {});
  const Crowd c = crowd(n, 0.6, 32);
  const auto pairs = swept(c.bounds, filter);
  int touching = 0;
  std::vector<Contact> contacts;
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j) {
      const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
      contacts.clear();
      // Bounds grown by 5 mm each: shapes up to 10 mm apart.
      add_contacts(c.shapes[a], c.poses[a], c.shapes[b], c.poses[b], 0.01, contacts);
      if (contacts.empty()) continue;
      ++touching;
      EXPECT_TRUE(std::binary_search(pairs.begin(), pairs.end(), ShapePair{i, j})) << i << " " << j;
    }
  EXPECT_GT(touching, 500);
}

TEST(BroadPhase, AppliesTheFilterAndKeepsBoxesThatOnlyTouch) {
  const Skeleton skeleton = leg();
  const std::vector<BodyIndex> bodies = {BodyIndex(0), BodyIndex(1), BodyIndex(3), kWorld};
  const PairFilter filter(skeleton, bodies, {});
  const Aabb unit{Vec3::Zero(), Vec3::Ones()}, next{Vec3(1, 0, 0), Vec3(2, 1, 1)};
  const Aabb far{Vec3(1.5, 0, 0), Vec3(3, 1, 1)};
  // 0–1 are joined; 2 touches 0 and 1 at a face; 3 overlaps 2 alone.
  EXPECT_THAT(swept({unit, unit, next, far}, filter),
              ElementsAre(ShapePair{0, 2}, ShapePair{1, 2}, ShapePair{2, 3}));
}

TEST(BroadPhase, LeavesOutBoxesThatAreNotNumbers) {
  const Skeleton skeleton = swarm(200);
  const PairFilter filter(skeleton, one_shape_each(200), {});
  Crowd c = crowd(200, 0.3, 33);
  for (std::size_t k = 5; k < 200; k += 7)
    c.bounds[k].low[static_cast<int>(k % 3)] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(swept(c.bounds, filter), by_brute_force(c.bounds, filter));
  EXPECT_THAT(swept(std::vector<Aabb>(), PairFilter(skeleton, {}, {})), ElementsAre());
}

TEST(BroadPhase, RefusesBoundsThatAreNotOnePerShape) {
  const Skeleton skeleton = swarm(3);
  const PairFilter filter(skeleton, one_shape_each(3), {});
  EXPECT_THROW(swept(std::vector<Aabb>(2), filter), Error);
}

TEST(BroadPhase, AllocatesNothingOnceWarm) {
  SINEW_NEEDS_ALLOCATION_COUNTS();
  const int n = 500;
  const Skeleton skeleton = swarm(n);
  const PairFilter filter(skeleton, one_shape_each(n), {});
  const Crowd c = crowd(n, 0.5, 34);
  BroadPhase phase;
  std::vector<ShapePair> pairs;
  phase.update_pairs(c.bounds, filter, pairs);
  sinew::test::AllocationGuard guard;
  phase.update_pairs(c.bounds, filter, pairs);
  EXPECT_EQ(guard.count(), 0);
}

}  // namespace broad_phase_test
}  // namespace sinew
