#include "sinew/constraints/rows/coupled_coordinates.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sinew/constraints/rows/prescribed_motion.hpp"

namespace sinew {
namespace coupled_coordinates_test {

std::shared_ptr<const Constraint> shared(CoordinateCoupling coupling) {
  return std::make_shared<CoordinateCoupling>(std::move(coupling));
}

/// q3 = 0.7 q2 + 0.2 (a gear), q2 = product of sines of q0 and q1, q1 = a cubic of q0; the last
/// comes last, so that the order must be found.
CoupledCoordinates chain() {
  return CoupledCoordinates(
      {shared(CoordinateCoupling::Gear("gear", DofIndex(2), DofIndex(3), 0.7, 0.2)),
       shared(CoordinateCoupling::Function("sines", DofIndex(2), SineProduct{1.3, {0.1, 0.4}},
                                           {DofIndex(0), DofIndex(1)})),
       shared(CoordinateCoupling::Function(
           "cubic", DofIndex(1), PolynomialFunction{{0.3, -0.5, 0.8, 0.6}}, {DofIndex(0)}))});
}

struct Sample {
  VecX q = VecX::Zero(4), qdot = q, qddot = q;
};
/// q0 = sin 1.1 t; whatever the others were, they are overwritten.
Sample at(double t) {
  Sample s;
  s.q.setConstant(7);
  s.qdot.setConstant(-3);
  s.qddot.setConstant(11);
  s.q[0] = std::sin(1.1 * t);
  s.qdot[0] = 1.1 * std::cos(1.1 * t);
  s.qddot[0] = -1.21 * std::sin(1.1 * t);
  chain().follow(s.q, s.qdot, s.qddot);
  return s;
}

/// Forces do the same work along every motion that the couplings allow.
TEST(CoupledCoordinates, PassForcesOnToTheCoordinatesThatTheyFollow) {
  for (const double t : {-0.8, 0.4, 1.9}) {
    const Sample s = at(t);
    VecX force(4);
    force << 0.7, 0.3, -0.1, -0.5;
    VecX passed = force;
    chain().pass_on(s.q, passed);
    EXPECT_NEAR(passed.dot(s.qdot), force.dot(s.qdot), 1e-14) << t;
    EXPECT_EQ(passed.tail(3).norm(), 0) << t;
  }
}

TEST(CoupledCoordinates, FollowTheirFunctionsWhateverTheirOrder) {
  const Sample s = at(0.4);
  const double x = s.q[0], y = 0.3 - 0.5 * x + 0.8 * x * x + 0.6 * x * x * x;
  const double z = 1.3 * std::sin(x + 0.1) * std::sin(y + 0.4);
  EXPECT_NEAR(s.q[1], y, 1e-15);
  EXPECT_NEAR(s.q[2], z, 1e-15);
  EXPECT_NEAR(s.q[3], 0.7 * z + 0.2, 1e-15);
}

TEST(CoupledCoordinates, RatesAndAccelerationsAreThoseOfTheMotion) {
  for (const double t : {-0.8, 0.0, 0.4, 1.9}) {
    const double h = 1e-4;  // errors: h² f‴/6 ≈ 1e-8, rounding/h ≈ 1e-12
    const Sample s = at(t), before = at(t - h), after = at(t + h);
    EXPECT_NEAR((s.qdot - (after.q - before.q) / (2 * h)).norm(), 0, 5e-7) << t;
    EXPECT_NEAR((s.qddot - (after.qdot - before.qdot) / (2 * h)).norm(), 0, 5e-7) << t;
    EXPECT_GT(s.qddot.tail(3).norm(), 0.1) << t;
  }
}

TEST(CoupledCoordinates, RoundsAndSecondCouplingsGiveNothing) {
  const auto follows = [](int dependent, int argument) {
    return shared(CoordinateCoupling::Function("f", DofIndex(dependent), LinearFunction{{2}, 0},
                                               {DofIndex(argument)}));
  };
  EXPECT_TRUE(CoupledCoordinates({follows(0, 1), follows(1, 0)}).empty());
  const CoupledCoordinates first({follows(0, 1), follows(0, 2)});
  ASSERT_EQ(first.couplings().size(), 1u);
  EXPECT_EQ(first.coupling_of(DofIndex(0))->independent().front().value, 1);
  EXPECT_EQ(first.coupling_of(DofIndex(1)), nullptr);
  // A prescribed motion is not a coupling.
  EXPECT_TRUE(CoupledCoordinates({std::make_shared<PrescribedCoordinate>(
                                     "held", DofIndex(0), ConstraintLevel::position, 0.3)})
                  .empty());
}

}  // namespace coupled_coordinates_test
}  // namespace sinew
