#include "sinew/muscles/fast/polyline_muscle_batch.hpp"

#include <gtest/gtest.h>

#include "sinew/analysis/muscle_state.hpp"
#include "sinew/builder/system_builder.hpp"
#include "sinew/muscles/fast/polyline_lanes.hpp"
#include "sinew/muscles/muscles.hpp"
#include "sinew/system/equations.hpp"
#include "support/allocation_guard.hpp"
#include "support/random.hpp"

/// Straight muscles all together against one at a time, whose path is another piece of code.

namespace sinew {
namespace polyline_muscle_batch_test {

using test::Random;

/// A trunk with two limbs.
Skeleton tree(Random& random) {
  SkeletonBuilder builder;
  const char* parents[] = {"", "b0", "b1", "b0", "b3"};
  for (int k = 0; k < 5; ++k) {
    BodySpec body;
    body.name = "b" + std::to_string(k);
    body.parent = parents[k];
    body.E_PJ = random.pose(0.3);
    body.E_JB = random.pose(0.1);
    const Vec3 axis = random.vec3().normalized();
    if (k == 0 || k == 2) body.joint = Revolute{axis};
    if (k == 1) body.joint = SphericalExp{};
    if (k == 3) body.joint = Universal{};
    if (k == 4) body.joint = Prismatic{axis};
    body.M_B = SpatialInertia::FromCentral(1, random.vec3(0.1), 0.01 * Mat3::Identity());
    builder.add_body(body);
  }
  return builder.build();
}

PathPoint random_point(Random& random, const Skeleton& skeleton, const std::vector<int>& bodies) {
  const int body =
      bodies[static_cast<size_t>(random.uniform(0, 0.999) * static_cast<double>(bodies.size()))];
  const BodyIndex on = body < 0 ? kWorld : BodyIndex(body);
  const Vec3 x = random.vec3(0.5);
  if (random.uniform(0, 1) < 0.7) return PathPoint::Fixed(on, x);
  const auto dof = [&] {
    return DofIndex(static_cast<int>(random.uniform(0, 0.999) * skeleton.dof_count()));
  };
  const DofIndex one = dof();
  if (random.uniform(0, 1) < 0.5) {
    const PolynomialFunction f{{random.uniform(-0.1, 0.1), 0.1, 0.05}};
    return PathPoint::Moving(on, x, {one, DofIndex(), one}, {f, ConstantFunction{0}, f});
  }
  const Window window{random.uniform(-0.5, 0.1), random.uniform(0.1, 0.5), 0.3};
  return PathPoint::Conditional(on, x, one, window, PathPoint::Fixed(on, random.vec3(0.5)),
                                PathPoint::Fixed(on, random.vec3(0.5)), 0.4);
}

Muscle random_muscle(Random& random, const Skeleton& skeleton, int index) {
  const std::vector<std::vector<int>> places = {{0, 1},    {1, 2}, {0, 3, 4}, {-1, 0},
                                                {2, 1, 0}, {1, 3}, {2, 4}};
  const auto& bodies = places[static_cast<size_t>(index) % places.size()];
  Muscle muscle;
  muscle.name = "m" + std::to_string(index);
  const int points = 2 + index % 5;
  for (int k = 0; k < points; ++k) muscle.points.push_back(random_point(random, skeleton, bodies));
  muscle.points.back() = PathPoint::Fixed(BodyIndex(bodies.back()), random.vec3(0.5));
  muscle.mass = random.uniform(0.1, 1);
  if (index % 3 == 1) muscle.material = MaterialMap::Uniform(0.2, 0.7);
  if (index % 3 == 2) muscle.material = MaterialMap::Tendons(0.03, 0.01);
  if (index % 4 == 1) muscle.regions = mass_regions(MassProfile::parabolic, muscle.mass);
  muscle.gravity = index % 5 != 0;
  muscle.tension = random.uniform(0, 5);
  return muscle;
}

System random_system(unsigned seed, int muscles) {
  Random random(seed);
  const Skeleton skeleton = tree(random);
  SystemBuilder builder(skeleton);
  builder.set_gravity({0.3, -9.8, 1});
  for (int k = 0; k < muscles; ++k) builder.add_muscle(random_muscle(random, skeleton, k));
  return builder.build();
}

TEST(PolylineMuscleBatch, AgreeWithOneMuscleAtATime) {
  int taken = 0, left = 0;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    const System system = random_system(seed, 18);
    const int n = system.dof_count();
    Workspace ws(system);
    Random random(seed + 100);
    const VecX q = random.vecx(n, 0.6), qdot = random.vecx(n, 2), qddot = random.vecx(n, 3);
    VecX g(n), fast(n);
    MatX M;
    Linearization at;
    inverse_dynamics(system, {0, q, qdot}, qddot, ws, fast);
    const double power = ws.forces.power;
    mass_matrix(system, {0, q, qdot}, ws, M);
    linearize(system, {0, q, qdot}, qddot, StiffnessModel::exact, ws, g, at);
    EXPECT_LT((fast - g).cwiseAbs().maxCoeff(), 1e-11 * (1 + g.cwiseAbs().maxCoeff())) << seed;
    EXPECT_LT((M - at.M).cwiseAbs().maxCoeff(), 1e-12 * at.M.cwiseAbs().maxCoeff()) << seed;
    EXPECT_NEAR(power, ws.forces.power, 1e-12 * (1 + std::abs(power))) << seed;
    for (size_t k = 0; k < system.muscles().size(); ++k)
      ++(PolylineMuscleBatch(system.skeleton(), {system.muscles()[k]->spans()}).takes(0) ? taken
                                                                                         : left);
  }
  // Some have more coordinates than it takes.
  EXPECT_GT(taken, 900);
  EXPECT_GT(left, 0);
}

TEST(PolylineMuscleBatch, EveryInstructionSetGivesTheSameBits) {
  using namespace lanes;
  constexpr int kSegments = 21, kStride = 32;
  int wide_kernels = 0;
  for (int K = 1; K <= kMostColumns; ++K) {
    const auto sums_by = [&](StraightKernels kernels) {
      Random random(7);
      const auto numbers = [&](int rows) {
        std::vector<double> out(static_cast<size_t>(rows * kStride));
        for (double& x : out) x = random.uniform(-1, 1);
        return out;
      };
      std::vector<double> node = numbers(NodeRow::count(K)),
                          segment = numbers(SegmentRow::count(K));
      for (int row = SegmentRow::mass; row < SegmentRow::columns; ++row)
        std::fill_n(segment.begin() + row * kStride + kSegments, kStride - kSegments, 0.0);
      Polygons of{kSegments, kStride, node.data(), segment.data(), {}};
      for (double& x : of.frame) x = random.uniform(-1, 1);
      const auto k = static_cast<size_t>(K - 1);
      kernels[k].measure(of);
      std::vector<double> out(static_cast<size_t>(SumRow::count(K)));
      kernels[k].sum(of, out.data());
      for (int s = 0; s < kSegments; ++s)
        for (int row = 0; row < SegmentRow::count(K); ++row)
          out.push_back(segment[static_cast<size_t>(row * kStride + s)]);
      return out;
    };
    const std::vector<double> narrow = sums_by(sse2_straight_kernels());
    for (const StraightKernels kernels : {avx2_straight_kernels(), avx512_straight_kernels()}) {
      if (!kernels) continue;
      ++wide_kernels;
      EXPECT_EQ(narrow, sums_by(kernels)) << K;
    }
  }
  if (wide_kernels == 0) GTEST_SKIP() << "this machine has neither AVX2 nor AVX-512";
}

TEST(PolylineMuscleBatch, SayWhereTendonsLeaveNoRoom) {
  SkeletonBuilder skeleton;
  BodySpec body;
  body.name = "block";
  body.joint = Prismatic{Vec3::UnitX()};
  body.M_B = SpatialInertia::FromCentral(1, Vec3::Zero(), Mat3::Identity());
  skeleton.add_body(body);
  SystemBuilder builder(skeleton.build());
  Muscle muscle;
  muscle.name = "muscle";
  muscle.points = {PathPoint::Fixed(kWorld, Vec3::Zero()),
                   PathPoint::Fixed(BodyIndex(0), {1, 0, 0})};
  muscle.mass = 1;
  muscle.material = MaterialMap::Tendons(0.3, 0.2);
  builder.add_muscle(muscle);
  const System system = builder.build();
  Workspace ws(system);
  VecX qddot(1);
  for (const double x : {0.0, -0.7}) {
    forward_dynamics(system, {0, VecX::Constant(1, x), VecX::Zero(1)}, ws, qddot);
    EXPECT_EQ(muscle_scratch(ws).massive.vanished_belly, x < -0.5 ? 0 : -1);
    EXPECT_TRUE(qddot.allFinite());
  }
}

TEST(PolylineMuscleBatch, AllocateNothingAfterTheFirstCall) {
  SINEW_NEEDS_ALLOCATION_COUNTS();
  const System system = random_system(3, 18);
  const int n = system.dof_count();
  Workspace ws(system);
  VecX qddot(n);
  const VecX q = VecX::Constant(n, 0.2), elsewhere = 2 * q, qdot = VecX::Constant(n, 0.5);
  forward_dynamics(system, {0, q, qdot}, ws, qddot);
  const sinew::test::AllocationGuard guard;
  forward_dynamics(system, {0, elsewhere, qdot}, ws, qddot);
  EXPECT_EQ(guard.count(), 0);
}

}  // namespace polyline_muscle_batch_test
}  // namespace sinew
