#include "sinew/system/coordinate_map.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sinew/builder/system_builder.hpp"
#include "sinew/constraints/rows/coupling.hpp"
#include "sinew/core/error.hpp"
#include "sinew/system/equations.hpp"
#include "support/finite_difference.hpp"
#include "support/random_map.hpp"

namespace sinew {
namespace coordinate_map_test {

Skeleton tree(unsigned seed) {
  return test::random_tree(seed, 3 + static_cast<int>(seed) % 5).build();
}

/// A random tree with forces and a random map.
class HyperReduced : public testing::TestWithParam<unsigned> {
 protected:
  HyperReduced() : HyperReduced(test::with_random_forces(tree(GetParam()), GetParam())) {}

  explicit HyperReduced(const System& forces)
      : skeleton_(forces.skeleton()), system_(mapped(forces)), n_(system_.dof_count()) {
    test::Random random(GetParam());
    q_ = 0.6 * random.vecx(n_);
    qdot_ = random.vecx(n_);
    qddot_ = random.vecx(n_, 3);
  }

  System mapped(const System& forces) const {
    SystemBuilder builder(forces.skeleton());
    for (const auto& force : forces.forces()) builder.add_force(force);
    builder.map_coordinates(test::random_map(forces.skeleton(), GetParam()));
    return builder.build();
  }

  VecX residual(const VecX& q, const VecX& qdot, const VecX& qddot) const {
    Workspace ws(system_);
    VecX g(n_);
    inverse_dynamics(system_, {0.1, q, qdot}, qddot, ws, g);
    return g;
  }

  Skeleton skeleton_;
  System system_;
  int n_;
  VecX q_, qdot_, qddot_;
};

#define EXPECT_CONFIRMED(sweep) EXPECT_TRUE((sweep).confirms()) << (sweep).table()

TEST_P(HyperReduced, MapAgreesWithDifferences) {
  const auto at = [&](const VecX& q, const VecX& qdot) {
    auto out = std::make_unique<MapValues>(skeleton_, *system_.coordinate_map());
    out->update(q, qdot);
    out->update_acceleration(qddot_);
    return out;
  };
  const auto here = at(q_, qdot_);
  const MapValues& map = *here;
  MatX J = MatX::Zero(skeleton_.dof_count(), n_), Jdot = J, slope = J;
  for (const MapValues::Entry& e : map.entries) {
    J(e.dof, e.free) = e.J;
    Jdot(e.dof, e.free) = e.Jdot;
    slope(e.dof, e.free) = e.slope;
  }
  EXPECT_CONFIRMED(check_derivative([&](const VecX& q) { return at(q, qdot_)->q; }, q_, J));
  EXPECT_CONFIRMED(check_derivative([&](const VecX& q) { return at(q, qdot_)->qdot; }, q_, Jdot));
  EXPECT_CONFIRMED(check_derivative([&](const VecX& q) { return at(q, qdot_)->qddot; }, q_, slope));
  EXPECT_CONFIRMED(
      check_derivative([&](const VecX& v) { return at(q_, v)->qddot; }, qdot_, 2 * Jdot));
  // Sums of a few terms of order one: rounding.
  EXPECT_LT((map.qdot - J * qdot_).norm(), 1e-14);
  EXPECT_LT((map.quadratic - Jdot * qdot_).norm(), 1e-14);
}

TEST_P(HyperReduced, LinearizationAgreesWithDifferences) {
  Workspace ws(system_);
  Linearization at;
  VecX g(n_);
  linearize(system_, {0.1, q_, qdot_}, qddot_, StiffnessModel::exact, ws, g, at);
  EXPECT_EQ(g, residual(q_, qdot_, qddot_));
  EXPECT_CONFIRMED(
      check_derivative([&](const VecX& q) { return residual(q, qdot_, qddot_); }, q_, at.dg_dq));
  EXPECT_CONFIRMED(
      check_derivative([&](const VecX& v) { return residual(q_, v, qddot_); }, qdot_, at.dg_dqdot));
  EXPECT_CONFIRMED(
      check_derivative([&](const VecX& a) { return residual(q_, qdot_, a); }, qddot_, at.M));
}

TEST_P(HyperReduced, AccelerationsSolveTheResidual) {
  Workspace ws(system_);
  VecX qddot(n_);
  forward_dynamics(system_, {0.1, q_, qdot_}, ws, qddot);
  const VecX left = residual(q_, qdot_, qddot), right = residual(q_, qdot_, VecX::Zero(n_));
  // A Cholesky factorisation of condition up to 1e6.
  EXPECT_LT(left.lpNorm<Eigen::Infinity>(), 1e-10 * right.lpNorm<Eigen::Infinity>());
}

TEST_P(HyperReduced, AccelerationsAreThoseOfTheCoupledSkeleton) {
  // The same dependence as constraints on all coordinates: nothing in common but the skeleton.
  Workspace ws(system_);
  VecX qddot(n_);
  forward_dynamics(system_, {0.1, q_, qdot_}, ws, qddot);
  MapValues map(skeleton_, *system_.coordinate_map());
  map.update(q_, qdot_);
  map.update_acceleration(qddot);

  SystemBuilder builder(skeleton_);
  for (const auto& force : system_.forces()) builder.add_force(force);
  for (const auto& d : test::random_map(skeleton_, GetParam())) {
    std::vector<DofIndex> arguments;
    for (const std::string& name : d.arguments)
      for (int k = 0; k < skeleton_.dof_count(); ++k)
        if (skeleton_.coordinates()[static_cast<size_t>(k)].name == name)
          arguments.push_back(DofIndex(k));
    builder.add_constraint(std::make_shared<CoordinateCoupling>(
        CoordinateCoupling::Function("c" + std::to_string(d.dof.value), d.dof, d.f, arguments)));
  }
  const System coupled = builder.build();
  Workspace other(coupled);
  VecX expected(skeleton_.dof_count());
  forward_dynamics(coupled, {0.1, map.q, map.qdot}, other, expected);
  EXPECT_LT((map.qddot - expected).lpNorm<Eigen::Infinity>(),
            1e-8 * expected.lpNorm<Eigen::Infinity>());
}

TEST_P(HyperReduced, MomentumAndForceAreDerivativesOfTheLagrangian) {
  SystemBuilder builder(skeleton_);
  builder.map_coordinates(test::random_map(skeleton_, GetParam()));
  const System free = builder.build();
  Workspace ws(free);
  const auto L = [&](const VecX& q, const VecX& qdot) -> VecX {
    const Energy e = energy(free, {0, q, qdot}, ws);
    return VecX::Constant(1, e.kinetic - e.potential());
  };
  VecX p(n_), dL_dq(n_);
  momentum_and_force(free, {0, q_, qdot_}, ws, p, dL_dq);
  EXPECT_CONFIRMED(check_derivative([&](const VecX& v) { return L(q_, v); }, qdot_, p.transpose()));
  EXPECT_CONFIRMED(
      check_derivative([&](const VecX& q) { return L(q, qdot_); }, q_, dL_dq.transpose()));

  const VecX b = test::Random(GetParam()).vecx(n_);
  VecX x(n_), again(n_);
  momentum_correction(free, {0, q_, qdot_}, b, 0.2, true, ws, again, x);
  EXPECT_EQ(again, dL_dq);
  Linearization at;
  VecX g(n_);
  linearize(free, {0, q_, qdot_}, qddot_, StiffnessModel::exact, ws, g, at);
  const VecX expected = at.M.ldlt().solve(b - p + 0.2 * dL_dq);
  EXPECT_LT((x - expected).norm(), 1e-9 * expected.norm());  // condition up to 1e6
}

TEST_P(HyperReduced, RowsOfConstraintsAgreeWithDifferences) {
  SystemBuilder builder(skeleton_);
  builder.map_coordinates(test::random_map(skeleton_, GetParam()));
  builder.add_constraint(std::make_shared<CoordinateCoupling>(CoordinateCoupling::Function(
      "bend", DofIndex(skeleton_.dof_count() - 1), SineFunction{0.3, 1, 0, 0}, {DofIndex(0)})));
  const System system = builder.build();
  Workspace ws(system);
  const auto rows = [&](const VecX& q, const VecX& qdot) -> const ConstraintRows& {
    update_kinematics(system, {0, q, qdot}, ws);
    update_constraints(system, {0, q, qdot}, ws);
    return ws.constraints.rows;
  };
  const MatX G = rows(q_, qdot_).Gt().transpose();
  EXPECT_CONFIRMED(
      check_derivative([&](const VecX& q) { return VecX(rows(q, qdot_).value); }, q_, G));
  // Along the motion q̇ with q̈ = 0 the rate of G q̇ is its bias.
  const auto rate = [&](const VecX& t) -> VecX {
    return rows(q_ + t[0] * qdot_, qdot_).Gt().transpose() * qdot_;
  };
  const MatX bias = rows(q_, qdot_).bias;
  EXPECT_CONFIRMED(check_derivative(rate, VecX::Zero(1), bias));

  Linearization at;
  VecX g(n_);
  linearize(system, {0, q_, qdot_}, qddot_, VecX::Zero(ws.constraints.rows.size()),
            PartInertia::exact, ws, g, at);
  MatX dr_dq(ws.constraints.rows.size(), n_);
  row_rate_derivatives(system, ws, dr_dq);
  EXPECT_CONFIRMED(check_derivative(
      [&](const VecX& q) -> VecX { return rows(q, qdot_).Gt().transpose() * qdot_; }, q_, dr_dq));
}

INSTANTIATE_TEST_SUITE_P(RandomTrees, HyperReduced, testing::Range(0u, 10u));

class MapErrors : public testing::Test {
 protected:
  MapErrors() : skeleton_(test::random_tree(3, 4).build()) {}
  std::string name(int k) const { return skeleton_.coordinates()[static_cast<size_t>(k)].name; }
  std::string error(const std::vector<DependentCoordinate>& dependent,
                    const std::vector<ExtraCoordinate>& extra = {}) const {
    try {
      const CoordinateMap map(skeleton_, dependent, extra);
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  }
  const LinearFunction half{{0.5}, 0};
  Skeleton skeleton_;
};

TEST_F(MapErrors, NameTheCoordinateAtFault) {
  using testing::HasSubstr;
  const DofIndex a(0), b(1);
  EXPECT_THAT(error({{a, half, {name(2)}}, {a, half, {name(3)}}}), HasSubstr("twice"));
  EXPECT_THAT(error({{a, half, {"nobody"}}}), HasSubstr("'nobody', which does not exist"));
  EXPECT_THAT(error({{a, half, {name(1)}}, {b, half, {name(2)}}}),
              HasSubstr("which depends on others itself"));
  EXPECT_THAT(error({{a, half, {name(0)}}}), HasSubstr("which depends on others itself"));
  EXPECT_THAT(error({{a, half, {name(1), name(2)}}}), HasSubstr("1 arguments on 2 coordinates"));
  EXPECT_THAT(error({{a, PolynomialFunction{{}}, {name(1)}}}), HasSubstr("cannot be used"));
  EXPECT_THAT(error({{DofIndex(99), half, {name(1)}}}), HasSubstr("not one of the skeleton"));
  EXPECT_THAT(error({}, {{"grip"}}), HasSubstr("'grip': moves nothing"));
  EXPECT_THAT(error({{a, half, {name(1)}}}, {{name(2)}}), HasSubstr("is defined twice"));
}

TEST_F(MapErrors, ThereAreNoneForExtraCoordinates) {
  const CoordinateMap map(skeleton_, {{DofIndex(0), half, {"grip"}}, {DofIndex(2), half, {"grip"}}},
                          {{"grip", CoordinateKind::angle, 0.4, 0.1}});
  EXPECT_EQ(map.free_count(), skeleton_.dof_count() - 1);
  EXPECT_EQ(map.coordinates().back().name, "grip");
  EXPECT_EQ(map.free_index(0), -1);
  EXPECT_EQ(map.free_index(1), 0);
}

}  // namespace coordinate_map_test
}  // namespace sinew
