#include <gtest/gtest.h>

#include <set>

#include "sinew/io/scene/network_reader.hpp"
#include "sinew/muscles/path/muscle.hpp"
#include "sinew/strands/strands.hpp"
#include "support/guided_strands.hpp"
#include "support/message_of.hpp"
#include "support/residual_derivatives.hpp"
#include "support/source_dir.hpp"
#include "support/wrap_examples.hpp"

/// Strands around surfaces of bodies.

namespace sinew {
namespace strand_guides_test {

using test::free_node;
using test::guided;
using test::MotionSample;
using test::rigid_node;
using test::surfaces;
using test::turned;
using test::wound;

/// A muscle with mass and a strand on the same way from `o` around a surface to `i`, and on: their
/// ends and the surface on three bodies.
void expect_the_same(const Wrap& wrap, const Vec3& o, const Vec3& i, unsigned seed) {
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
  const Vec3 first = on(4, o), last = on(1, i), end = on(3, Vec3(1.5, -0.3, 0.2));
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

TEST(StrandGuides, AroundSurfacesAStrandIsAMuscleWithMass) {
  // Muscles of type III of Wang 2022.
  for (const auto& [name, wrap] : surfaces())
    for (const unsigned seed : {1u, 2u, 3u}) {
      SCOPED_TRACE(name);
      expect_the_same(wrap, Vec3(-1, 0.1, 0), Vec3(1, 0.1, 0.1), seed);
    }
}

/// Whether a path from o to i goes around the surface.
bool touches(const Wrap& wrap, const Vec3& o, const Vec3& i) {
  const SpanSolution solution = solve(wrap, o, i);
  SpanShape<double> path;
  shape<double>(wrap, solution, o, i, path);
  return !failed(solution.status) && path.length > (i - o).norm() + 1e-4;
}

TEST(StrandGuides, AroundEveryOtherWrapAStrandIsAMuscleWithMass) {
  std::set<size_t> kinds;
  for (const test::WrapExample& example : test::wrap_examples()) {
    if (std::holds_alternative<Straight>(example.wrap)) continue;
    SCOPED_TRACE(example.name);
    test::Random random(7);
    for (int k = 0; k < 50; ++k) {
      const auto [o, i] = example.anchors(random);
      if (!touches(example.wrap, o, i)) continue;
      expect_the_same(example.wrap, o, i, 2);
      kinds.insert(example.wrap.index());
      break;
    }
  }
  const Wrap neural = NeuralWrap{
      .radius = 0.15,
      .side = WrapSide::clockwise,
      .network = read_wrap_network(test::source_dir() + "/models/neural/cylinder-invariant.mlp"),
      .pieces = 6};
  const Vec3 o(-0.5, 0, 0), i(0.5, 0.02, 0.05);
  ASSERT_TRUE(touches(neural, o, i));
  expect_the_same(neural, o, i, 2);
  kinds.insert(neural.index());
  // Of every kind but the straight span, which is none.
  EXPECT_EQ(kinds.size(), std::variant_size_v<Wrap> - 1);
}

TEST(StrandGuides, EveryDerivativeOfTheResidualIsThatOfDifferences) {
  unsigned seed = 0;
  for (const auto& [name, wrap] : surfaces()) {
    if (++seed == 5) break;  // ellipsoids take ten times as long; their rows are compared below
    const System system = guided(seed, wrap, seed == 1 ? 0.0 : 3.0, false);
    test::check_every_derivative(system, test::near_start(system, seed), name);
  }
}

/// A bar that sinks and tilts on a dozen spans of a strand, over pulleys of its own and of the
/// ceiling: two coordinates and those of the load at the end move all of its nodes.
System many_pulleys(double damping) {
  const double r = 0.03;
  BodySpec slide;
  slide.name = "slide";
  slide.joint = Prismatic{Vec3::UnitY()};
  slide.M_B = SpatialInertia::FromCentral(2, Vec3::Zero(), Mat3::Identity());
  BodySpec bar = slide;
  bar.name = "bar";
  bar.parent = "slide";
  bar.joint = Revolute{Vec3::UnitZ()};
  SystemBuilder builder(SkeletonBuilder().add_body(slide).add_body(bar).build());
  builder.set_gravity({0, -9, 1});
  builder.add_strand_node(rigid_node("nail", kWorld, Vec3(0, 1, 0)));
  Strand strand;
  strand.name = "strand";
  strand.density = 0.3;
  strand.law = {LinearStretch{40}, damping, false};
  strand.points = {{"nail", 0.0}};
  const int spans = 12;
  for (int k = 0; k < spans; ++k) {
    const bool below = k % 2 == 0;
    const std::string number = std::to_string(k);
    PulleyWrap wrap{.radius = r};
    wrap.side = below ? WrapSide::counter_clockwise : WrapSide::clockwise;
    builder.add_strand_guide({"p" + number, below ? BodyIndex(1) : kWorld,
                              Pose::Translation(Vec3((2 * k + 1) * r, below ? 0 : 1, 0)), wrap});
    strand.points.back().guide = "p" + number;
    if (k + 1 == spans) break;
    builder.add_strand_node(
        rigid_node("e" + number, kWorld, Vec3(2 * (k + 1) * r, 0.5, 0.01 * (k % 3))));
    strand.points.push_back({"e" + number, {}});
  }
  builder.add_strand_node(free_node("load", Vec3(2 * spans * r, 0.5, 0.05), 0.3));
  strand.points.push_back({"load", 12.0});
  return builder.add_strand(strand).build();
}

TEST(StrandGuides, DerivativesByFewCoordinatesAreThoseOfDifferences) {
  for (const double damping : {0.0, 3.0}) {
    const System system = many_pulleys(damping);
    ASSERT_EQ(system.dof_count(), 5);
    const MotionSample at = test::near_start(system, 3, 0.005);
    test::check_every_derivative(system, at, "many pulleys");
    // M is made in both ways: for derivatives, and for accelerations.
    Workspace ws(system);
    VecX qddot(5), g(5);
    forward_dynamics(system, {0, at.q, at.qdot}, ws, qddot);
    inverse_dynamics(system, {0, at.q, at.qdot}, qddot, ws, g);
    MatX M;
    mass_matrix(system, {0, at.q, at.qdot}, ws, M);
    EXPECT_LT(g.lpNorm<Eigen::Infinity>(), 1e-10 * (M * qddot).lpNorm<Eigen::Infinity>());
    const double T = 0.5 * at.qdot.dot(M * at.qdot);
    EXPECT_NEAR(energy(system, {0, at.q, at.qdot}, ws).kinetic, T, 1e-12 * T);
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
