#include "sinew/io/scene/scene.hpp"

#include <fmt/format.h>

#include <fstream>
#include <set>
#include <sstream>
#include <type_traits>
#include <unordered_map>

#include "sinew/builder/system_builder.hpp"
#include "sinew/core/fnv1a.hpp"
#include "sinew/core/names.hpp"
#include "sinew/dynamics/soft_limit.hpp"
#include "sinew/integrate/integrator_table.hpp"
#include "sinew/io/json/override.hpp"
#include "sinew/io/models/system_edit.hpp"
#include "sinew/io/scene/body_reader.hpp"
#include "sinew/io/scene/constraint_reader.hpp"
#include "sinew/io/scene/contact_reader.hpp"
#include "sinew/io/scene/coordinate_reader.hpp"
#include "sinew/io/scene/force_reader.hpp"
#include "sinew/io/scene/gap_reader.hpp"
#include "sinew/io/scene/model_before_transfer.hpp"
#include "sinew/io/scene/muscle_reader.hpp"
#include "sinew/io/scene/soft_reader.hpp"
#include "sinew/io/scene/strand_reader.hpp"
#include "sinew/io/scene/structure_reader.hpp"
#include "sinew/math/infinity.hpp"
#include "sinew/muscles/transfer/mass_on_bones.hpp"
#include "sinew/strands/node_tree.hpp"
#include "sinew/strands/strand_divider.hpp"

namespace sinew {
namespace {

/// Reads the parts of one scene in order, and remembers the line of every element: errors of the
/// builders then give that line.
class SceneReader {
 public:
  SceneReader(SceneContext context, const JsonNode& root, const SystemEdit& change)
      : context_(with_units(std::move(context), root)),
        in_(context_, root, "scene", scene_keys::kScene),
        change_(change) {}

  Scene read() {
    if (in_.number("sinew_scene") != 1)
      in_.fail(in_.at("sinew_scene").line, "'sinew_scene' is not a version this program knows",
               "it reads version 1");
    read_curves();
    SystemBuilder builder(read_bodies());
    read_coordinate_map(builder.skeleton());
    map_coordinates(builder);
    add_muscles(builder);
    add_soft_bodies(builder);
    add_strands(builder);
    builder.set_gravity(in_.vector3_or("gravity", Vec3(0, -9.80665, 0),
                                       in_.has("gravity") ? context_.units.acceleration() : 1));
    add_body_forces(builder);
    add_forces(builder);
    for (const auto& force : change_.forces) builder.add_force(force);
    add_constraints(builder);
    for (const auto& constraint : change_.constraints) builder.add_constraint(constraint);
    for (const auto& part : change_.parts) builder.add_part(part);
    add_limits(builder);
    add_contacts(builder);
    add_bearings(builder);
    add_gaps(builder);
    Scene scene{.name = {},
                .title = in_.string_or("title", ""),
                .description = in_.string_or("description", ""),
                .citation = in_.string_or("citation", ""),
                .path = {},
                .content_hash = 0,
                .system = at_element([&] { return build(builder); }),
                .settings = {},
                .shapes = std::move(shapes_),
                .drawn = std::move(drawn_),
                .fixed = std::move(fixed_),
                .constraint_types = std::move(constraint_types_),
                .muscle_masses = std::move(muscle_masses_),
                .mass_moves = std::move(mass_moves_),
                .mass_origin = std::move(mass_origin_),
                .muscle_mass = std::move(muscle_mass_),
                .coordinate_ranges = std::move(ranges_)};
    // Those of strands that do not stretch come after the scene's own.
    scene.constraint_types.resize(scene.system.constraints().size(), "strand");
    scene.settings = read_settings(default_integrator(scene.system));
    return scene;
  }

 private:
  System build(SystemBuilder& builder) const {
    if (change_.start) builder.start(*change_.start);
    return builder.build();
  }

  /// Units come first: everything else is read in them.
  static SceneContext with_units(SceneContext context, const JsonNode& root) {
    const ValueReader reader(context, "scene");
    if (const JsonNode* units = root.find("units"))
      if (reader.choice(*units, {"si", "cgs"}, "units") == 1) context.units = kCgs;
    return context;
  }

  /// Runs `build` and moves its Error to the line of the element it names.
  template <class Build>
  std::invoke_result_t<Build> at_element(Build&& build) const {
    try {
      return build();
    } catch (const Error& error) {
      const auto found = line_of_.find(error.element());
      throw context_.located(error, found == line_of_.end() ? in_.line() : found->second);
    }
  }

  void read_curves() {
    for (const JsonNode& node : in_.list("curves")) {
      const ObjectReader curve(context_, node, "curve", scene_keys::kCurve);
      if (!context_.curves.emplace(curve.name("name"), &curve.at("frames")).second)
        curve.fail(node.line, "'" + curve.name("name") + "' is defined twice",
                   "give each a unique name");
    }
  }

  Skeleton read_bodies() {
    SkeletonBuilder builder;
    if (const JsonNode* node = in_.find("generate")) {
      generated_ = read_structure(context_, *node);
      for (const BodySpec& body : generated_.bodies) {
        line_of_["body '" + body.name + "'"] = node->line;
        builder.add_body(body);
      }
      for (const ShapePart& shape : generated_.shapes) shapes_.push_back({shape});
      drawn_ = shapes_;
    } else {
      in_.at("bodies");
    }
    fixed_ = read_look(in_);
    size_t data = triangle_count(fixed_);
    for (const JsonNode& node : in_.list("bodies")) {
      BodyReading reading = read_body(context_, node);
      data += data_size(reading);
      if (shapes_.size() + static_cast<size_t>(reading.count) > static_cast<size_t>(kMostBodies) ||
          data > kMostData)
        in_.fail(node.line, "the scene is too large",
                 "at most 100000 bodies, and 2000000 triangles and control values of splines");
      for (BodySpec& spec : expand(reading)) {
        line_of_["body '" + spec.name + "'"] = reading.line;
        line_of_["joint '" + (spec.joint_name.empty() ? spec.name + "_joint" : spec.joint_name) +
                 "'"] = reading.joint.line;
        for (const std::string& coordinate : spec.coordinate_names)
          line_of_["coordinate '" + coordinate + "'"] = reading.joint.line;
        builder.add_body(std::move(spec));
        shapes_.push_back(reading.shapes);
        drawn_.push_back(reading.drawn);
      }
      readings_.push_back(std::move(reading));
    }
    check_parents();
    return at_element([&] { return builder.build(); });
  }

  /// The builder would also find an unknown parent, but only the reader knows the line it is named
  /// on.
  void check_parents() const {
    for (const BodyReading& reading : readings_)
      if (!reading.parent.empty() && line_of_.count("body '" + reading.parent + "'") == 0)
        context_.fail(reading.parent_line, "body '" + reading.name + "'",
                      "parent '" + reading.parent + "' does not exist",
                      suggest(reading.parent, body_names()));
  }

  std::vector<std::string> body_names() const {
    std::vector<std::string> names = {"world"};
    for (const BodySpec& body : generated_.bodies) names.push_back(body.name);
    for (const BodyReading& reading : readings_)
      for (const BodySpec& spec : expand(reading)) names.push_back(spec.name);
    return names;
  }

  void read_coordinate_map(const Skeleton& skeleton) {
    for (const JsonNode& node : in_.list("extra_coordinates")) {
      extra_.push_back(read_extra_coordinate(context_, node));
      line_of_.emplace("coordinate '" + extra_.back().name + "'", node.line);
    }
    for (const JsonNode& node : in_.list("dependent_coordinates")) {
      dependent_.push_back(read_dependent_coordinate(context_, node, skeleton, extra_));
      const auto dof = static_cast<size_t>(dependent_.back().dof.value);
      line_of_["coordinate '" + skeleton.coordinates()[dof].name + "'"] = node.line;
    }
  }

  void map_coordinates(SystemBuilder& builder) const {
    if (extra_.empty() && dependent_.empty()) return;
    at_element([&] { builder.map_coordinates(dependent_, extra_); });
  }

  /// Muscles need the skeleton, and their masses can change its bodies: the builder gets them
  /// before everything else.
  void add_muscles(SystemBuilder& builder) {
    const JsonNode* node = in_.find("muscles");
    if (node == nullptr) return;
    const MusclesReading muscles = read_muscles(context_, *node, builder.skeleton());
    for (const MuscleReading& reading : muscles.list) {
      const std::string element = "muscle '" + reading.muscle.name + "'";
      if (!line_of_.emplace(element, reading.line).second)
        context_.fail(reading.line, element, "is defined twice", "give each a unique name");
    }
    const Skeleton bones = builder.skeleton();
    std::optional<MassPlan> plan = at_element([&] { return mass_plan(bones, muscles); });
    MassTransfer settled = at_element([&] { return settle_masses(bones, muscles, plan); });
    if (change_.mass_on_bones || change_.move_mass)
      take_mass_back(bones, plan.has_value(), settled);
    else if (muscles.by_rule)
      muscle_mass_ =
          std::make_shared<const MuscleMassRecord>(MuscleMassRecord{plan->by_rule, settled});
    if (change_.move_mass && !change_.mass_on_bones)
      settled = change_.move_mass(settled.skeleton, weighed(settled.muscles, muscles));
    builder = SystemBuilder(settled.skeleton);
    map_coordinates(builder);
    for (size_t i = 0; i < settled.muscles.size(); ++i) {
      const MuscleReading& reading = muscles.list[i];
      const double moved = settled.muscles[i].mass;
      muscle_masses_.push_back({moved > 0 ? moved : reading.mass, reading.mass_model});
      Muscle muscle = settled.muscles[i];
      muscle.hill = reading.hill;
      builder.add_muscle(muscle);
    }
    mass_moves_ = describe(settled);
    if (plan)
      mass_origin_ = std::make_shared<const ModelBeforeTransfer>(
          ModelBeforeTransfer{bones, std::move(plan->muscles), std::move(plan->policy)});
  }

  void add_soft_bodies(SystemBuilder& builder) {
    for (const JsonNode& node : in_.list("soft_bodies")) {
      const SoftReading reading = read_soft_body(context_, node, builder.skeleton());
      const std::string element =
          "soft body '" + std::visit([](const auto& body) { return body.name; }, reading) + "'";
      if (!line_of_.emplace(element, node.line).second)
        context_.fail(node.line, element, "is defined twice", "give each soft body a unique name");
      at_element([&] {
        if (const auto* chain = std::get_if<Chain>(&reading))
          add_described(make_chain(*chain), node.line, builder);
        else
          builder.add_soft_body(std::get<SoftBodySpec>(reading));
      });
    }
  }

  void add_described(const DescribedStrand& described, int line, SystemBuilder& builder) {
    for (const StrandNode& node : described.nodes)
      line_of_.emplace("strand node '" + node.name + "'", line);
    builder.add(described);
  }

  void add_strands(SystemBuilder& builder) {
    std::vector<StrandNode> nodes;
    for (const JsonNode& node : in_.list("strand_nodes")) {
      read_strand_node(context_, node, builder.skeleton(), nodes);
      line_of_["strand node '" + nodes.back().name + "'"] = node.line;
    }
    std::vector<StrandGuide> guides;
    StrandTubes tubes;
    WrapFiles files;
    for (const JsonNode& node : in_.list("guides")) {
      if (node.type == JsonNode::Type::object && node.find("along") != nullptr) {
        const size_t first = nodes.size();
        const ObjectReader tube(context_, node, "guide", scene_keys::kTube);
        line_of_["guide '" + tube.name("name") + "'"] = node.line;
        at_element([&] { read_tube(context_, node, tubes, nodes); });
        for (size_t k = first; k < nodes.size(); ++k)
          line_of_["strand node '" + nodes[k].name + "'"] = node.line;
        continue;
      }
      guides.push_back(read_guide(context_, node, builder.skeleton(), files));
      if (tubes.contains(guides.back().name))
        in_.fail(node.line, "guide '" + guides.back().name + "' is defined twice",
                 "give each a unique name");
      line_of_["guide '" + guides.back().name + "'"] = node.line;
    }
    at_element([&] { check_nodes(nodes); });
    for (const JsonNode& node : in_.list("strands")) {
      double spacing = 0;
      Strand strand = read_strand(context_, node, tubes, spacing);
      line_of_["strand '" + strand.name + "'"] = node.line;
      if (spacing > 0)
        at_element([&] { divide(builder.skeleton(), guides, spacing, nodes, strand); });
      builder.add_strand(strand);
    }
    for (const StrandNode& node : nodes) builder.add_strand_node(node);
    for (const StrandGuide& guide : guides) builder.add_strand_guide(guide);
  }

  void add_gaps(SystemBuilder& builder) {
    std::set<std::string> names;
    for (const JsonNode& node : in_.list("gaps")) {
      Gap::Spec spec = read_gap(context_, node, builder.skeleton(), shapes_);
      if (!names.insert(spec.name).second)
        in_.fail(node.line, "gap '" + spec.name + "' is defined twice", "give each a unique name");
      builder.add_part(std::make_shared<Gap>(std::move(spec)));
    }
  }

  void take_mass_back(const Skeleton& bones, bool bodies_gave, MassTransfer& settled) const {
    if (!bodies_gave) {
      MassOnBones lumped =
          at_element([&] { return put_mass_on_bones(settled.skeleton, settled.muscles); });
      settled.skeleton = std::move(lumped.skeleton);
      settled.muscles = std::move(lumped.muscles);
      return;
    }
    settled.skeleton = bones;
    settled.moves.clear();
    for (Muscle& muscle : settled.muscles) muscle = with_mass(muscle, 0);
  }

  /// The mass taken from bodies, in words.
  static std::vector<Scene::MassMoved> describe(const MassTransfer& settled) {
    std::vector<Scene::MassMoved> out;
    for (const MassMove& move : settled.moves)
      out.push_back({settled.skeleton.body(move.body).name,
                     settled.muscles[static_cast<size_t>(move.muscle)].name, move.taken.mass,
                     move.share});
    return out;
  }

  /// Remembers a bound of a coordinate; the narrowest of several counts.
  void note_range(const std::string& coordinate, double lower, double upper) {
    auto& range = ranges_.try_emplace(coordinate, -kInfinity, kInfinity).first->second;
    range = {std::max(range.first, lower), std::min(range.second, upper)};
  }

  static std::shared_ptr<const Force> stop_of(std::string name, DofIndex dof,
                                              const StopsReading& stops, size_t k) {
    const double lower = stops.lower[k], upper = stops.upper[k], stiffness = stops.stiffness[k],
                 damping = stops.damping[k], transition = stops.transition[k];
    if (transition > 0)
      return std::make_shared<SoftLimit>(
          std::move(name), dof,
          SoftLimit::Law{lower, upper, stiffness, stiffness, damping, transition});
    return std::make_shared<CoordinateStop>(std::move(name), dof, lower, upper, stiffness, damping);
  }

  /// The spring, damper and stop of one coordinate of a joint.
  void add_joint_forces(SystemBuilder& builder, const JointReading& joint, size_t k, DofIndex dof) {
    const std::string& name = builder.skeleton().coordinates()[static_cast<size_t>(dof.value)].name;
    if (joint.stiffness[k] > 0 || joint.damping[k] > 0)
      builder.add_force(std::make_shared<JointSpring>(name, dof, joint.stiffness[k],
                                                      joint.damping[k], joint.rest[k]));
    const StopsReading& stops = joint.stops;
    if (!stops.stiffness.empty() && (stops.stiffness[k] > 0 || stops.damping[k] > 0)) {
      note_range(name, stops.lower[k], stops.upper[k]);
      builder.add_force(stop_of(name + "_stop", dof, stops, k));
    }
  }

  /// Forces on joints and drag of bodies: force elements that are written with the body.
  void add_body_forces(SystemBuilder& builder) {
    const Skeleton& skeleton = builder.skeleton();
    int body = static_cast<int>(generated_.bodies.size());
    for (const BodyReading& reading : readings_)
      for (int i = 0; i < reading.count; ++i, ++body) {
        const Body& b = skeleton.body(BodyIndex(body));
        for (int k = 0; k < b.joint.dof(); ++k)
          add_joint_forces(builder, reading.joint, static_cast<size_t>(k),
                           DofIndex(b.first_dof + k));
        if (reading.angular_damping > 0 || reading.linear_damping > 0)
          builder.add_force(std::make_shared<BodyDamping>(
              b.name, BodyIndex(body), reading.angular_damping, reading.linear_damping));
      }
  }

  void add_forces(SystemBuilder& builder) {
    for (const auto& spring : generated_.springs) {
      line_of_["force '" + spring->name() + "'"] = in_.at("generate").line;
      builder.add_force(spring);
    }
    int number = 0;
    ForceScope scope{builder.skeleton(), shapes_};
    for (const JsonNode& node : in_.list("forces")) {
      const ForceReading reading = read_force(context_, node, ++number, scope);
      const auto* cable = std::get_if<DescribedStrand>(&reading);
      const std::string element =
          cable ? quoted(cable->strand)
                : "force '" + std::get<std::shared_ptr<const Force>>(reading)->name() + "'";
      if (!line_of_.emplace(element, node.line).second)
        context_.fail(node.line, element, "is defined twice", "give each a unique name");
      if (cable)
        add_described(*cable, node.line, builder);
      else
        builder.add_force(std::get<std::shared_ptr<const Force>>(reading));
    }
  }

  void add_constraints(SystemBuilder& builder) {
    const Skeleton& skeleton = builder.skeleton();
    int number = 0, rows = 0;
    for (const JsonNode& node : in_.list("constraints")) {
      ConstraintReading reading = read_constraint(context_, node, ++number, skeleton);
      const std::string element = "constraint '" + reading.constraint->name() + "'";
      if (!line_of_.emplace(element, node.line).second)
        context_.fail(node.line, element, "is defined twice", "give each a unique name");
      rows += reading.constraint->rows();
      if (rows > kMostRows || rows > kMostRowEntries / std::max(1, skeleton.dof_count()))
        context_.fail(node.line, element, "there are too many constraints",
                      "at most 1000 rows of constraints, and a million times coordinates");
      constraint_types_.push_back(std::move(reading.type));
      builder.add_constraint(std::move(reading.constraint));
    }
  }

  void add_limits(SystemBuilder& builder) {
    int number = 0;
    for (const JsonNode& node : in_.list("limits")) {
      Limit limit = read_limit(context_, node, ++number, builder.skeleton());
      const std::string element = "limit '" + limit.name() + "'";
      if (!line_of_.emplace(element, node.line).second)
        context_.fail(node.line, element, "is defined twice", "give each a unique name");
      if (number > kMostRows)
        context_.fail(node.line, element, "there are too many limits", "at most 1000 limits");
      if (const JsonNode* coordinate = node.find("coordinate"))
        note_range(coordinate->text, limit.lower, limit.upper);
      builder.add_limit(std::move(limit));
    }
  }

  void add_bearings(SystemBuilder& builder) {
    int number = 0;
    for (const JsonNode& node : in_.list("bearings")) {
      JointFriction bearing = read_bearing(context_, node, ++number, builder.skeleton());
      const std::string element = "bearing '" + bearing.name + "'";
      if (!line_of_.emplace(element, node.line).second)
        context_.fail(node.line, element, "is defined twice", "give each a unique name");
      if (number > kMostRows)
        context_.fail(node.line, element, "there are too many bearings", "at most 1000 bearings");
      builder.add_bearing(std::move(bearing));
    }
  }

  void add_contacts(SystemBuilder& builder) {
    const JsonNode* node = in_.find("contacts");
    if (node == nullptr) return;
    ContactReading reading = read_contacts(context_, *node, builder.skeleton(), shapes_);
    for (size_t k = 0; k < reading.surfaces.size(); ++k) {
      line_of_.emplace("contact '" + reading.surfaces[k].name + "'", reading.lines[k]);
      builder.add_contact(std::move(reading.surfaces[k]));
    }
    for (const auto& [a, b] : reading.excluded) builder.exclude_contact(a, b);
  }

  SimulationSettings read_settings(Integrator integrator) const {
    SimulationSettings out;
    out.step.integrator = integrator;
    const JsonNode* node = in_.find("simulation");
    if (node == nullptr) return out;
    const ObjectReader in(context_, *node, "simulation", scene_keys::kSimulation);
    StepOptions& step = out.step;
    if (in.has("integrator")) {
      std::vector<std::string> names;
      for (const Integrator each : all_integrators()) names.push_back(to_string(each));
      step.integrator = all_integrators()[in.choice("integrator", names)];
    }
    step.jacobian =
        static_cast<StiffnessModel>(in.choice_or("jacobian", 0, {"full", "reference", "definite"}));
    step.solver =
        static_cast<LinearSolver>(in.choice_or("solver", 0, {"direct", "conjugate-gradient"}));
    ConjugateGradientOptions& cg = step.conjugate_gradient;
    cg.tolerance = in.positive_or("solver_tolerance", cg.tolerance);
    cg.iterations = in.count_or("solver_iterations", cg.iterations, 1, 1000000);
    out.dt = in.positive_or("dt", out.dt);
    out.until = in.positive_or("until", out.until);
    out.output_interval = in.not_negative_or("output_interval", out.output_interval);
    step.accuracy = in.not_negative_or("accuracy", step.accuracy);
    out.audit_every = in.count_or("audit_every", out.audit_every, 1, 1000000);
    step.relative_tolerance = in.positive_or("relative_tolerance", step.relative_tolerance);
    step.absolute_tolerance =
        in.positive_or("absolute_tolerance", step.absolute_tolerance, context_.units.length);
    step.largest_step = in.not_negative_or("largest_step", step.largest_step);
    step.least_step = in.not_negative_or("least_step", step.least_step);
    step.ode45_rules = in.boolean_or("ode45_rules", step.ode45_rules);
    step.newton_tolerance = in.positive_or("newton_tolerance", step.newton_tolerance);
    step.newton_residual =
        in.not_negative_or("newton_residual", step.newton_residual, context_.units.inertia());
    step.newton_iterations = in.count_or("newton_iterations", step.newton_iterations, 1, 10000);
    step.newton_halvings = in.count_or("newton_halvings", step.newton_halvings, 0, 20);
    step.variables = static_cast<StepVariables>(in.choice_or("variables", 0, {"energy", "rates"}));
    out.most_steps = in.count_or("most_steps", out.most_steps, 1, 1000000000);
    out.accepted_energy_gain = in.not_negative_or("accepted_energy_gain", out.accepted_energy_gain);
    step.projection = in.boolean_or("projection", step.projection);
    if (const JsonNode* baumgarte = in.find("baumgarte")) {
      const ObjectReader rates(context_, *baumgarte, "simulation", scene_keys::kBaumgarte);
      step.baumgarte = {.rate = rates.not_negative_or("rate", 0),
                        .position = rates.not_negative_or("position", 0),
                        .implicit = rates.not_negative_or("implicit", 0)};
    }
    return out;
  }

  SceneContext context_;
  ObjectReader in_;
  const SystemEdit& change_;
  Structure generated_;
  std::vector<BodyReading> readings_;
  std::vector<ExtraCoordinate> extra_;
  std::vector<DependentCoordinate> dependent_;
  std::vector<std::vector<ShapePart>> shapes_, drawn_;
  std::vector<ShapePart> fixed_;
  std::vector<std::string> constraint_types_;
  std::vector<Scene::MuscleMass> muscle_masses_;
  std::vector<Scene::MassMoved> mass_moves_;
  std::shared_ptr<const ModelBeforeTransfer> mass_origin_;
  std::shared_ptr<const MuscleMassRecord> muscle_mass_;
  std::map<std::string, std::pair<double, double>> ranges_;
  std::unordered_map<std::string, int> line_of_;
};

}  // namespace

std::string read_text_file(const std::filesystem::path& path, std::uintmax_t largest) {
  const std::string element = path.string();
  std::error_code code;
  if (!std::filesystem::is_regular_file(path, code))
    throw Error(element, "is not a file", "check the path");
  if (std::filesystem::file_size(path, code) > largest || code)
    throw Error(element, fmt::format("is larger than {} MiB", largest >> 20),
                "check that it is the right file, or split it");
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) throw Error(element, "cannot be read", "check its permissions");
  return text.str();
}

Scene parse_changed_scene(std::string_view text, const std::string& source,
                          const std::filesystem::path& folder,
                          const std::vector<std::string>& overrides, const SystemEdit& change) {
  const SceneContext context{
      .source = source, .folder = folder, .overrides = overrides, .units = kSi, .curves = {}};
  JsonNode root = parse_json(text, source);
  apply_overrides(context, root);
  Scene scene = SceneReader(context, root, change).read();
  scene.content_hash = fnv1a(text);
  return scene;
}

Scene parse_scene(std::string_view text, const std::string& source,
                  const std::filesystem::path& folder, const std::vector<std::string>& overrides) {
  return parse_changed_scene(text, source, folder, overrides, {});
}

Scene load_scene(const std::filesystem::path& path, const std::vector<std::string>& overrides) {
  Scene scene = parse_scene(read_text_file(path, kLargestScene), path.string(), path.parent_path(),
                            overrides);
  scene.name = path.stem().string();
  scene.path = path;
  return scene;
}

}  // namespace sinew
