#include "sinew/adjoint/run_derivatives.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integrate/feature_systems.hpp"
#include "sinew/adjoint/force_objectives.hpp"
#include "sinew/adjoint/objectives.hpp"
#include "sinew/adjoint/run_parameters.hpp"
#include "sinew/constraints/rows/coupling.hpp"
#include "sinew/dynamics/coordinate_drive.hpp"
#include "sinew/io/models/loaded_model.hpp"
#include "sinew/io/scene/scene.hpp"
#include "sinew/muscles/opensim/opensim_path.hpp"
#include "support/finite_difference.hpp"
#include "support/message_of.hpp"
#include "support/source_dir.hpp"

/// Gradients of runs against central differences of runs, and against sensitivities.

namespace sinew {
namespace run_derivatives_test {

using testing::HasSubstr;

constexpr Integrator kIntegrators[] = {Integrator::bdf1, Integrator::sdirk2, Integrator::bdf2};
constexpr double kInfinity = std::numeric_limits<double>::infinity();

RunSettings settings(Integrator integrator, double dt, int steps) {
  RunSettings out;
  out.step.integrator = integrator;
  out.step.newton_tolerance = 1e-14;
  out.step = differentiable_options(out.step);
  out.dt = dt;
  out.steps = steps;
  return out;
}

/// Motors on the first coordinates.
void add_drives(int count, SystemBuilder& builder) {
  for (int k = 0; k < count; ++k)
    builder.add_force(
        std::make_shared<CoordinateDrive>("motor" + std::to_string(k), DofIndex(k), 2.0, 0.0,
                                          CoordinateDrive::Range{-kInfinity, kInfinity}));
}

/// Something of everything, at the end and on the way.
SumOfObjectives judge(const System& system, int body) {
  const int last = system.dof_count() - 1;
  std::vector<std::shared_ptr<const Objective>> out = {
      std::make_shared<PointTarget>(BodyIndex(body), Vec3(0.2, 0.05, 0), Vec3(0.3, 0.2, 0.1), 2.0),
      std::make_shared<CoordinateTarget>(0, CoordinateTarget::Of::rate, 0.5, 0.3),
      std::make_shared<CoordinateTarget>(last, CoordinateTarget::Of::value, 0.1, 4.0,
                                         Moments::steps())};
  if (!system.constraints().empty())
    out.push_back(std::make_shared<ReactionTarget>(system, ReactionTarget::names(system)[0], 0.3,
                                                   0.05, Moments::steps()));
  return SumOfObjectives(std::move(out));
}

struct Case {
  const System& system;
  RunSettings run;
};

void expect_gradient(const Case& c, const Objective& objective) {
  const System& system = c.system;
  State start = system.default_state();
  test::Random random(5);
  if (system.constraints().empty()) start.qdot += random.vecx(system.dof_count(), 0.4);
  RunParameters parameters(system, start);
  const double end = c.run.dt * c.run.steps;
  const RunParameters::Interpolation kinds[] = {RunParameters::Interpolation::linear,
                                                RunParameters::Interpolation::cubic,
                                                RunParameters::Interpolation::step};
  VecX p(0);
  const auto append = [&](const VecX& values) {
    VecX longer(p.size() + values.size());
    longer << p, values;
    p = longer;
  };
  for (int k = 0; k < system.controls().size(); ++k) {
    parameters.add_control(k, {0, 0.35 * end, 0.8 * end}, kinds[k % 3], 3.0);
    append(VecX(
        (system.controls().entries()[static_cast<size_t>(k)].control.kind == ControlKind::excitation
             ? 0.2
             : 1.0) *
        Vec3(1 + 0.1 * k, 1.5, 0.7)));
  }
  // Where there are constraints the start moves on to meet them.
  const double off = system.constraints().empty() ? 0 : 0.02;
  for (int k = 0; k < std::min(system.dof_count(), 4); ++k) {
    parameters.add_start_q(k, 0.5);
    parameters.add_start_qdot(k, 2.0);
    append(Eigen::Vector2d((start.q[k] + off * (k + 1)) / 0.5, (start.qdot[k] + off) / 2));
  }
  ASSERT_EQ(p.size(), parameters.size());

  RunDerivatives run(system, c.run);
  ValueAndGradient at;
  ASSERT_TRUE(differentiate(run, parameters, objective, p, at)) << run.failure();
  EXPECT_LT(at.newton_error, 1e-9 * std::max(1.0, at.value));

  // Back and forth: the same numbers.
  VecX forward = VecX::Zero(p.size());
  run.sensitivities(
      parameters.start_directions(),
      [&](double t, MatX& columns) { parameters.push_forward_controls(t, columns); },
      [&](int step, const State& state, const MatX& columns) {
        StateVectors bar;
        bar.set_zero(system);
        Workspace ws(system);
        const RunDerivatives::Multipliers& multipliers = run.multipliers();
        objective.evaluate(
            {system, state, step, c.run.steps, c.run.dt, ws, view(multipliers.lambda)}, &bar);
        VecX both(columns.rows());
        both << bar.q, bar.qdot, bar.z;
        forward += columns.transpose() * both;
        if (step > 0) forward += multipliers.columns.transpose() * bar.lambda;
      });
  EXPECT_LT((forward - at.gradient).lpNorm<Eigen::Infinity>(),
            1e-10 * at.gradient.lpNorm<Eigen::Infinity>());

  // With checkpoints: the same bits.
  RunSettings with_checkpoints = c.run;
  with_checkpoints.checkpoints = true;
  RunDerivatives again(system, with_checkpoints);
  ValueAndGradient same;
  ASSERT_TRUE(differentiate(again, parameters, objective, p, same));
  EXPECT_EQ(same.value, at.value);
  EXPECT_EQ(same.gradient, at.gradient);

  const auto value = [&](const VecX& x) {
    parameters.set(x);
    State state = parameters.start();
    Workspace ws(system);
    double sum = objective.evaluate({system, state, 0, c.run.steps, c.run.dt, ws}, nullptr);
    for (int k = 1; k <= c.run.steps; ++k) {
      EXPECT_EQ(step(system, c.run.step, c.run.dt, parameters.controls(), state, ws).status,
                StepStatus::ok);
      state.t = c.run.dt * k;
      const VecX lambda = ws.constraints.lambda;
      sum +=
          objective.evaluate({system, state, k, c.run.steps, c.run.dt, ws, view(lambda)}, nullptr);
    }
    return VecX::Constant(1, sum);
  };
  EXPECT_EQ(value(p)[0], at.value);  // a tape changes no bit
  const DifferenceSweep sweep = check_derivative(value, p, at.gradient.transpose());
  EXPECT_TRUE(sweep.confirms(1e-7)) << sweep.table();
}

void expect_gradient(const Case& c) { expect_gradient(c, judge(c.system, 2)); }

TEST(RunDerivatives, AreThoseOfTheRunForEveryPart) {
  for (const std::vector<Feature>& content : std::vector<std::vector<Feature>>{
           {},
           {Feature::massive_muscles},
           {Feature::soft_bodies},
           {Feature::strands},
           {Feature::dependent_coordinates},
           {Feature::constraints},
           {Feature::hill_muscles},
           {Feature::hill_muscles, Feature::massive_muscles, Feature::constraints},
           {Feature::hill_muscles, Feature::soft_bodies, Feature::dependent_coordinates},
           {Feature::constraints, Feature::massive_muscles},
           {Feature::constraints, Feature::strands},
           {Feature::soft_bodies, Feature::dependent_coordinates},
           {Feature::driven_coordinates},
           {Feature::driven_coordinates, Feature::constraints},
           {Feature::driven_coordinates, Feature::dependent_coordinates, Feature::soft_bodies},
           {Feature::soft_bodies, Feature::massive_muscles}}) {
    std::string what;
    for (const Feature feature : content) what += to_string(feature) + " ";
    SystemBuilder builder = test::builder_with(content);
    add_drives(2, builder);
    const System system = builder.build();
    // Newton's method does not follow the eye that slides along an ellipse over longer steps.
    const double dt = what.find("strands") == std::string::npos ? 0.01 : 0.005;
    for (const Integrator integrator : kIntegrators) {
      SCOPED_TRACE(what + to_string(integrator));
      expect_gradient({system, settings(integrator, dt, 12)});
    }
  }
}

TEST(RunDerivatives, PassRigidTendons) {
  // Their tension depends on the rate of the path, and that on all coordinates it passes.
  for (const double mass : {0.0, 0.3}) {
    const System system = test::arm(test::flexor(0.3, true), test::flexor(0.2, true), mass);
    for (const Integrator integrator : kIntegrators) {
      SCOPED_TRACE(to_string(integrator) + " " + std::to_string(mass));
      expect_gradient({system, settings(integrator, 0.01, 12)}, judge(system, 1));
    }
  }
}

/// What a program may judge by itself: the work of a torque on the last coordinate, no sum of
/// squares, at every step and once more at the end.
class OwnObjective final : public Objective {
 public:
  double evaluate(const At& at, StateVectors* bar) const override {
    if (at.step == 0) return 0;
    const auto last = at.state.q.size() - 1;
    const double factor = at.dt + (at.step == at.steps ? 0.5 : 0);
    const double q = at.state.q[last], rate = at.state.qdot[last];
    if (bar != nullptr) {
      bar->q[last] -= factor * std::sin(q) * rate;
      bar->qdot[last] += factor * std::cos(q);
    }
    return factor * std::cos(q) * rate;
  }
};

/// One joint should turn twice as far as another, at twice its speed.
class OwnSquares final : public LeastSquares {
 public:
  using LeastSquares::LeastSquares;
  Residual residual(const At& at) const override {
    return Eigen::Vector2d(at.state.q[1] - 2 * at.state.q[0],
                           at.state.qdot[1] - 2 * at.state.qdot[0]);
  }
  void pull_back(const At&, const Residual& r_bar, StateVectors& bar) const override {
    bar.q[1] += r_bar[0];
    bar.q[0] -= 2 * r_bar[0];
    bar.qdot[1] += r_bar[1];
    bar.qdot[0] -= 2 * r_bar[1];
  }
};

TEST(RunDerivatives, AreThoseOfObjectivesOfOnesOwn) {
  SystemBuilder builder = test::builder_with(std::vector<Feature>{Feature::hill_muscles});
  add_drives(2, builder);
  const System system = builder.build();
  for (const Integrator integrator : kIntegrators) {
    SCOPED_TRACE(to_string(integrator));
    const RunSettings run_settings = settings(integrator, 0.01, 12);
    expect_gradient({system, run_settings}, OwnObjective());
    expect_gradient({system, run_settings}, OwnSquares(3, Moments::steps()));
    expect_gradient({system, run_settings}, OwnSquares(3, Moments::states({4, 9})));
  }
}

TEST(RunDerivatives, PassLoops) {
  SystemBuilder builder = test::FourBar{}.builder(0.7);
  add_drives(1, builder);
  const System system = builder.build();
  for (const Integrator integrator : kIntegrators) {
    SCOPED_TRACE(to_string(integrator));
    expect_gradient({system, settings(integrator, 0.02, 12)});
  }
}

// Baumgarte's implicit term belongs to rows on positions: the loop of the slider-crank has it, a
// velocity that is given has not.
TEST(RunDerivatives, PassStabilizedRowsOnPositionsAndVelocities) {
  const std::string scenes = test::source_dir() + "/scenes/";
  const std::string drive =
      R"(constraints=[{"type": "prescribed-coordinate", "name": "drive", "coordinate": "elbow_angle",
         "level": "velocity", "function": {"type": "polynomial", "coefficients": [0.2, 1.5]}}])";
  const System pendulum = load_model(scenes + "double-pendulum.json", {.set = {drive}}).system();
  const System slider_crank = load_model(scenes + "slider-crank.json").system();
  for (const Integrator integrator : kIntegrators) {
    RunSettings stabilized = settings(integrator, 0.01, 12);
    stabilized.step.baumgarte.implicit = 20;
    SCOPED_TRACE(to_string(integrator));
    expect_gradient({pendulum, stabilized}, judge(pendulum, 1));
    expect_gradient({slider_crank, stabilized});
  }
}

TEST(RunDerivatives, PassChangesOfCharts) {
  // The coordinates jump there, but no point of the body does.
  BodySpec body;
  body.name = "top";
  body.joint = SphericalExp{};
  body.M_B = SpatialInertia::FromCentral(1, Vec3(0.1, 0, 0), Vec3(0.05, 0.06, 0.07).asDiagonal());
  body.q0 = {3.5, 2.6, 1.1};
  body.qdot0 = {2, 2, 1};
  SystemBuilder builder(SkeletonBuilder().add_body(body).build());
  const System system = builder.build();
  const PointTarget objective(BodyIndex(0), Vec3(0.2, 0.05, 0), Vec3(0.3, 0.2, 0.1), 2.0);
  for (const Integrator integrator : kIntegrators) {
    SCOPED_TRACE(to_string(integrator));
    const RunSettings run = settings(integrator, 0.01, 15);
    State state = system.default_state();
    Workspace ws(system);
    const double before = state.q.norm();
    for (int k = 0; k < run.steps; ++k)
      ASSERT_EQ(step(system, run.step, run.dt, state, ws).status, StepStatus::ok);
    EXPECT_GT(before, 4.4);
    EXPECT_LT(state.q.norm(), 2.5);
    expect_gradient({system, run}, objective);
  }
}

TEST(RunDerivatives, PassStepsTakenInHalves) {
  SystemBuilder builder = test::builder_with({});
  add_drives(2, builder);
  const System system = builder.build();
  struct Halving {
    Integrator integrator;
    double dt;
    int iterations;  // with more the step would be taken at once
  };
  for (const Halving& c :
       {Halving{Integrator::bdf1, 0.05, 6}, Halving{Integrator::sdirk2, 0.03, 11}}) {
    SCOPED_TRACE(to_string(c.integrator));
    RunSettings run = settings(c.integrator, c.dt, 6);
    run.step.newton_iterations = c.iterations;
    State state = system.default_state();
    Workspace ws(system);
    int halved = 0;
    for (int k = 0; k < run.steps; ++k) {
      const StepReport report = step(system, run.step, run.dt, state, ws);
      ASSERT_EQ(report.status, StepStatus::ok);
      halved += report.rejected;
    }
    EXPECT_GT(halved, 0);
    expect_gradient({system, run});
  }
}

TEST(RunDerivatives, PassFeedback) {
  SystemBuilder builder = test::builder_with({});
  add_drives(2, builder);
  const System system = builder.build();
  struct Controller final : Controls {
    void evaluate(double t, const At& start, VecRef values) const override {
      values[0] = -2 * start.q[0] - 0.3 * start.qdot[0];
      values[1] = std::sin(t);
    }
    std::vector<ControlFeedback> feedback(double, const At&) const override {
      return {{0, 0, -2, -0.3}};
    }
  } controller;
  const SumOfObjectives objective = judge(system, 2);
  for (const Integrator integrator : kIntegrators) {
    SCOPED_TRACE(to_string(integrator));
    const RunSettings run_settings = settings(integrator, 0.01, 12);
    RunDerivatives run(system, run_settings);
    const State described = system.default_state();
    const auto start = [&](const VecX& x) {
      State out = described;
      out.q = x.head(3);
      out.qdot = x.tail(3);
      return out;
    };
    VecX x(6);
    x << described.q, 0.3, -0.2, 0.4;
    ASSERT_TRUE(run.run(controller, start(x), objective));
    const RunDerivatives::Gradient gradient = run.gradient([](double, const VecX&) {});
    MatX claimed(1, 6);
    claimed << gradient.start.q.transpose(), gradient.start.qdot.transpose();
    RunDerivatives other(system, run_settings);
    const auto value = [&](const VecX& from) {
      EXPECT_TRUE(other.run(controller, start(from), objective));
      return VecX::Constant(1, other.value());
    };
    const DifferenceSweep sweep = check_derivative(value, x, claimed);
    EXPECT_TRUE(sweep.confirms(1e-7)) << sweep.table();
  }
}

TEST(RunDerivatives, KnowTheStateBeforeTheStart) {
  // bdf2 goes on from where it was, as long as nobody moved the start: the state before it matters.
  SystemBuilder builder = test::builder_with({});
  add_drives(2, builder);
  const System system = builder.build();
  const RunSettings run_settings = settings(Integrator::bdf2, 0.01, 6);
  State middle = system.default_state();
  Workspace ws(system);
  for (int k = 0; k < 3; ++k)
    ASSERT_EQ(step(system, run_settings.step, run_settings.dt, middle, ws).status, StepStatus::ok);
  VecX x(6);
  x << middle.memory.q_1, middle.memory.qdot_1;
  const auto start = [&](const VecX& before) {
    State out = middle;
    out.memory.q_1 = before.head(3);
    out.memory.qdot_1 = before.tail(3);
    return out;
  };
  const SumOfObjectives objective = judge(system, 2);
  RunDerivatives run(system, run_settings);
  const State from = start(x);
  ASSERT_TRUE(run.run(system.controls(), from, objective));
  const RunDerivatives::Gradient gradient = run.gradient([](double, const VecX&) {});
  MatX claimed(1, 6);
  claimed << gradient.before.q.transpose(), gradient.before.qdot.transpose();
  EXPECT_GT(claimed.norm(), 0.1);
  RunDerivatives other(system, run_settings);
  const auto value = [&](const VecX& before) {
    const State moved = start(before);
    EXPECT_TRUE(other.run(system.controls(), moved, objective));
    return VecX::Constant(1, other.value());
  };
  const DifferenceSweep sweep = check_derivative(value, x, claimed);
  EXPECT_TRUE(sweep.confirms(1e-7)) << sweep.table();
}

std::string refusal(const System& system, const RunSettings& run) {
  return test::message_of([&] { RunDerivatives(system, run); });
}

TEST(RunDerivatives, RefuseSettingsThatTheyDoNotPass) {
  const System plain = test::system_with({});
  EXPECT_THAT(refusal(plain, settings(Integrator::rk4, 0.01, 3)),
              HasSubstr("integrator: gradients do not pass steps of rk4; choose bdf1, sdirk2 or"));
  RunSettings adaptive = settings(Integrator::sdirk2, 0.01, 3);
  adaptive.step.accuracy = 1e-4;
  EXPECT_THAT(refusal(plain, adaptive), HasSubstr("steps of one length; leave it out"));
  const Feature massive[] = {Feature::massive_muscles};
  RunSettings energy = settings(Integrator::sdirk2, 0.01, 3);
  energy.step.variables = StepVariables::energy;
  EXPECT_THAT(refusal(test::system_with(massive), energy),
              HasSubstr("variables: gradients do not pass energy variables; choose \"rates\""));
  // In the first step of bdf2, too.
  energy.step.integrator = Integrator::bdf2;
  EXPECT_THAT(refusal(test::system_with(massive), energy), HasSubstr("energy variables"));
  // Factors of Newton's last iterate would make the end of a step depend on them.
  const Feature constraints[] = {Feature::constraints};
  RunSettings borrowed = settings(Integrator::bdf1, 0.01, 3);
  borrowed.step.directions = StepOptions{}.directions;
  EXPECT_THAT(refusal(test::system_with(constraints), borrowed),
              HasSubstr("projection: gradients pass only projections along directions of their "
                        "own; use differentiable_options"));
  RunSettings drifting = settings(Integrator::bdf1, 0.01, 3);
  drifting.step.projection = false;
  EXPECT_THAT(refusal(test::system_with(constraints), drifting),
              HasSubstr("projection: gradients pass only steps that end on the constraints; set "
                        "\"simulation.projection\": true"));
}

/// What is refused in a scene or model, after a change of its file, and what would do instead.
struct Refused {
  const char* scene;
  std::vector<std::string> set;
  const char* message;
};

TEST(RunDerivatives, RefuseWhatJumps) {
  const Refused cases[] = {
      {"scenes/redmax-06.json", {}, "limit 'limit': makes velocities jump; use a stop without"},
      {"scenes/brick-wall.json", {}, "makes velocities jump; use smooth contact"},
      {"scenes/redmax-27.json",
       {},
       "bearing 'bearing-1': makes velocities jump; use damping of the joint"},
      {"scenes/redmax-diff-13.json", {}, "damper sets in with a jump; set its damping to 0"},
      {"scenes/redmax-diff-100.json",
       {R"(bodies.b1.joint.stops={"lower": -1, "upper": 2, "stiffness": 10, "damping": 1})"},
       "with a jump at the limits; give the stops a 'transition'"},
      {"scenes/wrap-pendulum.json",
       {"muscles.wrap_model=exact"},
       "muscle 'muscle' has mass on a surface that it leaves with a jump of its velocities; choose "
       "the smooth model of the surface"},
      {"scenes/wrap-pendulum.json",
       {"muscles.mass_model=points"},
       "muscle 'muscle' has its mass in points, which jump from span to span; leave out"},
      {"scenes/wrap-pendulum.json",
       {"muscles.wrap_model=exact", "muscles.list.muscle.mass=0",
        "muscles.list.muscle.path.1.around.side=nearest"},
       "muscle 'muscle' passes a cylinder on the nearer side, and its pull jumps where that "
       "changes; choose a side"},
      {"scenes/wrap-pendulum.json",
       {R"(muscles.list.muscle.path=[{"body": "upper", "position": [0, -0.4, 0]},
              {"body": "upper", "position": [0.1, -0.8, 0], "conditional": {"coordinate": "elbow", "range": [0, 1], "policy": "switch"}},
              {"body": "lower", "position": [0, -0.5, 0]}])"},
       R"(muscle 'muscle' has points that come and go with a jump; choose the policy "smooth")"},
      {"scenes/double-pendulum.json",
       {R"(constraints=[{"type": "prescribed-twist", "name": "shake", "body": "lower",
              "level": "acceleration", "rows": [{"part": "angular", "direction": [0, 1, 0], "function": {"type": "constant", "value": 0}}]}])"},
       "constraint 'shake': acts on accelerations, which gradients do not pass; prescribe a "
       "position or a velocity"},
      {"scenes/double-pendulum.json",
       {R"(constraints=[{"type": "gear", "name": "a", "driver": "shoulder_angle", "driven": "elbow_angle", "ratio": 2},
              {"type": "gear", "name": "b", "driver": "shoulder_angle", "driven": "elbow_angle", "ratio": 2}])"},
       "constraints: some depend on others: "},
      {"scenes/catenary.json",
       {"strands.0.velocity_terms=false"},
       "has no velocity terms, and its derivatives are not complete; leave out"},
      {"scenes/flexor-sheath.json",
       {R"(guides.0={"name": "wrist", "body": "world", "around": {"type": "capped-cylinder", "radius": 0.03, "model": "smooth"},
              "placement": [-0.08, -0.041, 0.1]})"},
       "runs around guide 'wrist' on the nearer side, and its pull jumps where that changes; give "
       "its surface a 'side'"},
      {"scenes/flexor-sheath.json",
       {R"(guides.0={"name": "wrist", "body": "world", "around": {"type": "capped-cylinder", "radius": 0.03},
              "placement": [-0.08, -0.041, 0.1]})"},
       "strand 'tendon' runs around guide 'wrist', whose model is not smooth; give its surface "
       "\"model\": \"smooth\""},
      {"scenes/chain-edge.json",
       {R"(strands.0={"name": "chain", "nodes": ["tail", "edge", "head"], "length": 1, "density": 0.5, "stiffness": 1000,
              "ends": "release"})"},
       "strand 'chain' has ends that may slip out of their rings, where it becomes another one; "
       "let its 'ends' stop the run"},
      {"scenes/capstan.json",
       {"guides.0.hold.creep=0"},
       "guide 'bollard': has friction that makes velocities jump; give it a 'creep' velocity"},
      {"models/leg/leg.osim",
       {},
       R"(follows a path by OpenSim's rules, which jumps; set "smooth_paths": true)"},
  };
  for (const Refused& c : cases) {
    SCOPED_TRACE(std::string(c.scene) + ": " + c.message);
    const System system = load_model(test::source_dir() + "/" + c.scene, {.set = c.set}).system();
    // Other integrators, which that of the settings may advise, do not help.
    for (const Integrator integrator : {Integrator::bdf1, Integrator::bdf2})
      EXPECT_THAT(refusal(system, settings(integrator, 0.01, 3)), HasSubstr(c.message));
  }
}

/// 1 kg on a rail at x = 0.3 m, and a muscle to it from x = −0.3 m. A surface is in the middle
/// between them: the straight way passes its centre where the rail's height is 0.
std::string slider(const std::string& around, const std::string& place, double mass, double speed,
                   double height = 0.06) {
  return R"({"sinew_scene": 1, "gravity": [0, 0, 0],
    "bodies": [{"name": "slider", "parent": "world",
      "joint": {"type": "prismatic", "axis": [0, 1, 0], "placement": [0.3, 0, 0],
                "coordinates": ["y"], "q0": )" +
         std::to_string(height) + R"(, "qdot0": )" + std::to_string(speed) +
         R"(}, "inertia": {"mass": 1, "com": [0, 0, 0],
                "moments": [0.01, 0.01, 0.01]}}],
    "muscles": {"list": [{"name": "muscle", "tension": 20, "mass": )" +
         std::to_string(mass) + R"(, "path": [
      {"body": "world", "position": [-0.3, 0, 0]}, {"around": )" +
         around + R"(, "body": "world", "placement": )" + place + R"(},
      {"body": "slider", "position": [0, 0, 0]}]}]}})";
}

TEST(RunDerivatives, RefuseRunsInWhichAPathChangesItsSide) {
  struct Passed {
    const char *around, *place;
    double mass;
  };
  const Passed cases[] = {
      {R"({"type": "capped-cylinder", "radius": 0.05})", "[0, 0, 0.1]", 0.2},
      {R"({"type": "capped-cylinder", "radius": 0.05, "model": "exact"})", "[0, 0, 0.1]", 0},
      {R"({"type": "sphere", "radius": 0.05, "model": "exact"})", "[0, 0, 0]", 0},
  };
  const CoordinateTarget objective(0, CoordinateTarget::Of::value, 0.1, 1.0, Moments::steps());
  const auto run_of = [&](const std::string& scene, RunSettings run_settings, bool forwards) {
    const System system = parse_scene(scene, "scene", ".").system;
    RunDerivatives run(system, run_settings);
    EXPECT_TRUE(run.run(system.controls(), system.default_state(), objective)) << run.failure();
    if (!forwards) {
      run.gradient([](double, const VecX&) {});
      return;
    }
    run.sensitivities(
        MatX::Identity(2, 2), [](double, MatX&) {}, [](int, const State&, const MatX&) {});
  };
  // The first step that ends below the middle.
  const auto turn = [&](const std::string& scene, const RunSettings& run_settings) {
    const System system = parse_scene(scene, "scene", ".").system;
    State state = system.default_state();
    Workspace ws(system);
    while (state.q[0] > 0)
      step(system, run_settings.step, run_settings.dt, system.controls(), state, ws);
    return fmt::format(
        "muscle 'muscle': passes a surface on its other side from t = {:.6g} s on, "
        "and its pull jumps there; give the surface a 'side'",
        state.t);
  };
  for (const Passed& c : cases)
    for (const bool checkpoints : {false, true})
      for (const bool forwards : {false, true}) {
        SCOPED_TRACE(c.around);
        RunSettings run_settings = settings(Integrator::bdf1, 0.002, 100);
        run_settings.checkpoints = checkpoints;
        const std::string down = slider(c.around, c.place, c.mass, -1);
        EXPECT_THAT(test::message_of([&] { run_of(down, run_settings, forwards); }),
                    HasSubstr(turn(down, run_settings)));
        // One that stays on its side passes.
        EXPECT_NO_THROW(run_of(slider(c.around, c.place, c.mass, 0.3), run_settings, forwards));
      }
}

/// Why gradients, and sensitivities by the start, do not pass the run; empty if they do.
std::string refusal_of_run(const System& system, const RunSettings& run_settings) {
  const CoordinateTarget objective(0, CoordinateTarget::Of::value, 0.1, 1.0, Moments::steps());
  RunDerivatives run(system, run_settings);
  const State start = system.default_state();
  EXPECT_TRUE(run.run(system.controls(), start, objective)) << run.failure();
  const std::string back = test::message_of([&] { run.gradient([](double, const VecX&) {}); });
  const int n = 2 * system.dof_count() + system.internal_count();
  const std::string forth = test::message_of([&] {
    run.sensitivities(
        MatX::Identity(n, n), [](double, MatX&) {}, [](int, const State&, const MatX&) {});
  });
  EXPECT_EQ(forth, back);
  return back;
}

TEST(RunDerivatives, RefuseRunsInWhichAPathJumpsOverAWholeSurface) {
  const RunSettings run_settings = settings(Integrator::bdf1, 0.002, 3);
  struct Passed {
    const char* around;
    double z;
  };
  for (const Passed& c :
       {Passed{R"({"type": "sphere", "radius": 0.05, "model": "exact"})", 0},
        Passed{R"({"type": "capped-cylinder", "radius": 0.05, "model": "exact"})", 0.1},
        Passed{R"({"type": "capped-cylinder", "radius": 0.05, "model": "smooth"})", 0.1},
        Passed{R"({"type": "ellipsoid", "semi_axes": [0.08, 0.05, 0.06], "model": "exact"})", 0}}) {
    SCOPED_TRACE(c.around);
    const auto refusal_with_surface_at = [&](double y) {
      const std::string scene = slider(c.around, fmt::format("[0, {}, {}]", y, c.z), 0, -150, 0.45);
      return refusal_of_run(parse_scene(scene, "scene", ".").system, run_settings);
    };
    // Free 0.075 m above the middle after one step, and free 0.075 m below it after two.
    EXPECT_THAT(
        refusal_with_surface_at(0),
        HasSubstr("muscle 'muscle': passes a surface on its other side from t = 0.004 s on"));
    EXPECT_EQ(refusal_with_surface_at(0.4), "");
  }
}

TEST(RunDerivatives, PassPathsThatSwingAroundASurfaceFarOutside) {
  // The sphere is on a wheel that turns by 115° a step, and the path stays 0.3 m away from it.
  const std::string scene = R"({"sinew_scene": 1, "gravity": [0, 0, 0],
    "bodies": [
      {"name": "wheel", "parent": "world",
       "joint": {"type": "revolute", "axis": [0, 0, 1], "coordinates": ["turn"], "qdot0": 1000},
       "inertia": {"mass": 1, "com": [0, 0, 0], "moments": [0.01, 0.01, 0.01]}},
      {"name": "slider", "parent": "world",
       "joint": {"type": "prismatic", "axis": [0, 1, 0], "placement": [0.3, 0.3, 0],
                 "coordinates": ["y"]},
       "inertia": {"mass": 1, "com": [0, 0, 0], "moments": [0.01, 0.01, 0.01]}}],
    "muscles": {"list": [{"name": "muscle", "tension": 20, "mass": 0, "path": [
      {"body": "world", "position": [-0.3, 0.3, 0]},
      {"around": {"type": "sphere", "radius": 0.05, "model": "exact"}, "body": "wheel"},
      {"body": "slider", "position": [0, 0, 0]}]}]}})";
  EXPECT_EQ(refusal_of_run(parse_scene(scene, "scene", ".").system,
                           settings(Integrator::bdf1, 0.002, 10)),
            "");
}

/// Points of a sine from −0.3 to 0.3, the ends of a function.
PiecewisePolynomial table(PiecewisePolynomial make(std::vector<double>,
                                                   const std::vector<double>&)) {
  std::vector<double> x, y;
  for (int k = -3; k <= 3; ++k) {
    x.push_back(0.1 * k);
    y.push_back(0.2 * std::sin(4 * x.back()));
  }
  return make(x, y);
}

/// A pendulum whose axis moves up and down with its angle, by a function: within a series, with a
/// coordinate before it.
SystemBuilder sliding_pendulum(const ScalarFunction& f, double angle, double speed) {
  std::array<TransformAxis, 3> rotation, translation;
  for (int k = 0; k < 3; ++k)
    rotation[static_cast<size_t>(k)].axis = translation[static_cast<size_t>(k)].axis =
        Vec3::Unit(2 - k);
  rotation[0].function = LinearFunction{{1}, 0};
  rotation[0].coordinates = {0};
  translation[1].function = f;
  translation[1].coordinates = {0};
  BodySpec body;
  body.name = "bob";
  body.joint_name = "hip";
  body.joint = Composite{
      {Prismatic{Vec3::UnitX()}, FunctionJoint({CoordinateKind::angle}, rotation, translation)}};
  body.coordinate_names = {"x", "angle"};
  body.M_B = SpatialInertia::FromCentral(1, Vec3(0, -0.3, 0), 0.05 * Mat3::Identity());
  body.q0 = {0, angle};
  body.qdot0 = {0, speed};
  return SystemBuilder(SkeletonBuilder().add_body(body).build());
}

TEST(RunDerivatives, RefuseRunsThatPassAJumpOfAFunctionOfACoordinate) {
  struct Passed {
    ScalarFunction f;
    double angle, speed, knot;
    const char* what;
  };
  const Passed cases[] = {
      {table(PiecewisePolynomial::EndCubic), 0.22, 2, 0.3, "curvature"},
      {table(PiecewisePolynomial::EndCubic), -0.22, -2, -0.3, "curvature"},
      {table(PiecewisePolynomial::Linear), 0.06, 1, 0.1, "slope"},
  };
  for (const Passed& c : cases) {
    const System system = sliding_pendulum(c.f, c.angle, c.speed).build();
    for (const bool checkpoints : {false, true}) {
      RunSettings run_settings = settings(Integrator::bdf1, 0.005, 25);
      run_settings.checkpoints = checkpoints;
      State state = system.default_state();
      Workspace ws(system);
      while ((state.q[1] - c.knot) * (c.angle - c.knot) > 0)
        step(system, run_settings.step, run_settings.dt, system.controls(), state, ws);
      const std::string message = fmt::format(
          "joint 'hip': the {} of its function of 'angle' jumps at {:g}, which the "
          "run passes at t = {:.6g} s, and forces jump there; give the function points",
          c.what, c.knot, state.t);
      EXPECT_THAT(refusal_of_run(system, run_settings), HasSubstr(message));
    }
    // In the first step, and not at all.
    const double near = c.knot - std::copysign(0.001, c.speed);
    const RunSettings short_run = settings(Integrator::bdf1, 0.005, 3);
    EXPECT_THAT(refusal_of_run(sliding_pendulum(c.f, near, c.speed).build(), short_run),
                HasSubstr("at t = 0.005 s, and forces jump"));
    EXPECT_EQ(refusal_of_run(sliding_pendulum(c.f, c.angle, 0).build(), short_run), "");
  }
}

TEST(RunDerivatives, PassFunctionsOfCoordinatesBetweenTheirJumps) {
  for (const ScalarFunction& f :
       {ScalarFunction(table(PiecewisePolynomial::EndCubic)),
        ScalarFunction(NaturalCubicSpline({-0.3, -0.1, 0.1, 0.3}, {-0.1, 0.05, 0, 0.1})),
        ScalarFunction(
            PiecewisePolynomial::Natural({-0.3, -0.1, 0.1, 0.3}, {-0.1, 0.05, 0, 0.1}, 3))}) {
    SystemBuilder builder = sliding_pendulum(f, 0.06, 0);
    add_drives(2, builder);
    const System system = builder.build();
    for (const Integrator integrator : kIntegrators) {
      SCOPED_TRACE(to_string(integrator));
      expect_gradient({system, settings(integrator, 0.01, 12)}, judge(system, 0));
    }
  }
}

TEST(RunDerivatives, RefuseJumpsOfCouplingsDependentCoordinatesAndPointsOfMuscles) {
  const auto pendulums = [](double speed) {
    SkeletonBuilder out;
    for (const char* name : {"a", "b"}) {
      BodySpec body;
      body.name = name;
      body.joint = Revolute{Vec3::UnitZ()};
      body.coordinate_names = {std::string(name) + "_angle"};
      body.M_B = SpatialInertia::FromCentral(1, Vec3(0, -0.3, 0), 0.05 * Mat3::Identity());
      body.q0 = {0.06};
      body.qdot0 = {speed};
      out.add_body(body);
    }
    return out.build();
  };
  const ScalarFunction bent = table(PiecewisePolynomial::Linear);
  for (const bool passes : {true, false}) {
    const double speed = passes ? 1 : 0;
    const auto expect = [&](const System& system, const std::string& message) {
      const std::string refusal = refusal_of_run(system, settings(Integrator::bdf1, 0.005, 25));
      EXPECT_THAT(refusal, passes ? testing::Matcher<std::string>(HasSubstr(message))
                                  : testing::Matcher<std::string>(testing::IsEmpty()));
    };
    SystemBuilder coupled(pendulums(speed));
    coupled.add_constraint(std::make_shared<CoordinateCoupling>(
        CoordinateCoupling::Function("belt", DofIndex(1), bent, {DofIndex(0)})));
    expect(coupled.build(), "constraint 'belt': the slope of its function of 'a_angle' jumps at");

    SystemBuilder dependent(pendulums(speed));
    dependent.map_coordinates({{DofIndex(1), bent, {"a_angle"}}}, {});
    expect(dependent.build(),
           "coordinate 'b_angle': the slope of its function of 'a_angle' jumps at");

    SystemBuilder pulled(pendulums(speed));
    Muscle muscle;
    muscle.name = "strap";
    muscle.points = {
        PathPoint::Fixed(kWorld, Vec3(0.2, 0.2, 0)),
        PathPoint::Moving(BodyIndex(0), Vec3(0, -0.2, 0), {DofIndex(0), DofIndex(), DofIndex()},
                          {bent, ConstantFunction{0}, ConstantFunction{0}})};
    muscle.tension = 0.1;
    pulled.add_muscle(muscle);
    expect(pulled.build(), "muscle 'strap': the slope of its function of 'a_angle' jumps at");

    // By OpenSim's rules a point stands still beyond the range of its coordinate.
    SystemBuilder held(pendulums(speed));
    auto path = std::make_shared<OpenSimPath>();
    path->name = "strap";
    path->points.resize(2);
    path->points[0].x_B = Vec3(0.2, 0.2, 0);
    path->points[1].body = BodyIndex(0);
    path->points[1].x_B = Vec3(0, -0.2, 0);
    path->points[1].motions = {{Vec3::UnitX(), DofIndex(0), LinearFunction{{0.2}, 0}, -1, 0.1}};
    muscle.points.clear();
    muscle.opensim_path = path;
    held.add_muscle(muscle);
    expect(held.build(), "muscle 'strap': the slope of its function of 'a_angle' jumps at 0.1");
  }
}

}  // namespace run_derivatives_test
}  // namespace sinew
