#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "sinew/analysis/moment_arms.hpp"
#include "sinew/analysis/muscle_analysis.hpp"
#include "sinew/io/osim/osim_model.hpp"
#include "sinew/io/tables/motion_reader.hpp"
#include "support/reference.hpp"

/// Lengths, rates and moment arms along the reference's walking trial, from its .mot file.

namespace sinew {
namespace reference_muscles_test {

class ReferenceMuscles : public ::testing::Test {
 protected:
  void SetUp() override {
    SINEW_NEEDS_REFERENCE();
    const auto folder = *test::reference_dir() / "opensim/models/gait10dof18musc_subject01";
    model_.emplace(load_osim(folder / "subject01.osim"));
    for (const OsimPath& path : model_->paths) {
      paths_.push_back(path.path);
      wraps_[path.path.name] = !path.path.surfaces.empty();
    }
    MotionOptions filter;
    filter.cutoff = 6;
    filter.opensim_filter = true;
    motion_ = read_motion(folder / "subject01_walk_IK.mot", motion_target(*model_), filter).motion;
    SkeletonWorkspace ws(model_->skeleton);
    for (const MotionSample& s : motion_) {
      update_kinematics(model_->skeleton, s.q, s.qdot, ws);
      update_opensim_paths(model_->skeleton, paths_, s.q, s.qdot, ws, at_.emplace_back());
      couplings_.push_back(coupled_speeds(model_->skeleton, model_->constraints, ws, s.q));
    }
  }

  /// The sample at that time; −1: none.
  int sample(double t) const {
    for (size_t k = 0; k < motion_.size(); ++k)
      if (std::abs(motion_[k].t - t) < 1e-9) return static_cast<int>(k);
    return -1;
  }

  std::optional<OsimModel> model_;
  std::vector<OpenSimPath> paths_;
  std::map<std::string, bool> wraps_;
  Motion motion_;
  std::vector<std::vector<MusclePath>> at_;
  std::vector<MatX> couplings_;
};

TEST_F(ReferenceMuscles, LengthsAndRatesAreOpenSims) {
  const auto want =
      test::reference_csv("opensim/gait10dof18musc_subject01_walk_muscle_lengths.csv");
  double length[2] = {0, 0}, rate[2] = {0, 0};  // straight, wrapped
  for (const auto& row : want.rows) {
    const int k = sample(row[0]);
    ASSERT_GE(k, 0) << row[0];
    for (size_t i = 0; i < paths_.size(); ++i) {
      const MusclePath& path = at_[static_cast<size_t>(k)][i];
      const int w = wraps_[paths_[i].name] ? 1 : 0;
      length[w] =
          std::max(length[w], std::abs(path.length - row[want.column("L_" + paths_[i].name)]));
      rate[w] = std::max(rate[w], std::abs(path.rate - row[want.column("Ldot_" + paths_[i].name)]));
    }
  }
  RecordProperty("largest", std::to_string(length[0] * 1e12) + "e-12 m, " +
                                std::to_string(rate[0] * 1e12) + "e-12 m/s; wrapped " +
                                std::to_string(length[1] * 1e6) + "e-6 m, " +
                                std::to_string(rate[1] * 1e6) + "e-6 m/s");
  // Rounding; rates of coordinates agree to 1e-13 rad/s.
  EXPECT_LT(length[0], 1e-12);
  EXPECT_LT(rate[0], 1e-10);
  // OpenSim's wrapped paths are longer than geodesics: docs/validation.md.
  EXPECT_LT(length[1], 5e-4);
  EXPECT_LT(rate[1], 5e-3);
}

TEST_F(ReferenceMuscles, MomentArmsAreOpenSims) {
  std::ifstream file(*test::reference_dir() /
                     "opensim/gait10dof18musc_subject01_walk_muscle_momentarms.csv");
  std::string line;
  std::getline(file, line);
  int compared = 0;
  double largest[2] = {0, 0};
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    std::string time, muscle, coordinate, arm;
    std::getline(cells, time, ',');
    std::getline(cells, muscle, ',');
    std::getline(cells, coordinate, ',');
    std::getline(cells, arm, ',');
    const int k = sample(std::stod(time));
    ASSERT_GE(k, 0) << time;
    const auto at = std::find_if(paths_.begin(), paths_.end(),
                                 [&](const OpenSimPath& p) { return p.name == muscle; });
    ASSERT_NE(at, paths_.end());
    const VecX arms =
        couplings_[static_cast<size_t>(k)] *
        at_[static_cast<size_t>(k)][static_cast<size_t>(at - paths_.begin())].moment_arms;
    double& error = largest[wraps_[muscle] ? 1 : 0];
    error = std::max(
        error, std::abs(arms[model_->skeleton.find_coordinate(coordinate).value] - std::stod(arm)));
    ++compared;
  }
  RecordProperty("largest", std::to_string(largest[0] * 1e12) + "e-12 m, wrapped " +
                                std::to_string(largest[1] * 1e6) + "e-6 m");
  EXPECT_GT(compared, 500);
  EXPECT_LT(largest[0], 1e-12);  // rounding
  EXPECT_LT(largest[1], 1e-3);   // approximate tangent points of OpenSim's
}

}  // namespace reference_muscles_test
}  // namespace sinew
