#include "sinew/export/soft_modes.hpp"

#include <algorithm>
#include <cmath>

namespace sinew {
namespace {

/// The largest length of the vectors of three in a column.
double largest(const Eigen::Ref<const VecX>& column) {
  double out = 0;
  for (Eigen::Index k = 0; k + 2 < column.size(); k += 3)
    out = std::max(out, column.segment<3>(k).norm());
  return out;
}

}  // namespace

SoftModes soft_modes(const MatX& x, double tolerance, int most) {
  MatX rest = x.colwise() - x.col(0);
  SoftModes out{MatX(x.rows(), 0), MatX(0, x.cols())};
  for (;;) {
    Eigen::Index worst = 0;
    out.error = 0;
    for (Eigen::Index f = 0; f < rest.cols(); ++f)
      if (const double error = largest(rest.col(f)); error > out.error) {
        out.error = error;
        worst = f;
      }
    const Eigen::Index n = out.modes.cols();
    if (out.error <= tolerance || n >= most) break;
    const VecX direction = rest.col(worst).normalized();
    const Eigen::RowVectorXd amounts = direction.transpose() * rest;
    rest -= direction * amounts;
    const double scale = amounts.cwiseAbs().maxCoeff();
    out.modes.conservativeResize(Eigen::NoChange, n + 1);
    out.modes.col(n) = scale * direction;
    out.weights.conservativeResize(n + 1, Eigen::NoChange);
    out.weights.row(n) = amounts / scale;
  }
  return out;
}

}  // namespace sinew
