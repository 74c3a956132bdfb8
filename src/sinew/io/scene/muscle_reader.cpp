#include "sinew/io/scene/muscle_reader.hpp"

#include <fmt/format.h>

#include "sinew/io/scene/element_lookup.hpp"
#include "sinew/io/scene/function_reader.hpp"
#include "sinew/io/scene/hill_reader.hpp"

namespace sinew {
namespace {

constexpr size_t kMostMuscles = 10000;

/// The options of a muscle: its own take precedence over the scene's defaults.
class OptionReader {
 public:
  OptionReader(const ObjectReader& own, const ObjectReader& common) : own_(own), common_(common) {}

  /// The object that has the key.
  const ObjectReader& of(std::string_view key) const { return own_.has(key) ? own_ : common_; }
  const ObjectReader& own() const { return own_; }
  const ObjectReader& common() const { return common_; }

 private:
  const ObjectReader &own_, &common_;
};

MaterialMap read_material(const OptionReader& options) {
  for (const ObjectReader* in : {&options.own(), &options.common()}) {
    if (in->has("belly") && in->has("tendons"))
      in->fail(in->at("tendons").line, "has both 'belly' and 'tendons'",
               "give the belly as fractions of the path, or the tendons' lengths");
    if (in->has("belly")) {
      const std::vector<double> belly = in->numbers(in->at("belly"), 2, "belly");
      if (!(0 <= belly[0] && belly[0] < belly[1] && belly[1] <= 1))
        in->fail(in->at("belly").line, "'belly' is not a part of the path",
                 "give fractions 0 ≤ begin < end ≤ 1");
      return MaterialMap::Uniform(belly[0], belly[1]);
    }
    if (in->has("tendons")) {
      const std::vector<double> tendons =
          in->numbers(in->at("tendons"), 2, "tendons", in->context().units.length);
      if (!(tendons[0] >= 0 && tendons[1] >= 0))
        in->fail(in->at("tendons").line, "a tendon has a negative length", "give zero or more");
      return MaterialMap::Tendons(tendons[0], tendons[1]);
    }
  }
  return {};
}

std::vector<MassRegion> read_profile(const ObjectReader& in, double mass) {
  const JsonNode* node = in.find("profile");
  if (node == nullptr) return mass_regions(MassProfile::uniform, mass);
  if (node->type == JsonNode::Type::string) {
    const size_t choice = in.choice("profile", {"uniform", "parabolic"});
    return mass_regions(choice == 1 ? MassProfile::parabolic : MassProfile::uniform, mass);
  }
  const ObjectReader table(in.context(), *node, in.element(), scene_keys::kMassTable);
  try {
    return mass_regions(table.numbers(table.at("fractions"), -1, "fractions"),
                        table.numbers(table.at("densities"), -1, "densities"), mass, in.element());
  } catch (const Error& error) {
    throw in.context().located(error, node->line);
  }
}

/// Muscles pull: a tension is not negative at the start, at the entries of a table, and where the
/// formula changes.
void require_pull(const ObjectReader& in, const JsonNode& node, const TimeFunction& tension) {
  std::vector<double> times = tension.breakpoints();
  times.push_back(0);
  if (const JsonNode* entries = node.find("times"))
    for (const JsonNode& entry : entries->items) times.push_back(entry.number);
  for (const double t : times)
    if (const double newton = tension.derivatives(t)[0]; newton < 0)
      in.fail(node.line, fmt::format("has a 'tension' of {:.4g} N at t = {:.4g} s", newton, t),
              "muscles pull: give numbers of at least 0");
}

/// A number [N], or a function of time.
TimeFunction read_tension(const ObjectReader& in) {
  const JsonNode* node = in.find("tension");
  if (node == nullptr) return 0.0;
  if (node->type != JsonNode::Type::object)
    return in.not_negative_or("tension", 0, in.context().units.force());
  TimeFunction tension = read_time_function(in, *node, in.context().units.force());
  require_pull(in, *node, tension);
  return tension;
}

std::vector<BodyIndex> read_lump_bodies(const ObjectReader& in, BodyIndex origin,
                                        const Skeleton& skeleton) {
  const JsonNode* node = in.find("lump_to");
  if (node == nullptr) return {origin};
  if (node->type != JsonNode::Type::array) return {resolve_body(in, *node, "lump_to", skeleton)};
  std::vector<BodyIndex> bodies;
  for (const JsonNode& name : node->items)
    bodies.push_back(resolve_body(in, name, "lump_to", skeleton));
  if (bodies.empty()) in.fail(node->line, "'lump_to' is empty", "name a body");
  return bodies;
}

PathDefaults read_path_defaults(const OptionReader& options, bool massive, WrapFiles& files) {
  PathDefaults out;
  out.wrap.files = &files;
  if (const ObjectReader& in = options.of("network"); in.has("network"))
    out.wrap.network = in.name("network");
  out.wrap.model = massive ? WrapModelName::smooth : WrapModelName::exact;
  if (const ObjectReader& in = options.of("wrap_model"); in.has("wrap_model"))
    out.wrap.model = static_cast<WrapModelName>(in.choice("wrap_model", wrap_model_names()));
  out.wrap.band = options.of("band").positive_or("band", out.wrap.band);
  out.policy = massive ? ConditionPolicy::smooth : ConditionPolicy::switching;
  if (const ObjectReader& in = options.of("conditional"); in.has("conditional"))
    out.policy = static_cast<ConditionPolicy>(in.choice("conditional", condition_policies()));
  return out;
}

/// The distribution of the mass, and whether it moves with the path at all.
void read_mass(const OptionReader& options, const Skeleton& skeleton, const PathReading& path,
               MuscleReading& out) {
  static const std::vector<std::string> kModels = {"continuous", "points", "lumped"};
  Muscle& muscle = out.muscle;
  const size_t model = options.of("mass_model").choice_or("mass_model", 0, kModels);
  out.mass_model = kModels[model];
  if (model == 1) muscle.mass_model = MassModel::points;
  muscle.lumps = options.of("points").count_or("points", muscle.lumps, 1, 10000);
  muscle.lumps_at_ends = options.of("at_ends").boolean_or("at_ends", muscle.lumps_at_ends);
  muscle.gravity = options.of("gravity").boolean_or("gravity", muscle.gravity);
  muscle.velocity_terms =
      options.of("velocity_terms").boolean_or("velocity_terms", muscle.velocity_terms);
  muscle.material = read_material(options);
  // Options can give a muscle mass that has none: then the profile's shape counts.
  muscle.regions = read_profile(options.of("profile"), out.mass > 0 ? out.mass : 1);
  muscle.mass = out.mass;
  if (out.mass > 0 && model == 2) {
    out.lumping.bodies = read_lump_bodies(options.of("lump_to"), path.origin, skeleton);
    out.lumping.like_body =
        options.of("lump_like").choice_or("lump_like", 0, {"path", "body"}) == 1;
    out.lumping.at_zero =
        options.of("lump_pose").choice_or("lump_pose", 0, {"default", "zero"}) == 1;
  } else if (out.mass > 0 && path.switches) {
    out.mass_model = "massless";
  } else {
    return;
  }
  muscle.mass = 0;
}

/// Masses as the program's options say them: keys of the same names.
std::optional<MuscleMassOptions> read_mass_rule(const ObjectReader& in) {
  MuscleMassOptions out;
  out.source = in.string_or("muscle_mass", "");
  if (out.source.ends_with(".csv")) out.source = (in.context().folder / out.source).string();
  for (const JsonNode& segment : in.list("segments")) {
    in.require(segment, JsonNode::Type::string, "segment");
    out.segments.push_back(segment.text);
  }
  const auto read = [&](const char* key, std::optional<double>& into) {
    if (in.has(key)) into = in.positive_or(key, 0);
  };
  read("specific_tension", out.specific_tension);
  read("height", out.height);
  if (!out.says()) {
    for (const char* key : {"specific_tension", "height"})
      if (in.has(key))
        in.fail(in.at(key).line, fmt::format("'{}' without 'muscle_mass'", key),
                "say where the masses come from: 'volumes' or 'strength'");
    return std::nullopt;
  }
  if (in.has("mass_from"))
    in.fail(in.at("mass_from").line, "has both 'mass_from' and 'muscle_mass' or 'segments'",
            "omit one: with 'muscle_mass' the bones beside muscles give the mass");
  if (out.off()) return std::nullopt;
  if (in.has("share")) out.share = in.not_negative_or("share", 1);
  return out;
}

/// `by_rule`: its mass does not come from the scene.
MuscleReading read_muscle(const ObjectReader& common, const JsonNode& node,
                          const Skeleton& skeleton, WrapFiles& files, bool by_rule) {
  const SceneContext& context = common.context();
  const ValueReader anonymous(context, "muscle");
  anonymous.require(node, JsonNode::Type::object, "muscle");
  const JsonNode* name = node.find("name");
  const std::string element =
      name == nullptr ? "muscle" : "muscle '" + anonymous.name(*name, "name") + "'";
  const ObjectReader in(context, node, element, scene_keys::kMuscle, scene_keys::kMuscleOptions);
  const OptionReader options(in, common);
  MuscleReading out;
  out.line = node.line;
  out.mass = in.not_negative_or("mass", 0, context.units.mass);
  PathReading path =
      read_path(in, skeleton, read_path_defaults(options, by_rule || out.mass > 0, files));
  if (by_rule && in.has("mass"))
    in.fail(in.at("mass").line, "has a 'mass', and 'muscle_mass' gives it another",
            "omit one of them, or give a table of masses to 'muscle_mass'");
  if (by_rule && path.switches)
    in.fail(node.line, "cannot have mass: a point of its path jumps", "give the point a 'band'");
  read_mass(options, skeleton, path, out);
  out.muscle.name = name->text;
  out.muscle.points = std::move(path.points);
  out.muscle.spans = std::move(path.spans);
  out.muscle.tension = read_tension(in);
  if (const JsonNode* hill = in.find("hill")) {
    if (in.has("tension"))
      in.fail(in.at("tension").line, "has both 'tension' and 'hill'",
              "omit the tension: activation and fibre give it");
    out.hill = read_hill(in, *hill, skeleton);
    constexpr ActivationDynamics::Kind kLaws[] = {ActivationDynamics::Kind::piecewise,
                                                  ActivationDynamics::Kind::blended};
    out.hill->activation.kind =
        kLaws[options.of("activation_law")
                  .choice_or("activation_law", 0, {"piecewise", "blended"})];
  } else if (in.has("activation_law")) {
    in.fail(in.at("activation_law").line, "has an 'activation_law' without 'hill'",
            "only Hill muscles have an activation");
  }
  if (const JsonNode* host = in.find("host")) out.host = resolve_body(in, *host, "host", skeleton);
  return out;
}

}  // namespace

MusclesReading read_muscles(const SceneContext& context, const JsonNode& node,
                            const Skeleton& skeleton) {
  const ObjectReader in(context, node, "muscles", scene_keys::kMuscles, scene_keys::kMuscleOptions);
  MusclesReading out;
  out.source = static_cast<MassSource>(in.choice_or("mass_from", 0, {"none", "moments", "scale"}));
  out.share = in.not_negative_or("share", 1);
  out.by_rule = read_mass_rule(in);
  if (in.has("share") && out.source == MassSource::none && !out.by_rule)
    in.fail(in.at("share").line, "'share' without 'mass_from' or 'muscle_mass'",
            "say where the mass comes from, for example 'moments'");
  WrapFiles files;
  for (const JsonNode& muscle : in.list("list")) {
    out.list.push_back(read_muscle(in, muscle, skeleton, files, out.by_rule.has_value()));
    if (out.list.size() > kMostMuscles) in.fail(muscle.line, "there are too many", "at most 10000");
    MuscleReading& last = out.list.back();
    // Bodies that have the mass already keep it.
    if (out.source != MassSource::none) last.lumping.bodies.clear();
    if (out.source == MassSource::scale && last.muscle.has_mass() && !last.host.valid())
      context.fail(muscle.line, "muscle '" + last.muscle.name + "'",
                   "has no 'host' that its mass is taken from", "name a body");
  }
  return out;
}

}  // namespace sinew
