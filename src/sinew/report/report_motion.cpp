#include "sinew/report/report_motion.hpp"

#include <fmt/format.h>

#include "sinew/builder/system_builder.hpp"
#include "sinew/core/error.hpp"
#include "sinew/core/version.hpp"
#include "sinew/io/studies/motion_model.hpp"
#include "sinew/io/tables/external_loads.hpp"
#include "sinew/io/tables/motion_reader.hpp"
#include "sinew/report/loaded_run.hpp"
#include "sinew/report/model.hpp"
#include "sinew/report/report_frames.hpp"
#include "sinew/report/report_series.hpp"

namespace sinew {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

/// Moments of joints, forces along coordinates, and the power of both.
std::vector<ReportGroup> moment_groups(const MotionTable& table, const LoadedModel& model,
                                       const MatX& qdot) {
  const std::vector<Coordinate>& coordinates = model.skeleton.coordinates();
  const std::vector<std::string> labels = moment_labels(coordinates);
  ReportGroup moments{"moments", "Moments", {}}, forces{"forces", "Forces on lengths", {}};
  ReportGroup power{"joint-power", "Power of joints", {}};
  for (size_t k = 0; k < coordinates.size(); ++k) {
    const VecX tau = table.values.col(table.column(labels[k]));
    const VecX watts = tau.cwiseProduct(qdot.col(static_cast<Eigen::Index>(k)));
    const bool length = coordinates[k].kind == CoordinateKind::length;
    (length ? forces : moments)
        .columns.push_back(
            {coordinates[k].name, length ? "force" : "moment", {tau.begin(), tau.end()}});
    power.columns.push_back({coordinates[k].name, "power", {watts.begin(), watts.end()}});
  }
  std::vector<ReportGroup> out;
  for (ReportGroup* group : {&moments, &forces, &power})
    if (!group->columns.empty()) out.push_back(std::move(*group));
  return out;
}

/// The display of a table of OpenSim's MuscleAnalysis. Those "of" a coordinate have its name behind
/// theirs.
struct AnalysisTable {
  const char *name, *id, *title, *quantity, *section;
};
constexpr const char* kFibres = "Fibres and tendons";
constexpr AnalysisTable kAnalysisTables[] = {
    {"Length", "muscle-length", "Muscle length", "length", ""},
    {"LengtheningSpeed", "muscle-rate", "Lengthening speed of muscles", "speed", ""},
    {"TendonForce", "muscle-tension", "Muscle tension", "force", ""},
    {"MuscleActuatorPower", "muscle-power", "Power of muscles", "power", ""},
    {"FiberLength", "muscle-fibre", "Fibre length", "length", kFibres},
    {"NormalizedFiberLength", "muscle-norm-fibre", "Fibre length over optimal", "ratio", kFibres},
    {"FiberVelocity", "muscle-fibre-speed", "Fibre velocity", "speed", kFibres},
    {"TendonLength", "muscle-tendon", "Tendon length", "length", kFibres},
    {"PennationAngle", "muscle-pennation", "Pennation", "angle", kFibres},
    {"ActiveFiberForce", "muscle-active", "Active fibre force", "force", kFibres},
    {"PassiveFiberForce", "muscle-passive", "Passive fibre force", "force", kFibres},
    {"FiberActivePower", "muscle-fibre-power", "Active power of fibres", "power", kFibres},
    {"TendonPower", "muscle-tendon-power", "Power of tendons", "power", kFibres},
    {"MomentArm_", "moment-arm-", "Moment arms over time: ", "arm", "Moment arms of muscles"},
    {"Moment_", "muscle-moment-", "Moments of muscles: ", "moment", "Moments of muscles"}};

/// The tables of the folder, <motion>_MuscleAnalysis_<quantity>, in the order above.
std::vector<ReportGroup> analysis_groups(const fs::path& folder, const ordered_json& record) {
  constexpr std::string_view kMark = "_MuscleAnalysis_";
  std::vector<ReportGroup> out;
  for (const AnalysisTable& shown : kAnalysisTables) {
    const std::string_view wanted = shown.name;
    for (const ordered_json& file : record.at("files")) {
      const fs::path path = folder / file.get<std::string>();
      const std::string stem = path.stem().string();
      const size_t mark = stem.rfind(kMark);
      if (mark == std::string::npos) continue;
      const std::string name = stem.substr(mark + kMark.size());
      if (wanted.ends_with('_') ? !name.starts_with(wanted) : name != wanted) continue;
      const std::string coordinate = name.substr(wanted.size());
      ReportGroup group{shown.id + coordinate, shown.title + coordinate, {}, shown.section};
      const MotionTable table = read_result_table(path);
      for (size_t k = 0; k < table.labels.size(); ++k) {
        const auto values = table.values.col(static_cast<Eigen::Index>(k));
        group.columns.push_back({table.labels[k], shown.quantity, {values.begin(), values.end()}});
      }
      out.push_back(std::move(group));
    }
  }
  return out;
}

ordered_json describe_motion(const fs::path& folder, const ordered_json& record,
                             const LoadedModel& model, ReportData& data) {
  const bool muscles = record.contains("muscles");
  const ordered_json& options = record.at("options");
  const MotionReading reading = read_motion(
      record.at("motion").get<std::string>(), model.target,
      {options.at("cutoff"), options.at("opensim_filter"), record.at("start"), record.at("end")});
  const fs::path file = folder / record.at("files").at(0).get<std::string>();
  const MotionTable table = read_result_table(file);
  // Interrupted results end before the motion does.
  if (reading.motion.size() < table.times.size())
    throw Error(record.at("motion").get<std::string>(), "has changed since the run",
                "run it again");
  ReportMotion motion;
  const auto rows = static_cast<Eigen::Index>(table.times.size());
  MatX q(rows, model.skeleton.dof_count()), qdot = q;
  for (size_t k = 0; k < table.times.size(); ++k) {
    const MotionSample& sample = reading.motion[k];
    const auto row = static_cast<Eigen::Index>(motion.t.size());
    motion.t.push_back(sample.t);
    motion.q.push_back(sample.q);
    motion.qdot.push_back(sample.qdot);
    q.row(row) = sample.q;
    qdot.row(row) = sample.qdot;
  }
  const System system = drawn_system(model, options.value("loads", ""));
  std::vector<std::string> warnings = model.warnings, notes;
  warnings.insert(warnings.end(), reading.warnings.begin(), reading.warnings.end());
  if (record.value("status", "") == "interrupted")
    warnings.push_back(
        fmt::format("interrupted at {:g} s: the rest of the motion is missing", motion.t.back()));
  const std::string stem = fs::path(record.at("motion").get<std::string>()).stem().string();
  ordered_json out = {
      {"name", model.model_name},
      {"title", (muscles ? "Muscles: " : "Inverse dynamics: ") + model.model_name + ", " + stem},
      {"description", ""},
      {"citation", ""},
      {"folder", folder.filename().string()},
      {"status", record.value("status", "finished")},
      {"audit", nullptr},
      {"warnings", warnings},
      {"provenance", motion_provenance(record)},
      {"moved", ordered_json::array()}};
  out["model"] = describe_model({system, model.look}, data, notes);
  out["frames"] = write_frames(system, motion, data, notes);
  std::vector<ReportGroup> groups =
      muscles ? analysis_groups(folder, record) : moment_groups(table, model, qdot);
  for (ReportGroup& group : coordinate_groups(model.skeleton.coordinates(), q, qdot))
    groups.push_back(std::move(group));
  out["series"] = write_groups(motion.t, groups, data);
  out["notes"] = notes;
  return out;
}

}  // namespace

System drawn_system(const LoadedModel& model, const std::string& loads) {
  SystemBuilder builder = motion_system(model);
  if (model.osim)
    for (const OsimPath& path : model.osim->paths)
      if (path.pulls()) builder.add_muscle(muscle_of(path));
  if (!loads.empty())
    for (const auto& force : external_forces(read_external_loads(loads), model.skeleton))
      builder.add_force(force);
  return builder.build();
}

ordered_json motion_provenance(const ordered_json& record) {
  ordered_json out = ordered_json::array();
  const auto add = [&](const char* label, const ordered_json& value) {
    const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    if (!text.empty()) out.push_back({label, text});
  };
  const ordered_json& options = record.at("options");
  if (record.contains("command")) add("Command", record.at("command"));
  add("Computed by", fmt::format("sinew {} ({})", record.at("sinew").get<std::string>(),
                                 record.at("commit").get<std::string>()));
  add("Report by", fmt::format("sinew {} ({})", version(), commit()));
  add("Model file", record.at("model_file").at("path"));
  add("Model hash", record.at("model_file").at("fnv1a").get<std::string>() + " (FNV-1a)");
  add("Motion", record.at("motion"));
  add("Samples", record.at("samples"));
  if (options.at("cutoff") != 0) add("Low-pass filter", options.at("cutoff").dump() + " Hz");
  if (options.contains("muscles")) add("Masses", options.at("muscles"));
  if (options.contains("segments"))
    for (const ordered_json& segment : options.at("segments")) add("Segment", segment);
  if (options.contains("loads")) add("External loads", options.at("loads"));
  for (const char* drive : {"activation", "states", "controls"})
    if (options.contains(drive) && !options.at(drive).is_null()) add(drive, options.at(drive));
  for (const ordered_json& change : options.at("set")) add("Changed", change);
  return out;
}

bool is_motion_study(const ordered_json& record) {
  return record.contains("model_file") && record.contains("motion") && !record.contains("moved");
}

void describe_motion_study(const fs::path& folder, const ordered_json& record, ordered_json& header,
                           ReportData& data) {
  try {
    require_unchanged(record.at("model_file"));
    const LoadedModel model =
        load_motion_model(record.at("model_file").at("path"), record.at("options").at("set"));
    header["kind"] = "motion";
    header["runs"].push_back(describe_motion(folder, record, model, data));
  } catch (const ordered_json::exception&) {
    throw Error((folder / "run.json").string(), "lacks what a report needs", "run it again");
  }
}

}  // namespace sinew
