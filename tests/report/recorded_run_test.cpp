#include "sinew/report/recorded_run.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "sinew/io/models/system_edit.hpp"
#include "sinew/io/scene/scene.hpp"
#include "support/source_dir.hpp"

namespace sinew {
namespace recorded_run_test {

/// Counts how often its energy is asked for.
class Counter final : public Force {
 public:
  Counter() : Force("counter") {}
  void add_force(const SkeletonAt&, AppliedForces&) const override {}
  void add_derivatives(const SkeletonAt&, StiffnessModel, ForceDerivatives&) const override {}
  double potential_energy(const SkeletonAt&) const override {
    ++count;
    return 0;
  }
  void validate(const Skeleton&) const override {}
  mutable int count = 0;
};

class RecordedRunTest : public ::testing::Test {
 protected:
  RecordedRunTest()
      : folder_(std::filesystem::temp_directory_path() /
                ("sinew-" +
                 std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()))) {
    std::filesystem::remove_all(folder_);
    const std::string path = test::source_dir() + "/scenes/wrap-pendulum.json";
    SystemEdit edit;
    edit.forces = {counter_};
    scene_ = std::make_unique<Scene>(
        parse_changed_scene(read_text_file(path), path, test::source_dir() + "/scenes", {}, edit));
    settings_ = scene_->settings;
    settings_.until = 0.1;
  }
  ~RecordedRunTest() override { std::filesystem::remove_all(folder_); }

  RecordedRun run(RunFolder* folder) {
    const System& system = scene_->system;
    counter_->count = 0;
    return run_and_record(system, settings_, system.controls(),
                          initial_state(system, settings_.step), folder, {}, nullptr);
  }

  std::filesystem::path folder_;
  std::shared_ptr<Counter> counter_ = std::make_shared<Counter>();
  std::unique_ptr<Scene> scene_;
  SimulationSettings settings_;
};

TEST_F(RecordedRunTest, TakesOneSnapshotForAuditAndRow) {
  settings_.output_interval = 0;  // a row for every step
  RunFolder folder(folder_, TableFormat::sto, "pendulum", scene_->system, {});
  const RecordedRun out = run(&folder);
  EXPECT_EQ(folder.rows(), out.result.steps + 1);
  // The audit looks at the start before the first row is written.
  EXPECT_EQ(counter_->count, out.result.steps + 2);
}

TEST_F(RecordedRunTest, EndsAlikeWithAndWithoutTables) {
  const RecordedRun alone = run(nullptr);
  EXPECT_EQ(counter_->count, alone.result.steps + 1);
  RunFolder folder(folder_, TableFormat::sto, "pendulum", scene_->system, {});
  const RecordedRun recorded = run(&folder);
  EXPECT_EQ(alone.state, recorded.state);
  EXPECT_EQ(alone.audit.energy_error, recorded.audit.energy_error);
  EXPECT_EQ(alone.energy.total(), recorded.energy.total());
  EXPECT_TRUE(alone.audit.passed) << alone.audit.verdict;
}

}  // namespace recorded_run_test
}  // namespace sinew
