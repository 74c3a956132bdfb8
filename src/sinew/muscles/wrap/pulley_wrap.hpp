#pragma once

#include "sinew/muscles/wrap/cylinder_wrap.hpp"

namespace sinew {

/// The end of a span that is held on the rim of its pulley.
enum class RimHold { none, first, last };

/// A span that is wound on a cylinder about the z axis of S by any angle φ: tangent, helix,
/// tangent. Unrolled, it is straight: its length is √((l_o + r φ + l_i)² + Δz²), l the lengths of
/// the tangents in the plane. A held end is on the rim itself and has no tangent; only its
/// direction from the axis counts, and its height.
///
/// The ends give φ up to whole turns. It is the value closest to an angle which the caller knows: a
/// constant of a pulley, a function of a drum's coordinate. From 7/8 of half a turn away from that
/// there is no path, so that a step cannot pass a turn unnoticed. With φ < 0 the span is straight,
/// off the pulley; one that is held has no path then.
struct PulleyWrap {
  static constexpr int kMaxPieces = 3;
  double radius = 0;
  WrapSide side = WrapSide::counter_clockwise;  ///< the sense of winding from o to i; not `nearest`
  RimHold hold = RimHold::none;
  /// The held end may be past the point where the span leaves the rim: φ < 0 counts backwards. Only
  /// the length has a meaning, l + r φ, with the whole rise in the tangent l.
  bool past = false;
  double longest = std::numeric_limits<double>::infinity();  ///< bound of r φ [m]

  /// With the angle closest to `expected`; without, to a quarter turn.
  SpanSolution solve(const Vec3& o, const Vec3& i, double expected) const;
  SpanSolution solve(const Vec3& o, const Vec3& i) const;
  template <class T>
  void shape(const SpanSolution& solution, const Point<T>& o, const Point<T>& i,
             SpanShape<T>& out) const;
  /// The angle about z of the point of the rim that a tangent from x touches: `leaving`, the strand
  /// runs from there to x, otherwise from x.
  double tangent_angle(const Vec3& x, bool leaving) const;
  /// Groups of material points that its mass needs.
  int max_groups() const;

 private:
  /// The end of a tangent on the rim: its direction from the axis, and the tangent's length.
  template <class T>
  struct Contact;
  template <class T>
  Contact<T> contact(const Point<T>& x, double turn, bool held) const;
};

/// The angle of a solution, with all its turns [rad].
inline double wound_angle(const SpanSolution& solution) { return solution.unknowns[0]; }

/// Throws an Error naming the wrap `element` if parameters make no sense.
void validate(const PulleyWrap& wrap, const std::string& element);

}  // namespace sinew
