#include "fuzz/readers.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include "fuzz/scene_steps.hpp"
#include "sinew/analysis/muscle_analysis.hpp"
#include "sinew/analysis/muscle_drive.hpp"
#include "sinew/analysis/muscle_state.hpp"
#include "sinew/core/error.hpp"
#include "sinew/io/fit/bone_poses.hpp"
#include "sinew/io/fit/joint_writer.hpp"
#include "sinew/io/ik/target_table.hpp"
#include "sinew/io/meshes/mesh_file.hpp"
#include "sinew/io/meshes/obj.hpp"
#include "sinew/io/meshes/tet_file.hpp"
#include "sinew/io/models/run_options.hpp"
#include "sinew/io/osim/pose_evaluation.hpp"
#include "sinew/io/sweeps/point_table.hpp"
#include "sinew/io/sweeps/study.hpp"
#include "sinew/io/tables/external_loads.hpp"
#include "sinew/io/tables/motion_reader.hpp"
#include "sinew/io/tables/muscle_table.hpp"
#include "sinew/io/tables/trc_file.hpp"
#include "sinew/io/tasks/task_files.hpp"
#include "sinew/model/mesh_thinning.hpp"
#include "sinew/muscles/wrap/wrap_network.hpp"
#include "sinew/report/comparison.hpp"
#include "sinew/report/earlier_search.hpp"
#include "sinew/report/loaded_run.hpp"
#include "sinew/report/optimum_report.hpp"
#include "sinew/report/report_motion.hpp"
#include "sinew/report/report_series.hpp"
#include "sinew/report/result_folder.hpp"
#include "sinew/report/run.hpp"
#include "sinew/sweep/run_log.hpp"
#include "sinew/system/equations.hpp"
#include "sinew/view/session.hpp"
#include "support/source_dir.hpp"

namespace sinew::fuzz {
namespace {

namespace fs = std::filesystem;

fs::path corpus_folder() { return fs::path(test::source_dir()) / "tests/fuzz/corpus"; }

/// A folder in memory, for readers that want a file; gone with the object.
class ScratchFolder {
 public:
  ScratchFolder() {
    const fs::path memory = "/dev/shm";
    path_ = (fs::is_directory(memory) ? memory : fs::temp_directory_path()) /
            ("sinew-fuzz-" + std::to_string(getpid()));
    fs::create_directory(path_);
  }
  ~ScratchFolder() {
    std::error_code code;
    fs::remove_all(path_, code);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const fs::path& path() const { return path_; }
  fs::path write(const char* name, std::string_view bytes) const {
    const fs::path file = path_ / name;
    std::ofstream(file, std::ios::binary) << bytes;
    return file;
  }

 private:
  fs::path path_;
};

/// Makes a folder the present one, until the object goes.
class WorkingFolder {
 public:
  explicit WorkingFolder(const fs::path& path) : before_(fs::current_path()) {
    fs::current_path(path);
  }
  ~WorkingFolder() { fs::current_path(before_); }
  WorkingFolder(const WorkingFolder&) = delete;
  WorkingFolder& operator=(const WorkingFolder&) = delete;

 private:
  fs::path before_;
};

/// The first lines of a text, for readers of single ones.
std::vector<std::string> lines_of(std::string_view text) {
  constexpr size_t kMost = 8;
  std::vector<std::string> out;
  while (!text.empty() && out.size() < kMost) {
    const size_t end = std::min(text.find('\n'), text.size());
    out.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

/// The model for files that belong to one.
const OsimModel& leg() {
  static const OsimModel kModel = load_osim(corpus_folder() / "osim/leg.osim");
  return kModel;
}

void read_scene(std::string_view text) {
  const Scene scene = parse_scene(text, "scene", mesh_folder());
  step_scene(scene, scene.settings.step.integrator, {.dof = 40, .surfaces = 4, .steps = 1});
}

void read_override(std::string_view text) {
  static const std::string kScene = read_text_file(corpus_folder() / "scene/constraints.json");
  parse_scene(kScene, "scene", mesh_folder(), lines_of(text));
}

/// Lets the muscles pull: paths, Hill forces, accelerations in the initial state.
void pull(const System& system) {
  const State state = system.default_state();
  Workspace ws(system);
  VecX qddot(system.dof_count());
  forward_dynamics(system, state, ws, qddot);
  hill_values(system, state, ws);
}

void read_osim(std::string_view text) {
  const OsimModel model = parse_osim(text, "model");
  evaluate_poses(model, R"({"poses": [{"activation": [0.01, 1]}]})", "poses");
  pull(model.system_builder().build());
}

/// Of lines as after --set.
void read_osim_edits(std::string_view text) {
  static const std::string kText = read_text_file(test::source_dir() + "/models/leg/leg.osim");
  parse_osim(kText, "leg.osim", {.set = lines_of(text)});
}

void read_poses(std::string_view text) { evaluate_poses(leg(), text, "poses"); }

void read_storage_text(std::string_view text) {
  StorageFile file = parse_storage(text, "m.mot");
  to_radians([](const std::string&) { return true; }, file);
  if (file.table.values.allFinite()) opensim_smoothing(file.table, 6);
}

void read_motion_file(std::string_view text) {
  const ScratchFolder folder;
  const fs::path file = folder.write("motion.mot", text);
  for (const bool opensim : {false, true})
    read_motion(file, motion_target(leg()), {.cutoff = 6, .opensim_filter = opensim});
}

void read_controls_file(std::string_view text) {
  const ScratchFolder folder;
  RunStart run;
  std::vector<std::string> warnings;
  read_controls(folder.write("controls.sto", text), inputs_of(leg()), run, warnings);
  pull(leg().system_builder(run).build());
}

/// What drives the muscles along a motion, activations or excitations over time.
void read_drive(std::string_view text) {
  static const std::vector<DrivenMuscle> kMuscles = [] {
    std::vector<DrivenMuscle> out;
    for (const OsimPath& path : leg().paths)
      if (path.pulls()) out.push_back({path.path.name, *path.hill});
    return out;
  }();
  const std::vector<double> times = {0, 0.01, 0.5, 2};
  const MotionTable table = parse_storage(text, "drive.sto").table;
  drive_from_controls(kMuscles, times, table);
  const MuscleDrive drive = drive_from_states(kMuscles, times, table);
  for (Eigen::Index k = 0; k < drive.activation.cols(); ++k) {
    const double fibre = drive.fibre_length(0, k);
    hill_instant(kMuscles[0].hill.muscle, drive.activation(0, k), 0.35, 0.1,
                 std::isnan(fibre) ? std::nullopt : std::optional(fibre));
  }
}

void read_states_file(std::string_view text) {
  const ScratchFolder folder;
  RunStart run;
  std::vector<std::string> warnings;
  read_initial_state(folder.write("states.sto", text), inputs_of(leg()), run, warnings);
  pull(leg().system_builder(run).build());
}

/// Reads lines as after --excitation and --initial, in turn.
void read_assignments(std::string_view text) {
  RunStart run;
  const ModelInputs inputs = inputs_of(leg());
  bool excitation = true;
  for (const std::string& line : lines_of(text)) {
    if (excitation)
      set_excitation(line, inputs, run);
    else
      set_initial(line, inputs, run);
    excitation = !excitation;
  }
  pull(leg().system_builder(run).build());
}

void read_loads(std::string_view text) {
  static const MotionTable kData = [] {
    MotionTable table;
    table.times = {0, 0.5, 1};
    for (const char* of : {"f", "p", "t"})
      for (const char* axis : {"x", "y", "z"}) table.labels.push_back(std::string(of) + axis);
    table.values = MatX::Ones(3, 9);
    return table;
  }();
  for (const ExternalForce& force : parse_external_loads(text, "loads.xml").forces)
    load_data(force, kData);
}

/// The numbers behind external loads.
void read_loads_data(std::string_view text) {
  static const ExternalForce kForce{.name = "right",
                                    .body = "foot",
                                    .force_identifier = "f",
                                    .point_identifier = "p",
                                    .torque_identifier = "t"};
  load_data(kForce, parse_storage(text, "forces.mot").table);
}

/// A model whose joint "knee" is replaced by a fitted one: written and read again.
void read_refitted_osim(std::string_view text) {
  parse_osim(text, "model.osim");
  const ScratchFolder folder;
  const fs::path from = folder.write("model.osim", text), to = folder.path() / "new.osim";
  const TransformAxis still{Vec3::UnitX()};
  CustomJoint joint{
      FunctionJoint(
          {CoordinateKind::angle},
          {{{Vec3::UnitX(), LinearFunction{{1}, 0}, {0}}, {Vec3::UnitY()}, {Vec3::UnitZ()}}},
          {{still, {Vec3::UnitY()}, {Vec3::UnitZ()}}}),
      {"knee"}};
  for (const bool places : {false, true}) {
    if (places) joint.places = {"thigh", "shank", Pose::Translation(Vec3(0, -0.4, 0)), Pose()};
    write_changed_osim(from, to, "knee", joint);
    load_osim(to);
  }
}

void use_mesh(const TriangleMesh& mesh) {
  thinned(mesh, 12);
  mesh.validate("mesh");
  mesh.inertia(1000);
}

void read_network(std::string_view text) {
  std::vector<std::uint8_t> bytes(text.begin(), text.end());
  // Chance never finds the right checksum; with a wrong one nothing behind it would be reached.
  if (bytes.size() >= 4) {
    const std::uint32_t checksum = crc32(std::span(bytes).first(bytes.size() - 4));
    std::memcpy(bytes.data() + bytes.size() - 4, &checksum, 4);
  }
  const WrapNetwork network(read_mlp(bytes, "network"), "network");
  const WrapNetwork::Path<double> path{{0.1, 0.02, 0}, {-0.1, 0.02, 0.01}, 0.03};
  const double alphas[] = {0, 0.5, 1};
  Point<double> out[3];
  network.points<double>({&path, 1}, alphas, out);
}

/// Reads lines, each as the server of the live viewer gets it.
void read_commands(std::string_view text) {
  static const LoadedModel kModel =
      load_view_model(test::source_dir() + "/scenes/wrap-pendulum.json");
  ViewSession session(kModel);
  for (const std::string& line : lines_of(text)) {
    const nlohmann::json command = nlohmann::json::parse(line, nullptr, false);
    if (command.is_discarded()) continue;
    session.apply(command).dump();
  }
  session.frame();
}

/// Markers A to F, three on each of two bones.
void read_bone_markers(std::string_view text) {
  const ScratchFolder folder;
  read_marker_poses(folder.write("markers.trc", text), {"A", "B", "C"}, {"D", "E", "F"});
}

/// Of lines as after --point.
void read_named_points(std::string_view text) {
  for (const std::string& line : lines_of(text)) parse_named_point(line, leg().skeleton);
}

void read_ik_targets(std::string_view text) {
  const ScratchFolder folder;
  read_targets(folder.write("targets.sto", text), leg().skeleton, {}, {}, 0.1);
}

void read_result_table_file(std::string_view text) {
  const ScratchFolder folder;
  read_result_table(folder.write("states.csv", text));
}

/// Reads the record of a run of a pendulum, whose other files exist. The record may name any file
/// of this machine; relative ones are in the folder.
void read_run_record(std::string_view text) {
  const ScratchFolder folder;
  folder.write("run.json", text);
  folder.write("scene.json", R"({"sinew_scene": 1, "title": "A pendulum", "bodies": [
  {"name": "rod", "parent": "world", "joint": {"type": "revolute", "axis": [0, 0, 1]},
   "shapes": [{"type": "sphere", "radius": 0.1, "density": 1000}]}]}
)");
  folder.write("states.csv", "time,rod_joint_1,rod_joint_1_u\n0,0,1\n0.5,0.5,1\n");
  const WorkingFolder there(folder.path());
  ReportData data;
  nlohmann::ordered_json header;
  const nlohmann::ordered_json record = read_record(folder.path());
  if (record.contains("moved"))
    describe_comparison(folder.path(), record, header, data);
  else if (is_optimum(record))
    describe_optimum(folder.path(), record, header, data);
  else if (is_motion_study(record))
    describe_motion_study(folder.path(), record, header, data);
  else
    describe_run(folder.path(), record, data);
}

/// The record of a run whose folder another one is to have.
void read_earlier_run(std::string_view text) {
  const ScratchFolder folder;
  folder.write("run.json", text);
  ResultFolder(folder.path(), TableFormat::csv);
}

}  // namespace

/// A double pendulum with motors stands for the model of every task.
std::string task_model() { return test::source_dir() + "/scenes/redmax-diff-100.json"; }

void read_task(std::string_view text) {
  Task task = parse_task(text, "task.json", mesh_folder());
  task.model = task_model();
  TaskProblem problem(std::move(task));
  control_table(problem, problem.start());
}

void read_task_parameters(std::string_view text) {
  static const ScratchFolder folder;
  static const TaskProblem problem(load_task(test::source_dir() + "/tasks/reference-100.json"));
  read_parameter_file(folder.write("parameters.json", text), problem);
}

/// A motion that a run of the double pendulum shall follow.
void read_tracked_file(std::string_view text) {
  const ScratchFolder folder;
  folder.write("motion.sto", text);
  Task task = parse_task(R"({"sinew_task": 1, "model": "m", "run": {"dt": 0.01, "until": 0.1},
    "parameters": [{"type": "control", "control": "motor1"}],
    "objectives": [{"type": "track", "file": "motion.sto"}]})",
                         "task.json", folder.path());
  task.model = task_model();
  TaskProblem problem(std::move(task));
}

std::string replaced(std::string text, const std::string& word, const std::string& by) {
  for (size_t k = 0; (k = text.find(word, k)) != text.npos; k += by.size())
    text.replace(k, word.size(), by);
  return text;
}

/// The folder of a search to go on from: run.json, then a line "convergence", then that table. The
/// words TASK and MODEL become the hashes that a record of the task has.
void read_search(std::string_view text) {
  static const ScratchFolder folder;
  static const TaskProblem problem = [] {
    Task task = parse_task(R"({"sinew_task": 1, "model": "m", "run": {"dt": 0.01, "until": 0.1},
      "parameters": [{"type": "control", "control": ["motor1", "motor2"]}],
      "objectives": [{"type": "parameters"}],
      "optimizer": {"method": "multiple-shooting", "intervals": 2}})",
                           "task.json", folder.path());
    task.model = task_model();
    return TaskProblem(std::move(task));
  }();
  const std::string divider = "\nconvergence\n";
  const size_t at = std::min(text.find(divider), text.size());
  std::string record = replaced(std::string(text.substr(0, at)), "TASK",
                                fmt::format("{:016x}", problem.task().content_hash));
  folder.write("run.json",
               replaced(record, "MODEL", fmt::format("{:016x}", problem.model().content_hash)));
  text.remove_prefix(std::min(at + divider.size(), text.size()));
  folder.write("convergence.sto", text);
  read_earlier_search(folder.path(), problem);
}

void read_study_log(std::string_view text) {
  const LogOrigin origin{"1", "2", "3"};
  LoggedRuns out{StudyRows(20, 2), {}, 0};
  parse_log(text, "log.jsonl", origin, false, out);
}

const std::vector<Reader>& readers() {
  static const std::vector<Reader> kReaders = {
      {"osim", read_osim},
      {"scene", read_scene},
      {"storage", read_storage_text},
      {"loads", read_loads},
      {"loads_data", read_loads_data},
      {"setup", [](std::string_view text) { parse_inverse_dynamics_setup(text, "setup.xml"); }},
      {"trc", [](std::string_view text) { parse_trc(text, "m.trc"); }},
      {"motion", read_motion_file},
      {"controls", read_controls_file},
      {"states", read_states_file},
      {"drive", read_drive},
      {"vtp", [](std::string_view text) { use_mesh(parse_vtp(text, "m.vtp")); }},
      {"stl", [](std::string_view text) { use_mesh(parse_stl(text, "m.stl")); }},
      {"obj", [](std::string_view text) { use_mesh(parse_obj(text, "m.obj")); }},
      {"msh", [](std::string_view text) { parse_msh(text, "m.msh"); }},
      {"vtk", [](std::string_view text) { parse_vtk(text, "m.vtk"); }},
      {"network", read_network},
      {"bone_poses", [](std::string_view text) { parse_pose_table(text, "poses.csv"); }},
      {"bone_markers", read_bone_markers},
      {"ik_targets", read_ik_targets},
      {"named_points", read_named_points},
      {"muscle_table", [](std::string_view text) { parse_muscle_table(text, "muscles.csv"); }},
      {"poses", read_poses},
      {"command", read_commands},
      {"override", read_override},
      {"osim_edits", read_osim_edits},
      {"osim_refitted", read_refitted_osim},
      {"assignments", read_assignments},
      {"task", read_task},
      {"parameters", read_task_parameters},
      {"tracked_file", read_tracked_file},
      {"resume", read_search},
      {"result_table", read_result_table_file},
      {"record", read_run_record},
      {"earlier_run", read_earlier_run},
      {"study", [](std::string_view text) { parse_study(text, "study.json", mesh_folder()); }},
      {"study_points",
       [](std::string_view text) {
         parse_points(text, "points.csv", {"mass", "angle"});
       }},
      {"study_log", read_study_log}};
  return kReaders;
}

const Reader& reader_of(std::string_view name) {
  for (const Reader& reader : readers())
    if (reader.name == name) return reader;
  throw Error("reader '" + std::string(name) + "'", "does not exist",
              "give the name of a folder of tests/fuzz/corpus");
}

bool survives(const Reader& reader, std::string_view bytes) {
  try {
    reader.read(bytes);
    return true;
  } catch (const Error& error) {
    const std::string_view message = error.what();
    if (message.empty() || message.size() > 2000)
      throw std::runtime_error("a message of no bearable length");
  }
  return false;
}

fs::path mesh_folder() { return corpus_folder().parent_path(); }

std::vector<fs::path> corpus_files(const Reader& reader) {
  std::vector<fs::path> out;
  for (const auto& entry : fs::directory_iterator(corpus_folder() / reader.name))
    out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace sinew::fuzz
