#include "sinew/dynamics/limit.hpp"

#include <cmath>

#include "sinew/core/error.hpp"

namespace sinew {

void Limit::validate(const Skeleton& skeleton) const {
  const auto require = [&](bool condition, const std::string& problem, const std::string& remedy) {
    if (!condition) throw Error("limit '" + name() + "'", problem, remedy);
  };
  try {
    row->validate(skeleton);
  } catch (const Error& error) {
    throw Error("limit '" + name() + "'", error.problem(), error.remedy());
  }
  require(row->rows() == 1 && row->level() == ConstraintLevel::position,
          "does not bound one quantity that depends on positions",
          "give it a constraint of one row");
  require(!std::isnan(lower) && !std::isnan(upper) && lower <= upper, "its bounds are not in order",
          "give lower ≤ upper");
  require(std::isfinite(lower) || std::isfinite(upper), "has no bound", "give one");
  require(restitution >= 0 && restitution <= 1, "its restitution is not between 0 and 1",
          "give the speed after an impact over that before");
}

}  // namespace sinew
