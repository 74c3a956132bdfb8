#include "sinew/report/inertia_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "sinew/report/inertia_answer.hpp"
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

std::vector<JointAnswer> judge_joints(const InertiaStudy& study) {
  const Skeleton& skeleton = study.bones.skeleton;
  const std::vector<Coordinate>& coordinates = skeleton.coordinates();
  double scale[2] = {0, 0};
  const auto scale_of = [&](size_t k) -> double& {
    return scale[coordinates[k].kind == CoordinateKind::length];
  };
  for (size_t k = 0; k < coordinates.size(); ++k)
    if (!is_free(skeleton.body(coordinates[k].body)))
      scale_of(k) =
          std::max(scale_of(k),
                   study.comparison.bones.row(static_cast<Eigen::Index>(k)).cwiseAbs().maxCoeff());
  std::vector<JointAnswer> out;
  for (size_t k = 0; k < coordinates.size(); ++k)
    out.push_back(judge_joint(study.comparison, study.uncertainty, static_cast<Eigen::Index>(k),
                              scale_of(k)));
  return out;
}

ordered_json describe_causes(const InertiaStudy& study, Eigen::Index row) {
  std::vector<std::pair<double, std::string>> parts;
  for (size_t m = 0; m < study.comparison.of_muscle.size(); ++m) {
    const double rms = std::sqrt(study.comparison.of_muscle[m].row(row).array().square().mean());
    if (rms > 0) parts.emplace_back(rms, study.bones.muscles[m].name);
  }
  std::sort(parts.rbegin(), parts.rend());
  ordered_json out = ordered_json::array();
  for (const auto& [rms, name] : parts) out.push_back({{"muscle", name}, {"rms", rms}});
  return out;
}

ordered_json describe_shares(const InertiaStudy& study, Eigen::Index row) {
  ordered_json out = ordered_json::array();
  for (const SharedMoments& other : study.more_shares) {
    const MomentDifference d = difference(study.comparison.bones.row(row), other.moments.row(row));
    out.push_back({{"share", other.share},
                   {"highest_change", d.highest_change},
                   {"lowest_change", d.lowest_change},
                   {"largest_difference", d.largest}});
  }
  return out;
}

}  // namespace

ordered_json describe_moments(const InertiaStudy& study) {
  const Skeleton& skeleton = study.bones.skeleton;
  const std::vector<Coordinate>& coordinates = skeleton.coordinates();
  const std::vector<std::string> labels = moment_labels(coordinates);
  const std::vector<JointAnswer> answers = judge_joints(study);
  ordered_json out = ordered_json::array();
  for (size_t k = 0; k < coordinates.size(); ++k) {
    const auto row = static_cast<Eigen::Index>(k);
    const MomentDifference d =
        difference(study.comparison.bones.row(row), study.comparison.muscles.row(row));
    const JointAnswer& answer = answers[k];
    ordered_json added = {
        {"name", labels[k]},
        {"coordinate", coordinates[k].name},
        {"quantity", coordinates[k].kind == CoordinateKind::length ? "force" : "moment"},
        {"root", is_free(skeleton.body(coordinates[k].body))},
        {"verdict", name_of(answer.verdict)},
        {"largest_moment", answer.moment},
        {"change", answer.change},
        {"least_change", answer.least},
        {"most_change", answer.most},
        {"change_by_filter", answer.filter},
        {"change_by_inertia", answer.inertia},
        {"highest", d.highest},
        {"highest_change", d.highest_change},
        {"lowest", d.lowest},
        {"lowest_change", d.lowest_change},
        {"rms_difference", d.rms},
        {"largest_difference", d.largest},
        {"causes", describe_causes(study, row)}};
    if (!study.more_shares.empty()) added["shares"] = describe_shares(study, row);
    out.push_back(std::move(added));
  }
  return out;
}

ordered_json describe_study(const InertiaQuestion& question, const InertiaStudy& study,
                            const std::string& typed) {
  ordered_json options = {{"loads", absolute(question.loads)},
                          {"cutoff", question.smoothing.cutoff},
                          {"opensim_filter", question.smoothing.opensim_filter}};
  if (std::isfinite(question.smoothing.start)) options["start"] = question.smoothing.start;
  if (std::isfinite(question.smoothing.end)) options["end"] = question.smoothing.end;
  options.update(describe_options(question.mass));
  options["set"] = question.set;
  options["more_shares"] = question.more_shares;
  const ordered_json moments = describe_moments(study);
  return {{"model", study.model.model_name},
          {"motion", absolute(question.motion)},
          {"command", typed},
          {"samples", study.reading.motion.size()},
          {"moved", describe_transfer(study.comparison.transfer)},
          {"placement", describe_placement({study.by_rule, study.comparison.transfer})},
          {"answer", describe_answer(moments)},
          {"range", study.range},
          {"doubts", study.doubts},
          {"moments", moments},
          {"model_file",
           {{"path", absolute(study.model.path.string())},
            {"fnv1a", fmt::format("{:016x}", study.model.content_hash)}}},
          {"options", options}};
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
  out.more_shares = recorded.value("more_shares", out.more_shares);
  return out;
}

}  // namespace sinew
