#include "sinew/analysis/fit/fit_checks.hpp"

#include <algorithm>
#include <string>

#include "sinew/core/error.hpp"
#include "sinew/math/so3.hpp"
#include "sinew/model/joints/validation.hpp"

namespace sinew {

std::vector<Pose> checked_poses(const std::vector<Pose>& poses) {
  std::vector<Pose> out = poses;
  for (size_t k = 0; k < out.size(); ++k) {
    const std::string element = "pose " + std::to_string(k + 1);
    require(out[k].p.allFinite() && out[k].R.allFinite(), element,
            "has a number that is not finite", "leave it out, or fill the gap");
    require(out[k].R.determinant() > 0, element, "has a reflection in place of a rotation",
            "make its axes right-handed: x × y = z");
    require(rotation_defect(out[k].R) <= kRotationTolerance, element,
            "has a matrix that is not a rotation", "give unit axes at right angles");
    out[k].R = orthonormalized(out[k].R);
  }
  return out;
}

double extent_of(const std::vector<Pose>& poses, const PoseMetric& metric) {
  double largest = 0;
  for (const Pose& pose : poses) largest = std::max(largest, metric.distance(poses.front(), pose));
  return largest;
}

int undetermined_control_value(const CubicBSpline& spline, const VecX& q) {
  std::vector<double> sorted(q.data(), q.data() + q.size());
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  // In order, each control value takes the first q that is left and on which it has an influence.
  size_t next = 0;
  for (int j = 0; j < spline.control_values(); ++j) {
    const auto influences = [&](double at) {
      const CubicBasis basis = spline.basis(at);
      const int i = j - basis.first;
      // Below, a value of 1 says less about a control value than rounding.
      return i >= 0 && i < 4 && basis.d[0][i] > 1e-12;
    };
    while (next < sorted.size() && !influences(sorted[next]) &&
           spline.basis(sorted[next]).first <= j)
      ++next;
    if (next == sorted.size() || !influences(sorted[next])) return j;
    ++next;
  }
  return -1;
}

}  // namespace sinew
