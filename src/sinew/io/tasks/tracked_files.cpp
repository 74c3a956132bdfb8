#include "sinew/io/tasks/tracked_files.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sinew/core/names.hpp"
#include "sinew/io/tables/storage_file.hpp"
#include "sinew/io/tables/trc_file.hpp"

namespace sinew {
namespace {

/// A table of a file whose times are those of the run.
class TrackedTable {
 public:
  TrackedTable(MotionTable table, double from, double end) : table_(std::move(table)) {
    for (double& t : table_.times) t -= from;
    // A hair: rows of files are rounded.
    if (table_.times.front() > 1e-6 || table_.times.back() < end - 1e-6)
      throw Error(element(),
                  fmt::format("is from {:g} to {:g} s of the run, which lasts until {:g} s",
                              table_.times.front(), table_.times.back(), end),
                  "choose 'from', or a shorter run");
  }

  const MotionTable& table() const { return table_; }
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

std::vector<std::shared_ptr<const LeastSquares>> track_coordinates(const TrackedFile& file,
                                                                   double weight,
                                                                   const Moments& when,
                                                                   const TaskScope& scope) {
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
  const TrackedTable table(std::move(storage.table), file.from, scope.end());
  std::vector<std::shared_ptr<const LeastSquares>> out;
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

std::vector<std::shared_ptr<const LeastSquares>> track_markers(const TrackedFile& file,
                                                               double weight, const Moments& when,
                                                               const TaskScope& scope) {
  const TrackedTable table(read_trc(file.path).table, file.from, scope.end());
  std::vector<std::string> known;
  for (const OsimMarker& marker : scope.model.look.markers) known.push_back(marker.name);
  require_known(file, known, "marker");
  std::vector<std::shared_ptr<const LeastSquares>> out;
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

}  // namespace

std::vector<std::shared_ptr<const LeastSquares>> track_file(const TrackedFile& file, double weight,
                                                            const Moments& when,
                                                            const TaskScope& scope) {
  const bool markers = file.path.extension() == ".trc";
  return markers ? track_markers(file, weight, when, scope)
                 : track_coordinates(file, weight, when, scope);
}

}  // namespace sinew
