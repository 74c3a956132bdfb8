#include <gtest/gtest.h>

#include "sinew/strands/strands.hpp"
#include "support/message_of.hpp"
#include "support/residual_derivatives.hpp"
#include "support/shaped_strands.hpp"

/// Nodes on curves and surfaces, and between others, in the equations of motion.

namespace sinew {
namespace strand_nodes_test {

using test::Meets;

using test::MotionSample;
using test::near_start;

TEST(StrandNodes, EveryDerivativeOfTheResidualIsThatOfDifferences) {
  // Every shape, held and passed, with and without damping; `make validate` has a thousand more.
  unsigned seed = 0;
  for (const test::ShapeExample& example : test::shape_examples())
    for (const Meets meets : {Meets::material, Meets::through, Meets::bead_alone}) {
      ++seed;
      const System system =
          test::shaped_strands(seed, example, meets, seed % 2 == 0 ? 3.0 : 0.0).build();
      test::check_every_derivative(system, near_start(system, seed), example.name);
    }
}

TEST(StrandNodes, RowsOfInextensibleStrandsAreThoseOfDifferences) {
  unsigned seed = 50;
  for (const test::ShapeExample& example : test::shape_examples()) {
    SCOPED_TRACE(example.name);
    ++seed;
    const System system = test::shaped_strands(seed, example, Meets::through, 0, true).build();
    Workspace ws(system);
    const MotionSample at = near_start(system, seed);
    const VecX lambda = VecX::Constant(1, 2.5);
    const auto rows_at = [&](const VecX& q, const VecX& rate) {
      update_kinematics(system, {0, q, rate}, ws);
      update_constraints(system, {0, q, rate}, ws);
      return ws.constraints.rows;
    };
    const ConstraintRows rows = rows_at(at.q, at.qdot);
    const auto value = check_derivative([&](const VecX& x) { return rows_at(x, at.qdot).value; },
                                        at.q, rows.Gt().transpose());
    EXPECT_TRUE(value.confirms(1e-7)) << value.table();
    const auto rate = [&](double t) {
      return (rows_at(at.q + t * at.qdot, at.qdot).Gt().transpose() * at.qdot)(0);
    };
    const double h = 1e-5;
    EXPECT_NEAR(rows.bias[0], (rate(h) - rate(-h)) / (2 * h), 1e-7);  // truncation of step 1e-5
    VecX g(system.dof_count());
    Linearization lin;
    linearize(system, {0, at.q, at.qdot}, at.qddot, lambda, PartInertia::exact, ws, g, lin);
    const test::DenseLinearization dense(system, lin);
    const auto residual = [&](const VecX& x) {
      VecX out(system.dof_count());
      inverse_dynamics(system, {0, x, at.qdot}, at.qddot, lambda, ws, out);
      return out;
    };
    const auto by_q = check_derivative(residual, at.q, dense.dg_dq);
    EXPECT_TRUE(by_q.confirms(1e-6)) << by_q.table();
  }
}

TEST(StrandNodes, MassIsThatOfTheEnergyAndForwardTheInverseOfInverseDynamics) {
  unsigned seed = 80;
  for (const test::ShapeExample& example : test::shape_examples()) {
    SCOPED_TRACE(example.name);
    ++seed;
    const System system = test::shaped_strands(seed, example, Meets::through, 0).build();
    Workspace ws(system);
    const MotionSample at = near_start(system, seed);
    VecX qddot(system.dof_count()), g(system.dof_count());
    forward_dynamics(system, {0, at.q, at.qdot}, ws, qddot);
    inverse_dynamics(system, {0, at.q, at.qdot}, qddot, ws, g);
    MatX M;
    mass_matrix(system, {0, at.q, at.qdot}, ws, M);
    // rounding of M q̈, through the condition of M
    EXPECT_LT(g.lpNorm<Eigen::Infinity>(), 1e-10 * (M * qddot).lpNorm<Eigen::Infinity>());
    const double T = 0.5 * at.qdot.dot(M * at.qdot);
    EXPECT_NEAR(energy(system, {0, at.q, at.qdot}, ws).kinetic, T, 1e-13 * T);
    // Without damping the energy is kept: its rate along the motion is zero.
    const auto E = [&](double t) {
      const VecX q = at.q + t * at.qdot + 0.5 * t * t * qddot, v = at.qdot + t * qddot;
      return energy(system, {0, q, v}, ws).total();
    };
    const double h = 1e-5, scale = std::abs(E(0)) + qddot.norm();
    EXPECT_NEAR((E(h) - E(-h)) / (2 * h), 0, 1e-7 * scale * scale);  // truncation and rounding
  }
}

TEST(StrandNodes, NamesTheCulpritOfABadDescription) {
  const auto message = [](const StrandNode& node) {
    return test::message_of([&] {
      SystemBuilder builder(test::still_skeleton());
      builder.add_strand_node(test::rigid_node("a", kWorld, Vec3::Zero()));
      builder.add_strand_node(test::rigid_node("b", kWorld, Vec3(1, 0, 0)));
      builder.add_strand_node(test::rigid_node("c", kWorld, Vec3(0, 1, 0)));
      builder.add_strand_node(node);
      Strand strand;
      strand.name = "rope";
      strand.points = {{"c", 0.0}, {"node", {}}, {"b", 2.0}};
      builder.add_strand(strand).build();
    });
  };
  const auto on_line = [](double mass) {
    return StrandNode{"node", ShapedNode{PolylineCurve{}, {"a", "b"}, {0.5, 0}, {0, 0}, mass}};
  };
  EXPECT_EQ(message(on_line(0.1)), "");
  EXPECT_NE(message(on_line(0)).find("moves freely, but has no mass"), std::string::npos);
  EXPECT_NE(message(on_line(-1)).find("mass"), std::string::npos);
}

}  // namespace strand_nodes_test
}  // namespace sinew
