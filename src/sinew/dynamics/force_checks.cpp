#include "sinew/dynamics/force_checks.hpp"

#include <cmath>

#include "sinew/core/error.hpp"

namespace sinew {

void require_finite(bool finite, const std::string& name, const char* what) {
  if (!finite)
    throw Error("force '" + name + "'", std::string(what) + " is not finite",
                "give finite numbers");
}

void require_not_negative(double value, const std::string& name, const char* what) {
  if (!(value >= 0) || !std::isfinite(value))
    throw Error("force '" + name + "'", std::string(what) + " is negative or not finite",
                "give zero or a positive number");
}

void require_positive(double value, const std::string& name, const char* what) {
  if (!(value > 0) || !std::isfinite(value))
    throw Error("force '" + name + "'", std::string(what) + " is not positive and finite",
                "give a positive number");
}

void require_body(const Skeleton& skeleton, BodyIndex body, const std::string& name) {
  if (body != kWorld && (body < 0 || body >= skeleton.body_count()))
    throw Error("force '" + name + "'", "acts on a body that does not exist",
                "use an index of this skeleton");
}

void require_dof(const Skeleton& skeleton, DofIndex dof, const std::string& name) {
  if (dof < 0 || dof >= skeleton.dof_count())
    throw Error("force '" + name + "'", "acts on a coordinate that does not exist",
                "use an index of this skeleton");
}

}  // namespace sinew
