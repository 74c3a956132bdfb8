#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "cli/program.hpp"
#include "support/source_dir.hpp"

/// Every file of tests/io/bad_tasks has one mistake, or asks for something that gradients cannot
/// pass. Each must give exit code 2 and one line that says what is wrong, with the task's file and
/// the line of the mistake where it is one of the task's own.

namespace sinew::test {
namespace bad_tasks_test {

const std::filesystem::path kTaskFolder =
    std::filesystem::path(source_dir()) / "tests/io/bad_tasks";

struct BadTask {
  const char* name;
  int line;  ///< 0: the message names an element of the model, or the task as a whole
  const char* fragment;
};

void PrintTo(const BadTask& task, std::ostream* out) { *out << task.name; }

const BadTask kBadTasks[] = {
    {"a_list", 1, "task: is a list"},
    {"a_scene", 1, "is a scene, not a task"},
    {"blended_a_word", 4, "'blended_activation' is a string, not"},
    {"blended_without_muscles", 0, "--set muscles.activation_law=blended: muscles: has no 'list'"},
    {"body_unknown", 8, "'b3' is not a body of the model"},
    {"contact_empty", 8, "'contact' is empty"},
    {"contact_none", 8, "give it a ground-contact"},
    {"contact_unknown", 8, "'ball-grund' is not a smooth contact of the model"},
    {"contact_of_dependent_coordinates", 9, "is not differentiated where coordinates depend on"},
    {"control_twice", 5, "is there twice"},
    {"control_unknown", 5, "is not a control of the model; did you mean 'motor1'?"},
    {"coordinate_unknown", 8, "'j11' is not a coordinate that is free to move"},
    {"effort_by_duration", 9, "an effort is not differentiated by the duration of the run; leave"},
    {"end_off_the_steps", 0, "are not a whole number of steps"},
    {"energy_driven_by_time", 0, "is not differentiated where time drives coordinates; use"},
    {"energy_of_what", 8, "'of' is 'thermal'"},
    {"excitation_a_word", 4, "'motor1' is a string, not a number"},
    {"excitation_and_parameter", 6, "is also one of the 'excitations'"},
    {"excitation_unknown", 0, "'motor3' is not a muscle or actuator"},
    {"hold_too_few", 5, "cannot hold the start"},
    {"initial_unknown", 0, "'j3'"},
    {"integrator_explicit", 4, "'integrator' is 'rk4'"},
    {"interpolation_of_a_constant", 5, "a constant has no 'interpolation'"},
    {"interpolation_unknown", 5, "'interpolation' is 'smooth'"},
    {"knots_cubic_too_many", 5, "has 5000 cubic knots"},
    {"knots_descend", 5, "'knots' do not ascend"},
    {"knots_outside", 5, "has a knot at t = 2 s, and the run is from 0 to 1 s"},
    {"knots_too_few", 5, "'knots' is out of range"},
    {"landing_without_gravity", 9, "nothing comes down without gravity; give the scene gravity"},
    {"limits_crossed", 5, "'upper' is not above 'lower'"},
    {"marker_of_a_scene", 8, "only OpenSim models have markers: use 'point'"},
    {"marker_unknown", 9, "'wirst' is not a marker of the model"},
    {"model_empty", 3, "'model' is empty"},
    {"model_file_missing", 0, "does not exist"},
    {"model_unknown", 0, "scene 'redmax-diff-99': does not exist"},
    {"nan", 8, "invalid literal"},
    {"no_model", 1, "has no 'model'"},
    {"no_objectives", 7, "has no objectives"},
    {"no_parameters", 4, "has no parameters"},
    {"no_version", 1, "has no 'sinew_task'"},
    {"objective_type_unknown", 8, "'type' is 'position'"},
    {"optimizer_unknown", 4, "'method' is 'newton'"},
    {"parameter_at_its_end", 0, "cannot be moved both ways from 0: joint 'j1': 'damping' is"},
    {"parameter_osim_path_unknown", 0, "there is no 'amr' in '/bodyset'; did you mean 'arm'?"},
    {"parameter_path_unknown", 0, "there is no 'b3' in this list; did you mean 'b1'?"},
    {"parameter_type_unknown", 5, "did you mean 'control'?"},
    {"parameter_without_type", 5, "has no 'type'"},
    {"reaction_at_the_start", 8, "is known after steps, not at the start of the run"},
    {"reaction_none", 8, "the model has no constraints"},
    {"reaction_unknown", 8, "'knee_torque' is not a reaction of the model's constraints"},
    {"refused_acceleration", 0, "constraint 'shake': acts on accelerations, which"},
    {"refused_bearing", 0, "bearing 'bearing-1': makes velocities jump; use damping of"},
    {"refused_cable", 0, "damper sets in with a jump; set its damping to 0"},
    {"refused_contacts", 0, "makes velocities jump; use smooth contact"},
    {"refused_dependent_rows", 0, "constraints: some depend on others"},
    {"refused_dissipation", 0, "force 'band': dissipates along points that move"},
    {"refused_exact_guide", 0,
     "strand 'tendon' runs around guide 'wrist', whose model is not smooth; give its surface"},
    {"refused_exact_wrapping", 0,
     "muscle 'muscle' has mass on a surface that it leaves with a jump"},
    {"refused_friction", 0,
     "guide 'bollard': has friction that makes velocities jump; give it a 'creep' velocity"},
    {"refused_jump_of_a_function", 0,
     "joint 'knee': the curvature of its function of 'knee_angle' jumps at 0, which the run "
     "passes"},
    {"refused_limit", 0, "limit 'limit': makes velocities jump; use a stop"},
    {"refused_lost_path", 0, "muscle 'muscle1a': loses its path at t = 0.436 s, where forces"},
    {"refused_mass_points", 0, "has its mass in points"},
    {"refused_nearer_side", 0, "muscle 'muscle' passes a cylinder on the nearer side"},
    {"refused_opensim_path", 0, "follows a path by OpenSim's rules, which jumps; set"},
    {"refused_passages", 0, "strand 'rope' has nodes that pass rings or guides, where"},
    {"refused_release", 0, "strand 'chain' has ends that may slip out of their rings"},
    {"refused_side_of_a_capped_cylinder", 0,
     "muscle 'muscle': passes a surface on its other side from t = 0.374 s on"},
    {"refused_side_of_a_sphere", 0,
     "muscle 'muscle': passes a surface on its other side from t = 0.572 s on"},
    {"refused_stops", 0, "has a damper"},
    {"refused_switching", 0, "muscle 'muscle' has points that come and go with a jump; choose"},
    {"refused_without_projection", 0,
     "projection: gradients pass only steps that end on the constraints; set "
     "\"simulation.projection\": true"},
    {"rows_of_nothing", 8, "'at' is 'rows'"},
    {"run_misspelt", 4, "unknown key 'step'"},
    {"scale_zero", 5, "'scale' is not positive"},
    {"set_a_list", 4, "'set' is a list, not an object"},
    {"set_unknown_key", 0, "unknown key 'dampings'; did you mean 'damping'?"},
    {"set_unknown_path", 0, "there is no 'b3' in this list; did you mean 'b1'?"},
    {"shooting_few_intervals", 4, "'intervals' is out of range"},
    {"shooting_loop", 0, "leaves no free choice of the states at which intervals start"},
    {"shooting_mass", 6, "is the same in all intervals"},
    {"shooting_uneven_intervals", 0, "3 intervals do not divide a run of 100 steps"},
    {"shooting_without_knots", 0, "bdf2 begins anew where an interval starts, at t = 0.25 s"},
    {"smooth_paths_of_a_scene", 4, "is for OpenSim models; set the scene's muscles.wrap_model"},
    {"speed_of_both", 8, "needs either 'coordinate' or 'body'"},
    {"start_outside", 5, "starts at 3, outside its limits"},
    {"state_of_what", 5, "is not a state; write NAME"},
    {"state_unknown", 5, "the model has no 'j3' with a value"},
    {"step_negative", 4, "'dt' is not positive"},
    {"steps_too_many", 0, "100000 s are 1e+07 steps of 0.01 s"},
    {"target_flat", 8, "'target' has 2 values"},
    {"target_missing", 8, "has no 'target'"},
    {"time_a_word", 8, "'at' is 'begin'"},
    {"time_after_the_end", 8, "no step ends at t = 3 s"},
    {"time_off_the_steps", 8, "no step ends at t = 0.125 s"},
    {"track_column_missing", 9, "has no column for 'j2_1'; did you mean 'j1_1'?"},
    {"track_coordinates_of_moments", 9, "has no coordinate of the model"},
    {"track_file_missing", 8, "nowhere.sto: is not a file"},
    {"track_gap", 9, "its column 'j1_1' has a gap; fill it"},
    {"track_of_what", 8, "'of' is 'forces'"},
    {"track_reaction_unknown", 8, "the model has no reaction 'knee_torque'"},
    {"track_rows_elsewhere", 8, "has no row between the start and the end of the run"},
    {"track_rows_off_the_steps", 9, "where no step of 0.003 s ends"},
    {"transition_negative", 0, "'transition' is negative"},
    {"truncated", 5, "unexpected end of input"},
    {"unknown_key", 4, "unknown key 'objective'; did you mean 'objectives'?"},
    {"value_a_word", 5, "did you mean 'hold'?"},
    {"values_for_knots", 5, "has 2 values for 3 knots"},
    {"version_unknown", 2, "is of a version that is not known"},
    {"weight_negative", 8, "'weight' is not positive"},
};

class BadTasks : public testing::TestWithParam<BadTask> {};

TEST_P(BadTasks, AreRefusedWithFileLineAndReason) {
  const BadTask& task = GetParam();
  const std::string file = (kTaskFolder / task.name).string() + ".json";
  // What the optimiser refuses has a gradient.
  const bool of_optimiser = std::string_view(task.name).starts_with("shooting_");
  const ProgramResult result =
      run_program((of_optimiser ? "optimize '" : "gradient '") + file + "'");
  EXPECT_EQ(result.exit_code, 2) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  if (task.line > 0) {
    EXPECT_NE(result.err.find(file + ":" + std::to_string(task.line) + ": "), std::string::npos)
        << result.err;
  }
  EXPECT_NE(result.err.find(task.fragment), std::string::npos) << result.err;
}

INSTANTIATE_TEST_SUITE_P(All, BadTasks, testing::ValuesIn(kBadTasks),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(BadTasksFolder, HoldsNoFileThatIsNotTested) {
  std::set<std::string> tested, present;
  for (const BadTask& task : kBadTasks) tested.insert(task.name);
  for (const auto& entry : std::filesystem::directory_iterator(kTaskFolder))
    if (entry.path().extension() == ".json") present.insert(entry.path().stem().string());
  EXPECT_EQ(tested, present);
}

}  // namespace bad_tasks_test
}  // namespace sinew::test
