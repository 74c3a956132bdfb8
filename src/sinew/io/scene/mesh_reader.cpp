#include "sinew/io/scene/mesh_reader.hpp"

#include <algorithm>

#include "sinew/io/meshes/mesh_file.hpp"

namespace sinew {

/// Scenes may come from anywhere, and must not make the program read other files.
std::filesystem::path scene_file(const ObjectReader& in, std::string_view key) {
  const JsonNode& node = in.at(key);
  in.require(node, JsonNode::Type::string, key);
  const std::filesystem::path relative(node.text);
  if (relative.empty() || relative.is_absolute() ||
      std::find(relative.begin(), relative.end(), "..") != relative.end())
    in.fail(node.line, "'" + std::string(key) + "' leaves the scene's folder",
            "give a path below the folder of the scene file");
  const std::filesystem::path path = in.context().folder / relative;
  // Links must not leave it either.
  std::error_code code;
  const std::filesystem::path folder = std::filesystem::weakly_canonical(in.context().folder, code),
                              target = std::filesystem::weakly_canonical(path, code);
  const auto inside =
      std::mismatch(folder.begin(), folder.end(), target.begin(), target.end()).first;
  if (!code && !in.context().folder.empty() && inside != folder.end())
    in.fail(node.line, "'" + std::string(key) + "' is a link that leaves the scene's folder",
            "put the file itself there");
  return path;
}

TriangleMesh read_mesh(const ObjectReader& in) {
  const double scale = in.positive_or("scale", 1) * in.context().units.length;
  const std::filesystem::path path = scene_file(in, "file");
  try {
    TriangleMesh mesh = read_mesh_file(path);
    for (Vec3& vertex : mesh.vertices) vertex *= scale;
    return mesh;
  } catch (const Error& error) {
    in.fail(in.at("file").line, error.what(), "");
  }
}

}  // namespace sinew
