#include "sinew/analysis/fit/axis_functions.hpp"

#include <algorithm>

#include "sinew/core/error.hpp"

namespace sinew {
namespace {

/// y ≈ slope x + offset over all poses.
struct Line {
  double slope = 1, offset = 0;
  VecX error = {};
};

Line line_through(const VecX& x, const VecX& y, const VecX& weights) {
  const double n = weights.sum(), x_mean = weights.dot(x) / n, y_mean = weights.dot(y) / n;
  const VecX dx = x.array() - x_mean, dy = y.array() - y_mean;
  const VecX wx = weights.cwiseProduct(dx);
  Line out;
  out.slope = wx.dot(dy) / wx.dot(dx);
  out.offset = y_mean - out.slope * x_mean;
  out.error = dy - out.slope * dx;
  return out;
}

}  // namespace

AxisFunctions axis_functions(const JointFit& fit, const MatX& q) {
  const auto dof = static_cast<size_t>(fit.q.rows());
  if (q.size() > 0 && q.rows() != fit.q.rows())
    throw Error("fit",
                std::string("a ") + name_of(fit.type) + " has another number of coordinates than " +
                    "the poses, which have " + std::to_string(q.rows()),
                "fit a hinge to one coordinate, a universal joint to two");
  // Which of two angles follows which coordinate: as they are closest to lines.
  std::vector<int> order = {0, 1};
  std::vector<Line> lines(dof);
  if (q.size() > 0) {
    const auto lines_of = [&](const std::vector<int>& by) {
      std::vector<Line> out;
      for (size_t i = 0; i < dof; ++i)
        out.push_back(
            line_through(q.row(by[i]), fit.q.row(static_cast<Eigen::Index>(i)), fit.weights));
      return out;
    };
    const auto sum = [&](const std::vector<Line>& of) {
      double out = 0;
      for (const Line& line : of) out += fit.weights.dot(line.error.cwiseAbs2());
      return out;
    };
    lines = lines_of(order);
    if (dof == 2)
      if (std::vector<Line> swapped = lines_of({1, 0}); sum(swapped) < sum(lines))
        lines = std::move(swapped), order = {1, 0};
  }
  std::array<TransformAxis, 3> rotation, translation;
  for (size_t k = 0; k < 3; ++k)
    rotation[k].axis = translation[k].axis = Vec3::Unit(static_cast<Eigen::Index>(k));
  double deviation = 0;
  for (size_t i = 0; i < dof; ++i) {
    // A hinge turns about z, a universal joint about x, then y.
    TransformAxis& axis = rotation[dof == 1 ? 2 : i];
    axis.function = LinearFunction{{lines[i].slope}, lines[i].offset};
    axis.coordinates = {order[i]};
    if (lines[i].error.size() > 0)
      deviation = std::max(
          deviation, (fit.weights.array() > 0).select(lines[i].error, 0).cwiseAbs().maxCoeff());
  }
  return {FunctionJoint(std::vector(dof, CoordinateKind::angle), rotation, translation), deviation};
}

}  // namespace sinew
