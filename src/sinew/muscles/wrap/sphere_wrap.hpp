#pragma once

#include <string>

#include "sinew/muscles/wrap/planar_arc.hpp"
#include "sinew/muscles/wrap/span.hpp"

namespace sinew {

/// A span around a sphere about the origin of S: tangent, arc, tangent in the plane of centre, o
/// and i (planar_arc.hpp), the shorter way.
///
/// Where o, centre and i are in line, all ways around are equally short. The exact model has no
/// path there. The smooth model turns the plane's normal to the axis m while the angle θ between o
/// and i is near π,
///     n = unit(O × I + μ m⊥),   μ = ρ_o ρ_i S_{τ/2}(τ − κ/τ),   κ = 2 (1 + cos θ) ≈ (π − θ)²,
/// m⊥ being m minus its part along O/ρ_o − I/ρ_i, and wraps the cylinder about n that encloses the
/// sphere. The plain formula holds again for π − θ > 1.22 τ. Anchors with O × I ≈ −μ m⊥ have no
/// path: o and i in line, nearly, and either along m or passed on the side m disfavours.
struct SphereWrap {
  static constexpr int kMaxPieces = 3;
  double radius = 0;
  WrapKind model = WrapKind::smooth;
  double band = kDefaultBand;  ///< ε of the smooth model [rad]
  Vec3 axis = Vec3::UnitZ();   ///< m, unit: paths between antipodes wind positively about it
  double antipode_band = 0.2;  ///< τ [rad]

  SpanSolution solve(const Vec3& o, const Vec3& i) const;
  template <class T>
  void shape(const SpanSolution& solution, const Point<T>& o, const Point<T>& i,
             SpanShape<T>& out) const;
  /// Only the length and its derivatives, by hand: the tangents' directions, and φ̃ dr̃.
  void length_gradient(const SpanSolution& solution, const Vec3& o, const Vec3& i, double& length,
                       Vec3& dl_do, Vec3& dl_di) const;

 private:
  /// O × I + μ m⊥.
  template <class T>
  Point<T> tilted_normal(const Point<T>& o, const Point<T>& i) const;
  bool near_antipode(const Vec3& o, const Vec3& i) const;
};

/// Throws an Error naming the wrap `element` if parameters make no sense.
void validate(const SphereWrap& wrap, const std::string& element);

}  // namespace sinew
