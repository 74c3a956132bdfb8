#include "sinew/io/tasks/tracked_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/adjoint/force_objectives.hpp"
#include "sinew/core/names.hpp"
#include "sinew/io/tables/storage_file.hpp"
#include "sinew/io/tables/trc_file.hpp"

namespace sinew {
namespace {

/// A table of a file whose times are those of the run.
class TrackedTable {
 public:
  /// `whole`: it has to last as long as the run.
  TrackedTable(MotionTable table, double from, double end, bool whole) : table_(std::move(table)) {
    for (double& t : table_.times) t -= from;
    // A hair: rows of files are rounded.
    if (whole && (table_.times.front() > 1e-6 || table_.times.back() < end - 1e-6))
      throw Error(element(),
                  fmt::format("is from {:g} to {:g} s of the run, which lasts until {:g} s",
                              table_.times.front(), table_.times.back(), end),
                  "choose 'from', or a shorter run");
  }

  const MotionTable& table() const { return table_; }
  /// The rows from the start of the run to its end; those of forces after the first step.
  Moments rows(const TaskScope& scope, bool forces) const {
    constexpr double kHair = 1e-3;  // of a step: rows of files are rounded
    std::vector<int> states;
    for (const double t : table_.times) {
      const double number = std::round(t / scope.run.dt);
      if (number < (forces ? 1 : 0) || number > scope.run.steps) continue;
      if (std::abs(t - number * scope.run.dt) > kHair * scope.run.dt)
        throw Error(element(),
                    fmt::format("has a row at t = {:g} s of the run, where no step of {:g} s ends",
                                t, scope.run.dt),
                    "choose a step that divides the time between rows, or \"at\": \"steps\"");
      states.push_back(static_cast<int>(number));
    }
    if (states.empty())
      throw Error(element(), "has no row between the start and the end of the run",
                  "choose 'from', or a longer run");
    return Moments::states(std::move(states));
  }
  std::string element() const { return "'" + table_.name + "'"; }
  /// The column over time, smooth.
  TimeFunction function(int column) const {
    const auto values = table_.values.col(column);
    if (!values.allFinite())
      throw Error(element(),
                  "its column '" + table_.labels[static_cast<size_t>(column)] + "' has a gap",
                  "fill it, or name the others");
    return TimeFunction::Table(table_.times, {values.begin(), values.end()},
                               TimeFunction::Interpolation::cubic, element());
  }

 private:
  MotionTable table_;
};

/// Whether it is to be tracked: if it is named, or if none is and the file has it.
bool is_wanted(const std::vector<std::string>& names, const std::string& name, bool present) {
  return names.empty() ? present : std::find(names.begin(), names.end(), name) != names.end();
}

void require_known(const TrackedFile& file, const std::vector<std::string>& known,
                   const char* what) {
  for (const std::string& name : file.names)
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw Error("objective", fmt::format("the model has no {} '{}'", what, name),
                  suggest(name, known));
}

[[noreturn]] void lacks_column(const TrackedTable& table, const std::string& name) {
  throw Error(table.element(), "has no column for '" + name + "'",
              suggest(name, table.table().labels));
}

using TrackedTerms = std::vector<std::shared_ptr<const LeastSquares>>;

TrackedTerms track_coordinates(const TrackedFile& file, double weight,
                               const std::optional<Moments>& moments, const TaskScope& scope) {
  StorageFile storage = read_storage(file.path);
  const std::vector<Coordinate>& coordinates = scope.system.coordinates();
  std::vector<std::string> known;
  for (const Coordinate& c : coordinates) known.push_back(c.name);
  require_known(file, known, "coordinate");
  to_radians(
      [&](const std::string& label) {
        return std::any_of(coordinates.begin(), coordinates.end(), [&](const Coordinate& c) {
          return c.kind == CoordinateKind::angle &&
                 (label == c.name || label.ends_with("/" + c.name + "/value"));
        });
      },
      storage);
  const TrackedTable table(std::move(storage.table), file.from, scope.end(), moments.has_value());
  const Moments when = moments ? *moments : table.rows(scope, false);
  TrackedTerms out;
  for (size_t k = 0; k < coordinates.size(); ++k) {
    const int column = coordinate_column(table.table(), coordinates[k].name);
    if (!is_wanted(file.names, coordinates[k].name, column >= 0)) continue;
    if (column < 0) lacks_column(table, coordinates[k].name);
    out.push_back(std::make_shared<CoordinateTarget>(
        static_cast<int>(k), CoordinateTarget::Of::value, table.function(column), weight, when));
  }
  if (out.empty())
    throw Error(table.element(), "has no coordinate of the model", "check the names");
  return out;
}

TrackedTerms track_markers(const TrackedFile& file, double weight,
                           const std::optional<Moments>& moments, const TaskScope& scope) {
  const TrackedTable table(read_trc(file.path).table, file.from, scope.end(), moments.has_value());
  const Moments when = moments ? *moments : table.rows(scope, false);
  std::vector<std::string> known;
  for (const OsimMarker& marker : scope.model.look.markers) known.push_back(marker.name);
  require_known(file, known, "marker");
  TrackedTerms out;
  for (const OsimMarker& marker : scope.model.look.markers) {
    const int column = table.table().find(marker.name + "_x");
    if (!is_wanted(file.names, marker.name, column >= 0)) continue;
    if (column < 0) lacks_column(table, marker.name);
    out.push_back(std::make_shared<PointTarget>(
        body_named(marker.body, scope.system.skeleton()), marker.x_B,
        PointTarget::Path{table.function(column), table.function(column + 1),
                          table.function(column + 2)},
        weight, when));
  }
  if (out.empty()) throw Error(table.element(), "has no marker of the model", "check the names");
  return out;
}

TrackedTerms track_reactions(const TrackedFile& file, double weight,
                             const std::optional<Moments>& moments, const TaskScope& scope) {
  const TrackedTable table(read_storage(file.path).table, file.from, scope.end(),
                           moments.has_value());
  const Moments when = moments ? *moments : table.rows(scope, true);
  const std::vector<std::string> known = ReactionTarget::names(scope.system);
  require_known(file, known, "reaction");
  TrackedTerms out;
  for (const std::string& name : known) {
    const int column = table.table().find(name);
    if (!is_wanted(file.names, name, column >= 0)) continue;
    if (column < 0) lacks_column(table, name);
    out.push_back(
        std::make_shared<ReactionTarget>(scope.system, name, table.function(column), weight, when));
  }
  if (out.empty()) throw Error(table.element(), "has no reaction of the model", "check the names");
  return out;
}

}  // namespace

TrackedTerms track_file(const TrackedFile& file, double weight, const std::optional<Moments>& when,
                        const TaskScope& scope) {
  if (file.reactions) return track_reactions(file, weight, when, scope);
  return file.path.extension() == ".trc" ? track_markers(file, weight, when, scope)
                                         : track_coordinates(file, weight, when, scope);
}

}  // namespace sinew
