#pragma once

#include <string>
#include <vector>

#include "sinew/math/dual.hpp"

namespace sinew {

/// The distribution of a muscle's material along its path. The belly is the part with mass; its
/// material coordinate β runs from 0 to 1. At total path length L the point β is at arc length
///     σ(β, L) = A(L) + β B(L),   A, B linear in L.
/// The map needs no state: equal strain is holonomic.
struct MaterialMap {
  double A0 = 0, A1 = 0, B0 = 0, B1 = 1;

  /// Everything strains alike; the belly reaches from fraction `begin` to fraction `end` of the
  /// path (Wang 2022 §5).
  static MaterialMap Uniform(double begin, double end) { return {0, begin, 0, end - begin}; }
  /// Tendons of constant length on both sides of a belly that takes all the strain (Wang 2022 §7.3)
  /// [m].
  static MaterialMap Tendons(double origin_side, double insertion_side) {
    return {origin_side, 0, -origin_side - insertion_side, 1};
  }

  template <class T>
  T A(const T& L) const {
    return A1 * L + A0;
  }
  template <class T>
  T B(const T& L) const {
    return B1 * L + B0;
  }
};

/// Mass per unit of β on [begin, end]: c0 + c1 β + c2 β² [kg].
struct MassRegion {
  double begin = 0, end = 1;
  double c0 = 0, c1 = 0, c2 = 0;

  template <class T>
  T density(const T& beta) const {
    return (c2 * beta + c1) * beta + c0;
  }
};

/// Mass per unit of β at a place of the belly; zero outside.
template <class T>
T density_at(const std::vector<MassRegion>& regions, const T& beta) {
  for (const MassRegion& region : regions)
    if (beta >= region.begin && beta < region.end) return region.density(beta);
  return T(0);
}

/// The moments of mass between β₀ and β₁ that a linear velocity field needs, with ξ running from 0
/// to 1 between them: ∫(1−ξ)²dm, ∫ξ(1−ξ)dm, ∫ξ²dm. Closed form.
template <class T>
struct PieceMoments {
  T m00, m01, m11;
};
template <class T>
PieceMoments<T> piece_moments(const MassRegion& region, const T& beta0, const T& beta1) {
  // density = e0 + e1 ξ + e2 ξ²
  const T w = beta1 - beta0;
  const T e0 = region.density(beta0);
  const T e1 = (2.0 * region.c2 * beta0 + region.c1) * w;
  const T e2 = region.c2 * w * w;
  return {w * (e0 / 3.0 + e1 / 12.0 + e2 / 30.0), w * (e0 / 6.0 + e1 / 12.0 + e2 / 20.0),
          w * (e0 / 3.0 + e1 / 4.0 + e2 / 5.0)};
}

/// The distribution of the mass over the belly.
enum class MassProfile {
  uniform,
  parabolic,  ///< 6 β (1 − β): a spindle
};

/// Regions of a profile with total `mass`.
std::vector<MassRegion> mass_regions(MassProfile profile, double mass);
/// The same for densities given at increasing β from 0 to 1 and linear between them; only their
/// ratios matter. Throws an Error naming `element` if they make no sense.
std::vector<MassRegion> mass_regions(const std::vector<double>& beta,
                                     const std::vector<double>& density, double mass,
                                     const std::string& element);

}  // namespace sinew
