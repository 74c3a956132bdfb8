#include "sinew/io/scene/element_lookup.hpp"

#include "sinew/dynamics/kinematics.hpp"

namespace sinew {
namespace {

/// A lookup by name; errors give the line of the name.
template <class Find>
auto resolve(const ValueReader& reader, const JsonNode& node, std::string_view what, Find&& find) {
  reader.require(node, JsonNode::Type::string, what);
  try {
    return find(node.text.substr(0, 200));
  } catch (const Error& error) {
    reader.fail(node.line, error.element() + " " + error.problem(), error.remedy());
  }
}

}  // namespace

BodyIndex resolve_body(const ValueReader& reader, const JsonNode& node, std::string_view what,
                       const Skeleton& skeleton) {
  return resolve(reader, node, what, [&](const std::string& name) {
    return name == "world" ? kWorld : skeleton.find_body(name);
  });
}

DofIndex resolve_coordinate(const ValueReader& reader, const JsonNode& node, std::string_view what,
                            const Skeleton& skeleton) {
  return resolve(reader, node, what,
                 [&](const std::string& name) { return skeleton.find_coordinate(name); });
}

std::array<BodyIndex, 2> read_two_bodies(const ObjectReader& in, const Skeleton& skeleton) {
  const std::vector<JsonNode>& bodies = in.list("bodies");
  if (bodies.size() != 2) in.fail(in.line(), "needs two 'bodies'", "name one for either end");
  return {resolve_body(in, bodies[0], "bodies", skeleton),
          resolve_body(in, bodies[1], "bodies", skeleton)};
}

TwoPoints read_two_points(const ObjectReader& in, const Skeleton& skeleton) {
  const std::vector<JsonNode>& points = in.list("points");
  if (in.list("bodies").size() != 2 || points.size() != 2)
    in.fail(in.line(), "needs two 'bodies' and two 'points'", "give one of each for either end");
  const auto [a, b] = read_two_bodies(in, skeleton);
  const double metre = in.context().units.length;
  return {a, b, in.ValueReader::vector3(points[0], "points", metre),
          in.ValueReader::vector3(points[1], "points", metre)};
}

double initial_distance(const Skeleton& skeleton, const TwoPoints& points) {
  VecX q(skeleton.dof_count());
  for (int k = 0; k < skeleton.dof_count(); ++k)
    q[k] = skeleton.coordinates()[static_cast<size_t>(k)].q0;
  SkeletonWorkspace ws(skeleton);
  update_kinematics(skeleton, q, VecX::Zero(q.size()), ws);
  return (body_pose(skeleton, ws, points.b) * points.x_B -
          body_pose(skeleton, ws, points.a) * points.x_A)
      .norm();
}

double read_distance(const ObjectReader& in, std::string_view key, const Skeleton& skeleton,
                     const TwoPoints& points) {
  const JsonNode& node = in.at(key);
  if (node.type != JsonNode::Type::string)
    return in.not_negative_or(key, 0, in.context().units.length);
  in.ValueReader::choice(node, {"initial"}, key);
  return initial_distance(skeleton, points);
}

}  // namespace sinew
