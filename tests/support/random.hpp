#pragma once

#include <random>

#include "sinew/math/se3.hpp"

namespace sinew::test {

/// The same sequence in every run and on every machine: tests never depend on luck.
class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}

  double uniform(double low, double high);
  Vec3 vec3(double bound = 1);  ///< entries uniform in [−bound, bound]
  Vec6 vec6(double bound = 1);
  VecX vecx(int n, double bound = 1);
  MatX matx(int rows, int cols, double bound = 1);
  Vec3 unit_vector();
  Pose pose(double bound = 1);  ///< any rotation; position within the bound

 private:
  std::mt19937 engine_;
};

}  // namespace sinew::test
