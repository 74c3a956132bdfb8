#include "sinew/io/tasks/objective_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/adjoint/force_objectives.hpp"
#include "sinew/adjoint/motion_objectives.hpp"
#include "sinew/core/names.hpp"
#include "sinew/io/json/object_reader.hpp"
#include "sinew/io/tasks/task_keys.hpp"
#include "sinew/io/tasks/tracked_files.hpp"

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
        throw Error(
            "objective",
            fmt::format(
                "no step ends at t = {:g} s: the run has steps of {:g} s and ends at {:g} s", t,
                scope.run.dt, scope.end()),
            "give multiples of the step, up to the end");
      states.push_back(static_cast<int>(number));
    }
    std::sort(states.begin(), states.end());
    states.erase(std::unique(states.begin(), states.end()), states.end());
    return Moments::states(std::move(states));
  }
};

TaskTimes read_task_times(const ObjectReader& in,
                          const std::vector<std::string>& words = {"end", "steps"}) {
  TaskTimes out;
  if (!in.has("at")) return out;
  const JsonNode& node = in.at("at");
  if (node.type == JsonNode::Type::string)
    out.steps = in.choice("at", words) == 1;
  else if (node.type == JsonNode::Type::number)
    out.times = {in.number("at")};
  else
    out.times = in.numbers(node, -1, "at");
  if (node.type == JsonNode::Type::array && out.times.empty())
    in.fail(node.line, "'at' is empty", "give times, or \"end\" or \"steps\"");
  return out;
}

int coordinate_named(const std::string& name, const System& system) {
  std::vector<std::string> names;
  for (size_t k = 0; k < system.coordinates().size(); ++k) {
    names.push_back(system.coordinates()[k].name);
    if (names.back() == name) return static_cast<int>(k);
  }
  throw Error("objective", "'" + name + "' is not a coordinate that is free to move",
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

/// A term of one kind of least squares.
TaskTerm term_of(std::shared_ptr<const LeastSquares> term) { return {{std::move(term)}, nullptr}; }

MakeTerm read_point_objective(const ObjectReader& in) {
  return [options = read_term_options(in), body = in.name("body"),
          point = in.vector3_or("point", Vec3::Zero()),
          target = in.vector3("target")](const TaskScope& scope) {
    return term_of(std::make_shared<PointTarget>(body_named(body, scope.system.skeleton()), point,
                                                 target, options.weight, options.when.of(scope)));
  };
}

MakeTerm read_marker_objective(const ObjectReader& in) {
  return [options = read_term_options(in), name = in.name("marker"),
          target = in.vector3("target")](const TaskScope& scope) {
    std::vector<std::string> names;
    for (const OsimMarker& marker : scope.model.look.markers) {
      if (marker.name == name)
        return term_of(std::make_shared<PointTarget>(
            body_named(marker.body, scope.system.skeleton()), marker.x_B, target, options.weight,
            options.when.of(scope)));
      names.push_back(marker.name);
    }
    throw Error(
        "objective", "'" + name + "' is not a marker of the model",
        names.empty() ? "only OpenSim models have markers: use 'point'" : suggest(name, names));
  };
}

MakeTerm read_pose_objective(const ObjectReader& in) {
  return [options = read_term_options(in), body = in.name("body"),
          length = in.positive_or("length", 0.1),
          target = in.pose_or_identity("target")](const TaskScope& scope) {
    return term_of(std::make_shared<PoseTarget>(body_named(body, scope.system.skeleton()), target,
                                                length, options.weight, options.when.of(scope)));
  };
}

MakeTerm coordinate_term(const ObjectReader& in, CoordinateTarget::Of of) {
  return [options = read_term_options(in), of, coordinate = in.name("coordinate"),
          target = in.number_or("target", 0)](const TaskScope& scope) {
    return term_of(std::make_shared<CoordinateTarget>(coordinate_named(coordinate, scope.system),
                                                      of, target, options.weight,
                                                      options.when.of(scope)));
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
          target = in.vector3_or("target", Vec3::Zero())](const TaskScope& scope) {
    return term_of(std::make_shared<PointVelocityTarget>(
        scope.system, body_named(body, scope.system.skeleton()), point, target, options.weight,
        options.when.of(scope)));
  };
}

MakeTerm read_landing_objective(const ObjectReader& in) {
  return [options = read_term_options(in), body = in.name("body"),
          point = in.vector3_or("point", Vec3::Zero()),
          target = in.vector3("target")](const TaskScope& scope) {
    return term_of(std::make_shared<LandingTarget>(scope.system,
                                                   body_named(body, scope.system.skeleton()), point,
                                                   target, options.weight, options.when.of(scope)));
  };
}

MakeTerm read_energy_objective(const ObjectReader& in) {
  using Of = EnergyTarget::Of;
  static constexpr Of kKinds[] = {Of::kinetic, Of::potential, Of::total};
  return [options = read_term_options(in),
          of = kKinds[in.choice_or("of", 0, {"kinetic", "potential", "total"})],
          target = in.number_or("target", 0)](const TaskScope& scope) {
    return term_of(
        std::make_shared<EnergyTarget>(of, target, options.weight, options.when.of(scope)));
  };
}

MakeTerm read_reaction_objective(const ObjectReader& in) {
  return [options = read_term_options(in), name = in.name("reaction"),
          target = in.number("target")](const TaskScope& scope) {
    return term_of(std::make_shared<ReactionTarget>(scope.system, name, target, options.weight,
                                                    options.when.of(scope)));
  };
}

std::vector<std::string> read_names(const ObjectReader& in, std::string_view key) {
  std::vector<std::string> out;
  for (const JsonNode& node : in.list(key)) out.push_back(in.ValueReader::name(node, key));
  return out;
}

/// One contact or several.
MakeTerm read_contact_objective(const ObjectReader& in) {
  const JsonNode& node = in.at("contact");
  const std::vector<std::string> names = node.type == JsonNode::Type::array
                                             ? read_names(in, "contact")
                                             : std::vector<std::string>{in.name("contact")};
  if (names.empty()) in.fail(node.line, "'contact' is empty", "name a contact");
  return [options = read_term_options(in), names,
          target = in.vector3("target")](const TaskScope& scope) {
    return term_of(std::make_shared<ContactForceTarget>(scope.system, names, target, options.weight,
                                                        options.when.of(scope)));
  };
}

std::filesystem::path tracked_path(const ObjectReader& in) {
  const std::filesystem::path path = in.string_or("file", "");
  return path.is_relative() ? in.context().folder / path : path;
}

MakeTerm read_track_objective(const ObjectReader& in) {
  TrackedFile file{tracked_path(in), read_names(in, "columns"), in.number_or("from", 0)};
  file.reactions = in.choice_or("of", 0, {"motion", "reactions"}) == 1;
  const JsonNode* at = in.find("at");
  if (at != nullptr && at->type == JsonNode::Type::string && at->text == "rows")
    return [file, weight = in.positive_or("weight", 1)](const TaskScope& scope) -> TaskTerm {
      return {track_file(file, weight, std::nullopt, scope), nullptr};
    };
  TermOptions options{in.positive_or("weight", 1), read_task_times(in, {"end", "steps", "rows"})};
  if (at == nullptr) options.when.steps = true;
  return [options, file](const TaskScope& scope) -> TaskTerm {
    return {track_file(file, options.weight, options.when.of(scope), scope), nullptr};
  };
}

/// Of the controls that are named, or of all that are parameters.
MakeTerm read_effort_objective(const ObjectReader& in) {
  return [weight = in.positive_or("weight", 1),
          names = read_names(in, "controls")](const TaskScope& scope) -> TaskTerm {
    std::vector<int> controls;
    for (const std::string& name : names.empty() ? scope.controls : names) {
      if (std::find(scope.controls.begin(), scope.controls.end(), name) == scope.controls.end())
        throw Error("objective", "'" + name + "' is not a control among the parameters",
                    suggest(name, scope.controls));
      controls.push_back(scope.system.controls().find(name));
    }
    if (scope.duration_varies)
      throw Error("objective", "an effort is not differentiated by the duration of the run",
                  "leave one of them out");
    if (controls.empty())
      throw Error("objective", "no control is a parameter, and nothing is an effort",
                  "remove it, or make a control a parameter");
    return {{},
            std::make_shared<ControlEffort>(std::move(controls), weight, scope.run.steps,
                                            scope.run.dt)};
  };
}

MakeTerm read_parameters_objective(const ObjectReader& in) {
  return [weight = in.positive_or("weight", 1),
          start = in.choice_or("from", 0, {"zero", "start"})](const TaskScope& scope) -> TaskTerm {
    return {{}, std::make_shared<SizeOfParameters>(start * scope.first, weight)};
  };
}

struct ObjectiveType {
  std::string_view type, unit;  ///< of what it measures
  MakeTerm (*read)(const ObjectReader&);
};
constexpr ObjectiveType kObjectives[] = {
    {"point", "m", read_point_objective},
    {"marker", "m", read_marker_objective},
    {"pose", "m", read_pose_objective},
    {"coordinate", "rad or m",
     [](const ObjectReader& in) { return coordinate_term(in, CoordinateTarget::Of::value); }},
    {"speed", "", read_speed_objective},
    {"landing", "m", read_landing_objective},
    {"energy", "J", read_energy_objective},
    {"reaction", "N m or N", read_reaction_objective},
    {"contact", "N", read_contact_objective},
    {"track", "rad or m", read_track_objective},
    {"effort", "", read_effort_objective},
    {"parameters", "", read_parameters_objective},
};

}  // namespace

BodyIndex body_named(const std::string& name, const Skeleton& skeleton) {
  std::vector<std::string> names;
  for (int k = 0; k < skeleton.body_count(); ++k) {
    names.push_back(skeleton.body(BodyIndex(k)).name);
    if (names.back() == name) return BodyIndex(k);
  }
  throw Error("objective", "'" + name + "' is not a body of the model", suggest(name, names));
}

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
  for (const ObjectiveType& known : kObjectives)
    if (type == known.type) {
      out.unit = known.unit;
      out.make = known.read(in);
    }
  if (type == "speed") out.unit = in.has("body") ? "m/s" : "rad/s or m/s";
  if (type == "track") out.file = tracked_path(in);
  if (type == "track" && in.has("of") && in.at("of").text == "reactions") out.unit = "N m or N";
  return out;
}

}  // namespace sinew
