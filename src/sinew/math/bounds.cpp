#include "sinew/math/bounds.hpp"

#include <fmt/format.h>

#include "sinew/core/error.hpp"

namespace sinew {

void Bounds::check(Eigen::Index n, const std::string& element) const {
  for (const VecX* side : {&lower, &upper})
    if (side->size() != 0 && side->size() != n)
      throw Error(element, fmt::format("there are {} for {} unknowns", side->size(), n),
                  "give one for each unknown, infinite where there is none, or none at all");
  for (Eigen::Index k = 0; k < n; ++k)
    if (!(lower_of(k) <= upper_of(k)))
      throw Error(fmt::format("{}, unknown {}", element, k + 1),
                  fmt::format("{} to {} is no range", lower_of(k), upper_of(k)),
                  "the lower bound must not be above the upper one");
}

void Bounds::clamp(VecX& x) const {
  if (lower.size() > 0) x = x.cwiseMax(lower);
  if (upper.size() > 0) x = x.cwiseMin(upper);
}

}  // namespace sinew
