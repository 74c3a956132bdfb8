#include "sinew/view/session.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "sinew/analysis/muscle_state.hpp"
#include "sinew/core/error.hpp"
#include "sinew/core/names.hpp"
#include "sinew/integrate/integrator_table.hpp"
#include "sinew/view/pose.hpp"

namespace sinew {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

constexpr const char* kPullName = "pull of the viewer";
constexpr double kSlowest = 0.001, kFastest = 100;  // speeds that make sense
constexpr double kLargestStep = 1.0 / 60;           // adaptive integrators: a frame [s]

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

ViewSession::Side::Side(System built, const SimulationSettings& run)
    : system(std::move(built)),
      controls(system.controls()),
      ws(system),
      drawer(system, run),
      state(initial_state(system, run.step)) {}

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

ViewSession::ViewSession(LoadedModel model)
    : model_(std::move(model)),
      hand_(std::make_shared<PullForce>(kPullName)),
      view_(model_.mass_on_bones.value_or(false) ? MassView::bones : MassView::muscles) {
  sides_.push_back(make_side(view_ == MassView::bones));
}

std::unique_ptr<ViewSession::Side> ViewSession::make_side(bool mass_on_bones) const {
  auto side = std::make_unique<Side>(
      model_.build({.forces = {hand_}, .mass_on_bones = mass_on_bones}), model_.settings);
  set_controls(*side);
  return side;
}

void ViewSession::set_controls(Side& side) const {
  for (const auto& [muscle, value] : drives_)
    if (const int k = side.controls.find(muscle); k >= 0) side.controls.set(k, value);
  const int first = side.controls.find(kPullName);
  const auto pull = pull_.to_controls();
  for (int k = 0; k < PullInput::kControls; ++k)
    side.controls.set(first + k, pull[static_cast<size_t>(k)]);
}

void ViewSession::change_controls() {
  for (const auto& side : sides_) set_controls(*side);
  forget_memory();
}

void ViewSession::rebuild() {
  std::vector<std::unique_ptr<Side>> fresh;
  fresh.push_back(make_side(view_ == MassView::bones));
  if (view_ == MassView::both) fresh.push_back(make_side(true));
  // A ghost that was not there starts from where the other one is.
  for (size_t k = 0; k < fresh.size(); ++k)
    fresh[k]->state = sides_[std::min(k, sides_.size() - 1)]->state;
  sides_ = std::move(fresh);
  forget_memory();
}

/// What integrators remember of forces is no longer true once inputs have changed.
void ViewSession::forget_memory() {
  for (const auto& side : sides_) side->state.memory = {};
}

const std::map<std::string, ViewSession::Handler>& ViewSession::handlers() {
  static const std::map<std::string, Handler> kHandlers = {{"set", &ViewSession::set_coordinate},
                                                           {"drive", &ViewSession::drive},
                                                           {"run", &ViewSession::run},
                                                           {"pause", &ViewSession::pause},
                                                           {"step", &ViewSession::single_step},
                                                           {"reset", &ViewSession::reset},
                                                           {"speed", &ViewSession::set_speed},
                                                           {"pull", &ViewSession::pull},
                                                           {"release", &ViewSession::release},
                                                           {"mass", &ViewSession::show_mass},
                                                           {"arms", &ViewSession::moment_arms}};
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
  ordered_json out = (this->*found->second)(command);
  out["number"] = ++commands_;
  return out;
}

ordered_json ViewSession::set_coordinate(const json& command) {
  const std::string name = word_of(command, "coordinate");
  const double value = number_of(command, "value");
  const int k = index_of("coordinate", name, system().coordinates());
  if (model_.locked.contains(name))
    throw Error("coordinate '" + name + "'", "is locked by the model", "move another one");
  std::vector<State> moved;
  for (const auto& side : sides_) {
    // All sides start from what is looked at: a pose set by hand is the same for all.
    moved.push_back(main().state);
    sinew::set_coordinate(side->system, k, value, moved.back(), side->ws);
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
  failure_.clear();
  running_ = true;
  owed_ = 0;
  return ordered_json::object();
}

ordered_json ViewSession::pause(const json&) {
  running_ = false;
  return ordered_json::object();
}

ordered_json ViewSession::single_step(const json&) {
  running_ = false;
  failure_.clear();
  step(model_.settings.dt);
  return {{"time", state().t}};
}

ordered_json ViewSession::reset(const json&) {
  running_ = false;
  failure_.clear();
  for (const auto& side : sides_) side->state = initial_state(side->system, model_.settings.step);
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
  PullInput pull;
  pull.body = BodyIndex(index_of("body", word_of(command, "body"), skeleton.bodies()));
  pull.x_B = place_of(command, "point");
  pull.target_W = place_of(command, "target");
  const bool stiff = info(model_.settings.step.integrator).stiff;
  tune_pull(skeleton, !stiff ? std::min(model_.settings.dt, kLargestStep) : 0, pull);
  pull_ = pull;
  change_controls();
  return ordered_json::object();
}

ordered_json ViewSession::release(const json&) {
  pull_ = {};
  change_controls();
  return ordered_json::object();
}

ordered_json ViewSession::show_mass(const json& command) {
  static const std::map<std::string, MassView> kViews = {
      {"muscles", MassView::muscles}, {"bones", MassView::bones}, {"both", MassView::both}};
  const auto wanted = kViews.find(word_of(command, "show"));
  if (wanted == kViews.end())
    throw Error("mass", "cannot be shown so", "give 'muscles', 'bones' or 'both'");
  if (!model_.mass_on_bones)
    throw Error("mass", "is on the bones alone", "choose a model whose muscles have some");
  const MassView before = view_;
  view_ = wanted->second;
  try {
    rebuild();
  } catch (...) {
    view_ = before;
    throw;
  }
  return ordered_json::object();
}

ordered_json ViewSession::moment_arms(const json& command) {
  const int m = index_of("muscle", word_of(command, "muscle"), system().muscles());
  const int k = index_of("coordinate", word_of(command, "coordinate"), system().coordinates());
  const auto [lower, upper] = span_of(static_cast<size_t>(k));
  const ArmCurve curve =
      sweep_arms(system(), static_cast<size_t>(m), k, lower, upper, state(), main().ws);
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
  failure_ = why + (ghost ? ", with the mass on the bones" : "");
}

bool ViewSession::step_side(Side& side, double h) {
  const double end = side.state.t + h;
  const bool adaptive = is_adaptive(model_.settings.step);
  try {
    do {
      const StepReport report = sinew::step(side.system, model_.settings.step, end - side.state.t,
                                            side.controls, side.state, side.ws);
      if (report.status == StepStatus::ok) continue;
      SimulationResult result;
      result.end = SimulationEnd::failed;
      result.last = report;
      stop_failed(side, describe_failure(side.system, result, side.state));
      return false;
    } while (adaptive && side.state.t < end);
  } catch (const Error& error) {
    stop_failed(side, error.what());
    return false;
  }
  return true;
}

bool ViewSession::step(double h) {
  return std::all_of(sides_.begin(), sides_.end(),
                     [&](const auto& side) { return step_side(*side, h); });
}

void ViewSession::advance(double seconds, double budget) {
  if (!running_) return;
  const Clock::time_point begin = Clock::now();
  const double start = state().t;
  const bool adaptive = is_adaptive(model_.settings.step);
  owed_ += seconds * speed_;
  for (;;) {
    const double h = adaptive ? std::min(owed_, kLargestStep) : model_.settings.dt;
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
