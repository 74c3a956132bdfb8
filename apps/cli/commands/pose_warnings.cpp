#include "cli/commands/pose_warnings.hpp"

#include <fmt/format.h>

#include <cmath>

#include "cli/console.hpp"
#include "sinew/analysis/muscle_paths.hpp"
#include "sinew/io/tables/motion_checks.hpp"
#include "sinew/report/report_motion.hpp"

namespace sinew::cli {
namespace {

/// Coordinates of deformable bodies and other parts come behind those of the target.
CoordinateTable one_row(const std::string& source, const LoadedModel& model, const State& state) {
  CoordinateTable out;
  out.source = source;
  out.times = {0};
  out.q = state.q.head(static_cast<Eigen::Index>(model.target.coordinates.size())).transpose();
  out.units = "default values are in radians";
  return out;
}

/// `when`: in which pose.
void warn_of_inside(const LoadedModel& model, const std::vector<std::string>& muscles,
                    const std::string& when) {
  if (muscles.empty()) return;
  constexpr size_t kNamed = 5;
  const std::vector<std::string> named(muscles.begin(),
                                       muscles.begin() + std::min(kNamed, muscles.size()));
  print_warnings({fmt::format(
      "{}: a path point of {}{} is on or inside a wrap surface {}, so that no path is taut: move "
      "the point or the surface",
      model.name, fmt::join(named, ", "),
      muscles.size() > kNamed ? fmt::format(" and {} more muscles", muscles.size() - kNamed) : "",
      when)});
}

System muscles_of(const LoadedModel& model) {
  return model.scene ? model.scene->system : drawn_system(model, "");
}

/// The pose that the file gives; couplers hold.
State default_start(const LoadedModel& model, const System& system) {
  if (model.scene) return initial_state(system, model.settings.step);
  State out = system.default_state();
  for (size_t k = 0; k < model.osim->coordinates.size(); ++k)
    out.q[static_cast<Eigen::Index>(k)] = model.osim->coordinates[k].default_value;
  model.target.coupled.follow(out.q);
  return out;
}

}  // namespace

void warn_of_start(const LoadedModel& model, const System& system, const State& start) {
  CoordinateTable table = one_row(model.path.string(), model, start);
  for (size_t k = 0; k < model.target.coordinates.size(); ++k)
    if (model.start.values.contains(model.target.coordinates[k].name) ||
        model.target.coupled.coupling_of(DofIndex(static_cast<int>(k))) != nullptr)
      table.q(0, static_cast<Eigen::Index>(k)) = std::nan("");
  print_warnings(doubts_of(table, model.target));
  Workspace ws(system);
  warn_of_inside(model, muscles_inside_surfaces(system, start, ws), "in the first pose");
}

void warn_of_start(const LoadedModel& model) {
  const System system = muscles_of(model);
  warn_of_start(model, system, default_start(model, system));
}

void warn_of_inside(const LoadedModel& model, const Motion& motion) {
  const System system = muscles_of(model);
  if (system.muscles().empty()) return;
  Workspace ws(system);
  State state = system.default_state();
  constexpr size_t kPoses = 30;
  const size_t every = motion.size() / kPoses + 1;
  for (size_t k = 0; k < motion.size(); k += every) {
    state.q.head(motion[k].q.size()) = motion[k].q;
    const std::vector<std::string> inside = muscles_inside_surfaces(system, state, ws);
    if (inside.empty()) continue;
    return warn_of_inside(model, inside, fmt::format("at t = {:.6g} s", motion[k].t));
  }
}

void warn_of_end(const LoadedModel& model, const State& start, const State& end) {
  if (!doubts_of_results(one_row("", model, start), model.target).empty()) return;
  print_warnings(doubts_of_results(one_row("the end of the run", model, end), model.target));
}

}  // namespace sinew::cli
