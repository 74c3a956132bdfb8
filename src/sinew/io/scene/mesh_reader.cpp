#include "sinew/io/scene/mesh_reader.hpp"

#include <algorithm>

#include "sinew/io/meshes/mesh_file.hpp"
#include "sinew/io/scene/scene_library.hpp"

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

namespace {

/// "bones/<name>" is a bone that comes with the program, unless the scene has a file of that name:
/// in models/bones beside the scene's folder, or beside that of the program's scenes.
std::filesystem::path mesh_path(const ObjectReader& in) {
  namespace fs = std::filesystem;
  const fs::path own = scene_file(in, "file"), file = in.at("file").text;
  std::error_code code;
  if (file.parent_path() != "bones" || fs::exists(own, code)) return own;
  for (const fs::path& folder : {in.context().folder, scene_folder()}) {
    const fs::path bones = fs::weakly_canonical(folder / "../models/bones", code);
    const fs::path path = bones / file.filename();
    // A link to a file elsewhere is not followed.
    if (fs::is_regular_file(path, code) && fs::canonical(path, code).parent_path() == bones)
      return path;
  }
  return own;
}

/// One factor, or one for each axis; negative ones mirror.
Vec3 mesh_scale(const ObjectReader& in) {
  const JsonNode* node = in.find("scale");
  if (node == nullptr || node->type != JsonNode::Type::array)
    return Vec3::Constant(in.positive_or("scale", 1));
  const Vec3 out = in.vector3("scale");
  if (out.cwiseAbs().minCoeff() == 0) in.fail(node->line, "'scale' is zero", "give other factors");
  return out;
}

}  // namespace

TriangleMesh read_mesh(const ObjectReader& in) {
  const Vec3 scale = mesh_scale(in) * in.context().units.length;
  const std::filesystem::path path = mesh_path(in);
  try {
    TriangleMesh mesh = read_mesh_file(path);
    for (Vec3& vertex : mesh.vertices) vertex = vertex.cwiseProduct(scale);
    if (scale.prod() < 0)
      for (auto& triangle : mesh.triangles) std::swap(triangle[1], triangle[2]);
    return mesh;
  } catch (const Error& error) {
    in.fail(in.at("file").line, error.what(), "");
  }
}

}  // namespace sinew
