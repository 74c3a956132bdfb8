#include <cmath>
#include <numbers>

#include "support/wrap_examples.hpp"

namespace sinew::test {
namespace {

/// Two points whose chord's middle part passes `p` across the surface's normal `n` there, in any
/// direction.
Anchors past(Random& random, const Vec3& p, const Vec3& n, double nearest, double farthest) {
  const Vec3 t = n.cross(random.unit_vector()).normalized();
  return {p - random.uniform(nearest, farthest) * t, p + random.uniform(nearest, farthest) * t};
}

WrapExample ellipsoid(std::string name, const EllipsoidWrap& wrap) {
  WrapExample example{std::move(name), wrap, {}, {}};
  const EllipsoidLevel level(wrap);
  const double size = level.size();
  example.anchors = [=](Random& random) {
    while (true) {
      const Vec3 on = wrap.semi_axes.cwiseProduct(random.unit_vector());
      const Vec3 p =
          (random.uniform(0, 1) < 0.5 ? random.uniform(0.95, 1.02) : random.uniform(0.35, 1.3)) *
          on;
      const Anchors pair = past(random, p, level.gradient(p).normalized(), 0.8 * size, 4 * size);
      if (level.value(pair.first) > 0.05 * size && level.value(pair.second) > 0.05 * size)
        return pair;
    }
  };
  example.distance = [=](const Vec3& x) { return level.value(x); };
  example.smooth = wrap.model == WrapKind::smooth;
  example.fixed_side = false;
  example.shortest = wrap.model == WrapKind::exact;
  // Errors of eight steps of order 6 over up to a half turn.
  example.penetration = 2e-5 * size;
  example.tangent_error = 5e-5;
  example.pairs = 150;
  return example;
}

WrapExample torus(std::string name, const TorusWrap& wrap) {
  WrapExample example{std::move(name), wrap, {}, {}};
  const TorusLevel level(wrap);
  example.anchors = [=](Random& random) {
    while (true) {
      const double a = random.uniform(0, 2 * std::numbers::pi);
      const double b = random.uniform(0, 2 * std::numbers::pi);
      const Vec3 out(std::cos(a), std::sin(a), 0);
      const Vec3 n = std::cos(b) * out + std::sin(b) * Vec3::UnitZ();
      const Vec3 p =
          wrap.radius * out + wrap.tube *
                                  (random.uniform(0, 1) < 0.5 ? random.uniform(0.93, 1.03)
                                                              : random.uniform(0.35, 1.3)) *
                                  n;
      const Anchors pair = past(random, p, n, 0.8 * wrap.tube, 5 * wrap.tube);
      if (level.value(pair.first) > 0.05 * wrap.tube && level.value(pair.second) > 0.05 * wrap.tube)
        return pair;
    }
  };
  example.distance = [=](const Vec3& x) { return level.value(x); };
  example.smooth = wrap.model == WrapKind::smooth;
  example.fixed_side = false;
  example.shortest = wrap.model == WrapKind::exact;
  example.penetration = 2e-5 * wrap.tube;
  example.tangent_error = 5e-5;
  example.pairs = 150;
  return example;
}

WrapExample capped_cylinder(std::string name, const CappedCylinderWrap& wrap) {
  WrapExample example{std::move(name), wrap, {}, {}};
  const CappedCylinderLevel level(wrap);
  const double r = wrap.radius;
  example.anchors = [=](Random& random) {
    while (true) {
      // On the cap, or on the cylinder down to two radii below the seam.
      Vec3 n = random.unit_vector(), core = Vec3::Zero();
      if (n.z() < 0) {
        core.z() = 2 * r * n.z();
        n = Vec3(n.x(), n.y(), 0).normalized();
      }
      const double depth =
          random.uniform(0, 1) < 0.5 ? random.uniform(0.95, 1.02) : random.uniform(0.35, 1.3);
      const Anchors pair = past(random, core + depth * r * n, n, 0.8 * r, 4 * r);
      if (level.value(pair.first) > 0.05 * r && level.value(pair.second) > 0.05 * r) return pair;
    }
  };
  example.distance = [=](const Vec3& x) { return level.value(x); };
  example.smooth = wrap.model == WrapKind::smooth;
  example.fixed_side = false;
  example.shortest = wrap.model == WrapKind::exact;
  if (wrap.model == WrapKind::exact) {  // closed form, and a seam that is not rounded
    example.distance = [=](const Vec3& x) {
      return Vec3(x.x(), x.y(), std::max(x.z(), 0.0)).norm() - r;
    };
  } else {  // curvature changes within two or three steps at the seam
    example.penetration = 3e-4 * r;
    example.tangent_error = 1e-3;
    example.pairs = 150;
  }
  return example;
}

/// The elastic band around an ellipsoid.
WrapExample elastic_band() {
  const EllipsoidWrap like{.semi_axes = Vec3(0.1, 0.07, 0.15)};
  const EllipsoidLevel level(like);
  WrapExample example = ellipsoid("elastic_band", like);
  ImplicitWrap wrap;
  wrap.level = level_from_formula([level](const auto& x) { return level.value(x); });
  wrap.size = level.size();
  example.wrap = wrap;
  example.touches_down = false;
  example.penetration = 3 * wrap.softness * wrap.size;
  example.tangent_error = 1e-11;
  example.pairs = 20;
  return example;
}

}  // namespace

std::vector<WrapExample> level_wrap_examples() {
  const auto exact = WrapKind::exact;
  const Vec3 axes(0.1, 0.07, 0.15);
  return {ellipsoid("exact_ellipsoid", {.semi_axes = axes, .model = exact}),
          ellipsoid("smooth_ellipsoid", {.semi_axes = axes}),
          torus("exact_torus", {.radius = 0.2, .tube = 0.06, .model = exact}),
          torus("smooth_torus", {.radius = 0.2, .tube = 0.06}),
          capped_cylinder("exact_capped_cylinder", {.radius = 0.1, .model = exact}),
          capped_cylinder("smooth_capped_cylinder", {.radius = 0.1}),
          elastic_band()};
}

}  // namespace sinew::test
