#include "sinew/export/export.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "sinew/core/error.hpp"
#include "sinew/export/bvh_export.hpp"
#include "sinew/io/studies/motion_model.hpp"
#include "sinew/io/tables/motion_reader.hpp"
#include "sinew/io/tables/whole_file.hpp"
#include "sinew/report/loaded_run.hpp"
#include "sinew/report/report_motion.hpp"

namespace sinew {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

/// "glb" or "bvh". Finds mistakes before anything is computed.
std::string format_of(const fs::path& file, const ExportOptions& options) {
  const std::string ending = file.extension().string();
  if (ending != ".glb" && ending != ".bvh")
    throw Error(file.string(),
                ending.empty() ? "has no ending" : "has an unknown ending, '" + ending + "'",
                "end its name in .glb (glTF) or .bvh");
  std::error_code code;
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  if (!fs::is_directory(folder, code))
    throw Error(file.string(),
                "cannot be written: the folder " + folder.string() + " does not exist",
                "make it first");
  if (ending == ".bvh" && options.rate && !(*options.rate > 0))
    throw Error("--rate", "of .bvh files must be above 0, because their frames are evenly spaced",
                "give the number of frames a second");
  return ending.substr(1);
}

/// The rows that become frames of a .glb file.
std::vector<size_t> kept_rows(const std::vector<double>& t, const std::optional<double>& rate) {
  const double duration = t.back() - t.front();
  size_t most = t.size();
  if (!rate)
    most = std::max(static_cast<size_t>(std::ceil(kExportRate * duration)) + 1, kFewestFrames);
  else if (*rate > 0)
    most = std::max<size_t>(static_cast<size_t>(std::ceil(*rate * duration)) + 1, 2);
  std::vector<size_t> out;
  // Times are 32-bit numbers there, and must increase.
  for (const size_t k : thinned(t, most))
    if (out.empty() || static_cast<float>(t[k] - t[0]) > static_cast<float>(t[out.back()] - t[0]))
      out.push_back(k);
  return out;
}

/// The rows before and after the frames of a .bvh file.
std::vector<size_t> rows_beside(const std::vector<double>& t, double rate) {
  std::set<size_t> out = {0, t.size() - 1};
  const size_t count = bvh_frame_count(t.back() - t.front(), rate);
  for (size_t f = 0; f < count; ++f) {
    const auto after =
        std::upper_bound(t.begin(), t.end(), t.front() + static_cast<double>(f) / rate);
    const auto k = static_cast<size_t>(after - t.begin());
    if (k > 0) out.insert(k - 1);
    if (k < t.size()) out.insert(k);
  }
  return {out.begin(), out.end()};
}

ExportRecord write_export(const LoadedModel& model, const System& system,
                          const ReportMotion& motion, const fs::path& file,
                          const ExportOptions& options, std::vector<std::string> warnings) {
  ExportRecord out;
  out.file = file;
  out.format = format_of(file, options);
  const ExportModel drawn{system, model.look, model.name, model.title, model.citation};
  std::string bytes;
  if (out.format == "glb") {
    const ExportFrames frames =
        export_frames(system, motion, kept_rows(motion.t, options.rate), options.progress);
    bytes = gltf_bytes(drawn, frames, file.string(), warnings);
    out.frames = frames.t.size();
    out.muscles = frames.muscles.size();
    out.soft_bodies = frames.surfaces.size();
  } else {
    const double rate = options.rate.value_or(kExportRate);
    const ExportFrames frames =
        export_frames(system, motion, rows_beside(motion.t, rate), options.progress);
    bytes = bvh_text(drawn, frames, rate);
    out.frames = bvh_frame_count(motion.t.back() - motion.t.front(), rate);
  }
  write_whole_file(file, bytes);
  out.bytes = bytes.size();
  out.bodies = static_cast<size_t>(system.skeleton().body_count());
  out.start = motion.t.front();
  out.end = motion.t.back();
  out.warnings = std::move(warnings);
  return out;
}

}  // namespace

ExportRecord export_run(const fs::path& folder, const fs::path& file,
                        const ExportOptions& options) {
  format_of(file, options);
  const ordered_json record = read_record(folder);
  if (record.contains("model_file"))
    throw Error(folder.string(), "is a study of a motion, which keeps no states",
                "give its model and its motion: sinew export MODEL MOTION FILE");
  try {
    const LoadedRun run = load_run(folder, record);
    return write_export(run.model, run.system, run.motion, file, options, run.notes);
  } catch (const ordered_json::exception&) {
    throw Error((folder / "run.json").string(), "lacks what an export needs", "run it again");
  }
}

ExportRecord export_motion(const std::string& model_file, const fs::path& motion_file,
                           const fs::path& file, const ExportOptions& options) {
  format_of(file, options);
  const LoadedModel model = load_motion_model(model_file, {});
  const MotionReading reading = read_motion(motion_file, model.target, {});
  ReportMotion motion;
  for (const MotionSample& sample : reading.motion) {
    motion.t.push_back(sample.t);
    motion.q.push_back(sample.q);
    motion.qdot.push_back(sample.qdot);
  }
  std::vector<std::string> warnings = model.warnings;
  warnings.insert(warnings.end(), reading.warnings.begin(), reading.warnings.end());
  return write_export(model, drawn_system(model, ""), motion, file, options, std::move(warnings));
}

}  // namespace sinew
