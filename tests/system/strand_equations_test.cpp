#include <gtest/gtest.h>

#include "sinew/muscles/path/muscle.hpp"
#include "sinew/strands/strands.hpp"
#include "support/dense_linearization.hpp"
#include "support/finite_difference.hpp"
#include "support/message_of.hpp"
#include "support/random_tree.hpp"
#include "support/residual_derivatives.hpp"
#include "support/strand_systems.hpp"

/// Strands on skeletons: equations of motion, their derivatives, and the muscles that they equal.

namespace sinew {
namespace strand_equations_test {

test::MotionSample random_point(const System& system, unsigned seed) {
  return test::near_start(system, seed, 0.1);
}

TEST(StrandEquations, EveryDerivativeOfTheResidualIsThatOfDifferences) {
  for (const double damping : {0.0, 3.0})
    for (const StrandMass model : {StrandMass::continuous, StrandMass::lumped})
      for (const unsigned seed : {1u, 2u, 5u}) {
        const System system =
            test::floating_strands(seed, 4, {.damping = damping, .mass_model = model}).build();
        ASSERT_FALSE(system.masses().coupled().empty());
        test::check_every_derivative(system, random_point(system, seed), std::to_string(seed));
      }
}

TEST(StrandEquations, ForwardAndInverseDynamicsAreInverseAndTheMassIsThatOfTheEnergy) {
  for (const unsigned seed : {1u, 3u}) {
    const System system = test::floating_strands(seed, 5).build();
    Workspace ws(system);
    const test::MotionSample at = random_point(system, seed);
    VecX qddot(system.dof_count()), g(system.dof_count());
    forward_dynamics(system, {0, at.q, at.qdot}, ws, qddot);
    inverse_dynamics(system, {0, at.q, at.qdot}, qddot, ws, g);
    MatX M;
    mass_matrix(system, {0, at.q, at.qdot}, ws, M);
    // rounding of M q̈
    EXPECT_LT(g.lpNorm<Eigen::Infinity>(), 1e-12 * (M * qddot).lpNorm<Eigen::Infinity>());
    const double T = 0.5 * at.qdot.dot(M * at.qdot);
    EXPECT_NEAR(energy(system, {0, at.q, at.qdot}, ws).kinetic, T, 1e-13 * T);
  }
}

TEST(StrandEquations, EnergyChangesByThePowerOfTheirDampers) {
  for (const double damping : {0.0, 5.0}) {
    const System system = test::floating_strands(4, 4, {.damping = damping}).build();
    Workspace ws(system);
    const test::MotionSample at = random_point(system, 4);
    VecX qddot(system.dof_count());
    forward_dynamics(system, {0, at.q, at.qdot}, ws, qddot);
    const double power = ws.forces.power;
    const auto E = [&](double t) {
      const VecX q = at.q + t * at.qdot + 0.5 * t * t * qddot, v = at.qdot + t * qddot;
      return energy(system, {0, q, v}, ws).total();
    };
    const double h = 2e-5;
    // Truncation: h² of the third derivative, some 5e3 W/s²; rounding of 100 J over h: 1e-9 W.
    EXPECT_NEAR((E(h) - E(-h)) / (2 * h), power, 1e-5);
    EXPECT_EQ(power<0, damping> 0);
  }
}

TEST(StrandEquations, ThroughNodesOnBodiesAStrandIsAMuscleWithMass) {
  // Muscles of types I and II of Wang 2022: straight, and through path points.
  for (const int points : {2, 3, 5})
    for (const unsigned seed : {1u, 2u, 3u}) {
      const Skeleton skeleton = test::random_tree(seed, 5).build();
      SystemBuilder with_muscle(skeleton), with_strand(skeleton);
      test::Random random(seed);
      Muscle muscle;
      muscle.name = "muscle";
      muscle.mass = 0.7;
      Strand strand;
      strand.name = "strand";
      strand.density = 0.7 / 50;
      strand.law.elastic = LinearStretch{1};  // slack: 50 m of rest length
      for (int k = 0; k < points; ++k) {
        const BodyIndex body(static_cast<int>(random.uniform(0, skeleton.body_count() - 1e-9)));
        const Vec3 x = random.vec3(0.4);
        const std::string name = "p" + std::to_string(k);
        muscle.points.push_back(PathPoint::Fixed(body, x));
        with_strand.add_strand_node(test::rigid_node(name, body, x));
        strand.points.push_back({name, {}});
      }
      strand.points.front().s = 0;
      strand.points.back().s = 50;
      const System a = with_muscle.add_muscle(muscle).build();
      const System b = with_strand.add_strand(strand).build();
      Workspace wa(a), wb(b);
      const test::RandomState at = test::random_state(skeleton, seed);
      const int n = skeleton.dof_count();
      const VecX qddot = random.vecx(n, 2);
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
      Linearization la, lb;
      linearize(a, {0, at.q, at.qdot}, qddot, StiffnessModel::exact, wa, ga, la);
      linearize(b, {0, at.q, at.qdot}, qddot, StiffnessModel::exact, wb, gb, lb);
      const double size = la.dg_dq.lpNorm<Eigen::Infinity>();
      EXPECT_LT((la.dg_dq - lb.dg_dq).lpNorm<Eigen::Infinity>(), 1e-11 * size);
      EXPECT_LT((la.dg_dqdot - lb.dg_dqdot).lpNorm<Eigen::Infinity>(), 1e-11 * size);
    }
}

TEST(StrandEquations, NamesTheCulpritOfABadDescription) {
  const auto message = [](auto&& change) {
    std::vector<StrandNode> nodes = {test::rigid_node("nail", kWorld, Vec3::Zero()),
                                     test::free_node("ring", Vec3(1, 0, 0), 1),
                                     test::free_node("end", Vec3(2, 0, 0))};
    Strand strand;
    strand.name = "rope";
    strand.density = 1;
    strand.points = {{"nail", 0.0}, {"ring", {}}, {"end", 2.0}};
    change(nodes, strand);
    return test::message_of([&] {
      SystemBuilder builder(test::still_skeleton());
      for (const StrandNode& node : nodes) builder.add_strand_node(node);
      builder.add_strand(strand).build();
    });
  };
  using Nodes = std::vector<StrandNode>;
  EXPECT_EQ(message([](Nodes&, Strand&) {}), "");
  const auto has = [&](const char* what, auto&& change) {
    EXPECT_NE(message(change).find(what), std::string::npos) << what << ": " << message(change);
  };
  has("fewer than two nodes", [](Nodes&, Strand& s) { s.points.resize(1); });
  has("end that is virtual", [](Nodes&, Strand& s) { s.points[2].s.reset(); });
  has("do not increase", [](Nodes&, Strand& s) { s.points[2].s = -1; });
  has("twice in succession", [](Nodes&, Strand& s) {
    s.points.insert(s.points.begin() + 1, {"nail", {}});
  });
  has("node 'rnig', which does not exist", [](Nodes&, Strand& s) { s.points[1].node = "rnig"; });
  has("density", [](Nodes&, Strand& s) { s.density = -1; });
  has("'ring': moves freely, but has no mass",
      [](Nodes& n, Strand&) { std::get<MaximalNode>(n[1].place).mass = 0; });
  has("'end': moves freely, but has no mass", [](Nodes&, Strand& s) { s.density = 0; });
  has("'ring': is on no strand", [](Nodes&, Strand& s) { s.points.erase(s.points.begin() + 1); });
  has("defined twice", [](Nodes& n, Strand&) { n[1].name = "nail"; });
  has("a body that does not exist",
      [](Nodes& n, Strand&) { std::get<RigidNode>(n[0].place).body = BodyIndex(3); });
  has("stiffness", [](Nodes&, Strand& s) { s.law.elastic = LinearStretch{-1}; });
}

}  // namespace strand_equations_test
}  // namespace sinew
