#include "sinew/io/osim/massive_muscles.hpp"

#include <gtest/gtest.h>

#include "sinew/io/models/muscle_mass.hpp"
#include "sinew/system/equations.hpp"
#include "support/source_dir.hpp"

/// Mass for the muscles of an OpenSim model, our own leg.

namespace sinew {
namespace massive_muscles_test {

OsimModel leg() {
  return load_osim(std::filesystem::path(test::source_dir()) / "models/leg/leg.osim");
}

MassTransfer placed(const OsimModel& model, double specific_tension) {
  const OsimRoutes routes = massive_routes(model, {VecX::Zero(model.skeleton.dof_count())});
  return move_muscle_mass({.source = "strength", .specific_tension = specific_tension},
                          model.skeleton, routes.muscles, routes.reference)
      .transfer;
}

TEST(MassiveMuscles, BodiesGiveWhatMusclesGetAndKeepATenth) {
  const OsimModel model = leg();
  for (const double tension : {0.6, 0.01}) {  // the second needs more mass than there is
    const MassTransfer out = placed(model, tension);
    ASSERT_EQ(out.muscles.size(), model.paths.size());
    double before = 0, after = 0, wanted = 0, got = 0;
    for (int b = 0; b < model.skeleton.body_count(); ++b) {
      const double was = model.skeleton.body(BodyIndex(b)).M_B.mass;
      const double is = out.skeleton.body(BodyIndex(b)).M_B.mass;
      EXPECT_GE(is, (0.1 - 1e-9) * was);
      before += was;
      after += is;
    }
    for (size_t k = 0; k < out.muscles.size(); ++k) {
      wanted += out.wanted[k];
      got += out.muscles[k].mass;
      EXPECT_GT(out.muscles[k].mass, 0);
    }
    EXPECT_NEAR(after + got, before, 1e-12 * before);  // rounding
    if (tension > 0.1) {
      EXPECT_NEAR(got, wanted, 1e-12 * wanted);
    } else {
      EXPECT_LT(got, 0.5 * wanted);
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
  for (const double tension : {25., 250., 2500.}) {
    const VecX massive = accelerations(model.system_builder(run, placed(model, tension)).build());
    const double change = (massive - bones).norm() / bones.norm();
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
