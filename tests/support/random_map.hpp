#pragma once

#include "sinew/system/system.hpp"
#include "support/random_tree.hpp"

namespace sinew::test {

/// Makes the last third of a skeleton's coordinates depend on the first ones, by functions of every
/// kind.
inline std::vector<DependentCoordinate> random_map(const Skeleton& skeleton, unsigned seed) {
  Random random(seed + 77);
  const int n = skeleton.dof_count(), first = n - std::max(1, n / 3);
  const auto name = [&](int k) { return skeleton.coordinates()[static_cast<size_t>(k)].name; };
  std::vector<DependentCoordinate> out;
  for (int k = first; k < n; ++k) {
    const std::string a = name((3 * k) % first), b = name((3 * k + 1) % first);
    switch (k % 4) {
      case 0:
        out.push_back({DofIndex(k), LinearFunction{{0.5, -0.3}, 0.1}, {a, b}});
        break;
      case 1:
        out.push_back({DofIndex(k), PolynomialFunction{{0.1, 0.4, -0.2, 0.3}}, {a}});
        break;
      case 2:
        out.push_back({DofIndex(k), SineFunction{random.uniform(0.2, 0.5), 1.3, 0.2, 0}, {a}});
        break;
      default:
        out.push_back({DofIndex(k), LinearFunction{{0.5}, 0}, {a}});
    }
  }
  return out;
}

}  // namespace sinew::test
