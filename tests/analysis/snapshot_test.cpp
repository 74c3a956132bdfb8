#include "sinew/analysis/snapshot.hpp"

#include <gtest/gtest.h>

#include "sinew/io/scene/scene.hpp"
#include "sinew/muscles/muscles.hpp"
#include "support/source_dir.hpp"

namespace sinew {
namespace snapshot_test {

/// Scenes with muscles that have mass, Hill muscles, both, soft bodies, a loop.
class OfAScene : public ::testing::TestWithParam<const char*> {
 protected:
  OfAScene()
      : scene_(load_scene(test::source_dir() + "/scenes/" + GetParam() + ".json")),
        ws_(scene_.system),
        state_(scene_.system.default_state()) {
    state_.qdot.head(1).setConstant(0.3);
  }
  Scene scene_;
  Workspace ws_;
  State state_;
  Snapshot snapshot_;
};

TEST_P(OfAScene, HoldsWhatSingleFunctionsSay) {
  const System& system = scene_.system;
  take_snapshot(system, state_, SnapshotDetail::pictures, ws_, snapshot_);
  const Energy alone = energy(system, state_, ws_);
  EXPECT_EQ(snapshot_.energy.kinetic, alone.kinetic);
  EXPECT_EQ(snapshot_.energy.gravity, alone.gravity);
  EXPECT_EQ(snapshot_.energy.elastic, alone.elastic);
  for (int i = 0; i < system.skeleton().body_count(); ++i)
    EXPECT_EQ(snapshot_.bodies[static_cast<size_t>(i)].p,
              body_pose(system.skeleton(), ws_.skeleton, BodyIndex(i)).p);
  VecX q, qdot;
  expand_coordinates(system, state_, ws_, q, qdot);
  EXPECT_EQ(snapshot_.q, q);
  EXPECT_EQ(snapshot_.qdot, qdot);

  std::vector<MusclePath> paths;
  update_muscle_paths(system, state_, ws_, paths);
  ASSERT_EQ(snapshot_.paths.size(), paths.size());
  for (size_t k = 0; k < paths.size(); ++k) {
    // Paths with mass are evaluated along with it: rounding.
    EXPECT_NEAR(snapshot_.paths[k].length, paths[k].length, 1e-14);
    EXPECT_NEAR(snapshot_.paths[k].rate, paths[k].rate, 1e-13);
    EXPECT_EQ(snapshot_.paths[k].status, paths[k].status);
    EXPECT_LT((snapshot_.paths[k].moment_arms - paths[k].moment_arms).norm(), 1e-13);
    ASSERT_EQ(snapshot_.paths[k].nodes.size(), paths[k].nodes.size());
    for (size_t n = 0; n < paths[k].nodes.size(); ++n)
      EXPECT_LT((snapshot_.paths[k].nodes[n] - paths[k].nodes[n]).norm(), 1e-13);
    EXPECT_FALSE(snapshot_.drawings[k].points.empty());
  }
  const std::vector<HillValues<double>> hill = hill_values(system, state_, ws_);
  ASSERT_EQ(snapshot_.hill.size(), hill.size());
  for (size_t i = 0; i < hill.size(); ++i)
    EXPECT_NEAR(snapshot_.paths[system.hill_muscles()[i]].tension, hill[i].actuation,
                1e-9 * (1 + std::abs(hill[i].actuation)));
  EXPECT_EQ(snapshot_.lost_path().muscle, find_lost_path(system, state_, ws_).muscle);
}

TEST_P(OfAScene, ForAnAuditHasTheSameEnergiesAndStatuses) {
  Snapshot whole;
  take_snapshot(scene_.system, state_, SnapshotDetail::tables, ws_, whole);
  take_snapshot(scene_.system, state_, SnapshotDetail::audit, ws_, snapshot_);
  EXPECT_EQ(snapshot_.energy.total(), whole.energy.total());
  EXPECT_EQ(snapshot_.lost_path().muscle, whole.lost_path().muscle);
}

INSTANTIATE_TEST_SUITE_P(Snapshot, OfAScene,
                         ::testing::Values("wrap-pendulum", "arm", "swing-leg", "knee-spline",
                                           "four-bar", "soft-finger", "hand", "double-pendulum"));

TEST(Snapshot, WithoutActivationsHasNoHillValues) {
  const Scene scene = load_scene(test::source_dir() + "/scenes/swing-leg.json");
  const State state = scene.system.default_state();
  Workspace ws(scene.system);
  Snapshot snapshot;
  take_snapshot(scene.system, {0, state.q, state.qdot}, SnapshotDetail::tables, ws, snapshot);
  EXPECT_TRUE(snapshot.hill.empty());
  EXPECT_GT(snapshot.paths[0].length, 0.01);
}

}  // namespace snapshot_test
}  // namespace sinew
