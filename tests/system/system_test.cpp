
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "sinew/builder/system_builder.hpp"
#include "sinew/core/error.hpp"
#include "sinew/dynamics/forces.hpp"
#include "sinew/system/equations.hpp"

namespace sinew {
namespace system_test {

using testing::HasSubstr;

Skeleton chain_of(const std::vector<Joint>& joints) {
  SkeletonBuilder builder;
  for (size_t i = 0; i < joints.size(); ++i) {
    BodySpec spec;
    spec.name = "b" + std::to_string(i);
    if (i > 0) spec.parent = "b" + std::to_string(i - 1);
    spec.joint = joints[i];
    spec.M_B = SpatialInertia::FromCentral(1, Vec3(0.1, 0, 0), Mat3::Identity());
    for (int k = 0; k < joints[i].dof(); ++k) {
      spec.q0.push_back(static_cast<double>(i) + 0.1 * k);
      spec.qdot0.push_back(-static_cast<double>(i) - 0.1 * k);
    }
    builder.add_body(spec);
  }
  return builder.build();
}

std::string complaint(const SystemBuilder& builder) {
  try {
    builder.build();
  } catch (const Error& e) {
    EXPECT_FALSE(e.remedy().empty());
    return e.what();
  }
  return "no error";
}

TEST(System, StartsFromTheDefaultsOfItsBodies) {
  const System system =
      SystemBuilder(chain_of({Revolute(Vec3::UnitZ()), Fixed(), Universal()})).build();
  const State state = system.default_state();
  EXPECT_EQ(state.t, 0);
  EXPECT_EQ(state.q, VecX(Vec3(0, 2, 2.1)));
  EXPECT_EQ(state.qdot, VecX(Vec3(0, -2, -2.1)));
  EXPECT_EQ(state.memory.owner, 0);
  EXPECT_TRUE(state == system.default_state());
}

TEST(System, FallsAtStandardGravityAlongYUnlessToldOtherwise) {
  const Skeleton skeleton = chain_of({Prismatic(Vec3::UnitY())});
  const auto falls = [](const System& system) {
    Workspace ws(system);
    VecX qddot(1);
    forward_dynamics(system, {0, VecX::Zero(1), VecX::Zero(1)}, ws, qddot);
    return qddot[0];
  };
  EXPECT_DOUBLE_EQ(falls(SystemBuilder(skeleton).build()), -9.80665);
  EXPECT_DOUBLE_EQ(falls(SystemBuilder(skeleton).set_gravity(Vec3(5, 2, 1)).build()), 2);
}

TEST(SystemBuilder, RefusesASkeletonThatCannotMove) {
  EXPECT_THAT(complaint(SystemBuilder(chain_of({Fixed(), Fixed()}))), HasSubstr("cannot move"));
}

TEST(SystemBuilder, RefusesGravityThatIsNotFinite) {
  SystemBuilder builder(chain_of({Revolute(Vec3::UnitZ())}));
  builder.set_gravity(Vec3(0, std::numeric_limits<double>::quiet_NaN(), 0));
  EXPECT_THAT(complaint(builder), HasSubstr("gravity: is not finite"));
}

TEST(SystemBuilder, RefusesNullPointers) {
  SystemBuilder force(chain_of({Universal{}})), constraint(chain_of({Universal{}}));
  force.add_force(nullptr);
  constraint.add_constraint(nullptr);
  EXPECT_THROW(force.build(), Error);
  EXPECT_THROW(constraint.build(), Error);
}

TEST(SystemBuilder, NamesAForceThatIsDefinedTwice) {
  SystemBuilder builder(chain_of({Revolute(Vec3::UnitZ())}));
  builder.add_force(std::make_shared<JointSpring>("a", DofIndex(0), 1, 0, 0));
  builder.add_force(std::make_shared<JointSpring>("knee", DofIndex(0), 1, 0, 0));
  EXPECT_EQ(complaint(builder), "no error");
  builder.add_force(std::make_shared<JointSpring>("knee", DofIndex(0), 2, 0, 0));
  EXPECT_THAT(complaint(builder), HasSubstr("force 'knee': is defined twice"));
}

TEST(SystemBuilder, AsksEveryForceWhetherItFitsTheSkeleton) {
  SystemBuilder builder(chain_of({Revolute(Vec3::UnitZ())}));
  builder.add_force(std::make_shared<JointSpring>("knee", DofIndex(1), 1, 0, 0));
  EXPECT_THAT(complaint(builder), HasSubstr("force 'knee': acts on a coordinate that does not"));
}

}  // namespace system_test
}  // namespace sinew
