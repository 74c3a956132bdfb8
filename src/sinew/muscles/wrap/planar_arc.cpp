#include "sinew/muscles/wrap/planar_arc.hpp"

namespace sinew {

Winding planar_winding(const PlanarPair<double>& pair, double radius, double gap) {
  const double chord = std::sqrt(pair.chord2);
  // Seen from the centre the chord recedes from both its ends: the foot is not between them.
  const bool foot_outside = pair.dot >= pair.rho2_o || pair.dot >= pair.rho2_i;
  if (pair.cross >= 0) {  // 0 ≤ θ ≤ π
    if (foot_outside) return Winding::free;
    return pair.cross / chord - radius >= gap ? Winding::free : Winding::contact;
  }
  if (pair.dot < 0) return Winding::contact;  // π < θ < 3π/2
  const bool clear = foot_outside || -pair.cross >= radius * chord;
  return clear && -pair.cross <= pair.dot ? Winding::free : Winding::no_path;
}

double smooth_radius_slopes(double radius, double band, const PlanarPair<double>& pair,
                            PlanarPair<double>& slopes) {
  slopes = {0, 0, 0, 0, 0};
  const double width = kLimiter * radius, reach = radius * kLimiterReach;
  double r = radius;
  const auto limit = [&](double rho2, double& own, double& earlier) {
    if (rho2 >= reach * reach) return;
    const double rho = std::sqrt(rho2), x = r - (1 - kLimiter) * rho;
    const double slope = smooth_ramp_slope(x, width);
    r -= smooth_ramp(x, width);
    own = slope * (1 - kLimiter) / (2 * rho);
    earlier *= 1 - slope;
  };
  limit(pair.rho2_o, slopes.rho2_o, slopes.rho2_i);
  limit(pair.rho2_i, slopes.rho2_i, slopes.rho2_o);

  const double chord = std::sqrt(pair.chord2), h = pair.cross / chord;
  const double e = band_width(band, pair, chord), x = r - h;
  if (x >= e) return r;
  const double ramp = smooth_ramp(x, e), slope = smooth_ramp_slope(x, e);
  const double by_h = 1 - slope, by_log_e = ramp - x * slope;
  const double by_p = by_log_e / (pair.rho2_o - pair.dot);
  const double by_q = by_log_e / (pair.rho2_i - pair.dot);
  slopes.rho2_o = slope * slopes.rho2_o + by_p;
  slopes.rho2_i = slope * slopes.rho2_i + by_q;
  slopes.dot = -by_p - by_q;
  slopes.cross = by_h / chord;
  slopes.chord2 = -(0.5 * by_h * h + 1.5 * by_log_e) / pair.chord2;
  return h + ramp;
}

}  // namespace sinew
