#include "sinew/io/mesh_reader.hpp"

#include <algorithm>

#include "sinew/io/mesh_file.hpp"

namespace sinew {
namespace {

/// A file beside the scene or in a folder below it: scenes may come from anywhere, and must not
/// make the program read other files.
std::filesystem::path mesh_path(const ObjectReader& in) {
  const JsonNode& node = in.at("file");
  in.require(node, JsonNode::Type::string, "file");
  const std::filesystem::path relative(node.text);
  if (relative.empty() || relative.is_absolute() ||
      std::find(relative.begin(), relative.end(), "..") != relative.end())
    in.fail(node.line, "'file' leaves the scene's folder",
            "give a path below the folder of the scene file");
  return in.context().folder / relative;
}

}  // namespace

TriangleMesh read_mesh(const ObjectReader& in) {
  const double scale = in.positive_or("scale", 1) * in.context().units.length;
  const std::filesystem::path path = mesh_path(in);
  try {
    TriangleMesh mesh = read_mesh_file(path);
    for (Vec3& vertex : mesh.vertices) vertex *= scale;
    return mesh;
  } catch (const Error& error) {
    in.fail(in.at("file").line, error.what(), "");
  }
}

}  // namespace sinew
