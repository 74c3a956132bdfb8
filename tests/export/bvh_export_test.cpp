#include "sinew/export/bvh_export.hpp"

#include <gmock/gmock.h>

#include <numbers>
#include <sstream>

#include "sinew/builder/system_builder.hpp"

namespace sinew {
namespace bvh_export_test {

using testing::HasSubstr;

/// A .bvh file, read as others do: poses of all joints in the world, frame by frame.
struct BvhFile {
  struct Joint {
    std::string name;
    int parent = -1;
    Vec3 offset = Vec3::Zero();
    std::vector<std::string> channels;
  };
  std::vector<Joint> joints;
  double frame_time = 0;
  std::vector<std::vector<Pose>> frames;

  explicit BvhFile(const std::string& text) {
    std::istringstream in(text);
    std::string word;
    std::vector<int> open;
    bool end_site = false;
    in >> word;
    EXPECT_EQ(word, "HIERARCHY");
    while (in >> word && word != "MOTION") {
      if (word == "ROOT" || word == "JOINT") {
        Joint joint;
        in >> joint.name;
        joint.parent = open.empty() ? -1 : open.back();
        joints.push_back(joint);
      } else if (word == "End") {
        in >> word;
        end_site = true;
      } else if (word == "{") {
        open.push_back(end_site ? -2 : static_cast<int>(joints.size()) - 1);
      } else if (word == "}") {
        if (open.back() == -2) end_site = false;
        open.pop_back();
      } else if (word == "OFFSET") {
        Vec3 x;
        in >> x[0] >> x[1] >> x[2];
        if (!end_site) joints.back().offset = x;
      } else if (word == "CHANNELS") {
        size_t count = 0;
        in >> count;
        joints.back().channels.resize(count);
        for (std::string& channel : joints.back().channels) in >> channel;
      }
    }
    EXPECT_TRUE(open.empty());
    size_t count = 0;
    in >> word >> count >> word >> word >> frame_time;
    for (size_t f = 0; f < count; ++f) {
      std::vector<Pose>& poses = frames.emplace_back();
      for (const Joint& joint : joints) {
        Pose E = Pose::Translation(joint.offset);
        for (const std::string& channel : joint.channels) {
          double value = 0;
          in >> value;
          const int axis = channel[0] - 'X';
          if (channel.ends_with("position"))
            E.p[axis] += value;
          else
            E.R = E.R * Eigen::AngleAxisd(std::numbers::pi / 180 * value, Vec3::Unit(axis));
        }
        poses.push_back(joint.parent < 0 ? E : poses[static_cast<size_t>(joint.parent)] * E);
      }
    }
    EXPECT_TRUE(in.good() || in.eof());
    EXPECT_FALSE(in >> word);
  }
};

BodySpec body(const std::string& name, const std::string& parent, const Joint& joint) {
  BodySpec out;
  out.name = name;
  out.parent = parent;
  out.joint = joint;
  out.E_PJ = {Eigen::AngleAxisd(0.4, Vec3(1, 2, 3).normalized()).toRotationMatrix(),
              {0.1, -0.3, 0.2}};
  out.M_B = SpatialInertia::FromCentral(1, {0, -0.1, 0}, 0.01 * Mat3::Identity());
  return out;
}

ReportMotion swinging(const System& system, int rows) {
  ReportMotion out;
  for (int k = 0; k < rows; ++k) {
    out.t.push_back(0.01 * k);
    VecX q(system.dof_count());
    for (Eigen::Index i = 0; i < q.size(); ++i)
      q[i] = 3 * std::sin(2 * out.t.back() * static_cast<double>(i + 1) + static_cast<double>(i));
    out.q.push_back(q);
    out.qdot.push_back(VecX::Zero(q.size()));
  }
  return out;
}

std::vector<size_t> all_rows(const ReportMotion& motion) {
  std::vector<size_t> out(motion.t.size());
  for (size_t k = 0; k < out.size(); ++k) out[k] = k;
  return out;
}

/// The largest distance between bodies in the file and in the frames, turned upright.
double worst_distance(const BvhFile& file, const System& system, const ExportFrames& frames) {
  const Pose turn = Pose::Rotation(upright(system.gravity()).toRotationMatrix());
  double worst = 0;
  for (size_t j = 0; j < file.joints.size(); ++j) {
    if (file.joints[j].name == "world") continue;
    const auto k = static_cast<size_t>(system.skeleton().find_body(file.joints[j].name).value);
    for (size_t f = 0; f < file.frames.size(); ++f) {
      const Pose wanted = turn * frames.bodies[k][f];
      worst = std::max(worst, (file.frames[f][j].p - wanted.p).norm());
      worst = std::max(worst, (file.frames[f][j].R - wanted.R).norm());
    }
  }
  return worst;
}

TEST(BvhExport, ReadBackItHasTheBodiesWhereTheyAre) {
  SkeletonBuilder builder;
  builder.add_body(body("upper", "", Revolute{Vec3::UnitZ()}));
  builder.add_body(body("lower", "upper", Revolute{Vec3(1, 1, 0).normalized()}));
  builder.add_body(body("slide", "lower", Prismatic{Vec3::UnitX()}));
  const System system = SystemBuilder(builder.build()).set_gravity({0, 0, -9.81}).build();
  const ModelLook look;
  const ReportMotion motion = swinging(system, 101);
  const ExportFrames frames = export_frames(system, motion, all_rows(motion), {});
  const std::string text = bvh_text({system, look, "arm", "", ""}, frames, 100);
  const BvhFile file(text);
  EXPECT_EQ(file.frames.size(), 101u);
  EXPECT_NEAR(file.frame_time, 0.01, 1e-12);
  EXPECT_LT(worst_distance(file, system, frames), 1e-7);
  ASSERT_EQ(file.joints.size(), 3u);
  EXPECT_THAT(text, HasSubstr("ROOT upper"));
  EXPECT_EQ(file.joints[1].channels.size(), 3u);
  EXPECT_EQ(file.joints[2].channels.size(), 6u) << "it moves";
  EXPECT_EQ(file.joints[2].offset, Vec3::Zero());
}

TEST(BvhExport, SeveralRootsAreOnTheWorld) {
  SkeletonBuilder builder;
  builder.add_body(body("left", "", Revolute{Vec3::UnitZ()}));
  builder.add_body(body("right one", "", Revolute{Vec3::UnitX()}));
  const System system = SystemBuilder(builder.build()).build();
  const ModelLook look;
  const ReportMotion motion = swinging(system, 11);
  const ExportFrames frames = export_frames(system, motion, all_rows(motion), {});
  const BvhFile file(bvh_text({system, look, "two", "", ""}, frames, 100));
  ASSERT_EQ(file.joints.size(), 3u);
  EXPECT_EQ(file.joints[0].name, "world");
  EXPECT_EQ(file.joints[2].name, "right_one");
  EXPECT_EQ(file.joints[2].parent, 0);
  for (size_t f = 0; f < 11; ++f)
    EXPECT_LT((file.frames[f][2].p - frames.bodies[1][f].p).norm(), 1e-7);
}

TEST(BvhExport, AnglesAreContinuousThroughTheirSingularity) {
  Vec3 last = Vec3::Zero();
  for (int k = 0; k <= 400; ++k) {
    // x passes a right angle, more than once.
    const Mat3 R =
        (Eigen::AngleAxisd(0.2, Vec3::UnitZ()) * Eigen::AngleAxisd(0.02 * k, Vec3::UnitX()) *
         Eigen::AngleAxisd(-0.1, Vec3::UnitY()))
            .toRotationMatrix();
    const Vec3 angles = zxy_angles(R, last);
    const Mat3 back =
        (Eigen::AngleAxisd(angles[0], Vec3::UnitZ()) * Eigen::AngleAxisd(angles[1], Vec3::UnitX()) *
         Eigen::AngleAxisd(angles[2], Vec3::UnitY()))
            .toRotationMatrix();
    EXPECT_LT((back - R).norm(), 1e-9);
    EXPECT_LT((angles - last).norm(), k == 0 ? 0.3 : 0.03) << k;
    last = angles;
  }
  const Mat3 top = Eigen::AngleAxisd(std::numbers::pi / 2, Vec3::UnitX()).toRotationMatrix();
  EXPECT_TRUE(zxy_angles(top, {0, 1.5, 0.3}).allFinite());
  EXPECT_NEAR(zxy_angles(top, {0, 1.5, 0.3})[2], 0.3, 1e-12);
}

}  // namespace bvh_export_test
}  // namespace sinew
