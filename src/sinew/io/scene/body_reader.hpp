#pragma once

#include "sinew/io/scene/joint_reader.hpp"
#include "sinew/model/shape.hpp"
#include "sinew/model/skeleton.hpp"

namespace sinew {

/// Enough for any scene, and small enough to refuse a mistyped count at once.
inline constexpr int kMostBodies = 100000;
inline constexpr size_t kMostData = 2000000;

/// One entry of the scene's list "bodies": a body, or `count` of them in series.
struct BodyReading {
  std::string name;    ///< "{}" stands for the number in the series
  std::string parent;  ///< empty: the world
  int count = 1;
  JointReading joint;
  Pose E_JB;
  SpatialInertia M_B;
  std::vector<ShapePart> shapes;
  std::vector<ShapePart> drawn;  ///< its look; the shapes where it has none
  double angular_damping = 0, linear_damping = 0;
  int line = 0;
  int parent_line = 0;
};
/// One shape of `owner`'s list "shapes".
ShapePart read_shape(const ObjectReader& owner, const JsonNode& node);

/// The list "look" of a body, or of the scene for the world: shapes that are only drawn.
std::vector<ShapePart> read_look(const ObjectReader& owner);
size_t triangle_count(const std::vector<ShapePart>& shapes);

BodyReading read_body(const SceneContext& context, const JsonNode& node);

/// Triangles of its meshes and control values of its joint, times its count; a scene has at most
/// kMostData.
size_t data_size(const BodyReading& reading);

/// The bodies it stands for, named and chained: each is the child of the one before.
std::vector<BodySpec> expand(const BodyReading& reading);

}  // namespace sinew
