#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/commands/commands.hpp"
#include "cli/commands/muscle_motion.hpp"
#include "cli/console.hpp"
#include "sinew/core/error.hpp"
#include "sinew/report/json_text.hpp"
#include "sinew/report/point_tables.hpp"

namespace sinew::cli {
namespace {

using nlohmann::ordered_json;

constexpr int kMostPoints = 1000;

void require_usable(const StudiedMuscles& source, const MusclesOptions& options) {
  if (*options.points < 1 || *options.points > kMostPoints)
    throw Error("--points", "is out of range",
                fmt::format("give a number from 1 to {} for each muscle", kMostPoints));
  if (options.rank || !options.coordinate.empty())
    throw Error("--points", "does not go with --rank or --coordinate", "leave one of them out");
  const MuscleDriveSource& drive = options.drive;
  if (options.output.report || drive.activation || !drive.states.empty() || !drive.controls.empty())
    throw Error("--points", "does not go with --report, --activation, --states or --controls",
                "leave one of them out");
  if (!options.study.motion.empty() && options.output.out.empty())
    throw Error("--points", "along a motion are tables", "add --out FOLDER");
  if (source.model.scene && source.model.scene->system.coordinate_map() != nullptr)
    throw Error(source.model.name, "has dependent coordinates", "write them as couplings");
}

/// The default pose at rest, or the motion that is asked for.
Motion instants(const StudiedMuscles& source, const MusclesOptions& options) {
  const VecX rest = VecX::Zero(source.q0.size());
  if (options.study.motion.empty()) return {{0, source.q0, rest, rest}};
  MotionReading reading =
      read_motion(options.study.motion, source.model.target, options.study.smoothing);
  print_warnings(reading.warnings);
  return std::move(reading.motion);
}

int write_points(const StudiedMuscles& source, const WeighedModel& model,
                 const std::vector<MusclePoints>& muscles, const Motion& motion,
                 const MusclesOptions& options, const std::string& typed) {
  const std::string stem = options.study.motion.empty()
                               ? source.model.name
                               : std::filesystem::path(options.study.motion).stem().string();
  const InterruptGuard interrupt;  // until all is written
  ResultFolder folder(options.output.out, options.output.format);
  PointTables tables(muscles, source.coordinates(), stem, folder);
  size_t rows = 0;
  {
    ProgressBar progress(motion.back().t - motion.front().t);
    follow_points(model.skeleton, muscles, motion, [&](double t, const auto& points) {
      progress.update(t - motion.front().t);
      tables.add(t, points);
      ++rows;
      return !interrupt.flag();
    });
  }
  tables.close();
  const bool interrupted = rows < motion.size();
  const ordered_json record = {{"model", source.model.model_name},
                               {"command", typed},
                               {"motion", options.study.motion},
                               {"status", interrupted ? "interrupted" : "done"},
                               {"samples", rows},
                               {"muscles", muscles.size()},
                               {"points", *options.points}};
  folder.finish(record);
  if (options.output.json)
    fmt::print("{}\n", json_text(record));
  else
    fmt::print("{}: {} points of each of {} muscles at {} instants in {}\n",
               source.model.model_name, *options.points, muscles.size(), rows, options.output.out);
  if (!interrupted) return kOk;
  say(fmt::format("sinew: interrupted after {} of {} instants; they are kept\n", rows,
                  motion.size()));
  return kInterrupted;
}

void print_points(const StudiedMuscles& source, const MusclePoints& muscle,
                  const std::vector<MaterialPoint>& points) {
  for (size_t p = 0; p < points.size(); ++p) {
    const MaterialPoint& point = points[p];
    fmt::print("  {:<24} {:>8.4g} {:>9.5f} {:>9.5f} {:>9.5f} ", muscle.name(),
               muscle.beta(static_cast<int>(p)), point.x.x(), point.x.y(), point.x.z());
    for (size_t l = 0; l < muscle.dofs().size(); ++l) {
      const Vec3 J = point.J.col(static_cast<Eigen::Index>(l));
      if (J.cwiseAbs().maxCoeff() < 1e-14) continue;  // rounding
      fmt::print(" {} ({:.4g}, {:.4g}, {:.4g})",
                 source.coordinates()[static_cast<size_t>(muscle.dofs()[l])].name, J.x(), J.y(),
                 J.z());
    }
    fmt::print("\n");
  }
}

int show_points(const StudiedMuscles& source, const WeighedModel& model,
                const std::vector<MusclePoints>& muscles, const Motion& pose, bool json) {
  std::vector<std::vector<MaterialPoint>> points;
  follow_points(model.skeleton, muscles, pose, [&](double, const auto& all) {
    points = all;
    return true;
  });
  if (json) {
    ordered_json list = ordered_json::array();
    for (size_t k = 0; k < muscles.size(); ++k)
      list.push_back(describe_points(muscles[k], source.coordinates(), points[k]));
    fmt::print("{}\n", json_text({{"model", source.model.model_name}, {"muscles", list}}));
    return kOk;
  }
  fmt::print("{}: material points in the default pose, and ∂x/∂q\n\n", source.model.model_name);
  fmt::print("  {:<24} {:>8} {:>9} {:>9} {:>9}  {}\n", "muscle", "material", "x [m]", "y [m]",
             "z [m]", "moved by [m/rad, or 1]");
  for (size_t k = 0; k < muscles.size(); ++k) print_points(source, muscles[k], points[k]);
  return kOk;
}

}  // namespace

int run_muscle_points(const StudiedMuscles& source, const MusclesOptions& options,
                      const std::string& typed) {
  require_usable(source, options);
  const Motion motion = instants(source, options);
  const WeighedModel model =
      weighed_model(source, options.mass,
                    options.study.motion.empty() ? routing_poses(source) : poses_of(motion));
  print_warnings(model.warnings);
  const std::vector<MusclePoints> muscles = muscle_points(model, *options.points);
  if (options.output.out.empty())
    return show_points(source, model, muscles, motion, options.output.json);
  return write_points(source, model, muscles, motion, options, typed);
}

}  // namespace sinew::cli
