#pragma once

#include <nlohmann/json.hpp>

#include "sinew/io/models/loaded_model.hpp"
#include "sinew/report/report_data.hpp"
#include "sinew/view/arms.hpp"
#include "sinew/view/history.hpp"
#include "sinew/view/node_pull.hpp"
#include "sinew/view/playback.hpp"
#include "sinew/view/pull.hpp"
#include "sinew/view/view_frame.hpp"

namespace sinew {

/// A scene, or a model of OpenSim whose muscles can have mass, with settings for a live view.
/// Throws an Error where the model cannot be read.
LoadedModel load_view_model(const std::string& model, LoadOptions options = {});

/// What is shown beside a model, as its ghost.
struct Beside {
  LoadedModel model;
  std::optional<Playback> motion = {};
};

/// A model that is looked at and played with: its state, what drives it, and the commands that
/// change both. Knows nothing of sockets or threads; one thread at a time may use it.
class ViewSession {
 public:
  /// Throws an Error where the model cannot be built. With a motion, it starts in its first pose.
  /// What is beside it does the same at the same time: poses, locks and excitations by name, steps
  /// of its own, its own motion.
  explicit ViewSession(LoadedModel model, std::optional<Playback> motion = {},
                       std::optional<Beside> beside = {});

  const LoadedModel& model() const { return subjects_.front().model; }
  bool running() const { return running_; }
  /// Whether time passes, in the simulation or in the motion.
  bool moving() const { return running_ || playing_; }
  const State& state() const { return main().state; }
  const System& system() const { return main().system; }
  /// Why the run stopped; empty unless it failed.
  const std::string& failure() const { return failure_; }

  /// Does what a command says, docs/view.md; returns its answer. Throws an Error, with nothing
  /// changed, where the command makes no sense.
  nlohmann::ordered_json apply(const nlohmann::json& command);

  /// Lets time pass: `seconds` on the wall, times the speed, in the model; less where the wall time
  /// `budget` [s] ends first. Nothing unless moving. A run that fails stops at its last good
  /// state.
  void advance(double seconds, double budget);

  /// Model, first frame and controls, as the page wants them.
  nlohmann::ordered_json describe(ReportData& data);
  /// All that changes, as one line of JSON.
  std::string frame();

 private:
  /// A model with what belongs to it.
  struct Subject {
    LoadedModel model;
    std::optional<Playback> motion;
    ForceList stops;          ///< at the ends of ranges
    bool free_nodes = false;  ///< of strands: a hand can pull them
  };
  /// One way to simulate a model.
  struct Side {
    Side(const Subject& subject, System built);
    const Subject& of;
    System system;
    ControlSchedule controls;  ///< the model's, but for those that somebody has set
    Workspace ws;
    FrameDrawer drawer;
    State state;
    /// Of steps of one length, where the state comes from them: its time is start + steps · dt, as
    /// in `simulate`, so that rounding does not add up.
    double start = 0;
    long long steps = 0;
  };
  /// What a command changes that can be undone.
  enum class Changes { nothing, pose, drives, options };
  struct Handler {
    nlohmann::ordered_json (ViewSession::*run)(const nlohmann::json&);
    Changes changes = Changes::nothing;
  };
  static const std::map<std::string, Handler>& handlers();

  nlohmann::ordered_json set_coordinate(const nlohmann::json& command);
  nlohmann::ordered_json drive(const nlohmann::json& command);
  nlohmann::ordered_json run(const nlohmann::json& command);
  nlohmann::ordered_json pause(const nlohmann::json& command);
  nlohmann::ordered_json single_step(const nlohmann::json& command);
  nlohmann::ordered_json reset(const nlohmann::json& command);
  nlohmann::ordered_json set_speed(const nlohmann::json& command);
  nlohmann::ordered_json pull(const nlohmann::json& command);
  nlohmann::ordered_json release(const nlohmann::json& command);
  nlohmann::ordered_json show_mass(const nlohmann::json& command);
  nlohmann::ordered_json moment_arms(const nlohmann::json& command);
  nlohmann::ordered_json lock(const nlohmann::json& command);
  nlohmann::ordered_json hold(const nlohmann::json& command);
  nlohmann::ordered_json set_stops(const nlohmann::json& command);
  nlohmann::ordered_json undo(const nlohmann::json& command);
  nlohmann::ordered_json redo(const nlohmann::json& command);
  nlohmann::ordered_json play(const nlohmann::json& command);
  nlohmann::ordered_json seek(const nlohmann::json& command);

  Side& main() { return *sides_.front(); }
  const Side& main() const { return *sides_.front(); }
  const std::optional<Playback>& motion() const { return subjects_.front().motion; }
  bool beside() const { return subjects_.size() > 1; }
  /// `at`: where locked coordinates are held; null: none are.
  std::unique_ptr<Side> make_side(const Subject& of, bool mass_on_bones, const State* at) const;
  /// The subject of side k, and whether its mass is on the bones.
  const Subject& subject_of(size_t k) const { return subjects_[std::min(k, subjects_.size() - 1)]; }
  bool on_bones(size_t k) const;
  /// Sets the side's controls as drives_ and pull_ say.
  void set_controls(Side& side) const;
  /// The same on all sides, from now on.
  void change_controls();
  /// Builds the systems that the options ask for; states go on, as far as locks let them.
  void rebuild();
  /// The same with other options. Throws an Error, with nothing changed, where there is no such
  /// system.
  void rebuild_with(ViewOptions options);
  /// Coordinates that a constraint holds.
  std::set<std::string> held_coordinates(const Subject& of) const;
  bool holds_any() const { return options_.hold || !options_.locked.empty(); }
  /// Before a run begins from a pose of the motion: locks hold what is there, and constraints hold.
  void leave_motion();
  void show_motion(double t);
  /// What an edit of that kind will replace.
  ViewEdit present(Changes changes) const;
  nlohmann::ordered_json put_back(bool redo);
  /// Takes one step on all sides; false, and the run stops, where one fails.
  bool step(double h);
  bool step_side(Side& side, double h);
  void stop_failed(const Side& side, const std::string& why);
  void forget_memory();
  void update_frame(Side& side, ViewFrame& out);
  /// What its slider goes through.
  CoordinateRange span_of(size_t coordinate) const;
  nlohmann::ordered_json describe_coordinates() const;
  nlohmann::ordered_json describe_drives();
  nlohmann::ordered_json describe_run(Side& side, ReportData& data);

  std::vector<Subject> subjects_;          ///< what is looked at, then what is beside it
  std::shared_ptr<const Force> hand_;      ///< what pulls bodies
  std::shared_ptr<const Part> node_hand_;  ///< and nodes of strands, of models that have some
  /// Muscles by name: excitations, or tensions [N] of those that have none. Those not named are
  /// driven as the model says.
  std::map<std::string, double> drives_;
  PullInput pull_;
  NodePullInput node_pull_;
  ViewOptions options_;
  ViewHistory history_;
  std::vector<std::unique_ptr<Side>> sides_;  ///< what is looked at, then what is its ghost
  /// The first of them without locks, if there are any: for moment arms over whole ranges.
  std::unique_ptr<Side> unlocked_;
  bool running_ = false;
  bool playing_ = false;    ///< the motion
  bool in_motion_ = false;  ///< the pose is the motion's
  double speed_ = 1;        ///< model time over wall time
  double factor_ = 0;       ///< what of it was reached last
  double owed_ = 0;         ///< model time that has passed but is not simulated yet [s]
  std::string failure_;
  std::uint64_t commands_ = 0;  ///< number of the last command
  ViewFrame frame_, ghost_;
};

}  // namespace sinew
