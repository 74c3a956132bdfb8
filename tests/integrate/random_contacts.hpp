#pragma once

#include <gtest/gtest.h>

#include <random>

#include "integrate/contact_systems.hpp"
#include "sinew/builder/system_builder.hpp"
#include "sinew/core/error.hpp"

// Random small systems of free bodies, limited pendulums and ropes over rough ground.

namespace sinew::test {

inline ContactShape random_shape(std::mt19937& random, int kind) {
  std::uniform_real_distribution<double> size(0.05, 0.3);
  if (kind == 0) return Sphere{size(random)};
  if (kind == 1) return Cuboid{Vec3(size(random), size(random), size(random))};
  if (kind == 2) return Ellipsoid{Vec3(size(random), size(random), size(random))};
  if (kind == 3) return Capsule{0.5 * size(random), size(random)};
  return Cylinder{size(random), size(random)};
}

inline System random_contacts(unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> unit(-1, 1);
  std::uniform_int_distribution<int> count(1, 4);
  // Kinds that know each other.
  const std::vector<std::vector<int>> families = {{0, 1}, {0, 3}, {0}, {1}};
  const auto& family = families[seed % families.size()];
  const bool alone = seed % 5 == 0;  // then any kind
  const int bodies = alone ? 1 : count(random);
  SkeletonBuilder skeleton;
  std::vector<ContactShape> shapes;
  for (int i = 0; i < bodies; ++i) {
    shapes.push_back(random_shape(random, alone ? static_cast<int>(seed / 5) % 5
                                                : family[static_cast<size_t>(i) % family.size()]));
    Pose E = Pose::Translation(Vec3(0.2 * unit(random), 0.4 + 0.5 * i, 0.2 * unit(random)));
    E.R = Eigen::AngleAxisd(3 * unit(random), Vec3(unit(random), unit(random), 2).normalized())
              .toRotationMatrix();
    BodySpec spec = free_body("b" + std::to_string(i), shapes.back(), E);
    spec.qdot0.resize(6);
    for (double& v : spec.qdot0) v = 2 * unit(random);
    skeleton.add_body(spec);
  }
  // A limited double pendulum that the bodies may meet, and a rope.
  const bool pendulum = seed % 3 == 0 && !alone;
  if (pendulum) {
    skeleton.add_body(bar("p", "", 0.4, 0.5, Revolute{Vec3::UnitZ()}, Vec3(0, 0.9, 0)));
    skeleton.add_body(bar("r", "p", 0.3, 0.3, Revolute{Vec3::UnitX()}, Vec3(0.4, 0, 0)));
  }
  SystemBuilder builder(skeleton.build());
  builder.add_contact(
      slope_ground(0.3 * unit(random), unit(random), 0.5 + 0.5 * unit(random), seed % 2 ? 0.4 : 0));
  for (int i = 0; i < bodies; ++i)
    builder.add_contact(surface("b" + std::to_string(i), BodyIndex(i),
                                shapes[static_cast<size_t>(i)], 0.6 + 0.5 * unit(random),
                                i % 2 ? 0.3 : 0));
  if (pendulum) {
    const auto dofs = static_cast<int>(6 * bodies);
    builder.add_contact(surface("tip", BodyIndex(bodies + 1), Sphere{0.05}, 0.3, 0.2,
                                Pose::Translation(Vec3(0.3, 0, 0))));
    builder.add_limit(coordinate_limit("shoulder", DofIndex(dofs), -1.2, 0.4, 0.3));
    builder.add_limit(coordinate_limit("elbow", DofIndex(dofs + 1), -0.5, 0.5));
    builder.add_limit(
        rope("rope", BodyIndex(bodies), Vec3(0.4, 0, 0), BodyIndex(0), Vec3::Zero(), 0.9));
  }
  return builder.build();
}

struct ContactOutcome {
  int finished = 0, failed = 0, refused = 0;
};

inline ContactOutcome run_random_contacts(unsigned first, unsigned count) {
  ContactOutcome out;
  for (unsigned seed = first; seed < first + count; ++seed) {
    try {
      const System system = random_contacts(seed);
      Workspace ws(system);
      State state = system.default_state();
      StepOptions options;
      // Semi-implicit Euler cannot follow fast spins of bodies that are not balls.
      options.integrator =
          seed % 4 == 2 ? Integrator::semi_implicit_euler : Integrator::linearly_implicit_euler;
      const double start = energy(system, {0, state.q, state.qdot}, ws).total();
      StepReport report;
      double highest = start, fallen = 0;
      for (int k = 0; k < 400 && report.status == StepStatus::ok; ++k) {
        report = step(system, options, 2e-3, state, ws);
        EXPECT_TRUE(state.q.allFinite() && state.qdot.allFinite()) << seed;
        if (report.status != StepStatus::ok) break;
        EXPECT_LE(report.constraint_error, 1e-9) << seed;
        EXPECT_LE(report.contact_residual, 1e-10) << seed;
        const Energy e = energy(system, state, ws);
        highest = std::max(highest, e.total());
        fallen = std::max(fallen, e.kinetic);
      }
      // Euler's own error in free rotation and in the fall, O(h) of the energies exchanged.
      EXPECT_LE(highest, start + 0.02 * (std::abs(start) + fallen)) << seed;
      ++(report.status == StepStatus::ok ? out.finished : out.failed);
      // Every failure gives its place.
      if (report.status == StepStatus::contact_failed) {
        EXPECT_NE(describe(system.unilaterals(), report.worst_source), "no limit or contact");
      }
    } catch (const Error& e) {
      ++out.refused;
      EXPECT_FALSE(e.element().empty());
    }
  }
  return out;
}

}  // namespace sinew::test
