#include "sinew/muscles/fast/cylinder_muscle_batch.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "sinew/analysis/muscle_state.hpp"
#include "sinew/builder/system_builder.hpp"
#include "sinew/muscles/muscles.hpp"
#include "sinew/system/equations.hpp"
#include "support/allocation_guard.hpp"
#include "support/random.hpp"

/// Eight muscles at a time against one at a time.

namespace sinew {
namespace cylinder_muscle_batch_test {

using test::Random;

/// A chain of joints of one coordinate each, an axis that moves among them.
Skeleton chain(Random& random, int bodies) {
  SkeletonBuilder builder;
  for (int k = 0; k < bodies; ++k) {
    BodySpec body;
    body.name = "b" + std::to_string(k);
    if (k > 0) body.parent = "b" + std::to_string(k - 1);
    body.E_PJ = random.pose(0.3);
    const Vec3 axis = random.vec3().normalized();
    if (k % 3 == 0) body.joint = Revolute{axis};
    if (k % 3 == 1) body.joint = Prismatic{axis};
    if (k % 3 == 2) body.joint = Elliptic{0.2, 0.3};
    body.M_B = SpatialInertia::FromCentral(1, random.vec3(0.1), 0.01 * Mat3::Identity());
    builder.add_body(body);
  }
  return builder.build();
}

/// Around a cylinder on body k, from there to body k + 1 or from body k − 1.
Muscle muscle_around(Random& random, int k, int bodies, int index) {
  const int step = k + 1 == bodies || (k > 0 && random.uniform(0, 1) < 0.5) ? -1 : 1;
  const BodyIndex here(k), there = k + step < 0 ? kWorld : BodyIndex(k + step);
  CylinderWrap wrap;
  wrap.radius = random.uniform(0.05, 0.2);
  wrap.side = random.uniform(0, 1) < 0.5 ? WrapSide::clockwise : WrapSide::counter_clockwise;
  wrap.band = random.uniform(0.05, 0.3);
  if (random.uniform(0, 1) < 0.2) wrap.model = WrapKind::exact;
  if (random.uniform(0, 1) < 0.5) wrap.half_length = random.uniform(0.05, 0.5);
  Muscle muscle;
  muscle.name = "m" + std::to_string(index);
  muscle.points = {PathPoint::Fixed(here, random.vec3(0.5)),
                   PathPoint::Fixed(there, random.vec3(0.5))};
  if (random.uniform(0, 1) < 0.5) std::swap(muscle.points[0], muscle.points[1]);
  muscle.spans = {{here, random.pose(0.3), wrap}};
  muscle.mass = random.uniform(0.1, 1);
  if (index % 3 == 1) muscle.material = MaterialMap::Uniform(0.2, 0.7);
  if (index % 3 == 2) muscle.material = MaterialMap::Tendons(0.03, 0.01);
  muscle.gravity = index % 4 != 0;
  muscle.tension = random.uniform(0, 5);
  return muscle;
}

System random_system(unsigned seed, int bodies, int muscles) {
  Random random(seed);
  SystemBuilder builder(chain(random, bodies));
  for (int k = 0; k < muscles; ++k)
    builder.add_muscle(muscle_around(random, k % bodies, bodies, k));
  return builder.build();
}

TEST(CylinderMuscleBatch, AgreeWithOneMuscleAtATime) {
  int free = 0, wrapped = 0, lost = 0, others = 0;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    const System system = random_system(seed, 5, 19);
    Workspace ws(system);
    Random random(seed + 100);
    const VecX q = random.vecx(5, 0.6), qdot = random.vecx(5, 2), qddot = random.vecx(5, 3);
    VecX g(5), fast(5);
    MatX M;
    Linearization at;
    inverse_dynamics(system, {0, q, qdot}, qddot, ws, fast);
    const double power = ws.forces.power;
    others += static_cast<int>(muscle_scratch(ws).massive.cylinders.others.size());
    mass_matrix(system, {0, q, qdot}, ws, M);
    linearize(system, {0, q, qdot}, qddot, StiffnessModel::exact, ws, g, at);
    // Rounding, and 1e-13 of the other way's quadrature of sines.
    EXPECT_LT((fast - g).cwiseAbs().maxCoeff(), 1e-11 * (1 + g.cwiseAbs().maxCoeff())) << seed;
    EXPECT_LT((M - at.M).cwiseAbs().maxCoeff(), 1e-12 * at.M.cwiseAbs().maxCoeff()) << seed;
    EXPECT_NEAR(power, ws.forces.power, 1e-12 * (1 + std::abs(power))) << seed;
    const ConstVecRef q_at(q), qdot_at(qdot);
    for (size_t k = 0; k < system.muscles().size(); ++k) {
      EXPECT_TRUE(CylinderMuscleBatch({system.muscles()[k]->spans()}).takes(0));
      const SpanPath& muscle = *system.muscles()[k]->spans();
      muscle.update({system.skeleton(), 0, q_at, qdot_at, ws.skeleton}, nullptr, MuscleView::path,
                    muscle_scratch(ws).path.spans);
      const SpanStatus status = muscle.status(muscle_scratch(ws).path.spans);
      free += status == SpanStatus::free;
      wrapped += status == SpanStatus::wrapped;
      lost += failed(status);
    }
  }
  // All ways are taken; a lost path or one beside the surface is left to the other way.
  EXPECT_GT(free, 200);
  EXPECT_GT(wrapped, 200);
  EXPECT_GE(others, lost);
  EXPECT_LT(others, 600);
}

TEST(CylinderMuscleBatch, EveryInstructionSetGivesTheSameBits) {
  Random random(5);
  lanes::Description of;
  lanes::Motion in;
  std::memset(&of, 0, sizeof of);
  std::memset(&in, 0, sizeof in);
  for (int k = 0; k < lanes::kLanes; ++k) {
    const Pose S = random.pose(0.3), E = random.pose(0.3);
    const Vec3 o = random.vec3(1), x = random.vec3(1);
    const auto set = [&](lanes::Lane(&to)[3], const Vec3& from) {
      for (int a = 0; a < 3; ++a) to[a][k] = from[a];
    };
    for (int a = 0; a < 9; ++a) {
      of.R[a][k] = S.R(a / 3, a % 3);
      in.R[a][k] = E.R(a / 3, a % 3);
    }
    set(of.o, o);
    set(of.x_i, x);
    set(of.p, S.p);
    set(in.p, E.p);
    for (auto* to : {&in.w, &in.v, &in.dw, &in.dv, &in.omega, &in.alpha, &in.a})
      set(*to, random.vec3(2));
    in.rate[k] = random.uniform(-2, 2);
    of.radius[k] = random.uniform(0.1, 0.6);
    of.band[k] = 0.2;
    of.half_length[k] = 1;
    of.side[k] = k % 2 ? 1 : -1;
    of.B1[k] = 1;
    of.mass[k] = random.uniform(0.1, 1);
  }
  lanes::Result narrow;
  lanes::evaluate_sse2(of, in, narrow);
  int wide_kernels = 0;
  for (const lanes::Kernel kernel : {lanes::avx2_kernel(), lanes::avx512_kernel()}) {
    if (!kernel) continue;
    ++wide_kernels;
    lanes::Result wide;
    kernel(of, in, wide);
    EXPECT_EQ(std::memcmp(&narrow, &wide, sizeof wide), 0);
  }
  if (wide_kernels == 0) GTEST_SKIP() << "this machine has neither AVX2 nor AVX-512";
}

TEST(CylinderMuscleBatch, AllocateNothingAfterTheFirstCall) {
  SINEW_NEEDS_ALLOCATION_COUNTS();
  const System system = random_system(3, 5, 19);
  Workspace ws(system);
  VecX qddot(5);
  const VecX q = VecX::Constant(5, 0.2), elsewhere = 2 * q, qdot = VecX::Constant(5, 0.5);
  forward_dynamics(system, {0, q, qdot}, ws, qddot);
  const sinew::test::AllocationGuard guard;
  forward_dynamics(system, {0, elsewhere, qdot}, ws, qddot);
  EXPECT_EQ(guard.count(), 0);
}

}  // namespace cylinder_muscle_batch_test
}  // namespace sinew
