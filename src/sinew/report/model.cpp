#include "sinew/report/model.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "sinew/analysis/muscle_paths.hpp"
#include "sinew/analysis/muscle_state.hpp"
#include "sinew/constraints/contact/smooth_contact.hpp"
#include "sinew/muscles/opensim/opensim_path_drawing.hpp"
#include "sinew/muscles/transfer/muscle_masses.hpp"
#include "sinew/muscles/wrap/distance_grid.hpp"
#include "sinew/report/joint_guides.hpp"
#include "sinew/report/report_frame.hpp"
#include "sinew/report/report_geometry.hpp"
#include "sinew/report/strand_record.hpp"

namespace sinew {
namespace {

using nlohmann::ordered_json;

/// The uniform solid ellipsoid with the body's mass and inertia; null if no real body has it.
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

ordered_json describe_shapes(const std::vector<DrawnShape>& shapes, ReportData& data) {
  ordered_json out = ordered_json::array();
  for (const DrawnShape& shape : shapes) out.push_back(describe_shape(shape, data));
  return out;
}

ordered_json describe_bodies(const Skeleton& skeleton, const DrawnShapes& shapes, ReportData& data,
                             std::vector<std::string>& notes) {
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
    one["shapes"] = describe_shapes(shapes.bodies[k], data);
    one["sticks"] = ordered_json::array();
    if (one["shapes"].empty()) {
      for (const auto& [from, to] : sticks(skeleton, i))
        one["sticks"].push_back({numbers(from), numbers(to)});
      ++bare;
    }
    one["ellipsoid"] = inertia_ellipsoid(body.M_B);
    out.push_back(one);
  }
  if (bare > 0)
    notes.push_back(std::to_string(bare) + (bare == 1 ? " body has" : " bodies have") +
                    " no geometry: drawn as sticks between joints. The ellipsoid that has "
                    "the same inertia can be shown.");
  return out;
}

/// The surface of a muscle, in the frame of the surface; null if there is none, text if it cannot
/// be drawn.
struct DescribeSurface {
  ReportData& data;

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
  ordered_json operator()(const ImplicitWrap& w) const {
    const auto* grid = dynamic_cast<const DistanceGrid*>(w.level.get());
    if (grid == nullptr || grid->mesh() == nullptr) return "implicit";
    return describe_mesh(*grid->mesh(), data);
  }
  ordered_json operator()(const PulleyWrap& w) const {
    return {{"type", "cylinder"}, {"radius", w.radius}, {"height", nullptr}};
  }
  ordered_json operator()(const NeuralWrap& w) const {
    return {{"type", "cylinder"}, {"radius", w.radius}, {"height", nullptr}};
  }
};

ordered_json describe_surface(const PathSurface& surface, ReportData& data) {
  ordered_json out = {{"name", surface.name}};
  out.update(std::visit(DescribeSurface{data}, surface.wrap));
  return out;
}

/// All surfaces, each once: muscles often share them.
class SurfaceList {
 public:
  void add(ordered_json one, BodyIndex body, const Pose& E_BS, const std::string& muscle) {
    one.update(place(E_BS));
    one["body"] = body.value;
    const auto [found, fresh] = known_.emplace(one.dump(), out_.size());
    if (fresh) {
      one["muscles"] = ordered_json::array();
      out_.push_back(one);
    }
    ordered_json& users = out_[found->second]["muscles"];
    if (users.empty() || users.back() != muscle) users.push_back(muscle);
  }
  const ordered_json& list() const { return out_; }

 private:
  std::map<std::string, size_t> known_;
  ordered_json out_ = ordered_json::array();
};

ordered_json describe_surfaces(const System& system, ReportData& data,
                               std::vector<std::string>& notes) {
  SurfaceList out;
  for (const auto& muscle : system.muscles()) {
    if (muscle->opensim_path()) {
      for (const OpenSimPathSurface& met : muscle->opensim_path()->path().surfaces)
        if (const PathSurface& s = *met.surface; s.active)
          out.add(describe_surface(s, data), s.body, s.E_BS, muscle->name());
      continue;
    }
    for (const PathSpan& span : muscle->muscle().spans) {
      const ordered_json one = std::visit(DescribeSurface{data}, span.wrap);
      if (one.is_string())
        notes.push_back("The surface that muscle '" + muscle->name() +
                        "' wraps around is given by a function and is not drawn.");
      else if (!one.is_null())
        out.add(one, span.body, span.E_BS, muscle->name());
    }
  }
  if (system.strands() == nullptr) return out.list();
  for (const StrandGuide& guide : system.strands()->guides()) {
    if (std::holds_alternative<PulleyWrap>(guide.wrap)) continue;
    ordered_json one = {{"name", guide.name}};
    const ordered_json surface = std::visit(DescribeSurface{data}, guide.wrap);
    if (!surface.is_object()) continue;
    one.update(surface);
    for (const Strand& strand : system.strands()->strands())
      for (const StrandPoint& point : strand.points)
        if (point.guide == guide.name) out.add(one, guide.body, guide.E_BS, strand.name);
  }
  return out.list();
}

/// The lengths of muscles where the model begins [m].
std::vector<double> first_lengths(const System& system) {
  if (system.muscles().empty()) return {};
  Workspace ws(system);
  VecX controls(system.controls().size());
  const State state = system.described_state();
  std::vector<MusclePath> paths;
  update_muscle_paths(system, at_state(state, system.controls(), controls), ws, paths);
  std::vector<double> out;
  for (const MusclePath& path : paths) out.push_back(path.length);
  return out;
}

/// Of its mass or, where it has none, of its strength.
DrawnBelly drawn_belly(const Muscle& muscle, double first_length) {
  DrawnBelly out{muscle.material, muscle.mass / kMuscleDensity};
  if (!muscle.hill) return out;
  const HillMuscle& hill = muscle.hill->muscle;
  out.pennation = hill.pennation_at_optimal;
  if (muscle.has_mass()) return out;
  out.map = belly_of(hill, first_length);
  out.volume = hill.max_isometric_force * hill.optimal_fibre_length / kSpecificTension;
  return out;
}

ordered_json describe_muscles(const System& system) {
  ordered_json out = ordered_json::array();
  const std::vector<DrawnBelly> bellies = drawn_bellies(system);
  for (size_t k = 0; k < bellies.size(); ++k) {
    const MuscleElement& element = *system.muscles()[k];
    const Muscle& muscle = element.muscle();
    const DrawnBelly& belly = bellies[k];
    const MaterialMap& map = belly.map;
    ordered_json regions = ordered_json::array();
    for (const MassRegion& r : muscle.regions)
      regions.push_back({r.begin, r.end, r.c0, r.c1, r.c2});
    if (muscle.has_mass() && regions.empty()) regions.push_back({0, 1, muscle.mass, 0, 0});
    out.push_back({{"name", muscle.name},
                   {"mass", muscle.mass},
                   {"points", drawing_points(element)},
                   {"lumps", muscle.mass_model == MassModel::points ? muscle.lumps : 0},
                   {"material", {map.A0, map.A1, map.B0, map.B1}},
                   {"volume", belly.volume},
                   {"pennation", belly.pennation},
                   {"regions", regions}});
  }
  return out;
}

/// Path points: their positions on their bodies or, for those that move there, their index into
/// frames.anchors.
ordered_json describe_anchors(const System& system) {
  const std::vector<MovingAnchor> moving = moving_anchors(system);
  ordered_json out = ordered_json::array();
  size_t muscle = 0, next = 0;
  const auto add = [&](size_t point, BodyIndex body, const Vec3& x_B) {
    const bool moves =
        next < moving.size() && moving[next].muscle == muscle && moving[next].point == point;
    ordered_json one = {{"muscle", muscle}};
    if (moves)
      one["moving"] = next++;
    else
      one.update({{"body", body.value}, {"position", numbers(x_B)}});
    out.push_back(one);
  };
  for (const auto& element : system.muscles()) {
    if (element->opensim_path()) {
      const std::vector<OpenSimPathPoint>& points = element->opensim_path()->path().points;
      for (size_t k = 0; k < points.size(); ++k) add(k, points[k].body, points[k].x_B);
    } else {
      const std::vector<PathPoint>& points = element->muscle().points;
      for (size_t k = 0; k < points.size(); ++k)
        add(k, points[k].terms[0].body, points[k].terms[0].x_B);
    }
    ++muscle;
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
    if (const ContactPlane* plane = force->arrow().from; plane && plane->body == kWorld)
      add(plane->point, plane->normal);
  return out;
}

ordered_json describe_lines(const System& system) {
  ordered_json out = ordered_json::array();
  for (const MovingShape& line : drawn_lines(system))
    out.push_back({{"name", line.name}, {"kind", line.kind}, {"points", line.points}});
  return out;
}

ordered_json describe_deforming(const System& system, ReportData& data) {
  ordered_json out = ordered_json::array();
  for (const MovingShape& surface : drawn_surfaces(system)) {
    out.push_back({{"name", surface.name},
                   {"vertices", surface.points},
                   {"triangles", data.indices(surface.triangles)}});
    if (surface.kind == "sheet") out.back()["color"] = {0.55, 0.68, 0.8};
  }
  return out;
}

}  // namespace

std::vector<DrawnBelly> drawn_bellies(const System& system) {
  std::vector<DrawnBelly> out;
  const std::vector<double> lengths = first_lengths(system);
  for (size_t k = 0; k < lengths.size(); ++k)
    out.push_back(drawn_belly(system.muscles()[k]->muscle(), lengths[k]));
  return out;
}

ordered_json describe_model(const ReportModel& model, ReportData& data,
                            std::vector<std::string>& notes) {
  const Skeleton& skeleton = model.system.skeleton();
  ordered_json markers = ordered_json::array();
  for (const OsimMarker& marker : model.look.markers)
    for (int i = -1; i < skeleton.body_count(); ++i)
      if ((i < 0 ? "ground" : skeleton.bodies()[static_cast<size_t>(i)].name) == marker.body)
        markers.push_back({{"name", marker.name}, {"body", i}, {"position", numbers(marker.x_B)}});
  const DrawnShapes shapes = drawn_shapes(skeleton, model.look, notes);
  double mass = 0;
  for (const Body& body : skeleton.bodies()) mass += body.M_B.mass;
  for (const auto& muscle : model.system.muscles()) mass += muscle->muscle().mass;
  return {{"bodies", describe_bodies(skeleton, shapes, data, notes)},
          {"fixed", describe_shapes(shapes.fixed, data)},
          {"muscles", describe_muscles(model.system)},
          {"surfaces", describe_surfaces(model.system, data, notes)},
          {"anchors", describe_anchors(model.system)},
          {"deforming", describe_deforming(model.system, data)},
          {"lines", describe_lines(model.system)},
          {"strands", describe_strands(model.system)},
          {"pulleys", describe_pulleys(model.system)},
          {"wires", describe_wires(skeleton, data)},
          {"markers", markers},
          {"ground", describe_ground(model.system)},
          {"gravity", numbers(model.system.gravity())},
          {"mass", mass}};
}

}  // namespace sinew
