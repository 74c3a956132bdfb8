#include "sinew/io/scene/joint_reader.hpp"

#include <limits>

#include "sinew/io/scene/spline_joint_reader.hpp"

namespace sinew {
namespace {

Joint make_joint(const ObjectReader& in, std::string_view type);

/// A part of a composite: a joint without its own name, place or state.
Joint read_part(const ObjectReader& composite, const JsonNode& node) {
  const ObjectKind& kind = kind_of_type(composite, node, scene_keys::kJointTypes);
  const ObjectReader part(composite.context(), node, composite.element(), kind);
  return make_joint(part, type_of(kind));
}

Joint make_composite(const ObjectReader& in) {
  Composite composite;
  for (const JsonNode& part : in.list("parts")) {
    if (composite.dof() > kMaxJointDofs)
      in.fail(part.line, "has more than six coordinates", "leave parts out");
    composite.parts.push_back(read_part(in, part));
  }
  if (composite.parts.empty()) in.fail(in.line(), "'parts' is empty", "give at least one joint");
  return composite;
}

Joint make_joint(const ObjectReader& in, std::string_view type) {
  const double metre = in.context().units.length;
  if (type == "fixed") return Fixed{};
  if (type == "revolute") return Revolute(in.vector3("axis"));
  if (type == "prismatic") return Prismatic(in.vector3("axis"));
  if (type == "planar") return Planar{};
  if (type == "translational") return Translational{};
  if (type == "universal") return Universal{};
  if (type == "spherical") return SphericalExp{};
  if (type == "spherical-euler") return SphericalEuler(in.string_or("order", ""));
  if (type == "helical") return Helical(in.vector3("axis"), in.number("pitch", metre));
  if (type == "elliptic") {
    const std::vector<double> ab = in.numbers(in.at("semi_axes"), 2, "semi_axes", metre);
    return Elliptic(ab[0], ab[1]);
  }
  if (type == "free-2d") return Free2D{};
  if (type == "free-3d") {
    const bool rotation_first =
        in.choice_or("order", 0, {"translation-first", "rotation-first"}) == 1;
    return Free3D(rotation_first ? Free3D::Order::rotation_first
                                 : Free3D::Order::translation_first);
  }
  if (type == "composite") return make_composite(in);
  if (type == "spline-curve") return read_spline_curve(in);
  if (type == "spline-surface") return read_spline_surface(in);
  return read_function_joint(in);
}

/// Units of joint stiffness and damping: generalised force over coordinate.
double stiffness_unit(const Units& units, CoordinateKind kind) {
  return kind == CoordinateKind::length ? units.force_per_length() : units.torque();
}

/// The coordinates that have values of their own: all but time.
std::vector<int> own_coordinates(const Joint& joint) {
  std::vector<int> out;
  for (int k = 0; k < joint.dof(); ++k)
    if (joint.kind(k) != CoordinateKind::time) out.push_back(k);
  return out;
}

using UnitOfKind = double (*)(const Units&, CoordinateKind);

std::vector<double> coordinate_values(const ObjectReader& in, std::string_view key,
                                      const Joint& joint, UnitOfKind unit) {
  std::vector<double> values(static_cast<size_t>(joint.dof()), 0.0);
  const JsonNode* node = in.find(key);
  if (node == nullptr) return values;
  const std::vector<int> own = own_coordinates(joint);
  const std::vector<double> given = per_coordinate(in, *node, static_cast<int>(own.size()), key);
  for (size_t k = 0; k < own.size(); ++k)
    values[static_cast<size_t>(own[k])] = given[k] * unit(in.context().units, joint.kind(own[k]));
  return values;
}

std::vector<double> not_negative(const ObjectReader& in, std::string_view key,
                                 std::vector<double> values) {
  for (const double value : values)
    if (value < 0)
      in.fail(in.at(key).line, "'" + std::string(key) + "' is negative", "give zero or more");
  return values;
}

StopsReading read_stops(const ObjectReader& joint_reader, const Joint& joint) {
  StopsReading out;
  const JsonNode* node = joint_reader.find("stops");
  if (node == nullptr) return out;
  const ObjectReader in(joint_reader.context(), *node, "stops of " + joint_reader.element(),
                        scene_keys::kStops);
  if (!in.has("lower") && !in.has("upper"))
    in.fail(in.line(), "have neither 'lower' nor 'upper'", "give one of them or both");
  const auto limits = [&](std::string_view key, double none) {
    std::vector<double> values(static_cast<size_t>(joint.dof()), none);
    if (!in.has(key)) return values;
    const std::vector<double> given = coordinate_values(in, key, joint, coordinate_unit);
    for (const int k : own_coordinates(joint))
      values[static_cast<size_t>(k)] = given[static_cast<size_t>(k)];
    return values;
  };
  out.lower = limits("lower", -std::numeric_limits<double>::infinity());
  out.upper = limits("upper", std::numeric_limits<double>::infinity());
  for (size_t k = 0; k < out.lower.size(); ++k)
    if (out.lower[k] > out.upper[k])
      in.fail(in.at("lower").line, "'lower' is above 'upper'", "exchange them");
  out.stiffness =
      not_negative(in, "stiffness", coordinate_values(in, "stiffness", joint, stiffness_unit));
  out.damping =
      not_negative(in, "damping", coordinate_values(in, "damping", joint, stiffness_unit));
  out.transition =
      not_negative(in, "transition", coordinate_values(in, "transition", joint, coordinate_unit));
  return out;
}

}  // namespace

std::vector<double> per_coordinate(const ValueReader& reader, const JsonNode& node, int count,
                                   std::string_view what) {
  if (node.type == JsonNode::Type::number)
    return std::vector<double>(static_cast<size_t>(count), reader.number(node, what));
  if (node.type == JsonNode::Type::array && node.items.size() != static_cast<size_t>(count))
    reader.fail(node.line,
                "'" + std::string(what) + "' has " + std::to_string(node.items.size()) + " values",
                "the joint has " + std::to_string(count) + " coordinates");
  return reader.numbers(node, count, what);
}

JointReading read_joint(const SceneContext& context, const JsonNode& node,
                        const std::string& body_name) {
  const ValueReader anonymous(context, "joint of body '" + body_name + "'");
  const ObjectKind& kind = kind_of_type(anonymous, node, scene_keys::kJointTypes);
  const JsonNode* name = node.find("name");
  const std::string element =
      name == nullptr ? anonymous.element() : "joint '" + anonymous.name(*name, "name") + "'";
  const ObjectReader in(context, node, element, scene_keys::kJoint, kind);

  JointReading out;
  out.line = node.line;
  if (name != nullptr) out.name = name->text;
  out.joint = make_joint(in, type_of(kind));
  try {
    out.joint.validate(element);
  } catch (const Error& error) {
    throw context.located(error, node.line);
  }
  out.E_PJ = in.pose_or_identity("placement");
  for (const JsonNode& coordinate : in.list("coordinates"))
    out.coordinate_names.push_back(in.ValueReader::name(coordinate, "coordinates"));
  if (in.has("coordinates") && static_cast<int>(out.coordinate_names.size()) != out.joint.dof())
    in.fail(in.at("coordinates").line,
            "'coordinates' has " + std::to_string(out.coordinate_names.size()) + " names",
            "the joint has " + std::to_string(out.joint.dof()) + " coordinates");
  out.q0 = coordinate_values(in, "q0", out.joint, coordinate_unit);
  out.qdot0 = coordinate_values(in, "qdot0", out.joint, coordinate_unit);
  out.stiffness =
      not_negative(in, "stiffness", coordinate_values(in, "stiffness", out.joint, stiffness_unit));
  out.damping =
      not_negative(in, "damping", coordinate_values(in, "damping", out.joint, stiffness_unit));
  out.rest = in.has("rest") ? coordinate_values(in, "rest", out.joint, coordinate_unit) : out.q0;
  out.stops = read_stops(in, out.joint);
  return out;
}

}  // namespace sinew
