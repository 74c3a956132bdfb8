#include "sinew/math/nlopt_minimize.hpp"

#include <algorithm>
#include <cmath>

#include "sinew/core/error.hpp"

#if SINEW_NLOPT
#include <nlopt.h>

#include <exception>
#include <limits>
#include <memory>
#endif

namespace sinew {

#if SINEW_NLOPT

namespace {

struct NloptCall {
  const ValueFunction& f;
  const OnIteration& on_iteration;
  nlopt_opt optimizer = nullptr;
  MinimizeResult out;
  bool found = false, stopped = false;
  std::exception_ptr error;  // not through code in C
};

double nlopt_value(unsigned n, const double* at, double* gradient_out, void* data) {
  NloptCall& call = *static_cast<NloptCall*>(data);
  MinimizeResult& out = call.out;
  const VecX x = Eigen::Map<const VecX>(at, n);
  VecX gradient = VecX::Zero(n);
  double value = 0;
  ++out.evaluations;
  bool valid = false;
  try {
    valid = call.f(x, value, gradient) && std::isfinite(value) && gradient.allFinite();
    if (valid && (!call.found || value < out.value)) {
      out.iterations += call.found;
      call.found = true;
      out.x = x;
      out.value = value;
      out.gradient = gradient;
      call.stopped = call.on_iteration && !call.on_iteration(out);
    }
  } catch (...) {
    call.error = std::current_exception();
  }
  if (call.stopped || call.error) nlopt_force_stop(call.optimizer);
  if (gradient_out) Eigen::Map<VecX>(gradient_out, n) = valid ? gradient : VecX::Zero(n);
  if (valid) return value;
  ++out.rejected;
  return std::numeric_limits<double>::infinity();
}

}  // namespace

bool has_nlopt() { return true; }

MinimizeResult nlopt_minimize(const std::string& algorithm, const ValueFunction& f, const VecX& x0,
                              const Bounds& bounds, const MinimizeOptions& options,
                              const OnIteration& on_iteration) {
  bounds.check(x0.size());
  const nlopt_algorithm kind = nlopt_algorithm_from_string(algorithm.c_str());
  if (static_cast<int>(kind) < 0)
    throw Error("algorithm '" + algorithm + "'", "NLopt has none of this name",
                "see NLopt's list; names are as LD_SLSQP or LN_BOBYQA");
  const std::unique_ptr<nlopt_opt_s, void (*)(nlopt_opt)> optimizer(
      nlopt_create(kind, static_cast<unsigned>(x0.size())), nlopt_destroy);
  NloptCall call{f, on_iteration, optimizer.get(), {}, false, false, {}};
  call.out.x = x0;
  bounds.clamp(call.out.x);
  nlopt_set_min_objective(optimizer.get(), nlopt_value, &call);
  if (bounds.lower.size() > 0) nlopt_set_lower_bounds(optimizer.get(), bounds.lower.data());
  if (bounds.upper.size() > 0) nlopt_set_upper_bounds(optimizer.get(), bounds.upper.data());
  nlopt_set_maxeval(optimizer.get(), options.evaluations);
  nlopt_set_ftol_rel(optimizer.get(), options.value_tolerance);
  nlopt_set_initial_step1(optimizer.get(), options.first_step);
  VecX x = call.out.x;
  double value = 0;
  const nlopt_result result = nlopt_optimize(optimizer.get(), x.data(), &value);
  if (call.error) std::rethrow_exception(call.error);
  if (result == NLOPT_INVALID_ARGS)
    throw Error("algorithm '" + algorithm + "'", "it does not suit the problem",
                "global algorithms need bounds of all unknowns, and some a local one beside them");
  MinimizeResult& out = call.out;
  for (Eigen::Index k = 0; k < out.gradient.size(); ++k)
    if (!bounds.hold(k, out.x[k], out.gradient[k]))
      out.gradient_norm = std::max(out.gradient_norm, std::abs(out.gradient[k]));
  out.end = !call.found                       ? MinimizeEnd::failed
            : call.stopped                    ? MinimizeEnd::stopped
            : result == NLOPT_MAXEVAL_REACHED ? MinimizeEnd::evaluations
            : result > 0                      ? MinimizeEnd::converged
                                              : MinimizeEnd::stalled;
  return out;
}

#else

bool has_nlopt() { return false; }

MinimizeResult nlopt_minimize(const std::string& algorithm, const ValueFunction&, const VecX&,
                              const Bounds&, const MinimizeOptions&, const OnIteration&) {
  throw Error("algorithm '" + algorithm + "'", "Sinew was built without NLopt",
              "build with -DSINEW_NLOPT=ON, or use an optimiser of Sinew's own");
}

#endif

}  // namespace sinew
