#include <gtest/gtest.h>

#include "sinew/analysis/drawing/soft_drawing.hpp"
#include "sinew/builder/system_builder.hpp"
#include "sinew/core/error.hpp"
#include "support/dense_linearization.hpp"
#include "support/finite_difference.hpp"
#include "support/residual_derivatives.hpp"
#include "support/soft_systems.hpp"

namespace sinew {
namespace soft_equations_test {

constexpr MaterialModel kModels[] = {MaterialModel::corotated, MaterialModel::st_venant_kirchhoff,
                                     MaterialModel::neo_hookean};

test::MotionSample random_point(const System& system, unsigned seed) {
  return test::near_start(system, seed, 0.05);
}

TEST(SoftEquations, EveryDerivativeOfTheResidualIsThatOfDifferences) {
  for (const MaterialModel model : kModels)
    for (const unsigned seed : {1u, 2u, 5u}) {
      const System system = test::floating_soft_system(seed, 4, model, 8, true, {0, -9, 1});
      ASSERT_FALSE(system.nodes().coupled().empty());
      test::check_every_derivative(system, random_point(system, seed),
                                   to_string(model) + " " + std::to_string(seed));
    }
}

TEST(SoftEquations, ForwardAndInverseDynamicsAreInverse) {
  for (const unsigned seed : {1u, 3u}) {
    const System system =
        test::floating_soft_system(seed, 5, MaterialModel::corotated, 5, true, {0, -9, 1});
    Workspace ws(system);
    const test::MotionSample at = random_point(system, seed);
    VecX qddot(system.dof_count()), g(system.dof_count());
    forward_dynamics(system, {0, at.q, at.qdot}, ws, qddot);
    inverse_dynamics(system, {0, at.q, at.qdot}, qddot, ws, g);
    MatX M;
    mass_matrix(system, {0, at.q, at.qdot}, ws, M);
    // Accelerations of vertices are large; the rest is rounding of M q̈.
    EXPECT_LT(g.lpNorm<Eigen::Infinity>(), 1e-12 * (M * qddot).lpNorm<Eigen::Infinity>());
    VecX x = at.qddot;
    factor_mass_matrix(system, {0, at.q, at.qdot}, ws);
    solve_mass_matrix(system, ws, x, x);
    EXPECT_LT((M * x - at.qddot).lpNorm<Eigen::Infinity>(), 1e-10);
  }
}

TEST(SoftEquations, EnergyChangesByThePowerOfWhatDissipates) {
  const System system =
      test::floating_soft_system(4, 4, MaterialModel::neo_hookean, 5, true, {0, -9, 1});
  Workspace ws(system);
  const test::MotionSample at = random_point(system, 4);
  VecX qddot(system.dof_count());
  forward_dynamics(system, {0, at.q, at.qdot}, ws, qddot);
  const double power = ws.forces.power;
  const auto E = [&](double t) {
    const VecX q = at.q + t * at.qdot + 0.5 * t * t * qddot, v = at.qdot + t * qddot;
    return energy(system, {0, q, v}, ws).total();
  };
  const double h = 1e-5;
  // Differences of energies of order 100 J over 1e-5 s: rounding 1e-9 W, truncation h² of the third
  // derivative.
  EXPECT_NEAR((E(h) - E(-h)) / (2 * h), power, 1e-5 * std::abs(power));
  EXPECT_LT(power, 0);
}

TEST(SoftEquations, SolvesTheNewtonMatrixAsDenseLuDoes) {
  const System system =
      test::floating_soft_system(2, 4, MaterialModel::corotated, 8, true, {0, -9, 1});
  Workspace ws(system);
  const test::MotionSample at = random_point(system, 2);
  VecX g(system.dof_count());
  Linearization lin;
  linearize(system, {0, at.q, at.qdot}, at.qddot, StiffnessModel::exact, ws, g, lin);
  const test::DenseLinearization dense(system, lin);
  const double gamma = 0.01;
  const MatX A = dense.stage_matrix(gamma);
  NodeMatrix matrix(system.nodes());
  assemble_stage_matrix(system, lin, gamma, matrix);
  ASSERT_TRUE(matrix.factor());
  VecX x = g, y = g;
  matrix.solve_in_place(x);
  EXPECT_LT((A * x - g).lpNorm<Eigen::Infinity>(), 1e-11 * g.lpNorm<Eigen::Infinity>());
  matrix.solve_transposed_in_place(y);
  EXPECT_LT((A.transpose() * y - g).lpNorm<Eigen::Infinity>(), 1e-11 * g.lpNorm<Eigen::Infinity>());
  VecX product(g.size());
  matrix.multiply(g, product);
  EXPECT_LT((A * g - product).lpNorm<Eigen::Infinity>(), 1e-13 * product.lpNorm<Eigen::Infinity>());
}

Skeleton pendulum() {
  BodySpec rod;
  rod.name = "rod";
  rod.joint = Revolute{Vec3::UnitZ()};
  rod.M_B = SpatialInertia::FromCentral(1, {0.5, 0, 0}, 0.1 * Mat3::Identity());
  return SkeletonBuilder().add_body(rod).build();
}

TEST(SoftEquations, AttachedVerticesArePointMassesOfTheirBodies) {
  SystemBuilder builder(pendulum());
  SoftBodySpec spec = test::soft_block({0, 0, 0}, MaterialModel::corotated);
  for (int v = 0; v < 12; ++v) spec.attachments.push_back({v, BodyIndex(0), spec.mesh.vertices[v]});
  builder.add_soft_body(spec);
  const System system = builder.build();
  EXPECT_EQ(system.dof_count(), 1);
  const SpatialInertia& M = system.skeleton().body(BodyIndex(0)).M_B;
  EXPECT_NEAR(M.mass, 1 + 200 * 0.024, 1e-12);
  EXPECT_NEAR(M.com().x(), (0.5 + 4.8 * 0.2) / 5.8, 1e-12);
}

TEST(SoftEquations, RefusesWhatCannotGoTogether) {
  const auto problem = [](auto&& change) -> std::string {
    try {
      SystemBuilder builder(pendulum());
      builder.add_soft_body(test::soft_block({0, 0, 0}, MaterialModel::corotated));
      change(builder);
      builder.build();
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(problem([](SystemBuilder&) {}), "");
  EXPECT_NE(problem([](SystemBuilder& b) {
              b.add_soft_body(test::soft_block({1, 0, 0}, MaterialModel::corotated));
            }).find("defined twice"),
            std::string::npos);
  EXPECT_NE(problem([](SystemBuilder& b) {
              SoftBodySpec spec = test::soft_block({1, 0, 0}, MaterialModel::corotated);
              spec.name = "other";
              spec.attachments = {{0, BodyIndex(7), Vec3::Zero()}};
              b.add_soft_body(spec);
            }).find("does not exist"),
            std::string::npos);
}

TEST(SoftEquations, NamesVerticesAndKnowsWhereTheyAre) {
  SystemBuilder builder(pendulum());
  SoftBodySpec spec = test::soft_block({0, 0, 0}, MaterialModel::corotated);
  spec.attachments = {{0, BodyIndex(0), spec.mesh.vertices[0]}, {3, kWorld, spec.mesh.vertices[3]}};
  spec.surface = test::block_surface({0.05, 0.05, 0.05}, {0.3, 0.1, 0.2});
  builder.add_soft_body(spec);
  const System system = builder.build();
  EXPECT_EQ(system.dof_count(), 1 + 3 * 10);
  EXPECT_EQ(system.entry_name(0), "coordinate 'rod_joint_1'");
  EXPECT_EQ(system.entry_name(1), "vertex 2 of soft body 'block'");
  EXPECT_EQ(system.entry_name(8), "vertex 5 of soft body 'block'");
  State state = system.default_state();
  Workspace ws(system);
  Points x, surface;
  vertex_positions(system, state, 0, ws, x);
  surface_positions(system, state, 0, ws, surface);
  EXPECT_LT((x - test::positions(spec.mesh)).norm(), 1e-15);
  for (int i = 0; i < 8; ++i) EXPECT_LT((surface.col(i) - spec.surface.vertices[i]).norm(), 1e-15);
  state.q[0] = 0.3;
  vertex_positions(system, state, 0, ws, x);
  EXPECT_LT((x.col(3) - spec.mesh.vertices[3]).norm(), 1e-15);
}

}  // namespace soft_equations_test
}  // namespace sinew
