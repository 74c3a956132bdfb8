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

constexpr int kFunctionsByName = 40000;  // the version of documents since which functions have one

/// rotation1 … translation3.
void add_transform_axis(pugi::xml_node to, const std::string& name, const TransformAxis& axis,
                        const std::string& coordinate, int version) {
  pugi::xml_node node = to.append_child("TransformAxis");
  node.append_attribute("name") = name.c_str();
  node.append_child("coordinates").text() = coordinate.c_str();
  node.append_child("axis").text() =
      fmt::format("{:.17g} {:.17g} {:.17g}", axis.axis.x(), axis.axis.y(), axis.axis.z()).c_str();
  const auto& spline = std::get<NaturalCubicSpline>(axis.function);
  pugi::xml_node holder = version < kFunctionsByName ? node.append_child("function") : node;
  pugi::xml_node function = holder.append_child("SimmSpline");
  if (version >= kFunctionsByName) function.append_attribute("name") = "function";
  function.append_child("x").text() = numbers_text(spline.x()).c_str();
  function.append_child("y").text() = numbers_text(spline.y()).c_str();
}

void fill_spatial_transform(pugi::xml_node node, const FunctionJoint& joint,
                            const std::string& coordinate, int version) {
  for (size_t k = 0; k < 3; ++k)
    add_transform_axis(node, "rotation" + std::to_string(k + 1), joint.rotation()[k], coordinate,
                       version);
  for (size_t k = 0; k < 3; ++k)
    add_transform_axis(node, "translation" + std::to_string(k + 1), joint.translation()[k],
                       coordinate, version);
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

std::string spatial_transform(const FunctionJoint& joint, const std::string& coordinate) {
  pugi::xml_document document;
  fill_spatial_transform(document.append_child("SpatialTransform"), joint, coordinate,
                         kFunctionsByName);
  std::ostringstream out;
  document.save(out, "\t", pugi::format_indent | pugi::format_no_declaration);
  return out.str();
}

void write_changed_osim(const std::filesystem::path& from, const std::filesystem::path& to,
                        const std::string& joint_name, const FunctionJoint& joint) {
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
  const pugi::xml_node coordinate = found.find_node(
      [](pugi::xml_node node) { return std::string_view(node.name()) == "Coordinate"; });
  found.remove_child("SpatialTransform");
  fill_spatial_transform(found.append_child("SpatialTransform"), joint,
                         coordinate.attribute("name").value(),
                         document.document_element().attribute("Version").as_int());
  std::ostringstream out;
  document.save(out, "\t");
  write_whole_file(to, out.str());
}

}  // namespace sinew
