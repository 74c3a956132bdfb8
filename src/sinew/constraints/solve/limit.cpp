#include "sinew/constraints/solve/limit.hpp"

#include <limits>

#include "sinew/constraints/rows/coupling.hpp"
#include "sinew/constraints/rows/point_constraints.hpp"

namespace sinew {

Limit coordinate_limit(std::string name, DofIndex dof, double lower, double upper,
                       double restitution) {
  return {std::make_shared<CoordinateCoupling>(
              CoordinateCoupling::Linear(std::move(name), {{dof, 1.0}}, 0)),
          lower, upper, restitution};
}

Limit rope(std::string name, BodyIndex a, const Vec3& x_A, BodyIndex b, const Vec3& x_B,
           double length, double restitution) {
  return {std::make_shared<ConstantDistance>(std::move(name), a, x_A, b, x_B, length),
          -std::numeric_limits<double>::infinity(), 0, restitution};
}

}  // namespace sinew
