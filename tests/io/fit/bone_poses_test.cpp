#include "sinew/io/fit/bone_poses.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "sinew/io/tables/trc_file.hpp"
#include "support/joint_evaluation.hpp"
#include "support/message_of.hpp"
#include "support/random.hpp"

namespace sinew {
namespace bone_poses_test {

using test::message_of;

TEST(BonePoses, ReadsRotationsInThreeForms) {
  const BonePoses angles =
      parse_pose_table("q,tx,ty,tz,rx,ry,rz\n0.5,1,2,3,0.1,0.2,0.3\n", "a.csv");
  ASSERT_EQ(angles.poses.size(), 1u);
  EXPECT_EQ(angles.q(0, 0), 0.5);
  EXPECT_EQ(angles.poses[0].p, Vec3(1, 2, 3));
  const Mat3 R = exp((Vec6() << 0.1, 0, 0, 0, 0, 0).finished()).R *
                 exp((Vec6() << 0, 0.2, 0, 0, 0, 0).finished()).R *
                 exp((Vec6() << 0, 0, 0.3, 0, 0, 0).finished()).R;
  EXPECT_LE((angles.poses[0].R - R).norm(), 1e-15);
  const BonePoses quaternion =
      parse_pose_table("tx,ty,tz,qw,qx,qy,qz\n0,0,0,0.6,0,0.8,0\n", "b.csv");
  EXPECT_EQ(quaternion.q.size(), 0);
  EXPECT_NEAR(log(quaternion.poses[0])[1], 2 * std::atan2(0.8, 0.6), 1e-14);
  const BonePoses matrix = parse_pose_table(
      "tx, ty, tz, r11, r12, r13, r21, r22, r23, r31, r32, r33\n0,0,0, 0,-1,0, 1,0,0, 0,0,1\n",
      "c.csv");
  EXPECT_EQ(matrix.poses[0].R.col(0), Vec3(0, 1, 0));
}

TEST(BonePoses, TakesDegreesFromTheHeaderOfAStorageFile) {
  const BonePoses poses = parse_pose_table(
      "poses\nversion=1\nnRows=1\nnColumns=7\ninDegrees=yes\nendheader\n"
      "time\ttx\tty\ttz\trx\try\trz\n0\t0\t0\t0\t90\t0\t0\n",
      "poses.mot");
  EXPECT_NEAR(log(poses.poses[0])[0], 1.5707963267948966, 1e-15);
}

TEST(BonePoses, NamesWhatIsWrongInATable) {
  const auto message = [](const std::string& text) {
    return message_of([&] { parse_pose_table(text, "p.csv"); });
  };
  EXPECT_EQ(message("tx,ty,rx,ry,rz\n1,2,3,4,5\n"),
            "p.csv: has no column 'tz'; give tx, ty, tz, and r11 … r33, qw, qx, qy, qz or rx, ry, "
            "rz");
  EXPECT_EQ(message("tx,ty,tz\n1,2,3\n"),
            "p.csv: has no column 'rx'; give tx, ty, tz, and r11 … r33, qw, qx, qy, qz or rx, ry, "
            "rz");
  EXPECT_EQ(message("tx,ty,tz,rx,ry,rz\n"), "p.csv: has no rows; give a row for each pose");
  EXPECT_NE(message("tx,ty,tz,rx,ry,rz\n1,2,3\n").find("p.csv:2: row: has 3 cells; give 6"),
            std::string::npos);
  EXPECT_NE(message("tx,ty,tz,rx,ry,rz\n1,2,3,4,5,knee\n").find("p.csv:2"), std::string::npos);
  EXPECT_EQ(message("tx,ty,tz,qw,qx,qy,qz\n0,0,0,2,0,0,0\n"),
            "p.csv: pose 1: its quaternion does not have length 1; give qw, qx, qy, qz in order");
  EXPECT_EQ(message("tx,tx,ty,tz,rx,ry,rz\n0,0,0,0,0,0,0\n"),
            "p.csv: has two columns 'tx'; leave one out");
}

/// A file of markers of two bones that move by known poses.
struct MarkerScene {
  std::filesystem::path path = std::filesystem::temp_directory_path() / "sinew_bone_poses.trc";
  std::vector<Pose> relative;

  MarkerScene() {
    test::Random random(1);
    const std::vector<Vec3> parent{{0, 0, 0}, {0.1, 0, 0}, {0.03, 0.1, 0}, {0, 0.05, 0.08}};
    const std::vector<Vec3> child{{0, 0, 0}, {0.12, 0, 0}, {0.05, 0.07, 0}};
    MarkerFile file;
    file.data_rate = file.camera_rate = 100;
    file.markers = {"P1", "P2", "P3", "P4", "C1", "C2", "C3"};
    file.table.values.resize(5, 21);
    for (int row = 0; row < 5; ++row) {
      const Pose P = random.pose(), C = P * exp(random.vec6(0.5));
      relative.push_back(P.inverse() * C);
      file.frames.push_back(row + 1);
      file.table.times.push_back(0.01 * row);
      for (int m = 0; m < 7; ++m) {
        const Vec3 x =
            m < 4 ? P * parent[static_cast<size_t>(m)] : C * child[static_cast<size_t>(m - 4)];
        file.table.values.row(row).segment<3>(3 * m) = x.transpose();
      }
    }
    file.table.values.row(2).segment<3>(0).setConstant(NAN);   // three others remain
    file.table.values.row(3).segment<3>(12).setConstant(NAN);  // two remain
    write_trc(path, file, false);
  }
  ~MarkerScene() { std::filesystem::remove(path); }
};

TEST(BonePoses, ComeFromThreeMarkersOfEachBone) {
  const MarkerScene scene;
  const BonePoses read =
      read_marker_poses(scene.path, {"P1", "P2", "P3", "P4"}, {"C1", "C2", "C3"});
  ASSERT_EQ(read.rows, (std::vector<int>{1, 2, 3, 5}));
  for (size_t k = 0; k < read.poses.size(); ++k)
    EXPECT_LE(test::distance(read.poses[k], scene.relative[static_cast<size_t>(read.rows[k]) - 1]),
              1e-12);
  ASSERT_EQ(read.warnings.size(), 1u);
  EXPECT_NE(read.warnings[0].find("1 rows are left out"), std::string::npos);
  EXPECT_NE(message_of([&] {
              read_marker_poses(scene.path, {"P1", "P2"}, {"C1", "C2", "C3"});
            }).find("fewer than three"),
            std::string::npos);
  EXPECT_NE(message_of([&] {
              read_marker_poses(scene.path, {"P1", "P2", "P9"}, {"C1", "C2", "C3"});
            }).find("has no marker 'P9'"),
            std::string::npos);
}

}  // namespace bone_poses_test
}  // namespace sinew
