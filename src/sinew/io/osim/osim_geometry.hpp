#pragma once

#include <filesystem>
#include <string>

#include "sinew/math/se3.hpp"

/// Shapes of an OpenSim model: those that are drawn, and those that touch.

namespace sinew {

/// A shape that is drawn on a body. It has no effect on motion.
struct OsimGeometry {
  enum class Kind { mesh, brick, sphere, ellipsoid, cylinder, cone, torus, line, arrow };

  std::string name;  ///< may be empty
  Kind kind = Kind::mesh;
  std::string body;  ///< name; "ground" for the ground
  Pose E_BG;         ///< its frame in the body frame
  /// Sizes along its own axes. Brick: half lengths; sphere: radius; ellipsoid: radii; cylinder
  /// (axis y): radius, half height; cone: radius of the base, height; torus (axis z): radius of the
  /// circle in the middle, of the tube; line, arrow: from the origin to here. All [m]; mesh:
  /// nothing.
  Vec3 size = Vec3::Zero();
  Vec3 scale = Vec3::Ones();   ///< scale of the shape along its axes
  std::string file;            ///< of a mesh, as named in the model
  std::filesystem::path path;  ///< where it was found; empty: not found, or not looked for
  Vec3 color = Vec3::Ones();   ///< red, green, blue from 0 to 1
  double opacity = 1;
  bool visible = true;
};

/// A shape that can touch others.
struct OsimContactGeometry {
  enum class Kind { sphere, half_space, mesh };

  std::string name;
  Kind kind = Kind::sphere;
  std::string body;            ///< name; "ground" for the ground
  Pose E_BG;                   ///< a half-space is solid where its x is positive
  double radius = 0;           ///< of a sphere [m]
  std::string file;            ///< of a mesh
  std::filesystem::path path;  ///< where it was found; empty: not found, or not looked for
};

const char* name_of(OsimGeometry::Kind kind);
const char* name_of(OsimContactGeometry::Kind kind);

}  // namespace sinew
