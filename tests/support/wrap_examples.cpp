#include "support/wrap_examples.hpp"

#include <cmath>
#include <numbers>

namespace sinew::test {
namespace {

/// Two points whose chord passes the z axis at distance r (1 + spread·u), on its chosen side, with
/// feet between them; any turn about z, heights within ±height.
Anchors beside_axis(Random& random, double r, double sign, double spread, double height) {
  const double h = r * (1 + spread * random.uniform(-1, 1));
  const double a = random.uniform(0, 2 * std::numbers::pi);
  const double far_o = random.uniform(0.7 * r, 5 * r), far_i = random.uniform(0.7 * r, 5 * r);
  const Vec3 n(std::cos(a), std::sin(a), 0), t(-sign * n.y(), sign * n.x(), 0);
  Vec3 o = h * n - far_o * t, i = h * n + far_i * t;
  o.z() = random.uniform(-height, height);
  i.z() = random.uniform(-height, height);
  return {o, i};
}

/// Any two points of an annulus from 1.15 r to 6 r.
Anchors around_axis(Random& random, double r, double height) {
  const auto point = [&] {
    const double rho = random.uniform(1.15 * r, 6 * r);
    const double a = random.uniform(0, 2 * std::numbers::pi);
    return Vec3(rho * std::cos(a), rho * std::sin(a), random.uniform(-height, height));
  };
  const Vec3 o = point();
  return {o, point()};
}

WrapExample cylinder(std::string name, const CylinderWrap& wrap) {
  WrapExample example{std::move(name), wrap, {}, {}};
  const double r = wrap.radius, height = 3 * r;
  const double sign = wrap.side == Side::nearest ? 1 : static_cast<double>(wrap.side);
  example.anchors = [=](Random& random) {
    return random.uniform(0, 1) < 0.5 ? beside_axis(random, r, sign, 0.1, height)
                                      : around_axis(random, r, height);
  };
  example.distance = [=](const Vec3& x) { return std::hypot(x.x(), x.y()) - r; };
  example.smooth = wrap.model == WrapKind::smooth;
  example.fixed_side = wrap.side != Side::nearest;
  example.shortest = wrap.model == WrapKind::exact;
  return example;
}

}  // namespace

std::vector<WrapExample> wrap_examples() {
  std::vector<WrapExample> examples;
  const auto exact = WrapKind::exact, smooth = WrapKind::smooth;
  const auto left = Side::counter_clockwise, right = Side::clockwise;
  examples.push_back({.name = "straight",
                      .wrap = Straight{},
                      .anchors = [](Random& random) { return around_axis(random, 0.1, 1); },
                      .distance = [](const Vec3&) { return 1.0; },
                      .shortest = true});
  examples.push_back(cylinder("exact_cylinder", {.radius = 0.15, .side = left, .model = exact}));
  examples.push_back(
      cylinder("nearest_cylinder", {.radius = 0.15, .side = Side::nearest, .model = exact}));
  examples.push_back(cylinder("smooth_cylinder", {.radius = 0.15, .side = right, .model = smooth}));
  examples.push_back(
      cylinder("wide_band_cylinder", {.radius = 0.04, .side = left, .model = smooth, .band = 0.2}));
  return examples;
}

}  // namespace sinew::test
