#include "sinew/muscles/path/mass_distribution.hpp"

#include <cmath>

#include "sinew/core/error.hpp"

namespace sinew {

std::vector<MassRegion> mass_regions(MassProfile profile, double mass) {
  if (profile == MassProfile::parabolic) return {{0, 1, 0, 6 * mass, -6 * mass}};
  return {{0, 1, mass, 0, 0}};
}

std::vector<MassRegion> mass_regions(const std::vector<double>& beta,
                                     const std::vector<double>& density, double mass,
                                     const std::string& element) {
  if (beta.size() != density.size() || beta.size() < 2)
    throw Error(element, "has a density profile of fewer than two pairs",
                "give as many densities as places, at least two");
  if (beta.front() != 0 || beta.back() != 1)
    throw Error(element, "has a density profile that does not reach from 0 to 1",
                "the first place is 0, the last is 1");
  double total = 0;
  for (size_t k = 0; k < beta.size(); ++k) {
    if (!std::isfinite(density[k]) || density[k] < 0)
      throw Error(element, "has a negative or infinite density", "densities are ≥ 0");
    if (k == 0) continue;
    if (!(beta[k] > beta[k - 1]))
      throw Error(element, "has a density profile whose places do not increase", "sort them");
    total += 0.5 * (density[k] + density[k - 1]) * (beta[k] - beta[k - 1]);
  }
  if (total <= 0) throw Error(element, "has a density profile without mass", "make some positive");
  std::vector<MassRegion> out;
  for (size_t k = 1; k < beta.size(); ++k) {
    const double slope = (density[k] - density[k - 1]) / (beta[k] - beta[k - 1]);
    const double c0 = density[k - 1] - slope * beta[k - 1];
    out.push_back({beta[k - 1], beta[k], c0 * mass / total, slope * mass / total, 0});
  }
  return out;
}

}  // namespace sinew
