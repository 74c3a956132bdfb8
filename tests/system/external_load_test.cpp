#include "sinew/dynamics/external_load.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sinew/builder/system_builder.hpp"
#include "sinew/core/error.hpp"
#include "sinew/dynamics/forces.hpp"
#include "sinew/system/equations.hpp"
#include "support/finite_difference.hpp"
#include "support/random_tree.hpp"

namespace sinew {
namespace external_load_test {

ExternalLoad::Data constant(const Vec3& force, const Vec3& point, const Vec3& torque) {
  ExternalLoad::Data out;
  for (size_t c = 0; c < 3; ++c) {
    const auto k = static_cast<Eigen::Index>(c);
    out.force[c] = force[k];
    out.point[c] = point[k];
    out.torque[c] = torque[k];
  }
  return out;
}
ExternalLoad::Data random_load(unsigned seed) {
  test::Random random(seed);
  return constant(random.vec3(3), random.vec3(3), random.vec3(3));
}

System with_load(unsigned seed, ExternalLoad::Frames frames) {
  SystemBuilder builder(test::random_tree(seed, 6).build());
  builder.set_gravity(Vec3::Zero());
  builder.add_force(
      std::make_shared<ExternalLoad>("load", BodyIndex(4), frames, random_load(seed + 1)));
  return builder.build();
}

class ExternalLoads : public ::testing::TestWithParam<int> {
 protected:
  const ExternalLoad::Frames frames_ =
      std::vector<ExternalLoad::Frames>{{kWorld, kWorld},
                                        {BodyIndex(4), BodyIndex(4)},
                                        {BodyIndex(2), BodyIndex(1)},
                                        {kWorld, BodyIndex(4)}}[static_cast<size_t>(GetParam())];
};
INSTANTIATE_TEST_SUITE_P(InEveryFrame, ExternalLoads, ::testing::Range(0, 4));

TEST_P(ExternalLoads, HaveTheDerivativesOfDifferences) {
  for (unsigned seed = 1; seed < 6; ++seed) {
    const System system = with_load(seed, frames_);
    const test::RandomState x = test::random_state(system.skeleton(), seed);
    const int n = system.dof_count();
    const VecX still = VecX::Zero(n);
    Workspace ws(system);
    VecX g(n);
    Linearization at;
    linearize(system, {0, x.q, x.qdot}, still, StiffnessModel::exact, ws, g, at);
    const auto force = [&](const VecX& q) {
      VecX out(n);
      inverse_dynamics(system, {0, q, x.qdot}, still, ws, out);
      return out;
    };
    const DifferenceSweep sweep = check_derivative(force, x.q, at.dg_dq);
    EXPECT_TRUE(sweep.confirms()) << sweep.table();
  }
}

TEST_P(ExternalLoads, DoTheWorkThatTheyReport) {
  const System system = with_load(3, frames_);
  const test::RandomState x = test::random_state(system.skeleton(), 3);
  Workspace ws(system);
  const auto pull = [&](const VecX& qdot) {
    VecX g(system.dof_count()), inertia(system.dof_count());
    inverse_dynamics(system, {0, x.q, qdot}, VecX::Zero(qdot.size()), ws, g);
    const double power = ws.forces.power;
    SystemBuilder bare(system.skeleton());
    bare.set_gravity(Vec3::Zero());
    const System without = bare.build();
    Workspace other(without);
    inverse_dynamics(without, {0, x.q, qdot}, VecX::Zero(qdot.size()), other, inertia);
    return std::pair(VecX(inertia - g), power);
  };
  const auto [tau, power] = pull(x.qdot);
  EXPECT_NEAR(tau.dot(x.qdot), power, 1e-12 * tau.norm() * x.qdot.norm());
}

TEST(ExternalLoad, AtAPointOfItsBodyIsAWorldForce) {
  const Skeleton skeleton = test::random_tree(2, 6).build();
  const test::RandomState x = test::random_state(skeleton, 2);
  const Vec3 f(3, -2, 5), point(0.1, 0.2, -0.1);
  const auto torques = [&](std::shared_ptr<const Force> force) {
    SystemBuilder builder(skeleton);
    const System system = builder.add_force(std::move(force)).build();
    Workspace ws(system);
    VecX g(system.dof_count());
    inverse_dynamics(system, {0, x.q, x.qdot}, VecX::Zero(g.size()), ws, g);
    return g;
  };
  const VecX a = torques(std::make_shared<ExternalLoad>("load", BodyIndex(3),
                                                        ExternalLoad::Frames{kWorld, BodyIndex(3)},
                                                        constant(f, point, Vec3::Zero())));
  const VecX b = torques(
      std::make_shared<WorldForce>("force", BodyIndex(3), point, TimeTable::Constant(VecX(f))));
  EXPECT_LT((a - b).norm(), 1e-13 * b.norm());
}

TEST(ExternalLoad, RefusesNumbersThatAreNone) {
  SystemBuilder builder(test::random_tree(1, 5).build());
  try {
    builder.add_force(std::make_shared<ExternalLoad>(
        "grf", BodyIndex(0), ExternalLoad::Frames{},
        constant(Vec3(0, std::nan(""), 0), Vec3::Zero(), Vec3::Zero())));
    builder.build();
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), ::testing::HasSubstr("force 'grf'"));
  }
}

TEST(ExternalLoad, TellsWhenItBends) {
  ExternalLoad::Data data;
  data.force[1] =
      TimeFunction::Table({0, 0.5, 1}, {0, 2, 0}, TimeFunction::Interpolation::linear, "x");
  const ExternalLoad load("grf", BodyIndex(0), {}, data);
  EXPECT_THAT(load.breakpoints(), ::testing::Contains(0.5));
}

}  // namespace external_load_test
}  // namespace sinew
