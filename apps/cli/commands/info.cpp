#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "cli/commands/commands.hpp"
#include "cli/commands/options.hpp"
#include "cli/commands/osim_info.hpp"
#include "cli/commands/pose_warnings.hpp"
#include "cli/console.hpp"
#include "sinew/analysis/muscle_paths.hpp"
#include "sinew/analysis/muscle_state.hpp"
#include "sinew/deformables/soft_bodies.hpp"
#include "sinew/integrate/integrator_table.hpp"
#include "sinew/io/models/loaded_model.hpp"
#include "sinew/io/scene/wrap_reader.hpp"
#include "sinew/report/json_text.hpp"
#include "sinew/strands/strands.hpp"

namespace sinew::cli {
namespace {

using nlohmann::ordered_json;

struct InfoOptions {
  std::string scene;  ///< or a model
  std::vector<std::string> set;
  bool strict = false;  ///< models only: unreadable elements are an error
  bool json = false;
};

const char* unit_of(CoordinateKind kind) {
  switch (kind) {
    case CoordinateKind::angle:
      return "rad";
    case CoordinateKind::length:
      return "m";
    case CoordinateKind::parameter:
      return "1";
    case CoordinateKind::time:
      return "s";
  }
  return "";
}

const char* name_of(CoordinateKind kind) {
  switch (kind) {
    case CoordinateKind::angle:
      return "angle";
    case CoordinateKind::length:
      return "length";
    case CoordinateKind::parameter:
      return "parameter";
    case CoordinateKind::time:
      return "time";
  }
  return "";
}

ordered_json describe_bodies(const Skeleton& skeleton) {
  ordered_json bodies = ordered_json::array();
  for (const Body& body : skeleton.bodies())
    bodies.push_back({{"name", body.name},
                      {"parent", body.parent == kWorld ? "world" : skeleton.body(body.parent).name},
                      {"joint", body.joint_name},
                      {"type", body.joint.type_name()},
                      {"mass", body.M_B.mass}});
  return bodies;
}

/// Values are those at the start of the run: constraints may have moved the file's values.
ordered_json describe_coordinates(const Scene& scene) {
  const State start = initial_state(scene.system, scene.settings.step);
  ordered_json coordinates = ordered_json::array();
  const auto count = static_cast<Eigen::Index>(scene.system.coordinates().size());
  for (Eigen::Index k = 0; k < count; ++k) {
    const Coordinate& c = scene.system.coordinates()[static_cast<size_t>(k)];
    coordinates.push_back({{"name", c.name},
                           {"kind", name_of(c.kind)},
                           {"unit", unit_of(c.kind)},
                           {"q0", start.q[k]},
                           {"qdot0", start.qdot[k]}});
  }
  return coordinates;
}

std::vector<std::string> dependent_coordinates(const System& system) {
  std::vector<std::string> names;
  const CoordinateMap* map = system.coordinate_map();
  for (int k = 0; map && k < system.skeleton().dof_count(); ++k)
    if (map->free_index(k) < 0)
      names.push_back(system.skeleton().coordinates()[static_cast<size_t>(k)].name);
  return names;
}

ordered_json describe_constraints(const Scene& scene) {
  ordered_json constraints = ordered_json::array();
  for (size_t i = 0; i < scene.constraint_types.size(); ++i) {
    const Constraint& c = *scene.system.constraints()[i];
    constraints.push_back(
        {{"name", c.name()}, {"type", scene.constraint_types[i]}, {"rows", c.rows()}});
  }
  return constraints;
}

/// Names of the surfaces along a path, in order.
std::vector<std::string> wraps_of(const MuscleElement& muscle) {
  std::vector<std::string> names;
  for (const PathSpan& span : muscle.muscle().spans)
    if (!std::holds_alternative<Straight>(span.wrap)) names.push_back(name_of(span.wrap));
  return names;
}

/// Lengths are those at the start of the run.
ordered_json describe_muscles(const Scene& scene) {
  const System& system = scene.system;
  const State start = initial_state(system, scene.settings.step);
  Workspace ws(system);
  std::vector<MusclePath> paths;
  update_muscle_paths(system, start, ws, paths);
  ordered_json muscles = ordered_json::array();
  for (size_t i = 0; i < paths.size(); ++i)
    muscles.push_back({{"name", system.muscles()[i]->name()},
                       {"mass", scene.muscle_masses[i].mass},
                       {"mass_model", scene.muscle_masses[i].model},
                       {"length", paths[i].length},
                       {"path_points", system.muscles()[i]->muscle().points.size()},
                       {"wraps", wraps_of(*system.muscles()[i])},
                       {"status", name_of(paths[i].status)}});
  const std::vector<HillValues<double>> values = hill_values(system, start, ws);
  for (size_t k = 0; k < values.size(); ++k) {
    const size_t muscle = system.hill_muscles()[k];
    muscles[muscle]["hill"] = {
        {"max_isometric_force",
         system.muscles()[muscle]->muscle().hill->muscle.max_isometric_force},
        {"activation", values[k].activation},
        {"fibre_length", values[k].fibre_length},
        {"tension", values[k].actuation}};
  }
  return muscles;
}

ordered_json describe_moves(const Scene& scene) {
  ordered_json moves = ordered_json::array();
  for (const Scene::MassMoved& move : scene.mass_moves)
    moves.push_back(
        {{"body", move.body}, {"muscle", move.muscle}, {"mass", move.mass}, {"share", move.share}});
  return moves;
}

/// The mass of the beads of a strand, and how many of its nodes are on bodies.
std::pair<double, size_t> beads_of(const Strands& strands, const Strand& strand) {
  std::set<std::string> names;
  for (const StrandPoint& point : strand.points) names.insert(point.node);
  double mass = 0;
  size_t attached = 0;
  for (const StrandNode& node : strands.nodes()) {
    if (!names.contains(node.name)) continue;
    std::visit([&](const auto& place) { mass += place.mass; }, node.place);
    attached += std::holds_alternative<RigidNode>(node.place);
  }
  return {mass, attached};
}

ordered_json describe_soft_bodies(const System& system) {
  ordered_json out = ordered_json::array();
  const auto add = [&](const std::string& name, const char* type, const std::string& material,
                       double mass, size_t vertices, size_t attached, size_t tetrahedra,
                       size_t surface) {
    out.push_back({{"name", name},
                   {"type", type},
                   {"material", material},
                   {"mass", mass},
                   {"vertices", vertices},
                   {"attached", attached},
                   {"tetrahedra", tetrahedra},
                   {"surface_vertices", surface}});
  };
  if (system.strands())
    for (const Strand& strand : system.strands()->strands())
      if (strand.form == StrandForm::soft_body) {
        const auto [mass, attached] = beads_of(*system.strands(), strand);
        add(strand.name, "strand", "", mass, strand.points.size(), attached, 0, 0);
      }
  if (!system.soft()) return out;
  for (const auto& body : system.soft()->bodies()) {
    const SoftBodySpec& spec = body->spec();
    add(body->name(), "solid", to_string(spec.material.model), body->total_mass(),
        static_cast<size_t>(body->vertex_count()), spec.attachments.size(),
        spec.mesh.tetrahedra.size(), spec.surface.vertices.size());
  }
  return out;
}

ordered_json describe_strands(const System& system) {
  ordered_json out = ordered_json::array();
  if (!system.strands()) return out;
  for (const Strand& strand : system.strands()->strands()) {
    if (strand.form == StrandForm::soft_body) continue;
    const double rest = strand.rest_length();
    const auto material =
        std::count_if(strand.points.begin(), strand.points.end(),
                      [](const StrandPoint& point) { return point.s.has_value(); });
    out.push_back({{"name", strand.name},
                   {"mass", strand.density * rest},
                   {"rest_length", rest},
                   {"nodes", strand.points.size()},
                   {"sections", strand.loop ? 1 : material - 1}});
  }
  return out;
}

int degrees_of_freedom(const System& system) {
  return system.dof_count() - system.independent_rows();
}

/// The integrators that can step the system: name → true, or the reason why not.
ordered_json describe_integrators(const System& system) {
  ordered_json out;
  for (const IntegratorInfo& method : integrator_table()) {
    const auto why = refusal(system, {.integrator = method.integrator});
    out[std::string(method.name)] = why ? ordered_json(*why) : ordered_json(true);
  }
  return out;
}

ordered_json describe(const Scene& scene) {
  const Skeleton& skeleton = scene.system.skeleton();
  double mass = 0;
  for (const Body& body : skeleton.bodies()) mass += body.M_B.mass;
  for (const auto& part : scene.system.parts()) mass += part->mass();
  const Vec3& g = scene.system.gravity();
  return {{"scene", scene.name},
          {"title", scene.title},
          {"description", scene.description},
          {"citation", scene.citation},
          {"path", scene.path.string()},
          {"mass", mass},
          {"gravity", {g.x(), g.y(), g.z()}},
          {"forces", scene.system.forces().size()},
          {"simulation",
           {{"integrator", to_string(scene.settings.step.integrator)},
            {"dt", scene.settings.dt},
            {"until", scene.settings.until}}},
          {"integrators", describe_integrators(scene.system)},
          {"bodies", describe_bodies(skeleton)},
          {"coordinates", describe_coordinates(scene)},
          {"dependent_coordinates", dependent_coordinates(scene.system)},
          {"muscles", describe_muscles(scene)},
          {"mass_moves", describe_moves(scene)},
          {"soft_bodies", describe_soft_bodies(scene.system)},
          {"strands", describe_strands(scene.system)},
          {"constraints", describe_constraints(scene)},
          {"degrees_of_freedom", degrees_of_freedom(scene.system)},
          {"warnings", scene.system.redundancies()}};
}

void print_integrators(const ordered_json& integrators) {
  std::string can;
  for (const auto& [name, answer] : integrators.items())
    if (answer.is_boolean()) can += (can.empty() ? "" : ", ") + name;
  fmt::print("  integrators: {}\n", can);
  for (const auto& [name, answer] : integrators.items())
    if (answer.is_string()) fmt::print("    not {}: {}\n", name, answer.get<std::string>());
}

void print_constraints(const Scene& scene) {
  const System& system = scene.system;
  if (system.constraints().empty()) return;
  fmt::print("\n  {:<24} {:<24} {:>6}\n", "constraint", "type", "rows");
  const size_t count = system.constraints().size();
  for (size_t i = 0; i < std::min(count, kRowsShown); ++i)
    fmt::print("  {:<24} {:<24} {:>6}\n", system.constraints()[i]->name(),
               scene.constraint_types[i], system.constraints()[i]->rows());
  print_more(count);
  for (const std::string& redundancy : system.redundancies())
    fmt::print("  redundant: {}\n", redundancy);
  const int left = degrees_of_freedom(system);
  fmt::print("  {} degree{} of freedom left\n", left, left == 1 ? "" : "s");
}

void print_muscles(const ordered_json& muscles) {
  if (muscles.empty()) return;
  fmt::print("\n  {:<24} {:>10} {:<12} {:>10}  {}\n", "muscle", "mass [kg]", "model", "length [m]",
             "around");
  for (size_t i = 0; i < std::min(muscles.size(), kRowsShown); ++i) {
    const ordered_json& m = muscles[i];
    fmt::print("  {:<24} {:>10.4g} {:<12} {:>10.4g}  {}\n", m["name"].get<std::string>(),
               m["mass"].get<double>(), m["mass_model"].get<std::string>(),
               m["length"].get<double>(),
               fmt::join(m["wraps"].get<std::vector<std::string>>(), ", "));
  }
  print_more(muscles.size());
  for (size_t i = 0; i < std::min(muscles.size(), kRowsShown); ++i) {
    const ordered_json& m = muscles[i];
    if (!m.contains("hill")) continue;
    fmt::print(
        "  {} is a Hill muscle of {:g} N: activation {:.3g}, fibre {:.4g} m, tension {:.4g} N\n",
        m["name"].get<std::string>(), m["hill"]["max_isometric_force"].get<double>(),
        m["hill"]["activation"].get<double>(), m["hill"]["fibre_length"].get<double>(),
        m["hill"]["tension"].get<double>());
  }
}

void print_soft_bodies(const ordered_json& bodies) {
  if (bodies.empty()) return;
  fmt::print("\n  {:<16} {:<8} {:<20} {:>10} {:>9} {:>9} {:>11} {:>8}\n", "soft body", "type",
             "material", "mass [kg]", "vertices", "attached", "tetrahedra", "surface");
  for (const ordered_json& b : bodies)
    fmt::print("  {:<16} {:<8} {:<20} {:>10.4g} {:>9} {:>9} {:>11} {:>8}\n",
               b["name"].get<std::string>(), b["type"].get<std::string>(),
               b["material"].get<std::string>(), b["mass"].get<double>(), b["vertices"].get<int>(),
               b["attached"].get<int>(), b["tetrahedra"].get<int>(),
               b["surface_vertices"].get<int>());
  fmt::print("  masses of attached vertices are included in those of their bodies\n");
}

void print_strands(const ordered_json& strands) {
  if (strands.empty()) return;
  fmt::print("\n  {:<24} {:>10} {:>15} {:>6} {:>9}\n", "strand", "mass [kg]", "rest length [m]",
             "nodes", "sections");
  for (size_t i = 0; i < std::min(strands.size(), kRowsShown); ++i) {
    const ordered_json& s = strands[i];
    fmt::print("  {:<24} {:>10.4g} {:>15.6g} {:>6} {:>9}\n", s["name"].get<std::string>(),
               s["mass"].get<double>(), s["rest_length"].get<double>(), s["nodes"].get<int>(),
               s["sections"].get<int>());
  }
  print_more(strands.size());
}

void print(const Scene& scene, const ordered_json& info) {
  fmt::print("{}: {}\n", scene.name, scene.title);
  if (!scene.description.empty()) fmt::print("{}", wrapped(scene.description));
  if (!scene.citation.empty()) fmt::print("{}", wrapped(scene.citation));
  const Skeleton& skeleton = scene.system.skeleton();
  fmt::print(
      "\n  {} bodies of {:.6g} kg, {} coordinates, {} force elements, gravity ({:g}, {:g}, {:g}) "
      "m/s²\n",
      skeleton.body_count(), info["mass"].get<double>(), scene.system.coordinates().size(),
      scene.system.forces().size(), scene.system.gravity().x(), scene.system.gravity().y(),
      scene.system.gravity().z());
  fmt::print("  {}, dt = {:g} s, until t = {:g} s\n", to_string(scene.settings.step.integrator),
             scene.settings.dt, scene.settings.until);
  print_integrators(info["integrators"]);

  fmt::print("\n  {:<16} {:<16} {:<16} {:<18} {:>12}\n", "body", "parent", "joint", "type",
             "mass [kg]");
  const ordered_json& bodies = info["bodies"];
  for (size_t i = 0; i < std::min(bodies.size(), kRowsShown); ++i) {
    const ordered_json& b = bodies[i];
    fmt::print("  {:<16} {:<16} {:<16} {:<18} {:>12.6g}\n", b["name"].get<std::string>(),
               b["parent"].get<std::string>(), b["joint"].get<std::string>(),
               b["type"].get<std::string>(), b["mass"].get<double>());
  }
  print_more(bodies.size());

  fmt::print("\n  {:<24} {:<6} {:>12} {:>12}\n", "coordinate", "unit", "initial", "speed");
  const ordered_json& coordinates = info["coordinates"];
  for (size_t i = 0; i < std::min(coordinates.size(), kRowsShown); ++i) {
    const ordered_json& c = coordinates[i];
    fmt::print("  {:<24} {:<6} {:>12.6g} {:>12.6g}\n", c["name"].get<std::string>(),
               c["unit"].get<std::string>(), c["q0"].get<double>(), c["qdot0"].get<double>());
  }
  print_more(coordinates.size());
  if (const auto names = dependent_coordinates(scene.system); !names.empty())
    fmt::print("  dependent on these: {}\n", fmt::join(names, ", "));
  print_muscles(info["muscles"]);
  print_soft_bodies(info["soft_bodies"]);
  print_strands(info["strands"]);
  for (const Scene::MassMoved& move : scene.mass_moves)
    fmt::print("  {} took {:.4g} kg, {:.3g} % of its mass, from {}\n", move.muscle, move.mass,
               100 * move.share, move.body);
  print_constraints(scene);
}

int run_info(const InfoOptions& options) {
  const LoadedModel model =
      load_model(options.scene, {.set = options.set, .strict = options.strict});
  warn_of_start(model);
  if (model.osim) {
    show_osim_info(*model.osim, options.json);
    return kOk;
  }
  const Scene& scene = *model.scene;
  const ordered_json info = describe(scene);
  if (options.json)
    fmt::print("{}\n", json_text(info));
  else
    print(scene, info);
  return kOk;
}

}  // namespace

Command add_info(CLI::App& program) {
  CLI::App* c =
      program.add_subcommand("info", "Describe a scene or a model: bodies, coordinates, settings");
  const auto o = std::make_shared<InfoOptions>();
  c->add_option("scene", o->scene, kSceneHelp)->required();
  c->add_flag("--strict", o->strict,
              "Elements of an OpenSim model that cannot be read are an error");
  add_set(*c, o->set);
  add_json(*c, o->json);
  c->footer(
      "Examples\n  sinew info redmax-21\n  sinew info leg.osim --strict\n"
      "  sinew info leg.osim --set /bodyset/tibia_r/mass=4");
  return {c, [o](const std::string&) { return run_info(*o); }};
}

}  // namespace sinew::cli
