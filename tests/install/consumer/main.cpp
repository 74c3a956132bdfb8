// A quarter turn about z while moving along z: the pose must be that, and its logarithm the way
// back.
#include <cmath>
#include <cstdio>
#include <numbers>
#include <sinew/sinew.hpp>

int main() {
  sinew::Vec6 phi;
  phi << 0, 0, std::numbers::pi / 2, 0, 0, 0.5;
  const sinew::Pose E = sinew::exp(phi);
  const double angle = std::atan2(E.R(1, 0), E.R(0, 0)) * 180 / std::numbers::pi;
  // One rounding each in sine, cosine and the sums: a few ulp of 1.
  const bool inverts = (sinew::log(E) - phi).norm() < 1e-14;

  const std::string_view version = sinew::version(), commit = sinew::commit();
  std::printf("sinew %.*s (%.*s): %.0f degrees, %.1f m, logarithm %s\n",
              static_cast<int>(version.size()), version.data(), static_cast<int>(commit.size()),
              commit.data(), angle, E.p.z(), inverts ? "right" : "wrong");
  return 0;
}
