#include "sinew/core/fnv1a.hpp"
#include "sinew/io/json/assignments.hpp"
#include "sinew/io/json/object_reader.hpp"
#include "sinew/io/models/shipped_files.hpp"
#include "sinew/io/tasks/objective_reader.hpp"
#include "sinew/io/tasks/task_keys.hpp"

namespace sinew {
namespace {

constexpr int kMostKnots = 100000;
constexpr int kMostCubicKnots = 1000;  // each depends on all others
const ShippedFiles kTasks{"task", "tasks"};

std::vector<double> read_values(const ObjectReader& in, bool several) {
  if (!in.has("value")) return {};
  const JsonNode& node = in.at("value");
  if (several && node.type == JsonNode::Type::array) {
    std::vector<double> out = in.numbers(node, -1, "value");
    if (out.empty()) in.fail(node.line, "'value' has no numbers", "give one for each knot");
    return out;
  }
  return {in.number("value")};
}

void read_limits(const ObjectReader& in, TaskParameter& out) {
  out.scale = in.positive_or("scale", 1);
  if (in.has("lower")) out.lower = in.number("lower");
  if (in.has("upper")) out.upper = in.number("upper");
  if (out.lower && out.upper && !(*out.lower < *out.upper))
    in.fail(in.at("upper").line, "'upper' is not above 'lower'", "give a range to search in");
}

void read_knots(const ObjectReader& in, TaskParameter& out) {
  using Interpolation = TimeFunction::Interpolation;
  constexpr Interpolation kKinds[] = {Interpolation::step, Interpolation::linear,
                                      Interpolation::cubic};
  out.interpolation = kKinds[in.choice_or("interpolation", 1, {"step", "linear", "cubic"})];
  const auto check_count = [&](size_t count) {
    if (out.interpolation == Interpolation::cubic && count > kMostCubicKnots)
      in.fail(in.at("knots").line, "has " + std::to_string(count) + " cubic knots",
              "give at most 1000, or join them linearly");
  };
  if (!in.has("knots")) {
    if (in.has("interpolation"))
      in.fail(in.at("interpolation").line, "a constant has no 'interpolation'", "give 'knots'");
    return;
  }
  const JsonNode& node = in.at("knots");
  if (node.type == JsonNode::Type::number) {
    out.even_knots = in.count_or("knots", 0, 2, kMostKnots);
    check_count(static_cast<size_t>(out.even_knots));
    return;
  }
  out.knots = in.numbers(node, -1, "knots");
  if (out.knots.empty() || out.knots.size() > kMostKnots)
    in.fail(node.line, "'knots' are not from 1 to 100000", "give times, or their number");
  check_count(out.knots.size());
  for (size_t k = 1; k < out.knots.size(); ++k)
    if (!(out.knots[k] > out.knots[k - 1]))
      in.fail(node.line, "'knots' do not ascend", "sort them, and give each time once");
}

/// One parameter of each control that is named.
void read_control_parameter(const ObjectReader& in, std::vector<TaskParameter>& out) {
  TaskParameter parameter;
  parameter.kind = TaskParameter::Kind::control;
  parameter.line = in.line();
  read_knots(in, parameter);
  read_limits(in, parameter);
  if (const JsonNode* value = in.find("value");
      value != nullptr && value->type == JsonNode::Type::string) {
    in.choice("value", {"hold"});
    parameter.hold = true;
  } else {
    parameter.values = read_values(in, true);
  }
  const JsonNode& names = in.at("control");
  if (names.type != JsonNode::Type::array) {
    parameter.name = in.name("control");
    out.push_back(parameter);
    return;
  }
  if (names.items.empty()) in.fail(names.line, "'control' is empty", "name a control");
  for (const JsonNode& name : names.items) {
    parameter.name = in.ValueReader::name(name, "control");
    out.push_back(parameter);
  }
}

void read_task_parameter(const SceneContext& context, const JsonNode& node, size_t number,
                         std::vector<TaskParameter>& out) {
  const std::string element = "parameter " + std::to_string(number);
  const ObjectKind& kind =
      kind_of_type(ValueReader(context, element), node, task_keys::kParameterTypes);
  const ObjectReader in(context, node, element, kind);
  if (type_of(kind) == "control") {
    read_control_parameter(in, out);
    return;
  }
  TaskParameter parameter;
  parameter.line = in.line();
  if (type_of(kind) == "initial") {
    parameter.kind = TaskParameter::Kind::initial;
    parameter.name = in.string_or("state", "");
  } else if (type_of(kind) == "model") {
    parameter.kind = TaskParameter::Kind::model;
    parameter.name = in.string_or("path", "");
    if (parameter.name.find('=') != std::string::npos)
      in.fail(in.at("path").line, "'path' has a '='", "give the value as 'value'");
  } else {
    parameter.kind = TaskParameter::Kind::duration;
    parameter.name = "duration";
  }
  parameter.values = read_values(in, false);
  read_limits(in, parameter);
  out.push_back(parameter);
}

void read_task_run(const SceneContext& context, const JsonNode& node, Task& out) {
  const ObjectReader in(context, node, "run", task_keys::kRun);
  if (in.has("integrator")) {
    const std::vector<std::string> names = {"bdf1", "sdirk2", "bdf2"};
    constexpr Integrator kKinds[] = {Integrator::bdf1, Integrator::sdirk2, Integrator::bdf2};
    out.integrator = kKinds[in.choice("integrator", names)];
  }
  if (in.has("dt")) out.dt = in.positive("dt");
  if (in.has("until")) out.until = in.positive("until");
  if (in.has("newton_tolerance")) out.newton_tolerance = in.positive("newton_tolerance");
  out.checkpoints = in.boolean_or("checkpoints", false);
}

void read_optimizer(const SceneContext& context, const JsonNode& node, Task& out) {
  const ObjectReader in(context, node, "optimizer", task_keys::kOptimizer);
  const size_t method = in.choice_or("method", 0, Task::method_names());
  out.optimizer.method = static_cast<Task::Optimizer::Method>(method);
  out.optimizer.intervals = in.count_or("intervals", out.optimizer.intervals, 2, 10000);
  out.optimizer.deviation = in.positive_or("deviation", out.optimizer.deviation);
  out.optimizer.seed = in.count_or("seed", out.optimizer.seed, 1, 1000000);
  out.optimizer.evaluations = in.count_or("evaluations", out.optimizer.evaluations, 1, 1000000);
  out.optimizer.gradient_tolerance =
      in.not_negative_or("gradient_tolerance", out.optimizer.gradient_tolerance);
  out.optimizer.value_tolerance =
      in.not_negative_or("value_tolerance", out.optimizer.value_tolerance);
}

}  // namespace

const std::vector<std::string>& Task::method_names() {
  static const std::vector<std::string> kNames = {"l-bfgs", "cma-es", "levenberg-marquardt",
                                                  "multiple-shooting"};
  return kNames;
}

Error Task::located(const Error& error, int line) const {
  return error.file().empty() ? error.with_location(path.string(), line) : error;
}

Task parse_task(std::string_view text, const std::string& source,
                const std::filesystem::path& folder) {
  SceneContext context;
  context.source = source;
  context.folder = folder;
  const JsonNode root = parse_json(text, source);
  if (const JsonNode* scene = root.find("sinew_scene"))
    context.fail(scene->line, "file", "is a scene, not a task",
                 "name it as the 'model' of a task, or use `sinew simulate`");
  const ObjectReader in(context, root, "task", task_keys::kTask);
  if (in.number("sinew_task") != 1)
    in.fail(in.at("sinew_task").line, "is of a version that is not known", "this reads version 1");
  Task out;
  out.path = source;
  out.name = out.path.stem().string();
  out.content_hash = fnv1a(text);
  out.title = in.string_or("title", "");
  out.description = in.string_or("description", "");
  out.citation = in.string_or("citation", "");
  out.model = read_model_name(in);
  out.options.set = read_assignments(in, "set", false);
  out.options.run.excitations = read_assignments(in, "excitations", true);
  out.options.run.initial = read_assignments(in, "initial", true);
  const bool is_scene = !out.model.ends_with(".osim");
  out.options.smooth_paths = in.boolean_or("smooth_paths", false);
  if (out.options.smooth_paths && is_scene)
    in.fail(in.at("smooth_paths").line, "is for OpenSim models",
            "set the scene's muscles.wrap_model");
  if (in.boolean_or("blended_activation", false)) {
    // Of a scene it is one of its own keys, which `sinew simulate --set` knows, too.
    if (!is_scene)
      out.options.blended_activation = true;
    else
      out.options.set.push_back("muscles.activation_law=blended");
  }
  if (const JsonNode* run = in.find("run")) read_task_run(context, *run, out);
  if (const JsonNode* optimizer = in.find("optimizer")) read_optimizer(context, *optimizer, out);
  const std::vector<JsonNode>&parameters = in.list("parameters"),
        &objectives = in.list("objectives");
  for (size_t k = 0; k < parameters.size(); ++k)
    read_task_parameter(context, parameters[k], k + 1, out.parameters);
  for (size_t k = 0; k < objectives.size(); ++k)
    out.objectives.push_back(read_task_objective(context, objectives[k], k + 1));
  if (out.parameters.empty())
    in.fail(in.at("parameters").line, "has no parameters", "say what may change");
  if (out.objectives.empty())
    in.fail(in.at("objectives").line, "has no objectives", "say what the run is judged by");
  return out;
}

Task load_task(const std::string& name_or_path) {
  const std::filesystem::path path = kTasks.find(name_or_path);
  return parse_task(read_text_file(path, kLargestScene), path.string(), path.parent_path());
}

std::filesystem::path task_folder() { return kTasks.folder(); }
std::vector<std::string> task_names() { return kTasks.names(); }

}  // namespace sinew
