#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sinew/analysis/muscle_state.hpp"
#include "sinew/integrate/integrator.hpp"
#include "sinew/io/osim/osim_model.hpp"
#include "sinew/muscles/muscles.hpp"
#include "support/reference.hpp"

/// Muscles of OpenSim's models at work: accelerations and runs against OpenSim 4.5.2.

namespace sinew {
namespace muscle_dynamics_test {

using nlohmann::json;

OsimModel reference_model(const std::string& file) {
  return load_osim(*test::reference_dir() / "opensim" / "models" / file);
}

/// The reference's batteries have locked coordinates unlocked.
void unlock(OsimModel& model) {
  std::erase_if(model.constraints,
                [](const auto& constraint) { return constraint->name().ends_with("_locked"); });
  for (OsimCoordinate& c : model.coordinates) c.locked = false;
}

/// Accelerations of one pose and activation against the reference's.
struct Comparison {
  double error = 0;        ///< error of q̈, over the largest of the pose
  double path_error = 0;   ///< largest of a path's length [m]
  double force_error = 0;  ///< largest of a tension, over its F₀
};

class Battery {
 public:
  explicit Battery(const std::string& name)
      : battery_(test::reference_json("opensim/" + name + ".json")),
        model_(reference_model(battery_["file"])) {
    unlock(model_);
    for (const json& c : battery_["coordinates"])
      places_.push_back(model_.skeleton.find_coordinate(c["name"].get<std::string>()));
  }

  std::vector<Comparison> compare() {
    std::vector<Comparison> out;
    for (size_t level = 0; level < 3; ++level) {
      RunStart run;
      const double activation = battery_["poses"][0]["hill"][level]["activation"];
      for (const OsimPath& path : model_.paths)
        if (path.pulls()) run.activations[path.path.name] = activation;
      const System system = model_.system_builder(run).build();
      Workspace ws(system);
      for (const json& pose : battery_["poses"]) out.push_back(compare(system, pose, level, ws));
    }
    return out;
  }

 private:
  Comparison compare(const System& system, const json& pose, size_t level, Workspace& ws) const {
    const json& hill = pose["hill"][level];
    State state = system.default_state();
    const auto read = [&](const json& list, VecX& to) {
      for (size_t k = 0; k < places_.size(); ++k) to[places_[k]] = list[k].get<double>();
    };
    read(pose["q"], state.q);
    read(pose["u"], state.qdot);
    initialize_muscles(system, state, ws);
    VecX qddot(system.dof_count()), theirs(system.dof_count());
    forward_dynamics(system, state, ws, qddot);
    read(hill["udot_all_forces"], theirs);
    Comparison out;
    // The tug of war stands still where it is symmetric.
    out.error = (qddot - theirs).lpNorm<Eigen::Infinity>() /
                std::max(1e-3, theirs.lpNorm<Eigen::Infinity>());
    const auto values = hill_values(system, state, ws);
    for (size_t i = 0; i < values.size(); ++i) {
      const MuscleElement& element = *system.muscles()[i];
      const auto k = static_cast<Eigen::Index>(i);
      EXPECT_EQ(element.name(), pose["paths"][i]["m"].get<std::string>());
      out.path_error = std::max(out.path_error, std::abs(muscle_scratch(ws).length[k] -
                                                         pose["paths"][i]["L"].get<double>()));
      if (!hill["muscles"][i].contains("v")) continue;
      const double tension = hill["muscles"][i]["v"][18];
      out.force_error =
          std::max(out.force_error, std::abs(values[i].actuation - tension) /
                                        element.muscle().hill->muscle.max_isometric_force);
    }
    return out;
  }

  json battery_;
  OsimModel model_;
  std::vector<int> places_;
};

class MuscleDynamics : public ::testing::TestWithParam<const char*> {};

/// Where all paths have OpenSim's length, so have accelerations; elsewhere its paths are not
/// geodesics, and accelerations differ with them: the test prints how much.
TEST_P(MuscleDynamics, AccelerationsAgreeWhereThePathsDo) {
  SINEW_NEEDS_REFERENCE();
  std::vector<double> exact, other;
  for (const Comparison& c : Battery(GetParam()).compare()) {
    if (c.path_error < 1e-9) {
      exact.push_back(c.error);
      // Fibres are in equilibrium to 1e-8 F₀ here and there; bodies of grams feel it.
      EXPECT_LT(c.error, 1e-6) << "tension off by " << c.force_error << " F0";
    } else {
      other.push_back(c.error);
    }
  }
  const auto show = [](const char* what, std::vector<double> errors) {
    if (errors.empty()) return;
    std::sort(errors.begin(), errors.end());
    std::printf("%s: %zu, median %.1e, largest %.1e\n", what, errors.size(),
                errors[errors.size() / 2], errors.back());
    ::testing::Test::RecordProperty(what, std::to_string(errors.back()));
  };
  show("same paths", exact);
  show("other paths", other);
}

INSTANTIATE_TEST_SUITE_P(Models, MuscleDynamics,
                         ::testing::Values("arm26", "gait10dof18musc", "gait2392_thelen2003muscle",
                                           "gait2392_millard2012muscle", "Rajagopal2016",
                                           "leg6dof9musc_inertiafix", "Tug_of_War_Millard"));

/// Runs to the times of a table with steps of h and calls back at each.
template <class AtRow>
void follow(const System& system, const test::ReferenceTable& table, double h, AtRow&& at_row,
            Integrator integrator = Integrator::sdirk2) {
  State state = system.default_state();
  Workspace ws(system);
  const StepOptions options{.integrator = integrator};
  for (const std::vector<double>& row : table.rows) {
    while (state.t < row[0] - 0.5 * h) {
      const StepReport report = step(system, options, h, state, ws);
      ASSERT_EQ(report.status, StepStatus::ok) << state.t;
    }
    at_row(row, state);
  }
}

TEST(MuscleDynamics, Arm26FlexesAsInOpenSim) {
  SINEW_NEEDS_REFERENCE();
  RunStart run;
  run.excitation = 0.01;
  for (const char* flexor : {"BIClong", "BICshort", "BRA"}) run.controls.emplace(flexor, 0.1);
  run.values["r_elbow_flex"] = 0.7;
  const OsimModel model = reference_model("arm26.osim");
  const System system = model.system_builder(run).build();
  const test::ReferenceTable table = test::reference_csv("opensim/fwd_arm26_flexors_1s.csv");
  const size_t shoulder = table.column("/jointset/r_shoulder/r_shoulder_elev/value");
  const size_t elbow = table.column("/jointset/r_elbow/r_elbow_flex/value");
  double worst = 0, until_092 = 0;
  follow(system, table, 1e-3, [&](const std::vector<double>& row, const State& state) {
    if (row[0] > 0.945) return;  // OpenSim's path jumps at 0.95 s
    worst =
        std::max({worst, std::abs(state.q[0] - row[shoulder]), std::abs(state.q[1] - row[elbow])});
    if (row[0] < 0.925) until_092 = worst;
  });
  std::printf("largest error %.1e rad\n", worst);
  // The same with a quarter of the step. OpenSim pulls along the plane section by which its BIClong
  // crosses an ellipsoid: the moment arm of that force is not the derivative of its own length. And
  // its TRIlong jumps at 0.24 s. Both are in docs/validation.md; the rest of the run is below.
  EXPECT_LT(until_092, 2e-3);
  EXPECT_LT(worst, 2.2e-3);
}

// From the reference's own state behind the jump of its TRIlong at 0.24 s, where the tension falls
// from 32 N to 0.4 N and is back within 10 ms.
TEST(MuscleDynamics, Arm26FlexesAsInOpenSimBehindItsFirstJump) {
  SINEW_NEEDS_REFERENCE();
  const test::ReferenceTable table = test::reference_csv("opensim/fwd_arm26_flexors_1s.csv");
  const size_t shoulder = table.column("/jointset/r_shoulder/r_shoulder_elev/value");
  const size_t elbow = table.column("/jointset/r_elbow/r_elbow_flex/value");
  const auto row_at = [&](double t) {
    return std::find_if(table.rows.begin(), table.rows.end(),
                        [t](const auto& row) { return row[0] > t - 1e-9; });
  };
  const size_t force = table.column("TRIlong|tendon_force");
  EXPECT_GT((*row_at(0.23))[force], 30);
  EXPECT_LT((*row_at(0.24))[force], 1);
  EXPECT_GT((*row_at(0.25))[force], 30);

  const std::vector<double>& start = *row_at(0.26);
  RunStart run;
  run.excitation = 0.01;
  for (const char* flexor : {"BIClong", "BICshort", "BRA"}) run.controls.emplace(flexor, 0.1);
  run.values = {{"r_shoulder_elev", start[shoulder]}, {"r_elbow_flex", start[elbow]}};
  run.speeds = {{"r_shoulder_elev", start[shoulder + 1]}, {"r_elbow_flex", start[elbow + 1]}};
  const OsimModel model = reference_model("arm26.osim");
  for (const OsimPath& path : model.paths) {
    const std::string name = path.path.name, state = "/forceset/" + name;
    run.activations[name] = start[table.column(state + "/activation")];
    run.fibre_lengths[name] = start[table.column(state + "/fiber_length")];
  }
  const System system = model.system_builder(run).build();
  test::ReferenceTable rest{table.names, {}};
  for (auto row = row_at(0.26); row != row_at(0.945); ++row) {
    rest.rows.push_back(*row);
    rest.rows.back()[0] -= start[0];
  }
  double worst = 0;
  follow(system, rest, 1e-3, [&](const std::vector<double>& row, const State& state) {
    worst =
        std::max({worst, std::abs(state.q[0] - row[shoulder]), std::abs(state.q[1] - row[elbow])});
  });
  std::printf("largest error from 0.26 s on %.1e rad\n", worst);
  EXPECT_LT(worst, 2e-3);  // required
}

TEST(MuscleDynamics, ADoublePendulumSwingsAsInOpenSim) {
  SINEW_NEEDS_REFERENCE();
  RunStart run;
  run.values = {{"q1", 0.5}, {"q2", -0.3}};
  const System system = reference_model("double_pendulum.osim").system_builder(run).build();
  const test::ReferenceTable table = test::reference_csv("opensim/fwd_double_pendulum_5s.csv");
  ASSERT_EQ(table.rows.back()[0], 5);
  Workspace ws(system);
  double angle = 0, kinetic = 0;
  follow(
      system, table, 1e-3,
      [&](const std::vector<double>& row, const State& state) {
        angle = std::max({angle, std::abs(state.q[0] - row[1]), std::abs(state.q[1] - row[3])});
        kinetic = std::max(kinetic, std::abs(energy(system, state, ws).kinetic -
                                             row[table.column("kinetic_energy")]));
      },
      Integrator::rk4);
  std::printf("largest errors: angle %.1e rad, kinetic energy %.1e J\n", angle, kinetic);
  EXPECT_LT(angle, 1e-6);
  EXPECT_LT(kinetic, 1e-5);
}

// Its locked coordinates are at rest, and its paths touch down: neither may keep Newton from an
// end.
TEST(MuscleDynamics, Rajagopal2016FallsInStepsOfFiveMilliseconds) {
  SINEW_NEEDS_REFERENCE();
  const System system = reference_model("Rajagopal2016.osim").system_builder(RunStart{}).build();
  State state = system.default_state();
  Workspace ws(system);
  const StepOptions options{.integrator = Integrator::sdirk2};
  for (int k = 0; k < 240; ++k) {
    const StepReport report = step(system, options, 5e-3, state, ws);
    ASSERT_EQ(report.status, StepStatus::ok) << state.t;
    ASSERT_LT(report.newton_residual, 1e-9);
  }
}

TEST(MuscleDynamics, Rajagopal2016PassesJumpsOfItsPathsInShorterSteps) {
  SINEW_NEEDS_REFERENCE();
  RunStart run;
  run.excitation = 0.2;
  const System system = reference_model("Rajagopal2016.osim").system_builder(run).build();
  State state = system.default_state();
  Workspace ws(system);
  const StepOptions options{.integrator = Integrator::sdirk2};
  int halved = 0;
  for (int k = 0; k < 150; ++k) {
    const StepReport report = step(system, options, 2e-3, state, ws);
    ASSERT_EQ(report.status, StepStatus::ok) << state.t;
    halved += report.rejected;
  }
  EXPECT_GT(halved, 0);
  EXPECT_LT(halved, 20);
}

TEST(MuscleDynamics, TugOfWarKeepsOpenSimsFibresAndActivations) {
  SINEW_NEEDS_REFERENCE();
  RunStart run;
  run.excitation = 0.5;
  const OsimModel model = reference_model("Tug_of_War_Millard.osim");
  const System system = model.system_builder(run).build();
  const test::ReferenceTable table =
      test::reference_csv("opensim/fwd_tugofwar_millard_exc0.5_1s.csv");
  double activation = 0, fibre = 0;
  follow(system, table, 5e-4, [&](const std::vector<double>& row, const State& state) {
    for (size_t i = 0; i < 2; ++i) {
      const std::string path = "/forceset/" + system.muscles()[i]->name();
      const auto k = static_cast<Eigen::Index>(i);
      activation =
          std::max(activation, std::abs(state.z[k] - row[table.column(path + "/activation")]));
      fibre = std::max(fibre, std::abs(state.z[2 + k] - row[table.column(path + "/fiber_length")]));
    }
  });
  std::printf("largest errors: activation %.1e, fibre %.1e m\n", activation, fibre);
  EXPECT_LT(activation, 1e-6);
  EXPECT_LT(fibre, 1e-6);
}

}  // namespace muscle_dynamics_test
}  // namespace sinew
