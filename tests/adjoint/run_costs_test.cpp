#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <thread>

#include "integrate/feature_systems.hpp"
#include "sinew/adjoint/objectives.hpp"
#include "sinew/adjoint/run_derivatives.hpp"
#include "sinew/adjoint/run_parameters.hpp"
#include "sinew/dynamics/coordinate_drive.hpp"
#include "sinew/io/scene/scene.hpp"
#include "support/allocation_guard.hpp"
#include "support/finite_difference.hpp"

/// Memory of runs with gradients, their kinks, and the matrices of single steps.

namespace sinew {
namespace run_costs_test {

constexpr Integrator kIntegrators[] = {Integrator::bdf1, Integrator::sdirk2, Integrator::bdf2};
constexpr double kInfinity = std::numeric_limits<double>::infinity();
const std::vector<std::vector<Feature>> kContents = {
    {},
    {Feature::massive_muscles},
    {Feature::hill_muscles, Feature::massive_muscles, Feature::constraints},
    {Feature::hill_muscles, Feature::soft_bodies},
    {Feature::strands}};

RunSettings settings(Integrator integrator, double dt, int steps) {
  RunSettings out;
  out.step = differentiable_options({.integrator = integrator});
  out.dt = dt;
  out.steps = steps;
  return out;
}

TEST(RunCosts, ReverseSweepsAllocateNothingAfterTheFirst) {
  SINEW_NEEDS_ALLOCATION_COUNTS();
  const CoordinateTarget objective(0, CoordinateTarget::Of::value, 0.1, 1.0, Moments::steps());
  for (const std::vector<Feature>& content : kContents)
    for (const Integrator integrator : kIntegrators) {
      const System system = test::system_with(content);
      SCOPED_TRACE(to_string(integrator) + " " + std::to_string(content.size()));
      RunDerivatives run(system, settings(integrator, 0.004, 6));
      const State start = system.default_state();
      VecX sum = VecX::Zero(system.controls().size());
      const ControlAdjoint add = [&](double, const VecX& bar) { sum += bar; };
      ASSERT_TRUE(run.run(system.controls(), start, objective)) << run.failure();
      run.gradient(add);
      ASSERT_TRUE(run.run(system.controls(), start, objective));
      const test::AllocationGuard guard;
      run.gradient(add);
      EXPECT_EQ(guard.count(), 0);
    }
}

/// Allocations of a gradient after one that made room for it.
size_t allocations_of_gradient(RunDerivatives& run, const Controls& controls, const State& start,
                               const Objective& objective, ModelDerivatives* model = nullptr) {
  const ControlAdjoint nothing = [](double, const VecX&) {};
  for (int k = 0; k < 2; ++k) {
    EXPECT_TRUE(run.run(controls, start, objective)) << run.failure();
    if (k == 0) run.gradient(nothing, model);
  }
  const test::AllocationGuard guard;
  run.gradient(nothing, model);
  return static_cast<size_t>(guard.count());
}

TEST(RunCosts, ReverseSweepsWithCheckpointsAllocateNothingAfterTheFirst) {
  SINEW_NEEDS_ALLOCATION_COUNTS();
  const CoordinateTarget objective(0, CoordinateTarget::Of::value, 0.1, 1.0, Moments::steps());
  for (const std::vector<Feature>& content : kContents)
    for (const Integrator integrator : kIntegrators) {
      const System system = test::system_with(content);
      SCOPED_TRACE(to_string(integrator) + " " + std::to_string(content.size()));
      RunSettings run_settings = settings(integrator, 0.004, 30);
      run_settings.checkpoints = true;
      RunDerivatives run(system, run_settings);
      EXPECT_EQ(allocations_of_gradient(run, system.controls(), system.default_state(), objective),
                0u);
    }
}

TEST(RunCosts, ReverseSweepsOverChangesOfChartsAllocateNothingAfterTheFirst) {
  SINEW_NEEDS_ALLOCATION_COUNTS();
  BodySpec body;
  body.name = "top";
  body.joint = SphericalExp{};
  body.M_B = SpatialInertia::FromCentral(1, Vec3(0.1, 0, 0), Vec3(0.05, 0.06, 0.07).asDiagonal());
  body.q0 = {3.5, 2.6, 1.1};
  body.qdot0 = {2, 2, 1};
  const System system = SystemBuilder(SkeletonBuilder().add_body(body).build()).build();
  const CoordinateTarget objective(0, CoordinateTarget::Of::value, 0.1, 1.0, Moments::steps());
  for (const Integrator integrator : kIntegrators) {
    SCOPED_TRACE(to_string(integrator));
    RunDerivatives run(system, settings(integrator, 0.01, 15));
    EXPECT_EQ(allocations_of_gradient(run, system.controls(), system.default_state(), objective),
              0u);
    EXPECT_LT(run.end().q.norm(), 2.5);  // charts have moved
  }
}

/// A rocker that a loop holds, and a Hill muscle on it.
constexpr const char* kLoop = R"({
  "sinew_scene": 1,
  "bodies": [
    {"name": "crank", "parent": "world", "joint": {"type": "revolute", "axis": [0, 0, 1], "q0": 0.9},
     "inertia": {"mass": 1, "com": [0.1, 0, 0], "moments": [0.01, 0.01, 0.01]}},
    {"name": "coupler", "parent": "crank",
     "joint": {"type": "revolute", "axis": [0, 0, 1], "placement": [0.2, 0, 0], "q0": -0.8},
     "inertia": {"mass": 2, "com": [0.2, 0, 0], "moments": [0.02, 0.02, 0.02]}},
    {"name": "rocker", "parent": "world",
     "joint": {"type": "revolute", "axis": [0, 0, 1], "placement": [0.45, 0, 0], "q0": 1.2},
     "inertia": {"mass": 1, "com": [0.15, 0, 0], "moments": [0.01, 0.01, 0.01]}}],
  "muscles": {"list": [{"name": "muscle",
    "path": [{"body": "world", "position": [0.1, -0.1, 0]},
             {"body": "rocker", "position": [0.2, 0.02, 0]}],
    "hill": {"max_isometric_force": 200, "optimal_fibre_length": 0.11, "tendon_slack_length": 0.3,
             "excitation": 0.4}}]},
  "constraints": [{"type": "hinge", "name": "pin", "bodies": ["coupler", "rocker"],
    "points": [[0.4, 0, 0], [0.3, 0, 0]], "axes": [[0, 0, 1], [0, 0, 1]]}]})";

TEST(RunCosts, ReverseSweepsByParametersOfAModelWithALoopAllocateNothingAfterTheFirst) {
  SINEW_NEEDS_ALLOCATION_COUNTS();
  const CoordinateTarget objective(0, CoordinateTarget::Of::value, 0.1, 1.0, Moments::steps());
  // A mass, a length and the duration.
  const BuildModel build = [](const VecX& values) {
    const auto system = std::make_shared<const System>(
        parse_scene(
            kLoop, "loop", ".",
            {fmt::format("bodies.coupler.inertia.mass={:.17g}", values[0]),
             fmt::format("muscles.list.muscle.hill.optimal_fibre_length={:.17g}", values[1])})
            .system);
    return ModelAt{system, exact_start(*system), values[2]};
  };
  const VecX values = Vec3(2, 0.11, 0.004);
  for (const Integrator integrator : kIntegrators) {
    SCOPED_TRACE(to_string(integrator));
    RunParameters parameters(build, values);
    parameters.add_model("mass", 2);
    parameters.add_model("fibre", 0.11);
    parameters.add_model("duration", 0.004);
    RunDerivatives run(parameters.system(), settings(integrator, 0.004, 10));
    ValueAndGradient at;
    ASSERT_TRUE(differentiate(run, parameters, objective, VecX::Ones(3), at)) << run.failure();
    EXPECT_GT(at.gradient.cwiseAbs().minCoeff(), 0);
    EXPECT_EQ(allocations_of_gradient(run, parameters.controls(), parameters.start(), objective,
                                      parameters.model(run.dt())),
              0u);
  }
}

TEST(RunCosts, TapesAndCheckpointsTakeLittleMemory) {
  constexpr int kSteps = 400;
  const CoordinateTarget objective(0, CoordinateTarget::Of::value, 0.1, 1.0, Moments::steps());
  double largest = 0, largest_with_checkpoints = 0;  // shares of what is allowed
  for (const std::vector<Feature>& content : kContents)
    for (const Integrator integrator : kIntegrators) {
      const System system = test::system_with(content);
      const Workspace ws(system);
      const double stages = integrator == Integrator::sdirk2 ? 2 : 1;
      const double step = stages * (10. * (5 * system.dof_count() + 3 * ws.constraints.rows.size() +
                                           2 * static_cast<int>(system.muscles().size())) +
                                    200);
      RunSettings run_settings = settings(integrator, 1e-4, kSteps);
      RunDerivatives taped(system, run_settings);
      ASSERT_TRUE(taped.run(system.controls(), system.default_state(), objective));
      const auto memory = static_cast<double>(taped.memory());
      EXPECT_LE(memory, kSteps * step + 1000);  // the start, too
      largest = std::max(largest, memory / (kSteps * step + 1000));
      run_settings.checkpoints = true;
      RunDerivatives checked(system, run_settings);
      ASSERT_TRUE(checked.run(system.controls(), system.default_state(), objective));
      checked.gradient([](double, const VecX&) {});
      const double allowed = (2 * std::sqrt(kSteps) + 10) * step;
      EXPECT_LE(static_cast<double>(checked.memory()), allowed);
      largest_with_checkpoints =
          std::max(largest_with_checkpoints, static_cast<double>(checked.memory()) / allowed);
    }
  std::printf("memory over what is allowed, at most: %.3f, with checkpoints %.3f\n", largest,
              largest_with_checkpoints);
}

TEST(RunCosts, KinksAreCountedForEachElement) {
  SystemBuilder builder = test::builder_with(std::vector<Feature>{Feature::hill_muscles});
  builder.add_force(std::make_shared<CoordinateStop>("end", DofIndex(0), -0.45, 1.0, 200.0, 0.0));
  builder.add_force(std::make_shared<CoordinateStop>("far", DofIndex(1), -9.0, 9.0, 200.0, 0.0));
  const System system = builder.build();
  RunDerivatives run(system, settings(Integrator::bdf1, 0.004, 60));
  ControlSchedule controls = system.controls();
  // Above the activation, then below.
  controls.set(0, TimeFunction::Table({0, 0.1}, {0.8, 0.02}, TimeFunction::Interpolation::step,
                                      "excitation"));
  const CoordinateTarget objective(0, CoordinateTarget::Of::value, 0.1, 1.0, Moments::steps());
  ASSERT_TRUE(run.run(controls, system.default_state(), objective)) << run.failure();
  run.gradient([](double, const VecX&) {});
  int end = 0, hill = 0;
  for (const RunDerivatives::Kinks& kinks : run.kinks()) {
    if (kinks.element == "force 'end'")
      end = kinks.count;
    else if (kinks.element == "muscle 'hill'")
      hill = kinks.count;
    else
      ADD_FAILURE() << kinks.element;
  }
  EXPECT_EQ(hill, 1);
  // As often as the coordinate passes the stop.
  State state = system.default_state();
  Workspace ws(system);
  int passed = 0;
  bool beyond = state.q[0] < -0.45;
  for (int k = 0; k < 60; ++k) {
    step(system, settings(Integrator::bdf1, 0.004, 60).step, 0.004, controls, state, ws);
    passed += (state.q[0] < -0.45) != beyond;
    beyond = state.q[0] < -0.45;
  }
  EXPECT_GT(passed, 0);
  EXPECT_EQ(end, passed);
}

TEST(RunCosts, FibresOfThelenThatComeToRestAreKinks) {
  // The slope of their force–velocity curve doubles there.
  for (const bool rigid : {false, true}) {
    HillDescription hill = test::flexor(0.3, rigid);
    hill.muscle.curves = Thelen2003Curves{};
    hill.muscle.damping = 0;
    hill.activation.kind = ActivationDynamics::Kind::blended;
    const System system = test::arm(hill, hill, 0);
    const RunSettings run_settings = settings(Integrator::bdf1, 0.004, 60);
    RunDerivatives run(system, run_settings);
    ControlSchedule controls = system.controls();
    for (int k = 0; k < 2; ++k)
      controls.set(k, TimeFunction::Table({0, 0.1}, {0.8, 0.02}, TimeFunction::Interpolation::step,
                                          "excitation"));
    const CoordinateTarget objective(0, CoordinateTarget::Of::value, 0.1, 1.0, Moments::steps());
    State state = system.default_state();
    ASSERT_TRUE(run.run(controls, state, objective)) << run.failure();
    run.gradient([](double, const VecX&) {});
    int counted = 0;
    for (const RunDerivatives::Kinks& kinks : run.kinks()) counted += kinks.count;
    // Fibres of both muscles are the last entries of z.
    Workspace ws(system);
    int turned = 0;
    std::optional<bool> lengthened[2];
    for (int k = 0; k < run_settings.steps; ++k) {
      const State before = state;
      ASSERT_EQ(step(system, run_settings.step, run_settings.dt, controls, state, ws).status,
                StepStatus::ok);
      for (Eigen::Index m = 0; m < 2; ++m) {
        const bool lengthens = state.z[2 + m] > before.z[2 + m];
        turned += lengthened[m] && *lengthened[m] != lengthens;
        lengthened[m] = lengthens;
      }
    }
    if (rigid) {
      EXPECT_GT(counted, 0);  // fibres are no states
    } else {
      EXPECT_GT(turned, 0);
      EXPECT_EQ(counted, turned);
    }
  }
}

/// How often elements bend in a run of a scene.
std::map<std::string, int> kinks_of(const std::string& text, double dt, int steps) {
  const System system = parse_scene(text, "scene", ".").system;
  RunDerivatives run(system, settings(Integrator::bdf1, dt, steps));
  const CoordinateTarget objective(0, CoordinateTarget::Of::value, 0, 1.0);
  EXPECT_TRUE(run.run(system.controls(), system.default_state(), objective)) << run.failure();
  run.gradient([](double, const VecX&) {});
  std::map<std::string, int> out;
  for (const RunDerivatives::Kinks& kinks : run.kinks()) out[kinks.element] = kinks.count;
  return out;
}

TEST(RunCosts, StrandsThatBecomeTautOrSlackAreKinks) {
  const std::string scene = R"({"sinew_scene": 1, "gravity": [0, -9.81, 0],
    "bodies": [{"name": "beam", "parent": "world", "joint": {"type": "fixed"},
                "shapes": [{"type": "cuboid", "sides": [0.4, 0.1, 0.2], "density": 700}]}],
    "strand_nodes": [
      {"type": "rigid", "name": "bridge", "body": "world", "point": [0, 0, 0]},
      {"type": "maximal", "name": "jumper", "position": [0, -0.5, 0], "mass": 1}],
    "strands": [{"name": "rope", "nodes": ["bridge", "jumper"], "length": 1, "stiffness": 100}]})";
  // The jumper is caught below y = −1, and thrown up again.
  const std::map<std::string, int> expected = {{"strand 'rope'", 2}};
  EXPECT_EQ(kinks_of(scene, 0.004, 250), expected);
}

TEST(RunCosts, RunsBesideEachOtherHaveTheSameGradient) {
  SystemBuilder builder = test::builder_with(
      std::vector<Feature>{Feature::hill_muscles, Feature::massive_muscles, Feature::constraints});
  const System system = builder.build();
  const CoordinateTarget objective(0, CoordinateTarget::Of::value, 0.1, 1.0, Moments::steps());
  const auto gradient = [&] {
    RunParameters parameters(system, system.default_state());
    parameters.add_control(0, {0, 0.05}, RunParameters::Interpolation::linear, 0.5);
    RunSettings run_settings = settings(Integrator::bdf2, 0.004, 40);
    run_settings.checkpoints = true;
    RunDerivatives run(system, run_settings);
    ValueAndGradient at;
    EXPECT_TRUE(differentiate(run, parameters, objective, VecX::Constant(2, 0.6), at));
    return at.gradient;
  };
  const VecX alone = gradient();
  EXPECT_GT(alone.norm(), 0);
  std::vector<VecX> found(4);
  std::vector<std::thread> threads;
  for (VecX& x : found) threads.emplace_back([&x, &gradient] { x = gradient(); });
  for (std::thread& thread : threads) thread.join();
  for (const VecX& x : found) EXPECT_EQ(x, alone);
}

TEST(RunCosts, TransitionsAreTheDerivativesOfAStep) {
  for (const std::vector<Feature>& content : kContents)
    for (const Integrator integrator : kIntegrators) {
      SystemBuilder builder = test::builder_with(content);
      builder.add_force(std::make_shared<CoordinateDrive>(
          "motor", DofIndex(1), 2.0, 0.3, CoordinateDrive::Range{-kInfinity, kInfinity}));
      const System system = builder.build();
      SCOPED_TRACE(to_string(integrator) + " " + std::to_string(content.size()));
      RunSettings run_settings = settings(integrator, 0.01, 1);
      run_settings.step.newton_tolerance = 1e-14;
      RunDerivatives run(system, run_settings);
      State start = system.default_state();
      RunDerivatives::Transition out;
      ASSERT_TRUE(run.transition(system.controls(), start, out));
      const Eigen::Index n = start.q.size(), z = start.z.size(), x = 2 * n + z;
      ASSERT_EQ(out.A.rows(), x);
      ASSERT_EQ(out.B.cols(), system.controls().size());
      // Free directions: those that keep constraints need not be found for a derivative to hold.
      const auto end = [&](const VecX& at) {
        State state = start;
        state.q = at.head(n);
        state.qdot = at.segment(n, n);
        state.z = at.segment(2 * n, z);
        struct Held final : Controls {
          VecX values;
          void evaluate(double, const At&, VecRef to) const override { to = values; }
        } held;
        held.values = at.tail(out.B.cols());
        Workspace ws(system);
        EXPECT_EQ(step(system, run_settings.step, run_settings.dt, held, state, ws).status,
                  StepStatus::ok);
        VecX result(x);
        result << state.q, state.qdot, state.z;
        return result;
      };
      VecX at(x + out.B.cols()), u(out.B.cols());
      system.controls().evaluate(0, start, u);
      at << start.q, start.qdot, start.z, u;
      MatX both(x, x + out.B.cols());
      both << out.A, out.B;
      const DifferenceSweep sweep = check_derivative(end, at, both);
      EXPECT_TRUE(sweep.confirms(1e-7)) << sweep.table();
    }
}

}  // namespace run_costs_test
}  // namespace sinew
