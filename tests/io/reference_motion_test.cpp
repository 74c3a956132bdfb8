#include <gtest/gtest.h>

#include <cmath>

#include "sinew/io/tables/storage_file.hpp"
#include "support/reference.hpp"

/// The walking trial of the reference, from its .mot file to the coordinates, rates and
/// accelerations that OpenSim's inverse dynamics used.

namespace sinew {
namespace reference_motion_test {

const char* const kTrial = "opensim/models/gait10dof18musc_subject01/";

StorageFile trial_coordinates() {
  StorageFile file = read_storage(*test::reference_dir() / kTrial / "subject01_walk_IK.mot");
  to_radians(
      [](const std::string& label) {
        return label.find("pelvis_t") != 0 || label == "pelvis_tilt";
      },
      file);
  return file;
}

TEST(ReferenceMotion, CoordinatesRatesAndAccelerationsAreOpenSims) {
  SINEW_NEEDS_REFERENCE();
  const StorageFile file = trial_coordinates();
  EXPECT_TRUE(file.warnings.empty());
  const QuinticSpline spline = opensim_smoothing(file.table, 6);
  const auto want = test::reference_csv("opensim/gait10dof18musc_subject01_walk_ID.csv");
  const auto n = static_cast<Eigen::Index>(file.table.labels.size());
  VecX q(n), u(n), udot(n);
  VecX error = VecX::Zero(3), largest = error;
  for (const auto& row : want.rows) {
    spline.evaluate(row[0], q, u, udot);
    for (Eigen::Index k = 0; k < n; ++k) {
      const std::string& label = file.table.labels[static_cast<size_t>(k)];
      const Vec3 have(q[k], u[k], udot[k]);
      const Vec3 is(row[want.column("q_" + label)], row[want.column("u_" + label)],
                    row[want.column("udot_" + label)]);
      error = error.cwiseMax((have - is).cwiseAbs());
      largest = largest.cwiseMax(is.cwiseAbs());
    }
    // the rows are the spline's own
    const auto& times = spline.times();
    const auto at = std::lower_bound(times.begin(), times.end(), row[0] - 1e-9);
    ASSERT_NE(at, times.end());
    EXPECT_NEAR(*at, row[0], 1e-12);
  }
  RecordProperty("errors", std::to_string(error[0] * 1e12) + "e-12 " +
                               std::to_string(error[1] * 1e12) + "e-12 " +
                               std::to_string(error[2] * 1e12) + "e-12");
  // Rounding of the resampling and of second derivatives over steps of 17 ms.
  EXPECT_LT(error[0], 1e-12);
  EXPECT_LT(error[1], 1e-10);
  EXPECT_LT(error[2], 1e-8);
  EXPECT_GT(largest[2], 50);
}

}  // namespace reference_motion_test
}  // namespace sinew
