// A muscle with and without mass. Its mass slides along the muscle's path when the joint bends:
// that differs both from no mass and from a mass fixed to the bone.
#include <cmath>
#include <cstdio>
#include <numbers>
#include <sinew/sinew.hpp>

namespace {

constexpr double kInsertion = 0.3;   // distance of the muscle's end from the hinge [m]
constexpr double kMuscleMass = 0.5;  // [kg]

sinew::BodySpec bone() {
  sinew::BodySpec spec;
  spec.name = "bone";
  spec.joint = sinew::Revolute{sinew::Vec3::UnitZ()};
  spec.M_B = sinew::inertia(sinew::Cuboid{{0.03, 0.4, 0.03}}, 2000)
                 .transformed(sinew::Pose::Translation({0, -0.2, 0}));
  return spec;
}

/// The period of small swings about the hanging bone, with a muscle of this mass that pulls with
/// no force.
double period(double muscle_mass) {
  sinew::SystemBuilder builder(sinew::SkeletonBuilder().add_body(bone()).build());
  sinew::Muscle muscle;
  muscle.name = "muscle";
  muscle.points = {
      sinew::PathPoint::Fixed(sinew::kWorld, {0.05, 0.2, 0}),
      sinew::PathPoint::Fixed(builder.skeleton().find_body("bone"), {0, -kInsertion, 0})};
  muscle.mass = muscle_mass;  // spread evenly along the path
  builder.add_muscle(muscle);
  const sinew::System system = builder.build();

  // q̈ = −ω² q for small q.
  sinew::State state = system.default_state();
  state.q[0] = 1e-4;
  sinew::Workspace ws(system);
  sinew::VecX qddot(1);
  sinew::forward_dynamics(system, state, ws, qddot);
  return 2 * std::numbers::pi / std::sqrt(-qddot[0] / state.q[0]);
}

/// The same by hand: 2π √(I / (g m d)), with the muscle's contributions to I and to m d.
double formula(double added_inertia, double added_moment) {
  const sinew::SpatialInertia M = bone().M_B;
  return 2 * std::numbers::pi *
         std::sqrt((M.I(2, 2) + added_inertia) / (9.80665 * (-M.h.y() + added_moment)));
}

}  // namespace

int main() {
  const double m = kMuscleMass, r = kInsertion;
  const double massless = period(0), massive = period(m);
  // Material at the fraction β of the path has β of the velocity of the muscle's end: its inertia
  // is ∫ β² dm = m/3 at the insertion, its weight ∫ β dm = m/2.
  const double by_hand = formula(m * r * r / 3, m * r / 2);
  // All of its mass as a lump on the bone, half way to the insertion.
  const double on_bone = formula(m * r * r / 4, m * r / 2);

  std::printf("period without muscle mass:         %.4f s\n", massless);
  std::printf("mass that moves along the muscle:   %.4f s, by hand %.4f s\n", massive, by_hand);
  std::printf("the same mass on the bone:          %.4f s\n", on_bone);
  const bool right =
      std::abs(massless - formula(0, 0)) < 1e-6 && std::abs(massive - by_hand) < 1e-6;
  return right ? 0 : 1;
}
