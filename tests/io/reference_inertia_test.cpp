#include <gtest/gtest.h>

#include <fstream>

#include "sinew/io/studies/inertia_study.hpp"
#include "sinew/io/tables/storage_file.hpp"
#include "support/reference.hpp"

/// Whether muscle mass matters, for models and motions that others made.

namespace sinew {
namespace reference_inertia_test {

namespace fs = std::filesystem;

std::string other_side(std::string name) {
  if (name.ends_with("_r"))
    name.back() = 'l';
  else if (name.ends_with("_l"))
    name.back() = 'r';
  return name;
}

InertiaStudy study(const fs::path& model, const fs::path& motion) {
  InertiaQuestion question;
  question.model = model.string();
  question.motion = motion.string();
  return study_inertia(question);
}

class ReferenceInertia : public ::testing::Test {
 protected:
  void SetUp() override {
    SINEW_NEEDS_REFERENCE();
    models_ = *test::reference_dir() / "opensim/models";
    walk_ = models_ / "gait10dof18musc_subject01/subject01_walk_IK.mot";
    runs_ = *test::reference_dir() / "runners/subject01";
  }
  fs::path models_, walk_, runs_;
};

/// The planar walk with its legs exchanged: the left leg of one is the right leg of the other.
TEST_F(ReferenceInertia, MirroredMotionsGiveMirroredMoments) {
  const MotionTable table = read_storage(walk_).table;
  const fs::path mirrored = fs::path(testing::TempDir()) / "mirrored_walk.mot";
  {
    std::ofstream out(mirrored);
    out.precision(17);
    out << "mirrored\ninDegrees=yes\nendheader\ntime";
    for (const std::string& label : table.labels) out << '\t' << other_side(label);
    for (size_t r = 0; r < table.times.size(); ++r) {
      out << '\n' << table.times[r];
      for (const double value : table.values.row(static_cast<Eigen::Index>(r)))
        out << '\t' << value;
    }
    out << '\n';
  }
  for (const char* name : {"gait2392_thelen2003muscle.osim", "gait10dof18musc.osim"}) {
    const InertiaStudy one = study(models_ / name, walk_), other = study(models_ / name, mirrored);
    const Skeleton& skeleton = one.bones.skeleton;
    for (int k = 0; k < skeleton.dof_count(); ++k) {
      const std::string& coordinate = skeleton.coordinates()[static_cast<size_t>(k)].name;
      if (other_side(coordinate) == coordinate) continue;
      const DofIndex twin = skeleton.find_coordinate(other_side(coordinate));
      const double largest = one.comparison.muscles.row(k).cwiseAbs().maxCoeff();
      EXPECT_LT((one.comparison.muscles.row(k) - other.comparison.muscles.row(twin.value))
                    .cwiseAbs()
                    .maxCoeff(),
                1e-9 * largest)
          << name << ' ' << coordinate;
    }
  }
}

/// Points come and go in these motions; the mass does not jump with them.
TEST_F(ReferenceInertia, SwitchingPointsMakeNoSpikes) {
  std::vector<InertiaStudy> studies;
  studies.push_back(study(models_ / "gait2392_thelen2003muscle.osim", walk_));
  for (const char* speed : {"200", "300", "400", "500"})
    studies.push_back(
        study(runs_ / "Models/final.osim", runs_ / ("IK/run" + std::string(speed) + "_ik.mot")));
  for (const InertiaStudy& s : studies)
    for (const std::string& doubt : s.doubts)
      EXPECT_EQ(doubt.find("jumps"), std::string::npos) << doubt;
}

}  // namespace reference_inertia_test
}  // namespace sinew
