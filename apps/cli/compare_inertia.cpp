#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "inertia_study.hpp"
#include "json_text.hpp"
#include "result_folder.hpp"
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
struct Question {
  BonesModel bones;
  MassPolicy policy;
};

Question read_question(const ModelSource& model, const CompareOptions& options) {
  Question out{{model.skeleton, model.gravity, model.forces, model.muscles}, MomentsPolicy{}};
  if (model.mass_origin) {
    out.bones.skeleton = model.mass_origin->bones;
    out.bones.muscles = model.mass_origin->muscles;
    out.policy = model.mass_origin->policy;
  }
  if (!options.segments.empty()) {
    ScalePolicy policy;
    for (const std::string& text : options.segments)
      policy.segments.push_back(read_segment(text, out.bones.skeleton, out.bones.muscles));
    for (Muscle& muscle : out.bones.muscles) muscle = with_mass(muscle, 0);
    out.policy = policy;
  } else if (options.share) {
    out.policy = MomentsPolicy{*options.share, {}};
  }
  if (out.bones.muscles.empty())
    throw Error(model.name, "has no muscles", "there is nothing to compare");
  if (!options.loads.empty())
    for (const auto& force : read_loads(options.loads, out.bones.skeleton))
      out.bones.forces.push_back(force);
  return out;
}

ordered_json describe(const BonesModel& bones, const InertiaComparison& c) {
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

ordered_json describe_transfer(const MassTransfer& transfer) {
  ordered_json out = ordered_json::array();
  for (const MassMove& move : transfer.moves)
    out.push_back({{"body", transfer.skeleton.body(move.body).name},
                   {"muscle", transfer.muscles[static_cast<size_t>(move.muscle)].name},
                   {"mass", move.taken.mass},
                   {"share", move.share}});
  return out;
}

void print_table(const ordered_json& record) {
  double moved = 0;
  for (const ordered_json& move : record["moved"]) moved += move["mass"].get<double>();
  fmt::print(
      "{}: moments of {} samples with {:.4g} kg in {} muscles, beside all mass on the bones\n\n",
      record["model"].get<std::string>(), record["samples"].get<size_t>(), moved,
      record["moved"].size());
  fmt::print("  {:<26} {:>9} {:>8} {:>9} {:>8} {:>10} {:>10}  {}\n", "[N m, N]", "highest",
             "change", "lowest", "change", "rms diff.", "largest", "most by");
  for (const ordered_json& m : record["moments"]) {
    const ordered_json& causes = m["causes"];
    fmt::print("  {:<26} {:>9.4g} {:>+7.1f}% {:>9.4g} {:>+7.1f}% {:>10.3g} {:>10.3g}  {}\n",
               m["name"].get<std::string>(), m["highest"].get<double>(),
               100 * m["highest_change"].get<double>(), m["lowest"].get<double>(),
               100 * m["lowest_change"].get<double>(), m["rms_difference"].get<double>(),
               m["largest_difference"].get<double>(),
               causes.empty() ? "" : causes[0]["muscle"].get<std::string>());
  }
}

void write_tables(const CompareOptions& options, const InertiaStudy& study) {
  const Motion& motion = study.reading.motion;
  const InertiaComparison& c = study.comparison;
  const std::vector<std::string> labels = moment_labels(study.bones.skeleton.coordinates());
  std::vector<std::string> columns;
  for (const char* which : {"_bones", "_muscles"})
    for (const std::string& label : labels) columns.push_back(label + which);
  ResultFolder folder(options.out, options.format);
  TableWriter& table =
      folder.add("moments", "Moments, all mass on the bones and part in muscles", columns);
  for (size_t k = 0; k < motion.size(); ++k) {
    const auto at = static_cast<Eigen::Index>(k);
    const VecX bones = c.bones.col(at), muscles = c.muscles.col(at);
    table.add_row(motion[k].t, {{bones.data(), labels.size()}, {muscles.data(), labels.size()}});
  }
  folder.finish(study.record);
}

/// The file's full path, so that the record holds wherever one is; nothing for nothing.
std::string absolute(const std::string& path) {
  return path.empty() ? path : std::filesystem::absolute(path).string();
}

ordered_json record_of(const CompareOptions& options, const InertiaStudy& study) {
  ordered_json smoothing = {{"loads", absolute(options.loads)},
                            {"cutoff", options.smoothing.cutoff},
                            {"opensim_filter", options.smoothing.opensim_filter}};
  if (std::isfinite(options.smoothing.start)) smoothing["start"] = options.smoothing.start;
  if (std::isfinite(options.smoothing.end)) smoothing["end"] = options.smoothing.end;
  smoothing.update({{"muscles", absolute(options.muscles)},
                    {"segments", options.segments},
                    {"specific_tension", options.specific_tension},
                    {"set", options.set}});
  if (options.share) smoothing["share"] = *options.share;
  return {{"model", study.model.name},
          {"motion", absolute(options.motion)},
          {"command", options.command},
          {"samples", study.reading.motion.size()},
          {"moved", describe_transfer(study.comparison.transfer)},
          {"moments", describe(study.bones, study.comparison)},
          {"model_file",
           {{"path", absolute(study.model.path.string())},
            {"fnv1a", fmt::format("{:016x}", study.model.content_hash)}}},
          {"options", smoothing}};
}

}  // namespace

InertiaStudy study_inertia(const CompareOptions& options) {
  InertiaStudy out{load_model(options.model, options.set), {}, {}, {}, {}};
  ModelSource& model = out.model;
  out.reading = read_motion(options.motion, model.target, options.smoothing);
  add_massive_muscles(out.reading.motion, options.specific_tension * 1e6, model);
  if (!options.muscles.empty())
    apply_muscle_table(read_muscle_table(options.muscles), model.muscles);
  Question question = read_question(model, options);
  out.comparison = compare_inertia(question.bones, question.policy, out.reading.motion);
  out.bones = std::move(question.bones);
  out.record = record_of(options, out);
  return out;
}

CompareOptions options_of(const ordered_json& record) {
  const ordered_json& recorded = record.at("options");
  CompareOptions out;
  out.model = record.at("model_file").at("path");
  out.motion = record.at("motion");
  out.command = record.value("command", "");
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

int run_compare_inertia(const CompareOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  InertiaStudy study = study_inertia(options);
  print_warnings(study.model.warnings);
  print_warnings(study.reading.warnings);
  study.record["wall_seconds"] =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (!options.out.empty()) write_tables(options, study);
  std::string page;
  if (options.report) page = write_report({options.out, "", ""}).string();
  if (options.json) {
    fmt::print("{}\n", json_text(study.record));
    return kOk;
  }
  print_table(study.record);
  if (!options.out.empty()) fmt::print("\n  output  {}\n", options.out);
  if (!page.empty()) fmt::print("  report  {}: open it in a browser\n", page);
  return kOk;
}

}  // namespace sinew::cli
