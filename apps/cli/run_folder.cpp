#include "run_folder.hpp"

#include <fstream>

#include "sinew/analysis/reactions.hpp"
#include "sinew/core/error.hpp"
#include "sinew/core/version.hpp"

namespace sinew::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr const char* kRecord = "run.json";

/// Removes the files that the earlier run in this folder lists as its own. Refuses a folder that
/// holds something else and no such list.
void make_room(const fs::path& folder) {
  std::error_code code;
  if (fs::exists(folder, code) && !fs::is_directory(folder, code))
    throw Error(folder.string(), "is a file, not a folder", "choose another --out");
  fs::create_directories(folder, code);
  if (code)
    throw Error(folder.string(), "cannot be made: " + code.message(), "choose another --out");
  if (fs::is_empty(folder, code)) return;

  std::ifstream file(folder / kRecord);
  const auto record = ordered_json::parse(file, nullptr, /*allow_exceptions=*/false);
  if (!record.is_object() || !record.contains("sinew") || !record["files"].is_array())
    throw Error(folder.string(), "is not empty and holds no earlier run of sinew",
                "choose another --out");
  for (const auto& name : record["files"]) {
    if (!name.is_string()) continue;
    const fs::path path(name.get<std::string>());
    if (path.has_filename() && path == path.filename()) fs::remove(folder / path, code);
  }
}

std::vector<std::string> state_labels(const System& system) {
  std::vector<std::string> labels;
  for (const Coordinate& c : system.all_coordinates()) labels.push_back(c.name);
  for (const Coordinate& c : system.all_coordinates()) labels.push_back(c.name + "_u");
  return labels;
}

/// Where each body's origin is, world frame [m].
std::vector<std::string> position_labels(const Skeleton& skeleton) {
  std::vector<std::string> labels;
  for (const Body& body : skeleton.bodies())
    for (const char* axis : {"_X", "_Y", "_Z"}) labels.push_back(body.name + axis);
  return labels;
}

bool wraps(const MuscleElement& muscle) {
  for (const PathSpan& span : muscle.muscle().spans)
    if (!std::holds_alternative<Straight>(span.wrap)) return true;
  return false;
}

std::vector<std::string> muscle_labels(const System& system) {
  std::vector<std::string> labels;
  for (const auto& muscle : system.muscles()) {
    for (const char* what : {"_length", "_rate", "_tension"})
      labels.push_back(muscle->name() + what);
    if (wraps(*muscle)) labels.push_back(muscle->name() + "_wrapped_angle");
  }
  return labels;
}

std::span<const double> span_of(const VecX& v) { return {v.data(), static_cast<size_t>(v.size())}; }

}  // namespace

RunFolder::RunFolder(const fs::path& folder, TableFormat format, const Scene& scene)
    : folder_(folder), skeleton_(scene.system.skeleton()) {
  make_room(folder);
  const std::string ending = extension(format);
  states_.emplace(folder / ("states" + ending), format, scene.name + "_states",
                  state_labels(scene.system));
  bodies_.emplace(folder / ("bodies" + ending), format, scene.name + "_bodies",
                  position_labels(skeleton_));
  energy_.emplace(folder / ("energy" + ending), format, scene.name + "_energy",
                  std::vector<std::string>{"kinetic", "gravity", "elastic", "total"});
  if (const auto labels = reaction_labels(scene.system); !labels.empty())
    reactions_.emplace(folder / ("reactions" + ending), format, scene.name + "_reactions", labels);
  if (const auto labels = muscle_labels(scene.system); !labels.empty())
    muscles_.emplace(folder / ("muscles" + ending), format, scene.name + "_muscles", labels);
  for (const auto& muscle : scene.system.muscles()) wraps_.push_back(wraps(*muscle));
  // Should the program be killed, this tells that the folder is its own.
  write_record({{"status", "running"}});
}

void RunFolder::add_row(double t, const VecX& q, const VecX& qdot, const Energy& energy,
                        std::span<const double> reactions, std::span<const MusclePath> muscles,
                        const Workspace& ws) {
  positions_.clear();
  for (int i = 0; i < skeleton_.body_count(); ++i) {
    const Vec3 p = body_pose(skeleton_, ws.skeleton, BodyIndex(i)).p;
    positions_.insert(positions_.end(), p.begin(), p.end());
  }
  const double columns[] = {energy.kinetic, energy.gravity, energy.elastic, energy.total()};
  states_->add_row(t, {span_of(q), span_of(qdot)});
  bodies_->add_row(t, {positions_});
  energy_->add_row(t, {columns});
  if (reactions_) reactions_->add_row(t, {reactions});
  if (!muscles_) return;
  lengths_.clear();
  for (size_t i = 0; i < muscles.size(); ++i) {
    lengths_.insert(lengths_.end(), {muscles[i].length, muscles[i].rate, muscles[i].tension});
    if (wraps_[i]) lengths_.push_back(muscles[i].wrapped_angle);
  }
  muscles_->add_row(t, {lengths_});
}

void RunFolder::flush() {
  for_each_table([](TableWriter& table) { table.flush(); });
}

void RunFolder::finish(ordered_json record) {
  for_each_table([](TableWriter& table) { table.close(); });
  write_record(std::move(record));
}

void RunFolder::write_record(const ordered_json& record) {
  ordered_json full = {{"sinew", std::string(version())}, {"commit", std::string(commit())}};
  full.update(record);
  for_each_table(
      [&](const TableWriter& table) { full["files"].push_back(table.path().filename().string()); });
  // Never half a file: the old one stays until the new one is complete.
  const fs::path path = folder_ / kRecord, fresh = folder_ / "run.json.part";
  {
    std::ofstream file(fresh);
    file << full.dump(2) << '\n';
    if (!file.flush())
      throw Error(fresh.string(), "cannot be written", "check the space left on the disk");
  }
  std::error_code code;
  fs::rename(fresh, path, code);
  if (code) throw Error(path.string(), "cannot be written: " + code.message(), "");
}

}  // namespace sinew::cli
