#include "sinew/adjoint/model_derivatives.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sinew/adjoint/objectives.hpp"
#include "sinew/adjoint/run_parameters.hpp"
#include "sinew/io/scene/scene.hpp"
#include "support/finite_difference.hpp"
#include "support/hill_examples.hpp"
#include "support/message_of.hpp"
#include "support/source_dir.hpp"

/// Gradients by numbers of scene files, against central differences of runs of changed files.

namespace sinew {
namespace model_derivatives_test {

using testing::HasSubstr;

/// A leg that lands: Hill muscle over points, muscle with mass over a cylinder, spring, ground.
constexpr const char* kLeg = R"({
    "sinew_scene": 1,
  "gravity": [0, -9.8, 0],
  "bodies": [
    {"name": "thigh", "parent": "world",
     "joint": {"name": "hip", "type": "revolute", "axis": [0, 0, 1], "placement": [0, 0.79, 0],
               "coordinates": ["hip"], "q0": 0.4, "stiffness": 20, "damping": 0.4, "rest": 0.1},
     "inertia": {"mass": 5, "com": [0.01, -0.18, 0], "moments": [0.07, 0.02, 0.08]}},
    {"name": "shank", "parent": "thigh",
     "joint": {"name": "knee", "type": "revolute", "axis": [0, 0, 1], "placement": [0, -0.4, 0],
               "coordinates": ["knee"], "q0": -0.5, "qdot0": 0.4},
     "inertia": {"mass": 3, "com": [0, -0.17, 0.002], "moments": [0.05, 0.01, 0.05]}},
    {"name": "foot", "parent": "shank",
     "joint": {"name": "ankle", "type": "revolute", "axis": [0, 0, 1], "placement": [0, -0.4, 0],
               "coordinates": ["ankle"] ANKLE, "damping": 0.05, "stiffness": 8, "rest": 0},
     "inertia": {"mass": 1, "com": [0.05, -0.02, 0], "moments": [0.002, 0.005, 0.005]}}
  ],
  "muscles": {
    "mass_from": "moments",
    "share": 0.6,
    "list": [
      {"name": "vasti", "mass": 0.8, "tension": 120, "profile": "parabolic", "belly": [0.1, 0.9],
       "path": [{"body": "thigh", "position": [0.04, -0.1, 0]},
                {"around": {"type": "cylinder", "radius": 0.035, "side": "clockwise"},
                 "body": "thigh", "placement": [0.002, -0.39, 0]},
                {"body": "shank", "position": [0.035, -0.08, 0]}]},
      {"name": "ham",
       "path": [{"body": "world", "position": [-0.05, 0.77, 0]},
                {"body": "thigh", "position": [-0.05, -0.35, 0]},
                {"body": "shank", "position": [-0.03, -0.05, 0]}],
       "hill": {"max_isometric_force": 900, "optimal_fibre_length": 0.11, "tendon_slack_length": 0.3,
                "pennation": 0.15, "excitation": 0.4, "activation_time": 0.012,
                "deactivation_time": 0.045, "initial_activation": 0.2,
                "max_contraction_velocity": 10 CURVES}}
    ]
  },
  "forces": [
    {"type": "spring", "name": "band", "bodies": ["world", "foot"],
     "points": [[0.3, 0.5, 0], [0.08, -0.02, 0]], "stiffness": 90, "damping": 3, "rest_length": 0.4},
    {"type": "ground-contact", "name": "ground", "body": "foot", "stiffness": 2e4, "onset": 0.004,
     "friction": 0.6, "creep_velocity": 0.05,
     "shapes": [{"type": "sphere", "radius": 0.03, "placement": [-0.02, 0, 0]}]}
  ] MORE
})";

std::string with(std::string text, const std::string& word, const std::string& by) {
  const size_t at = text.find(word);
  return text.replace(at, word.size(), by);
}
std::string leg(const std::string& more = "", const std::string& curves = "",
                const std::string& ankle = ", \"q0\": 0.1") {
  return with(with(with(kLeg, "MORE", more), "CURVES", curves), "ANKLE", ankle);
}
const char* const kCoupling = R"(, "constraints": [
    {"type": "coupling", "name": "tie", "coordinate": "ankle", "arguments": ["knee"],
     "function": {"type": "polynomial", "coefficients": [0.1, -0.3, 0.2]}}])";
const char* const kDependent = R"(, "dependent_coordinates": [
    {"coordinate": "ankle", "arguments": ["knee"],
     "function": {"type": "polynomial", "coefficients": [0.1, -0.3, 0.2]}}])";

/// A number of the file, its value, and the scale if that is another.
struct Number {
  std::string path;
  double value, scale = 0;
};

BuildModel builder_of(const std::string& text, const std::vector<Number>& numbers) {
  return [=](const VecX& values) {
    std::vector<std::string> changes;
    for (size_t k = 0; k < numbers.size(); ++k)
      changes.push_back(
          fmt::format("{}={:.17g}", numbers[k].path, values[static_cast<Eigen::Index>(k)]));
    const auto system =
        std::make_shared<const System>(parse_scene(text, "test", ".", changes).system);
    return ModelAt{system, exact_start(*system)};
  };
}

RunSettings settings(Integrator integrator, double dt, int steps) {
  RunSettings out;
  out.step.integrator = integrator;
  out.step.newton_tolerance = 1e-14;
  out.step = differentiable_options(out.step);
  out.dt = dt;
  out.steps = steps;
  return out;
}

SumOfObjectives judge(const System& system) {
  const int last = system.dof_count() - 1;
  const auto body = BodyIndex(static_cast<int>(system.skeleton().bodies().size()) - 1);
  return SumOfObjectives(
      {std::make_shared<PointTarget>(body, Vec3(0.1, -0.05, 0), Vec3(0.3, 0.2, 0.1), 2.0),
       std::make_shared<CoordinateTarget>(0, CoordinateTarget::Of::rate, 0.5, 0.3),
       std::make_shared<CoordinateTarget>(last, CoordinateTarget::Of::value, 0.1, 4.0,
                                          Moments::steps())});
}

VecX values_of(const std::vector<Number>& numbers) {
  VecX out(static_cast<Eigen::Index>(numbers.size()));
  for (size_t k = 0; k < numbers.size(); ++k) out[static_cast<Eigen::Index>(k)] = numbers[k].value;
  return out;
}

/// The gradient back and forth, against differences of runs.
void expect_gradient(const BuildModel& build, const std::vector<Number>& numbers,
                     const RunSettings& run_settings, double tolerance = 1e-6) {
  RunParameters parameters(build, values_of(numbers));
  VecX p(static_cast<Eigen::Index>(numbers.size()));
  for (size_t k = 0; k < numbers.size(); ++k) {
    const double scale = numbers[k].scale > 0 ? numbers[k].scale : std::abs(numbers[k].value);
    parameters.add_model(numbers[k].path, scale);
    p[static_cast<Eigen::Index>(k)] = numbers[k].value / scale;
  }
  // A control and, where it is free, the start along with them.
  const bool free = parameters.system().constraints().empty();
  const int controls = parameters.system().controls().size();
  const auto append = [&](double value) {
    p.conservativeResize(p.size() + 1);
    p[p.size() - 1] = value;
  };
  if (controls > 0) {
    parameters.add_control(controls - 1, {0, 0.05}, RunParameters::Interpolation::linear, 0.5);
    append(0.7);
    append(0.9);
  }
  if (free) {
    parameters.add_start_qdot(0, 2.0);
    append(parameters.start().qdot[0] / 2 + 0.1);
  }
  const SumOfObjectives objective = judge(parameters.system());
  RunDerivatives run(parameters.system(), run_settings);
  ValueAndGradient at;
  ASSERT_TRUE(differentiate(run, parameters, objective, p, at)) << run.failure();
  EXPECT_LT(at.newton_error, 1e-9 * std::max(1.0, at.value));

  VecX forward = VecX::Zero(p.size());
  ModelDerivatives* const model = parameters.model(run.dt());
  run.sensitivities(
      parameters.start_directions(),
      [&](double t, MatX& columns) { parameters.push_forward_controls(t, columns); },
      [&](int step, const State& state, const MatX& columns) {
        StateVectors bar;
        bar.set_zero(run.system());
        Workspace ws(run.system());
        objective.evaluate({run.system(), state, step, run_settings.steps, run.dt(), ws}, &bar);
        VecX both(columns.rows());
        both << bar.q, bar.qdot, bar.z;
        forward += columns.transpose() * both;
        State moved = state;
        model->differentiate(1, [&](const ModelDerivatives::Neighbour& of, VecRef value) {
          moved.t = of.time(0, state.t);
          value[0] = objective.evaluate(
              {*of.at.system, moved, step, run_settings.steps, of.at.dt, *of.ws}, nullptr);
        });
        for (size_t k = 0; k < parameters.model_columns().size(); ++k)
          forward[parameters.model_columns()[k]] +=
              model->columns()(0, static_cast<Eigen::Index>(k));
      },
      model, parameters.model_columns());
  EXPECT_LT((forward - at.gradient).lpNorm<Eigen::Infinity>(),
            1e-10 * at.gradient.lpNorm<Eigen::Infinity>());

  RunParameters& changed = parameters;
  for (Eigen::Index k = 0; k < p.size(); ++k) {
    const std::string name = k < static_cast<Eigen::Index>(numbers.size())
                                 ? numbers[static_cast<size_t>(k)].path
                                 : "other";
    SCOPED_TRACE(name);
    const auto value = [&](const VecX& x) {
      VecX moved = p;
      moved[k] = x[0];
      EXPECT_TRUE(run_at(run, changed, objective, moved)) << run.failure();
      return VecX::Constant(1, run.value());
    };
    const DifferenceSweep sweep =
        check_derivative(value, VecX::Constant(1, p[k]), MatX::Constant(1, 1, at.gradient[k]));
    // Of what enters almost linearly there is no truncation error to see.
    EXPECT_TRUE(sweep.confirms(tolerance) || sweep.best_error < 2e-9) << at.gradient[k] << "\n"
                                                                      << sweep.table();
  }
}

const std::vector<Number> kBodies = {{"gravity.1", -9.8},
                                     {"bodies.thigh.inertia.mass", 5},
                                     {"bodies.shank.inertia.com.1", -0.17},
                                     {"bodies.shank.inertia.moments.2", 0.05},
                                     {"bodies.thigh.joint.placement.1", 0.79, 0.1},
                                     {"bodies.thigh.joint.q0", 0.4},
                                     {"bodies.thigh.joint.rest", 0.1},
                                     {"bodies.thigh.joint.stiffness", 20},
                                     {"bodies.thigh.joint.damping", 0.4},
                                     {"forces.band.stiffness", 90},
                                     {"forces.band.damping", 3},
                                     {"forces.ground.stiffness", 2e4},
                                     {"forces.ground.friction", 0.6}};
const std::vector<Number> kMuscles = {{"muscles.share", 0.6},
                                      {"muscles.list.vasti.mass", 0.8},
                                      {"muscles.list.vasti.tension", 120},
                                      {"muscles.list.vasti.path.0.position.0", 0.04},
                                      {"muscles.list.vasti.path.1.around.radius", 0.035},
                                      {"muscles.list.vasti.path.1.placement.1", -0.39, 0.05},
                                      {"muscles.list.ham.path.2.position.1", -0.05},
                                      {"muscles.list.ham.hill.max_isometric_force", 900},
                                      {"muscles.list.ham.hill.optimal_fibre_length", 0.11},
                                      {"muscles.list.ham.hill.tendon_slack_length", 0.3},
                                      {"muscles.list.ham.hill.max_contraction_velocity", 10},
                                      // By the scale of 0.3 rounding would be 1e-7 of it.
                                      {"muscles.list.ham.hill.damping", 0.3, 1},
                                      {"muscles.list.ham.hill.activation_time", 0.012},
                                      {"muscles.list.ham.hill.initial_activation", 0.2},
                                      {"muscles.list.ham.hill.pennation", 0.15}};

constexpr Integrator kIntegrators[] = {Integrator::bdf1, Integrator::sdirk2, Integrator::bdf2};

// Where a path lifts off, forces are curved by the radius over the width of the touch-down alone:
// no other stage shows it.
TEST(ModelDerivatives, PassLiftOff) {
  // x is 0.295 where it does.
  const std::string scene =
      with(read_text_file(test::source_dir() + "/scenes/wrap-touch-down.json"), "\"q0\": 0.6",
           "\"q0\": 0.31");
  const std::vector<Number> numbers = {{"muscles.list.muscle.path.1.around.radius", 0.15},
                                       {"muscles.list.muscle.path.0.position.0", -0.5},
                                       {"muscles.list.muscle.mass", 0.3}};
  for (const Integrator integrator : kIntegrators) {
    SCOPED_TRACE(to_string(integrator));
    expect_gradient(builder_of(scene, numbers), numbers, settings(integrator, 0.001, 50));
  }
}

TEST(ModelDerivatives, AreThoseOfRunsOfChangedFilesByBodiesAndForces) {
  for (const Integrator integrator : kIntegrators) {
    SCOPED_TRACE(to_string(integrator));
    expect_gradient(builder_of(leg(), kBodies), kBodies, settings(integrator, 0.004, 10));
  }
}

TEST(ModelDerivatives, AreThoseOfRunsOfChangedFilesByMuscles) {
  for (const Integrator integrator : kIntegrators) {
    SCOPED_TRACE(to_string(integrator));
    expect_gradient(builder_of(leg("", ", \"damping\": 0.3"), kMuscles), kMuscles,
                    settings(integrator, 0.004, 10));
  }
}

TEST(ModelDerivatives, KnowActivationsThatFall) {
  const std::vector<Number> numbers = {{"muscles.list.ham.hill.deactivation_time", 0.045}};
  const std::string text =
      with(leg(), "\"initial_activation\": 0.2", "\"initial_activation\": 0.9");
  for (const Integrator integrator : kIntegrators) {
    SCOPED_TRACE(to_string(integrator));
    expect_gradient(builder_of(text, numbers), numbers, settings(integrator, 0.004, 10));
  }
}

TEST(ModelDerivatives, PassTheEquilibriumOfMovingFibresAtTheStart) {
  const std::vector<Number> numbers = {{"muscles.list.ham.hill.tendon_slack_length", 0.3},
                                       {"muscles.list.ham.path.2.position.1", -0.05},
                                       {"bodies.shank.joint.qdot0", 0.4}};
  for (const char* curves : {", \"curves\": \"thelen\"", ", \"curves\": \"degroote-fregly\""})
    for (const Integrator integrator : kIntegrators) {
      SCOPED_TRACE(to_string(integrator) + curves);
      expect_gradient(builder_of(leg("", curves), numbers), numbers,
                      settings(integrator, 0.004, 10));
    }
}

TEST(ModelDerivatives, StartFromFibresInEquilibriumToRounding) {
  double exact = 0, as_opensim = 0;  // speeds of fibres at rest [m/s]
  for (const double activation : {0.05, 0.1, 0.2, 0.3, 0.5, 0.8}) {
    HillDescription hill = test::flexor(activation);
    hill.initial_activation = activation;
    const System system = test::arm(hill, hill);
    Workspace ws(system);
    const auto speed = [&](const State& state) {
      VecX u(system.controls().size()), zdot(state.z.size());
      system.controls().evaluate(0, state, u);
      const At at(state.t, state.q, state.qdot, state.z, 0, u);
      update_forces(system, at, ws);
      internal_rates(system, at, ws, zdot);
      return zdot.tail(2).lpNorm<Eigen::Infinity>();
    };
    exact = std::max(exact, speed(exact_start(system)));
    State rough = system.default_state();
    settle_parts(system, rough, ws, Settling::as_opensim);
    as_opensim = std::max(as_opensim, speed(rough));
  }
  // A tendon is 20 times as stiff as it is strong: rounding of its length is 1e-14 of the force.
  EXPECT_LT(exact, 1e-12);
  EXPECT_GT(as_opensim, 1e-11);  // differences of starts would show it
}

TEST(ModelDerivatives, PassAssemblyConstraintsAndTheirProjection) {
  const std::vector<Number> numbers = {{"constraints.tie.function.coefficients.1", -0.3},
                                       {"bodies.foot.inertia.mass", 1},
                                       {"bodies.foot.joint.q0", 0.5},
                                       {"muscles.share", 0.6},
                                       {"muscles.list.ham.hill.tendon_slack_length", 0.3},
                                       {"bodies.shank.joint.placement.1", -0.4}};
  for (const Integrator integrator : kIntegrators) {
    SCOPED_TRACE(to_string(integrator));
    expect_gradient(builder_of(leg(kCoupling), numbers), numbers, settings(integrator, 0.004, 10));
  }
}

TEST(ModelDerivatives, PassDependentCoordinates) {
  const std::vector<Number> numbers = {{"dependent_coordinates.0.function.coefficients.1", -0.3},
                                       {"bodies.foot.inertia.mass", 1},
                                       {"muscles.list.vasti.path.1.around.radius", 0.035}};
  for (const Integrator integrator : kIntegrators) {
    SCOPED_TRACE(to_string(integrator));
    expect_gradient(builder_of(leg(kDependent, "", ""), numbers), numbers,
                    settings(integrator, 0.004, 10));
  }
}

TEST(ModelDerivatives, PassSplineJointsAndLoops) {
  constexpr const char* kCurve = R"({
    "sinew_scene": 1,
    "bodies": [{"name": "slider", "parent": "world",
      "joint": {"name": "curve", "type": "spline-curve", "q0": 1.2, "qdot0": 0.5, "damping": 0.02,
        "frames": [[0, 0, 0], [0.1, 0.02, 0], {"position": [0.2, 0.1, 0.03], "rotation":
                   {"axis": [0, 0, 1], "angle": 0.5}}, [0.3, 0.12, 0], [0.4, 0, 0.1], [0.5, 0, 0.1]]},
      "inertia": {"mass": 2, "com": [0.1, 0, 0.03], "moments": [0.02, 0.03, 0.04]}}]})";
  const std::vector<Number> frames = {{"bodies.slider.joint.frames.2.position.1", 0.1},
                                      {"bodies.slider.joint.frames.2.rotation.angle", 0.5},
                                      {"bodies.slider.joint.frames.3.0", 0.3}};
  constexpr const char* kFourBar = R"({
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
    "constraints": [{"type": "hinge", "name": "pin", "bodies": ["coupler", "rocker"],
      "points": [[0.4, 0, 0], [0.3, 0, 0]], "axes": [[0, 0, 1], [0, 0, 1]]}]})";
  const std::vector<Number> bars = {{"constraints.pin.points.0.0", 0.4},
                                    {"bodies.rocker.joint.placement.0", 0.45},
                                    {"bodies.crank.joint.q0", 0.9},
                                    {"bodies.coupler.inertia.mass", 2}};
  for (const Integrator integrator : kIntegrators) {
    SCOPED_TRACE(to_string(integrator));
    expect_gradient(builder_of(kCurve, frames), frames, settings(integrator, 0.01, 12));
    expect_gradient(builder_of(kFourBar, bars), bars, settings(integrator, 0.01, 12));
  }
}

TEST(ModelDerivatives, PassTheSizesAndPlacesOfEverySurface) {
  const std::string path = "muscles.list.vasti.path.1.", at = path + "placement.position.",
                    around = path + "around.";
  struct Case {
    const char* surface;
    std::vector<Number> numbers;
  };
  const Case cases[] = {
      {R"({"type": "sphere", "radius": 0.035})",
       {{around + "radius", 0.035}, {at + "0", 0.002, 0.05}, {at + "1", -0.39, 0.05}}},
      {R"({"type": "ellipsoid", "semi_axes": [0.035, 0.045, 0.05], "side": [1, 0, 0]})",
       {{around + "semi_axes.0", 0.035},
        {around + "semi_axes.2", 0.05},
        {at + "1", -0.39, 0.05},
        {at + "2", 0.004, 0.05}}},
      // Its axis is up, the muscle comes down around the outside.
      {R"({"type": "torus", "radius": 0.02, "tube": 0.018, "side": "up-hole"})",
       {{around + "radius", 0.02}, {around + "tube", 0.018}, {at + "0", 0.002, 0.05}}}};
  for (const Case& c : cases)
    for (const Integrator integrator : kIntegrators) {
      SCOPED_TRACE(to_string(integrator) + " " + c.surface);
      std::string text =
          with(leg(), R"({"type": "cylinder", "radius": 0.035, "side": "clockwise"})", c.surface);
      text = with(text, "[0.002, -0.39, 0]",
                  R"({"position": [0.002, -0.39, 0.004], "rotation": {"axis": [1, 0, 0],
                      "angle": -1.5707963267948966}})");
      // The path touches: the surface changes the run.
      expect_gradient(builder_of(text, c.numbers), c.numbers, settings(integrator, 0.004, 20));
    }
}

constexpr const char* kBowl = R"({
    "sinew_scene": 1,
    "bodies": [{"name": "slider", "parent": "world",
      "joint": {"name": "bowl", "type": "spline-surface", "q0": [0.5, 0.6], "qdot0": [0.5, -0.2],
        "damping": 0.02,
        "x": [[-0.1, 0, 0.1, 0.2], [-0.1, 0, 0.1, 0.2], [-0.1, 0, 0.1, 0.2], [-0.1, 0, 0.1, 0.2]],
        "y": [[0.1, 0, 0, 0.1], [0, 0, 0, 0], [0, 0, 0, 0.05], [0.1, 0, 0, 0.1]],
        "z": [[-0.1, -0.1, -0.1, -0.1], [0, 0, 0, 0], [0.1, 0.1, 0.1, 0.1], [0.2, 0.2, 0.2, 0.2]],
        "rx": [[0, 0.1, 0, 0], [0.2, 0, 0.1, 0], [0, 0, 0.1, 0], [0, 0, 0, 0]]},
      "inertia": {"mass": 2, "com": [0.01, 0, 0.03], "moments": [0.02, 0.03, 0.04]}}]})";

TEST(ModelDerivatives, PassTheGridOfASplineSurface) {
  const std::vector<Number> grid = {{"bodies.slider.joint.y.2.3", 0.05},
                                    {"bodies.slider.joint.x.1.2", 0.1},
                                    {"bodies.slider.joint.rx.1.0", 0.2}};
  for (const Integrator integrator : kIntegrators) {
    SCOPED_TRACE(to_string(integrator));
    expect_gradient(builder_of(kBowl, grid), grid, settings(integrator, 0.01, 12));
  }
}

TEST(ModelDerivatives, PassTheGridsByWhichASplineSurfaceDeforms) {
  const std::string deforming = with(kBowl, "\"damping\": 0.02,", R"("damping": 0.02, "changes": [
        {"function": {"type": "sine", "amplitude": 0.05, "frequency": 9, "phase": 0.4},
         "y": [[1, 0, 0, 1], [0, 0.5, 1, 0], [0, 1, 0, 0], [1, 0, 0, 1]],
         "rx": [[0, 0, 0, 0], [0, 2, 1, 0], [0, 1, 3, 0], [0, 0, 0, 0]]}],)");
  const std::vector<Number> numbers = {{"bodies.slider.joint.changes.0.y.2.1", 1},
                                       {"bodies.slider.joint.changes.0.rx.1.1", 2},
                                       {"bodies.slider.joint.changes.0.function.amplitude", 0.05},
                                       {"bodies.slider.joint.y.2.3", 0.05}};
  for (const Integrator integrator : kIntegrators) {
    SCOPED_TRACE(to_string(integrator));
    expect_gradient(builder_of(deforming, numbers), numbers, settings(integrator, 0.01, 12));
  }
}

TEST(ModelDerivatives, KnowTheDuration) {
  // All that depends on time: stages of fibres, flows of activations, knots that stretch along.
  const BuildModel at_rest = builder_of(leg(), {});
  const BuildModel build = [&](const VecX& values) {
    ModelAt out = at_rest(VecX());
    out.dt = values[0] / 10;
    return out;
  };
  const std::vector<Number> numbers = {{"duration", 0.04}};
  for (const Integrator integrator : kIntegrators) {
    SCOPED_TRACE(to_string(integrator));
    expect_gradient(build, numbers, settings(integrator, 0.004, 10));
  }
}

TEST(ModelDerivatives, RefuseWhatCannotBeMoved) {
  const auto message = [](const BuildModel& build, const Number& number) {
    return test::message_of([&] {
      RunParameters parameters(build, VecX::Constant(1, number.value));
      parameters.add_model(number.path, number.scale);
      RunDerivatives run(parameters.system(), settings(Integrator::bdf1, 0.004, 10));
      ValueAndGradient out;
      differentiate(run, parameters, judge(parameters.system()),
                    VecX::Constant(1, number.value / number.scale), out);
    });
  };
  const auto of_scene = [&](const Number& number) {
    return message(builder_of(leg(), {number}), number);
  };
  EXPECT_THAT(of_scene({"forces.band.damping", 0, 1}),
              HasSubstr("parameter 'forces.band.damping': cannot be moved both ways from 0"));
  // Another system on one side.
  const BuildModel two = [&](const VecX& values) {
    return builder_of(values[0] > 1 ? leg(kDependent, "", "") : leg(), {})(VecX());
  };
  EXPECT_THAT(message(two, {"kind", 1, 1}), HasSubstr("changes what the system is made of"));
  // A force that jumps with the parameter.
  const BuildModel jumps = [&](const VecX& values) {
    const std::vector<Number> number = {{"muscles.list.vasti.tension", 0}};
    return builder_of(leg(), number)(VecX::Constant(1, values[0] < 1.00001 ? 100 : 300));
  };
  EXPECT_THAT(message(jumps, {"side", 1, 1}), HasSubstr("'side': makes forces jump, most at t ="));
  // Sensitivities refuse it, too.
  RunParameters parameters(jumps, VecX::Ones(1));
  parameters.add_model("side", 1);
  const SumOfObjectives objective = judge(parameters.system());
  RunDerivatives run(parameters.system(), settings(Integrator::bdf1, 0.004, 10));
  ASSERT_TRUE(run_at(run, parameters, objective, VecX::Ones(1)));
  EXPECT_THAT(test::message_of([&] {
                ModelDerivatives* const model = parameters.model(run.dt());
                run.sensitivities(
                    parameters.start_directions(), [](double, MatX&) {},
                    [](int, const State&, const MatX&) {}, model, parameters.model_columns());
              }),
              HasSubstr("'side': makes forces jump, most at t ="));
}

/// The derivative of f(x) at 0, of a parameter that is x in units of its scale, and whether f was
/// taken to bend there.
struct Differentiated {
  double slope;
  int kinks;
};
Differentiated differentiate_at_0(const std::function<double(double)>& f) {
  const BuildModel build = [](const VecX& values) {
    ModelAt out = builder_of(leg(), {})(VecX());
    out.dt = 0.004;
    out.start.q[0] = values[0];  // where the neighbour is
    return out;
  };
  const VecX middle = VecX::Ones(1);
  static ModelDerivatives model(build, [](const ModelAt& at) { return at.system->controls(); },
                                build(middle), middle, {{"place", 1}});
  model.begin_sum();
  model.differentiate(1, [&](const ModelDerivatives::Neighbour& of, VecRef out) {
    out[0] = f(of.at.start.q[0] - 1);
  });
  return {model.columns()(0, 0), model.kinks(0)};
}

TEST(ModelDerivatives, TakeTheSideOfTheMiddleWhereAnEntryBends) {
  // Neighbours are 2⁻¹³ apart, then 2⁻¹⁷ and 2⁻²¹ where they see a bend. The slope changes from 2
  // to 5 between the middle and the next of them, or between the middle and the one before.
  for (const double side : {1.0, -1.0})
    for (const auto& [distance, kinks] : {std::pair{0x1p-21, 1}, {0x1p-17, 0}, {0x1p-13, 0}}) {
      const double corner = side * 0.3 * distance;
      const Differentiated at = differentiate_at_0(
          [&](double x) { return ((x - corner) * side < 0 ? 2 : 5) * (x - corner); });
      // Differences of numbers of 1e-4: rounding of ε/2⁻¹³.
      EXPECT_NEAR(at.slope, 2, 1e-11) << side;
      EXPECT_EQ(at.kinks, kinks) << distance;
    }
}

TEST(ModelDerivatives, TellStrongCurvatureFromABend) {
  // Truncation at 2⁻²¹ is (δ/L)⁴/30, at 2⁻¹⁷ it is 5e-5 of the slope for the shortest length.
  for (const double length : {3e-5, 1e-4, 1e-3, 1e-2}) {
    const Differentiated at =
        differentiate_at_0([&](double x) { return length * std::exp(x / length); });
    EXPECT_NEAR(at.slope, 1, 1e-8) << length;
    EXPECT_EQ(at.kinks, 0) << length;
  }
}

TEST(ModelDerivatives, ArePreciseWhereCurvatureJumps) {
  // As the velocity of a motion by a cubic table at one of its rows. A difference of fourth order
  // misses the slope by 5e-6 at 2⁻¹⁷ and says nothing.
  const Differentiated at =
      differentiate_at_0([](double x) { return x + (x > 0 ? 2 : -3) * x * x; });
  EXPECT_NEAR(at.slope, 1, 1e-11);
  EXPECT_EQ(at.kinks, 1);
}

/// How often the equations bend by a parameter.
int kinks_by(const std::string& parameter, const RunDerivatives& run) {
  for (const RunDerivatives::Kinks& kinks : run.kinks())
    if (kinks.element == "parameter '" + parameter + "'") return kinks.count;
  return 0;
}

// A scale says how far a parameter may go, and not what its derivative is.
TEST(ModelDerivatives, DoNotDependOnTheScale) {
  const std::vector<Number> numbers = {
      {"muscles.list.gastrocnemius_lateralis.path.0.position.1", -0.385}};
  const BuildModel build =
      builder_of(read_text_file(test::source_dir() + "/scenes/running-leg.json"), numbers);
  const auto derivative = [&](double scale) {
    RunParameters parameters(build, values_of(numbers));
    parameters.add_model(numbers[0].path, scale);
    const SumOfObjectives objective = judge(parameters.system());
    RunDerivatives run(parameters.system(), settings(Integrator::bdf2, 0.002, 25));
    ValueAndGradient at;
    EXPECT_TRUE(
        differentiate(run, parameters, objective, VecX::Constant(1, numbers[0].value / scale), at));
    EXPECT_EQ(kinks_by(numbers[0].path, run), 0);
    return at.gradient[0] / scale;
  };
  const double by_metre = derivative(0.05);
  for (const double scale : {0.01, 0.1, 0.2, 0.385, 0.5})
    EXPECT_NEAR(derivative(scale), by_metre, 1e-7 * std::abs(by_metre)) << scale;
}

TEST(ModelDerivatives, CountWhereTheEquationsBendByAParameter) {
  // Less of it makes the band softer, more of it changes nothing.
  const BuildModel build = [](const VecX& values) {
    return builder_of(leg(),
                      {{"forces.band.stiffness", 0}})(VecX::Constant(1, std::min(values[0], 90.0)));
  };
  RunParameters parameters(build, VecX::Constant(1, 90));
  parameters.add_model("band", 90);
  const SumOfObjectives objective = judge(parameters.system());
  RunDerivatives run(parameters.system(), settings(Integrator::bdf1, 0.004, 10));
  ValueAndGradient at;
  ASSERT_TRUE(differentiate(run, parameters, objective, VecX::Ones(1), at)) << run.failure();
  EXPECT_EQ(kinks_by("band", run), 10);  // once in each stage
  ModelDerivatives* const model = parameters.model(run.dt());
  run.sensitivities(
      parameters.start_directions(), [](double, MatX&) {}, [](int, const State&, const MatX&) {},
      model, parameters.model_columns());
  EXPECT_EQ(kinks_by("band", run), 10);
}

TEST(ModelDerivatives, AreMadeAnewForAnotherStep) {
  const std::vector<Number> numbers = {{"bodies.thigh.inertia.mass", 5}};
  RunParameters parameters(builder_of(leg(), numbers), values_of(numbers));
  parameters.add_model(numbers[0].path, 5);
  const SumOfObjectives objective = judge(parameters.system());
  const auto gradient = [&](RunParameters& of, double dt) {
    RunDerivatives run(of.system(), settings(Integrator::bdf2, dt, 5));
    ValueAndGradient at;
    EXPECT_TRUE(differentiate(run, of, objective, VecX::Ones(1), at));
    // The same parameters with steps of another length, without `set` in between.
    return std::make_pair(at.gradient[0], of.model(2 * dt));
  };
  ModelDerivatives* const other = gradient(parameters, 0.002).second;
  EXPECT_EQ(parameters.model(0.004), other);
  RunDerivatives longer(parameters.system(), settings(Integrator::bdf2, 0.004, 5));
  ASSERT_TRUE(longer.run(parameters.controls(), parameters.start(), objective));
  const double kept = longer.gradient([](double, const VecX&) {}, other).model[0];
  RunParameters fresh(builder_of(leg(), numbers), values_of(numbers));
  fresh.add_model(numbers[0].path, 5);
  EXPECT_EQ(kept, gradient(fresh, 0.004).first);
}

}  // namespace model_derivatives_test
}  // namespace sinew
