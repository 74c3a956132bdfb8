#include "sinew/analysis/fit/curve_functions.hpp"

#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include "sinew/core/error.hpp"
#include "sinew/math/body_angles.hpp"

namespace sinew {

FunctionJoint function_joint_of(const SplineCurve& curve, CoordinateKind kind, int points) {
  constexpr double kLargestSecond = 80 * std::numbers::pi / 180;
  const double begin = curve.spline().begin(), end = curve.spline().end(), one = 1;
  std::vector<double> x;
  std::array<std::vector<double>, 6> y;
  Vec3 before = Vec3::Zero();
  for (int i = 0; i < points; ++i) {
    const double q = begin + (end - begin) * i / (points - 1);
    JointMotion motion;
    curve.evaluate({&q, 1}, {&one, 1}, motion);
    Vec3 angles = body_fixed_xyz(motion.Q.R);
    if (std::abs(angles[1]) > kLargestSecond)
      throw Error("fit",
                  "the second of three rotations about x, y, z is near a right angle at q = " +
                      std::to_string(q),
                  "turn the joint's frames on both bones, or write a spline curve");
    // Angles go on from point to point, past half a turn.
    for (const int k : {0, 2})
      if (i > 0)
        angles[k] -=
            2 * std::numbers::pi * std::round((angles[k] - before[k]) / (2 * std::numbers::pi));
    before = angles;
    x.push_back(q);
    for (size_t k = 0; k < 3; ++k) {
      y[k].push_back(angles[static_cast<Eigen::Index>(k)]);
      y[k + 3].push_back(motion.Q.p[static_cast<Eigen::Index>(k)]);
    }
  }
  std::array<TransformAxis, 3> rotation, translation;
  for (size_t k = 0; k < 3; ++k) {
    const Vec3 axis = Vec3::Unit(static_cast<Eigen::Index>(k));
    rotation[k] = {axis, NaturalCubicSpline(x, y[k]), {0}};
    translation[k] = {axis, NaturalCubicSpline(x, y[k + 3]), {0}};
  }
  return FunctionJoint({kind}, rotation, translation);
}

}  // namespace sinew
