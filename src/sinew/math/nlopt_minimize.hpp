#pragma once

#include "sinew/math/minimize.hpp"

namespace sinew {

/// Whether the library was built with NLopt (option SINEW_NLOPT of CMake, off by default).
bool has_nlopt();

/// `minimize` by an algorithm of NLopt (Johnson 2007), by NLopt's name for it: "LD_SLSQP",
/// "LD_MMA", "LN_BOBYQA", … Gradients are not used by those that begin with LN or GN. Of the
/// options, those on the value and the number of evaluations count, and the first step. A point
/// without a value has an infinite one there. Iterations are evaluations that lower the value.
/// Throws an Error if there is no such algorithm, if it does not suit the problem, or without
/// NLopt.
MinimizeResult nlopt_minimize(const std::string& algorithm, const ValueFunction& f, const VecX& x0,
                              const Bounds& bounds = {}, const MinimizeOptions& options = {},
                              const OnIteration& on_iteration = {});

}  // namespace sinew
