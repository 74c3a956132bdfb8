#pragma once

#include "sinew/adjoint/objectives.hpp"

/// The terms of states of a task's objective as squares of single numbers.

namespace sinew {

using StateTerms = std::vector<std::shared_ptr<const LeastSquares>>;

/// Appends what the terms that count at a state are half the squares of: residuals, each with the
/// root of its weight.
void append_residuals(const StateTerms& terms, const Objective::At& at, std::vector<double>& out);

}  // namespace sinew
