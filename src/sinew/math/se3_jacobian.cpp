#include "sinew/math/se3_jacobian.hpp"

#include "sinew/math/so3.hpp"

namespace sinew {

Mat6 right_jacobian_se3(const Vec6& phi) {
  const RightJacobian J = right_jacobian_and_rate(phi.head<3>(), phi.tail<3>());
  Mat6 out = Mat6::Zero();
  out.topLeftCorner<3, 3>() = J.value;
  out.bottomRightCorner<3, 3>() = J.value;
  out.bottomLeftCorner<3, 3>() = J.rate;
  return out;
}

Mat6 right_jacobian_se3_inverse(const Vec6& phi) {
  const Mat3 inverse = right_jacobian_inverse(phi.head<3>());
  Mat6 out = Mat6::Zero();
  out.topLeftCorner<3, 3>() = inverse;
  out.bottomRightCorner<3, 3>() = inverse;
  out.bottomLeftCorner<3, 3>() =
      -inverse * right_jacobian_rate(phi.head<3>(), phi.tail<3>()) * inverse;
  return out;
}

}  // namespace sinew
