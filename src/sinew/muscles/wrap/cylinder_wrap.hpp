#pragma once

#include <limits>
#include <string>

#include "sinew/muscles/wrap/planar_arc.hpp"
#include "sinew/muscles/wrap/span.hpp"

namespace sinew {

/// The sense in which a path winds about +z on its way from o to i.
enum class WrapSide {
  clockwise = -1,
  nearest = 0,  ///< the shorter way at each moment, without memory. Its length is continuous,
                ///< its moment arm is not: where o, axis and i are in line it changes sign
  counter_clockwise = 1,
};

/// A span around a cylinder about the z axis of S: tangent, helix, tangent. The height z is linear
/// in arc length, so the problem is planar (planar_arc.hpp).
///
/// A finite cylinder reaches from −half_length to half_length. If the contact is past an end, the
/// path is straight: at once when both tangent points are (exact), or by r̃ falling to the chord
/// while the contact moves from the end to one radius past it (smooth).
struct CylinderWrap {
  static constexpr int kMaxPieces = 3;
  double radius = 0;
  WrapSide side = WrapSide::counter_clockwise;
  WrapKind model = WrapKind::smooth;
  double half_length = std::numeric_limits<double>::infinity();
  double band = kDefaultBand;  ///< ε of the smooth model [rad]

  SpanSolution solve(const Vec3& o, const Vec3& i) const;
  template <class T>
  void shape(const SpanSolution& solution, const Point<T>& o, const Point<T>& i,
             SpanShape<T>& out) const;
  /// Only the length and its derivatives, by hand: the tangents' directions, and φ̃ dr̃.
  void length_gradient(const SpanSolution& solution, const Vec3& o, const Vec3& i, double& length,
                       Vec3& dl_do, Vec3& dl_di) const;

 private:
  template <class T>
  T path_radius(const PlanarPair<T>& pair, const T& z_o, const T& z_i) const;
  bool both_past_one_end(const PlanarPair<double>& pair, double z_o, double z_i) const;
};

/// Throws an Error naming the wrap `element` if parameters make no sense.
void validate(const CylinderWrap& wrap, const std::string& element);

}  // namespace sinew
