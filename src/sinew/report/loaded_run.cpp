#include "sinew/report/loaded_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <limits>

#include "sinew/core/error.hpp"
#include "sinew/core/fnv1a.hpp"
#include "sinew/core/version.hpp"
#include "sinew/muscles/muscle_element.hpp"
#include "sinew/report/mass_record.hpp"
#include "sinew/report/report_series.hpp"

namespace sinew {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

/// "0.1" of "0.1.3": files of one minor version have the same format.
std::string minor_version(const std::string& version) {
  return version.substr(0, version.find('.', version.find('.') + 1));
}

ReportMotion read_states(const RunTables& tables, const System& system) {
  const std::vector<Coordinate>& coordinates = system.coordinates();
  // A run whose bones are all fixed does not write a table of states.
  const MotionTable& table = tables.at(coordinates.empty() ? "energy" : "states");
  const auto n = static_cast<Eigen::Index>(coordinates.size());
  ReportMotion out;
  out.t = table.times;
  out.q.assign(table.times.size(), VecX::Zero(system.dof_count()));
  out.qdot = out.q;
  for (Eigen::Index k = 0; k < n; ++k) {
    const std::string& name = coordinates[static_cast<size_t>(k)].name;
    const int value = tables.column("states", name), speed = tables.column("states", name + "_u");
    for (size_t row = 0; row < out.t.size(); ++row) {
      out.q[row][k] = table.values(static_cast<Eigen::Index>(row), value);
      out.qdot[row][k] = table.values(static_cast<Eigen::Index>(row), speed);
    }
  }
  return out;
}

/// Coordinates of parts, whose speeds are not drawn.
void read_parts(const RunTables& tables, const System& system, ReportMotion& motion) {
  for (size_t k = 0; k < system.parts().size(); ++k) {
    const Part& part = *system.parts()[k];
    std::vector<std::pair<const MatX*, int>> where;
    for (const PartColumns& columns : part.columns())
      for (const std::string& name : columns.names)
        where.emplace_back(&tables.at(columns.table).values, tables.column(columns.table, name));
    if (where.empty()) continue;
    std::vector<double> row(where.size());
    const int first = system.state_dof(k);
    for (size_t r = 0; r < motion.t.size(); ++r) {
      for (size_t c = 0; c < row.size(); ++c)
        row[c] = (*where[c].first)(static_cast<Eigen::Index>(r), where[c].second);
      part.recall(row, motion.q[r].segment(first, part.dof_count()));
    }
  }
}

/// Activations and fibre lengths.
void read_hill_states(const RunTables& tables, const System& system, ReportMotion& motion) {
  const MatX& values = tables.at("muscles").values;
  const auto n = static_cast<Eigen::Index>(system.hill_muscles().size());
  motion.activation.assign(motion.t.size(), VecX::Zero(n));
  motion.fibre_length = motion.activation;
  for (Eigen::Index k = 0; k < n; ++k) {
    const std::string& name =
        system.muscles()[system.hill_muscles()[static_cast<size_t>(k)]]->name();
    const int activation = tables.column("muscles", name + "_activation");
    const int fibre = tables.column("muscles", name + "_fibre_length");
    for (size_t row = 0; row < motion.t.size(); ++row) {
      motion.activation[row][k] = values(static_cast<Eigen::Index>(row), activation);
      motion.fibre_length[row][k] = values(static_cast<Eigen::Index>(row), fibre);
    }
  }
}

/// What drove the run, as far as its files are still there: what they made of the states is in the
/// tables.
RunOptions recorded_options(const ordered_json& record) {
  RunOptions out;
  if (!record.contains("drive")) return out;
  const ordered_json& drive = record.at("drive");
  std::error_code code;
  out.excitations = drive.at("excitation").get<std::vector<std::string>>();
  if (const std::string file = drive.at("controls"); fs::is_regular_file(file, code))
    out.controls = file;
  return out;
}

}  // namespace

ordered_json read_record(const fs::path& folder) {
  std::error_code code;
  if (!fs::is_directory(folder, code))
    throw Error(folder.string(), "is not a folder", "give the --out of a run");
  std::ifstream file(folder / "run.json");
  if (!file && fs::is_directory(folder / "log", code))
    throw Error(folder.string(), "holds a study without a record: there is no run.json",
                "write it with `sinew sweep STUDY --out " + folder.string() + " --table`");
  if (!file)
    throw Error(
        folder.string(), "holds no run: there is no run.json",
        "give the --out of `sinew simulate`, `id`, `muscles`, `compare-inertia`, `optimize` or "
        "`sweep`");
  ordered_json record = ordered_json::parse(file, nullptr, /*allow_exceptions=*/false);
  const std::string name = (folder / "run.json").string();
  if (!record.is_object() || !record.contains("sinew") || !record["sinew"].is_string() ||
      !record.contains("files") || !record["files"].is_array())
    throw Error(name, "is not a record of a run", "run it again");
  const std::string by = record["sinew"];
  if (minor_version(by) != minor_version(std::string(version())))
    throw Error(name, fmt::format("is of version {}, this is {}", by, version()), "run it again");
  return record;
}

void require_unchanged(const ordered_json& file) {
  const std::string path = file.at("path");
  std::error_code code;
  if (!fs::is_regular_file(path, code))
    throw Error(path, "no longer exists", "the run was made from it: put it back, or run again");
  if (fmt::format("{:016x}", fnv1a(read_text_file(path))) != file.at("fnv1a"))
    throw Error(path, "has changed since the run", "run it again");
}

RunTables::RunTables(const fs::path& folder, const ordered_json& record) : folder_(folder) {
  const bool whole = record.at("status") == "finished" || record.at("status") == "interrupted";
  for (const ordered_json& file : record.at("files")) {
    const fs::path path = folder / file.get<std::string>();
    if (path.stem() == "steps") continue;  // its rows are steps, not those of the results
    names_.push_back(path.stem().string());
    paths_.push_back(path);
    tables_.push_back(read_result_table(path));
    if (tables_.back().times.empty()) throw Error(path.string(), "has no rows", "run it again");
  }
  size_t rows = std::numeric_limits<size_t>::max();
  for (const MotionTable& table : tables_) rows = std::min(rows, table.times.size());
  for (MotionTable& table : tables_) {
    if (whole) break;
    table.times.resize(rows);
    table.values.conservativeResize(static_cast<Eigen::Index>(rows), Eigen::NoChange);
  }
  for (size_t k = 1; k < tables_.size(); ++k)
    if (tables_[k].times != tables_[0].times)
      throw Error(paths_[k].string(), "has other times than " + names_[0], "run it again");
}

const MotionTable& RunTables::at(const std::string& name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found == names_.end())
    throw Error(folder_.string(), "has no table of " + name, "run it again");
  return tables_[static_cast<size_t>(found - names_.begin())];
}

int RunTables::column(const std::string& name, const std::string& label) const {
  const int k = at(name).find(label);
  if (k < 0)
    throw Error((folder_ / name).string(),
                "has no column '" + label + "', which the scene requires",
                "these are results of another scene: run it again");
  return k;
}

LoadedRun load_run(const fs::path& folder, const ordered_json& record) {
  require_unchanged(record.at("scene_file"));
  const RunOptions options = recorded_options(record);
  LoadedModel model =
      load_model(record.at("scene_file").at("path"),
                 {.set = record.at("scene_file").at("set"),
                  .run = options,
                  .mass = record.contains("muscle_mass")
                              ? recorded_mass_options(record.at("muscle_mass").at("options"))
                              : MuscleMassOptions{}});
  System system = model.system();
  RunTables tables(folder, record);
  ReportMotion motion = read_states(tables, system);
  read_parts(tables, system, motion);
  if (!system.hill_muscles().empty()) read_hill_states(tables, system, motion);
  std::vector<std::string> notes;
  if (record.contains("drive") && record.at("drive").at("controls") != options.controls)
    notes.push_back(
        "The file of controls is not there any more: what it drove is drawn as the model says.");
  return {std::move(model), std::move(system), std::move(tables), std::move(motion),
          std::move(notes)};
}

}  // namespace sinew
