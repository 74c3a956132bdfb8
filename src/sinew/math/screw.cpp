#include "sinew/math/screw.hpp"

#include <cmath>

namespace sinew {

Screw::Screw(const Vec6& twist) : twist_(twist), rate_(twist.head<3>().norm()) {
  const Vec3 v = twist.tail<3>();
  const Vec3 a = rate_ > 0 ? Vec3(twist.head<3>() / rate_) : Vec3(Vec3::Zero());
  axis_ = skew(a);
  axis_twice_ = axis_ * axis_;
  along_ = rate_ > 0 ? Vec3(a * a.dot(v)) : v;
  across_ = rate_ > 0 ? Vec3((v - along_) / rate_) : Vec3(Vec3::Zero());
  around_ = rate_ > 0 ? Vec3(a.cross(v) / rate_) : Vec3(Vec3::Zero());
}

Pose Screw::at(double phi) const {
  const double half = 0.5 * rate_ * phi;
  const double s = std::sin(half), sine = 2 * s * std::cos(half), versine = 2 * s * s;
  return {Mat3::Identity() + sine * axis_ + versine * axis_twice_,
          phi * along_ + sine * across_ + versine * around_};
}

}  // namespace sinew
