#include "sinew/io/tasks/parameter_terms.hpp"

#include <cmath>

namespace sinew {
namespace {

double control_at(const ControlSchedule& controls, int control, double t) {
  return controls.entries()[static_cast<size_t>(control)].control.value.derivatives(t)[0];
}

}  // namespace

double ControlEffort::value(const VecX&, const ControlSchedule& controls) const {
  double sum = 0;
  for (int k = 1; k <= steps_; ++k)
    for (const int control : controls_) {
      const double u = control_at(controls, control, dt_ * k);
      sum += weight_ / 2 * dt_ * u * u;
    }
  return sum;
}

void ControlEffort::add_gradient(const VecX&, const RunParameters& parameters, VecX& out) const {
  VecX bar = VecX::Zero(parameters.controls().size());
  for (int k = 1; k <= steps_; ++k) {
    const double t = dt_ * k;
    for (const int control : controls_)
      bar[control] = weight_ * dt_ * control_at(parameters.controls(), control, t);
    parameters.pull_back_controls(t, bar, out);
  }
}

void SizeOfParameters::append_residuals(const VecX& p, const RunParameters&,
                                        std::vector<double>& residuals,
                                        std::vector<VecX>* rows) const {
  const double root = std::sqrt(weight_);
  for (Eigen::Index k = 0; k < p.size(); ++k) {
    residuals.push_back(root * (p[k] - middle_[k]));
    if (rows != nullptr) rows->push_back(root * VecX::Unit(p.size(), k));
  }
}

void ControlEffort::append_residuals(const VecX& p, const RunParameters& parameters,
                                     std::vector<double>& residuals,
                                     std::vector<VecX>* rows) const {
  const double root = std::sqrt(weight_ * dt_);
  MatX columns;
  for (int k = 1; k <= steps_; ++k) {
    const double t = dt_ * k;
    if (rows != nullptr) {
      columns.setZero(parameters.controls().size(), p.size());
      parameters.push_forward_controls(t, columns);
    }
    for (const int control : controls_) {
      residuals.push_back(root * control_at(parameters.controls(), control, t));
      if (rows != nullptr) rows->push_back(root * columns.row(control).transpose());
    }
  }
}

}  // namespace sinew
