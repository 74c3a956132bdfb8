#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sinew/adjoint/objectives.hpp"
#include "sinew/adjoint/run_derivatives.hpp"
#include "sinew/builder/system_builder.hpp"
#include "sinew/dynamics/coordinate_drive.hpp"
#include "sinew/io/models/loaded_model.hpp"
#include "sinew/strands/strand_forms.hpp"
#include "support/hill_examples.hpp"
#include "support/source_dir.hpp"

/// Kinks of runs: counted for the element that bends, as often as its law passes from one smooth
/// piece to another. The counts are those of the motion, by hand.

namespace sinew {
namespace kinks_test {

constexpr Integrator kIntegrators[] = {Integrator::bdf1, Integrator::bdf2};

RunSettings settings(Integrator integrator, double dt, int steps) {
  RunSettings out;
  out.step = differentiable_options({.integrator = integrator});
  out.dt = dt;
  out.steps = steps;
  return out;
}

/// The kinks of the gradient of a run from the default state, by element, and the values of a
/// number of each state after a step.
struct Counted {
  std::vector<RunDerivatives::Kinks> kinks;
  std::vector<double> seen;
};

Counted count_kinks(const System& system, const RunSettings& run_settings,
                    const std::function<double(const State&)>& see) {
  const CoordinateTarget objective(0, CoordinateTarget::Of::value, 0.1, 1.0, Moments::steps());
  RunDerivatives run(system, run_settings);
  State state = system.default_state();
  EXPECT_TRUE(run.run(system.controls(), state, objective)) << run.failure();
  run.gradient([](double, const VecX&) {});
  Counted out{run.kinks(), {}};
  Workspace ws(system);
  for (int k = 0; k < run_settings.steps; ++k) {
    EXPECT_EQ(step(system, run_settings.step, run_settings.dt, state, ws).status, StepStatus::ok);
    out.seen.push_back(see(state));
  }
  return out;
}

/// How often a number changes its sign.
int changes_of_sign(const std::vector<double>& of) {
  int out = 0;
  for (size_t k = 1; k < of.size(); ++k) out += (of[k] > 0) != (of[k - 1] > 0);
  return out;
}

void expect_count(const Counted& counted, const std::string& element) {
  const int passed = changes_of_sign(counted.seen);
  EXPECT_GT(passed, 0);
  ASSERT_EQ(counted.kinks.size(), 1u);
  EXPECT_EQ(counted.kinks[0].element, element);
  EXPECT_EQ(counted.kinks[0].count, passed);
}

/// A mass of 1 kg that moves up and down.
SystemBuilder falling_mass(double height) {
  BodySpec body;
  body.name = "mass";
  body.joint = Prismatic{Vec3::UnitY()};
  body.M_B = SpatialInertia::FromCentral(1, Vec3::Zero(), Mat3::Identity());
  body.q0 = {height};
  return SystemBuilder(SkeletonBuilder().add_body(body).build());
}

TEST(Kinks, OfMotorsAreTheTimesAtWhichTheirControlsReachALimit) {
  // Up through 1 and back, twice, and once down through −0.5; the second motor stays within.
  const auto wave = [](double factor) {
    return TimeFunction::Table({0, 0.03, 0.06, 0.09, 0.12, 0.15, 0.18},
                               {0, 2 * factor, 0, 2 * factor, 0, -2 * factor, -2 * factor},
                               TimeFunction::Interpolation::linear, "control");
  };
  SystemBuilder builder = falling_mass(0);
  const CoordinateDrive::Range range{-0.5, 1};
  builder.add_force(std::make_shared<CoordinateDrive>("motor", DofIndex(0), 2.0, wave(1), range));
  builder.add_force(std::make_shared<CoordinateDrive>("weak", DofIndex(0), 2.0, wave(0.2), range));
  const System system = builder.build();
  for (const Integrator integrator : kIntegrators) {
    SCOPED_TRACE(to_string(integrator));
    const Counted counted =
        count_kinks(system, settings(integrator, 0.004, 45), [](const State&) { return 0.0; });
    ASSERT_EQ(counted.kinks.size(), 1u);
    EXPECT_EQ(counted.kinks[0].element, "force 'motor'");
    EXPECT_EQ(counted.kinks[0].count, 5);
  }
}

TEST(Kinks, OfCablesAreTheTimesAtWhichTheyBecomeTautAndSlack) {
  SystemBuilder builder = falling_mass(-0.9);
  const CableLaw law{.stiffness = 100, .damping = 0, .rest_length = 1, .slack = true};
  builder.add(make_cable("rope", {{kWorld, Vec3::Zero()}, {BodyIndex(0), Vec3::Zero()}}, law));
  const System system = builder.build();
  for (const Integrator integrator : kIntegrators) {
    SCOPED_TRACE(to_string(integrator));
    expect_count(count_kinks(system, settings(integrator, 0.01, 150),
                             [](const State& state) { return -state.q[0] - 1; }),
                 "force 'rope'");
  }
}

TEST(Kinks, OfExactSurfacesAreTouchDownAndLiftOffOfMusclesWithoutMass) {
  LoadOptions options;
  options.set = {"muscles.wrap_model=exact", "muscles.list.muscle.mass=0",
                 "muscles.list.muscle.tension=5"};
  const std::string scene = test::source_dir() + "/scenes/wrap-pendulum.json";
  const System system = load_model(scene, options).system();
  // From 0.6 m above the elbow to 0.5 m below it, on one side of a cylinder of 0.1 m: how far the
  // straight way passes outside of it.
  const auto clearance = [](const State& state) {
    const double elbow = state.q[1];
    const Eigen::Vector2d from(0, 0.6), to(0.5 * std::sin(elbow), -0.5 * std::cos(elbow));
    return 0.6 * to.x() / (to - from).norm() - 0.1;
  };
  for (const Integrator integrator : kIntegrators) {
    SCOPED_TRACE(to_string(integrator));
    expect_count(count_kinks(system, settings(integrator, 0.005, 300), clearance),
                 "muscle 'muscle'");
  }
  // A smooth surface has none.
  options.set[0] = "muscles.wrap_model=smooth";
  const System smooth = load_model(scene, options).system();
  EXPECT_TRUE(count_kinks(smooth, settings(Integrator::bdf1, 0.005, 300), clearance).kinks.empty());
}

/// 1 kg that hangs 0.32 m below the start of a muscle.
System mass_on_a_muscle(const HillDescription& hill, double speed) {
  BodySpec body;
  body.name = "mass";
  body.joint = Prismatic{Vec3::UnitY()};
  body.M_B = SpatialInertia::FromCentral(1, Vec3::Zero(), Mat3::Identity());
  body.q0 = {-0.32};
  body.qdot0 = {speed};
  SystemBuilder builder(SkeletonBuilder().add_body(body).build());
  Muscle muscle;
  muscle.name = "muscle";
  muscle.points = {PathPoint::Fixed(kWorld, Vec3::Zero()),
                   PathPoint::Fixed(builder.skeleton().find_body("mass"), Vec3::Zero())};
  muscle.hill = hill;
  muscle.hill->activation.kind = ActivationDynamics::Kind::blended;
  builder.add_muscle(muscle);
  return builder.build();
}

TEST(Kinks, OfExcitationsAreTheTimesAtWhichTheyReachALimit) {
  // Up through 1 and back, then down through the least activation and back.
  HillDescription hill = test::flexor(0);
  hill.excitation =
      TimeFunction::Table({0, 0.03, 0.06, 0.09, 0.12, 0.18}, {0.5, 1.5, 0.5, -0.5, 0.5, 0.5},
                          TimeFunction::Interpolation::linear, "excitation");
  const System system = mass_on_a_muscle(hill, 0);
  for (const Integrator integrator : kIntegrators) {
    SCOPED_TRACE(to_string(integrator));
    const Counted counted =
        count_kinks(system, settings(integrator, 0.004, 45), [](const State&) { return 0.0; });
    ASSERT_EQ(counted.kinks.size(), 1u);
    EXPECT_EQ(counted.kinks[0].element, "muscle 'muscle'");
    EXPECT_EQ(counted.kinks[0].count, 4);
  }
}

TEST(Kinks, OfFibresAreTheTimesAtWhichTheyReachTheirLeastLength) {
  // The mass is thrown up: the path becomes shorter than the tendon, and the fibre as short as it
  // can be, until the mass has fallen back.
  HillDescription hill = test::flexor(1);
  hill.muscle.pennation_at_optimal = 0.7;
  const System system = mass_on_a_muscle(hill, 2);
  const double least = system.muscles()[0]->muscle().hill->muscle.min_fibre_length();
  for (const Integrator integrator : kIntegrators) {
    SCOPED_TRACE(to_string(integrator));
    expect_count(count_kinks(system, settings(integrator, 0.002, 400),
                             [&](const State& state) { return state.z[1] - least; }),
                 "muscle 'muscle'");
  }
}

TEST(Kinks, OfJointsAreTheTimesAtWhichACoordinatePassesAPointOfAFunction) {
  // A pendulum whose axis moves with its angle, back and forth across the points at ±0.1; those at
  // the ends, where forces jump, are out of its reach.
  std::array<TransformAxis, 3> rotation, translation;
  for (size_t k = 0; k < 3; ++k)
    rotation[k].axis = translation[k].axis = Vec3::Unit(2 - static_cast<int>(k));
  rotation[0] = {Vec3::UnitZ(), LinearFunction{{1}, 0}, {0}};
  const std::vector<double> x{-1, -0.1, 0.1, 1};
  translation[0] = {Vec3::UnitX(), PiecewisePolynomial::EndCubic(x, {0, 0.05, 0, 0.1}), {0}};
  translation[2].axis = Vec3::UnitZ();
  translation[1] = {Vec3::UnitY(), NaturalCubicSpline(x, {0, 0.01, 0.03, 0}), {0}};
  BodySpec body;
  body.name = "bob";
  body.joint_name = "hip";
  body.joint = FunctionJoint({CoordinateKind::angle}, rotation, translation);
  body.coordinate_names = {"angle"};
  body.M_B = SpatialInertia::FromCentral(1, Vec3(0, -0.5, 0), 0.05 * Mat3::Identity());
  body.q0 = {0.3};
  const System system = SystemBuilder(SkeletonBuilder().add_body(body).build()).build();
  for (const Integrator integrator : kIntegrators) {
    SCOPED_TRACE(to_string(integrator));
    expect_count(
        count_kinks(system, settings(integrator, 0.01, 300),
                    [](const State& state) { return (state.q[0] - 0.1) * (state.q[0] + 0.1); }),
        "joint 'hip'");
  }
}

}  // namespace kinks_test
}  // namespace sinew
