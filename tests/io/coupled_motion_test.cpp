#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <numbers>

#include "io/osim/small_models.hpp"
#include "sinew/analysis/muscle_analysis.hpp"
#include "sinew/io/models/run_options.hpp"
#include "sinew/io/osim/osim_model.hpp"
#include "sinew/io/tables/motion_reader.hpp"
#include "sinew/io/tables/storage_file.hpp"
#include "sinew/muscles/opensim/opensim_path_on_skeleton.hpp"
#include "support/reference.hpp"

/// Coupled coordinates follow their couplers, for any values in a motion file.

namespace sinew {
namespace coupled_motion_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

enum class Column { missing, in_degrees, in_radians, nonsense };

/// One second of flexion: `knee` columns in degrees, those of `beta` as told.
class CoupledMotion : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    path_ = std::filesystem::path(::testing::TempDir()) / (std::string(test->name()) + ".mot");
  }
  void TearDown() override { std::filesystem::remove(path_); }

  static double flexion(double t) { return 0.9 - 0.8 * std::cos(5 * t); }

  /// `follow` is the coupler's function of the flexion.
  template <class Follow>
  void write(const std::vector<std::string>& knees, const std::vector<std::string>& betas,
             Column column, Follow&& follow) const {
    std::ofstream file(path_);
    file.precision(17);
    file << "x\nversion=1\ninDegrees=yes\nendheader\ntime";
    for (const std::string& knee : knees) file << '\t' << knee;
    if (column != Column::missing)
      for (const std::string& beta : betas) file << '\t' << beta;
    file << '\n';
    for (int k = 0; k <= 100; ++k) {
      const double t = 0.01 * k, degrees = 180 / std::numbers::pi;
      file << t;
      for (size_t i = 0; i < knees.size(); ++i) file << '\t' << degrees * flexion(t);
      const double beta = follow(flexion(t));
      for (size_t i = 0; column != Column::missing && i < betas.size(); ++i)
        file << '\t'
             << (column == Column::in_degrees   ? degrees * beta
                 : column == Column::in_radians ? beta
                                                : 1e9 * t);
      file << '\n';
    }
  }

  std::filesystem::path path_;
};

const OsimModel& knee() {
  static const OsimModel model = parse_osim(test::coupled_model(), "knee.osim");
  return model;
}

double beta_of(double flexion) {
  VecX q(2);
  q << flexion, 0;
  CoupledCoordinates(knee().constraints).follow(q);
  return q[1];
}

TEST_F(CoupledMotion, IsTheSameWhateverTheFileSays) {
  std::vector<Motion> motions;
  for (const Column column :
       {Column::missing, Column::in_degrees, Column::in_radians, Column::nonsense}) {
    write({"knee"}, {"beta"}, column, beta_of);
    const MotionReading reading = read_motion(path_, motion_target(knee()), {});
    motions.push_back(reading.motion);
    if (column == Column::missing || column == Column::in_degrees) {
      EXPECT_THAT(reading.warnings, IsEmpty());
      continue;
    }
    EXPECT_THAT(reading.warnings,
                ElementsAre(testing::AllOf(HasSubstr("'beta' is up to"), HasSubstr("'tracking'"))));
    // The largest difference: of 1.08 rad that are taken for degrees, less a 57th.
    if (column == Column::in_radians) {
      EXPECT_THAT(reading.warnings[0], HasSubstr("1.06"));
    }
  }
  for (const Motion& motion : motions)
    for (size_t k = 0; k < motion.size(); ++k) {
      EXPECT_EQ(motion[k].q, motions[0][k].q);
      EXPECT_EQ(motion[k].qdot, motions[0][k].qdot);
      EXPECT_EQ(motion[k].qddot, motions[0][k].qddot);
    }
}

TEST_F(CoupledMotion, RatesAndAccelerationsAreThoseOfTheCoupledMotion) {
  write({"knee"}, {}, Column::missing, beta_of);
  const Motion motion = read_motion(path_, motion_target(knee()), {}).motion;
  const double h = 1e-5;
  for (const size_t k : {20u, 45u, 70u}) {
    const MotionSample& s = motion[k];
    const auto beta = [&](double t) { return beta_of(flexion(t)); };
    EXPECT_NEAR(s.q[1], beta(s.t), 1e-10);
    // Differences: rounding 1e-16/h and h² f‴/6 ≈ 1e-9; the knee's own rate is good to 1e-7 and
    // its acceleration to 1e-4 (interpolation at 10 ms).
    EXPECT_NEAR(s.qdot[1], (beta(s.t + h) - beta(s.t - h)) / (2 * h), 1e-6);
    EXPECT_NEAR(s.qddot[1], (beta(s.t + h) - 2 * beta(s.t) + beta(s.t - h)) / (h * h), 1e-3);
    EXPECT_GT(std::abs(s.qddot[1]), 1);
  }
}

TEST_F(CoupledMotion, StartsOfRunsFollowToo) {
  for (const double misread : {0.0, 0.02, 1.5}) {
    RunStart run;
    run.values = {{"knee", 1.2}, {"beta", misread}};
    run.speeds = {{"knee", 2}};
    const State state = knee().system_builder(run).build().default_state();
    EXPECT_NEAR(state.q[0], 1.2, 1e-12);  // assembling has nothing to do
    EXPECT_NEAR(state.q[1], beta_of(1.2), 1e-12);
    EXPECT_NEAR(state.qdot[0], 2, 1e-12);
    const double h = 1e-6;
    EXPECT_NEAR(state.qdot[1], (beta_of(1.2 + h) - beta_of(1.2 - h)) / h, 1e-8);
    std::vector<std::string> warnings;
    check_start("--initial", inputs_of(knee()), run, warnings);
    EXPECT_THAT(warnings, ElementsAre(HasSubstr("'beta' is up to")));
  }
}

/// Lengths of all muscles along a motion, a row for each.
MatX lengths(const OsimModel& model, const Motion& motion) {
  std::vector<OpenSimPath> paths;
  for (const OsimPath& path : model.paths) paths.push_back(path.path);
  SkeletonWorkspace ws(model.skeleton);
  std::vector<MusclePath> result;
  MatX out(static_cast<Eigen::Index>(paths.size()), static_cast<Eigen::Index>(motion.size()));
  for (size_t k = 0; k < motion.size(); ++k) {
    update_kinematics(model.skeleton, motion[k].q, motion[k].qdot, ws);
    update_opensim_paths(model.skeleton, paths, motion[k].q, motion[k].qdot, ws, result);
    for (size_t i = 0; i < paths.size(); ++i)
      out(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k)) = result[i].length;
  }
  return out;
}

TEST_F(CoupledMotion, MusclesOfRajagopalHaveTheSameLengthsWhateverTheFileSays) {
  SINEW_NEEDS_REFERENCE();
  const OsimModel model = load_osim(*test::reference_dir() / "opensim/models/Rajagopal2016.osim");
  std::vector<MatX> results;
  for (const Column column : {Column::in_degrees, Column::in_radians, Column::missing}) {
    write({"knee_angle_r", "knee_angle_l"}, {"knee_angle_r_beta", "knee_angle_l_beta"}, column,
          [](double flexion) { return flexion; });
    results.push_back(lengths(model, read_motion(path_, motion_target(model), {}).motion));
  }
  // Quadriceps lengthen by 8 cm over this motion.
  EXPECT_GT((results[0].rowwise().maxCoeff() - results[0].rowwise().minCoeff()).maxCoeff(), 0.05);
  EXPECT_LE((results[1] - results[0]).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LE((results[2] - results[0]).cwiseAbs().maxCoeff(), 1e-9);
}

/// A measured run, in degrees, for Rajagopal's model: it counts flexion of the knee as positive.
MotionTable measured_run(const std::string& name) {
  const StorageFile file =
      read_storage(*test::reference_dir() / "runners/subject01/IK" / (name + "_ik.mot"));
  EXPECT_FALSE(file.in_degrees);
  MotionTable table = file.table;
  for (size_t k = 0; k < table.labels.size(); ++k) {
    const std::string& label = table.labels[k];
    auto column = table.values.col(static_cast<Eigen::Index>(k));
    if (!label.starts_with("pelvis_t") || label == "pelvis_tilt") column *= 180 / std::numbers::pi;
    if (label.starts_with("knee_angle")) column *= -1;
  }
  return table;
}

/// Measured runs have no columns of the patella: with some, in degrees or in radians, all lengths
/// of muscles are the same to rounding, 1e-9 m.
TEST_F(CoupledMotion, MeasuredRunsHaveTheSameLengthsWhateverTheFileSays) {
  SINEW_NEEDS_REFERENCE();
  const OsimModel model = load_osim(*test::reference_dir() / "opensim/models/Rajagopal2016.osim");
  for (const char* run : {"run200", "run300", "run400", "run500"}) {
    SCOPED_TRACE(run);
    const MotionTable measured = measured_run(run);
    std::vector<MatX> results;
    for (const Column column : {Column::missing, Column::in_degrees, Column::in_radians}) {
      MotionTable table = measured;
      for (const char* knee : {"knee_angle_r", "knee_angle_l"}) {
        if (column == Column::missing) break;
        const double unit = column == Column::in_radians ? std::numbers::pi / 180 : 1;
        const VecX beta = unit * table.values.col(table.column(knee));
        table.values.conservativeResize(Eigen::NoChange, table.values.cols() + 1);
        table.values.rightCols<1>() = beta;
        table.labels.push_back(std::string(knee) + "_beta");
      }
      write_storage(path_, table, run, true);
      const Motion motion = read_motion(path_, motion_target(model), {}).motion;
      ASSERT_GT(motion.size(), 150u);
      results.push_back(lengths(model, motion));
    }
    // Quadriceps lengthen by centimetres in every stride.
    EXPECT_GT((results[0].rowwise().maxCoeff() - results[0].rowwise().minCoeff()).maxCoeff(), 0.05);
    for (const MatX& other : results) EXPECT_LE((other - results[0]).cwiseAbs().maxCoeff(), 1e-9);
  }
}

}  // namespace coupled_motion_test
}  // namespace sinew
