#pragma once

#include "sinew/io/json/object_reader.hpp"
#include "sinew/model/skeleton.hpp"

/// Elements that forces and constraints refer to by name.

namespace sinew {

/// "world" is the ground. Throws an Error with the nearest name and the name's line.
BodyIndex resolve_body(const ValueReader& reader, const JsonNode& node, std::string_view what,
                       const Skeleton& skeleton);
DofIndex resolve_coordinate(const ValueReader& reader, const JsonNode& node, std::string_view what,
                            const Skeleton& skeleton);

/// The two in a list of bodies, from the key "bodies".
std::array<BodyIndex, 2> read_two_bodies(const ObjectReader& in, const Skeleton& skeleton);

/// The ends of an element that connects two bodies.
struct TwoPoints {
  BodyIndex a, b;
  Vec3 x_A, x_B;  ///< body frames [m]
};
/// From the keys "bodies" and "points".
TwoPoints read_two_points(const ObjectReader& in, const Skeleton& skeleton);

/// The distance of two points at the bodies' default coordinates [m].
double initial_distance(const Skeleton& skeleton, const TwoPoints& points);

/// A length, or the word "initial" for the points' distance at the bodies' default coordinates [m].
double read_distance(const ObjectReader& in, std::string_view key, const Skeleton& skeleton,
                     const TwoPoints& points);

}  // namespace sinew
