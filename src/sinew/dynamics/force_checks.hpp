#pragma once

#include <string>

#include "sinew/model/skeleton.hpp"

/// Checks of the parameters of force elements. All throw an Error that names the force `name` and
/// its defect.

namespace sinew {

void require_finite(bool finite, const std::string& name, const char* what);
void require_not_negative(double value, const std::string& name, const char* what);
void require_positive(double value, const std::string& name, const char* what);
void require_body(const Skeleton& skeleton, BodyIndex body, const std::string& name);
void require_dof(const Skeleton& skeleton, DofIndex dof, const std::string& name);

}  // namespace sinew
