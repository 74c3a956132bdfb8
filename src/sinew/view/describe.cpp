#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "sinew/analysis/muscle_state.hpp"
#include "sinew/core/version.hpp"
#include "sinew/integrate/integrator_table.hpp"
#include "sinew/report/model.hpp"
#include "sinew/view/pose.hpp"
#include "sinew/view/session.hpp"

/// What a session tells the page.

namespace sinew {
namespace {

using nlohmann::ordered_json;

constexpr int kLiveFormat = 1;
constexpr double kNoArm = 1e-6;  // moment arms below are rounding [m]

/// 1, 2 or 5 times a power of ten, not below x.
double round_up(double x) {
  const double power = std::pow(10, std::floor(std::log10(x)));
  for (const double digit : {1.0, 2.0, 5.0})
    if (digit * power >= x * (1 - 1e-9)) return digit * power;
  return 10 * power;
}

/// On Earth [N]; more than nothing.
double weight_of(const System& system) {
  double mass = 0;
  for (const Body& body : system.skeleton().bodies()) mass += body.M_B.mass;
  for (const auto& muscle : system.muscles()) mass += muscle->muscle().mass;
  return std::max(1e-3, 9.81 * mass);
}

const char* name_of(MassView view) {
  switch (view) {
    case MassView::muscles:
      return "muscles";
    case MassView::bones:
      return "bones";
    case MassView::both:
      return "both";
  }
  return "";
}

std::vector<std::string> notes_of(const System& system) {
  std::vector<std::string> out = {
      "Runs are not recorded: for tables, an audit and a report use `sinew simulate`."};
  if (!system.unilaterals().contacts.empty())
    out.emplace_back(
        "Contacts are drawn where surfaces touch; the arrow of a body is the sum of what touches "
        "it, over the step that follows.");
  if (system.muscles().empty()) out.emplace_back("The model has no muscles.");
  return out;
}

/// Pairs of label and value.
ordered_json provenance_of(const LoadedModel& model) {
  ordered_json out = ordered_json::array();
  const auto add = [&](const char* label, const std::string& value) {
    out.push_back(ordered_json::array({label, value}));
  };
  add("Shown by", fmt::format("sinew {} ({})", version(), commit()));
  add("Model file", model.path.string());
  add("Hash", fmt::format("{:016x} (FNV-1a)", model.content_hash));
  add("Integrator", to_string(model.settings.step.integrator));
  add("Steps", describe_steps(model.settings));
  return out;
}

}  // namespace

CoordinateRange ViewSession::span_of(size_t coordinate) const {
  // Without bounds of its own: a full turn, a metre, or one either side of where it starts.
  constexpr double kAny = std::numeric_limits<double>::infinity();
  constexpr Reach kSlider = {std::numbers::pi, 1, 1, kAny, kAny};
  return sinew::span_of(model().target.coordinates[coordinate], model().target.ranges[coordinate],
                        kSlider);
}

ordered_json ViewSession::describe_coordinates() const {
  ordered_json out = ordered_json::array();
  const auto& bones = model().skeleton.coordinates();
  for (size_t k = 0; k < system().coordinates().size(); ++k) {
    const Coordinate& c = system().coordinates()[k];
    const auto [lower, upper] = span_of(k);
    // Extra coordinates of a map belong to no joint.
    const bool in_skeleton = std::any_of(bones.begin(), bones.end(),
                                         [&](const Coordinate& b) { return b.name == c.name; });
    out.push_back({{"name", c.name},
                   {"quantity", quantity_of(c.kind)},
                   {"lower", lower},
                   {"upper", upper},
                   {"body", in_skeleton ? c.body.value : -1},
                   {"lockable", in_skeleton && !model().locked.contains(c.name)},
                   {"locked", model().locked.contains(c.name)}});
  }
  return out;
}

ordered_json ViewSession::describe_drives() {
  update_frame(main(), frame_);
  ordered_json out = ordered_json::array();
  const auto& muscles = system().muscles();
  const double weight = weight_of(system());
  for (size_t k = 0; k < muscles.size(); ++k) {
    const auto& hill = muscles[k]->muscle().hill;
    const double most = hill ? 1 : round_up(std::max(2 * frame_.tension[k], weight));
    // Of the largest tension that a scale must show.
    const double strength = hill ? hill->muscle.max_isometric_force : most;
    ordered_json spans = ordered_json::array();
    const VecX& arms = frame_.drawn.arms[k];
    for (Eigen::Index i = 0; i < arms.size(); ++i)
      if (std::abs(arms[i]) > kNoArm)
        spans.push_back(system().coordinates()[static_cast<size_t>(i)].name);
    out.push_back({{"muscle", muscles[k]->name()},
                   {"kind", hill ? "excitation" : "tension"},
                   {"most", most},
                   {"strength", strength},
                   {"spans", spans}});
  }
  return out;
}

void ViewSession::update_frame(Side& side, ViewFrame& out) {
  update_view_frame(side.system, side.state, side.controls, side.drawer, out);
}

ordered_json ViewSession::describe_run(Side& side, ReportData& data) {
  const LoadedModel& of = side.of.model;
  std::vector<std::string> notes = notes_of(side.system);
  notes.insert(notes.end(), of.notes.begin(), of.notes.end());
  ordered_json model = describe_model({side.system, of.look}, data, notes);
  ViewFrame frame;
  update_frame(side, frame);
  // From here on the bytes are those of a frame.
  const size_t at = data.align();
  ViewFrameText text = write_view_frame(side.system, side.drawer, frame, data);
  return {{"name", of.name},
          {"title", of.title},
          {"description", of.description},
          {"citation", of.citation},
          {"folder", ""},
          {"status", "live"},
          {"audit", nullptr},
          {"warnings", of.warnings},
          {"provenance", provenance_of(of)},
          {"moved", ordered_json::array()},
          {"notes", notes},
          {"model", std::move(model)},
          {"frames", std::move(text.frames)},
          {"series", std::move(text.series)},
          {"image", {{"at", at}, {"count", data.bytes().size() - at}}}};
}

ordered_json ViewSession::describe(ReportData& data) {
  ordered_json out = {{"format", kLiveFormat},
                      {"sinew", std::string(version())},
                      {"commit", std::string(commit())},
                      {"kind", "live"}};
  // Both ways have their places from the start, whether they are looked at or not.
  for (size_t k = 0; k < (beside() || model().mass_on_bones ? 2 : 1); ++k) {
    const bool bones = k == 1 && !beside();
    const std::unique_ptr<Side> side = make_side(subject_of(k), bones, nullptr);
    side->state = sides_[std::min(k, sides_.size() - 1)]->state;
    out["runs"].push_back(describe_run(*side, data));
  }
  const BodyIndex root = free_root(model().skeleton);
  size_t stops = 0;
  for (const Subject& of : subjects_) stops += of.stops.size();
  out["live"] = {
      {"coordinates", describe_coordinates()},
      {"drives", describe_drives()},
      {"weight", weight_of(system())},
      {"root", root == kWorld ? ordered_json() : ordered_json(model().skeleton.body(root).name)},
      {"stops", stops},
      {"beside", nullptr},
      {"motion", nullptr},
      {"mass", model().mass_on_bones ? ordered_json(name_of(options_.mass)) : nullptr},
      {"file", model().path.filename().string()},
      {"speed", speed_},
      {"running", running_}};
  if (beside()) {
    // Another motion of the same model, or another model.
    const Subject& other = subjects_.back();
    const bool same = other.model.path == model().path && other.motion;
    out["live"]["beside"] = same ? other.motion->name() : other.model.name;
  }
  if (motion())
    out["live"]["motion"] = {{"file", motion()->name()},
                             {"start", motion()->start()},
                             {"end", motion()->end()},
                             {"rows", motion()->rows()}};
  return out;
}

std::string ViewSession::frame() {
  ordered_json out = {
      {"number", commands_},
      {"time", state().t},
      {"running", running_},
      {"playing", playing_},
      {"speed", speed_},
      {"factor", factor_},
      {"failure", failure_},
      {"weight", weight_of(system())},
      {"mass", model().mass_on_bones ? ordered_json(name_of(options_.mass)) : nullptr},
      {"stops", options_.stops},
      {"hold", options_.hold},
      {"locked", options_.locked},
      {"undo", history_.next_undo()},
      {"redo", history_.next_redo()}};
  for (size_t k = 0; k < sides_.size(); ++k) {
    ViewFrame& frame = k == 0 ? frame_ : ghost_;
    update_frame(*sides_[k], frame);
    ReportData data;
    write_view_frame(sides_[k]->system, sides_[k]->drawer, frame, data);
    out[k == 0 ? "image" : "ghost"] = base64(data.bytes());
    if (k == 0) out["lost"] = frame.drawn.lost;
  }
  return out.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace sinew
