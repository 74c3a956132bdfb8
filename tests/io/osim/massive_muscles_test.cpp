#include "sinew/io/osim/massive_muscles.hpp"

#include <gtest/gtest.h>

#include "sinew/analysis/muscle_state.hpp"
#include "sinew/system/equations.hpp"
#include "support/source_dir.hpp"

/// Mass for the muscles of an OpenSim model, our own leg.

namespace sinew {
namespace massive_muscles_test {

OsimModel leg() {
  return load_osim(std::filesystem::path(test::source_dir()) / "models/leg/leg.osim");
}

OsimMasses masses_of(const OsimModel& model, double specific_tension) {
  VecX q(model.skeleton.dof_count());
  for (size_t k = 0; k < model.coordinates.size(); ++k)
    q[static_cast<Eigen::Index>(k)] = model.coordinates[k].default_value;
  return massive_muscles(model.paths, model.skeleton, {q}, specific_tension);
}

TEST(MassiveMuscles, BodiesGiveWhatMusclesGetAndKeepAFifth) {
  const OsimModel model = leg();
  for (const double tension : {0.25e6, 0.01e6}) {  // the second needs more mass than there is
    const OsimMasses masses = masses_of(model, tension);
    EXPECT_EQ(masses.muscles.size(), model.paths.size());
    const MassTransfer out = scale_into_muscles(model.skeleton, masses.muscles);
    double before = 0, after = 0, wanted = 0, got = 0;
    for (int b = 0; b < model.skeleton.body_count(); ++b) {
      const double was = model.skeleton.body(BodyIndex(b)).M_B.mass;
      const double is = out.skeleton.body(BodyIndex(b)).M_B.mass;
      EXPECT_GE(is, (0.2 - 1e-12) * was);
      before += was;
      after += is;
    }
    for (const Muscle& muscle : masses.muscles) wanted += muscle.mass;
    for (const Muscle& muscle : out.muscles) got += muscle.mass;
    EXPECT_NEAR(after + got, before, 1e-12 * before);  // rounding
    if (tension > 0.1e6) {
      EXPECT_NEAR(got, wanted, 1e-12 * wanted);
    } else {
      EXPECT_LT(got, 0.81 * before);
    }
  }
}

VecX accelerations(const System& system) {
  const State state = system.default_state();
  Workspace ws(system);
  VecX qddot(system.dof_count());
  forward_dynamics(system, state, ws, qddot);
  return qddot;
}

TEST(MassiveMuscles, AccelerationsConvergeToThoseWithoutMassLinearly) {
  const OsimModel model = leg();
  RunStart run;
  run.speeds = {{"hip_flexion_r", 2}, {"knee_angle_r", -3}};
  const VecX bones = accelerations(model.system_builder(run).build());
  double before = 0;
  for (const double tension : {25e6, 250e6, 2500e6}) {
    const MassiveOsim massive = massive_system_builder(model, run, masses_of(model, tension));
    const double change = (accelerations(massive.builder.build()) - bones).norm() / bones.norm();
    EXPECT_LT(change, 0.05);
    // A tenth of the mass: a tenth of the change, to the square of the first change.
    if (before > 0) {
      EXPECT_NEAR(change / before, 0.1, 0.1 * before + 1e-4);
    }
    before = change;
  }
  EXPECT_GT(before, 0);
}

}  // namespace massive_muscles_test
}  // namespace sinew
