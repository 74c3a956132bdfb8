#include <gtest/gtest.h>

#include <cmath>

#include "sinew/builder/system_builder.hpp"
#include "sinew/integrate/integrator.hpp"
#include "sinew/muscles/path/muscle.hpp"
#include "sinew/system/equations.hpp"
#include "support/reference.hpp"

/// Two rods in a plane and a straight muscle with mass across both: equations of motion that can be
/// written down, as an oracle, and the reference's solution of them.

namespace sinew {
namespace muscle_two_rods_test {

constexpr double kLength = 2, kMass = 1, kInsertion = 0.2, kGravity = 9.81;

/// Rods along x from a hinge at the origin, gravity along −y; the muscle runs from the origin to
/// the second rod, kInsertion from the hinge between them.
System two_rods(double muscle_mass) {
  SkeletonBuilder skeleton;
  const double I = kMass * kLength * kLength / 12;
  BodySpec rod;
  rod.name = "first";
  rod.joint = Revolute{Vec3::UnitZ()};
  rod.M_B = SpatialInertia::FromCentral(kMass, Vec3(kLength / 2, 0, 0), Vec3(0, I, I).asDiagonal());
  rod.q0 = {0.22};
  rod.qdot0 = {1};
  skeleton.add_body(rod);
  rod.name = "second";
  rod.parent = "first";
  rod.E_PJ.p = Vec3(kLength, 0, 0);
  rod.q0 = {1};
  rod.qdot0 = {-0.5};
  skeleton.add_body(rod);
  SystemBuilder builder(skeleton.build());
  builder.set_gravity(Vec3(0, -kGravity, 0));
  Muscle muscle;
  muscle.name = "muscle";
  muscle.mass = muscle_mass;
  muscle.points = {PathPoint::Fixed(kWorld, Vec3::Zero()),
                   PathPoint::Fixed(BodyIndex(1), Vec3(kInsertion, 0, 0))};
  builder.add_muscle(muscle);
  return builder.build();
}

/// The same with absolute angles θ₁ = q₁, θ₂ = q₁ + q₂. Of the muscle's material point α the
/// velocity is α v_B, so its kinetic energy is m |v_B|²/6, and
///     2 T = a θ̇₁² + b θ̇₂² + 2 c cos(θ₂ − θ₁) θ̇₁ θ̇₂,   V = A sin θ₁ + B sin θ₂.
struct TwoRods {
  double a, b, c, A, B;

  explicit TwoRods(double m) {
    const double l = kLength, r = kInsertion;
    a = kMass * l * l * 4 / 3 + m * l * l / 3;
    b = kMass * l * l / 3 + m * r * r / 3;
    c = kMass * l * l / 2 + m * l * r / 3;
    A = kGravity * (1.5 * kMass * l + m * l / 2);
    B = kGravity * (0.5 * kMass * l + m * r / 2);
  }
  double kinetic(const Eigen::Vector4d& y) const {
    const double w1 = y[2], w2 = y[2] + y[3];
    return 0.5 * (a * w1 * w1 + b * w2 * w2) + c * std::cos(y[1]) * w1 * w2;
  }
  double potential(const Eigen::Vector4d& y) const {
    return A * std::sin(y[0]) + B * std::sin(y[0] + y[1]);
  }
  /// Of (q, q̇).
  Eigen::Vector4d rate(const Eigen::Vector4d& y) const {
    const double w1 = y[2], w2 = y[2] + y[3], s = c * std::sin(y[1]), k = c * std::cos(y[1]);
    const double f1 = s * w2 * w2 - A * std::cos(y[0]);
    const double f2 = -s * w1 * w1 - B * std::cos(y[0] + y[1]);
    const double det = a * b - k * k;
    const double alpha1 = (b * f1 - k * f2) / det, alpha2 = (a * f2 - k * f1) / det;
    return {y[2], y[3], alpha1, alpha2 - alpha1};
  }
  Eigen::Vector4d rk4_step(const Eigen::Vector4d& y, double h) const {
    const Eigen::Vector4d k1 = rate(y), k2 = rate(y + h / 2 * k1), k3 = rate(y + h / 2 * k2),
                          k4 = rate(y + h * k3);
    return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
};

class TwoRodsWithMuscle : public testing::TestWithParam<double> {};
INSTANTIATE_TEST_SUITE_P(Masses, TwoRodsWithMuscle, testing::Values(0.0, 1.0));

TEST_P(TwoRodsWithMuscle, MoveAsTheEquationsOnPaper) {
  const System system = two_rods(GetParam());
  const TwoRods paper(GetParam());
  Workspace ws(system);
  State state = system.default_state();
  Eigen::Vector4d y(state.q[0], state.q[1], state.qdot[0], state.qdot[1]);
  StepOptions options;
  options.integrator = Integrator::rk4;
  double motion = 0, energies = 0;
  for (int k = 0; k < 1000; ++k) {
    ASSERT_EQ(step(system, options, 2e-3, state, ws).status, StepStatus::ok);
    y = paper.rk4_step(y, 2e-3);
    const Energy e = energy(system, state, ws);
    motion = std::max({motion, (state.q - y.head<2>()).norm(), (state.qdot - y.tail<2>()).norm()});
    energies = std::max({energies, std::abs(e.kinetic - paper.kinetic(y)),
                         std::abs(e.potential() - paper.potential(y))});
  }
  std::printf("mass %g kg: motion to %.1e rad, energies to %.1e J\n", GetParam(), motion, energies);
  // The same method on the same equations: rounding, which the motion amplifies.
  EXPECT_LT(motion, 1e-11);
  EXPECT_LT(energies, 1e-10);
}

TEST_P(TwoRodsWithMuscle, MoveAsTheReference) {
  SINEW_NEEDS_REFERENCE();
  const test::ReferenceTable table =
      test::reference_csv("redmax/muscle2link_g981_mm" + std::to_string(int(GetParam())) + ".csv");
  ASSERT_EQ(table.names, (std::vector<std::string>{"t", "q1", "q2", "qd1", "qd2", "T", "V"}));
  const System system = two_rods(GetParam());
  Workspace ws(system);
  State state = system.default_state();
  StepOptions options;
  options.integrator = Integrator::rk4;
  constexpr int kSteps = 200;  // of 0.1 ms between two rows
  double motion = 0, energies = 0;
  for (size_t row = 0; row < table.rows.size(); ++row) {
    const std::vector<double>& want = table.rows[row];
    for (int k = 0; row > 0 && k < kSteps; ++k)
      ASSERT_EQ(
          step(system, options, (want[0] - table.rows[row - 1][0]) / kSteps, state, ws).status,
          StepStatus::ok);
    const Energy e = energy(system, state, ws);
    for (size_t i = 0; i < 2; ++i) {
      const auto at = static_cast<Eigen::Index>(i);
      motion = std::max(
          {motion, std::abs(state.q[at] - want[1 + i]), std::abs(state.qdot[at] - want[3 + i])});
    }
    energies =
        std::max({energies, std::abs(e.kinetic - want[5]), std::abs(e.potential() - want[6])});
  }
  std::printf("mass %g kg: motion to %.1e rad, energies to %.1e J, %zu rows\n", GetParam(), motion,
              energies, table.rows.size());
  // The reference's own energy drifts by 4e-11 J. At 0.4 ms RK4 is off by 6e-10 and 3e-9.
  EXPECT_LT(motion, 2e-11);
  EXPECT_LT(energies, 1e-10);
}

}  // namespace muscle_two_rods_test
}  // namespace sinew
