#include <gtest/gtest.h>

#include "sinew/builder/system_builder.hpp"
#include "sinew/io/osim/osim_model.hpp"
#include "sinew/io/tables/external_loads.hpp"
#include "sinew/io/tables/motion_reader.hpp"
#include "support/reference.hpp"

/// Inverse dynamics of the reference's walking trial, with ground reactions.

namespace sinew {
namespace reference_inverse_dynamics_test {

class ReferenceInverseDynamics : public ::testing::Test {
 protected:
  void SetUp() override {
    SINEW_NEEDS_REFERENCE();
    folder_ = *test::reference_dir() / "opensim/models/gait10dof18musc_subject01";
    model_.emplace(load_osim(folder_ / "subject01.osim"));
    const ExternalLoads loads = read_external_loads(folder_ / "subject01_walk_grf.xml");
    SystemBuilder builder(model_->skeleton);
    builder.set_gravity(model_->gravity);
    for (const auto& force : external_forces(loads, model_->skeleton)) builder.add_force(force);
    system_.emplace(builder.build());
    want_ = test::reference_csv("opensim/gait10dof18musc_subject01_walk_ID.csv");
  }

  /// Largest difference to OpenSim's moments, over the samples that both have [N m, N].
  double error(const Motion& motion) const {
    const MatX tau = inverse_dynamics(*system_, motion);
    double out = 0;
    size_t compared = 0;
    for (const auto& row : want_.rows)
      for (size_t k = 0; k < motion.size(); ++k) {
        if (std::abs(motion[k].t - row[0]) > 1e-9) continue;
        ++compared;
        for (size_t c = 0; c < model_->coordinates.size(); ++c)
          out = std::max(out,
                         std::abs(tau(static_cast<Eigen::Index>(c), static_cast<Eigen::Index>(k)) -
                                  row[want_.column("tau_" + model_->coordinates[c].name)]));
      }
    EXPECT_EQ(compared, want_.rows.size());
    return out;
  }

  std::filesystem::path folder_;
  std::optional<OsimModel> model_;
  std::optional<System> system_;
  test::ReferenceTable want_;
};

TEST_F(ReferenceInverseDynamics, FromItsOwnRatesIsOpenSims) {
  Motion motion;
  const auto n = static_cast<Eigen::Index>(model_->coordinates.size());
  for (const auto& row : want_.rows) {
    MotionSample sample{row[0], VecX(n), VecX(n), VecX(n)};
    for (Eigen::Index k = 0; k < n; ++k) {
      const std::string& name = model_->coordinates[static_cast<size_t>(k)].name;
      sample.q[k] = row[want_.column("q_" + name)];
      sample.qdot[k] = row[want_.column("u_" + name)];
      sample.qddot[k] = row[want_.column("udot_" + name)];
    }
    motion.push_back(std::move(sample));
  }
  const double worst = error(motion);
  std::printf("from q, u, udot: %.1e N m\n", worst);
  EXPECT_LT(worst, 1e-6);
}

TEST_F(ReferenceInverseDynamics, FromTheMotionFileWithOpenSimsFilterIsOpenSims) {
  const MotionReading reading =
      read_motion(folder_ / "subject01_walk_IK.mot", motion_target(*model_),
                  {.cutoff = 6, .opensim_filter = true});
  const double worst = error(reading.motion);
  std::printf("from the .mot: %.1e N m\n", worst);
  EXPECT_LT(worst, 1e-6);  // required: 0.05
}

}  // namespace reference_inverse_dynamics_test
}  // namespace sinew
