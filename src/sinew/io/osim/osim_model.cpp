#include "sinew/io/osim/osim_model.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "sinew/builder/system_builder.hpp"
#include "sinew/constraints/rows/prescribed_motion.hpp"
#include "sinew/core/fnv1a.hpp"
#include "sinew/core/names.hpp"
#include "sinew/dynamics/coordinate_drive.hpp"
#include "sinew/io/osim/contacts.hpp"
#include "sinew/io/osim/edits.hpp"
#include "sinew/io/osim/forces.hpp"
#include "sinew/io/osim/geometry.hpp"
#include "sinew/io/osim/model_parts.hpp"
#include "sinew/io/osim/muscles.hpp"
#include "sinew/io/osim/paths.hpp"
#include "sinew/io/osim/unread.hpp"
#include "sinew/io/scene/scene.hpp"
#include "sinew/math/infinity.hpp"

namespace sinew {
namespace {

constexpr size_t kMostElements = 2000;  ///< bodies, joints, constraints

/// Reads one document part by part.
class ModelReader {
 public:
  explicit ModelReader(const OsimDocument& document)
      : document_(document), in_(document, document.model()), frames_(document) {}

  OsimModel read() {
    OsimModel out;
    out.name = in_.name();
    out.version = document_.version();
    out.credits = in_.text("credits");
    out.publications = in_.text("publications");
    note_units("length_units", {"meters", "m", "meter", "metres"}, out.warnings);
    note_units("force_units", {"N", "newton", "newtons", "Newtons"}, out.warnings);
    out.gravity = in_.vector3("gravity", out.gravity);
    read_joints();
    const OsimTree tree = build_osim_tree(frames_, joints_, out.warnings);
    out.skeleton = build_skeleton(tree);
    note_weightless(tree, out);
    list_coordinates(tree, out);
    const OsimScope scope(frames_, out.skeleton);
    for (const OsimJoint* joint : tree.loops)
      out.constraints.push_back(close_osim_loop(*joint, scope));
    read_constraints(scope, out);
    hold_coordinates(tree, out);
    out.geometry = read_osim_geometry(frames_, out.warnings, out.unsupported);
    out.contact_geometry = read_osim_contact_geometry(frames_, out.unsupported);
    read_forces(scope, out);
    read_markers(out);
    count_unsupported(out);
    return out;
  }

 private:
  /// OpenSim computes in metres and newtons regardless of the model's units.
  void note_units(const char* key, const std::set<std::string>& units,
                  std::vector<std::string>& warnings) const {
    const std::string text = in_.text(key);
    if (!text.empty() && text != "Unassigned" && !units.contains(text))
      warnings.push_back(in_.describe("its <" + std::string(key) + "> is '" + text.substr(0, 40) +
                                      "', which has no effect, as in OpenSim: numbers are in " +
                                      *units.begin()));
  }

  void require_few(const std::vector<OsimElement>& list, const char* what) const {
    if (list.size() > kMostElements)
      in_.fail("has more than 2000 " + std::string(what), "no model of a body has that many");
  }

  void read_joints() {
    require_few(frames_.bodies(), "bodies");
    for (const OsimElement& body : in_.objects("BodySet"))
      for (const OsimElement& joint : body.objects("Joint"))
        joints_.push_back(read_osim_joint(joint, frames_, body.name()));
    const std::vector<OsimElement> list = model_parts(document_, "JointSet");
    require_few(list, "joints");
    for (const OsimElement& joint : list) joints_.push_back(read_osim_joint(joint, frames_, ""));
    for (const OsimJoint& joint : joints_)
      line_of_["joint '" + joint.name + "'"] = joint.element.line();
    for (const OsimElement& body : frames_.bodies())
      line_of_["body '" + body.name() + "'"] = body.line();
  }

  /// Errors of the library get the element's line.
  template <class Build>
  auto located(Build&& build) const {
    try {
      return build();
    } catch (const Error& error) {
      if (!error.file().empty()) throw;
      const auto found = line_of_.find(error.element());
      throw error.with_location(document_.source(), found == line_of_.end() ? 0 : found->second);
    }
  }

  Skeleton build_skeleton(const OsimTree& tree) {
    for (const OsimJoint& joint : joints_)
      for (const auto& c : joint.coordinates)
        line_of_.emplace("coordinate '" + c.coordinate.name + "'", c.element.line());
    if (tree.bodies.empty()) in_.fail("has no bodies", "give it at least one");
    SkeletonBuilder builder;
    for (const BodySpec& body : tree.bodies) builder.add_body(body);
    return located([&] { return builder.build(); });
  }

  static void note_weightless(const OsimTree& tree, OsimModel& out) {
    for (const OsimElement& body : tree.weightless) {
      const char* const kProblem = "moves without mass and carries nothing that has mass";
      out.warnings.push_back(body.describe(std::string(kProblem) + ": it cannot be simulated"));
      if (!out.weightless)
        out.weightless = Error(body.label(), kProblem, "give it a mass, or weld it to its parent")
                             .with_location(body.document().source(), body.line());
    }
  }

  static void list_coordinates(const OsimTree& tree, OsimModel& out) {
    for (size_t i = 0; i < tree.bodies.size(); ++i) {
      const BodySpec& body = tree.bodies[i];
      if (tree.joints[i] == nullptr)
        for (int k = 0; k < 6; ++k)
          out.coordinates.push_back({.name = body.coordinate_names[static_cast<size_t>(k)],
                                     .joint = body.joint_name,
                                     .kind = body.joint.kind(k),
                                     .lower = -1e3,
                                     .upper = 1e3});
      else
        for (const auto& c : tree.joints[i]->coordinates) out.coordinates.push_back(c.coordinate);
    }
  }

  void read_constraints(const OsimScope& scope, OsimModel& out) const {
    const std::vector<OsimElement> list = model_parts(document_, "ConstraintSet");
    require_few(list, "constraints");
    std::set<std::string> names;
    for (const OsimElement& element : list) {
      if (is_disabled(element)) {
        element.pass_over();
        continue;
      }
      const auto constraint = located([&] { return read_osim_constraint(element, scope); });
      if (!constraint) {
        element.leave_out(out.unsupported);
        continue;
      }
      if (!names.insert(element.name()).second)
        element.fail("is defined twice", "give every constraint a unique name");
      out.constraints.push_back(constraint);
    }
  }

  /// Locked coordinates stay fixed, prescribed ones follow their function.
  void hold_coordinates(const OsimTree& tree, OsimModel& out) const {
    for (const OsimJoint* joint : tree.joints) {
      if (joint == nullptr) continue;
      for (const auto& c : joint->coordinates) {
        if (!c.coordinate.locked && !c.prescribed) continue;
        const DofIndex dof = out.skeleton.find_coordinate(c.coordinate.name);
        const TimeFunction f =
            c.coordinate.locked ? TimeFunction(c.coordinate.default_value) : *c.prescribed;
        out.constraints.push_back(std::make_shared<PrescribedCoordinate>(
            c.coordinate.name + (c.coordinate.locked ? "_locked" : "_prescribed"), dof,
            ConstraintLevel::position, f));
      }
    }
  }

  void read_forces(const OsimScope& scope, OsimModel& out) const {
    const OsimSurfaces surfaces = read_osim_surfaces(scope, out.unsupported);
    const OsimPathScope path_scope{scope, surfaces, out.coordinates, out.unsupported};
    const std::vector<OsimElement> list = model_parts(document_, "ForceSet");
    require_few(list, "forces");
    std::set<std::string> names;
    for (const OsimElement& element : list) {
      if (!names.insert(element.name()).second)
        element.fail("is defined twice", "give every force a unique name");
      std::string other;
      if (element.type() == "CoordinateActuator") {
        out.actuators.push_back(actuator_of(element, scope));
        continue;
      }
      if (is_osim_contact(element)) {
        if (is_disabled(element)) {
          element.pass_over();
          continue;
        }
        for (const auto& force :
             read_osim_contacts(element, scope, out.contact_geometry, out.unsupported))
          out.forces.push_back(force);
        continue;
      }
      if (!is_osim_muscle(element.type())) {
        const auto force = read_osim_force(element, path_scope, other);
        if (!force)
          element.leave_out(out.unsupported, other);
        else if (!is_disabled(element))
          out.forces.push_back(force);
        continue;
      }
      if (std::optional<OpenSimPath> path = read_osim_path(element, path_scope, other))
        out.paths.push_back(muscle_of(element, std::move(*path), out.warnings));
      else
        element.leave_out(out.unsupported, other);
    }
    warn_of_paths_alone(out);
  }

  static OsimActuator actuator_of(const OsimElement& in, const OsimScope& scope) {
    OsimActuator out;
    out.name = in.name();
    out.dof = scope.coordinate(in, in.text("coordinate"));
    out.optimal_force = in.number("optimal_force", 1);
    out.control = read_control_range(in, {-kInfinity, kInfinity});
    out.applies = !is_disabled(in);
    return out;
  }

  static OsimPath muscle_of(const OsimElement& element, OpenSimPath path,
                            std::vector<std::string>& warnings) {
    OsimPath out;
    out.type = element.type();
    out.muscle = true;
    out.applies = !is_disabled(element);
    out.path = std::move(path);
    out.hill = read_osim_muscle(element, warnings);
    out.control = read_control_range(element);
    out.properties = numbers_of(element);
    return out;
  }

  void warn_of_paths_alone(OsimModel& out) const {
    std::map<std::string, int> types;
    for (const OsimPath& path : out.paths)
      if (path.muscle && !path.hill) ++types[path.type];
    for (const auto& [type, count] : types)
      out.warnings.push_back(document_.source() + ": " + std::to_string(count) + " " + type +
                             ": their paths are read, their forces are not");
    const int muscles = count_osim_muscles(document_);
    const bool any = std::any_of(out.paths.begin(), out.paths.end(),
                                 [](const OsimPath& path) { return path.hill.has_value(); });
    if (muscles > 0 && !any)
      out.warnings.push_back(document_.source() + ": NONE OF ITS " + std::to_string(muscles) +
                             " MUSCLES CAN PULL: it moves as if it had no muscles; use "
                             "Thelen2003, Millard2012Equilibrium or DeGrooteFregly2016");
  }

  void read_markers(OsimModel& out) const {
    for (const OsimElement& marker : model_parts(document_, "MarkerSet")) {
      if (marker.type() != "Marker") {
        marker.leave_out(out.unsupported);
        continue;
      }
      const OsimFrame frame = frames_.socket(marker, "parent_frame", "body");
      out.markers.push_back(
          {marker.name(), frame.body, frame.E_BF * marker.vector3("location", Vec3::Zero())});
    }
  }

  /// Everything that has an effect in OpenSim but none in Sinew.
  void count_unsupported(OsimModel& out) const {
    for (const char* set : {"ControllerSet", "ProbeSet"})
      for (const OsimElement& element : model_parts(document_, set))
        element.leave_out(out.unsupported);
    count_osim_unread(document_, out.unsupported);
  }

  const OsimDocument& document_;
  OsimElement in_;
  OsimFrames frames_;
  std::vector<OsimJoint> joints_;
  std::map<std::string, int> line_of_;
};

void require_nothing_left_out(const OsimModel& model, const std::string& source) {
  if (model.unsupported.empty()) return;
  std::string list;
  for (const auto& [type, count] : model.unsupported)
    list += (list.empty() ? "" : ", ") + std::to_string(count) + " " + type;
  throw Error("model '" + model.name + "'", "has elements that cannot be read: " + list,
              "remove them, or omit --strict")
      .with_location(source, 0);
}

/// One warning for all missing meshes.
void find_meshes(const OsimOptions& options, OsimModel& model) {
  std::vector<std::filesystem::path> folders = options.geometry_folders;
  for (auto& folder : geometry_path_of_environment()) folders.push_back(std::move(folder));
  std::set<std::string> files, missing;
  const auto look = [&](auto& shape) {
    if (shape.file.empty()) return;
    shape.path = find_osim_mesh(shape.file, model.path, folders);
    files.insert(shape.file);
    if (shape.path.empty()) missing.insert(shape.file);
  };
  for (OsimGeometry& shape : model.geometry) look(shape);
  for (OsimContactGeometry& shape : model.contact_geometry) look(shape);
  if (missing.empty()) return;
  model.warnings.push_back(model.path.string() + ": " + std::to_string(missing.size()) + " of " +
                           std::to_string(files.size()) + " mesh files are not found, '" +
                           missing.begin()->substr(0, 100) +
                           "' for one; put them into Geometry/ beside the model, or their folder "
                           "into SINEW_GEOMETRY_PATH, to have them drawn");
}

}  // namespace

namespace {

void require_unlocked(const OsimModel& model, const RunStart& run) {
  for (const OsimCoordinate& c : model.coordinates) {
    const auto found = run.values.find(c.name);
    if (c.locked && found != run.values.end() && std::abs(found->second - c.default_value) > 1e-9)
      throw Error("coordinate '" + c.name + "'",
                  "is locked at " + std::to_string(c.default_value) + " and cannot start elsewhere",
                  "leave it out, or unlock it in the model");
  }
}

std::shared_ptr<const Force> drive_of(const OsimActuator& actuator) {
  return std::make_shared<CoordinateDrive>(
      actuator.name, actuator.dof, actuator.optimal_force, 0.0,
      CoordinateDrive::Range{actuator.control.lower, actuator.control.upper});
}

/// Whether nothing searches, jumps or moves along a body.
bool is_fixed_row(const OpenSimPath& path) {
  return path.surfaces.empty() &&
         std::all_of(path.points.begin(), path.points.end(), [](const OpenSimPathPoint& point) {
           return !point.condition.valid() && point.motions.empty();
         });
}

}  // namespace

Muscle muscle_of(const OsimPath& path) {
  Muscle out;
  out.name = path.path.name;
  out.opensim_path = std::make_shared<const OpenSimPath>(path.path);
  if (!path.pulls()) return out;
  out.hill = path.hill;
  out.hill->excitation = std::max(0.0, path.control.lower);
  return out;
}

SystemBuilder OsimModel::system_builder(const RunStart& run) const {
  return system_builder(run, {skeleton, {}, {}, {}, {}, {}, {}, {}});
}

SystemBuilder OsimModel::system_builder(const RunStart& run, const MassTransfer& placed,
                                        OsimPulls pulls) const {
  if (weightless) throw *weightless;
  SystemBuilder builder(placed.skeleton);
  builder.set_gravity(gravity);
  for (const auto& force : forces) builder.add_force(force);
  for (const auto& constraint : constraints) builder.add_constraint(constraint);
  for (const OsimActuator& actuator : actuators)
    if (actuator.applies) builder.add_force(drive_of(actuator));
  for (const OsimPath& of : paths) {
    Muscle muscle = muscle_of(of);
    const auto mass = std::find_if(placed.muscles.begin(), placed.muscles.end(),
                                   [&](const Muscle& m) { return m.name == muscle.name; });
    if (mass != placed.muscles.end()) {
      const Muscle pull = std::exchange(muscle, *mass);
      // A row of fixed points is the same path for both: it is evaluated once.
      if (pulls == OsimPulls::by_opensim && (!muscle.has_mass() || !is_fixed_row(of.path)))
        muscle.opensim_path = pull.opensim_path;
      muscle.hill = pull.hill;
    } else if (!of.pulls()) {
      continue;
    }
    builder.add_muscle(muscle);
  }
  require_unlocked(*this, run);
  return builder.start(run);
}

OsimModel parse_osim(std::string_view text, const std::string& source, const OsimOptions& options) {
  const OsimDocument document(text, source);
  OsimEdits edits(document);
  for (const std::string& assignment : options.set) edits.apply(assignment);
  OsimModel model = ModelReader(document).read();
  edits.require_read();
  model.content_hash = fnv1a(text);
  if (options.strict) require_nothing_left_out(model, source);
  return model;
}

OsimModel load_osim(const std::filesystem::path& path, const OsimOptions& options) {
  OsimModel model = parse_osim(read_text_file(path), path.string(), options);
  model.path = path;
  find_meshes(options, model);
  return model;
}

}  // namespace sinew
