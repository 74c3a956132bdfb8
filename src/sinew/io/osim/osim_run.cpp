#include "sinew/io/osim/osim_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "sinew/core/error.hpp"
#include "sinew/core/names.hpp"
#include "sinew/io/osim/frames.hpp"
#include "sinew/io/tables/motion_checks.hpp"
#include "sinew/io/tables/storage_file.hpp"

namespace sinew {
namespace {

struct Assignment {
  std::string name;
  double value = 0;
};
Assignment parse(const std::string& text, const char* option) {
  const size_t equals = text.rfind('=');
  Assignment out{text.substr(0, equals), 0};
  const char* end = text.data() + text.size();
  const char* begin = equals == std::string::npos ? end : text.data() + equals + 1;
  const auto [stop, error] = std::from_chars(begin, end, out.value);
  if (error != std::errc() || stop != end || out.name.empty() || !std::isfinite(out.value))
    throw Error(option, "'" + text.substr(0, 100) + "' is not NAME=VALUE", "write knee=0.5");
  return out;
}

std::vector<std::string> muscle_names(const OsimModel& model) {
  std::vector<std::string> out;
  for (const OsimPath& path : model.paths)
    if (path.pulls()) out.push_back(path.path.name);
  return out;
}

bool is_actuator(const OsimModel& model, const std::string& name) {
  return std::any_of(model.actuators.begin(), model.actuators.end(),
                     [&](const OsimActuator& a) { return a.name == name; });
}

/// The muscle that a column of controls belongs to: its name, the end of a path, or, before 4.0,
/// the text before ".excitation".
std::string muscle_of(const std::string& label) {
  std::string name = label;
  for (const char* ending : {".excitation", "/excitation"})
    if (name.ends_with(ending)) name.resize(name.size() - std::string_view(ending).size());
  return last_of_path(name);
}

/// A state by its kind.
void set_state(const std::string& kind, const std::string& name, double value, OsimRun& run) {
  if (kind == "value") run.values[name] = value;
  if (kind == "speed") run.speeds[name] = value;
  if (kind == "activation") run.activations[name] = value;
  if (kind == "fiber_length") run.fibre_lengths[name] = value;
}

}  // namespace

void set_excitation(const std::string& assignment, const OsimModel& model, OsimRun& run) {
  const Assignment a = parse(assignment, "--excitation");
  if (!is_actuator(model, a.name) && (a.value < 0 || a.value > 1))
    throw Error("--excitation", fmt::format("the excitation of '{}' is {:g}", a.name, a.value),
                "give a number from 0 to 1");
  if (a.name == "all")
    run.excitation = a.value;
  else
    run.excitations.insert_or_assign(a.name, a.value);
}

void read_controls(const std::filesystem::path& path, const OsimModel& model, OsimRun& run,
                   std::vector<std::string>& warnings) {
  const StorageFile file = read_storage(path);
  warnings.insert(warnings.end(), file.warnings.begin(), file.warnings.end());
  const std::string element = "'" + path.string() + "'";
  std::vector<std::string> known = muscle_names(model), missing = known;
  for (const OsimActuator& actuator : model.actuators) known.push_back(actuator.name);
  long long outside = 0;
  for (size_t k = 0; k < file.table.labels.size(); ++k) {
    const std::string& label = file.table.labels[k];
    const std::string name = muscle_of(label);
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw Error(element, "its column '" + label + "' is not a muscle or actuator of the model",
                  suggest(name, known));
    std::erase(missing, name);
    const auto column = file.table.values.col(static_cast<Eigen::Index>(k));
    if (!column.allFinite())
      throw Error(element, "its column '" + label + "' has a gap", "fill it");
    if (!is_actuator(model, name)) outside += (column.array() < 0 || column.array() > 1).count();
    const std::vector<double> values(column.begin(), column.end());
    run.excitations.insert_or_assign(
        name, values.size() == 1
                  ? TimeFunction(values[0])
                  : TimeFunction::Table(file.table.times, values,
                                        TimeFunction::Interpolation::linear, element));
  }
  if (!missing.empty())
    warnings.push_back(fmt::format("{}: has no column for {}: their excitation is the default one",
                                   path.string(), fmt::join(missing, ", ")));
  if (outside > 0)
    warnings.push_back(fmt::format("{}: {} excitations are below 0 or above 1 and count as 0 or 1",
                                   path.string(), outside));
}

void set_initial(const std::string& assignment, const OsimModel& model, OsimRun& run) {
  const Assignment a = parse(assignment, "--initial");
  const size_t slash = a.name.rfind('/');
  const std::string kind = slash == std::string::npos ? "value" : a.name.substr(slash + 1);
  const std::string name = last_of_path(a.name.substr(0, slash));
  std::vector<std::string> known;
  if (kind == "value" || kind == "speed")
    for (const OsimCoordinate& c : model.coordinates) known.push_back(c.name);
  else if (kind == "activation" || kind == "fiber_length")
    known = muscle_names(model);
  else
    throw Error("--initial", "'" + a.name + "' is not a state",
                "write NAME, NAME/speed, NAME/activation or NAME/fiber_length");
  if (std::find(known.begin(), known.end(), name) == known.end())
    throw Error("--initial", "the model has no '" + name + "' with a " + kind,
                suggest(name, known));
  if (kind == "activation" && !(a.value >= 0 && a.value <= 1))
    throw Error("--initial", fmt::format("the activation of '{}' is {:g}", name, a.value),
                "give a number from 0 to 1");
  set_state(kind, name, a.value, run);
}

void read_initial_state(const std::filesystem::path& path, const OsimModel& model, OsimRun& run,
                        std::vector<std::string>& warnings) {
  StorageFile file = read_storage(path);
  const auto is_angle = [&](const std::string& label) {
    return std::any_of(
        model.coordinates.begin(), model.coordinates.end(), [&](const OsimCoordinate& c) {
          if (c.kind != CoordinateKind::angle) return false;
          for (const int at :
               {coordinate_column(file.table, c.name), speed_column(file.table, c.name)})
            if (at >= 0 && file.table.labels[static_cast<size_t>(at)] == label) return true;
          return false;
        });
  };
  to_radians(is_angle, file);
  warnings.insert(warnings.end(), file.warnings.begin(), file.warnings.end());
  const std::string element = "'" + path.string() + "'";
  if (file.table.times.empty()) throw Error(element, "has no rows", "give one row of states");
  bool any = false;
  const auto take = [&](int column, const char* kind, const std::string& name) {
    if (column < 0) return false;
    const double value = file.table.values(0, column);
    if (!std::isfinite(value))
      throw Error(element, "has no number for '" + name + "' in its first row", "give one");
    set_state(kind, name, value, run);
    return any = true;
  };
  std::vector<std::string> missing;
  const CoupledCoordinates coupled(model.constraints);
  for (size_t k = 0; k < model.coordinates.size(); ++k) {
    const std::string& name = model.coordinates[k].name;
    const bool follows = coupled.coupling_of(DofIndex(static_cast<int>(k))) != nullptr;
    if (!take(coordinate_column(file.table, name), "value", name) && !follows)
      missing.push_back(name);
    take(speed_column(file.table, name), "speed", name);
  }
  for (const std::string& name : muscle_names(model))
    for (const char* kind : {"activation", "fiber_length"})
      take(muscle_column(file.table, name, kind), kind, name);
  if (!any)
    throw Error(element, "has no state of the model",
                "give columns such as '" + state_names(model).front() + "'");
  if (!missing.empty())
    warnings.push_back(fmt::format("{}: has no column for {}: they start at their defaults",
                                   path.string(), fmt::join(missing, ", ")));
}

void check_start(const std::string& source, const OsimModel& model, const OsimRun& run,
                 std::vector<std::string>& warnings) {
  const MotionTarget target = motion_target(model);
  CoordinateTable table{source, false, {0}, {}};
  table.q.setConstant(1, static_cast<Eigen::Index>(target.coordinates.size()), std::nan(""));
  for (size_t k = 0; k < target.coordinates.size(); ++k)
    if (const auto found = run.values.find(target.coordinates[k].name); found != run.values.end())
      table.q(0, static_cast<Eigen::Index>(k)) = found->second;
  require_plausible(table, target);
  for (std::string& doubt : doubts_of(table, target)) warnings.push_back(std::move(doubt));
}

std::vector<std::string> state_names(const OsimModel& model) {
  std::vector<std::string> out;
  for (const OsimCoordinate& c : model.coordinates)
    for (const char* kind : {"value", "speed"})
      out.push_back("/jointset/" + c.joint + "/" + c.name + "/" + kind);
  for (const std::string& name : muscle_names(model))
    for (const char* kind : {"activation", "fiber_length"})
      out.push_back("/forceset/" + name + "/" + kind);
  return out;
}

}  // namespace sinew
