#include "sinew/analysis/muscle_analysis.hpp"

#include <gtest/gtest.h>

#include "sinew/analysis/moment_arms.hpp"
#include "sinew/constraints/rows/coupling.hpp"
#include "support/hill_examples.hpp"
#include "support/random.hpp"

namespace sinew {
namespace muscle_analysis_test {

HillMuscle pennate(HillCurves curves, double damping) {
  HillMuscle m = test::flexor(0).muscle;
  m.pennation_at_optimal = 0.4;
  m.curves = std::move(curves);
  m.damping = damping;
  return m;
}

std::vector<HillMuscle> muscles() {
  std::vector<HillMuscle> out = {test::flexor(0).muscle, test::flexor(0, true).muscle,
                                 pennate(Thelen2003Curves{}, 0),
                                 pennate(DeGrooteFregly2016Curves{}, 0)};
  out[0].pennation_at_optimal = out[1].pennation_at_optimal = 0.4;
  return out;
}

TEST(MuscleAnalysis, PowersOfFibreAndTendonAreThatOfTheMuscle) {
  for (const HillMuscle& m : muscles())
    for (const double L : {0.30, 0.33, 0.345})
      for (const double rate : {-0.3, 0.0, 0.2})
        for (const double a : {0.05, 0.6}) {
          const HillInstant i = hill_instant(m, a, L, rate);
          if (i.status != HillStatus::equilibrated) continue;
          EXPECT_EQ(i.muscle_power, -i.values.tendon_force * rate);
          // To the 1e-10 F₀ that fibre and tendon differ by, times metres per second.
          EXPECT_NEAR(i.fibre_active_power + i.fibre_passive_power + i.tendon_power, i.muscle_power,
                      1e-7);
          EXPECT_NEAR(i.fibre_active_power + i.fibre_passive_power,
                      -i.values.fibre_force * i.values.fibre_velocity, 1e-9);
        }
}

TEST(MuscleAnalysis, ARigidTendonGivesNoPower) {
  const HillInstant i = hill_instant(muscles()[1], 0.5, 0.34, -0.2);
  EXPECT_NEAR(i.tendon_power, 0, 1e-12);
  EXPECT_GT(i.muscle_power, 0);  // shortens under tension
}

TEST(MuscleAnalysis, PennationTurnsAsTheFibreMoves) {
  // Along a rigid tendon: φ(L) by central differences. Second order, h² f‴ about 1e-9.
  const HillMuscle m = muscles()[1];
  const double L = 0.33, rate = 0.4, h = 1e-5;
  const double forward = hill_instant(m, 0.5, L + h * rate, rate).values.pennation;
  const double backward = hill_instant(m, 0.5, L - h * rate, rate).values.pennation;
  EXPECT_NEAR(hill_instant(m, 0.5, L, rate).pennation_rate, (forward - backward) / (2 * h), 1e-7);
}

TEST(MuscleAnalysis, AGivenFibreLengthIsKept) {
  const HillMuscle m = muscles()[0];
  const double l = 1.1 * m.optimal_fibre_length;
  const HillInstant i = hill_instant(m, 0.5, 0.34, 0, l);
  EXPECT_EQ(i.values.fibre_length, l);
  EXPECT_NE(i.values.fibre_velocity, 0);  // out of equilibrium it moves
}

TEST(MuscleAnalysis, AlongTheTendonForcesAddUpToTheTendons) {
  for (const HillMuscle& m : muscles()) {
    const HillInstant i = hill_instant(m, 0.5, 0.335, 0.1);
    ASSERT_EQ(i.status, HillStatus::equilibrated);
    double sum = 0, tendon = 0;
    for (const MuscleQuantity& q : hill_quantities()) {
      const std::string name = q.name;
      if (name.ends_with("AlongTendon")) sum += q.of(i);
      if (name == "TendonForce") tendon = q.of(i);
    }
    EXPECT_NEAR(sum, tendon, 1e-6);
  }
}

/// Two bodies on revolute joints about z, one after the other.
Skeleton double_pendulum() {
  SkeletonBuilder builder;
  BodySpec body;
  body.name = "a";
  body.joint = Revolute{Vec3(0, 0, 1)};
  body.M_B = SpatialInertia::FromCentral(1, Vec3(0, -0.1, 0), Vec3(0.01, 0.01, 0.01).asDiagonal());
  builder.add_body(body);
  body.name = "b";
  body.parent = "a";
  body.E_PJ = Pose::Translation(Vec3(0, -0.3, 0));
  builder.add_body(body);
  return builder.build();
}

TEST(MomentArms, CouplersAddWhatTheyMakeMoveAlong) {
  const Skeleton skeleton = double_pendulum();
  SkeletonWorkspace ws(skeleton);
  const VecX q = VecX::Zero(2);
  update_kinematics(skeleton, q, q, ws);
  const auto gear = std::make_shared<CoordinateCoupling>(
      CoordinateCoupling::Gear("gear", DofIndex(0), DofIndex(1), 0.5));
  const MatX speeds = coupled_speeds(skeleton, {gear}, ws, q);
  // q₁ moves with half the speed of q₀, which moves with twice that of q₁.
  EXPECT_NEAR((speeds - (MatX(2, 2) << 1, 0.5, 2, 1).finished()).norm(), 0, 1e-14);
  EXPECT_EQ(coupled_speeds(skeleton, {}, ws, q), MatX(MatX::Identity(2, 2)));
}

TEST(RoutePaths, MomentArmsAndRatesAreThoseOfTheLength) {
  const Skeleton skeleton = double_pendulum();
  OpenSimPath path;
  path.name = "m";
  path.points.resize(3);
  path.points[0].x_B = Vec3(0.05, 0.1, 0);
  path.points[1].body = skeleton.find_body("a");
  path.points[1].x_B = Vec3(0.06, -0.25, 0.01);
  path.points[2].body = skeleton.find_body("b");
  path.points[2].x_B = Vec3(0.02, -0.1, 0);
  SkeletonWorkspace ws(skeleton);
  const VecX q = (VecX(2) << 0.3, 0.7).finished(), u = (VecX(2) << -1, 0.5).finished();
  const auto at = [&](const VecX& x) {
    std::vector<MusclePath> out;
    update_kinematics(skeleton, x, u, ws);
    update_opensim_paths(skeleton, {path}, x, u, ws, out);
    return out.at(0);
  };
  const MusclePath here = at(q);
  EXPECT_EQ(here.nodes.size(), 3u);
  EXPECT_NEAR(here.rate, -here.moment_arms.dot(u), 1e-15);
  for (Eigen::Index k = 0; k < 2; ++k) {
    const double h = 1e-5;  // h² = 1e-10 of lengths of a third of a metre
    const double slope =
        (at(q + h * VecX::Unit(2, k)).length - at(q - h * VecX::Unit(2, k)).length) / (2 * h);
    EXPECT_NEAR(here.moment_arms[k], -slope, 1e-9);
  }
}

}  // namespace muscle_analysis_test
}  // namespace sinew
