#pragma once

#include "sinew/adjoint/run_parameters.hpp"

/// Terms of an objective that judge the parameters, not the run.

namespace sinew {

class ParameterTerm {
 public:
  virtual ~ParameterTerm() = default;
  /// Its value at p, which `parameters` is set to. Adds its gradient, unless that is null.
  virtual double evaluate(const VecX& p, const RunParameters& parameters,
                          VecX* gradient) const = 0;
};

/// ½ weight |p|², each parameter in units of its scale.
class SizeOfParameters final : public ParameterTerm {
 public:
  explicit SizeOfParameters(double weight) : weight_(weight) {}
  double evaluate(const VecX& p, const RunParameters&, VecX* gradient) const override {
    if (gradient != nullptr) *gradient += weight_ * p;
    return weight_ / 2 * p.squaredNorm();
  }

 private:
  double weight_;
};

}  // namespace sinew
