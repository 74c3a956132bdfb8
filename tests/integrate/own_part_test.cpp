#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../examples/point_mass.hpp"
#include "integrate/contact_systems.hpp"
#include "sinew/builder/system_builder.hpp"
#include "sinew/dynamics/forces.hpp"
#include "sinew/integrate/integrator_table.hpp"
#include "sinew/strands/strand_forms.hpp"
#include "support/bead.hpp"
#include "support/dense_linearization.hpp"
#include "support/finite_difference.hpp"

/// Parts that the library does not know: beside the same things as bodies on prismatic joints.

namespace sinew {
namespace own_part_test {

enum class Beside { nothing, constraint, limit, dependent_coordinate };

struct Case {
  StepOptions options;
  Beside beside;
};

std::vector<Case> cases() {
  std::vector<Case> out;
  for (const Beside beside :
       {Beside::nothing, Beside::constraint, Beside::limit, Beside::dependent_coordinate})
    for (const IntegratorInfo& method : integrator_table()) {
      if (beside != Beside::limit || method.impulses)
        out.push_back({{.integrator = method.integrator}, beside});
      if (method.integrator == Integrator::linearly_implicit_euler &&
          (beside == Beside::nothing || beside == Beside::dependent_coordinate))
        out.push_back({{.integrator = method.integrator,
                        .jacobian = StiffnessModel::definite,
                        .solver = LinearSolver::conjugate_gradient},
                       beside});
    }
  return out;
}

BodySpec slider(const std::string& name, double mass, double start) {
  BodySpec spec;
  spec.name = name;
  spec.joint = Prismatic{Vec3::UnitY()};
  spec.M_B = SpatialInertia::FromCentral(mass, Vec3::Zero(), 1e-3 * Mat3::Identity());
  spec.q0 = {start};
  return spec;
}

/// A lift on the world's y axis with two bars that hang from it.
SkeletonBuilder lift() {
  const Revolute z{Vec3::UnitZ()};
  BodySpec a = test::bar("a", "lift", 0.4, 0.3, z, Vec3::Zero());
  a.q0 = {-1};
  BodySpec b = test::bar("b", "a", 0.3, 0.2, z, Vec3(0.4, 0, 0));
  b.q0 = {-0.5};
  return SkeletonBuilder().add_body(slider("lift", 1, 0)).add_body(a).add_body(b);
}

void add_beside(Beside beside, SystemBuilder& builder) {
  builder.add_force(std::make_shared<PointSpring>("rope", kWorld, Vec3(0, 1, 0), BodyIndex(0),
                                                  Vec3::Zero(), 300, 2, 0.9));
  switch (beside) {
    case Beside::nothing:
      break;
    case Beside::constraint:
      builder.add_constraint(test::shared(CoordinateCoupling::Function(
          "coupling", DofIndex(2), LinearFunction{{0.5}, 0}, {DofIndex(1)})));
      break;
    case Beside::limit:
      builder.add_limit(coordinate_limit("floor", DofIndex(0), -0.01, 1));
      break;
    case Beside::dependent_coordinate:
      builder.map_coordinates({{DofIndex(2), LinearFunction{{0.5}, 0}, {"a_joint_1"}}});
      break;
  }
}

std::string name_of(const Case& c) {
  constexpr const char* kBeside[] = {"alone", "constraint", "limit", "dependent"};
  std::string name = to_string(c.options.integrator) + "_" +
                     (c.options.solver == LinearSolver::direct ? "" : "by_gradients_") +
                     kBeside[static_cast<int>(c.beside)];
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

class OwnPart : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Of, OwnPart, testing::ValuesIn(cases()),
                         [](const auto& s) { return name_of(s.param); });

/// The body that is a part elsewhere is the last of the oracle: both have the same entries of q.
void expect_same_motion(const System& with_part, const System& with_body,
                        const StepOptions& options, double tolerance) {
  State a = with_part.default_state(), b = with_body.default_state();
  ASSERT_EQ(a.q.size(), b.q.size());
  ASSERT_LT((a.q - b.q).norm() + (a.qdot - b.qdot).norm(), 1e-15);
  Workspace ws_a(with_part), ws_b(with_body);
  for (int k = 0; k < 150; ++k) {
    ASSERT_EQ(step(with_part, options, 1e-3, a, ws_a).status, StepStatus::ok) << k;
    ASSERT_EQ(step(with_body, options, 1e-3, b, ws_b).status, StepStatus::ok) << k;
  }
  EXPECT_LT((a.q - b.q).norm(), tolerance);
  EXPECT_LT((a.qdot - b.qdot).norm(), 100 * tolerance);
  EXPECT_GT((a.q - with_part.default_state().q).norm(), 0.01) << "nothing moved";
  EXPECT_NEAR(energy(with_part, a, ws_a).total() -
                  energy(with_part, with_part.default_state(), ws_a).total(),
              energy(with_body, b, ws_b).total() -
                  energy(with_body, with_body.default_state(), ws_b).total(),
              1e-6);
}

TEST_P(OwnPart, MovesAsTheSameBodyDoes) {
  const auto& [options, beside] = GetParam();
  SystemBuilder part(lift().build());
  add_beside(beside, part);
  part.add_part(std::make_shared<example::PointMass>(example::PointMass::Spec{
      .mass = 0.4, .stiffness = 200, .damping = 1.5, .rest = -0.3, .dof = 0, .start = -0.35}));
  SystemBuilder body(lift().add_body(slider("bob", 0.4, -0.35)).build());
  add_beside(beside, body);
  body.add_force(std::make_shared<PointSpring>("spring", BodyIndex(0), Vec3::Zero(), BodyIndex(3),
                                               Vec3::Zero(), 200, 1.5, 0.3));
  const System system = part.build();
  // Newton's and conjugate gradients' tolerances over 150 steps.
  expect_same_motion(system, body.build(), options, 1e-8);
}

TEST(PartOfOnesOwn, IsNamedInFailuresTablesAndPictures) {
  SystemBuilder builder(lift().build());
  builder.add_part(std::make_shared<example::PointMass>(example::PointMass::Spec{
      .mass = 0.4, .stiffness = 200, .damping = 1.5, .rest = -0.3, .dof = 0, .start = -0.35}));
  const System system = builder.build();
  EXPECT_EQ(system.entry_name(3), "point_mass_y");
  EXPECT_EQ(system.entry_name(0), "coordinate 'lift_joint_1'");
  const Part& part = *system.parts()[0];
  EXPECT_THAT(part.columns().at(0).names, testing::ElementsAre("point_mass_y"));
  Workspace ws(system);
  const State state = system.default_state();
  energy(system, state, ws);
  std::vector<double> values, points;
  part.measure(part_at(system, 0, state, ws), *ws.parts[0], values);
  EXPECT_THAT(values, testing::ElementsAre(-0.35));
  VecX back(1);
  part.recall(values, back);
  EXPECT_EQ(back[0], -0.35);
  part.draw(part_at(system, 0, state, ws), *ws.parts[0], points);
  EXPECT_EQ(points.size(), 3u * static_cast<size_t>(part.shapes()[0].points));
}

System bead_system() {
  SystemBuilder builder(lift().build());
  add_beside(Beside::nothing, builder);
  builder.add_part(std::make_shared<test::Bead>(builder.skeleton(), BodyIndex(1), Vec3(0, 0.02, 0),
                                                Vec3::UnitX(), 0.3));
  return builder.build();
}

System bead_as_body() {
  BodySpec bead;
  bead.name = "bead";
  bead.parent = "a";
  bead.joint = Prismatic{Vec3::UnitX()};
  bead.E_PJ.p = Vec3(0, 0.02, 0);
  bead.M_B = SpatialInertia::FromCentral(0.3, Vec3::Zero(), Mat3::Zero());
  bead.q0 = {0.1};
  bead.qdot0 = {0.3};
  SystemBuilder builder(lift().add_body(bead).build());
  add_beside(Beside::nothing, builder);
  return builder.build();
}

TEST(MassThatCouplesToLinks, IsThatOfTheSameBody) {
  const System a = bead_system(), b = bead_as_body();
  Workspace ws_a(a), ws_b(b);
  State state = a.default_state();
  state.qdot << 0.4, -2, 3, 0.5;
  MatX M_a, M_b;
  mass_matrix(a, state, ws_a, M_a);
  mass_matrix(b, state, ws_b, M_b);
  EXPECT_LT((M_a - M_b).norm(), 1e-13);
  EXPECT_GT(std::abs(M_a(1, 3)), 1e-3) << "nothing couples";
  VecX qddot_a(4), qddot_b(4);
  forward_dynamics(a, state, ws_a, qddot_a);
  forward_dynamics(b, state, ws_b, qddot_b);
  EXPECT_LT((qddot_a - qddot_b).norm(), 1e-11 * qddot_b.norm());
  EXPECT_NEAR(energy(a, state, ws_a).total(), energy(b, state, ws_b).total(), 1e-12);
  Linearization at_a, at_b;
  VecX g_a(4), g_b(4);
  linearize(a, state, qddot_a, StiffnessModel::exact, ws_a, g_a, at_a);
  linearize(b, state, qddot_b, StiffnessModel::exact, ws_b, g_b, at_b);
  const test::DenseLinearization dense_a(a, at_a), dense_b(b, at_b);
  // The bead takes differences.
  EXPECT_LT((dense_a.dg_dq - dense_b.dg_dq).norm(), 1e-8 * dense_b.dg_dq.norm());
  EXPECT_LT((dense_a.dg_dqdot - dense_b.dg_dqdot).norm(), 1e-8 * dense_b.dg_dqdot.norm());
}

TEST(MassThatCouplesToLinks, MovesAsTheSameBodyDoesWithEveryIntegrator) {
  for (const IntegratorInfo& method : integrator_table()) {
    SCOPED_TRACE(method.name);
    expect_same_motion(bead_system(), bead_as_body(), {.integrator = method.integrator}, 1e-8);
  }
}

TEST(MassThatCouplesToLinks, HasTheDerivativesOfDifferencesUnderDependentCoordinates) {
  SystemBuilder builder(lift().build());
  builder.map_coordinates({{DofIndex(2), SineFunction{0.6, 1.3, 0.2, 0.1}, {"a_joint_1"}}});
  builder.add_part(std::make_shared<test::Bead>(builder.skeleton(), BodyIndex(2), Vec3(0, 0.02, 0),
                                                Vec3::UnitX(), 0.3));
  const System system = builder.build();
  ASSERT_EQ(system.dof_count(), 3);
  Workspace ws(system);
  const VecX q = Vec3(0.1, -0.7, 0.12), qdot = Vec3(0.4, -2, 0.5), qddot = Vec3(1, 3, -2);
  const auto residual = [&](const VecX& x, const VecX& v, const VecX& a) {
    VecX g(3);
    inverse_dynamics(system, {0, x, v}, a, ws, g);
    return g;
  };
  Linearization at;
  VecX g(3);
  linearize(system, {0, q, qdot}, qddot, StiffnessModel::exact, ws, g, at);
  const test::DenseLinearization dense(system, at);
  // The bead takes differences of step 1e-5.
  constexpr double h = 1e-6, tolerance = 1e-7;
  const auto by = [&](const VectorFunction& f, const VecX& x) {
    return central_difference(f, x, h);
  };
  EXPECT_LT((by([&](const VecX& x) { return residual(x, qdot, qddot); }, q) - dense.dg_dq).norm(),
            tolerance * dense.dg_dq.norm());
  EXPECT_LT(
      (by([&](const VecX& v) { return residual(q, v, qddot); }, qdot) - dense.dg_dqdot).norm(),
      tolerance * dense.dg_dqdot.norm());
  EXPECT_LT((by([&](const VecX& a) { return residual(q, qdot, a); }, qddot) - dense.M).norm(),
            tolerance * dense.M.norm());
}

/// Notes the angle of the second bar at the end of every step.
class Notebook final : public Part {
 public:
  int internal_count() const override { return 1; }
  void add_forces(const PartAt&, ForceForm, PartScratch&, AppliedForces&) const override {}
  void add_force_derivatives(const PartAt&, const double*, StiffnessModel,
                             const DerivativeWorkspace&, PartScratch&,
                             PartDerivatives&) const override {}
  void internal_rates(const PartAt&, const PartScratch&, VecRef zdot) const override {
    zdot.setZero();
  }
  void end_step(const PartMoment& end, VecRef z) const override {
    const SkeletonAt at = end.at().skeleton;
    const Mat3& R = at.ws.link[3].R;
    z[0] = std::atan2(R(1, 0), R(0, 0));
  }
};

TEST(EndOfStep, IsSeenByPartsAndBelongsToTheMemory) {
  for (const Integrator integrator : all_integrators()) {
    SCOPED_TRACE(to_string(integrator));
    SystemBuilder builder(lift().build());
    add_beside(Beside::nothing, builder);
    builder.add_part(std::make_shared<Notebook>());
    const System system = builder.build();
    State state = system.default_state();
    Workspace ws(system);
    const bool remembers = integrator_table()[static_cast<size_t>(integrator)].remembers;
    for (int k = 1; k <= 5; ++k) {
      ASSERT_EQ(step(system, {.integrator = integrator}, 5e-3, state, ws).status, StepStatus::ok);
      EXPECT_NEAR(state.z[0], state.q[1] + state.q[2], 1e-14);
      // Its note does not make the next step start afresh.
      if (remembers) {
        EXPECT_EQ(state.memory.steps, k);
      }
    }
    EXPECT_GT(std::abs(state.z[0] + 1.5), 1e-5) << "nothing moved";
  }
}

TEST(SystemWithoutAMovingBone, IsASystem) {
  // A mass on a spring whose other end nothing moves.
  BodySpec frame;
  frame.name = "frame";
  frame.joint = Fixed{};
  frame.M_B = SpatialInertia::FromCentral(1, Vec3::Zero(), Mat3::Identity());
  for (const IntegratorInfo& method : integrator_table()) {
    SCOPED_TRACE(method.name);
    SystemBuilder builder(SkeletonBuilder().add_body(frame).build());
    Strand spring;
    spring.name = "spring";
    spring.points = {{"nail", 0.0}, {"mass", 0.5}};
    spring.law = {LinearStretch{100 * 0.5}, 0, false};
    builder.add(
        {{{"nail", RigidNode{}}, {"mass", MaximalNode{Vec3(0, -0.5, 0), Vec3::Zero(), 0.2}}},
         spring});
    const System system = builder.build();
    ASSERT_EQ(system.dof_count(), 3);
    Workspace ws(system);
    State state = system.default_state();
    const StepOptions options{.integrator = method.integrator};
    const double h = 1e-4;
    for (int k = 0; k < 1000; ++k)
      ASSERT_EQ(step(system, options, h, state, ws).status, StepStatus::ok);
    const double omega = std::sqrt(100 / 0.2);
    const double expected = -0.5 - 0.2 * 9.80665 / 100 * (1 - std::cos(omega * state.t));
    // First order: h times ω times the amplitude of 2 cm, and some more.
    EXPECT_NEAR(state.q[1], expected, method.order == 1 ? 2e-4 : 1e-6);
  }
}

}  // namespace own_part_test
}  // namespace sinew
