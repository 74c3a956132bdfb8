#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <unordered_map>

namespace sinew {

/// A glTF 2.0 file in its binary form (.glb) under construction. Functions return indices, as glTF
/// refers to things.
class GltfFile {
 public:
  using Json = nlohmann::ordered_json;

  /// 32-bit floats of vertices, three each; kept once however often they are added.
  int vertices(std::span<const double> values);
  /// Indices into vertices, three per triangle; kept once however often they are added.
  int triangles(std::span<const int> values);
  /// For a vertex each: the one joint that it is fixed to.
  int joints(std::span<const int> values);
  /// For a vertex each: the weight 1 of that joint.
  int weights(size_t count);
  /// 32-bit floats of an animation or a skin, with 1, 3, 4 or 16 components.
  int values(std::span<const double> values, int components);
  /// Increasing times [s].
  int times(std::span<const double> t);

  int add_node(Json node) { return add("nodes", std::move(node)); }
  int add_mesh(Json mesh) { return add("meshes", std::move(mesh)); }
  int add_skin(Json skin) { return add("skins", std::move(skin)); }
  /// Equal materials are one.
  int add_material(const Json& material);
  Json& node(int k) { return lists_["nodes"][static_cast<size_t>(k)]; }
  void add_child(int parent, int child) { node(parent)["children"].push_back(child); }

  /// A channel of the file's one animation; `path` is "translation", "rotation", "scale" or
  /// "weights".
  void animate(int node, const char* path, int times, int values);

  /// The whole file; node 0 is the root of its scene. Throws an Error naming `element` if it is
  /// larger than the format allows.
  std::string bytes(const Json& asset, const std::string& animation_name,
                    const std::string& element) const;

 private:
  int add(const char* list, Json entry);
  int add_accessor(Json accessor) { return add("accessors", std::move(accessor)); }
  /// A view of vertex data with these bytes.
  int view(const std::string& bytes, int target);

  Json lists_ = Json::object();
  Json samplers_ = Json::array(), channels_ = Json::array();
  std::string vertex_bytes_, value_bytes_;  ///< the file's buffer, in this order
  std::unordered_map<std::string, int> known_;
  std::unordered_map<std::string, int> materials_;
};

}  // namespace sinew
