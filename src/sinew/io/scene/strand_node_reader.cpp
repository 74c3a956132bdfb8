#include <cmath>

#include "sinew/io/scene/element_lookup.hpp"
#include "sinew/io/scene/strand_reader.hpp"

// Nodes of strands: free, on bodies, on curves and surfaces, between others.

namespace sinew {
namespace {

constexpr size_t kMostControls = 10000;
constexpr double kTubePieces = 16, kMostTubePieces = 1000;

std::vector<std::string> read_controls(const ObjectReader& in, const std::vector<JsonNode>& list) {
  if (list.size() > kMostControls)
    in.fail(in.line(), "has too many control points", "give at most 10000");
  std::vector<std::string> out;
  for (const JsonNode& node : list) out.push_back(in.ValueReader::name(node, "nodes"));
  return out;
}

CurveEnds read_ends(const ObjectReader& in) {
  return static_cast<CurveEnds>(in.choice_or("ends", 0, {"plain", "wrapped", "capped"}));
}

/// A frame fixed to a body: an origin and the ends of its unit vectors, as many as asked for.
std::vector<std::string> add_frame(const ObjectReader& in, const std::string& name, double scale,
                                   int axes, const Skeleton& skeleton,
                                   std::vector<StrandNode>& nodes) {
  const BodyIndex body = resolve_body(in, in.at("body"), "body", skeleton);
  const Pose pose = in.pose_or_identity("placement");
  std::vector<std::string> out = {name + ":origin"};
  nodes.push_back({out[0], RigidNode{body, pose.p}});
  for (int k = 0; k < axes; ++k) {
    out.push_back(name + ":" + "xyz"[k]);
    nodes.push_back({out.back(), RigidNode{body, pose * Vec3(scale * Vec3::Unit(k))}});
  }
  return out;
}

/// The rows of a grid, one after the other.
BSplineSurface read_grid(const ObjectReader& in, std::vector<std::string>& controls) {
  const std::vector<JsonNode>& rows = in.list("rows");
  BSplineSurface out;
  for (const JsonNode& row : rows) {
    in.require(row, JsonNode::Type::array, "rows");
    const std::vector<std::string> names = read_controls(in, row.items);
    if (out.rows++ == 0) out.columns = static_cast<int>(names.size());
    if (static_cast<int>(names.size()) != out.columns)
      in.fail(row.line, "has rows of different lengths", "give a grid of control points");
    controls.insert(controls.end(), names.begin(), names.end());
  }
  if (controls.size() > kMostControls)
    in.fail(in.line(), "has too many control points", "give at most 10000");
  return out;
}

/// The shape of a node of this type, and its control points.
NodeShape read_shape(const ObjectReader& in, const std::string& type, const std::string& name,
                     const Skeleton& skeleton, std::vector<StrandNode>& nodes,
                     std::vector<std::string>& controls) {
  const double metre = in.context().units.length;
  const auto frame = [&](double scale, int axes) {
    controls = add_frame(in, name, scale, axes, skeleton, nodes);
  };
  if (type == "patch") return read_grid(in, controls);
  if (type == "circle") {
    frame(in.positive("radius", metre), 2);
    return EllipseCurve{};
  }
  if (type == "sphere") {
    frame(1, 3);
    return EllipsoidSurface{Vec3::Constant(in.positive("radius", metre))};
  }
  if (type == "ellipsoid") {
    frame(1, 3);
    return EllipsoidSurface{in.vector3("semi_axes", metre)};
  }
  if (type == "cylinder") {
    frame(1, 3);
    return CylinderSurface{in.positive("radius", metre)};
  }
  if (type == "torus") {
    frame(1, 3);
    return TorusSurface{in.positive("radius", metre), in.positive("tube", metre)};
  }
  controls = read_controls(in, in.list("nodes"));
  if (type == "polyline")
    return PolylineCurve{read_ends(in), in.positive_or("rounding", PolylineCurve{}.rounding)};
  if (type == "b-spline") return BSplineCurve{read_ends(in)};
  if (type == "ellipse") return EllipseCurve{};
  return Blend{in.numbers(in.at("weights"), -1, "weights")};
}

/// The coordinates of a node on its shape: one number or two.
Eigen::Vector2d read_coordinates(const ObjectReader& in, const char* key, const NodeShape& shape) {
  Eigen::Vector2d out = Eigen::Vector2d::Zero();
  const int count = coordinate_count(shape);
  if (count == 0 || !in.has(key)) return out;
  if (count == 1) {
    out[0] = in.number(key);
    return out;
  }
  const std::vector<double> values = in.numbers(in.at(key), 2, key);
  const bool height = std::holds_alternative<CylinderSurface>(shape);
  return {values[0], height ? values[1] * in.context().units.length : values[1]};
}

}  // namespace

/// A pulley, with a "radius", or any surface, with "around".
StrandGuide read_guide(const SceneContext& context, const JsonNode& node, const Skeleton& skeleton,
                       WrapFiles& files) {
  const ObjectReader unnamed(context, node, "guide", scene_keys::kGuide);
  StrandGuide out;
  out.name = unnamed.name("name");
  const ObjectReader in(context, node, "guide '" + out.name + "'", scene_keys::kGuide);
  out.body = resolve_body(in, in.at("body"), "body", skeleton);
  out.E_BS = in.pose_or_identity("placement");
  if (in.has("radius") == in.has("around"))
    in.fail(in.line(), "needs one of 'radius' and 'around'",
            "give the radius of a pulley, or a surface that strands run around");
  if (in.has("around")) {
    for (const char* key : {"side", "hold"})
      if (in.has(key))
        in.fail(in.at(key).line, "has a '" + std::string(key) + "', but is no pulley",
                "leave it out, or give a 'radius' instead of 'around'");
    WrapDefaults defaults;
    defaults.model = WrapModelName::exact;
    defaults.files = &files;
    out.wrap = read_wrap(in, in.at("around"), defaults);
    return out;
  }
  PulleyWrap pulley;
  pulley.radius = in.positive("radius", context.units.length);
  if (in.choice_or("side", 0, {"counter-clockwise", "clockwise"}) == 1)
    pulley.side = WrapSide::clockwise;
  out.wrap = pulley;
  if (!in.has("hold")) return out;
  if (in.at("hold").type == JsonNode::Type::object) {
    const ObjectReader hold(context, in.at("hold"), in.element(), scene_keys::kGuideFriction);
    out.hold = GuideHold::friction;
    out.friction.coefficient = hold.not_negative_or("friction", 0);
    out.friction.creep = hold.not_negative_or("creep", out.friction.creep, context.units.length);
    out.friction.mass = hold.not_negative_or("mass", 0, context.units.mass);
    return out;
  }
  if (in.choice_or("hold", 0, {"slip", "grip"}) == 1) out.hold = GuideHold::grip;
  return out;
}

/// The curve becomes `pieces` straight ones between nodes at constant weights of its control
/// points.
void read_tube(const SceneContext& context, const JsonNode& node, StrandTubes& tubes,
               std::vector<StrandNode>& nodes) {
  const ObjectReader unnamed(context, node, "guide", scene_keys::kTube);
  const std::string name = unnamed.name("name");
  const ObjectReader in(context, node, "guide '" + name + "'", scene_keys::kTube);
  if (tubes.contains(name)) in.fail(in.line(), "is defined twice", "give each a unique name");
  const ObjectReader curve(context, in.at("along"), in.element(), scene_keys::kTubeCurve);
  const std::vector<std::string> controls = read_controls(curve, curve.list("nodes"));
  NodeShape shape;
  const size_t type = curve.choice("type", {"polyline", "b-spline", "ellipse"});
  if (type == 0)
    shape =
        PolylineCurve{read_ends(curve), curve.positive_or("rounding", PolylineCurve{}.rounding)};
  else if (type == 1)
    shape = BSplineCurve{read_ends(curve)};
  else
    shape = EllipseCurve{};
  validate(shape, controls.size(), in.element());
  std::vector<double> range = {0, static_cast<double>(controls.size()) - 1};
  if (curve.has("range")) {
    range = curve.numbers(curve.at("range"), 2, "range");
  } else if (type == 2) {
    curve.fail(curve.line(), "has no 'range'", "give the angles at both ends of the tube");
  }
  const double pieces = in.positive_or("pieces", kTubePieces);
  if (pieces != std::floor(pieces) || pieces > kMostTubePieces)
    in.fail(in.at("pieces").line, "'pieces' is not a whole number from 1 to 1000",
            "say how many straight pieces stand for the curve");
  const auto count = static_cast<int>(pieces);
  for (int k = 0; k <= count; ++k) {
    const double share = k / pieces;
    std::vector<double> weights(controls.size(), 0);
    for_each_weight(shape, controls.size(),
                    Eigen::Vector2d((1 - share) * range[0] + share * range[1], 0),
                    [&](const NodeWeight& w) { weights[w.control] += w.w; });
    ShapedNode at{Blend{}, {}};
    for (size_t c = 0; c < controls.size(); ++c) {
      if (weights[c] == 0) continue;
      at.controls.push_back(controls[c]);
      std::get<Blend>(at.shape).weights.push_back(weights[c]);
    }
    nodes.push_back({name + ":" + std::to_string(k), std::move(at)});
    tubes[name].push_back(nodes.back().name);
  }
}

void read_strand_node(const SceneContext& context, const JsonNode& node, const Skeleton& skeleton,
                      std::vector<StrandNode>& nodes) {
  const ValueReader anonymous(context, "strand node");
  const ObjectKind& kind = kind_of_type(anonymous, node, scene_keys::kNodeTypes);
  const ObjectReader unnamed(context, node, "strand node", kind);
  const std::string name = unnamed.name("name"), type = type_of(kind);
  const ObjectReader in(context, node, "strand node '" + name + "'", kind);
  const Units& units = context.units;
  if (type == "rigid") {
    const BodyIndex body = resolve_body(in, in.at("body"), "body", skeleton);
    nodes.push_back({name, RigidNode{body, in.vector3("point", units.length)}});
    return;
  }
  const double mass = in.not_negative_or("mass", 0, units.mass);
  if (type == "maximal") {
    nodes.push_back(
        {name, MaximalNode{in.vector3("position", units.length),
                           in.vector3_or("velocity", Vec3::Zero(), units.length), mass}});
    return;
  }
  ShapedNode out;
  out.shape = read_shape(in, type, name, skeleton, nodes, out.controls);
  out.mass = mass;
  if (type != "blend") {
    out.u = read_coordinates(in, "u", out.shape);
    out.udot = read_coordinates(in, "u_rate", out.shape);
  }
  nodes.push_back({name, std::move(out)});
}

}  // namespace sinew
