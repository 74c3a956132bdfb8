#include "sinew/view/session.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "sinew/analysis/muscle_state.hpp"
#include "sinew/constraints/rows/prescribed_motion.hpp"
#include "sinew/core/error.hpp"
#include "sinew/core/names.hpp"
#include "sinew/integrate/event_watch.hpp"
#include "sinew/integrate/integrator_table.hpp"
#include "sinew/system/projection.hpp"
#include "sinew/view/pose.hpp"
#include "sinew/view/stops.hpp"

namespace sinew {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

constexpr const char *kPullName = "pull of the viewer", *kNodePullName = "pull of a node";
constexpr double kSlowest = 0.001, kFastest = 100;  // speeds that make sense
constexpr double kLargestStep = 1.0 / 60;           // adaptive integrators: a frame [s]
constexpr double kEventTime = 1e-6;                 // share of a step to which they are found

const json& value_of(const json& command, const char* key) {
  const auto found = command.find(key);
  if (found == command.end())
    throw Error("command", std::string("has no '") + key + "'", "see docs/view.md");
  return *found;
}

double number_of(const json& command, const char* key) {
  const json& value = value_of(command, key);
  if (!value.is_number() || !std::isfinite(value.get<double>()))
    throw Error("command", std::string("'") + key + "' is not a number", "give a finite one");
  return value.get<double>();
}

bool flag_of(const json& command, const char* key) {
  const json& value = value_of(command, key);
  if (!value.is_boolean())
    throw Error("command", std::string("'") + key + "' is not true or false", "give one of them");
  return value.get<bool>();
}

std::string word_of(const json& command, const char* key) {
  const json& value = value_of(command, key);
  if (!value.is_string())
    throw Error("command", std::string("'") + key + "' is not a text", "give a name");
  return value.get<std::string>();
}

Vec3 place_of(const json& command, const char* key) {
  const json& value = value_of(command, key);
  Vec3 out;
  bool good = value.is_array() && value.size() == 3;
  for (size_t k = 0; good && k < 3; ++k) {
    good = value[k].is_number();
    if (good) out[static_cast<Eigen::Index>(k)] = value[k].get<double>();
  }
  if (!good || !out.allFinite())
    throw Error("command", std::string("'") + key + "' is not a point", "give three numbers");
  return out;
}

/// A command in words, as far as it says what it changes: "set knee_angle_r".
std::string what_of(const json& command, const std::string& name) {
  for (const char* key : {"coordinate", "muscle"})
    if (const auto found = command.find(key); found != command.end() && found->is_string())
      return name + " " + found->get<std::string>();
  return name;
}

/// Place of a name in a list of things that have one.
const std::string& name_of(const Coordinate& coordinate) { return coordinate.name; }
const std::string& name_of(const Body& body) { return body.name; }
const std::string& name_of(const std::shared_ptr<const MuscleElement>& muscle) {
  return muscle->name();
}

template <class List>
int index_of(const std::string& what, const std::string& name, const List& list) {
  std::vector<std::string> names;
  for (const auto& item : list) names.push_back(name_of(item));
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    throw Error(what + " '" + name + "'", "does not exist", suggest(name, names));
  return static_cast<int>(found - names.begin());
}

}  // namespace

ViewSession::Side::Side(const Subject& subject, System built)
    : of(subject),
      system(std::move(built)),
      controls(system.controls()),
      ws(system),
      drawer(system, subject.model.settings),
      state(initial_state(system, subject.model.settings.step)) {}

LoadedModel load_view_model(const std::string& model, LoadOptions options) {
  options.offer_mass = true;
  LoadedModel out = load_model(model, options);
  // One solution a step, and none that may not be found: here what moves counts for more than the
  // second order of `sinew simulate`.
  if (out.osim) {
    out.settings.step.integrator = Integrator::linearly_implicit_euler;
    out.settings.step.accuracy = 0;
  }
  const auto warn = [&](const std::vector<std::string>& more) {
    out.warnings.insert(out.warnings.end(), more.begin(), more.end());
  };
  if (out.scene) warn(out.scene->system.redundancies());
  warn(out.left_out);
  return out;
}

ViewSession::ViewSession(LoadedModel model, std::optional<Playback> motion,
                         std::optional<Beside> beside)
    : hand_(std::make_shared<PullForce>(kPullName)),
      node_hand_(std::make_shared<NodePull>(kNodePullName)) {
  subjects_.push_back({std::move(model), std::move(motion), {}});
  if (beside) subjects_.push_back({std::move(beside->model), std::move(beside->motion), {}});
  options_.stops = false;
  for (Subject& of : subjects_) {
    const bool bones = of.model.mass_on_bones.value_or(false);
    const System plain = of.model.build({.mass_on_bones = bones});
    of.stops = range_stops(of.model, plain);
    of.free_nodes = has_free_nodes(plain);
    options_.stops |= !of.stops.empty();
  }
  options_.mass = this->model().mass_on_bones.value_or(false) ? MassView::bones : MassView::muscles;
  for (size_t k = 0; k < subjects_.size(); ++k)
    sides_.push_back(make_side(subject_of(k), on_bones(k), nullptr));
  if (this->motion()) show_motion(this->motion()->start());
}

bool ViewSession::on_bones(size_t k) const {
  if (!beside()) return k == 1 || options_.mass == MassView::bones;
  const auto& possible = subject_of(k).model.mass_on_bones;
  // What is beside a model that has no such mass stays as its file has it.
  return possible.has_value() &&
         (model().mass_on_bones ? options_.mass == MassView::bones : *possible);
}

std::unique_ptr<ViewSession::Side> ViewSession::make_side(const Subject& of, bool mass_on_bones,
                                                          const State* at) const {
  SystemEdit edit{.forces = {hand_}, .mass_on_bones = mass_on_bones};
  if (of.free_nodes) edit.parts.push_back(node_hand_);
  if (options_.stops) edit.forces.insert(edit.forces.end(), of.stops.begin(), of.stops.end());
  if (at != nullptr)
    for (const std::string& name : held_coordinates(of)) {
      const int k = index_of("coordinate", name, of.model.target.coordinates);
      edit.constraints.push_back(std::make_shared<PrescribedCoordinate>(
          "lock of " + name, of.model.skeleton.find_coordinate(name), ConstraintLevel::position,
          TimeFunction(at->q[k])));
    }
  auto side = std::make_unique<Side>(of, of.model.build(edit));
  set_controls(*side);
  return side;
}

std::set<std::string> ViewSession::held_coordinates(const Subject& of) const {
  std::set<std::string> out;
  const BodyIndex root = free_root(of.model.skeleton);
  for (const Coordinate& c : of.model.skeleton.coordinates()) {
    const bool wanted =
        options_.locked.contains(c.name) || (options_.hold && root != kWorld && c.body == root);
    if (wanted && !of.model.locked.contains(c.name)) out.insert(c.name);
  }
  return out;
}

void ViewSession::set_controls(Side& side) const {
  side.controls = side.system.controls();
  for (const auto& [muscle, value] : drives_)
    if (const int k = side.controls.find(muscle); k >= 0) side.controls.set(k, value);
  // The hand pulls what is looked at.
  const bool pulled = &side.of == &subjects_.front();
  const auto set = [&](const char* name, const auto& values) {
    const int first = side.controls.find(name);
    for (size_t k = 0; first >= 0 && k < values.size(); ++k)
      side.controls.set(first + static_cast<int>(k), values[k]);
  };
  set(kPullName, (pulled ? pull_ : PullInput()).to_controls());
  set(kNodePullName, (pulled ? node_pull_ : NodePullInput()).to_controls());
}

void ViewSession::change_controls() {
  for (const auto& side : sides_) set_controls(*side);
  forget_memory();
}

void ViewSession::rebuild() {
  std::vector<std::unique_ptr<Side>> fresh;
  for (size_t k = 0; k < (beside() || options_.mass == MassView::both ? 2 : 1); ++k) {
    // A ghost that was not there starts from where the other one is.
    const State& from = sides_[std::min(k, sides_.size() - 1)]->state;
    fresh.push_back(make_side(subject_of(k), on_bones(k), &from));
    Side& side = *fresh.back();
    side.state = from;
    // What is locked in motion stops; momentum goes where the locks leave it room.
    if (!held_coordinates(side.of).empty() &&
        !project(side.system, from.t, side.state.q, side.state.qdot, Directions::none, side.ws).ok)
      throw Error("lock", "contradicts the constraints of the model",
                  "unlock something else first");
  }
  auto unlocked = holds_any() ? make_side(subjects_.front(), on_bones(0), nullptr) : nullptr;
  sides_ = std::move(fresh);
  unlocked_ = std::move(unlocked);
  forget_memory();
}

void ViewSession::rebuild_with(ViewOptions options) {
  std::swap(options_, options);
  try {
    rebuild();
  } catch (...) {
    options_ = options;
    throw;
  }
}

/// What integrators remember of forces is no longer true once inputs have changed.
void ViewSession::forget_memory() {
  for (const auto& side : sides_) side->state.memory = {};
}

const std::map<std::string, ViewSession::Handler>& ViewSession::handlers() {
  using S = ViewSession;
  static const std::map<std::string, Handler> kHandlers = {
      {"set", {&S::set_coordinate, Changes::pose}},
      {"drive", {&S::drive, Changes::drives}},
      {"run", {&S::run}},
      {"pause", {&S::pause}},
      {"step", {&S::single_step}},
      {"reset", {&S::reset, Changes::pose}},
      {"speed", {&S::set_speed}},
      {"pull", {&S::pull}},
      {"release", {&S::release}},
      {"mass", {&S::show_mass, Changes::options}},
      {"arms", {&S::moment_arms}},
      {"lock", {&S::lock, Changes::options}},
      {"hold", {&S::hold, Changes::options}},
      {"stops", {&S::set_stops, Changes::options}},
      {"undo", {&S::undo}},
      {"redo", {&S::redo}},
      {"play", {&S::play}},
      {"seek", {&S::seek}}};
  return kHandlers;
}

ordered_json ViewSession::apply(const json& command) {
  if (!command.is_object()) throw Error("command", "is not an object", "see docs/view.md");
  const std::string name = word_of(command, "do");
  const auto found = handlers().find(name);
  if (found == handlers().end()) {
    std::vector<std::string> names;
    for (const auto& handler : handlers()) names.push_back(handler.first);
    throw Error("command '" + name + "'", "does not exist", suggest(name, names));
  }
  const auto [run, changes] = found->second;
  ViewEdit before = present(changes);
  before.what = what_of(command, name);
  if (command.contains("stroke")) before.stroke = number_of(command, "stroke");
  ordered_json out = (this->*run)(command);
  if (changes != Changes::nothing) history_.add(std::move(before));
  out["number"] = ++commands_;
  return out;
}

ViewEdit ViewSession::present(Changes changes) const {
  ViewEdit out;
  if (changes == Changes::pose) {
    out.states.emplace();
    for (const auto& side : sides_) out.states->push_back(side->state);
  }
  if (changes == Changes::drives) out.drives = drives_;
  if (changes == Changes::options) out.options = options_;
  return out;
}

ordered_json ViewSession::put_back(bool redo) {
  if ((redo ? history_.next_redo() : history_.next_undo()).empty())
    throw Error(redo ? "redo" : "undo", "has nothing to do", "");
  const ViewEdit edit = history_.last(redo);
  ViewEdit replaced = present(edit.states   ? Changes::pose
                              : edit.drives ? Changes::drives
                                            : Changes::options);
  replaced.what = edit.what;
  if (edit.options) rebuild_with(*edit.options);
  if (edit.drives) {
    drives_ = *edit.drives;
    change_controls();
  }
  if (edit.states) {
    playing_ = in_motion_ = false;
    for (size_t k = 0; k < sides_.size(); ++k)
      sides_[k]->state = (*edit.states)[std::min(k, edit.states->size() - 1)];
    forget_memory();
    // Locks hold what is there now.
    if (holds_any()) rebuild();
  }
  history_.move(redo, std::move(replaced));
  failure_.clear();
  return ordered_json::object();
}

ordered_json ViewSession::undo(const json&) { return put_back(false); }
ordered_json ViewSession::redo(const json&) { return put_back(true); }

ordered_json ViewSession::set_coordinate(const json& command) {
  const std::string name = word_of(command, "coordinate");
  const double value = number_of(command, "value");
  const int k = index_of("coordinate", name, system().coordinates());
  if (model().locked.contains(name))
    throw Error("coordinate '" + name + "'", "is locked by the model", "move another one");
  if (held_coordinates(subjects_.front()).contains(name))
    throw Error("coordinate '" + name + "'", "is locked", "unlock it first");
  leave_motion();
  std::vector<State> moved;
  for (const auto& side : sides_) {
    // All sides of a model start from what is looked at: a pose set by hand is the same for all.
    moved.push_back(&side->of == &main().of ? main().state : side->state);
    const auto& all = side->system.coordinates();
    const auto same =
        std::find_if(all.begin(), all.end(), [&](const Coordinate& c) { return c.name == name; });
    if (same == all.end() || (&side->of != &main().of && side->of.model.locked.contains(name)))
      continue;
    sinew::set_coordinate(side->system, static_cast<int>(same - all.begin()), value, moved.back(),
                          side->ws);
  }
  for (size_t i = 0; i < sides_.size(); ++i) sides_[i]->state = std::move(moved[i]);
  failure_.clear();
  return {{"value", state().q[k]}};
}

ordered_json ViewSession::drive(const json& command) {
  const std::string name = word_of(command, "muscle");
  const double value = number_of(command, "value");
  const auto k = static_cast<size_t>(index_of("muscle", name, system().muscles()));
  const bool hill = system().muscles()[k]->muscle().hill.has_value();
  if (value < 0 || (hill && value > 1))
    throw Error("muscle '" + name + "'", hill ? "has no such excitation" : "cannot push",
                hill ? "give 0 to 1" : "give a tension of zero or more");
  drives_[name] = value;
  change_controls();
  return ordered_json::object();
}

ordered_json ViewSession::run(const json&) {
  leave_motion();
  failure_.clear();
  running_ = true;
  owed_ = 0;
  return ordered_json::object();
}

ordered_json ViewSession::pause(const json&) {
  running_ = playing_ = false;
  return ordered_json::object();
}

ordered_json ViewSession::single_step(const json&) {
  leave_motion();
  running_ = false;
  failure_.clear();
  step(model().settings.dt);
  return {{"time", state().t}};
}

ordered_json ViewSession::reset(const json&) {
  running_ = playing_ = false;
  failure_.clear();
  if (motion()) {
    show_motion(motion()->start());
    return ordered_json::object();
  }
  for (size_t k = 0; k < sides_.size(); ++k) {
    Side& side = *sides_[k];
    // The start is that of the model without locks, which then hold what is there.
    side.state = holds_any() ? make_side(side.of, on_bones(k), nullptr)->state
                             : initial_state(side.system, side.of.model.settings.step);
  }
  if (holds_any()) rebuild();
  return ordered_json::object();
}

ordered_json ViewSession::set_speed(const json& command) {
  const double value = number_of(command, "value");
  if (value < kSlowest || value > kFastest)
    throw Error("speed", "makes no sense", "give 0.001 to 100 times real time");
  speed_ = value;
  return ordered_json::object();
}

ordered_json ViewSession::pull(const json& command) {
  const Skeleton& skeleton = system().skeleton();
  const bool stiff = info(model().settings.step.integrator).stiff;
  const double explicit_step = !stiff ? std::min(model().settings.dt, kLargestStep) : 0;
  PullInput pull;
  NodePullInput node_pull;
  if (command.contains("node")) {
    node_pull = pull_of_node(system(), word_of(command, "node"), place_of(command, "target"),
                             explicit_step);
  } else {
    pull.body = BodyIndex(index_of("body", word_of(command, "body"), skeleton.bodies()));
    pull.x_B = place_of(command, "point");
    pull.target_W = place_of(command, "target");
    tune_pull(skeleton, explicit_step, pull);
  }
  pull_ = pull;
  node_pull_ = node_pull;
  change_controls();
  return ordered_json::object();
}

ordered_json ViewSession::release(const json&) {
  pull_ = {};
  node_pull_ = {};
  change_controls();
  return ordered_json::object();
}

ordered_json ViewSession::show_mass(const json& command) {
  static const std::map<std::string, MassView> kViews = {
      {"muscles", MassView::muscles}, {"bones", MassView::bones}, {"both", MassView::both}};
  const auto wanted = kViews.find(word_of(command, "show"));
  if (wanted == kViews.end())
    throw Error("mass", "cannot be shown so", "give 'muscles', 'bones' or 'both'");
  if (beside() && wanted->second == MassView::both)
    throw Error("mass", "has no place for a second ghost", "give 'muscles' or 'bones'");
  if (!model().mass_on_bones)
    throw Error("mass", "is on the bones alone", "choose a model whose muscles have some");
  ViewOptions options = options_;
  options.mass = wanted->second;
  rebuild_with(std::move(options));
  return ordered_json::object();
}

ordered_json ViewSession::lock(const json& command) {
  const std::string name = word_of(command, "coordinate");
  const bool on = flag_of(command, "on");
  index_of("coordinate", name, system().coordinates());
  model().skeleton.find_coordinate(name);
  if (model().locked.contains(name))
    throw Error("coordinate '" + name + "'", "is locked by the model", "choose another one");
  ViewOptions options = options_;
  if (on)
    options.locked.insert(name);
  else
    options.locked.erase(name);
  rebuild_with(std::move(options));
  return ordered_json::object();
}

ordered_json ViewSession::hold(const json& command) {
  if (free_root(model().skeleton) == kWorld)
    throw Error("hold", "has nothing to hold", "choose a model with one body free in space");
  ViewOptions options = options_;
  options.hold = flag_of(command, "on");
  rebuild_with(std::move(options));
  return ordered_json::object();
}

ordered_json ViewSession::set_stops(const json& command) {
  if (std::all_of(subjects_.begin(), subjects_.end(),
                  [](const Subject& of) { return of.stops.empty(); }))
    throw Error("stops", "have no ranges to be made from", "choose a model of OpenSim with some");
  ViewOptions options = options_;
  options.stops = flag_of(command, "on");
  rebuild_with(std::move(options));
  return ordered_json::object();
}

void ViewSession::show_motion(double t) {
  for (const auto& side : sides_) {
    if (side->of.motion) side->of.motion->show(side->system, t, side->state, side->ws);
    // The clock is that of what is looked at; a shorter motion waits at its end.
    side->state.t = state().t;
  }
  in_motion_ = true;
}

void ViewSession::leave_motion() {
  playing_ = false;
  if (!std::exchange(in_motion_, false)) return;
  if (holds_any()) {
    rebuild();
    return;
  }
  for (const auto& side : sides_)
    if (!side->system.constraints().empty()) assemble_state(side->system, side->state, side->ws);
}

ordered_json ViewSession::play(const json&) {
  if (!motion()) throw Error("play", "has no motion", "start `sinew view MODEL MOTION`");
  running_ = false;
  failure_.clear();
  // From where the model is, if that is in the motion; from the start at its end.
  if (!in_motion_ || state().t >= motion()->end()) show_motion(motion()->start());
  playing_ = motion()->end() > motion()->start();
  return ordered_json::object();
}

ordered_json ViewSession::seek(const json& command) {
  const double time = number_of(command, "time");
  if (!motion()) throw Error("seek", "has no motion", "start `sinew view MODEL MOTION`");
  running_ = playing_ = false;
  failure_.clear();
  show_motion(time);
  return {{"time", state().t}};
}

ordered_json ViewSession::moment_arms(const json& command) {
  const int m = index_of("muscle", word_of(command, "muscle"), system().muscles());
  const int k = index_of("coordinate", word_of(command, "coordinate"), system().coordinates());
  const auto [lower, upper] = span_of(static_cast<size_t>(k));
  Side& side = unlocked_ ? *unlocked_ : main();
  const ArmCurve curve =
      sweep_arms(side.system, static_cast<size_t>(m), k, lower, upper, state(), side.ws);
  // Null where the pose is not possible.
  ordered_json arm = ordered_json::array(), length = ordered_json::array();
  for (size_t i = 0; i < curve.value.size(); ++i) {
    arm.push_back(std::isfinite(curve.arm[i]) ? ordered_json(curve.arm[i]) : nullptr);
    length.push_back(std::isfinite(curve.length[i]) ? ordered_json(curve.length[i]) : nullptr);
  }
  return {{"value", curve.value}, {"arm", arm}, {"length", length}};
}

void ViewSession::stop_failed(const Side& side, const std::string& why) {
  running_ = false;
  const bool ghost = &side != &main();
  failure_ = why + (!ghost ? "" : beside() ? ", beside it" : ", with the mass on the bones");
}

bool ViewSession::step_side(Side& side, double h) {
  double& t = side.state.t;
  const double end = t + h;
  const StepOptions& how = side.of.model.settings.step;
  const bool adaptive = is_adaptive(how);
  if (side.start + static_cast<double>(side.steps) * h != t) {
    side.start = t;
    side.steps = 0;
  }
  try {
    EventWatch watch(side.system);
    for (double rest = h;; rest = end - t) {
      const std::optional<double> length =
          watch.length(rest, adaptive ? side.state.memory.h_next : rest, side.state, side.ws);
      if (!length) {
        stop_failed(side, watch.event().text);
        return false;
      }
      const StepReport report =
          sinew::step(side.system, how, *length, side.controls, side.state, side.ws);
      if (watch.again(report, kEventTime * h, side.state)) continue;
      if (report.status != StepStatus::ok) {
        SimulationResult result;
        result.end = SimulationEnd::failed;
        result.last = report;
        stop_failed(side, describe_failure(side.system, result, side.state));
        return false;
      }
      if (adaptive ? t >= end : *length == rest) break;
    }
    if (!adaptive) t = side.start + static_cast<double>(++side.steps) * h;
  } catch (const Error& error) {
    stop_failed(side, error.what());
    return false;
  }
  return true;
}

bool ViewSession::step(double h) {
  if (!step_side(main(), h)) return false;
  for (size_t k = 1; k < sides_.size(); ++k) {
    Side& side = *sides_[k];
    const SimulationSettings& how = side.of.model.settings;
    const auto left = [&] { return state().t - side.state.t; };
    while (left() > (is_adaptive(how.step) ? 0 : 0.5 * how.dt))
      if (!step_side(side, is_adaptive(how.step) ? left() : how.dt)) return false;
  }
  return true;
}

void ViewSession::advance(double seconds, double budget) {
  if (playing_) {
    // Over and over.
    const double length = motion()->end() - motion()->start();
    const double passed = state().t - motion()->start() + seconds * speed_;
    show_motion(motion()->start() + (passed > length ? std::fmod(passed, length) : passed));
    factor_ = speed_;
  }
  if (!running_) return;
  const Clock::time_point begin = Clock::now();
  const double start = state().t;
  const bool adaptive = is_adaptive(model().settings.step);
  owed_ += seconds * speed_;
  for (;;) {
    const double h = adaptive ? std::min(owed_, kLargestStep) : model().settings.dt;
    if (owed_ < h || h <= 0 || !step(h)) break;
    owed_ -= h;
    if (std::chrono::duration<double>(Clock::now() - begin).count() < budget) continue;
    // Slower than asked for: time that was missed is not made up for.
    owed_ = 0;
    break;
  }
  factor_ = seconds > 0 ? (state().t - start) / seconds : 0;
}

}  // namespace sinew
