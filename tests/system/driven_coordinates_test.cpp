#include <gtest/gtest.h>

#include "sinew/builder/system_builder.hpp"
#include "sinew/constraints/rows/coupling.hpp"
#include "sinew/system/equations.hpp"
#include "support/finite_difference.hpp"
#include "support/random_map.hpp"

// Coordinates that time drives, alone or together with other coordinates, against differences.

namespace sinew {
namespace driven_system_test {

constexpr double kTime = 0.37;

/// A random tree with forces. Time drives the last coordinate, and the one before it together with
/// the first.
class Driven : public testing::TestWithParam<unsigned> {
 protected:
  Driven() : system_(build(nullptr)), n_(system_.dof_count()) {
    test::Random random(GetParam());
    q_ = 0.6 * random.vecx(n_);
    qdot_ = random.vecx(n_);
    qddot_ = random.vecx(n_, 3);
  }

  static System build(std::shared_ptr<const Constraint> further) {
    const unsigned seed = GetParam();
    const System forces =
        test::with_random_forces(test::random_tree(seed, 4 + static_cast<int>(seed)).build(), seed);
    const Skeleton& skeleton = forces.skeleton();
    SystemBuilder builder(skeleton);
    for (const auto& force : forces.forces()) builder.add_force(force);
    const int last = skeleton.dof_count() - 1;
    builder.map_coordinates({{DofIndex(last), SineFunction{0.4, 2.1, 0.3, 0.2}, {"time"}},
                             {DofIndex(last - 1),
                              SineProduct{0.7, {0.3, 0.5}},
                              {skeleton.coordinates()[0].name, "time"}}});
    if (further) builder.add_constraint(further);
    return builder.build();
  }

  System system_;
  int n_;
  VecX q_, qdot_, qddot_;
};
INSTANTIATE_TEST_SUITE_P(RandomTrees, Driven, testing::Range(0u, 5u));

#define EXPECT_CONFIRMED(sweep) EXPECT_TRUE((sweep).confirms()) << (sweep).table()

TEST_P(Driven, MapAgreesWithDifferences) {
  const auto at = [&](double t, const VecX& q, const VecX& qdot) {
    auto out = std::make_unique<MapValues>(system_.skeleton(), *system_.coordinate_map());
    out->update(q, qdot, t);
    out->update_acceleration(qddot_);
    return out;
  };
  const auto here = at(kTime, q_, qdot_);
  const Eigen::Index n = system_.skeleton().dof_count();
  MatX Jdot = MatX::Zero(n, n_), slope = Jdot;
  for (const MapValues::Entry& e : here->entries) {
    Jdot(e.dof, e.free) = e.Jdot;
    slope(e.dof, e.free) = e.slope;
  }
  const VecX zero = VecX::Zero(1);
  EXPECT_CONFIRMED(
      check_derivative([&](const VecX& s) { return at(kTime + s[0], q_ + s[0] * qdot_, qdot_)->q; },
                       zero, MatX(here->qdot)));
  EXPECT_CONFIRMED(check_derivative([&](const VecX& s) { return at(kTime + s[0], q_, qdot_)->q; },
                                    zero, MatX(here->drift)));
  EXPECT_CONFIRMED(check_derivative(
      [&](const VecX& s) {
        return at(kTime + s[0], q_ + s[0] * qdot_, qdot_ + s[0] * qddot_)->qdot;
      },
      zero, MatX(here->qddot)));
  EXPECT_CONFIRMED(
      check_derivative([&](const VecX& q) { return at(kTime, q, qdot_)->qdot; }, q_, Jdot));
  EXPECT_CONFIRMED(
      check_derivative([&](const VecX& q) { return at(kTime, q, qdot_)->qddot; }, q_, slope));
  EXPECT_CONFIRMED(
      check_derivative([&](const VecX& v) { return at(kTime, q_, v)->qddot; }, qdot_, 2 * Jdot));
}

TEST_P(Driven, LinearizationAgreesWithDifferences) {
  Workspace ws(system_);
  const auto residual = [&](const VecX& q, const VecX& qdot, const VecX& qddot) {
    VecX g(n_);
    inverse_dynamics(system_, {kTime, q, qdot}, qddot, ws, g);
    return g;
  };
  Linearization at;
  VecX g(n_);
  linearize(system_, {kTime, q_, qdot_}, qddot_, StiffnessModel::exact, ws, g, at);
  EXPECT_CONFIRMED(
      check_derivative([&](const VecX& q) { return residual(q, qdot_, qddot_); }, q_, at.dg_dq));
  EXPECT_CONFIRMED(
      check_derivative([&](const VecX& v) { return residual(q_, v, qddot_); }, qdot_, at.dg_dqdot));
  EXPECT_CONFIRMED(
      check_derivative([&](const VecX& a) { return residual(q_, qdot_, a); }, qddot_, at.M));
}

// dE/dt = the power of forces without a potential, of the drives, and of the forces g that are
// missing for accelerations chosen at will.
TEST_P(Driven, PowerIsTheRateOfTheEnergy) {
  Workspace ws(system_);
  VecX g(n_), qddot(n_);
  inverse_dynamics(system_, {kTime, q_, qdot_}, qddot_, ws, g);
  const double power = ws.forces.power + g.dot(qdot_);
  EXPECT_GT(std::abs(ws.drive_power), 1e-3);
  const auto total = [&](const VecX& s) -> VecX {
    const VecX q = q_ + s[0] * qdot_ + 0.5 * s[0] * s[0] * qddot_, qdot = qdot_ + s[0] * qddot_;
    return VecX::Constant(1, energy(system_, {kTime + s[0], q, qdot}, ws).total());
  };
  EXPECT_CONFIRMED(check_derivative(total, VecX::Zero(1), MatX::Constant(1, 1, power)));

  forward_dynamics(system_, {kTime, q_, qdot_}, ws, qddot);
  const double forward = ws.forces.power;
  inverse_dynamics(system_, {kTime, q_, qdot_}, qddot, ws, g);
  EXPECT_NEAR(ws.forces.power, forward, 1e-10 * (1 + std::abs(forward)));
}

TEST_P(Driven, RowsOfConstraintsAgreeWithDifferences) {
  const int last = system_.skeleton().dof_count() - 1;
  const System system = build(std::make_shared<CoordinateCoupling>(CoordinateCoupling::Function(
      "bend", DofIndex(1), SineProduct{0.3, {0.2, 0.9}}, {DofIndex(last), DofIndex(last - 1)})));
  Workspace ws(system);
  const auto rows = [&](double t, const VecX& q, const VecX& qdot) -> const ConstraintRows& {
    update_kinematics(system, {t, q, qdot}, ws);
    update_constraints(system, {t, q, qdot}, ws);
    return ws.constraints.rows;
  };
  const auto rate = [&](double t, const VecX& q) -> VecX {
    const ConstraintRows& at = rows(t, q, qdot_);
    return at.Gt().transpose() * qdot_ + at.rate;
  };
  const VecX zero = VecX::Zero(1);
  const MatX speed = rate(kTime, q_);
  EXPECT_CONFIRMED(check_derivative(
      [&](const VecX& s) { return VecX(rows(kTime + s[0], q_ + s[0] * qdot_, qdot_).value); }, zero,
      speed));
  const MatX bias = rows(kTime, q_, qdot_).bias;
  EXPECT_CONFIRMED(check_derivative(
      [&](const VecX& s) { return rate(kTime + s[0], q_ + s[0] * qdot_); }, zero, bias));
  Linearization at;
  VecX g(n_);
  linearize(system, {kTime, q_, qdot_}, qddot_, VecX::Zero(1), PartInertia::exact, ws, g, at);
  MatX dr_dq(1, n_);
  row_rate_derivatives(system, ws, dr_dq);
  EXPECT_CONFIRMED(check_derivative([&](const VecX& q) { return rate(kTime, q); }, q_, dr_dq));
}

}  // namespace driven_system_test
}  // namespace sinew
