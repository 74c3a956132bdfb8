#pragma once

#include "sinew/adjoint/run_parameters.hpp"

/// Terms of an objective that judge the parameters, not the run.

namespace sinew {

class ParameterTerm {
 public:
  virtual ~ParameterTerm() = default;
  /// Its value at p, with the controls that p makes.
  virtual double value(const VecX& p, const ControlSchedule& controls) const = 0;
  /// Adds its gradient at p, which `parameters` is set to.
  virtual void add_gradient(const VecX& p, const RunParameters& parameters, VecX& out) const = 0;
  /// Appends numbers of which it is half the sum of squares and, unless null, their derivatives.
  virtual void append_residuals(const VecX& p, const RunParameters& parameters,
                                std::vector<double>& residuals, std::vector<VecX>* rows) const = 0;

  // It is half the sum of squares with these weights,
  virtual double parameter_weight() const { return 0; }  ///< of each parameter less its middle
  virtual double middle(Eigen::Index) const { return 0; }
  /// and of these controls at the end of each step.
  virtual double control_weight() const { return 0; }
  virtual std::span<const int> controls() const { return {}; }
};

/// ½ weight |p − middle|², each parameter in units of its scale.
class SizeOfParameters final : public ParameterTerm {
 public:
  SizeOfParameters(VecX middle, double weight) : middle_(std::move(middle)), weight_(weight) {}
  double value(const VecX& p, const ControlSchedule&) const override {
    return weight_ / 2 * (p - middle_).squaredNorm();
  }
  void add_gradient(const VecX& p, const RunParameters&, VecX& out) const override {
    out += weight_ * (p - middle_);
  }
  void append_residuals(const VecX& p, const RunParameters&, std::vector<double>& residuals,
                        std::vector<VecX>* rows) const override;
  double parameter_weight() const override { return weight_; }
  double middle(Eigen::Index k) const override { return middle_[k]; }

 private:
  VecX middle_;
  double weight_;
};

/// ½ weight ∫ u² dt of controls, summed over the ends of steps.
class ControlEffort final : public ParameterTerm {
 public:
  ControlEffort(std::vector<int> controls, double weight, int steps, double dt)
      : controls_(std::move(controls)), weight_(weight), steps_(steps), dt_(dt) {}
  double value(const VecX& p, const ControlSchedule& controls) const override;
  void add_gradient(const VecX& p, const RunParameters& parameters, VecX& out) const override;
  void append_residuals(const VecX& p, const RunParameters& parameters,
                        std::vector<double>& residuals, std::vector<VecX>* rows) const override;
  double control_weight() const override { return weight_ * dt_; }
  std::span<const int> controls() const override { return controls_; }

 private:
  std::vector<int> controls_;
  double weight_;
  int steps_;
  double dt_;
};

}  // namespace sinew
