#include "sinew/math/se3_jacobian.hpp"

#include <gtest/gtest.h>

#include "support/finite_difference.hpp"
#include "support/random.hpp"

namespace sinew {
namespace se3_jacobian_test {

TEST(RightJacobianOfTwists, IsTheDerivativeOfExp) {
  test::Random random(1);
  for (const double size : {0.0, 1e-6, 0.3, 2.5}) {
    Vec6 phi = random.vec6(size);
    phi.tail<3>() = random.vec3();
    // The twist from exp(φ) to its neighbours, of which J_r is the derivative.
    const auto twist = [&](const VecX& x) -> VecX {
      return log(exp(phi).inverse() * exp(Vec6(x)));
    };
    const DifferenceSweep sweep = check_derivative(twist, phi, right_jacobian_se3(phi));
    EXPECT_TRUE(sweep.confirms()) << sweep.table();
  }
}

TEST(RightJacobianOfTwists, HasItsInverse) {
  test::Random random(2);
  for (const double size : {0.0, 1e-6, 1e-3, 0.3, 1.5}) {
    const Vec6 phi = random.vec6(size);
    const Mat6 product = right_jacobian_se3(phi) * right_jacobian_se3_inverse(phi);
    // Entries are below 10, of which 6 are summed: rounding.
    EXPECT_LE((product - Mat6::Identity()).cwiseAbs().maxCoeff(), 1e-14) << size;
  }
}

// The fit of curves uses it: the left Jacobian is the right one of −φ.
TEST(RightJacobianOfTwists, CarriesTwistsToTheOtherSide) {
  test::Random random(3);
  const Vec6 phi = random.vec6();
  const Mat6 left = Ad(exp(phi)) * right_jacobian_se3(phi);
  EXPECT_LE((left - right_jacobian_se3(-phi)).cwiseAbs().maxCoeff(), 1e-14);  // rounding
}

}  // namespace se3_jacobian_test
}  // namespace sinew
