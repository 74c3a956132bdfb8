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
  const double sign = wrap.side == WrapSide::nearest ? 1 : static_cast<double>(wrap.side);
  example.anchors = [=](Random& random) {
    return random.uniform(0, 1) < 0.5 ? beside_axis(random, r, sign, 0.1, height)
                                      : around_axis(random, r, height);
  };
  // Outside one of the ends it is positive, if not the distance from the edge.
  example.distance = [=, end = wrap.half_length](const Vec3& x) {
    return std::max(std::hypot(x.x(), x.y()) - r, std::abs(x.z()) - end);
  };
  example.smooth = wrap.model == WrapKind::smooth;
  example.fixed_side = wrap.side != WrapSide::nearest;
  // Past the ends of a finite cylinder the exact path keeps to the cylinder's prolongation.
  example.shortest = !example.smooth && !std::isfinite(wrap.half_length);
  // While it slips off an end the smooth path cuts the edge.
  if (example.smooth && std::isfinite(wrap.half_length)) example.penetration = 0.2 * r;
  return example;
}

/// Paths that touch it do so as those of an exact cylinder do.
WrapExample pulley(std::string name, const PulleyWrap& wrap) {
  WrapExample example = cylinder(
      std::move(name), {.radius = wrap.radius, .side = wrap.side, .model = WrapKind::exact});
  example.wrap = wrap;
  example.pairs = 300;  // as the cylinder, which has a thousand
  return example;
}

/// Half of the pairs have chords near the surface; half are any two points between 1.15 r and 6 r,
/// at least `off_antipode` rad from opposite each other.
WrapExample sphere(std::string name, const SphereWrap& wrap, double off_antipode) {
  WrapExample example{std::move(name), wrap, {}, {}};
  const double r = wrap.radius;
  example.anchors = [=](Random& random) -> Anchors {
    const Vec3 n = random.unit_vector(), t = n.cross(random.unit_vector()).normalized();
    if (random.uniform(0, 1) < 0.5) {
      const Vec3 foot = r * random.uniform(0.9, 1.1) * n;
      return {foot - random.uniform(0.7, 5) * r * t, foot + random.uniform(0.7, 5) * r * t};
    }
    const double angle = random.uniform(0.2, std::numbers::pi - off_antipode);
    return {random.uniform(1.15, 6) * r * n,
            random.uniform(1.15, 6) * r * (std::cos(angle) * n + std::sin(angle) * t)};
  };
  example.distance = [=](const Vec3& x) { return x.norm() - r; };
  example.smooth = wrap.model == WrapKind::smooth;
  example.shortest = wrap.model == WrapKind::exact;
  return example;
}

/// Nearly opposite anchors, tilted by up to 0.3 rad in any direction; their line is across the
/// preferred axis z, up to 0.5 rad, and they pass on the side it prefers or miss it slightly.
WrapExample antipodal_sphere(const SphereWrap& wrap) {
  WrapExample example = sphere("antipodal_sphere", wrap, 0);
  const double r = wrap.radius;
  example.anchors = [=](Random& random) -> Anchors {
    const double a = random.uniform(0, 2 * std::numbers::pi), up = random.uniform(-0.5, 0.5);
    const Vec3 o(std::cos(a) * std::cos(up), std::sin(a) * std::cos(up), std::sin(up));
    const Vec3 left = Vec3::UnitZ().cross(o).normalized(), high = o.cross(left);
    const Vec3 i = -o + random.uniform(-0.05, 0.3) * left + random.uniform(-0.3, 0.3) * high;
    return {random.uniform(1.2, 5) * r * o, random.uniform(1.2, 5) * r * i.normalized()};
  };
  example.touches_down = false;
  return example;
}

/// From left of the first circle to right of the second, at any height of both: free, either, both.
WrapExample double_cylinder(std::string name, WrapKind model, WrapSide second) {
  const bool crossed = second == WrapSide::counter_clockwise;
  const DoubleCylinderWrap wrap{.circle = {{{-0.3, crossed ? -0.1 : 0.05, 0.1, WrapSide::clockwise},
                                            {0.3, crossed ? 0.25 : -0.02, 0.15, second}}},
                                .model = model};
  WrapExample example{std::move(name), wrap, {}, {}};
  example.anchors = [](Random& random) -> Anchors {
    const auto z = [&] { return random.uniform(-0.3, 0.3); };
    return {Vec3(random.uniform(-1, -0.5), random.uniform(-0.4, 0.5), z()),
            Vec3(random.uniform(0.5, 1), random.uniform(-0.4, 0.5), z())};
  };
  example.distance = [=](const Vec3& x) {
    double nearest = 1;
    for (const auto& c : wrap.circle)
      nearest = std::min(nearest, std::hypot(x.x() - c.x, x.y() - c.y) - c.radius);
    return nearest;
  };
  example.smooth = model == WrapKind::smooth;
  // Two bands that overlap: third derivatives vary within steps of 1e-5.
  example.derivative_error = 5e-6;
  example.shortest = !example.smooth;
  return example;
}

}  // namespace

std::vector<WrapExample> wrap_examples() {
  std::vector<WrapExample> examples;
  examples.push_back(pulley("pulley", {.radius = 0.2}));
  examples.push_back(pulley("clockwise_pulley", {.radius = 0.03, .side = WrapSide::clockwise}));
  const auto exact = WrapKind::exact, smooth = WrapKind::smooth;
  const auto left = WrapSide::counter_clockwise, right = WrapSide::clockwise;
  examples.push_back({.name = "straight",
                      .wrap = Straight{},
                      .anchors = [](Random& random) { return around_axis(random, 0.1, 1); },
                      .distance = [](const Vec3&) { return 1.0; },
                      .shortest = true});
  examples.push_back(cylinder("exact_cylinder", {.radius = 0.15, .side = left, .model = exact}));
  examples.push_back(
      cylinder("nearest_cylinder", {.radius = 0.15, .side = WrapSide::nearest, .model = exact}));
  examples.push_back(cylinder("smooth_cylinder", {.radius = 0.15, .side = right, .model = smooth}));
  examples.push_back(
      cylinder("wide_band_cylinder", {.radius = 0.04, .side = left, .model = smooth, .band = 0.2}));
  examples.push_back(cylinder("exact_finite_cylinder",
                              {.radius = 0.1, .side = left, .model = exact, .half_length = 0.15}));
  examples.push_back(
      cylinder("smooth_finite_cylinder", {.radius = 0.1, .side = left, .half_length = 0.15}));
  examples.push_back(sphere("exact_sphere", {.radius = 0.2, .model = exact}, 0.3));
  examples.push_back(sphere("smooth_sphere", {.radius = 0.2}, 0.3));
  examples.push_back(antipodal_sphere({.radius = 0.2}));
  examples.push_back(double_cylinder("exact_double_cylinder", exact, right));
  examples.push_back(double_cylinder("smooth_double_cylinder", smooth, right));
  examples.push_back(double_cylinder("exact_crossed_cylinders", exact, left));
  examples.push_back(double_cylinder("smooth_crossed_cylinders", smooth, left));
  for (WrapExample& example : level_wrap_examples()) examples.push_back(std::move(example));
  return examples;
}

}  // namespace sinew::test
