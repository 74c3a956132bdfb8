#include "report_model.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "sinew/analysis/muscle_drawing.hpp"
#include "sinew/constraints/smooth_contact.hpp"
#include "sinew/dynamics/cable.hpp"
#include "sinew/dynamics/forces.hpp"

namespace sinew::cli {
namespace {

using nlohmann::ordered_json;

ordered_json numbers(const Vec3& x) { return {x[0], x[1], x[2]}; }

/// {"position": …, "quaternion": …}.
ordered_json place(const Pose& E) {
  std::vector<double> flat;
  append_pose(E, flat);
  return {{"position", {flat[0], flat[1], flat[2]}},
          {"quaternion", {flat[3], flat[4], flat[5], flat[6]}}};
}

/// A solid in its own frame.
struct DescribeShape {
  ReportData& data;

  ordered_json operator()(const Cuboid& s) const {
    return {{"type", "cuboid"}, {"sides", numbers(s.sides)}};
  }
  ordered_json operator()(const Sphere& s) const {
    return {{"type", "sphere"}, {"radius", s.radius}};
  }
  ordered_json operator()(const Cylinder& s) const {
    return {{"type", "cylinder"}, {"radius", s.radius}, {"height", s.height}};
  }
  ordered_json operator()(const Capsule& s) const {
    return {{"type", "capsule"}, {"radius", s.radius}, {"height", s.height}};
  }
  ordered_json operator()(const Ellipsoid& s) const {
    return {{"type", "ellipsoid"}, {"radii", numbers(s.radii)}};
  }
  ordered_json operator()(const TriangleMesh& s) const {
    std::vector<double> vertices;
    std::vector<int> triangles;
    for (const Vec3& x : s.vertices) vertices.insert(vertices.end(), x.begin(), x.end());
    for (const auto& t : s.triangles) triangles.insert(triangles.end(), t.begin(), t.end());
    return {{"type", "mesh"},
            {"vertices", data.floats(vertices)},
            {"triangles", data.indices(triangles)}};
  }
};

/// The uniform solid ellipsoid with the body's mass and inertia; null where no real body has it.
ordered_json inertia_ellipsoid(const SpatialInertia& M_B) {
  if (!(M_B.mass > 0)) return nullptr;
  const PrincipalInertia principal = principal_inertia(M_B);
  const Vec3& I = principal.moments;
  const Vec3 squares =
      2.5 / M_B.mass * Vec3(I[1] + I[2] - I[0], I[2] + I[0] - I[1], I[0] + I[1] - I[2]);
  if (!(squares.minCoeff() > -1e-9 * squares.maxCoeff() && squares.maxCoeff() > 0)) return nullptr;
  ordered_json out = place(principal.E_BI);
  out["radii"] = numbers(squares.cwiseMax(0).cwiseSqrt());
  return out;
}

/// Lines that stand for a body without shapes: from its joint to the joints of its children, or
/// through its centre of mass. Body frame.
ordered_json sticks(const Skeleton& skeleton, int index) {
  const Body& body = skeleton.bodies()[static_cast<size_t>(index)];
  const Vec3 from = body.E_JB.inverse().p;
  ordered_json out = ordered_json::array();
  const auto add = [&](const Vec3& to) {
    if ((to - from).norm() > 1e-6) out.push_back({numbers(from), numbers(to)});
  };
  for (const Body& child : skeleton.bodies())
    if (child.parent == index) add(child.E_PJ.p);
  if (out.empty() && body.M_B.mass > 0) add(2 * body.M_B.com() - from);
  return out;
}

ordered_json describe_bodies(const ReportModel& model, ReportData& data,
                             std::vector<std::string>& notes) {
  const Skeleton& skeleton = model.system.skeleton();
  ordered_json out = ordered_json::array();
  int bare = 0;
  for (int i = 0; i < skeleton.body_count(); ++i) {
    const auto k = static_cast<size_t>(i);
    const Body& body = skeleton.bodies()[k];
    ordered_json one = {{"name", body.name},
                        {"parent", body.parent.value},
                        {"mass", body.M_B.mass},
                        {"joint", place(body.E_PJ)}};
    one["joint"]["name"] = body.joint_name;
    one["joint"]["type"] = body.joint.type_name();
    if (body.M_B.mass > 0) one["com"] = numbers(body.M_B.com());
    one["shapes"] = ordered_json::array();
    if (k < model.shapes.size())
      for (const ShapePart& part : model.shapes[k]) {
        ordered_json shape = std::visit(DescribeShape{data}, part.shape);
        shape.update(place(part.E_BS));
        one["shapes"].push_back(shape);
      }
    one["sticks"] = ordered_json::array();
    if (one["shapes"].empty()) {
      one["sticks"] = sticks(skeleton, i);
      ++bare;
    }
    one["ellipsoid"] = inertia_ellipsoid(body.M_B);
    out.push_back(one);
  }
  if (bare > 0)
    notes.push_back(std::to_string(bare) + (bare == 1 ? " body has" : " bodies have") +
                    " no geometry in the model: drawn as sticks between joints, with the ellipsoid "
                    "that has the same inertia.");
  return out;
}

/// What a muscle wraps around, in the frame of the surface; null where it cannot be drawn.
struct DescribeSurface {
  ordered_json operator()(const Straight&) const { return nullptr; }
  ordered_json operator()(const CylinderWrap& w) const {
    return {{"type", "cylinder"},
            {"radius", w.radius},
            {"height", std::isfinite(w.half_length) ? ordered_json(2 * w.half_length) : nullptr}};
  }
  ordered_json operator()(const SphereWrap& w) const {
    return {{"type", "sphere"}, {"radius", w.radius}};
  }
  ordered_json operator()(const DoubleCylinderWrap& w) const {
    ordered_json circles = ordered_json::array();
    for (const DoubleCylinderWrap::Circle& c : w.circle)
      circles.push_back({{"x", c.x}, {"y", c.y}, {"radius", c.radius}});
    return {{"type", "double-cylinder"}, {"circles", circles}};
  }
  ordered_json operator()(const EllipsoidWrap& w) const {
    return {{"type", "ellipsoid"}, {"radii", numbers(w.semi_axes)}};
  }
  ordered_json operator()(const TorusWrap& w) const {
    return {{"type", "torus"}, {"radius", w.radius}, {"tube", w.tube}};
  }
  ordered_json operator()(const CappedCylinderWrap& w) const {
    return {{"type", "capped-cylinder"}, {"radius", w.radius}};
  }
  ordered_json operator()(const ImplicitWrap&) const { return "implicit"; }
  ordered_json operator()(const NeuralWrap& w) const {
    return {{"type", "cylinder"}, {"radius", w.radius}, {"height", nullptr}};
  }
};

/// All surfaces, each once: muscles often share them.
ordered_json describe_surfaces(const System& system, std::vector<std::string>& notes) {
  std::map<std::string, size_t> known;
  ordered_json out = ordered_json::array();
  for (const auto& muscle : system.muscles())
    for (const PathSpan& span : muscle->muscle().spans) {
      ordered_json one = std::visit(DescribeSurface{}, span.wrap);
      if (one.is_null()) continue;
      if (one.is_string()) {
        notes.push_back("The surface that muscle '" + muscle->name() +
                        "' wraps around is given by a function and is not drawn.");
        continue;
      }
      one.update(place(span.E_BS));
      one["body"] = span.body.value;
      const auto [found, fresh] = known.emplace(one.dump(), out.size());
      if (fresh) {
        one["muscles"] = ordered_json::array();
        out.push_back(one);
      }
      ordered_json& users = out[found->second]["muscles"];
      if (users.empty() || users.back() != muscle->name()) users.push_back(muscle->name());
    }
  return out;
}

ordered_json describe_muscles(const System& system) {
  ordered_json out = ordered_json::array();
  for (const auto& element : system.muscles()) {
    const Muscle& muscle = element->muscle();
    const MaterialMap& map = muscle.material;
    ordered_json regions = ordered_json::array();
    for (const MassRegion& r : muscle.regions)
      regions.push_back({r.begin, r.end, r.c0, r.c1, r.c2});
    if (muscle.has_mass() && regions.empty()) regions.push_back({0, 1, muscle.mass, 0, 0});
    out.push_back({{"name", muscle.name},
                   {"mass", muscle.mass},
                   {"points", drawing_points(muscle)},
                   {"lumps", muscle.mass_model == MassModel::points ? muscle.lumps : 0},
                   {"material", {map.A0, map.A1, map.B0, map.B1}},
                   {"regions", regions}});
  }
  return out;
}

/// World planes that bodies touch: a point and the normal of each.
ordered_json describe_ground(const System& system) {
  ordered_json out = ordered_json::array();
  const auto add = [&](const Vec3& point, const Vec3& normal) {
    const ordered_json one = {{"point", numbers(point)}, {"normal", numbers(normal.normalized())}};
    if (std::find(out.begin(), out.end(), one) == out.end()) out.push_back(one);
  };
  for (const ContactSurface& s : system.unilaterals().contacts.surfaces())
    if (s.body == kWorld && std::holds_alternative<Plane>(s.shape)) add(s.E_BS.p, s.E_BS.R.col(1));
  for (const auto& force : system.forces())
    if (const auto* contact = dynamic_cast<const SmoothContact*>(force.get()))
      if (contact->plane().body == kWorld) add(contact->plane().point, contact->plane().normal);
  return out;
}

/// Names of forces between bodies that have no place in the picture.
void note_springs(const System& system, std::vector<std::string>& notes) {
  std::string names;
  for (const auto& force : system.forces())
    if (dynamic_cast<const PointSpring*>(force.get()) != nullptr ||
        dynamic_cast<const Cable*>(force.get()) != nullptr)
      names += (names.empty() ? "'" : ", '") + force->name() + "'";
  if (!names.empty()) notes.push_back("Springs and cables are not drawn: " + names + ".");
}

}  // namespace

void append_pose(const Pose& E, std::vector<double>& out) {
  const Eigen::Quaterniond rotation(E.R);
  out.insert(out.end(),
             {E.p[0], E.p[1], E.p[2], rotation.x(), rotation.y(), rotation.z(), rotation.w()});
}

ordered_json describe_model(const ReportModel& model, ReportData& data,
                            std::vector<std::string>& notes) {
  const Skeleton& skeleton = model.system.skeleton();
  ordered_json markers = ordered_json::array();
  for (const OsimMarker& marker : model.markers)
    for (int i = 0; i < skeleton.body_count(); ++i)
      if (skeleton.bodies()[static_cast<size_t>(i)].name == marker.body)
        markers.push_back({{"name", marker.name}, {"body", i}, {"position", numbers(marker.x_B)}});
  note_springs(model.system, notes);
  double mass = 0;
  for (const Body& body : skeleton.bodies()) mass += body.M_B.mass;
  for (const auto& muscle : model.system.muscles()) mass += muscle->muscle().mass;
  return {{"bodies", describe_bodies(model, data, notes)},
          {"muscles", describe_muscles(model.system)},
          {"surfaces", describe_surfaces(model.system, notes)},
          {"markers", markers},
          {"ground", describe_ground(model.system)},
          {"gravity", numbers(model.system.gravity())},
          {"mass", mass}};
}

}  // namespace sinew::cli
