#include "sinew/report/comparison.hpp"

#include <fmt/format.h>

#include "sinew/builder/system_builder.hpp"
#include "sinew/core/error.hpp"
#include "sinew/report/inertia_answer.hpp"
#include "sinew/report/inertia_record.hpp"
#include "sinew/report/loaded_run.hpp"
#include "sinew/report/model.hpp"
#include "sinew/report/report_frames.hpp"
#include "sinew/report/report_motion.hpp"
#include "sinew/report/report_series.hpp"

namespace sinew {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

std::vector<double> row_of(const MatX& table, size_t row) {
  const VecX values = table.row(static_cast<Eigen::Index>(row));
  return {values.begin(), values.end()};
}

/// The model with the mass that muscles took, including all muscles.
System system_of(const InertiaStudy& study) {
  const MassTransfer& transfer = study.comparison.transfer;
  SystemBuilder builder(transfer.skeleton);
  builder.set_gravity(study.bones.gravity);
  for (const auto& force : study.bones.forces) builder.add_force(force);
  for (Muscle muscle : transfer.muscles) {
    // Fibres do not move mass; pictures show them.
    if (study.model.osim)
      for (const OsimPath& path : study.model.osim->paths)
        if (path.pulls() && muscle_of(path).name == muscle.name) muscle.hill = muscle_of(path).hill;
    builder.add_muscle(std::move(muscle));
  }
  return builder.build();
}

std::vector<ReportGroup> moment_groups(const InertiaStudy& study) {
  const std::vector<Coordinate>& coordinates = study.bones.skeleton.coordinates();
  const InertiaComparison& c = study.comparison;
  std::vector<ReportGroup> moments, causes;
  for (size_t k = 0; k < coordinates.size(); ++k) {
    const bool force = coordinates[k].kind == CoordinateKind::length;
    const std::string quantity = force ? "force" : "moment", &name = coordinates[k].name;
    const MatX change = c.muscles - c.bones;
    moments.push_back({"moment-" + name,
                       (force ? "Force of " : "Moment of ") + name,
                       {{"mass on the bones", quantity, row_of(c.bones, k)},
                        {"mass in the muscles", quantity, row_of(c.muscles, k)},
                        {"difference", quantity, row_of(change, k)}},
                       "Moments"});
    for (const SharedMoments& other : study.more_shares)
      moments.back().columns.push_back(
          {fmt::format("share {:g}", other.share), quantity, row_of(other.moments, k)});
    ReportGroup group{"causes-" + name, "Change of " + name + " by muscle", {}, "Causes"};
    for (size_t m = 0; m < c.of_muscle.size(); ++m)
      if (!c.of_muscle[m].isZero(0))
        group.columns.push_back({study.bones.muscles[m].name, quantity, row_of(c.of_muscle[m], k)});
    if (!group.columns.empty()) causes.push_back(std::move(group));
  }
  moments.insert(moments.end(), causes.begin(), causes.end());
  return moments;
}

ordered_json describe_motion(const InertiaStudy& study, const ordered_json& record,
                             ReportData& data) {
  const System system = system_of(study);
  const Motion& samples = study.reading.motion;
  ReportMotion motion;
  MatX q(static_cast<Eigen::Index>(samples.size()), system.dof_count()), qdot = q;
  for (size_t k = 0; k < samples.size(); ++k) {
    motion.t.push_back(samples[k].t);
    motion.q.push_back(samples[k].q);
    motion.qdot.push_back(samples[k].qdot);
    q.row(static_cast<Eigen::Index>(k)) = samples[k].q;
    qdot.row(static_cast<Eigen::Index>(k)) = samples[k].qdot;
  }
  std::vector<std::string> warnings = study.model.warnings, notes;
  warnings.insert(warnings.end(), study.reading.warnings.begin(), study.reading.warnings.end());
  ordered_json out = {
      {"name", study.model.model_name},
      {"title", "Does muscle mass matter? " + study.model.model_name + ", " +
                    fs::path(record.at("motion").get<std::string>()).stem().string()},
      {"description", ""},
      {"citation", ""},
      {"status", "finished"},
      {"audit", nullptr},
      {"warnings", warnings},
      {"provenance", motion_provenance(record)},
      {"moved", record.at("moved")}};
  out["model"] = describe_model({system, study.model.look}, data, notes);
  out["frames"] = write_frames(system, motion, data, notes);
  std::vector<ReportGroup> groups = moment_groups(study);
  for (ReportGroup& group : coordinate_groups(system.coordinates(), q, qdot))
    groups.push_back(std::move(group));
  out["series"] = write_groups(motion.t, groups, data);
  out["notes"] = notes;
  return out;
}

}  // namespace

void describe_comparison(const fs::path& folder, const ordered_json& record, ordered_json& header,
                         ReportData& data) {
  try {
    require_unchanged(record.at("model_file"));
    const InertiaStudy study = study_inertia(question_of(record));
    if (study.reading.motion.size() != record.at("samples"))
      throw Error(record.at("motion").get<std::string>(), "has changed since the run",
                  "run it again");
    header["kind"] = "comparison";
    ordered_json run = describe_motion(study, record, data);
    run["folder"] = folder.filename().string();
    header["runs"].push_back(run);
    const ordered_json moments = describe_moments(study);
    header["comparison"] = {{"answer", describe_answer(moments)},
                            {"range", study.range},
                            {"doubts", study.doubts},
                            {"moments", moments}};
  } catch (const ordered_json::exception&) {
    throw Error((folder / "run.json").string(), "lacks what a report needs", "run it again");
  }
}

}  // namespace sinew
