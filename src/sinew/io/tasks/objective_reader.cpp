#include "sinew/io/tasks/objective_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/core/names.hpp"
#include "sinew/io/json/object_reader.hpp"
#include "sinew/io/tasks/task_keys.hpp"

namespace sinew {
namespace {

/// The moments that the key "at" says: "end", "steps", a time, or times.
struct TaskTimes {
  bool steps = false;
  std::vector<double> times;  ///< [s]; empty: the end

  /// Throws an Error for times that are not those of steps.
  Moments of(const TaskScope& scope) const {
    if (steps) return Moments::steps();
    if (times.empty()) return Moments::end();
    std::vector<int> states;
    for (const double t : times) {
      const double number = std::round(t / scope.run.dt);
      if (!(number >= 0) || !(number <= scope.run.steps) ||
          std::abs(t - number * scope.run.dt) > 1e-6 * scope.run.dt)
        throw Error("objective",
                    fmt::format("there is no state at t = {:g} s: steps of {:g} s end at {:g} s", t,
                                scope.run.dt, scope.end()),
                    "give multiples of the step, up to the end");
      states.push_back(static_cast<int>(number));
    }
    std::sort(states.begin(), states.end());
    states.erase(std::unique(states.begin(), states.end()), states.end());
    return Moments::states(std::move(states));
  }
};

TaskTimes read_task_times(const ObjectReader& in) {
  TaskTimes out;
  if (!in.has("at")) return out;
  const JsonNode& node = in.at("at");
  if (node.type == JsonNode::Type::string)
    out.steps = in.choice("at", {"end", "steps"}) == 1;
  else if (node.type == JsonNode::Type::number)
    out.times = {in.number("at")};
  else
    out.times = in.numbers(node, -1, "at");
  if (node.type == JsonNode::Type::array && out.times.empty())
    in.fail(node.line, "'at' is empty", "give times, or \"end\" or \"steps\"");
  return out;
}

BodyIndex body_named(const std::string& name, const Skeleton& skeleton) {
  std::vector<std::string> names;
  for (int k = 0; k < skeleton.body_count(); ++k) {
    names.push_back(skeleton.body(BodyIndex(k)).name);
    if (names.back() == name) return BodyIndex(k);
  }
  throw Error("objective", "there is no body '" + name + "'", suggest(name, names));
}

int coordinate_named(const std::string& name, const System& system) {
  std::vector<std::string> names;
  for (size_t k = 0; k < system.coordinates().size(); ++k) {
    names.push_back(system.coordinates()[k].name);
    if (names.back() == name) return static_cast<int>(k);
  }
  throw Error("objective", "there is no coordinate '" + name + "' that is free to move",
              suggest(name, names));
}

/// What all objectives of states have.
struct TermOptions {
  double weight;
  TaskTimes when;
};
TermOptions read_term_options(const ObjectReader& in) {
  return {in.positive_or("weight", 1), read_task_times(in)};
}

using MakeTerm = std::function<TaskTerm(const TaskScope&)>;

MakeTerm read_point_objective(const ObjectReader& in) {
  return [options = read_term_options(in), body = in.name("body"),
          point = in.vector3_or("point", Vec3::Zero()),
          target = in.vector3("target")](const TaskScope& scope) -> TaskTerm {
    return {std::make_shared<PointTarget>(body_named(body, scope.system.skeleton()), point, target,
                                          options.weight, options.when.of(scope)),
            nullptr};
  };
}

MakeTerm read_pose_objective(const ObjectReader& in) {
  return [options = read_term_options(in), body = in.name("body"),
          length = in.positive_or("length", 0.1),
          target = in.pose_or_identity("target")](const TaskScope& scope) -> TaskTerm {
    return {std::make_shared<PoseTarget>(body_named(body, scope.system.skeleton()), target, length,
                                         options.weight, options.when.of(scope)),
            nullptr};
  };
}

MakeTerm coordinate_term(const ObjectReader& in, CoordinateTarget::Of of) {
  return [options = read_term_options(in), of, coordinate = in.name("coordinate"),
          target = in.number_or("target", 0)](const TaskScope& scope) -> TaskTerm {
    return {std::make_shared<CoordinateTarget>(coordinate_named(coordinate, scope.system), of,
                                               target, options.weight, options.when.of(scope)),
            nullptr};
  };
}

/// Of a coordinate, or of a point of a body.
MakeTerm read_speed_objective(const ObjectReader& in) {
  if (in.has("coordinate") == in.has("body"))
    in.fail(in.line(), "needs either 'coordinate' or 'body'", "give one of them");
  if (in.has("coordinate")) {
    if (in.has("point"))
      in.fail(in.at("point").line, "a coordinate has no 'point'", "leave it out");
    return coordinate_term(in, CoordinateTarget::Of::rate);
  }
  return [options = read_term_options(in), body = in.name("body"),
          point = in.vector3_or("point", Vec3::Zero()),
          target = in.vector3_or("target", Vec3::Zero())](const TaskScope& scope) -> TaskTerm {
    return {std::make_shared<PointVelocityTarget>(
                scope.system, body_named(body, scope.system.skeleton()), point, target,
                options.weight, options.when.of(scope)),
            nullptr};
  };
}

MakeTerm read_parameters_objective(const ObjectReader& in) {
  return [weight = in.positive_or("weight", 1)](const TaskScope&) -> TaskTerm {
    return {nullptr, std::make_shared<SizeOfParameters>(weight)};
  };
}

}  // namespace

TaskObjective read_task_objective(const SceneContext& context, const JsonNode& node,
                                  size_t number) {
  const std::string fallback = "objective " + std::to_string(number);
  const ObjectKind& kind =
      kind_of_type(ValueReader(context, fallback), node, task_keys::kObjectiveTypes);
  const ObjectReader in(context, node, fallback, kind);
  const std::string type = type_of(kind);
  TaskObjective out;
  out.line = in.line();
  out.name = in.has("name") ? in.name("name") : type;
  const bool of_point = type == "speed" && in.has("body");
  out.unit = type == "coordinate" ? "rad or m" : type == "speed" ? "rad/s or m/s" : "m";
  if (of_point) out.unit = "m/s";
  if (type == "point") out.make = read_point_objective(in);
  if (type == "pose") out.make = read_pose_objective(in);
  if (type == "coordinate") out.make = coordinate_term(in, CoordinateTarget::Of::value);
  if (type == "speed") out.make = read_speed_objective(in);
  if (type == "parameters") {
    out.unit = "";
    out.make = read_parameters_objective(in);
  }
  return out;
}

}  // namespace sinew
