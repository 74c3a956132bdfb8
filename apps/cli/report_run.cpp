#include "report_run.hpp"

#include <fmt/format.h>

#include <fstream>

#include "osim_scene.hpp"
#include "report_frames.hpp"
#include "report_model.hpp"
#include "report_series.hpp"
#include "sinew/analysis/muscle_paths.hpp"
#include "sinew/core/error.hpp"
#include "sinew/core/version.hpp"
#include "sinew/io/scene.hpp"
#include "sinew/system/soft_equations.hpp"

namespace sinew::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

/// "0.1" of "0.1.3": files of one minor version are read alike.
std::string minor_version(const std::string& version) {
  return version.substr(0, version.find('.', version.find('.') + 1));
}

fs::path table_path(const fs::path& folder, const ordered_json& record, const std::string& name) {
  for (const ordered_json& file : record.at("files"))
    if (const fs::path path = file.get<std::string>(); path.stem() == name) return folder / path;
  throw Error(folder.string(), "has no table of " + name, "run it again");
}

ReportMotion read_motion(const fs::path& path, const MotionTable& table, const System& system) {
  if (table.times.empty()) throw Error(path.string(), "has no rows", "run it again");
  const auto column = [&](const std::string& label) {
    const int k = table.find(label);
    if (k < 0)
      throw Error(path.string(), "has no column '" + label + "', which the scene asks for",
                  "these are states of another scene: run it again");
    return k;
  };
  const std::vector<Coordinate>& coordinates = system.coordinates();
  const auto n = static_cast<Eigen::Index>(coordinates.size());
  ReportMotion out;
  out.t = table.times;
  out.q.assign(table.times.size(), VecX::Zero(system.dof_count()));
  out.qdot = out.q;
  for (Eigen::Index k = 0; k < n; ++k) {
    const std::string& name = coordinates[static_cast<size_t>(k)].name;
    const int value = column(name), speed = column(name + "_u");
    for (size_t row = 0; row < out.t.size(); ++row) {
      out.q[row][k] = table.values(static_cast<Eigen::Index>(row), value);
      out.qdot[row][k] = table.values(static_cast<Eigen::Index>(row), speed);
    }
  }
  return out;
}

/// The vertices of deformable bodies, whose speeds nobody draws.
void read_vertices(const fs::path& path, const System& system, ReportMotion& motion) {
  const MotionTable table = read_result_table(path);
  if (table.times != motion.t)
    throw Error(path.string(), "has other times than the states", "run it again");
  const SoftPart& soft = *system.soft();
  for (size_t b = 0; b < soft.bodies.size(); ++b)
    for (size_t v = 0; v < soft.free[b].size(); ++v) {
      if (soft.free[b][v] < 0) continue;
      const std::string label = soft.bodies[b]->name() + "_" + std::to_string(v + 1) + "_x";
      const int column = table.find(label);
      if (column < 0)
        throw Error(path.string(), "has no column '" + label + "', which the scene asks for",
                    "these are vertices of another scene: run it again");
      for (size_t row = 0; row < motion.t.size(); ++row)
        for (int axis = 0; axis < 3; ++axis)
          motion.q[row][soft.first_dof + 3 * soft.free[b][v] + axis] =
              table.values(static_cast<Eigen::Index>(row), column + axis);
    }
}

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
  add_key("Integrator", "integrator");
  if (record.at("integrator") != "dopri5")
    add("Step", fmt::format("{:g} s", record.at("dt").get<double>()));
  else
    add("Tolerance", text_of(record.at("options").at("relative_tolerance")));
  add_key("Steps", "steps");
  add("Simulated time", fmt::format("{:g} s", record.at("time").get<double>()));
  add("Wall time", fmt::format("{:.3g} s", record.at("wall_seconds").get<double>()));
  return out;
}

ordered_json list_of_moves(const Scene& scene) {
  ordered_json out = ordered_json::array();
  for (const Scene::MassMoved& move : scene.mass_moves)
    out.push_back(
        {{"body", move.body}, {"muscle", move.muscle}, {"mass", move.mass}, {"share", move.share}});
  return out;
}

}  // namespace

ordered_json read_record(const fs::path& folder) {
  std::error_code code;
  if (!fs::is_directory(folder, code))
    throw Error(folder.string(), "is no folder", "give the --out of a run");
  std::ifstream file(folder / "run.json");
  if (!file)
    throw Error(folder.string(), "holds no run: there is no run.json",
                "give the --out of `sinew simulate`, `id`, `muscles` or `compare-inertia`");
  ordered_json record = ordered_json::parse(file, nullptr, /*allow_exceptions=*/false);
  const std::string name = (folder / "run.json").string();
  if (!record.is_object() || !record.contains("sinew") || !record["sinew"].is_string() ||
      !record.contains("files") || !record["files"].is_array())
    throw Error(name, "is no record of a run", "run it again");
  const std::string by = record["sinew"];
  if (minor_version(by) != minor_version(std::string(version())))
    throw Error(name, fmt::format("is of version {}, this is {}", by, version()), "run it again");
  return record;
}

void require_unchanged(const ordered_json& file) {
  const std::string path = file.at("path");
  std::error_code code;
  if (!fs::is_regular_file(path, code))
    throw Error(path, "is not there any more",
                "the run was made from it: put it back, or run again");
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : read_text_file(path))
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  if (fmt::format("{:016x}", hash) != file.at("fnv1a"))
    throw Error(path, "has changed since the run", "run it again");
}

ordered_json describe_run(const fs::path& folder, const ordered_json& record, ReportData& data) {
  try {
    if (record.at("status") == "running")
      throw Error(folder.string(), "holds a run that never ended", "run it again");
    require_unchanged(record.at("scene_file"));
    const OsimScene loaded = load_drawn(record.at("scene_file").at("path").get<std::string>(),
                                        record.at("scene_file").at("set"));
    const Scene& scene = loaded.scene;
    const System& system = scene.system;
    const fs::path states = table_path(folder, record, "states");
    const MotionTable table = read_result_table(states);
    ReportMotion motion = read_motion(states, table, system);
    if (system.soft()) read_vertices(table_path(folder, record, "vertices"), system, motion);

    std::vector<std::string> notes;
    ordered_json out = {{"name", scene.name},
                        {"title", scene.title},
                        {"description", scene.description},
                        {"citation", scene.citation},
                        {"folder", folder.filename().string()},
                        {"status", record.at("status")},
                        {"audit", record.at("audit")},
                        {"warnings", record.at("warnings")},
                        {"provenance", run_provenance(record)},
                        {"moved", list_of_moves(scene)}};
    if (record.contains("failure")) out["failure"] = record.at("failure");
    out["model"] =
        describe_model({system, scene.shapes, loaded.markers, loaded.geometry}, data, notes);
    SimulationSettings run = scene.settings;
    run.step.integrator = integrator_from_string(record.at("integrator").get<std::string>());
    run.dt = record.at("dt");
    out["frames"] = write_frames(system, motion, data, notes, run);
    std::vector<ReportGroup> groups;
    for (const ordered_json& file : record.at("files")) {
      const fs::path path = folder / file.get<std::string>();
      // Positions are drawn; states by OpenSim's names are those of the other tables.
      if (path.stem() == "bodies" || path.stem() == "vertices" ||
          path.stem() == scene.name + "_states")
        continue;
      const MotionTable other = path == states ? table : read_result_table(path);
      if (other.times != motion.t)
        throw Error(path.string(), "has other times than the states", "run it again");
      for (ReportGroup& group : groups_of_table(path.stem().string(), other, system))
        groups.push_back(std::move(group));
    }
    out["series"] = write_groups(motion.t, groups, data);
    if (list_muscles(system).empty()) notes.push_back("The model has no muscles.");
    out["notes"] = notes;
    return out;
  } catch (const ordered_json::exception&) {
    throw Error((folder / "run.json").string(), "lacks what a report needs", "run it again");
  }
}

}  // namespace sinew::cli
