#pragma once

#include <string>

#include "sinew/core/index.hpp"
#include "sinew/math/se3.hpp"
#include "sinew/muscles/wrap/wrap.hpp"

/// The contact of one straight piece of a path with a surface, by OpenSim's rules: whether it
/// wraps, and on which side. The path on the surface is Sinew's geodesic
/// (docs/theory/opensim_paths.md).

namespace sinew {

/// A surface that paths can wrap around.
struct PathSurface {
  std::string name;
  BodyIndex body = kWorld;
  Pose E_BS;  ///< in the body frame; cylinder and torus have its z for their axis
  /// A cylinder, sphere, ellipsoid or torus: its size. Paths wrap around no other kind.
  Wrap wrap = CylinderWrap{};
  /// The half-space through which paths pass: axis 0, 1 or 2 of S, and the sign; sign 0: any.
  int axis = 0, sign = 0;
  bool active = true;
};

/// The outcome for a segment.
enum class WrapDecision {
  none,       ///< passes by
  inside,     ///< an end is inside the surface
  possible,   ///< wraps; other segments may do so with less detour
  mandatory,  ///< hits the surface: wraps
};

struct SegmentWrap {
  WrapDecision meeting = WrapDecision::none;
  Vec3 r1 = Vec3::Zero(), r2 = Vec3::Zero();  ///< points at which it touches and leaves, frame S
  double arc = 0;                             ///< length on the surface [m]

  bool wraps() const {
    return meeting == WrapDecision::possible || meeting == WrapDecision::mandatory;
  }
};

/// The segment from p1 to p2, frame S.
SegmentWrap wrap_segment(const PathSurface& surface, const Vec3& p1, const Vec3& p2);

/// Throws an Error naming `element` if the surface's size makes no sense.
void validate(const PathSurface& surface, const std::string& element);

}  // namespace sinew
