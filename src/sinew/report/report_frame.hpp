#pragma once

#include "sinew/analysis/snapshot.hpp"
#include "sinew/analysis/strand_tensions.hpp"
#include "sinew/integrate/simulate.hpp"
#include "sinew/system/system.hpp"

/// A drawn system at one state. Reports write many of these (report_frames.hpp); whoever shows a
/// system live fills one at a time. What does not change is in model.hpp.

namespace sinew {

constexpr size_t kMostContacts = 256;  ///< that are drawn at a time

/// Where everything is, in the order of the model's description: docs/report_format.md, of one
/// frame. World axes, SI.
struct DrawnFrame {
  double t = 0;
  std::vector<double> bodies;                 ///< bodies × 7: position, quaternion (x, y, z, w)
  std::vector<double> points;                 ///< points of all muscles × 3
  std::vector<double> anchors;                ///< those path points that move on their bodies × 3
  std::vector<double> coms, kinetic, length;  ///< muscles × 3, muscles, muscles
  std::vector<VecX> arms;                     ///< per muscle: −∂l/∂q of System::coordinates()
  std::vector<double> forces;                 ///< arrows × 6: point and force
  std::vector<double> lines;                  ///< points of all lines × 3
  std::vector<double> material;  ///< nodes of all strands: rest length from the strand's start
  std::vector<double> contacts;  ///< touching surfaces × 3
  std::vector<std::vector<double>> deforming;  ///< per drawn surface: vertices × 3
  bool lost = false;                           ///< some muscle has no path around its surface
};

/// A force that is drawn as an arrow: what one element, or all that touches them, does to the
/// bodies of one link.
struct DrawnForce {
  std::string name;
  const Force* force;  ///< null: of contacts between surfaces
  int link;
  bool contact;
};

/// Those of forces, then those of parts.
std::vector<MovingShape> drawn_lines(const System& system);
std::vector<MovingShape> drawn_surfaces(const System& system);

/// A path point that is not always at the same place of one body.
struct MovingAnchor {
  size_t muscle, point;
};
std::vector<MovingAnchor> moving_anchors(const System& system);

/// Fills frames. One per thread.
class FrameDrawer {
 public:
  /// `run`: how the system is stepped. Forces of contacts between surfaces are impulses of steps:
  /// those drawn are of the step that follows; none without a run.
  explicit FrameDrawer(const System& system, std::optional<SimulationSettings> run = std::nullopt);

  /// The arrows of DrawnFrame::forces.
  const std::vector<DrawnForce>& forces() const { return forces_; }
  /// The system at the last update.
  const Snapshot& snapshot() const { return snapshot_; }
  /// All at the state; overwrites `out`. Without activations and fibre lengths of Hill muscles no
  /// step can be taken, and contacts between surfaces have no arrows.
  void update(const State& state, const Controls& controls, DrawnFrame& out);
  const StrandTensions& strands() const { return tensions_; }
  /// Tensions of strands at the state, with its velocities; overwrites `out`.
  void read_tensions(const State& state, const Controls& controls, std::vector<double>& out) {
    tensions_.read(state, controls, ws_, out);
  }

 private:
  void update_muscles(DrawnFrame& out);
  void find_contact_forces(const State& state, const Controls& controls);
  SkeletonAt skeleton_at() const;
  void update_forces(DrawnFrame& out);
  void update_contacts(const State& state, DrawnFrame& out);
  void update_shapes(const State& state, DrawnFrame& out);

  const System& system_;
  Workspace ws_;
  std::optional<SimulationSettings> run_;
  std::vector<DrawnForce> forces_;
  /// Per link: force of all contacts, and their centre, weighed by force.
  struct Push {
    Vec3 f = Vec3::Zero(), x = Vec3::Zero();
    double weight = 0;
  };
  std::vector<Push> pushes_;
  std::vector<std::vector<MovingShape>> force_shapes_, part_shapes_;  // per force, per part
  std::vector<MovingShape> guides_;                                   // of joints
  std::vector<double> points_;                                        // points of one of these
  std::vector<MovingAnchor> anchors_;
  StrandTensions tensions_;
  Snapshot snapshot_;
  VecX controls_;  // their values
};

/// Position and quaternion (x, y, z, w) of a pose, appended.
void append_pose(const Pose& E, std::vector<double>& out);

}  // namespace sinew
