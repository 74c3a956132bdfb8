#include "sinew/muscles/planar_arc.hpp"

namespace sinew {

Winding planar_winding(const PlanarPair<double>& pair, double radius, double band) {
  const double chord = std::sqrt(pair.chord2);
  // Seen from the centre the chord recedes from both its ends: the foot is not between them.
  const bool foot_outside = pair.dot >= pair.rho2_o || pair.dot >= pair.rho2_i;
  if (pair.cross >= 0) {  // 0 ≤ θ ≤ π
    if (foot_outside) return Winding::free;
    const double e = band > 0 ? band_width(band, pair, chord) : 0;
    return pair.cross / chord - radius >= e ? Winding::free : Winding::contact;
  }
  if (pair.dot < 0) return Winding::contact;  // π < θ < 3π/2
  const bool clear = foot_outside || -pair.cross >= radius * chord;
  return clear && -pair.cross <= pair.dot ? Winding::free : Winding::no_path;
}

}  // namespace sinew
