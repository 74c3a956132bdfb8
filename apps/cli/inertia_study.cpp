#include "inertia_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "sinew/core/error.hpp"
#include "sinew/core/names.hpp"
#include "sinew/io/tables/muscle_table.hpp"

namespace sinew::cli {
namespace {

using nlohmann::ordered_json;

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> out(1);
  for (const char c : text)
    if (c == separator)
      out.emplace_back();
    else
      out.back() += c;
  return out;
}

template <class List>
std::string require_name(const std::string& option, const std::string& what,
                         const std::string& name, const List& list) {
  std::vector<std::string> names;
  for (const auto& item : list) names.push_back(item.name);
  if (std::find(names.begin(), names.end(), name) == names.end())
    throw Error(option, "there is no " + what + " '" + name + "'", suggest(name, names));
  return name;
}

/// "body:share:muscle,muscle,…": part of a body's mass, divided among the muscles as their masses
/// are, or evenly where they have none.
SegmentShare read_segment(const std::string& text, const Skeleton& skeleton,
                          const std::vector<Muscle>& muscles) {
  const std::vector<std::string> parts = split(text, ':');
  SegmentShare out;
  const char* const end = parts.size() == 3 ? parts[1].data() + parts[1].size() : nullptr;
  if (end == nullptr || std::from_chars(parts[1].data(), end, out.share).ptr != end)
    throw Error("--segment " + text, "is not body:share:muscles",
                "write for example tibia_r:0.8:soleus_r,tibant_r");
  out.body = skeleton.find_body(require_name("--segment", "body", parts[0], skeleton.bodies()));
  bool weighed = true;
  for (const std::string& name : split(parts[2], ',')) {
    require_name("--segment", "muscle", name, muscles);
    const auto muscle = std::find_if(muscles.begin(), muscles.end(),
                                     [&](const Muscle& m) { return m.name == name; });
    weighed &= muscle->has_mass();
    out.parts.push_back({name, muscle->mass});
  }
  if (!weighed)
    for (SegmentShare::Part& part : out.parts) part.ratio = 1;
  return out;
}

/// The model with all mass on the bones, and who gives what.
struct MassQuestion {
  BonesModel bones;
  MassPolicy policy;
};

MassQuestion read_question(const ModelSource& model, const InertiaQuestion& question) {
  MassQuestion out{{model.skeleton, model.gravity, model.forces, model.muscles}, MomentsPolicy{}};
  if (model.mass_origin) {
    out.bones.skeleton = model.mass_origin->bones;
    out.bones.muscles = model.mass_origin->muscles;
    out.policy = model.mass_origin->policy;
  }
  if (!question.segments.empty()) {
    ScalePolicy policy;
    for (const std::string& text : question.segments)
      policy.segments.push_back(read_segment(text, out.bones.skeleton, out.bones.muscles));
    for (Muscle& muscle : out.bones.muscles) muscle = with_mass(muscle, 0);
    out.policy = policy;
  } else if (question.share) {
    out.policy = MomentsPolicy{*question.share, {}};
  }
  if (out.bones.muscles.empty())
    throw Error(model.name, "has no muscles", "there is nothing to compare");
  if (!question.loads.empty())
    for (const auto& force : read_loads(question.loads, out.bones.skeleton))
      out.bones.forces.push_back(force);
  return out;
}

ordered_json describe_transfer(const MassTransfer& transfer) {
  ordered_json out = ordered_json::array();
  for (const MassMove& move : transfer.moves)
    out.push_back({{"body", transfer.skeleton.body(move.body).name},
                   {"muscle", transfer.muscles[static_cast<size_t>(move.muscle)].name},
                   {"mass", move.taken.mass},
                   {"share", move.share}});
  return out;
}

/// The file's full path, so that the record holds wherever one is; nothing for nothing.
std::string absolute(const std::string& path) {
  return path.empty() ? path : std::filesystem::absolute(path).string();
}

}  // namespace

InertiaStudy study_inertia(const InertiaQuestion& question) {
  InertiaStudy out{load_model(question.model, question.set), {}, {}, {}};
  ModelSource& model = out.model;
  out.reading = read_motion(question.motion, model.target, question.smoothing);
  add_massive_muscles(out.reading.motion, question.specific_tension * 1e6, model);
  if (!question.muscles.empty())
    apply_muscle_table(read_muscle_table(question.muscles), model.muscles);
  MassQuestion mass = read_question(model, question);
  out.comparison = compare_inertia(mass.bones, mass.policy, out.reading.motion);
  out.bones = std::move(mass.bones);
  return out;
}

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
  smoothing.update({{"muscles", absolute(question.muscles)},
                    {"segments", question.segments},
                    {"specific_tension", question.specific_tension},
                    {"set", question.set}});
  if (question.share) smoothing["share"] = *question.share;
  return {{"model", study.model.name},
          {"motion", absolute(question.motion)},
          {"command", typed},
          {"samples", study.reading.motion.size()},
          {"moved", describe_transfer(study.comparison.transfer)},
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
  out.muscles = recorded.at("muscles");
  out.segments = recorded.at("segments").get<std::vector<std::string>>();
  if (recorded.contains("share")) out.share = recorded["share"].get<double>();
  out.specific_tension = recorded.at("specific_tension");
  out.set = recorded.at("set").get<std::vector<std::string>>();
  return out;
}

}  // namespace sinew::cli
