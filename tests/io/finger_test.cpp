#include <gtest/gtest.h>

#include <numbers>

#include "io/muscle_scenes.hpp"
#include "sinew/analysis/muscle_paths.hpp"

/// The scene finger-flick: how hard the tip may be flicked, and what the flexors add to the
/// inertia of the joints.

namespace sinew {
namespace finger_test {

using test::load;
using test::mass_matrix_at;

/// The tip is pushed with `force` for two steps of 1 ms; forward Euler, as the published
/// experiment. Unstable: a joint has moved by more than π within 0.2 s.
bool is_stable(double force, const std::vector<std::string>& set) {
  std::vector<std::string> all = set;
  all.push_back("forces.flick.table.values=[[0, " + std::to_string(force) + ", 0], [0, 0, 0]]");
  const Scene scene = load("finger-flick", all);
  Workspace ws(scene.system);
  State state = scene.system.default_state();
  const VecX start = state.q;
  VecX qddot(state.q.size());
  constexpr double kStep = 1e-3;
  for (int k = 0; k < 200; ++k) {
    forward_dynamics(scene.system, {k * kStep, state.q, state.qdot}, ws, qddot);
    state.q += kStep * state.qdot;
    state.qdot += kStep * qddot;
    if (!((state.q - start).cwiseAbs().maxCoeff() < std::numbers::pi)) return false;
  }
  return true;
}

double threshold(const std::vector<std::string>& set) {
  double stable = 0, unstable = 100;
  EXPECT_FALSE(is_stable(unstable, set));
  while (unstable - stable > 0.01) {
    const double force = 0.5 * (stable + unstable);
    (is_stable(force, set) ? stable : unstable) = force;
  }
  return stable;
}

TEST(Finger, WithInertiaOfItsFlexorsBearsTwiceTheForceAndMore) {
  const double massive = threshold({}), light = threshold({"muscles.mass_model=lumped"});
  std::printf("unstable beyond %.2f N with inertia, %.2f N without: ratio %.2f\n", massive, light,
              massive / light);
  // Published: 20 N and 5 N.
  EXPECT_GE(massive / light, 2);
  EXPECT_LE(massive / light, 8);
}

TEST(Finger, InextensibleTendonsRaiseTheInertiaOfItsJoints) {
  const VecX q = VecX::Zero(3);
  const MatX bones = mass_matrix_at(load("finger-flick", {"muscles.mass_model=lumped"}).system, q);
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
