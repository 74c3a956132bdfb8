#include "sinew/report/run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sinew/core/error.hpp"
#include "sinew/core/version.hpp"
#include "sinew/report/loaded_run.hpp"
#include "sinew/report/model.hpp"
#include "sinew/report/report_series.hpp"
#include "sinew/report/strand_record.hpp"

namespace sinew {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

std::string text_of(const ordered_json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

ordered_json run_provenance(const ordered_json& record) {
  ordered_json out = ordered_json::array();
  const auto add = [&](const char* label, const std::string& value) {
    if (!value.empty()) out.push_back({label, value});
  };
  const auto add_key = [&](const char* label, const char* key) {
    if (record.contains(key)) add(label, text_of(record.at(key)));
  };
  add_key("Command", "command");
  add("Simulated by",
      fmt::format("sinew {} ({})", text_of(record.at("sinew")), text_of(record.at("commit"))));
  add("Report by", fmt::format("sinew {} ({})", version(), commit()));
  add("Scene file", text_of(record.at("scene_file").at("path")));
  add("Scene hash", text_of(record.at("scene_file").at("fnv1a")) + " (FNV-1a)");
  for (const ordered_json& change : record.at("scene_file").at("set"))
    add("Changed", text_of(change));
  if (record.contains("drive")) {
    const ordered_json& drive = record.at("drive");
    for (const ordered_json& excitation : drive.at("excitation"))
      add("Excitation", text_of(excitation));
    add("Controls", text_of(drive.at("controls")));
    for (const ordered_json& initial : drive.at("initial")) add("Start", text_of(initial));
  }
  add_key("Integrator", "integrator");
  const ordered_json& options = record.at("options");
  if (options.value("accuracy", 0.0) > 0)
    add("Accuracy", text_of(options.at("accuracy")));
  else if (record.at("integrator") != "dopri5")
    add("Step", fmt::format("{:g} s", record.at("dt").get<double>()));
  else
    add("Tolerance", text_of(options.at("relative_tolerance")));
  add_key("Steps", "steps");
  add("Simulated time", fmt::format("{:g} s", record.at("time").get<double>()));
  add("Wall time", fmt::format("{:.3g} s", record.at("wall_seconds").get<double>()));
  return out;
}

ordered_json list_of_moves(const LoadedModel& model) {
  ordered_json out = ordered_json::array();
  if (!model.scene) return out;
  for (const Scene::MassMoved& move : model.scene->mass_moves)
    out.push_back(
        {{"body", move.body}, {"muscle", move.muscle}, {"mass", move.mass}, {"share", move.share}});
  return out;
}

}  // namespace

ordered_json describe_run(const fs::path& folder, const ordered_json& record, ReportData& data) {
  try {
    const LoadedRun loaded = load_run(folder, record);
    const auto& [model, system, tables, motion, remarks] = loaded;
    std::vector<std::string> notes = remarks;
    ordered_json out = {{"name", model.name},
                        {"title", model.title},
                        {"description", model.description},
                        {"citation", model.citation},
                        {"folder", folder.filename().string()},
                        {"status", record.at("status")},
                        {"audit", record.at("audit")},
                        {"warnings", record.at("warnings")},
                        {"provenance", run_provenance(record)},
                        {"moved", list_of_moves(model)}};
    if (record.contains("failure")) out["failure"] = record.at("failure");
    out["model"] = describe_model({system, model.look}, data, notes);
    SimulationSettings run = model.settings;
    run.step.integrator = integrator_from_string(record.at("integrator").get<std::string>());
    run.dt = record.at("dt");
    out["frames"] = write_frames(system, motion, data, notes, run);
    std::vector<ReportGroup> groups;
    const auto& names = tables.names();
    const bool reacts = std::find(names.begin(), names.end(), "reactions") != names.end();
    const MotionTable* const reactions = reacts ? &tables.at("reactions") : nullptr;
    for (const std::string& name : names) {
      // Positions are drawn; states by OpenSim's names are those of the other tables.
      if (name == "bodies" || name == "vertices" || name == model.name + "_states") continue;
      const MotionTable& table = tables.at(name);
      for (ReportGroup& group : name == "strands" ? strand_groups(system, table, reactions)
                                                  : groups_of_table(name, table, system))
        groups.push_back(std::move(group));
    }
    out["series"] = write_groups(motion.t, groups, data);
    if (system.muscles().empty()) notes.push_back("The model has no muscles.");
    out["notes"] = notes;
    return out;
  } catch (const ordered_json::exception&) {
    throw Error((folder / "run.json").string(), "lacks what a report needs", "run it again");
  }
}

}  // namespace sinew
