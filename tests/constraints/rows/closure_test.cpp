#include "sinew/constraints/rows/closure.hpp"

#include <gtest/gtest.h>

#include "sinew/dynamics/kinematics.hpp"
#include "support/finite_difference.hpp"
#include "support/random.hpp"

namespace sinew {
namespace closure_test {

BodySpec link(const std::string& name, const std::string& parent, Joint joint, const Vec3& at) {
  BodySpec spec;
  spec.name = name;
  spec.parent = parent;
  spec.joint = std::move(joint);
  spec.E_PJ.p = at;
  spec.M_B = SpatialInertia::FromCentral(1, Vec3::Zero(), Vec3(1, 1, 1).asDiagonal());
  return spec;
}

const Vec3 kStep(1, 0, 0);
const Vec3 kNormal = Vec3(1, 2, 3).normalized();

/// Three hinges with parallel axes on a base; x turns into the plane.
Skeleton planar_chain(Joint base) {
  const Joint hinge = Revolute{kNormal};
  return SkeletonBuilder()
      .add_body(link("base", "", std::move(base), Vec3::Zero()))
      .add_body(link("a", "base", hinge, kStep))
      .add_body(link("b", "a", hinge, kStep))
      .add_body(link("c", "b", hinge, kStep))
      .build();
}

Closure on_base(Closure::Kind kind) {
  const BodyIndex base(0), c(3);
  // Level with each other along the normal.
  const Vec3 x(1, 1, 0), y = x - 3 * kStep + 0.5 * kNormal.unitOrthogonal();
  switch (kind) {
    case Closure::Kind::ball:
      return Closure::Ball("ball", base, x, c, y);
    case Closure::Kind::hinge:
      return Closure::Hinge("hinge", base, x, kNormal, c, y, kNormal);
    default:
      return Closure::Weld("weld", base, Pose::Translation(x), c, Pose::Translation(y));
  }
}

int rows_on(const Skeleton& skeleton, const Closure& closure) {
  const auto better = closure.specialized(skeleton, VecX::Zero(skeleton.dof_count()));
  return better ? better->rows() : closure.rows();
}

TEST(Closure, TakesTheRowsThatAPlanarLoopNeeds) {
  for (const Joint& base : {Joint(Fixed{}), Joint(Free3D(Free3D::Order::translation_first)),
                            Joint(Revolute{Vec3::UnitX()}), Joint(SphericalExp{})}) {
    const Skeleton skeleton = planar_chain(base);
    EXPECT_EQ(rows_on(skeleton, on_base(Closure::Kind::ball)), 2);
    EXPECT_EQ(rows_on(skeleton, on_base(Closure::Kind::hinge)), 2);
    EXPECT_EQ(rows_on(skeleton, on_base(Closure::Kind::weld)), 3);
  }
}

TEST(Closure, KeepsAllRowsOfASpatialLoop) {
  // One axis tilted by a thousandth: no plane any more.
  const Joint hinge = Revolute{kNormal}, tilted = Revolute{kNormal + Vec3(1e-3, 0, 0)};
  const Skeleton skeleton = SkeletonBuilder()
                                .add_body(link("base", "", Fixed{}, Vec3::Zero()))
                                .add_body(link("a", "base", hinge, kStep))
                                .add_body(link("b", "a", tilted, kStep))
                                .add_body(link("c", "b", hinge, kStep))
                                .build();
  EXPECT_EQ(rows_on(skeleton, on_base(Closure::Kind::ball)), 3);
  EXPECT_EQ(rows_on(skeleton, on_base(Closure::Kind::hinge)), 5);
  EXPECT_EQ(rows_on(skeleton, on_base(Closure::Kind::weld)), 6);
}

TEST(Closure, KeepsAllRowsToTheWorldFromAFreeBase) {
  const Skeleton skeleton = planar_chain(Free3D(Free3D::Order::translation_first));
  EXPECT_EQ(rows_on(skeleton, Closure::Ball("ball", kWorld, Vec3::Zero(), BodyIndex(3), kStep)), 3);
}

TEST(Closure, KeepsAllRowsAcrossAGapThatNoMotionCloses) {
  // So that the assembly can say so.
  const Skeleton skeleton = planar_chain(Fixed{});
  const Vec3 x(1, 1, 0), level = x - 3 * kStep;
  EXPECT_EQ(rows_on(skeleton, Closure::Ball("ball", BodyIndex(0), x, BodyIndex(3), level)), 2);
  const Vec3 off = level + 0.01 * kNormal;
  EXPECT_EQ(rows_on(skeleton, Closure::Ball("ball", BodyIndex(0), x, BodyIndex(3), off)), 3);
}

TEST(Closure, KeepsTheAxisRowsOfAHingeAcrossThePlane) {
  // The linkage moves in a plane but the hinge's axis lies in it: it cannot turn, which is an
  // Error.
  const Skeleton skeleton = planar_chain(Fixed{});
  const Closure hinge = Closure::Hinge("hinge", BodyIndex(0), kStep, kNormal.unitOrthogonal(),
                                       BodyIndex(3), kStep, kNormal.unitOrthogonal());
  EXPECT_EQ(rows_on(skeleton, hinge), 5);
}

TEST(Closure, PlanarRowsObeyTheLawsOfRowsOnAMovingBase) {
  // Off the constraint, with the base turning: the term of the carrier, V̇, is in all of them.
  const Skeleton skeleton = planar_chain(SphericalExp{});
  test::Random random(3);
  const int n = skeleton.dof_count();
  const VecX q = random.vecx(n, 0.8), qdot = random.vecx(n);
  SkeletonWorkspace ws(skeleton);
  for (const auto kind : {Closure::Kind::ball, Closure::Kind::hinge, Closure::Kind::weld}) {
    const ConstraintList list = {on_base(kind).specialized(skeleton, VecX::Zero(n))};
    ASSERT_TRUE(list[0]);
    const auto rows_at = [&](const VecX& at) {
      update_kinematics(skeleton, at, qdot, ws);
      ConstraintRows rows(skeleton, list[0]->rows());
      const ConstVecRef q_ref(at), qdot_ref(qdot);
      update_constraint_rows(list, {skeleton, 0, q_ref, qdot_ref, ws}, rows);
      return rows;
    };
    const ConstraintRows rows = rows_at(q);
    EXPECT_GT(rows.value.norm(), 0.1);
    const auto by_q =
        check_derivative([&](const VecX& x) { return rows_at(x).value; }, q, rows.Gt().transpose());
    EXPECT_TRUE(by_q.confirms()) << by_q.table();
    const auto along = check_derivative(
        [&](const VecX& s) { return VecX(rows_at(q + s[0] * qdot).Gt().transpose() * qdot); },
        VecX::Zero(1), rows.bias);
    EXPECT_TRUE(along.confirms()) << along.table();
  }
}

}  // namespace closure_test
}  // namespace sinew
