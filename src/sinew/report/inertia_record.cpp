#include "sinew/report/inertia_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "sinew/report/mass_record.hpp"

namespace sinew {
namespace {

using nlohmann::ordered_json;

ordered_json describe_transfer(const MassTransfer& transfer) {
  ordered_json out = ordered_json::array();
  for (const MassMove& move : transfer.moves)
    out.push_back({{"body", transfer.skeleton.body(move.body).name},
                   {"muscle", transfer.muscles[static_cast<size_t>(move.muscle)].name},
                   {"mass", move.taken.mass},
                   {"share", move.share}});
  return out;
}

/// The file's full path, so that the record is valid from any folder; empty for none.
std::string absolute(const std::string& path) {
  return path.empty() ? path : std::filesystem::absolute(path).string();
}

}  // namespace

ordered_json describe_moments(const InertiaStudy& study) {
  const BonesModel& bones = study.bones;
  const InertiaComparison& c = study.comparison;
  const std::vector<Coordinate>& coordinates = bones.skeleton.coordinates();
  const std::vector<std::string> labels = moment_labels(coordinates);
  ordered_json out = ordered_json::array();
  for (size_t k = 0; k < coordinates.size(); ++k) {
    const auto row = static_cast<Eigen::Index>(k);
    const MomentDifference d = difference(c.bones.row(row), c.muscles.row(row));
    std::vector<std::pair<double, std::string>> parts;
    for (size_t m = 0; m < c.of_muscle.size(); ++m) {
      const double rms = std::sqrt(c.of_muscle[m].row(row).array().square().mean());
      if (rms > 0) parts.emplace_back(rms, bones.muscles[m].name);
    }
    std::sort(parts.rbegin(), parts.rend());
    ordered_json causes = ordered_json::array();
    for (const auto& [rms, name] : parts) causes.push_back({{"muscle", name}, {"rms", rms}});
    out.push_back({{"name", labels[k]},
                   {"highest", d.highest},
                   {"highest_change", d.highest_change},
                   {"lowest", d.lowest},
                   {"lowest_change", d.lowest_change},
                   {"rms_difference", d.rms},
                   {"largest_difference", d.largest},
                   {"causes", causes}});
  }
  return out;
}

ordered_json describe_study(const InertiaQuestion& question, const InertiaStudy& study,
                            const std::string& typed) {
  ordered_json smoothing = {{"loads", absolute(question.loads)},
                            {"cutoff", question.smoothing.cutoff},
                            {"opensim_filter", question.smoothing.opensim_filter}};
  if (std::isfinite(question.smoothing.start)) smoothing["start"] = question.smoothing.start;
  if (std::isfinite(question.smoothing.end)) smoothing["end"] = question.smoothing.end;
  smoothing.update(describe_options(question.mass));
  smoothing["set"] = question.set;
  return {{"model", study.model.model_name},
          {"motion", absolute(question.motion)},
          {"command", typed},
          {"samples", study.reading.motion.size()},
          {"moved", describe_transfer(study.comparison.transfer)},
          {"placement", describe_placement({study.by_rule, study.comparison.transfer})},
          {"moments", describe_moments(study)},
          {"model_file",
           {{"path", absolute(study.model.path.string())},
            {"fnv1a", fmt::format("{:016x}", study.model.content_hash)}}},
          {"options", smoothing}};
}

InertiaQuestion question_of(const ordered_json& record) {
  const ordered_json& recorded = record.at("options");
  InertiaQuestion out;
  out.model = record.at("model_file").at("path");
  out.motion = record.at("motion");
  out.loads = recorded.at("loads");
  out.smoothing.cutoff = recorded.at("cutoff");
  out.smoothing.opensim_filter = recorded.at("opensim_filter");
  out.smoothing.start = recorded.value("start", out.smoothing.start);
  out.smoothing.end = recorded.value("end", out.smoothing.end);
  out.mass = recorded_mass_options(recorded);
  out.set = recorded.at("set").get<std::vector<std::string>>();
  return out;
}

}  // namespace sinew
