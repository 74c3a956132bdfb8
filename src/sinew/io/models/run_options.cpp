#include "sinew/io/models/run_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "sinew/core/error.hpp"
#include "sinew/core/names.hpp"
#include "sinew/io/osim/osim_model.hpp"
#include "sinew/io/scene/scene.hpp"
#include "sinew/io/tables/motion_checks.hpp"
#include "sinew/io/tables/storage_file.hpp"
#include "sinew/muscles/muscle_element.hpp"

namespace sinew {
namespace {

struct Assignment {
  std::string name;
  double value = 0;
};
Assignment parse_assignment(const std::string& text, const char* option) {
  const size_t equals = text.rfind('=');
  Assignment out{text.substr(0, equals), 0};
  const char* end = text.data() + text.size();
  const char* begin = equals == std::string::npos ? end : text.data() + equals + 1;
  const auto [stop, error] = std::from_chars(begin, end, out.value);
  if (error != std::errc() || stop != end || out.name.empty() || !std::isfinite(out.value))
    throw Error(option, "'" + text.substr(0, 100) + "' is no NAME=VALUE", "write knee=0.5");
  return out;
}

bool is_file(const std::string& text) {
  return text.find('=') == std::string::npos || text.ends_with(".sto") || text.ends_with(".mot");
}

template <class List>
std::vector<std::string> names_of(const List& list) {
  std::vector<std::string> out;
  for (const auto& item : list) out.push_back(item.name);
  return out;
}

/// The control that a user or a column names: by its name, the end of a path, or, before 4.0, what
/// stands before ".excitation". Null where there is none.
const Control* find_control(const ModelInputs& inputs, std::string name) {
  const auto find = [&](const std::string& wanted) {
    const auto found = std::find_if(inputs.controls.begin(), inputs.controls.end(),
                                    [&](const Control& c) { return c.name == wanted; });
    return found == inputs.controls.end() ? nullptr : &*found;
  };
  if (const Control* found = find(name)) return found;
  for (const char* ending : {".excitation", "/excitation"})
    if (name.ends_with(ending)) name.resize(name.size() - std::string_view(ending).size());
  return find(name.substr(name.rfind('/') + 1));
}

/// Starts the state of that kind elsewhere.
void set_state(const std::string& kind, const std::string& name, double value, RunStart& run) {
  if (kind == "value") run.values[name] = value;
  if (kind == "speed") run.speeds[name] = value;
  if (kind == "activation") run.activations[name] = value;
  if (kind == "fiber_length") run.fibre_lengths[name] = value;
}

/// Throws an Error where the muscle's state is not its own to set.
void require_own_state(const ModelInputs::HillState& muscle, const std::string& kind) {
  if (kind == "activation" && muscle.immediate)
    throw Error("--initial", "the activation of '" + muscle.name + "' is its excitation",
                "set that, by --excitation");
  if (kind == "fiber_length" && muscle.rigid_tendon)
    throw Error("--initial",
                "the fibre length of '" + muscle.name +
                    "' follows from its path: its tendon is "
                    "rigid",
                "leave it out");
}

/// A column of a muscle's state, under any of its names.
int state_column(const MotionTable& table, const std::string& muscle, const std::string& kind) {
  const int own = muscle_column(table, muscle, kind);
  const char* ending = kind == "activation" ? "_activation" : "_fibre_length";
  return own >= 0 ? own : table.find(muscle + ending);
}

}  // namespace

ModelInputs inputs_of(const OsimModel& model) {
  ModelInputs out;
  out.target = motion_target(model);
  for (const OsimPath& path : model.paths) {
    if (!path.pulls()) continue;
    out.controls.push_back({path.path.name, ControlKind::excitation});
    out.muscles.push_back({path.path.name, path.hill->immediate, path.hill->muscle.rigid_tendon});
  }
  for (const OsimActuator& actuator : model.actuators)
    if (actuator.applies) out.controls.push_back({actuator.name, ControlKind::actuator});
  return out;
}

ModelInputs inputs_of(const Scene& scene) {
  const System& system = scene.system;
  ModelInputs out;
  out.target = motion_target(scene);
  for (const ControlSchedule::Entry& entry : system.controls().entries())
    out.controls.push_back(entry.control);
  for (const size_t k : system.hill_muscles()) {
    const Muscle& muscle = system.muscles()[k]->muscle();
    out.muscles.push_back({muscle.name, muscle.hill->immediate, muscle.hill->muscle.rigid_tendon});
  }
  for (const Coordinate& c : system.all_coordinates()) out.dependent.insert(c.name);
  for (const Coordinate& c : system.coordinates()) out.dependent.erase(c.name);
  return out;
}

RunStart read_run_start(const RunOptions& options, const ModelInputs& inputs,
                        std::vector<std::string>& warnings) {
  RunStart run;
  if (!options.controls.empty()) read_controls(options.controls, inputs, run, warnings);
  for (const std::string& excitation : options.excitations) set_excitation(excitation, inputs, run);
  for (const std::string& initial : options.initial)
    if (is_file(initial)) read_initial_state(initial, inputs, run, warnings);
  for (const std::string& initial : options.initial)
    if (!is_file(initial)) set_initial(initial, inputs, run);
  const bool one_file = options.initial.size() == 1 && is_file(options.initial[0]);
  check_start(one_file ? options.initial[0] : "--initial", inputs, run, warnings);
  return run;
}

void set_excitation(const std::string& assignment, const ModelInputs& inputs, RunStart& run) {
  const Assignment a = parse_assignment(assignment, "--excitation");
  const Control* control = find_control(inputs, a.name);
  const bool all = control == nullptr && a.name == "all";
  if (control == nullptr && !all)
    throw Error("--excitation", "'" + a.name + "' is not a muscle or actuator that can be driven",
                suggest(a.name, names_of(inputs.controls)));
  if (all && inputs.muscles.empty())
    throw Error("--excitation", "the model has no muscles with an excitation",
                "name the control to set: " + suggest("", names_of(inputs.controls)));
  const ControlKind kind = all ? ControlKind::excitation : control->kind;
  if (kind == ControlKind::excitation && (a.value < 0 || a.value > 1))
    throw Error("--excitation", fmt::format("that of '{}' is {:g}", a.name, a.value),
                "give a number from 0 to 1");
  if (kind == ControlKind::tension && a.value < 0)
    throw Error("--excitation", fmt::format("the tension of '{}' is {:g} N", a.name, a.value),
                "give zero or more: muscles do not push");
  if (all)
    run.excitation = a.value;
  else
    run.controls.insert_or_assign(control->name, a.value);
}

void read_controls(const std::filesystem::path& path, const ModelInputs& inputs, RunStart& run,
                   std::vector<std::string>& warnings) {
  const StorageFile file = read_storage(path);
  warnings.insert(warnings.end(), file.warnings.begin(), file.warnings.end());
  const std::string element = "'" + path.string() + "'";
  if (file.table.times.empty()) throw Error(element, "has no rows", "give one row of excitations");
  std::vector<std::string> missing = names_of(inputs.muscles);
  long long outside = 0;
  for (size_t k = 0; k < file.table.labels.size(); ++k) {
    const std::string& label = file.table.labels[k];
    const Control* control = find_control(inputs, label);
    if (control == nullptr)
      throw Error(element, "its column '" + label + "' is not a muscle or actuator of the model",
                  suggest(label.substr(label.rfind('/') + 1), names_of(inputs.controls)));
    std::erase(missing, control->name);
    const auto column = file.table.values.col(static_cast<Eigen::Index>(k));
    if (!column.allFinite())
      throw Error(element, "its column '" + label + "' has a gap", "fill it");
    if (control->kind == ControlKind::tension && column.minCoeff() < 0)
      throw Error(element, "its column '" + label + "' has a tension below zero",
                  "give zero or more: muscles do not push");
    if (control->kind == ControlKind::excitation)
      outside += (column.array() < 0 || column.array() > 1).count();
    const std::vector<double> values(column.begin(), column.end());
    run.controls.insert_or_assign(
        control->name, values.size() == 1 ? TimeFunction(values[0])
                                          : TimeFunction::Table(file.table.times, values,
                                                                file.interpolation, element));
  }
  if (!missing.empty())
    warnings.push_back(fmt::format("{}: has no column for {}: their excitation is the default one",
                                   path.string(), fmt::join(missing, ", ")));
  if (outside > 0)
    warnings.push_back(fmt::format("{}: {} excitations are below 0 or above 1 and count as 0 or 1",
                                   path.string(), outside));
}

void set_initial(const std::string& assignment, const ModelInputs& inputs, RunStart& run) {
  const Assignment a = parse_assignment(assignment, "--initial");
  const size_t slash = a.name.rfind('/');
  std::string kind = slash == std::string::npos ? "value" : a.name.substr(slash + 1);
  if (kind == "fibre_length") kind = "fiber_length";
  const std::string path = a.name.substr(0, slash), name = path.substr(path.rfind('/') + 1);
  const bool of_muscle = kind == "activation" || kind == "fiber_length";
  if (!of_muscle && kind != "value" && kind != "speed")
    throw Error("--initial", "'" + a.name + "' is not a state",
                "write NAME, NAME/speed, NAME/activation or NAME/fiber_length");
  if (!of_muscle && inputs.dependent.contains(name))
    throw Error("--initial", "the coordinate '" + name + "' depends on others",
                suggest(name, names_of(inputs.target.coordinates)));
  const std::vector<std::string> known =
      of_muscle ? names_of(inputs.muscles) : names_of(inputs.target.coordinates);
  const auto found = std::find(known.begin(), known.end(), name);
  if (found == known.end())
    throw Error("--initial", "the model has no '" + name + "' with a " + kind,
                suggest(name, known));
  if (of_muscle)
    require_own_state(inputs.muscles[static_cast<size_t>(found - known.begin())], kind);
  if (kind == "activation" && !(a.value >= 0 && a.value <= 1))
    throw Error("--initial", fmt::format("the activation of '{}' is {:g}", name, a.value),
                "give a number from 0 to 1");
  set_state(kind, name, a.value, run);
}

void read_initial_state(const std::filesystem::path& path, const ModelInputs& inputs, RunStart& run,
                        std::vector<std::string>& warnings) {
  const std::vector<Coordinate>& coordinates = inputs.target.coordinates;
  StorageFile file = read_storage(path);
  const auto is_angle = [&](const std::string& label) {
    return std::any_of(coordinates.begin(), coordinates.end(), [&](const Coordinate& c) {
      if (c.kind != CoordinateKind::angle) return false;
      for (const int at : {coordinate_column(file.table, c.name), speed_column(file.table, c.name)})
        if (at >= 0 && file.table.labels[static_cast<size_t>(at)] == label) return true;
      return false;
    });
  };
  to_radians(is_angle, file);
  warnings.insert(warnings.end(), file.warnings.begin(), file.warnings.end());
  const std::string element = "'" + path.string() + "'";
  if (file.table.times.empty()) throw Error(element, "has no rows", "give one row of states");
  bool any_coordinate = false, any_muscle = false;
  const auto take = [&](int column, const char* kind, const std::string& name) {
    if (column < 0) return false;
    const double value = file.table.values(0, column);
    if (!std::isfinite(value))
      throw Error(element, "has no number for '" + name + "' in its first row", "give one");
    set_state(kind, name, value, run);
    return true;
  };
  std::vector<std::string> missing;
  for (size_t k = 0; k < coordinates.size(); ++k) {
    const std::string& name = coordinates[k].name;
    const DofIndex dof(static_cast<int>(k));
    if (take(coordinate_column(file.table, name), "value", name))
      any_coordinate = true;
    else if (inputs.target.coupled.coupling_of(dof) == nullptr)
      missing.push_back(name);
    any_coordinate |= take(speed_column(file.table, name), "speed", name);
  }
  for (const ModelInputs::HillState& muscle : inputs.muscles)
    for (const char* kind : {"activation", "fiber_length"})
      any_muscle |= take(state_column(file.table, muscle.name, kind), kind, muscle.name);
  if (!any_coordinate && !any_muscle)
    throw Error(element, "has no state of the model",
                "give columns such as '" + coordinates.front().name + "'");
  if (any_coordinate && !missing.empty())
    warnings.push_back(fmt::format("{}: has no column for {}: they start at their defaults",
                                   path.string(), fmt::join(missing, ", ")));
}

void check_start(const std::string& source, const ModelInputs& inputs, const RunStart& run,
                 std::vector<std::string>& warnings) {
  const MotionTarget& target = inputs.target;
  CoordinateTable table{source, false, {0}, {}};
  table.q.setConstant(1, static_cast<Eigen::Index>(target.coordinates.size()), std::nan(""));
  for (size_t k = 0; k < target.coordinates.size(); ++k)
    if (const auto found = run.values.find(target.coordinates[k].name); found != run.values.end())
      table.q(0, static_cast<Eigen::Index>(k)) = found->second;
  require_plausible(table, target);
  for (std::string& doubt : doubts_of(table, target)) warnings.push_back(std::move(doubt));
}

}  // namespace sinew
