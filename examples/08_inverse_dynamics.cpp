// Joint moments of a motion from a file, and a check: the same moments, applied by motors, give the
// accelerations of the motion back.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <sinew/sinew.hpp>

int main() {
  const sinew::OsimModel model = sinew::load_osim("models/leg/leg.osim");

  // The skeleton without its muscles, and a motor at every coordinate.
  sinew::SystemBuilder builder(model.skeleton);
  builder.set_gravity(model.gravity);
  for (int i = 0; i < model.skeleton.dof_count(); ++i)
    builder.add_force(std::make_shared<sinew::CoordinateDrive>(
        "motor_" + model.skeleton.coordinates()[static_cast<size_t>(i)].name, sinew::DofIndex(i), 1,
        0.0, sinew::CoordinateDrive::Range{-1e6, 1e6}));
  const sinew::System system = builder.build();

  // Coordinates at the times of the file, with rates and accelerations from splines. Recorded
  // motions are noisy: give them a cutoff frequency above zero.
  const sinew::MotionReading reading =
      sinew::read_motion("models/leg/swing_10kmh.mot", sinew::motion_target(model), {.cutoff = 0});
  const sinew::Motion& motion = reading.motion;

  // The motors' controls are zero here: these are the moments that are missing.
  const sinew::MatX moments = sinew::inverse_dynamics(system, motion);
  for (const char* name : {"hip_flexion_r", "knee_angle_r", "ankle_angle_r"}) {
    const int k = system.skeleton().find_coordinate(name);
    std::printf("%-14s from %7.2f to %6.2f N m\n", name, moments.row(k).minCoeff(),
                moments.row(k).maxCoeff());
  }

  // Forward dynamics with the moments as controls: one motor per coordinate, in the same order.
  sinew::Workspace ws(system);
  sinew::VecX qddot(system.dof_count());
  const sinew::VecX no_internal_state;
  double worst = 0, largest = 0;
  for (size_t i = 0; i < motion.size(); ++i) {
    const sinew::VecX controls = moments.col(static_cast<Eigen::Index>(i));
    const sinew::At at(motion[i].t, motion[i].q, motion[i].qdot, no_internal_state, 0, controls);
    sinew::forward_dynamics(system, at, ws, qddot);
    worst = std::max(worst, (qddot - motion[i].qddot).cwiseAbs().maxCoeff());
    largest = std::max(largest, motion[i].qddot.cwiseAbs().maxCoeff());
  }
  // Rounding, times the condition of the mass matrix.
  const bool agrees = worst < 1e-9 * largest;
  std::printf("forward dynamics %s the motion at %zu instants\n",
              agrees ? "gives back" : "does not give back", motion.size());
  return agrees ? 0 : 1;
}
