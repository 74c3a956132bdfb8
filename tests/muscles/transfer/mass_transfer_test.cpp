#include "sinew/muscles/transfer/mass_transfer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sinew/builder/system_builder.hpp"
#include "sinew/core/error.hpp"
#include "sinew/integrate/integrator.hpp"
#include "support/floating_tree.hpp"
#include "support/random_muscles.hpp"
#include "support/random_tree.hpp"

namespace sinew {
namespace mass_transfer_test {

using test::PathKind;
using ::testing::HasSubstr;

System with_muscles(const Skeleton& skeleton, const std::vector<Muscle>& muscles) {
  SystemBuilder builder(skeleton);
  for (const Muscle& muscle : muscles) builder.add_muscle(muscle);
  return builder.build();
}

std::vector<Muscle> without_mass(std::vector<Muscle> muscles) {
  for (Muscle& muscle : muscles) muscle.mass = 0;
  return muscles;
}

/// A muscle that goes along when the root of a floating tree moves the whole: no end in the ground,
/// no weight that depends on the root's coordinates.
Muscle carried(Muscle muscle, const Skeleton& skeleton) {
  const BodyIndex root(0);
  for (PathPoint& point : muscle.points)
    for (PathTerm& term : point.terms) {
      if (term.body == kWorld) term.body = root;
      for (PathWeight& weight : term.weights)
        weight.dof = DofIndex(6 + weight.dof % (skeleton.dof_count() - 6));
    }
  for (PathSpan& span : muscle.spans)
    if (span.body == kWorld) span.body = root;
  return muscle;
}

/// Mass, centre of mass and inertia of the whole model as the simulator knows them: the mass matrix
/// of the root's six coordinates.
MatX composite(const System& system, const VecX& q) {
  Workspace ws(system);
  MatX M;
  mass_matrix(system, {0, q, VecX::Zero(q.size())}, ws, M);
  return M.topLeftCorner(6, 6);
}

/// Transfers as much as bodies stand, halving the share until they do.
MassTransfer transfer_what_works(const Skeleton& skeleton, const std::vector<Muscle>& muscles,
                                 const VecX& q, MomentsPolicy policy = {}) {
  for (;; policy.share *= 0.5) try {
      return transfer_mass(skeleton, muscles, policy, q);
    } catch (const Error& error) {
      EXPECT_GT(policy.share, 1e-4) << error.what();
      if (policy.share < 1e-4) throw;
    }
}

void expect_same(const SpatialInertia& a, const SpatialInertia& b, double tolerance) {
  EXPECT_NEAR(a.mass, b.mass, tolerance * b.mass);
  EXPECT_LT((a.com() - b.com()).norm(), tolerance * (1 + b.com().norm()));
  EXPECT_LT((a.I - b.I).norm(), tolerance * b.I.norm());
}

/// A skeleton with several muscles of one kind, or of all; one of them with mass points.
struct Example {
  Skeleton skeleton;
  std::vector<Muscle> muscles;
  VecX q;
};
Example floating_example(PathKind kind, unsigned seed) {
  const Skeleton skeleton = test::floating_tree(seed, 5);
  Example out{skeleton, {}, test::random_state(skeleton, seed).q};
  for (unsigned k = 0; k < 3; ++k) {
    out.muscles.push_back(carried(test::random_muscle(skeleton, kind, 10 * seed + k), skeleton));
    out.muscles.back().name += "_" + std::to_string(k);
  }
  out.muscles.back().mass_model = MassModel::points;
  return out;
}
Example mixed_example(unsigned seed) {
  const Skeleton skeleton = test::random_tree(seed, 5).build();
  Example out{skeleton, {}, test::random_state(skeleton, seed).q};
  for (PathKind kind : test::kPathKinds)
    out.muscles.push_back(test::random_muscle(skeleton, kind, seed));
  return out;
}

class MomentsTransfer : public testing::TestWithParam<std::tuple<PathKind, unsigned>> {};

TEST_P(MomentsTransfer, KeepsMassCentreAndInertiaOfTheModel) {
  const auto [kind, seed] = GetParam();
  const Example at = floating_example(kind, seed);
  const MatX before = composite(with_muscles(at.skeleton, without_mass(at.muscles)), at.q);
  for (const bool hosted : {false, true}) {
    MomentsPolicy policy;
    if (hosted) policy.hosts = {BodyIndex(1), BodyIndex(), BodyIndex(4)};
    const MassTransfer moved = transfer_what_works(at.skeleton, at.muscles, at.q, policy);
    const MatX after = composite(with_muscles(moved.skeleton, moved.muscles), at.q);
    // Rounding of sums over some hundred samples.
    EXPECT_LT((after - before).norm(), 1e-12 * before.norm());
    // The difference if nothing had been taken.
    const MatX doubled = composite(with_muscles(at.skeleton, moved.muscles), at.q);
    EXPECT_GT((doubled - before).norm(), 1e-5 * before.norm());
    expect_same(moved.total_after, moved.total_before, 1e-12);
  }
}

INSTANTIATE_TEST_SUITE_P(RandomMuscles, MomentsTransfer,
                         testing::Combine(testing::ValuesIn(test::kPathKinds),
                                          testing::Range(1u, 7u)),
                         [](const auto& test_case) {
                           return std::string(test::name_of(std::get<0>(test_case.param))) + "_" +
                                  std::to_string(std::get<1>(test_case.param));
                         });

TEST(MassTransfer, KeepsWhatGravitySeesOfMusclesOnTheGround) {
  for (unsigned seed = 1; seed < 8; ++seed) {
    const Example at = mixed_example(seed);
    const MassTransfer moved = transfer_what_works(at.skeleton, at.muscles, at.q);
    for (int k = 0; k < 3; ++k) {
      const auto potential = [&](const Skeleton& skeleton, const std::vector<Muscle>& muscles) {
        SystemBuilder builder(skeleton);
        builder.set_gravity(Vec3::Unit(k));
        for (const Muscle& muscle : muscles) builder.add_muscle(muscle);
        const System system = builder.build();
        Workspace ws(system);
        return energy(system, {0, at.q, VecX::Zero(at.q.size())}, ws).gravity;
      };
      // Bodies welded to the ground do not fall, but their share of the muscles does.
      double welded = 0;
      for (const MassMove& move : moved.moves) {
        const Body& body = at.skeleton.body(move.body);
        if (body.link == 0) welded += move.taken.transformed(body.E_LB).h[k];
      }
      const double scale = moved.total_before.h.norm() + moved.total_before.mass;
      EXPECT_NEAR(potential(moved.skeleton, moved.muscles),
                  potential(at.skeleton, without_mass(at.muscles)) - welded, 1e-12 * scale);
    }
    expect_same(moved.total_after, moved.total_before, 1e-12);
  }
}

TEST(MassTransfer, ReportsWhatItMoved) {
  const Example at = mixed_example(3);
  const MassTransfer moved = transfer_what_works(at.skeleton, at.muscles, at.q);
  double of_muscles = 0, of_moves = 0;
  for (const Muscle& muscle : moved.muscles) of_muscles += muscle.mass;
  for (const MassMove& move : moved.moves) {
    of_moves += move.taken.mass;
    EXPECT_DOUBLE_EQ(move.share, move.taken.mass / at.skeleton.body(move.body).M_B.mass);
  }
  EXPECT_NEAR(of_moves, of_muscles, 1e-13 * of_muscles);
  EXPECT_FALSE(moved.bodies.empty());
  for (const InertiaChange& change : moved.bodies) {
    SpatialInertia sum = change.after;
    for (const MassMove& move : moved.moves)
      if (move.body == change.body) sum = sum + move.taken;
    expect_same(sum, at.skeleton.body(change.body).M_B, 1e-13);
    const SpatialInertia& now = moved.skeleton.body(change.body).M_B;
    EXPECT_EQ(change.com_change(), Vec3(now.com() - change.before.com()));
    EXPECT_GT(change.com_change().norm(), 0);
    EXPECT_GT(change.inertia_change().norm(), 0);
  }
  EXPECT_EQ(moved.status.size(), at.muscles.size());
}

// ---- sources of mass

/// Cutting a piece recovers its density from its moments: rounding times entries of up to 192.
constexpr double kCut = 3e-14;

/// Bodies of 10 kg on sliders along x; in the reference pose all frames are the world's.
Skeleton sliders(int count) {
  SkeletonBuilder builder;
  for (int b = 0; b < count; ++b) {
    BodySpec spec;
    spec.name = "b" + std::to_string(b);
    spec.joint = Prismatic(Vec3::UnitX());
    spec.M_B = SpatialInertia::FromCentral(10, Vec3::Zero(), 20 * Mat3::Identity());
    builder.add_body(spec);
  }
  return builder.build();
}
Muscle along_x(const std::vector<std::pair<BodyIndex, double>>& points) {
  Muscle muscle;
  muscle.name = "m";
  muscle.mass = 1;
  for (const auto& [body, x] : points)
    muscle.points.push_back(PathPoint::Fixed(body, Vec3(x, 0, 0)));
  return muscle;
}

TEST(MassTransfer, TakesEachStretchFromTheBodyOfTheNearestPathPoint) {
  const BodyIndex a(0), b(1);
  const Skeleton skeleton = sliders(2);
  const MassTransfer half = transfer_mass(skeleton, {along_x({{a, 0}, {b, 2}})}, MomentsPolicy{});
  ASSERT_EQ(half.moves.size(), 2u);
  // Half a rod of 1 kg and 2 m each: from 0 to 1, and from 1 to 2.
  EXPECT_NEAR(half.moves[0].taken.mass, 0.5, kCut);
  EXPECT_NEAR(half.moves[0].taken.h[0], 0.25, kCut);
  EXPECT_NEAR(half.moves[0].taken.I(1, 1), 0.5 / 3, kCut);
  EXPECT_NEAR(half.moves[1].taken.h[0], 0.75, kCut);
  EXPECT_NEAR(half.moves[1].taken.I(2, 2), 0.5 * (1.5 * 1.5 + 1.0 / 12), kCut);
  EXPECT_NEAR(half.moves[0].share, 0.05, kCut);

  // Borders at 1 and 3 of 5; the first body holds both ends.
  const MassTransfer ends =
      transfer_mass(skeleton, {along_x({{a, 0}, {b, 2}, {a, 4}, {a, 5}})}, MomentsPolicy{});
  ASSERT_EQ(ends.moves.size(), 2u);
  EXPECT_NEAR(ends.moves[0].taken.mass, 0.6, kCut);
  EXPECT_NEAR(ends.moves[1].taken.h[0], 0.4 * 2, kCut);

  // The ground has nothing to give.
  const MassTransfer ground =
      transfer_mass(skeleton, {along_x({{kWorld, 0}, {b, 2}, {kWorld, 5}})}, MomentsPolicy{});
  ASSERT_EQ(ground.moves.size(), 1u);
  EXPECT_NEAR(ground.moves[0].taken.mass, 1, 1e-15);

  const MassTransfer hosted = transfer_mass(skeleton, {along_x({{kWorld, 0}, {b, 2}})},
                                            MomentsPolicy{.share = 1, .hosts = {a}});
  ASSERT_EQ(hosted.moves.size(), 1u);
  EXPECT_EQ(hosted.moves[0].body, a);
}

TEST(MassTransfer, DividesADensityProfileWhereTheHostsChange) {
  Muscle muscle = along_x({{BodyIndex(0), 0}, {BodyIndex(1), 2}});
  muscle.material = MaterialMap::Uniform(0.2, 1);  // from x = 0.4 on, β = (x − 0.4)/1.6
  muscle.regions = mass_regions(MassProfile::parabolic, 1);
  const MassTransfer moved = transfer_mass(sliders(2), {muscle}, MomentsPolicy{});
  ASSERT_EQ(moved.moves.size(), 2u);
  // Up to x = 1, β = c = 3/8: ∫6β(1−β) = 3c² − 2c³ and ∫6β(1−β)β = 2c³ − 3c⁴/2.
  const double c = 0.375, m = 3 * c * c - 2 * c * c * c;
  const double first = 2 * c * c * c - 1.5 * c * c * c * c;
  EXPECT_NEAR(moved.moves[0].taken.mass, m, kCut);
  EXPECT_NEAR(moved.moves[0].taken.h[0], 0.4 * m + 1.6 * first, kCut);
  EXPECT_NEAR(moved.moves[1].taken.mass, 1 - m, kCut);
}

TEST(MassTransfer, FollowsTheWeightsOfConditionalPoints) {
  Skeleton skeleton = sliders(3);
  const PathPoint from = PathPoint::Fixed(BodyIndex(0), Vec3(0, 0, 0)),
                  to = PathPoint::Fixed(BodyIndex(1), Vec3(4, 0, 0));
  Muscle muscle = along_x({});
  muscle.points = {from,
                   PathPoint::Conditional(BodyIndex(2), Vec3(2, 0, 0), DofIndex(2),
                                          {.lower = -1, .upper = 1}, from, to, 0.5),
                   to};
  const auto mass_of = [&](const MassTransfer& moved, int body) {
    double mass = 0;
    for (const MassMove& move : moved.moves)
      if (move.body == body) mass += move.taken.mass;
    return mass;
  };
  const MassTransfer inside = transfer_mass(skeleton, {muscle}, MomentsPolicy{});
  EXPECT_NEAR(mass_of(inside, 2), 0.5, kCut);
  const MassTransfer outside =
      transfer_mass(skeleton, {muscle}, MomentsPolicy{}, VecX(Vec3(0, 0, 3)));
  EXPECT_EQ(mass_of(outside, 2), 0);
  EXPECT_NEAR(mass_of(outside, 0) + mass_of(outside, 1), 1, kCut);
}

TEST(MassTransfer, TakesTheDefaultCoordinatesAsReference) {
  const Example at = mixed_example(2);
  const VecX zero = VecX::Zero(at.q.size());
  const Skeleton posed = at.skeleton.with_defaults(at.q, zero);
  const MassTransfer given = transfer_what_works(at.skeleton, at.muscles, at.q);
  const double share = given.muscles[0].mass / at.muscles[0].mass;
  const MassTransfer found =
      transfer_mass(posed, at.muscles, MomentsPolicy{.share = share, .hosts = {}});
  EXPECT_EQ(found.total_before.I, given.total_before.I);
  EXPECT_EQ(found.moves.size(), given.moves.size());
}

// ---- scale

/// Shares of two bodies, one of them with two muscles.
ScalePolicy some_shares(const Example& at, double share) {
  return {{{BodyIndex(1), share, {{at.muscles[0].name, 3}, {at.muscles[1].name, 1}}},
           {BodyIndex(2), 0.5 * share, {{at.muscles[1].name, 1}, {at.muscles[2].name, 1}}}}};
}
Example three_muscles(unsigned seed) {
  Example at = mixed_example(seed);
  at.muscles = {at.muscles[0], at.muscles[3], at.muscles[4]};
  return at;
}

TEST(MassTransfer, ScalesSegmentsAndDividesTheirMassByRatios) {
  const Example at = three_muscles(4);
  const MassTransfer moved = transfer_mass(at.skeleton, at.muscles, some_shares(at, 0.8), at.q);
  const Body &b1 = at.skeleton.body(BodyIndex(1)), &b2 = at.skeleton.body(BodyIndex(2));
  const SpatialInertia& after = moved.skeleton.body(BodyIndex(1)).M_B;
  EXPECT_NEAR(after.mass, 0.2 * b1.M_B.mass, 1e-15 * b1.M_B.mass);
  EXPECT_LT((after.com() - b1.M_B.com()).norm(), 1e-15);
  EXPECT_LT((after.central_inertia() - 0.2 * b1.M_B.central_inertia()).norm(),
            1e-15 * b1.M_B.I.norm());
  EXPECT_NEAR(moved.muscles[0].mass, 0.6 * b1.M_B.mass, 1e-15 * b1.M_B.mass);
  EXPECT_NEAR(moved.muscles[1].mass, 0.2 * b1.M_B.mass + 0.2 * b2.M_B.mass, 1e-14);
  EXPECT_NEAR(moved.muscles[2].mass, 0.2 * b2.M_B.mass, 1e-14);
  EXPECT_NEAR(moved.total_after.mass, moved.total_before.mass, 1e-12 * moved.total_before.mass);
  // It is not where it was: that is the other policy.
  EXPECT_GT((moved.total_after.com() - moved.total_before.com()).norm(), 1e-3);
}

// ---- Wang 2022 §6.2.9

/// Inverse dynamics along a motion, at several times.
MatX torques(const MassTransfer& model, const VecX& q0) {
  const System system = with_muscles(model.skeleton, model.muscles);
  Workspace ws(system);
  const int n = system.dof_count();
  MatX out(n, 5);
  test::Random random(77);
  const VecX amplitude = random.vecx(n, 0.2), phase = random.vecx(n, 3);
  for (int k = 0; k < out.cols(); ++k) {
    const double w = 7, t = 0.1 * k;
    const Eigen::ArrayXd angle = w * t + phase.array();
    const VecX q = q0.array() + amplitude.array() * angle.sin();
    const VecX qdot = w * amplitude.array() * angle.cos();
    const VecX qddot = -w * w * amplitude.array() * angle.sin();
    VecX g(n);
    inverse_dynamics(system, {t, q, qdot}, qddot, ws, g);
    out.col(k) = g;
  }
  return out;
}

class ShareOfMuscles : public testing::TestWithParam<unsigned> {
 protected:
  ShareOfMuscles() : at_(three_muscles(GetParam())) {
    const MassTransfer works = transfer_what_works(at_.skeleton, at_.muscles, at_.q);
    for (size_t k = 0; k < at_.muscles.size(); ++k)  // so that a share of 1 works
      at_.muscles[k] = with_mass(at_.muscles[k], works.muscles[k].mass);
  }
  MassPolicy policy(bool moments, double share) const {
    if (moments) return MomentsPolicy{.share = share, .hosts = {}};
    return some_shares(at_, share);
  }
  Example at_;
};

TEST_P(ShareOfMuscles, ChangesInverseDynamicsLinearly) {
  for (const bool moments : {true, false}) {
    const auto at_share = [&](double share) {
      return torques(transfer_mass(at_.skeleton, at_.muscles, policy(moments, share), at_.q),
                     at_.q);
    };
    const MatX none = at_share(0), most = at_share(0.8);
    EXPECT_GT((most - none).norm(), 1e-4 * none.norm());
    for (const double share : {0.2, 0.4, 0.6}) {
      const MatX line = none + (share / 0.8) * (most - none);
      // The requirement is 1e-9; rounding of long chains stays far below.
      EXPECT_LT((at_share(share) - line).cwiseAbs().maxCoeff(), 1e-12 * none.cwiseAbs().maxCoeff());
    }
  }
}

TEST_P(ShareOfMuscles, OfZeroIsTheMasslessSimulatorToTheBit) {
  const System massless = with_muscles(at_.skeleton, without_mass(at_.muscles));
  for (const bool moments : {true, false}) {
    const MassTransfer moved = transfer_mass(at_.skeleton, at_.muscles, policy(moments, 0), at_.q);
    EXPECT_TRUE(moved.moves.empty());
    EXPECT_TRUE(moved.bodies.empty());
    const System system = with_muscles(moved.skeleton, moved.muscles);
    EXPECT_FALSE(system.has_massive_muscles());
    Workspace ws(system), massless_ws(massless);
    State a, b;
    a.q = b.q = at_.q;
    a.qdot = b.qdot = test::random_state(at_.skeleton, GetParam()).qdot;
    for (const Integrator integrator : {Integrator::rk4, Integrator::sdirk2}) {
      StepOptions options;
      options.integrator = integrator;
      for (int k = 0; k < 5; ++k) {
        step(system, options, 1e-3, a, ws);
        step(massless, options, 1e-3, b, massless_ws);
      }
      EXPECT_EQ(hash(a), hash(b));
    }
    const VecX qddot = test::Random(GetParam()).vecx(system.dof_count());
    VecX g(qddot.size()), expected(qddot.size());
    inverse_dynamics(system, {0, a.q, a.qdot}, qddot, ws, g);
    inverse_dynamics(massless, {0, a.q, a.qdot}, qddot, massless_ws, expected);
    EXPECT_EQ(g, expected);
  }
}

INSTANTIATE_TEST_SUITE_P(RandomTrees, ShareOfMuscles, testing::Range(1u, 9u));

// ---- mistakes

/// The Error of a transfer, which must be one.
Error error_of(const Skeleton& skeleton, const std::vector<Muscle>& muscles,
               const MassPolicy& policy) {
  try {
    transfer_mass(skeleton, muscles, policy);
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no Error";
  return Error("", "", "");
}

TEST(MassTransfer, NamesTheBodyThatCannotGiveItsMuscleAndTheLargestShareThatCan) {
  const BodyIndex a(0), b(1);
  const Skeleton skeleton = sliders(2);
  Muscle small = along_x({{a, 0}, {b, 1}}), large = along_x({{a, 0}, {a, 4}});
  small.name = "small";
  large.name = "large";
  large.mass = 2;
  const Error error = error_of(skeleton, {small, large}, MomentsPolicy{});
  EXPECT_EQ(error.element(), "body 'b0'");
  EXPECT_THAT(error.problem(), HasSubstr("'large'"));
  EXPECT_THAT(error.problem(), HasSubstr("triangle inequality"));
  ASSERT_THAT(error.remedy(), HasSubstr("works is "));
  const double share = std::stod(error.remedy().substr(error.remedy().find("works is ") + 9));
  const auto at_share = [&](double factor) {
    return transfer_mass(skeleton, {small, large},
                         MomentsPolicy{.share = factor * share, .hosts = {}});
  };
  EXPECT_NO_THROW(at_share(1));
  EXPECT_THROW(at_share(1.001), Error);  // printed with four digits
  // The share found does not depend on the one that was tried.
  const Error again = error_of(skeleton, {small, large}, MomentsPolicy{.share = 0.9, .hosts = {}});
  EXPECT_EQ(again.remedy(), error.remedy());

  large.mass = 30;
  EXPECT_THAT(error_of(skeleton, {large}, MomentsPolicy{}).problem(), HasSubstr("30 kg"));
}

TEST(MassTransfer, NamesTheMusclesAndBodiesOfMistakes) {
  const BodyIndex a(0), b(1);
  const Skeleton skeleton = sliders(2);
  const Muscle muscle = along_x({{a, 0}, {b, 1}});
  const auto expect = [&](const MassPolicy& policy, const Muscle& m, const char* element,
                          const char* problem) {
    const Error error = error_of(skeleton, {m}, policy);
    EXPECT_EQ(error.element(), element) << error.what();
    EXPECT_THAT(error.problem(), HasSubstr(problem));
  };
  expect(MomentsPolicy{.share = -1, .hosts = {}}, muscle, "mass transfer", "share");
  expect(MomentsPolicy{.share = 1, .hosts = {a, b}}, muscle, "mass transfer", "one host");
  expect(MomentsPolicy{.share = 1, .hosts = {BodyIndex(2)}}, muscle, "muscle 'm'",
         "does not exist");
  Muscle long_tendons = muscle;
  long_tendons.material = MaterialMap::Tendons(0.7, 0.4);
  expect(MomentsPolicy{}, long_tendons, "muscle 'm'", "0 kg on its path");
  Muscle wrong_profile = muscle;
  wrong_profile.regions = mass_regions(MassProfile::uniform, 2);
  expect(MomentsPolicy{}, wrong_profile, "muscle 'm'", "add up to its mass");
  Muscle on_ground = muscle;
  on_ground.points[0].terms[0].body = on_ground.points[1].terms[0].body = kWorld;
  on_ground.points[1].terms.push_back({b, Vec3::Zero(), true, 1, {}});
  expect(MomentsPolicy{}, on_ground, "muscle 'm'", "along the ground");

  using Parts = std::vector<SegmentShare::Part>;
  const Parts m{{"m", 1}};
  expect(ScalePolicy{{{a, 1, m}}}, muscle, "body 'b0'", "not in [0, 1)");
  expect(ScalePolicy{{{a, 0.2, m}, {a, 0.2, m}}}, muscle, "body 'b0'", "twice");
  expect(ScalePolicy{{{a, 0.2, {}}}}, muscle, "body 'b0'", "no muscle");
  expect(ScalePolicy{{{a, 0.2, {{"m", -1}}}}}, muscle, "body 'b0'", "ratio");
  expect(ScalePolicy{{{a, 0.2, {{"n", 1}}}}}, muscle, "muscle 'n'", "does not exist");
  expect(ScalePolicy{{{kWorld, 0.2, m}}}, muscle, "mass transfer", "does not exist");
  expect(ScalePolicy{}, muscle, "muscle 'm'", "no segment gives");
  EXPECT_THROW(transfer_mass(skeleton, {muscle}, MomentsPolicy{}, VecX::Zero(5)), Error);
}

TEST(MassTransfer, KeepsTheProfileOfAMuscleThatLosesItsMass) {
  Muscle muscle = along_x({});
  muscle.regions = mass_regions({0, 0.3, 1}, {1, 3, 0.5}, 1, "m");
  const Muscle back = with_mass(with_mass(muscle, 0), 2);
  for (size_t k = 0; k < muscle.regions.size(); ++k)
    EXPECT_NEAR(back.regions[k].density(0.4), 2 * muscle.regions[k].density(0.4), 1e-14);
  muscle.mass = 0;
  muscle.regions = mass_regions(MassProfile::parabolic, 0);
  EXPECT_THROW(with_mass(muscle, 1), Error);
}

}  // namespace mass_transfer_test
}  // namespace sinew
