#include "sinew/io/tasks/task_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "sinew/core/names.hpp"
#include "sinew/muscles/muscle_element.hpp"

namespace sinew {
namespace {

using Interpolation = TimeFunction::Interpolation;
using nlohmann::json;

constexpr int kSamplesPerStep = 4;

/// Reads p from one of the forms of a file of parameters.
class ParameterReader {
 public:
  ParameterReader(std::string file, const TaskProblem& problem)
      : file_(std::move(file)), problem_(problem), p_(problem.start()) {}

  VecX read(const json& root) {
    const json& given = root.is_object() && root.contains("parameters") ? root["parameters"] : root;
    const bool named = given.is_array() && !given.empty() && given[0].is_object();
    if (given.is_object()) {
      for (const auto& [name, value] : given.items()) set_named(name, value);
    } else if (named) {
      for (const json& item : given) {
        if (!item.is_object() || !item.contains("name") || !item["name"].is_string() ||
            !item.contains("value"))
          fail("has an entry without 'name' and 'value'", "give both");
        set_named(item["name"], item["value"]);
      }
    } else if (given.is_array()) {
      if (given.size() != problem_.unknowns().size())
        fail(fmt::format("has {} numbers for {} parameters", given.size(),
                         problem_.unknowns().size()),
             "give one for each, in the order of `sinew gradient`");
      for (size_t k = 0; k < given.size(); ++k) set(k, given[k]);
    } else {
      fail("is neither a list nor an object", "give the parameters as one of them");
    }
    return p_;
  }

 private:
  [[noreturn]] void fail(const std::string& problem, const std::string& remedy) const {
    throw Error("parameters '" + file_ + "'", problem, remedy);
  }
  void set(size_t k, const json& value) {
    const TaskProblem::Unknown& u = problem_.unknowns()[k];
    if (!value.is_number() || !std::isfinite(value.get<double>()))
      fail("the value of '" + u.name + "' is not a number", "give one");
    const double x = value.get<double>();
    // Multiples of scales are rounded: an optimum at its limit may be read as a hair beyond it.
    const double hair = 1e-12 * (std::abs(x) + u.scale);
    if (x < u.lower - hair || x > u.upper + hair)
      fail(fmt::format("'{}' is {:.10g}, outside its limits {:g} to {:g}", u.name, x, u.lower,
                       u.upper),
           "give a value within them, or the task wider limits");
    p_[static_cast<Eigen::Index>(k)] = x / u.scale;
  }
  void set_named(const std::string& name, const json& value) {
    std::vector<std::string> names;
    for (size_t k = 0; k < problem_.unknowns().size(); ++k) {
      names.push_back(problem_.unknowns()[k].name);
      if (names.back() == name) {
        set(k, value);
        return;
      }
    }
    fail("'" + name + "' is not a parameter of the task", suggest(name, names));
  }

  std::string file_;
  const TaskProblem& problem_;
  VecX p_;
};

/// The times at which controls are written, and how they are joined. `stretch`: of the duration.
void choose_rows(const TaskProblem& problem, double stretch, ControlTable& out) {
  std::vector<size_t> changing;
  for (size_t k = 0; k < problem.task().parameters.size(); ++k)
    if (problem.knots(k).size() > 1) changing.push_back(k);
  out.table.times = {0};
  if (changing.empty()) return;
  const auto interpolation = [&](size_t k) { return problem.task().parameters[k].interpolation; };
  const bool alike = std::all_of(changing.begin(), changing.end(), [&](size_t k) {
    return problem.knots(k) == problem.knots(changing[0]) &&
           interpolation(k) == interpolation(changing[0]);
  });
  const bool linear = std::all_of(changing.begin(), changing.end(), [&](size_t k) {
    return interpolation(k) == Interpolation::linear;
  });
  std::set<double> times;
  if (alike || linear) {
    out.interpolation = interpolation(changing[0]);
    for (const size_t k : changing)
      for (const double t : problem.knots(k)) times.insert(t * stretch);
  } else {
    out.exact = false;
    const int rows = kSamplesPerStep * problem.settings().steps;
    for (int i = 0; i <= rows; ++i)
      times.insert(stretch * problem.settings().dt * i / kSamplesPerStep);
  }
  out.table.times.assign(times.begin(), times.end());
}

}  // namespace

VecX read_parameter_file(const std::filesystem::path& path, const TaskProblem& problem) {
  const json root = json::parse(read_text_file(path, kLargestScene), nullptr, false);
  if (root.is_discarded())
    throw Error("parameters '" + path.string() + "'", "are not JSON",
                "give a list of numbers, or an object of names and numbers");
  return ParameterReader(path.string(), problem).read(root);
}

std::optional<ControlTable> control_table(const TaskProblem& problem, const VecX& p) {
  const RunStart start = problem.run_start(p);
  ControlTable out;
  for (const TaskParameter& parameter : problem.task().parameters)
    if (parameter.kind == TaskParameter::Kind::control) out.table.labels.push_back(parameter.name);
  if (out.table.labels.empty()) return std::nullopt;
  choose_rows(problem, problem.step(p) / problem.settings().dt, out);
  out.table.values.resize(static_cast<Eigen::Index>(out.table.times.size()),
                          static_cast<Eigen::Index>(out.table.labels.size()));
  for (Eigen::Index column = 0; column < out.table.values.cols(); ++column) {
    const TimeFunction& f = start.controls.at(out.table.labels[static_cast<size_t>(column)]);
    for (Eigen::Index row = 0; row < out.table.values.rows(); ++row)
      out.table.values(row, column) = f.derivatives(out.table.times[static_cast<size_t>(row)])[0];
  }
  return out;
}

MotionTable initial_table(const TaskProblem& problem, const VecX& p) {
  SystemEdit edit;
  edit.start = problem.run_start(p);
  const System system = load_model(problem.task().model, problem.options(p)).build(edit);
  const State state = initial_state(system, problem.settings().step);
  MotionTable out;
  out.times = {0};
  std::vector<double> values;
  const auto add = [&](const std::string& label, double value) {
    out.labels.push_back(label);
    values.push_back(value);
  };
  for (size_t k = 0; k < system.coordinates().size(); ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    add(system.coordinates()[k].name, state.q[i]);
    add(system.coordinates()[k].name + "_u", state.qdot[i]);
  }
  for (const auto& [name, activation] : edit.start->activations)
    add(name + "_activation", activation);
  for (const auto& [name, length] : edit.start->fibre_lengths) add(name + "_fibre_length", length);
  out.values = Eigen::Map<const MatX>(values.data(), 1, static_cast<Eigen::Index>(values.size()));
  return out;
}

}  // namespace sinew
