#include "support/random_muscles.hpp"

namespace sinew::test {
namespace {

BodyIndex random_body(const Skeleton& skeleton, Random& random) {
  return BodyIndex(static_cast<int>(random.uniform(0, skeleton.body_count() - 1e-9)));
}

PathPoint random_point(const Skeleton& skeleton, Random& random) {
  return PathPoint::Fixed(random_body(skeleton, random), random.vec3(0.5));
}

/// A cylinder somewhere: near enough to be touched about every other time.
PathSpan random_cylinder(const Skeleton& skeleton, Random& random) {
  CylinderWrap wrap;
  wrap.radius = random.uniform(0.05, 0.4);
  wrap.side = random.uniform(0, 1) < 0.5 ? WrapSide::clockwise : WrapSide::counter_clockwise;
  return {random_body(skeleton, random), random.pose(0.5), wrap};
}

}  // namespace

const char* name_of(PathKind kind) {
  constexpr std::array names{"straight", "polyline",    "cylinder", "mixed",
                             "moving",   "conditional", "nested"};
  return names[static_cast<size_t>(kind)];
}

Muscle random_muscle(const Skeleton& skeleton, PathKind kind, unsigned seed) {
  Random random(seed);
  Muscle muscle;
  muscle.name = std::string(name_of(kind)) + std::to_string(seed);
  // The first end is not in the ground, nor can a path be fixed to one body altogether.
  muscle.points.push_back(random_point(skeleton, random));
  const DofIndex dof(static_cast<int>(random.uniform(0, skeleton.dof_count() - 1e-9)));
  const auto add = [&] { muscle.points.push_back(random_point(skeleton, random)); };
  switch (kind) {
    case PathKind::straight:
    case PathKind::cylinder:
      break;
    case PathKind::polyline:
    case PathKind::mixed:
      for (int k = 0; k < 2; ++k) add();
      break;
    case PathKind::moving: {
      const ScalarFunction f = PolynomialFunction{{0.02, 0.1, -0.03, 0.05}};
      muscle.points.push_back(PathPoint::Moving(random_body(skeleton, random), random.vec3(0.5),
                                                {dof, DofIndex(), dof},
                                                {f, f, SineFunction{0.1, 2, 0.3, 0}}));
      break;
    }
    case PathKind::conditional: {
      const PathPoint before = muscle.points.back(), after = random_point(skeleton, random);
      // Random coordinates are within ±0.7: a wide band makes sure that it is in use.
      muscle.points.push_back(PathPoint::Conditional(random_body(skeleton, random),
                                                     random.vec3(0.5), dof, {-0.2, 0.9, 0.8},
                                                     before, after, 0.4));
      muscle.points.push_back(after);
      break;
    }
    case PathKind::nested: {
      // Conditional beside a point that moves and one that is conditional itself; the coordinate of
      // the latter is that of the former for some seeds.
      const DofIndex other(static_cast<int>(random.uniform(0, skeleton.dof_count() - 1e-9)));
      const ScalarFunction f = PolynomialFunction{{0.02, 0.1, -0.03, 0.05}};
      const PathPoint moving =
          PathPoint::Moving(random_body(skeleton, random), random.vec3(0.5),
                            {dof, other, DofIndex()}, {f, SineFunction{0.1, 2, 0.3, 0}, f});
      const PathPoint end = random_point(skeleton, random), far = random_point(skeleton, random);
      const PathPoint inner = PathPoint::Conditional(
          random_body(skeleton, random), random.vec3(0.5), other, {-0.9, 0.3, 0.8}, end, far, 0.6);
      muscle.points.push_back(moving);
      muscle.points.push_back(PathPoint::Conditional(random_body(skeleton, random),
                                                     random.vec3(0.5), dof, {-0.2, 0.9, 0.8},
                                                     moving, inner, 0.4));
      muscle.points.push_back(inner);
      muscle.points.push_back(far);
      break;
    }
  }
  if (kind != PathKind::conditional && kind != PathKind::nested)
    muscle.points.push_back(PathPoint::Fixed(kWorld, random.vec3()));
  if (kind == PathKind::cylinder || kind == PathKind::mixed) {
    muscle.spans.resize(muscle.points.size() - 1);
    muscle.spans.back() = random_cylinder(skeleton, random);
    if (kind == PathKind::mixed) muscle.spans.front() = random_cylinder(skeleton, random);
  }
  muscle.mass = random.uniform(0.1, 2);
  const auto variant = static_cast<unsigned>(random.uniform(0, 3));
  if (variant == 0) muscle.material = MaterialMap::Uniform(0.1, 0.8);
  if (variant == 1) muscle.material = MaterialMap::Tendons(0.01, 0.02);
  if (variant == 2)
    muscle.regions = mass_regions({0, 0.3, 1}, {1, 3, 0.5}, muscle.mass, muscle.name);
  else if (random.uniform(0, 1) < 0.5)
    muscle.regions = mass_regions(MassProfile::parabolic, muscle.mass);
  muscle.tension = random.uniform(0, 20);
  return muscle;
}

}  // namespace sinew::test
