#include "sinew/io/fit/joint_writer.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <sstream>

#include "sinew/analysis/fit/curve_start.hpp"
#include "sinew/core/error.hpp"
#include "sinew/core/names.hpp"
#include "sinew/io/scene/scene.hpp"
#include "sinew/io/tables/whole_file.hpp"
#include "sinew/math/body_angles.hpp"

namespace sinew {
namespace {

using nlohmann::ordered_json;

ordered_json vector_json(const Vec3& x) { return {x.x(), x.y(), x.z()}; }

ordered_json pose_json(const Pose& E) {
  ordered_json rows = ordered_json::array();
  for (int i = 0; i < 3; ++i) rows.push_back(vector_json(E.R.row(i)));
  return {{"position", vector_json(E.p)}, {"rotation", rows}};
}

bool moves(const Pose& E) { return E.R != Mat3::Identity() || E.p != Vec3::Zero(); }

ordered_json surface_json(const SurfaceFit& fit) {
  ordered_json out = {{"type", "spline-surface"}};
  ordered_json range = ordered_json::array();
  for (const CubicBSpline& spline : fit.surface.splines())
    range.push_back({spline.begin(), spline.end()});
  out["range"] = range;
  constexpr const char* kNames[] = {"x", "y", "z", "rx", "ry", "rz"};
  for (size_t k = 0; k < 6; ++k) {
    const MatX& grid = fit.surface.grids()[k];
    ordered_json rows = ordered_json::array();
    for (Eigen::Index i = 0; i < grid.rows(); ++i) {
      const VecX row = grid.row(i);
      rows.push_back(std::vector<double>(row.begin(), row.end()));
    }
    out[kNames[k]] = rows;
  }
  return out;
}

std::string numbers_text(const std::vector<double>& values) {
  return fmt::format("{:.17g}", fmt::join(values, " "));
}

std::string vector_text(const Vec3& x) {
  return fmt::format("{:.17g} {:.17g} {:.17g}", x.x(), x.y(), x.z());
}

// The version of documents since which functions have names, and frames are elements.
constexpr int kVersion4 = 40000;

void set_text(pugi::xml_node in, const char* name, const std::string& text) {
  pugi::xml_node child = in.child(name);
  if (!child) child = in.append_child(name);
  child.text() = text.c_str();
}

void add_function(pugi::xml_node to, const ScalarFunction& f, int version) {
  pugi::xml_node holder = version < kVersion4 ? to.append_child("function") : to;
  const auto add = [&](const char* type) {
    pugi::xml_node out = holder.append_child(type);
    if (version >= kVersion4) out.append_attribute("name") = "function";
    return out;
  };
  if (const auto* spline = std::get_if<NaturalCubicSpline>(&f)) {
    pugi::xml_node out = add("SimmSpline");
    set_text(out, "x", numbers_text(spline->x()));
    set_text(out, "y", numbers_text(spline->y()));
  } else if (const auto* line = std::get_if<LinearFunction>(&f)) {
    std::vector<double> coefficients = line->coefficients;
    coefficients.push_back(line->offset);
    set_text(add("LinearFunction"), "coefficients", numbers_text(coefficients));
  } else {
    set_text(add("Constant"), "value", fmt::format("{:.17g}", std::get<ConstantFunction>(f).value));
  }
}

/// rotation1 … translation3.
void add_transform_axis(pugi::xml_node to, const std::string& name, const TransformAxis& axis,
                        const std::vector<std::string>& coordinates, int version) {
  pugi::xml_node node = to.append_child("TransformAxis");
  node.append_attribute("name") = name.c_str();
  std::vector<std::string> arguments;
  for (const int k : axis.coordinates) arguments.push_back(coordinates[static_cast<size_t>(k)]);
  set_text(node, "coordinates", fmt::format("{}", fmt::join(arguments, " ")));
  set_text(node, "axis", vector_text(axis.axis));
  add_function(node, axis.function, version);
}

void add_spatial_transform(pugi::xml_node to, const CustomJoint& joint, int version) {
  pugi::xml_node node = to.append_child("SpatialTransform");
  for (size_t k = 0; k < 3; ++k)
    add_transform_axis(node, "rotation" + std::to_string(k + 1), joint.functions.rotation()[k],
                       joint.coordinates, version);
  for (size_t k = 0; k < 3; ++k)
    add_transform_axis(node, "translation" + std::to_string(k + 1),
                       joint.functions.translation()[k], joint.coordinates, version);
}

/// A frame on a body, at which a socket of the joint is then.
void add_frame(pugi::xml_node joint, const char* socket, const std::string& name,
               const std::string& body, const Pose& E) {
  pugi::xml_node frames = joint.child("frames");
  if (!frames) frames = joint.append_child("frames");
  pugi::xml_node frame = frames.append_child("PhysicalOffsetFrame");
  frame.append_attribute("name") = name.c_str();
  set_text(frame, "socket_parent", body == "ground" ? "/ground" : "/bodyset/" + body);
  set_text(frame, "translation", vector_text(E.p));
  set_text(frame, "orientation", vector_text(body_fixed_xyz(E.R)));
  set_text(joint, socket, name);
}

void set_places(pugi::xml_node joint, const std::string& name, const CustomJoint::Places& at,
                int version) {
  if (version < kVersion4) {
    set_text(joint, "location_in_parent", vector_text(at.E_PF.p));
    set_text(joint, "orientation_in_parent", vector_text(body_fixed_xyz(at.E_PF.R)));
    set_text(joint, "location", vector_text(at.E_CF.p));
    set_text(joint, "orientation", vector_text(body_fixed_xyz(at.E_CF.R)));
    return;
  }
  // Frames of their own: others may be defined in those that the joint had.
  add_frame(joint, "socket_parent_frame", name + "_fitted_parent", at.parent, at.E_PF);
  add_frame(joint, "socket_child_frame", name + "_fitted_child", at.child, at.E_CF);
}

}  // namespace

std::string scene_joint(const JointFit& fit) {
  ordered_json joint;
  switch (fit.type) {
    case FittedType::hinge:
      joint = {{"type", "revolute"}, {"axis", {0, 0, 1}}};
      break;
    case FittedType::universal:
      joint = {{"type", "universal"}};
      break;
    case FittedType::surface:
      joint = surface_json(*fit.surface);
      break;
    case FittedType::curve:
    case FittedType::automatic: {
      const SplineCurve& curve = fit.curve->curve;
      ordered_json frames = ordered_json::array();
      for (const Pose& frame : curve.frames()) frames.push_back(pose_json(frame));
      joint = {{"type", "spline-curve"},
               {"knots", knots_with_breaks(curve.spline().breaks(), curve.spline().ends())},
               {"frames", frames}};
      if (curve.spline().ends() == SplineEnds::cyclic) joint["closed"] = true;
    }
  }
  if (moves(fit.E_PJ)) joint["placement"] = pose_json(fit.E_PJ);
  ordered_json out = {{"joint", joint}};
  if (moves(fit.E_JB)) out["placement"] = pose_json(fit.E_JB);
  return out.dump(2);
}

std::string joint_element(const CustomJoint& joint) {
  pugi::xml_document document;
  if (joint.places) {
    const std::string name = joint.places->parent + "_" + joint.places->child;
    pugi::xml_node node = document.append_child("CustomJoint");
    node.append_attribute("name") = name.c_str();
    set_places(node, name, *joint.places, kVersion4);
    pugi::xml_node coordinates = node.append_child("coordinates");
    for (const std::string& coordinate : joint.coordinates)
      coordinates.append_child("Coordinate").append_attribute("name") = coordinate.c_str();
    add_spatial_transform(node, joint, kVersion4);
  } else {
    add_spatial_transform(document, joint, kVersion4);
  }
  std::ostringstream out;
  document.save(out, "\t", pugi::format_indent | pugi::format_no_declaration);
  return out.str();
}

void write_changed_osim(const std::filesystem::path& from, const std::filesystem::path& to,
                        const std::string& joint_name, const CustomJoint& joint) {
  const std::string text = read_text_file(from);
  pugi::xml_document document;
  if (!document.load_buffer(text.data(), text.size(),
                            pugi::parse_default | pugi::parse_comments | pugi::parse_declaration))
    throw Error(from.string(), "is not an XML document", "give an OpenSim model");
  std::vector<std::string> names;
  pugi::xml_node found = document.find_node([&](pugi::xml_node node) {
    if (std::string_view(node.name()) != "CustomJoint") return false;
    names.emplace_back(node.attribute("name").value());
    return names.back() == joint_name;
  });
  if (!found)
    throw Error(from.string(), "has no CustomJoint '" + joint_name + "'",
                suggest(joint_name, names));
  if (found.child("reverse").text().as_bool())
    throw Error("joint '" + joint_name + "'", "is reversed in " + from.string(),
                "write its joint to a .json file");
  const int version = document.document_element().attribute("Version").as_int();
  found.remove_child("SpatialTransform");
  if (joint.places) set_places(found, joint_name, *joint.places, version);
  add_spatial_transform(found, joint, version);
  std::ostringstream out;
  document.save(out, "\t");
  write_whole_file(to, out.str());
}

}  // namespace sinew
