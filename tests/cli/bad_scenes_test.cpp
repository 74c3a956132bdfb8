#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "cli/program.hpp"
#include "support/source_dir.hpp"

/// Every file of tests/io/bad_scenes has one mistake. Each must give exit code 2 and one line that
/// names the file, the line of the mistake, and what is wrong.

namespace sinew::test {
namespace bad_scenes_test {

const std::filesystem::path kFolder = std::filesystem::path(source_dir()) / "tests/io/bad_scenes";

struct BadScene {
  const char* name;
  int line;
  const char* fragment;
};

void PrintTo(const BadScene& scene, std::ostream* out) { *out << scene.name; }

const BadScene kBadScenes[] = {
    {"a_list", 1, "scene: is a list"},
    {"absurd_number", 8, "'mass' is absurdly large"},
    {"axis_missing", 7, "has no 'axis'"},
    {"axis_of_a_ball", 7, "unknown key 'axis'"},
    {"bad_utf8", 3, "invalid string"},
    {"baumgarte_misspelt", 14, "unknown key 'velocity'"},
    {"baumgarte_negative", 14, "'implicit' is negative"},
    {"bodies_an_object", 3, "'bodies' is an object, not a list"},
    {"body_named_world", 4, "takes the name of the ground"},
    {"braces_without_count", 5, "has braces"},
    {"cable_misspelt", 12, "unknown key 'slak'; did you mean 'slack'?"},
    {"cable_negative_stiffness", 12, "stiffness is negative"},
    {"cable_no_initial_length", 12, "rest length is not positive"},
    {"cable_no_rest", 12, "'rest_length' is not positive"},
    {"cable_one_point", 12, "needs two or more 'bodies'"},
    {"cable_points_missing", 12, "as many 'points'"},
    {"cable_rest_word", 12, "did you mean 'initial'?"},
    {"cable_slack_a_number", 12, "'slack' is a number, not true or false"},
    {"cable_to_itself", 12, "connects a body to itself"},
    {"cable_unknown_body", 12, "body 'rot' does not exist; did you mean 'rod'?"},
    {"comment", 3, "invalid literal"},
    {"constraint_a_string", 12, "is a string"},
    {"constraint_body_unknown", 12, "body 'rot' does not exist; did you mean 'rod'?"},
    {"constraint_cannot_close", 13, "constraint 'pin': cannot be satisfied at the start"},
    {"constraint_coordinate_unknown", 12, "coordinate 'b1' does not exist; did you mean 'b_1'?"},
    {"constraint_defined_twice", 13, "constraint 'g': is defined twice"},
    {"constraint_key_misspelt", 12,
     "constraint 'pin': unknown key 'point'; did you mean 'points'?"},
    {"constraint_name_with_comma", 12, "a character that names cannot have"},
    {"constraint_one_point", 12, "needs two 'bodies' and two 'points'"},
    {"constraint_to_itself", 12, "connects a body to itself"},
    {"constraint_type_missing", 12, "has no 'type'"},
    {"constraint_type_unknown", 12, "'type' is 'bal'; did you mean 'ball'?"},
    {"constraints_contradict", 12, "cannot be satisfied at the start"},
    {"constraints_contradict_in_speed", 12, "prescribes a velocity that contradicts others"},
    {"count_a_fraction", 9, "'count' is out of range"},
    {"count_too_large", 9, "'count' is out of range"},
    {"count_without_braces", 5, "put {} in it"},
    {"coupling_slopes", 13, "'coefficients' has 2 values; give 1"},
    {"coupling_spline_unsorted", 12, "increas"},
    {"coupling_without_argument", 12, "has one argument; give one in 'arguments'"},
    {"deep_nesting", 3, "nests deeper than 64"},
    {"dependent_argument_unknown", 12, "did you mean 'a_1'?"},
    {"dependent_chain", 12, "which depends on others itself"},
    {"dependent_coordinate_unknown", 12, "did you mean 'b_1'?"},
    {"dependent_key_misspelt", 12, "unknown key 'argument'; did you mean 'arguments'?"},
    {"dependent_twice", 13, "depends on others twice"},
    {"dependent_with_q0", 12, "has a q0 or qdot0 of its own"},
    {"dependent_without_function", 12, "has no 'function'"},
    {"distance_a_word", 12, "did you mean 'initial'?"},
    {"distance_zero", 12, "length"},
    {"duplicate_body", 10, "body 'a': is defined twice"},
    {"duplicate_coordinate", 7, "coordinate 'x': is defined twice"},
    {"duplicate_force", 13, "force 'f': is defined twice"},
    {"duplicate_joint", 13, "joint 'hip': is defined twice"},
    {"duplicate_key", 4, "key 'units': appears twice"},
    {"empty_composite", 7, "'parts' is empty"},
    {"empty_file", 1, "unexpected end of input"},
    {"euler_order", 7, "order"},
    {"extra_coordinate_idle", 12, "coordinate 'grip': moves nothing"},
    {"extra_coordinate_known", 12, "coordinate 'a_1': is defined twice"},
    {"flag_a_number", 12, "'ode45_rules' is a number, not true or false"},
    {"flat_cuboid", 8, "cuboid"},
    {"flat_ellipse", 7, "semi"},
    {"four_moments", 8, "'moments' has 4 values"},
    {"free_order", 7, "did you mean 'rotation-first'?"},
    {"function_argument", 7, "'arguments' names a coordinate"},
    {"function_spline_unsorted", 7, "increas"},
    {"function_two_slopes", 7, "'coefficients' has 2 values"},
    {"function_without_coordinates", 7, "coordinate"},
    {"gear_with_itself", 12, "couples a coordinate with itself"},
    {"gear_without_ratio", 12, "has no 'ratio'"},
    {"generate_bodies_zero", 3, "'bodies'"},
    {"generate_shape_unknown", 3, "did you mean 'umbrella'?"},
    {"gravity_a_string", 11, "'gravity' is a string, not a list"},
    {"gravity_two_numbers", 11, "'gravity' has 2 values; give 3"},
    {"ground_contact_cylinder", 12, "cannot keep a cylinder above the ground"},
    {"ground_contact_density", 12, "a shape that only touches has a 'density'"},
    {"ground_contact_misspelt", 12, "unknown key 'frictoin'; did you mean 'friction'?"},
    {"ground_contact_negative_friction", 12, "'friction' is negative"},
    {"ground_contact_no_creep", 12, "'creep_velocity' is not positive"},
    {"ground_contact_on_itself", 12, "on one body"},
    {"ground_contact_unknown_ground", 12, "body 'floor' does not exist"},
    {"ground_contact_without_shapes", 12, "has no shapes to touch the ground with"},
    {"ground_contact_zero_normal", 12, "normal is zero"},
    {"hill_excitation_percent", 13, "'excitation' is greater than 1"},
    {"hill_feedback_unknown", 13, "coordinate 'hip' does not exist"},
    {"hill_negative_force", 13, "'max_isometric_force' is not positive"},
    {"hill_no_tendon", 13, "has no 'tendon_slack_length'"},
    {"hinge_axis_zero", 12, "'axes' is zero"},
    {"hinge_one_axis", 12, "needs two 'axes'"},
    {"indefinite_inertia", 8, "inertia is"},
    {"infinity", 11, "invalid number"},
    {"joint_missing", 4, "has no 'joint'"},
    {"joint_type_missing", 7, "has no 'type'"},
    {"line_direction_zero", 12, "'direction' is zero"},
    {"mass_twice", 9, "has both 'inertia' and a shape with 'density'"},
    {"mesh_absolute", 8, "leaves the scene's folder"},
    {"mesh_outside", 8, "leaves the scene's folder"},
    {"missing_mesh", 8, "none.obj"},
    {"misspelt_body_key", 9, "unknown key 'dampping'; did you mean 'damping'?"},
    {"misspelt_key", 11, "unknown key 'gravty'; did you mean 'gravity'?"},
    {"misspelt_simulation_key", 12, "did you mean 'until'?"},
    {"muscle_all_ground", 13, "muscle 'm': is fixed to the ground altogether"},
    {"muscle_belly_outside", 13, "'belly' is not a part of the path"},
    {"muscle_condition_range", 15, "'range' does not increase"},
    {"muscle_condition_refused", 15, "has a conditional path point"},
    {"muscle_lumped_nowhere", 12, "did you mean 'rod'?"},
    {"muscle_misspelt", 13, "muscle 'm': unknown key 'mas'; did you mean 'mass'?"},
    {"muscle_negative_mass", 13, "muscle 'm': 'mass' is negative"},
    {"muscle_option_misspelt", 12, "muscles: unknown key 'mass_modle'; did you mean 'mass_model'?"},
    {"muscle_unknown_body", 15, "muscle 'm': body 'rot' does not exist; did you mean 'rod'?"},
    {"muscle_wrap_band", 15, "its band is not in (0, 0.3] rad"},
    {"muscle_wrap_no_radius", 15, "'radius' is not positive"},
    {"muscle_wrap_unknown", 15, "muscle 'm': 'type' is 'cone'"},
    {"name_a_number", 5, "'name' is a number, not a string"},
    {"name_with_tab", 5, "a character that names cannot have"},
    {"natural_without_length", 7, "'characteristic_length'"},
    {"negative_body_damping", 9, "'linear' is negative"},
    {"negative_dt", 12, "'dt' is not positive"},
    {"negative_mass", 8, "'mass' is not positive"},
    {"negative_radius", 8, "radius"},
    {"negative_spring", 12, "stiffness"},
    {"negative_stiffness", 7, "'stiffness' is negative"},
    {"neither_bodies_nor_generate", 1, "has no 'bodies'"},
    {"newton_fraction", 12, "'newton_iterations' is out of range"},
    {"no_bodies", 1, "has no bodies"},
    {"no_mass", 4, "has no mass"},
    {"not_a_number", 8, "invalid literal"},
    {"number_overflow", 8, "number overflow parsing '1e999'"},
    {"open_mesh", 8, "edge"},
    {"own_parent", 4, "descends from itself"},
    {"parent_cycle", 4, "descends from itself"},
    {"part_with_state", 7, "unknown key 'q0'"},
    {"piecewise_counts", 13, "as many 'pieces' as 'starts'"},
    {"piecewise_nested", 13, "a piece cannot be a piecewise itself"},
    {"piecewise_order", 13, "'starts' does not increase"},
    {"placement_misspelt", 9, "did you mean 'position'?"},
    {"plane_without_normal", 12, "has no 'normal'"},
    {"prescribed_level", 12, "'level' is 'speed'"},
    {"projection_a_number", 14, "'projection' is a number, not true or false"},
    {"ragged_surface", 7, "'x' has 3 values; give 4"},
    {"rest_length_word", 12, "did you mean 'initial'?"},
    {"rotation_axis_zero", 9, "axis is zero"},
    {"rotation_left_handed", 9, "not a rotation matrix"},
    {"rotation_not_orthonormal", 9, "not a rotation matrix"},
    {"seven_coordinates", 7, "coordinates"},
    {"small_surface", 7, "4"},
    {"spline_frames_coincide", 7, "joint"},
    {"spline_knots_decrease", 7, "knots"},
    {"spring_to_itself", 12, "connects a body to itself"},
    {"spring_with_one_end", 12, "two 'bodies'"},
    {"stops_a_number", 7, "stops of joint 'hip': is a number"},
    {"stops_exchanged", 7, "'lower' is above 'upper'"},
    {"stops_misspelt", 7, "unknown key 'stifness'; did you mean 'stiffness'?"},
    {"stops_negative_damping", 7, "'damping' is negative"},
    {"stops_negative_stiffness", 7, "'stiffness' is negative"},
    {"stops_too_many", 7, "'lower' has 2 values"},
    {"stops_without_limit", 7, "have neither 'lower' nor 'upper'"},
    {"stops_without_stiffness", 7, "stops of joint 'hip': has no 'stiffness'"},
    {"surface_sizes_differ", 7, "size"},
    {"table_lengths_differ", 12, "force"},
    {"time_function_a_number", 12, "is a number"},
    {"time_function_key", 12, "unknown key 'centre'; did you mean 'center'?"},
    {"time_function_type", 12, "did you mean 'logistic'?"},
    {"time_table_interpolation", 13, "'interpolation' is 'quadratic'"},
    {"time_table_lengths", 13, "2 times but 3 values"},
    {"time_table_unsorted", 13, "let the times increase"},
    {"time_table_without_interpolation", 13, "has no 'interpolation'"},
    {"times_not_increasing", 12, "increas"},
    {"too_few_coordinate_names", 7, "'coordinates' has 1 names; the joint has 2"},
    {"too_few_spline_frames", 7, "frames"},
    {"too_many_initial_values", 7, "'q0' has 2 values; the joint has 1"},
    {"trailing_comma", 4, "unexpected '}'"},
    {"trailing_garbage", 12, "expected end of input"},
    {"triangle_inequality", 8, "triangle inequality"},
    {"truncated", 3, "unexpected end of input"},
    {"twist_frame", 12, "'frame' is 'parent'"},
    {"twist_of_the_ground", 12, "is on a body that cannot move"},
    {"twist_part", 12, "'part' is 'rotation'"},
    {"twist_position", 12, "'level' is 'position'"},
    {"twist_seven_rows", 12, "'rows' has 7 entries; give one to six"},
    {"twist_without_rows", 12, "'rows' has 0 entries; give one to six"},
    {"unknown_body", 12, "body 'rot' does not exist; did you mean 'rod'?"},
    {"unknown_coordinate", 12, "coordinate 'hip_2' does not exist; did you mean 'hip_1'?"},
    {"unknown_curve", 7, "did you mean 'knees'?"},
    {"unknown_force_type", 12, "did you mean 'spring'?"},
    {"unknown_integrator", 12, "'integrator' is 'rk5'; did you mean 'rk4'?"},
    {"unknown_joint_type", 7, "did you mean 'revolute'?"},
    {"unknown_parent", 12, "parent 'uper' does not exist; did you mean 'upper'?"},
    {"unknown_shape", 8, "did you mean 'cuboid'?"},
    {"value_and_table", 12, "either 'value' or 'table'"},
    {"version_missing", 1, "has no 'sinew_scene'"},
    {"version_unknown", 2, "'sinew_scene' is not a version"},
    {"weld_one_placement", 12, "needs two 'placements'"},
    {"weld_with_points", 12, "unknown key 'points'"},
    {"wrong_units", 11, "'units' is 'imperial'; known: si, cgs"},
    {"zero_axis", 7, "axis"},
    {"zero_density", 8, "'density' is not positive"},
    {"zero_mass", 8, "'mass' is not positive"},
};

class BadScenes : public testing::TestWithParam<BadScene> {};

TEST_P(BadScenes, AreRefusedWithFileLineAndReason) {
  const BadScene& scene = GetParam();
  const std::string file = (kFolder / scene.name).string() + ".json";
  const ProgramResult result = run_program("simulate '" + file + "' --until 0.001");
  EXPECT_EQ(result.exit_code, 2) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  EXPECT_NE(result.err.find(file + ":" + std::to_string(scene.line) + ": "), std::string::npos)
      << result.err;
  EXPECT_NE(result.err.find(scene.fragment), std::string::npos) << result.err;
}

INSTANTIATE_TEST_SUITE_P(All, BadScenes, testing::ValuesIn(kBadScenes),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(BadScenesFolder, HoldsNoFileThatIsNotTested) {
  std::set<std::string> tested, present;
  for (const BadScene& scene : kBadScenes) tested.insert(scene.name);
  for (const auto& entry : std::filesystem::directory_iterator(kFolder))
    if (entry.path().extension() == ".json") present.insert(entry.path().stem().string());
  EXPECT_EQ(tested, present);
}

}  // namespace bad_scenes_test
}  // namespace sinew::test
