#include <gtest/gtest.h>

#include "sinew/muscles/path/muscle.hpp"
#include "sinew/strands/strands.hpp"
#include "support/message_of.hpp"
#include "support/residual_derivatives.hpp"
#include "support/strand_systems.hpp"

/// Strands around surfaces of bodies.

namespace sinew {
namespace strand_guides_test {

using test::free_node;
using test::MotionSample;
using test::rigid_node;

/// Surfaces that a strand from (−1, 0.1, 0) to (1, 0.1, 0.1) in their frame touches.
std::vector<std::pair<const char*, Wrap>> surfaces() {
  CylinderWrap cylinder;
  cylinder.radius = 0.3;
  cylinder.side = WrapSide::clockwise;
  cylinder.model = WrapKind::exact;
  CylinderWrap smooth = cylinder;
  smooth.model = WrapKind::smooth;
  SphereWrap sphere;
  sphere.radius = 0.3;
  sphere.model = WrapKind::exact;
  PulleyWrap pulley;
  pulley.radius = 0.3;
  pulley.side = WrapSide::clockwise;
  EllipsoidWrap ellipsoid;
  ellipsoid.semi_axes = {0.3, 0.35, 0.5};
  ellipsoid.model = WrapKind::exact;
  return {{"exact cylinder", cylinder},
          {"smooth cylinder", smooth},
          {"sphere", sphere},
          {"pulley", pulley},
          {"ellipsoid", ellipsoid}};
}

Pose turned(double angle, const Vec3& p) {
  return {Eigen::AngleAxisd(angle, Vec3(1, 2, 3).normalized()).toRotationMatrix(), p};
}

TEST(StrandGuides, AroundSurfacesAStrandIsAMuscleWithMass) {
  // Muscles of type III of Wang 2022, their ends and their surface on three bodies.
  for (const auto& [name, wrap] : surfaces())
    for (const unsigned seed : {1u, 2u, 3u}) {
      SCOPED_TRACE(name);
      const Skeleton tree = test::random_tree(seed, 5).build();
      const test::RandomState at = test::random_state(tree, seed);
      const Skeleton skeleton = tree.with_defaults(at.q, at.qdot);
      SkeletonWorkspace ws(skeleton);
      update_kinematics(skeleton, at.q, at.qdot, ws);
      const Pose E_BS = turned(seed, Vec3(0.1, 0.2, 0.1));
      const Pose E_WS = body_pose(skeleton, ws, BodyIndex(2)) * E_BS;
      const auto on = [&](int body, const Vec3& x_S) {
        return Vec3(body_pose(skeleton, ws, BodyIndex(body)).inverse() * (E_WS * x_S));
      };
      const Vec3 first = on(4, Vec3(-1, 0.1, 0)), last = on(1, Vec3(1, 0.1, 0.1)),
                 end = on(3, Vec3(1.5, -0.3, 0.2));
      Muscle muscle;
      muscle.name = "muscle";
      muscle.mass = 0.7;
      muscle.points = {PathPoint::Fixed(BodyIndex(4), first), PathPoint::Fixed(BodyIndex(1), last),
                       PathPoint::Fixed(BodyIndex(3), end)};
      muscle.spans = {{BodyIndex(2), E_BS, wrap}, {}};
      const System a = SystemBuilder(skeleton).add_muscle(muscle).build();
      SystemBuilder builder(skeleton);
      builder.add_strand_node(rigid_node("first", BodyIndex(4), first));
      builder.add_strand_node(rigid_node("last", BodyIndex(1), last));
      builder.add_strand_node(rigid_node("end", BodyIndex(3), end));
      builder.add_strand_guide({"guide", BodyIndex(2), E_BS, wrap});
      Strand strand;
      strand.name = "strand";
      strand.density = 0.7 / 50;
      strand.law.elastic = LinearStretch{1};  // slack: 50 m of rest length
      strand.points = {{"first", 0.0, "guide"}, {"last", {}}, {"end", 50.0}};
      const System b = builder.add_strand(strand).build();
      Workspace wa(a), wb(b);
      const int n = skeleton.dof_count();
      const VecX qddot = test::Random(seed).vecx(n, 2);
      MatX Ma, Mb;
      mass_matrix(a, {0, at.q, at.qdot}, wa, Ma);
      mass_matrix(b, {0, at.q, at.qdot}, wb, Mb);
      // rounding
      EXPECT_LT((Ma - Mb).lpNorm<Eigen::Infinity>(), 1e-12 * Ma.lpNorm<Eigen::Infinity>());
      VecX ga(n), gb(n);
      inverse_dynamics(a, {0, at.q, at.qdot}, qddot, wa, ga);
      inverse_dynamics(b, {0, at.q, at.qdot}, qddot, wb, gb);
      EXPECT_LT((ga - gb).lpNorm<Eigen::Infinity>(), 1e-12 * ga.lpNorm<Eigen::Infinity>());
      const Energy ea = energy(a, {0, at.q, at.qdot}, wa), eb = energy(b, {0, at.q, at.qdot}, wb);
      EXPECT_NEAR(ea.kinetic, eb.kinetic, 1e-12 * ea.kinetic);
      EXPECT_NEAR(ea.gravity, eb.gravity, 1e-12 * std::abs(ea.gravity) + 1e-13);
    }
}

/// A floating tree with a strand from a body around a surface of another to a free node, and on.
System guided(unsigned seed, const Wrap& wrap, double damping, bool inextensible) {
  const Skeleton skeleton = test::floating_tree(seed, 4);
  SkeletonWorkspace ws(skeleton);
  VecX q(skeleton.dof_count());
  for (int k = 0; k < q.size(); ++k) q[k] = skeleton.coordinates()[static_cast<size_t>(k)].q0;
  update_kinematics(skeleton, q, VecX::Zero(q.size()), ws);
  const Pose E_BS = turned(seed, Vec3(0.1, 0.2, 0.1));
  const Pose E_WS = body_pose(skeleton, ws, BodyIndex(2)) * E_BS;
  SystemBuilder builder(skeleton);
  builder.set_gravity({0, -9, 1});
  builder.add_strand_node(
      rigid_node("start", BodyIndex(1),
                 body_pose(skeleton, ws, BodyIndex(1)).inverse() * (E_WS * Vec3(-1, 0.1, 0))));
  builder.add_strand_node(free_node("bead", E_WS * Vec3(1, 0.1, 0.1), 0.3));
  builder.add_strand_node(free_node("end", E_WS * Vec3(1.4, -0.8, 0.3), 0.2));
  builder.add_strand_guide({"guide", BodyIndex(2), E_BS, wrap});
  Strand strand;
  strand.name = "strand";
  strand.density = 0.3;
  strand.law = {LinearStretch{40}, damping, false};
  strand.points = {{"start", 0.0, "guide"}, {"bead", {}}, {"end", 2.5}};
  if (inextensible) strand.length = StrandLength::fixed;
  return builder.add_strand(strand).build();
}

TEST(StrandGuides, EveryDerivativeOfTheResidualIsThatOfDifferences) {
  unsigned seed = 0;
  for (const auto& [name, wrap] : surfaces()) {
    if (++seed == 5) break;  // ellipsoids take ten times as long; their rows are compared below
    const System system = guided(seed, wrap, seed == 1 ? 0.0 : 3.0, false);
    test::check_every_derivative(system, test::near_start(system, seed), name);
  }
}

TEST(StrandGuides, RowsOfInextensibleStrandsAreThoseOfDifferences) {
  for (const auto& [name, wrap] : surfaces()) {
    SCOPED_TRACE(name);
    const System system = guided(3, wrap, 0, true);
    Workspace ws(system);
    const MotionSample at = test::near_start(system, 3);
    const VecX lambda = VecX::Constant(1, 2.5);
    const auto rows_at = [&](const VecX& q, const VecX& rate) {
      update_kinematics(system, {0, q, rate}, ws);
      update_constraints(system, {0, q, rate}, ws);
      return ws.constraints.rows;
    };
    const ConstraintRows rows = rows_at(at.q, at.qdot);
    const auto value = check_derivative([&](const VecX& x) { return rows_at(x, at.qdot).value; },
                                        at.q, rows.Gt.transpose());
    EXPECT_TRUE(value.confirms(1e-7)) << value.table();
    const auto rate = [&](double t) {
      return (rows_at(at.q + t * at.qdot, at.qdot).Gt.transpose() * at.qdot)(0);
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

TEST(StrandGuides, MassIsThatOfTheEnergyWhichIsKept) {
  for (const auto& [name, wrap] : surfaces()) {
    SCOPED_TRACE(name);
    const System system = guided(4, wrap, 0, false);
    Workspace ws(system);
    const MotionSample at = test::near_start(system, 4);
    VecX qddot(system.dof_count()), g(system.dof_count());
    forward_dynamics(system, {0, at.q, at.qdot}, ws, qddot);
    inverse_dynamics(system, {0, at.q, at.qdot}, qddot, ws, g);
    MatX M;
    mass_matrix(system, {0, at.q, at.qdot}, ws, M);
    EXPECT_LT((M - M.transpose()).lpNorm<Eigen::Infinity>(), 1e-13);  // rounding
    EXPECT_LT(g.lpNorm<Eigen::Infinity>(), 1e-10 * (M * qddot).lpNorm<Eigen::Infinity>());
    const double T = 0.5 * at.qdot.dot(M * at.qdot);
    EXPECT_NEAR(energy(system, {0, at.q, at.qdot}, ws).kinetic, T, 1e-13 * T);
    const auto E = [&](double t) {
      const VecX q = at.q + t * at.qdot + 0.5 * t * t * qddot, v = at.qdot + t * qddot;
      return energy(system, {0, q, v}, ws).total();
    };
    const double h = 1e-5, scale = std::abs(E(0)) + qddot.norm();
    EXPECT_NEAR((E(h) - E(-h)) / (2 * h), 0, 1e-7 * scale * scale);  // truncation and rounding
  }
}

/// A tree with a strand that is wound on a pulley of a body by three turns, one that ends on the
/// rim of a drum, and a belt around two pulleys.
System wound(unsigned seed, bool elastic) {
  const Skeleton skeleton = test::floating_tree(seed, 4);
  SystemBuilder builder(skeleton);
  builder.set_gravity({0, -9, 1});
  SkeletonWorkspace ws(skeleton);
  VecX q(skeleton.dof_count());
  for (int k = 0; k < q.size(); ++k) q[k] = skeleton.coordinates()[static_cast<size_t>(k)].q0;
  update_kinematics(skeleton, q, VecX::Zero(q.size()), ws);
  const auto frame = [&](int body) {
    return body_pose(skeleton, ws, BodyIndex(body)) * turned(body, Vec3(0.1, 0.2, 0.1));
  };
  const auto guide = [&](const char* name, int body) {
    builder.add_strand_guide({name, BodyIndex(body), turned(body, Vec3(0.1, 0.2, 0.1)),
                              PulleyWrap{.radius = 0.2, .side = WrapSide::clockwise}});
  };
  const auto node = [&](const char* name, const Vec3& x) {
    builder.add_strand_node(free_node(name, x, 0.3));
  };
  Strand strand;
  strand.density = 0.3;
  strand.law = {LinearStretch{40}, elastic ? 3.0 : 0.0, false};
  if (!elastic) strand.length = StrandLength::fixed;
  guide("turns", 1);
  node("a", frame(1) * Vec3(-1, 0.1, 0));
  node("b", frame(1) * Vec3(1, 0.1, 0.1));
  strand.name = "capstan";
  strand.points = {{"a", 0.0, "turns", 3}, {"b", 6.0}};
  builder.add_strand(strand);
  guide("drum", 2);
  node("c", frame(2) * Vec3(0.3, -0.8, 0.1));
  strand.name = "hoist";
  strand.points = {{"", 0.0, "drum"}, {"c", 3.0}};
  builder.add_strand(strand);
  guide("left", 0);
  guide("right", 3);
  node("d", 0.5 * (frame(0).p + frame(3).p) + Vec3(0, 1, 0));
  node("e", 0.5 * (frame(0).p + frame(3).p) + Vec3(0, -1, 0.5));
  strand.name = "belt";
  strand.points = {{"d", {}, "right"}, {"e", {}, "left"}};
  strand.loop = 6.0;
  strand.speed = 0.7;
  return builder.add_strand(strand).build();
}

TEST(StrandGuides, TurnsDrumsAndLoopsHaveTheDerivativesOfDifferences) {
  for (const unsigned seed : {1u, 2u}) {
    const System system = wound(seed, true);
    test::check_every_derivative(system, test::near_start(system, seed), "wound");
  }
}

TEST(StrandGuides, TurnsDrumsAndLoopsKeepEnergyAndMomentum) {
  for (const unsigned seed : {1u, 3u}) {
    const System system = wound(seed, false);
    Workspace ws(system);
    const MotionSample at = test::near_start(system, seed);
    MatX M;
    mass_matrix(system, {0, at.q, at.qdot}, ws, M);
    EXPECT_LT((M - M.transpose()).lpNorm<Eigen::Infinity>(), 1e-12);  // rounding
    const double T = 0.5 * at.qdot.dot(M * at.qdot);
    EXPECT_NEAR(energy(system, {0, at.q, at.qdot}, ws).kinetic, T, 1e-12 * T);
    // Power of the forces that accelerations need: without constraints, E changes by q̇ᵀg.
    VecX g(system.dof_count());
    const VecX lambda = VecX::Zero(3);
    inverse_dynamics(system, {0, at.q, at.qdot}, at.qddot, lambda, ws, g);
    const auto E = [&](double t) {
      const VecX q = at.q + t * at.qdot + 0.5 * t * t * at.qddot, v = at.qdot + t * at.qddot;
      return energy(system, {0, q, v}, ws).total();
    };
    const double h = 1e-5, scale = at.qdot.cwiseAbs().dot(g.cwiseAbs());
    EXPECT_NEAR((E(h) - E(-h)) / (2 * h), at.qdot.dot(g), 1e-7 * scale);  // truncation, rounding
  }
}

TEST(StrandGuides, NamesTheCulpritOfABadDescription) {
  const auto message = [](auto&& change) {
    CylinderWrap cylinder;
    cylinder.radius = 0.1;
    cylinder.model = WrapKind::exact;
    StrandGuide guide{"pulley", kWorld, Pose(), cylinder};
    Strand strand;
    strand.name = "rope";
    strand.points = {{"a", 0.0, "pulley"}, {"b", 2.0}};
    change(guide, strand);
    return test::message_of([&] {
      SystemBuilder builder(test::still_skeleton());
      builder.add_strand_node(rigid_node("a", kWorld, Vec3(-1, 0.05, 0)));
      builder.add_strand_node(free_node("b", Vec3(1, 0.05, 0), 1));
      builder.add_strand_guide(guide).add_strand(strand).build();
    });
  };
  const auto has = [&](const char* what, auto&& change) {
    EXPECT_NE(message(change).find(what), std::string::npos) << what << ": " << message(change);
  };
  EXPECT_EQ(message([](StrandGuide&, Strand&) {}), "");
  has("guide 'pully', which does not exist",
      [](StrandGuide&, Strand& s) { s.points[0].guide = "pully"; });
  has("guide behind its last node", [](StrandGuide&, Strand& s) { s.points[1].guide = "pulley"; });
  has("guide 'pulley': is on no strand", [](StrandGuide&, Strand& s) { s.points[0].guide = ""; });
  has("no way around guide 'pulley' at the start",
      [](StrandGuide& g, Strand&) { std::get<CylinderWrap>(g.wrap).radius = 2; });
  has("guide 'pulley'",
      [](StrandGuide& g, Strand&) { std::get<CylinderWrap>(g.wrap).radius = -2; });
  has("a body that does not exist", [](StrandGuide& g, Strand&) { g.body = BodyIndex(3); });
}

}  // namespace strand_guides_test
}  // namespace sinew
