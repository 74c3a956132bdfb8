#include <gtest/gtest.h>

#include "sinew/analysis/muscle_state.hpp"
#include "sinew/builder/system_builder.hpp"
#include "sinew/core/error.hpp"
#include "sinew/integrate/integrator.hpp"
#include "sinew/muscles/muscles.hpp"
#include "support/finite_difference.hpp"
#include "support/hill_examples.hpp"

/// A muscle is a path, what pulls along it, and mass. The oracle for one that has all of them is a
/// pair: one that pulls and has no mass, one that has mass and does not pull.

namespace sinew {
namespace one_muscle_test {

OpenSimPath opensim_path_of(const Muscle& muscle) {
  OpenSimPath out{muscle.name, {}, {}};
  for (const PathPoint& point : muscle.points) {
    OpenSimPathPoint& to = out.points.emplace_back();
    to.body = point.terms[0].body;
    to.x_B = point.terms[0].x_B;
  }
  return out;
}

/// The arm of hill_examples with mass in its flexor, and, where asked for, a cylinder that the
/// flexor's mass wraps around. `apart`: mass and pull as two muscles. `routed`: it pulls along a
/// path by OpenSim's rules.
System arm(bool apart, bool routed, bool wrapped, bool rigid = false) {
  const System light = test::arm(test::flexor(0.6, rigid), test::flexor(0.2));
  SystemBuilder builder(light.skeleton());
  for (const auto& element : light.muscles()) {
    Muscle muscle = element->muscle();
    if (muscle.name == "flexor") {
      muscle.mass = 0.4;
      muscle.regions.clear();
      if (wrapped)
        muscle.spans[1] = {BodyIndex(0), Pose::Translation(Vec3(0.01, -0.28, 0)),
                           CylinderWrap{.radius = 0.02, .side = WrapSide::clockwise}};
    }
    Muscle pull = muscle;
    if (routed) muscle.opensim_path = std::make_shared<OpenSimPath>(opensim_path_of(muscle));
    if (apart && muscle.has_mass()) {
      pull.mass = 0;
      pull.regions.clear();
      pull.opensim_path = muscle.opensim_path;
      muscle.opensim_path = nullptr;
      muscle.hill.reset();
      muscle.name += " mass";
      builder.add_muscle(pull);
    }
    builder.add_muscle(muscle);
  }
  return builder.build();
}

struct Kind {
  bool routed, wrapped;
};
class OneMuscle : public ::testing::TestWithParam<Kind> {
 protected:
  const System one_ = arm(false, GetParam().routed, GetParam().wrapped);
  const System pair_ = arm(true, GetParam().routed, GetParam().wrapped);
};

TEST_P(OneMuscle, IsOneInTheListWithOneControlAndOneState) {
  EXPECT_EQ(one_.muscles().size(), 2u);
  EXPECT_EQ(one_.hill_muscles().size(), 2u);
  EXPECT_EQ(one_.controls().size(), 2);
  EXPECT_EQ(one_.internal_count(), 4);
  EXPECT_EQ(pair_.muscles().size(), 3u);
}

TEST_P(OneMuscle, AcceleratesAsPullAndMassApart) {
  State state = one_.default_state();
  state.q << 0.3, 0.8;
  state.qdot << 2, -3;
  Workspace a(one_), b(pair_);
  VecX one(2), two(2), g(2), h(2), qddot(2);
  qddot << 4, -7;
  forward_dynamics(one_, state, a, one);
  forward_dynamics(pair_, state, b, two);
  EXPECT_LT((one - two).norm(), 1e-12 * two.norm());
  inverse_dynamics(one_, state, qddot, a, g);
  inverse_dynamics(pair_, state, qddot, b, h);
  EXPECT_LT((g - h).norm(), 1e-12 * h.norm());
  // All that the pull does is in the forces alone, though it is evaluated along with the mass else.
  update_forces(one_, state, a);
  update_forces(pair_, state, b);
  EXPECT_NEAR(a.forces.power, b.forces.power, 1e-12 * std::abs(b.forces.power));
  EXPECT_LT((a.forces.tau - b.forces.tau).norm(), 1e-12 * b.forces.tau.norm());
  EXPECT_GT(std::abs(b.forces.power), 1);
}

TEST_P(OneMuscle, HasTheDerivativesOfPullAndMassApart) {
  const auto [routed, wrapped] = GetParam();
  // Tensions of rigid tendons follow the rate of the path, those of elastic ones in an implicit
  // stage its length.
  for (const bool rigid : {false, true}) {
    const System one_system = arm(false, routed, wrapped, rigid);
    const System pair_system = arm(true, routed, wrapped, rigid);
    State state = one_system.default_state();
    state.qdot << 2, -3;
    Workspace a(one_system), b(pair_system);
    VecX g(2), h(2), qddot(2);
    qddot << 4, -7;
    Linearization one, two;
    for (const double gamma : {0.0, 1e-3})
      for (const StiffnessModel kind : {StiffnessModel::exact, StiffnessModel::definite}) {
        const At at(state.t, state.q, state.qdot, state.z, gamma, VecView(nullptr, 0));
        linearize(one_system, at, qddot, kind, a, g, one);
        linearize(pair_system, at, qddot, kind, b, h, two);
        EXPECT_LT((g - h).norm(), 1e-12 * h.norm());
        EXPECT_LT((one.M - two.M).norm(), 1e-12 * two.M.norm());
        EXPECT_LT((one.dg_dq - two.dg_dq).norm(), 1e-12 * (1 + two.dg_dq.norm()));
        EXPECT_LT((one.dg_dqdot - two.dg_dqdot).norm(), 1e-12 * (1 + two.dg_dqdot.norm()));
        EXPECT_TRUE(!rigid || gamma == 0 || two.dg_dqdot.norm() > 0) << two.dg_dqdot;
      }
  }
}

TEST_P(OneMuscle, RunsAsPullAndMassApartWithEveryIntegratorThatTakesIt) {
  for (const Integrator integrator :
       {Integrator::semi_implicit_euler, Integrator::linearly_implicit_euler, Integrator::rk4,
        Integrator::bdf1, Integrator::sdirk2, Integrator::bdf2, Integrator::dopri5}) {
    State x = one_.default_state(), y = pair_.default_state();
    Workspace a(one_), b(pair_);
    const StepOptions options{.integrator = integrator};
    for (int k = 0; k < 40; ++k) {
      ASSERT_EQ(step(one_, options, 1e-3, x, a).status, StepStatus::ok) << to_string(integrator);
      ASSERT_EQ(step(pair_, options, 1e-3, y, b).status, StepStatus::ok) << to_string(integrator);
    }
    // Newton's tolerance, step by step; dopri5 chooses its steps by errors that rounding changes.
    EXPECT_LT((x.q - y.q).norm(), 1e-8) << to_string(integrator);
    EXPECT_LT((x.qdot - y.qdot).norm(), 1e-7) << to_string(integrator);
    EXPECT_LT((x.z - y.z).norm(), 1e-8) << to_string(integrator);
    EXPECT_GT((x.q - one_.default_state().q).norm(), 5e-4);
  }
}

INSTANTIATE_TEST_SUITE_P(Paths, OneMuscle,
                         ::testing::Values(Kind{false, false}, Kind{false, true}, Kind{true, false},
                                           Kind{true, true}),
                         [](const auto& kind) {
                           return std::string(kind.param.routed ? "OpenSims" : "Spans") +
                                  (kind.param.wrapped ? "Wrapped" : "Straight");
                         });

TEST(OneMuscleDescription, MayPullAlongOpenSimsPathWithATensionOfItsOwn) {
  const System spans = test::arm(test::flexor(0.6), test::flexor(0.2));
  VecX want(2), got(2);
  for (const bool routed : {false, true}) {
    SystemBuilder builder(spans.skeleton());
    Muscle muscle = spans.muscles()[0]->muscle();
    muscle.hill.reset();
    muscle.tension = 80.0;
    if (routed) {
      muscle.opensim_path = std::make_shared<OpenSimPath>(opensim_path_of(muscle));
      muscle.points.clear();
      muscle.spans.clear();
    }
    const System system = builder.add_muscle(muscle).build();
    Workspace ws(system);
    forward_dynamics(system, system.default_state(), ws, routed ? got : want);
  }
  EXPECT_LT((got - want).norm(), 1e-12 * want.norm());
}

TEST(OneMuscleDescription, WithMassOnOpenSimsPathLeavesTheTensionsOfOthersAlone) {
  // Nobody has an internal state here.
  const System spans = test::arm(test::flexor(0.6), test::flexor(0.2));
  const auto accelerations = [&](bool routed, double tension) {
    SystemBuilder builder(spans.skeleton());
    for (const auto& element : spans.muscles()) {
      Muscle muscle = element->muscle();
      muscle.hill.reset();
      muscle.mass = 0.3;
      muscle.regions.clear();
      muscle.tension = muscle.name == "flexor" ? 40.0 : tension;
      if (routed && muscle.name == "flexor")
        muscle.opensim_path = std::make_shared<OpenSimPath>(opensim_path_of(muscle));
      builder.add_muscle(muscle);
    }
    const System system = builder.build();
    Workspace ws(system);
    VecX qddot(2);
    forward_dynamics(system, system.default_state(), ws, qddot);
    return qddot;
  };
  const VecX want = accelerations(false, 60), slack = accelerations(false, 0);
  EXPECT_LT((accelerations(true, 60) - want).norm(), 1e-12 * want.norm());
  EXPECT_GT((slack - want).norm(), 0.1 * want.norm());
}

TEST(OneMuscleDescription, HasEitherATensionOrAHillDescription) {
  const System light = test::arm(test::flexor(0.6), test::flexor(0.2));
  Muscle muscle = light.muscles()[0]->muscle();
  muscle.tension = 5.0;
  SystemBuilder builder(light.skeleton());
  builder.add_muscle(muscle);
  EXPECT_THROW(builder.build(), Error);
}

}  // namespace one_muscle_test
}  // namespace sinew
