#include <gtest/gtest.h>

#include "integrate/feature_systems.hpp"
#include "support/bead.hpp"
#include "support/finite_difference.hpp"

/// One implicit step solved backwards: the gradient of something at its end by where it began, from
/// one solve with the transposed matrix of the stage.
///
/// With q₁ = q₀ + h q̇₁, q̇₁ = q̇₀ + h q̈ and g(q₁, q̇₁, q̈) = 0, and P = a·q₁ + b·q̇₁:
///     Aᵀ y = h² a + h b,   ∂P/∂q₀ = a − Kᵀ y,   ∂P/∂q̇₀ = h a + b − (D + h K)ᵀ y,
/// K = ∂g/∂q, D = ∂g/∂q̇.

namespace sinew {
namespace step_backwards_test {

/// Aᵀ y of the entries of one matrix.
VecX transposed_product(const NodeLayout& layout, const MatX& rr, NodeEntries nodes,
                        const VecX& y) {
  for (int i = 0; i < layout.count(); ++i)
    for (int b = layout.pattern().row_begin(i); b < layout.pattern().row_end(i); ++b)
      if (const int j = layout.pattern().column(b); j <= i) {
        Mat3 &one = nodes.block(layout, i, j), &other = nodes.block(layout, j, i);
        const Mat3 kept = one;
        one = other.transpose().eval();  // they may be the same
        other = kept.transpose();
      }
  std::swap(nodes.fr, nodes.rf);
  VecX out = VecX::Zero(y.size());
  add_product(layout, rr.transpose(), nodes, 1, y, out);
  return out;
}

void expect_gradient(const System& system) {
  StepOptions options{.integrator = Integrator::bdf1};
  options.newton_tolerance = 1e-14;
  constexpr double h = 5e-3;
  const Eigen::Index n = system.dof_count();
  State start = system.default_state();
  test::Random random(3);
  start.qdot += random.vecx(static_cast<int>(n), 0.5);
  const VecX a = random.vecx(static_cast<int>(n), 1), b = random.vecx(static_cast<int>(n), 0.1);
  Workspace ws(system);
  const auto end = [&](const VecX& x) {
    State state = start;
    state.q = x.head(n);
    state.qdot = x.tail(n);
    EXPECT_EQ(step(system, options, h, state, ws).status, StepStatus::ok);
    return state;
  };
  VecX x(2 * n);
  x << start.q, start.qdot;
  const State last = end(x);
  // Nothing of the step but where it ended.
  Workspace fresh(system);
  const VecX qddot = (last.qdot - start.qdot) / h;
  VecX g(n);
  Linearization at;
  linearize(system, {h, last.q, last.qdot, start.z, h, VecX()}, qddot, StiffnessModel::exact, fresh,
            g, at);
  NodeMatrix A(system.nodes());
  assemble_stage_matrix(system, at, h, A);
  ASSERT_TRUE(A.factor());
  VecX y = h * h * a + h * b;
  A.solve_transposed_in_place(y);
  const VecX K_y = transposed_product(system.nodes(), at.dg_dq, at.dg_dq_nodes, y);
  const VecX D_y = transposed_product(system.nodes(), at.dg_dqdot, at.dg_dqdot_nodes, y);
  MatX gradient(1, 2 * n);
  gradient << (a - K_y).transpose(), (h * a + b - D_y - h * K_y).transpose();
  const auto P = [&](const VecX& from) {
    const State state = end(from);
    return VecX::Constant(1, a.dot(state.q) + b.dot(state.qdot));
  };
  const DifferenceSweep sweep = check_derivative(P, x, gradient);
  EXPECT_TRUE(sweep.confirms(1e-7)) << sweep.table();
}

TEST(StepBackwards, IsTheGradientOfTheStepForEveryPart) {
  for (const std::vector<Feature>& content :
       std::vector<std::vector<Feature>>{{},
                                         {Feature::massive_muscles},
                                         {Feature::soft_bodies},
                                         {Feature::strands},
                                         {Feature::strands, Feature::soft_bodies},
                                         {Feature::strands, Feature::dependent_coordinates},
                                         {Feature::dependent_coordinates},
                                         {Feature::soft_bodies, Feature::dependent_coordinates},
                                         {Feature::driven_coordinates},
                                         {Feature::soft_bodies, Feature::driven_coordinates},
                                         {Feature::soft_bodies, Feature::massive_muscles}}) {
    std::string what;
    for (const Feature feature : content) what += to_string(feature) + " ";
    SCOPED_TRACE(what);
    expect_gradient(test::system_with(content));
  }
}

TEST(StepBackwards, IsTheGradientWhereMassCouplesNodesToLinks) {
  SystemBuilder builder(test::system_with({}).skeleton());
  builder.add_part(std::make_shared<test::Bead>(builder.skeleton(), BodyIndex(1), Vec3::Zero(),
                                                Vec3::UnitX(), 0.3));
  expect_gradient(builder.build());
}

}  // namespace step_backwards_test
}  // namespace sinew
