#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <limits>
#include <numbers>

#include "io/muscle_scenes.hpp"
#include "sinew/analysis/muscle_paths.hpp"

/// The scene finger-flick: how hard the tip may be flicked, and what the flexors add to the
/// inertia of the joints.

namespace sinew {
namespace finger_test {

using test::load;
using test::mass_matrix_at;

/// The mass of its flexors on the forearm, which does not move.
const std::string kLight = "muscles.mass_model=lumped";

std::vector<std::string> flicked(double force, std::vector<std::string> set) {
  set.push_back("forces.flick.table.values=[[0, " + std::to_string(force) + ", 0], [0, 0, 0]]");
  return set;
}

// ---- stops

/// What a run went through.
struct Flick {
  double energy = 0;  ///< the highest; infinite if it diverged [J]
  double angle = 0;   ///< the largest of a joint [rad]
};

/// `options` with dopri5 choose their own steps, of at most h.
Flick flick(double force, const std::vector<std::string>& set, const StepOptions& options, double h,
            double until) {
  const Scene scene = load("finger-flick", flicked(force, set));
  Workspace ws(scene.system);
  State state = scene.system.default_state();
  Flick out;
  while (state.t < until - 1e-9) {
    const StepReport report = step(scene.system, options, std::min(h, until - state.t), state, ws);
    if (report.status != StepStatus::ok) {
      out.energy = std::numeric_limits<double>::infinity();
      return out;
    }
    out.energy = std::max(out.energy, energy(scene.system, state, ws).total());
    out.angle = std::max(out.angle, state.q.cwiseAbs().maxCoeff());
  }
  return out;
}

/// The motion itself.
Flick converged(double force, const std::vector<std::string>& set, double tolerance = 1e-8) {
  StepOptions options;
  options.integrator = Integrator::dopri5;
  options.relative_tolerance = tolerance;
  options.absolute_tolerance = 1e-2 * tolerance;
  return flick(force, set, options, 1e-3, 0.2);
}

Flick semi_implicit(double force, const std::vector<std::string>& set, double until,
                    double h = 1e-3) {
  StepOptions options;
  options.integrator = Integrator::semi_implicit_euler;
  return flick(force, set, options, h, until);
}

/// The stiffest stops at which steps of h do not make oscillations grow: all joints are in their
/// stops, K M⁻¹ has the largest eigenvalue ω², and semi-implicit Euler is stable for h ω < 2.
double stiffest_stops(const std::vector<std::string>& set, double h) {
  const MatX M = mass_matrix_at(load("finger-flick", set).system, VecX::Constant(3, 0.1));
  const double lightest = Eigen::SelfAdjointEigenSolver<MatX>(M).eigenvalues()[0];
  return 4 * lightest / (h * h);
}

TEST(Finger, InertiaOfItsFlexorsBearsFourTimesStifferStops) {
  const double massive = stiffest_stops({}, 1e-3), light = stiffest_stops({kLight}, 1e-3);
  std::printf("stops up to %.2f N m/rad with inertia, %.2f without: ratio %.2f\n", massive, light,
              massive / light);
  EXPECT_LT(light, 5);
  EXPECT_GT(massive, 5);
  EXPECT_NEAR(massive / light, 4, 0.2);
}

TEST(Finger, WithoutInertiaOfItsFlexorsStopsMakeEnergy) {
  for (const double force : {1.0, 5.0, 20.0})
    for (const std::vector<std::string>& set : {std::vector<std::string>{}, {kLight}}) {
      const Flick exact = converged(force, set);
      // It stays between its stops, at −0.5 and 0.1, but for their softness.
      EXPECT_LT(exact.angle, 0.7) << force;
      const Flick closer = converged(force, set, 1e-10);
      // 1e-8 in each of some hundred steps.
      EXPECT_NEAR(closer.energy, exact.energy, 1e-5 * exact.energy);
      EXPECT_NEAR(closer.angle, exact.angle, 1e-3);
      const double gain = semi_implicit(force, set, 0.2).energy / exact.energy;
      std::printf("%2.0f N, %s: %.2f times the energy of the converged motion, %.3g J\n", force,
                  set.empty() ? "with inertia" : "without", gain, exact.energy);
      if (set.empty())
        EXPECT_LT(gain, 1.6) << force;
      else
        EXPECT_GT(gain, 1000) << force;
    }
}

TEST(Finger, WithoutInertiaOfItsFlexorsDivergesAtForcesThatItBearsWithIt) {
  for (const double force : {0.3, 1.0, 3.0, 10.0, 20.0}) {
    EXPECT_GT(semi_implicit(force, {kLight}, 1).energy, 1e6 * converged(force, {kLight}).energy)
        << force;
    const double gain = semi_implicit(force, {}, 1).energy / converged(force, {}).energy;
    std::printf("%4.1f N, 1 s: %.2f times the energy with inertia, diverges without\n", force,
                gain);
    EXPECT_LT(gain, 2) << force;
  }
}

TEST(Finger, WithoutInertiaOfItsFlexorsNeedsAShorterStep) {
  const double exact = converged(3, {kLight}).energy;
  const Flick quarter = semi_implicit(3, {kLight}, 1, 2.5e-4);
  std::printf("3 N, without inertia, a quarter of the step: %.2f times the energy\n",
              quarter.energy / exact);
  EXPECT_LT(quarter.energy, 1.5 * exact);
}

// ---- without stops

/// The tip is pushed with `force` for two steps of 1 ms; forward Euler and no stops, as the
/// published experiment. Thrown: a joint has moved by more than π within 0.2 s. That is no
/// instability: the converged motion does the same.
bool is_thrown(double force, std::vector<std::string> set, double h = 1e-3) {
  for (const char* body : {"proximal", "middle", "distal"})
    set.push_back(std::string("bodies.") + body + ".joint.stops.stiffness=0");
  const Scene scene = load("finger-flick", flicked(force, set));
  Workspace ws(scene.system);
  State state = scene.system.default_state();
  const VecX start = state.q;
  VecX qddot(state.q.size());
  const int steps = static_cast<int>(std::lround(0.2 / h));
  for (int k = 0; k < steps; ++k) {
    forward_dynamics(scene.system, {k * h, state.q, state.qdot}, ws, qddot);
    state.q += h * state.qdot;
    state.qdot += h * qddot;
    if (!((state.q - start).cwiseAbs().maxCoeff() < std::numbers::pi)) return true;
  }
  return false;
}

double threshold(const std::vector<std::string>& set, double h = 1e-3) {
  double quiet = 0, thrown = 100;
  EXPECT_TRUE(is_thrown(thrown, set, h));
  while (thrown - quiet > 0.01) {
    const double force = 0.5 * (quiet + thrown);
    (is_thrown(force, set, h) ? thrown : quiet) = force;
  }
  return quiet;
}

TEST(Finger, WithInertiaOfItsFlexorsBearsTwiceTheForceAndMore) {
  const double massive = threshold({}), light = threshold({kLight});
  std::printf("thrown beyond %.2f N with inertia, %.2f N without: ratio %.2f\n", massive, light,
              massive / light);
  // Published: 20 N and 5 N.
  EXPECT_GE(massive / light, 2);
  EXPECT_LE(massive / light, 8);
  // A thirty-second of the step gives nearly the same: it is the finger that turns over.
  const double fine = threshold({kLight}, 1e-3 / 32);
  std::printf("at a thirty-second of the step: %.2f N without\n", fine);
  EXPECT_NEAR(fine, light, 0.05 * light);
}

TEST(Finger, InextensibleTendonsRaiseTheInertiaOfItsJoints) {
  const VecX q = VecX::Zero(3);
  const MatX bones = mass_matrix_at(load("finger-flick", {kLight}).system, q);
  // The belly is the first two thirds of the 0.33 m in the forearm, in both: strained alike with
  // its tendon, or alone.
  const auto added = [&](const std::vector<std::string>& set) {
    return MatX(mass_matrix_at(load("finger-flick", set).system, q) - bones);
  };
  const Scene scene = load("finger-flick");
  Workspace ws(scene.system);
  std::vector<MusclePath> paths;
  update_muscle_paths(scene.system, {0, q, VecX::Zero(3)}, ws, paths);
  std::vector<std::string> uniform, stiff;
  for (size_t i = 0; i < 2; ++i) {
    const std::string key = "muscles.list." + scene.system.muscles()[i]->name();
    const double L = paths[i].length, belly = 0.22;
    uniform.push_back(key + ".belly=[0, " + std::to_string(belly / L) + "]");
    stiff.push_back(key + ".tendons=[0, " + std::to_string(L - belly) + "]");
  }
  const MatX alike = added(uniform), tendons = added(stiff), whole = added({});
  const double bone = bones(2, 2);
  std::printf(
      "about DIP, of the bone's %.2e kg m²: mass along the whole path +%.0f %%, belly "
      "strained alike +%.0f %%, inextensible tendon +%.0f %%: %.1f times as much\n",
      bone, 100 * whole(2, 2) / bone, 100 * alike(2, 2) / bone, 100 * tendons(2, 2) / bone,
      tendons(2, 2) / alike(2, 2));
  // The velocity along the belly grows from 0 to that of the tendon, l̇, or to its share of it,
  // b = belly/L: m r²/3 and m r² b²/3.
  const double b = 0.22 / paths[0].length;
  EXPECT_NEAR(tendons(2, 2) / alike(2, 2), 1 / (b * b), 1e-3 / (b * b));
  EXPECT_GT(tendons(2, 2), 2 * alike(2, 2));
}

}  // namespace finger_test
}  // namespace sinew
