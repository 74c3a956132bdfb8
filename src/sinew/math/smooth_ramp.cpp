#include "sinew/math/smooth_ramp.hpp"

namespace sinew {

double smooth_ramp_slope(double x, double w) {
  if (x <= -w) return 0;
  if (x >= w) return 1;
  const double y = 0.5 * (x / w + 1), y2 = y * y;
  return y2 * y2 * (35 + y * (-84 + y * (70 - 20 * y)));
}

double smooth_ramp_integral(double x, double w) {
  if (x <= -w) return 0;
  if (x >= w) return 0.5 * x * x + w * w / 18;
  const double y = 0.5 * (x / w + 1), y2 = y * y;
  return w * w * y2 * y2 * y2 * (14.0 / 3 + y * (-8 + y * (5 - 10.0 / 9 * y)));
}

}  // namespace sinew
