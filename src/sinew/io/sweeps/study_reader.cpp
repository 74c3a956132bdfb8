#include <algorithm>
#include <array>
#include <bit>
#include <set>

#include "sinew/core/fnv1a.hpp"
#include "sinew/core/names.hpp"
#include "sinew/io/json/assignments.hpp"
#include "sinew/io/models/shipped_files.hpp"
#include "sinew/io/sweeps/point_table.hpp"
#include "sinew/io/sweeps/study.hpp"
#include "sinew/io/sweeps/study_keys.hpp"
#include "sinew/math/infinity.hpp"

namespace sinew {
namespace {

const ShippedFiles kStudies{"study", "studies"};

std::array<double, 2> read_pair(const ObjectReader& in, std::string_view key) {
  const std::vector<double> pair = in.numbers(in.at(key), 2, key);
  return {pair[0], pair[1]};
}

std::array<double, 2> read_range(const ObjectReader& in, std::string_view key) {
  const auto [lower, upper] = read_pair(in, key);
  if (!(lower < upper))
    in.fail(in.at(key).line, "'" + std::string(key) + "' does not ascend",
            "give the lower bound, then the upper one");
  return {lower, upper};
}

Distribution read_normal(const ObjectReader& in) {
  const auto [mean, deviation] = read_pair(in, "normal");
  if (!(deviation > 0))
    in.fail(in.at("normal").line, "the deviation of 'normal' is not positive",
            "give the mean, then the standard deviation");
  Normal out{.mean = mean, .deviation = deviation, .lower = -kInfinity, .upper = kInfinity};
  if (!in.has("bounds")) return out;
  const auto [lower, upper] = read_range(in, "bounds");
  // Farther out too few digits are left of what lies between them.
  if (lower > mean + 30 * deviation || upper < mean - 30 * deviation)
    in.fail(in.at("bounds").line, "'bounds' leave nothing of 'normal'",
            "give bounds near the mean");
  out.lower = lower;
  out.upper = upper;
  return out;
}

Distribution read_distribution(const ObjectReader& in, bool needed) {
  std::string given;
  for (const char* key : {"uniform", "log_uniform", "normal", "values"}) {
    if (!in.has(key)) continue;
    if (!given.empty())
      in.fail(in.at(key).line, "has '" + given + "' and '" + key + "'", "give one of the two");
    given = key;
  }
  if (given.empty() && needed)
    in.fail(in.line(), "has no distribution",
            "give 'uniform', 'log_uniform', 'normal' or 'values'");
  if (!given.empty() && !needed)
    in.fail(in.at(given).line, "has a distribution, and the design is a list of points",
            "leave it out, or choose another design");
  if (in.has("bounds") && given != "normal")
    in.fail(in.at("bounds").line, "'bounds' are for 'normal'", "leave them out");
  if (given == "uniform") {
    const auto [lower, upper] = read_range(in, "uniform");
    return Uniform{lower, upper};
  }
  if (given == "log_uniform") {
    const auto [lower, upper] = read_range(in, "log_uniform");
    if (!(lower > 0))
      in.fail(in.at("log_uniform").line, "the lower bound of 'log_uniform' is not positive",
              "give one above 0, or use 'uniform'");
    return LogUniform{lower, upper};
  }
  if (given == "normal") return read_normal(in);
  if (given == "values") {
    std::vector<double> values = in.numbers(in.at("values"), -1, "values");
    if (values.empty()) in.fail(in.at("values").line, "'values' is empty", "give one or more");
    return Choice{std::move(values)};
  }
  return Uniform{};
}

StudyParameter read_parameter(const SceneContext& context, const JsonNode& node, size_t number,
                              bool needs_distribution) {
  const std::string element = "parameter " + std::to_string(number);
  const ObjectKind& kind =
      kind_of_type(ValueReader(context, element), node, study_keys::kParameterTypes);
  const ObjectReader in(context, node, element, kind);
  StudyParameter out;
  out.line = in.line();
  const std::string type = type_of(kind);
  if (type == "model") {
    out.target = in.string_or("path", "");
    if (out.target.empty() || out.target.find('=') != std::string::npos)
      in.fail(in.at("path").line, "'path' is not one of --set",
              "give it as --set has it, without '=' and value");
  } else if (type == "initial") {
    out.kind = StudyParameter::Kind::initial;
    out.target = in.string_or("state", "");
  } else if (type == "excitation") {
    out.kind = StudyParameter::Kind::excitation;
    out.target = in.name("control");
  } else if (type == "task") {
    out.kind = StudyParameter::Kind::task;
    out.target = in.string_or("unknown", "");
  } else {
    out.kind = StudyParameter::Kind::duration;
    out.target = "duration";
  }
  out.name = in.has("name") ? in.name("name") : out.target;
  out.distribution = read_distribution(in, needs_distribution);
  if (out.kind == StudyParameter::Kind::duration && needs_distribution &&
      !(lowest(out.distribution) > 0))
    in.fail(in.line(), "durations can be 0 or less", "give a distribution above 0");
  return out;
}

StudyResult read_result(const SceneContext& context, const JsonNode& node, size_t number) {
  using Measure = StudyResult::Measure;
  const ObjectReader in(context, node, "result " + std::to_string(number), study_keys::kResult);
  StudyResult out;
  out.line = in.line();
  constexpr std::array<const char*, 3> kOf = {"output", "objective", "gradient"};
  const auto given = std::count_if(kOf.begin(), kOf.end(), [&](auto key) { return in.has(key); });
  if (given != 1)
    in.fail(in.line(), given == 0 ? "names no 'output'" : "names more than one number",
            "give one of 'output', 'objective' and 'gradient'");
  const auto of = std::find_if(kOf.begin(), kOf.end(), [&](auto key) { return in.has(key); });
  out.of = static_cast<StudyResult::Of>(of - kOf.begin());
  out.output = in.string_or(*of, "");
  if (out.output.empty())
    in.fail(in.at(*of).line, std::string("'") + *of + "' is empty", "give a name");
  if (out.of != StudyResult::Of::output) {
    for (const char* key : {"measure", "level"})
      if (in.has(key))
        in.fail(in.at(key).line, std::string("'") + key + "' is for an 'output'", "leave it out");
    out.name = in.has("name") ? in.name("name") : std::string(*of) + "_" + out.output;
    return out;
  }
  out.measure = static_cast<Measure>(in.choice_or("measure", 0, StudyResult::measure_names()));
  const bool crosses = out.measure == Measure::time_of_crossing;
  if (crosses != in.has("level"))
    in.fail(crosses ? in.line() : in.at("level").line,
            crosses ? "has no 'level'" : "'level' is for time-of-crossing",
            crosses ? "say which value the output crosses" : "leave it out");
  if (crosses) out.level = in.number("level");
  out.name = in.has("name") ? in.name("name")
                            : StudyResult::measure_names()[static_cast<size_t>(out.measure)] + "_" +
                                  out.output.substr(out.output.rfind('/') + 1);
  return out;
}

void read_run(const SceneContext& context, const JsonNode& node, Study& out) {
  const ObjectReader in(context, node, "run", study_keys::kRun);
  if (in.has("integrator")) {
    try {
      out.integrator = integrator_from_string(in.string_or("integrator", ""));
    } catch (const Error& error) {
      throw out.located(error, in.at("integrator").line);
    }
  }
  if (in.has("dt")) out.dt = in.positive("dt");
  if (in.has("until")) out.until = in.positive("until");
  if (in.has("accuracy")) out.accuracy = in.positive("accuracy");
  if (in.has("output_interval")) out.output_interval = in.not_negative_or("output_interval", 0);
  if (in.has("most_steps")) out.most_steps = in.count_or("most_steps", 1, 1, 2000000000);
}

std::filesystem::path read_design(const SceneContext& context, const JsonNode& node, Study& out) {
  using Type = DesignOptions::Kind;
  const ObjectReader in(context, node, "design", study_keys::kDesign);
  out.design.kind = static_cast<Type>(in.choice("type", DesignOptions::names()));
  const bool fixed = out.design.kind == Type::grid || out.design.kind == Type::list;
  const std::string& type = DesignOptions::names()[static_cast<size_t>(out.design.kind)];
  for (const char* key : {"runs", "seed"})
    if (fixed && in.has(key))
      in.fail(in.at(key).line, "a " + type + " has no '" + key + "'", "leave it out");
  if (!fixed) {
    in.at("runs");
    out.design.runs = static_cast<std::uint64_t>(in.count_or("runs", 1, 1, 1000000000));
    out.design.seed = static_cast<std::uint64_t>(in.count_or("seed", 1, 0, 2000000000));
  }
  if ((out.design.kind == Type::list) != in.has("file"))
    in.fail(in.has("file") ? in.at("file").line : in.line(),
            in.has("file") ? "'file' is for lists" : "a list has no 'file'",
            in.has("file") ? "leave it out" : "name a table with a column for each parameter");
  if (!in.has("file")) return {};
  const std::filesystem::path file = in.string_or("file", "");
  return file.is_absolute() ? file : context.folder / file;
}

template <class Named>
void require_different_names(const std::vector<Named>& all, const char* what, const Study& study) {
  std::set<std::string> names;
  for (const Named& one : all)
    if (!names.insert(one.name).second)
      throw study.located(
          Error(what, "two have the name '" + one.name + "'", "give one of them another 'name'"),
          one.line);
}

/// The model or the task, and what belongs to it.
void read_base(const ObjectReader& in, Study& out) {
  if (in.has("model") == in.has("task"))
    in.fail(in.has("task") ? in.at("task").line : in.line(),
            in.has("task") ? "has 'model' and 'task'" : "lacks the key 'model'",
            "give a 'model', or a 'task'");
  out.options.set = read_assignments(in, "set", false);
  if (in.has("model")) {
    out.model = read_model_name(in);
    out.options.run.excitations = read_assignments(in, "excitations", true);
    out.options.run.initial = read_assignments(in, "initial", true);
    out.options.mass.source = in.string_or("muscle_mass", "");
    return;
  }
  out.task = read_model_name(in, "task");
  for (const char* key : {"excitations", "initial", "muscle_mass", "run"})
    if (in.has(key))
      in.fail(in.at(key).line, std::string("'") + key + "' is the task's", "write it there");
}

/// Parameters and results that a task has, and those that it does not have.
void require_base(const Study& study) {
  using Of = StudyParameter::Kind;
  const bool task = !study.task.empty();
  for (const StudyParameter& parameter : study.parameters)
    if (parameter.kind != Of::model && task != (parameter.kind == Of::task))
      throw study.located(
          Error("parameter '" + parameter.name + "'",
                task ? "is none of a task" : "is of a task, and the study is of a model",
                task ? "let an unknown of the task vary: \"type\": \"task\""
                     : "choose another 'type', or give a 'task' in place of the 'model'"),
          parameter.line);
  for (const StudyResult& result : study.results)
    if (!task && result.of != StudyResult::Of::output)
      throw study.located(Error("result '" + result.name + "'", "is of a task",
                                "name an 'output', or give a 'task' in place of the 'model'"),
                          result.line);
}

/// What decides the rows.
std::uint64_t hash_of(const Study& study) {
  std::string text;
  const auto add = [&](const std::string& more) { text.append("\n").append(more); };
  const auto number = [](double x) { return std::to_string(std::bit_cast<std::uint64_t>(x)); };
  add(study.model);
  add(study.task);
  for (const auto* list :
       {&study.options.set, &study.options.run.excitations, &study.options.run.initial})
    for (const std::string& one : *list) add(one);
  add(study.options.mass.source);
  add(study.integrator ? to_string(*study.integrator) : "");
  for (const auto& value : {study.dt, study.until, study.accuracy, study.output_interval})
    add(value ? number(*value) : "");
  add(study.most_steps ? std::to_string(*study.most_steps) : "");
  add(DesignOptions::names()[static_cast<size_t>(study.design.kind)]);
  add(std::to_string(study.design.seed));
  if (!study.make_design().grows()) add(std::to_string(study.design.runs));
  for (const double x : study.points) add(number(x));
  for (const StudyParameter& p : study.parameters) {
    add(std::to_string(static_cast<int>(p.kind)) + p.target);
    for (const double u : {0.1, 0.3, 0.5, 0.7, 0.9}) add(number(quantile(p.distribution, u)));
  }
  for (const StudyResult& r : study.results)
    add(r.name + " " + r.output + " " + std::to_string(static_cast<int>(r.of)) + " " +
        std::to_string(static_cast<int>(r.measure)) + " " + number(r.level));
  return fnv1a(text);
}

}  // namespace

const std::vector<std::string>& StudyResult::measure_names() {
  static const std::vector<std::string> kNames = {
      "final", "peak", "least", "mean", "integral", "time-of-peak", "time-of-crossing"};
  return kNames;
}

Error Study::located(const Error& error, int line) const {
  return error.file().empty() ? error.with_location(path.string(), line) : error;
}

Design Study::make_design() const {
  std::vector<Distribution> distributions;
  for (const StudyParameter& parameter : parameters)
    distributions.push_back(parameter.distribution);
  return Design(design, std::move(distributions), points);
}

Study parse_study(std::string_view text, const std::string& source,
                  const std::filesystem::path& folder) {
  SceneContext context;
  context.source = source;
  context.folder = folder;
  const JsonNode root = parse_json(text, source);
  for (const char* other : {"sinew_scene", "sinew_task"})
    if (const JsonNode* key = root.find(other)) {
      const std::string kind = std::string(other).substr(6);
      context.fail(key->line, "file", "is a " + kind + ", not a study",
                   "name it as the '" + (kind == "task" ? kind : "model") + "' of a study");
    }
  const ObjectReader in(context, root, "study", study_keys::kStudy);
  if (in.number("sinew_study") != 1)
    in.fail(in.at("sinew_study").line, "is of a version that is not known", "this reads version 1");
  Study out;
  out.path = source;
  out.name = out.path.stem().string();
  out.title = in.string_or("title", "");
  out.description = in.string_or("description", "");
  out.citation = in.string_or("citation", "");
  read_base(in, out);
  if (const JsonNode* run = in.find("run")) read_run(context, *run, out);
  out.design.runs = 100;
  std::filesystem::path points;
  if (const JsonNode* design = in.find("design")) points = read_design(context, *design, out);
  const bool is_list = out.design.kind == DesignOptions::Kind::list;
  const std::vector<JsonNode>&parameters = in.list("parameters"), &results = in.list("results");
  for (size_t k = 0; k < parameters.size(); ++k)
    out.parameters.push_back(read_parameter(context, parameters[k], k + 1, !is_list));
  for (size_t k = 0; k < results.size(); ++k)
    out.results.push_back(read_result(context, results[k], k + 1));
  if (out.parameters.empty())
    in.fail(in.at("parameters").line, "has no parameters", "say what may vary");
  if (out.results.empty())
    in.fail(in.at("results").line, "has no results", "say what is kept of each run");
  require_different_names(out.parameters, "parameter", out);
  require_different_names(out.results, "result", out);
  require_base(out);
  if (is_list) {
    std::vector<std::string> names;
    for (const StudyParameter& parameter : out.parameters) names.push_back(parameter.name);
    out.points = read_points(points, names);
  }
  try {
    out.make_design();
  } catch (const Error& error) {
    throw out.located(error, in.has("design") ? in.at("design").line : in.line());
  }
  out.content_hash = hash_of(out);
  return out;
}

Study load_study(const std::string& name_or_path) {
  const std::filesystem::path path = kStudies.find(name_or_path);
  return parse_study(read_text_file(path, kLargestScene), path.string(), path.parent_path());
}

std::vector<std::string> study_names() { return kStudies.names(); }

}  // namespace sinew
