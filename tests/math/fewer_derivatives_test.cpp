#include "sinew/math/fewer_derivatives.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "support/random.hpp"

namespace sinew {
namespace fewer_derivatives_test {

/// A function of three variables with all mixed derivatives.
template <class T>
T function(const T* f) {
  return tanh(T(f[0] * f[1] + f[2])) * sqrt(T(1.5 + f[0] * f[2])) + exp(T(f[1] * f[2]));
}

/// Largest difference between the components of y(f) and of the chain rule.
template <class T>
double difference(test::Random& random) {
  using Few = FewerDerivatives<T, 3>;
  static_assert(sizeof(typename Few::Number) < sizeof(T));
  constexpr size_t kParts = sizeof(T) / sizeof(double);
  std::array<T, 3> f;
  std::array<typename Few::Number, 3> seeded;
  for (size_t j = 0; j < 3; ++j) {
    std::array<double, kParts> parts;
    for (double& x : parts) x = random.uniform(-0.9, 0.9);
    std::memcpy(&f[j], parts.data(), sizeof(T));
    seeded[j] = Few::seed(f[j], j);
  }
  const T direct = function(f.data()), chained = Few::chain(function(seeded.data()), f.data());
  EXPECT_EQ(value_of(direct), value_of(chained));
  std::array<double, kParts> a, b;
  std::memcpy(a.data(), &direct, sizeof(T));
  std::memcpy(b.data(), &chained, sizeof(T));
  double worst = 0;
  for (size_t k = 0; k < kParts; ++k) worst = std::max(worst, std::abs(a[k] - b[k]));
  return worst;
}

TEST(FewerDerivatives, GiveThoseOfAllTheOthers) {
  test::Random random(1);
  for (int n = 0; n < 100; ++n) {
    // Rounding of third derivatives of order ten.
    EXPECT_LT((difference<Dual<double, 7>>(random)), 1e-13);
    EXPECT_LT((difference<Dual<Dual<double, 8>, 7>>(random)), 1e-13);
    EXPECT_LT((difference<Taylor2<Dual<double, 8>>>(random)), 1e-12);
    EXPECT_LT((difference<MotionDual<6>>(random)), 1e-13);
  }
}

}  // namespace fewer_derivatives_test
}  // namespace sinew
