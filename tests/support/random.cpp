#include "support/random.hpp"

#include <numbers>

namespace sinew::test {

double Random::uniform(double low, double high) {
  // Not std::uniform_real_distribution: its sequence is left to the implementation.
  return low + (high - low) * (static_cast<double>(engine_()) / 4294967296.0);
}

Vec3 Random::vec3(double bound) { return vecx(3, bound); }
Vec6 Random::vec6(double bound) { return vecx(6, bound); }
VecX Random::vecx(int n, double bound) { return matx(n, 1, bound); }

MatX Random::matx(int rows, int cols, double bound) {
  MatX m(rows, cols);
  for (int j = 0; j < cols; ++j)
    for (int i = 0; i < rows; ++i) m(i, j) = uniform(-bound, bound);
  return m;
}

Vec3 Random::unit_vector() {
  for (;;) {
    const Vec3 v = vec3();
    if (v.norm() > 0.1 && v.norm() < 1) return v.normalized();
  }
}

Pose Random::pose(double bound) {
  const Vec3 axis = unit_vector();
  return {Eigen::AngleAxisd(uniform(0, std::numbers::pi), axis).toRotationMatrix(), vec3(bound)};
}

}  // namespace sinew::test
