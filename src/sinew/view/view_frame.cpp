#include "sinew/view/view_frame.hpp"

#include <algorithm>

#include "sinew/analysis/muscle_state.hpp"
#include "sinew/report/model.hpp"

namespace sinew {
namespace {

using nlohmann::ordered_json;

void update_muscles(const System& system, const State& state, const Controls& controls,
                    const Snapshot& snapshot, ViewFrame& out) {
  VecX values(system.controls().size());
  at_state(state, controls, values);
  for (size_t k = 0; k < snapshot.paths.size(); ++k) {
    const int i = hill_index(system, k);
    const double drive = values[system.muscle_control(k)];
    out.activation.push_back(i < 0 ? 0 : snapshot.hill[static_cast<size_t>(i)].activation);
    out.tension.push_back(snapshot.paths[k].tension);
    // Feedback may ask for more excitation than there is.
    out.drive.push_back(i < 0 ? drive : std::clamp(drive, 0.0, 1.0));
  }
}

ordered_json one_row(const char* id, const char* title, const std::vector<std::string>& names,
                     const std::vector<std::string>& quantities, const std::vector<double>& values,
                     ReportData& data) {
  ordered_json columns = ordered_json::array();
  for (size_t k = 0; k < names.size(); ++k)
    columns.push_back({{"name", names[k]},
                       {"quantity", quantities[k]},
                       {"values", data.floats({&values[k], 1})}});
  return {{"id", id}, {"title", title}, {"columns", columns}};
}

ordered_json write_forces(const System& system, const std::vector<DrawnForce>& drawn,
                          const std::vector<double>& values, ReportData& data) {
  ordered_json out = ordered_json::array();
  for (size_t k = 0; k < drawn.size(); ++k)
    out.push_back({{"name", drawn[k].name},
                   {"contact", drawn[k].contact},
                   {"body", system.skeleton().link(drawn[k].link).body.value},
                   {"values", data.floats({&values[6 * k], 6})}});
  return out;
}

/// Room for as many as there may be: the next frame may have more.
ordered_json write_contacts(std::vector<double> points, ReportData& data) {
  const auto count = static_cast<double>(points.size() / 3);
  points.resize(3 * kMostContacts, 0);
  return {{"counts", data.floats({&count, 1})}, {"points", data.floats(points)}};
}

}  // namespace

const char* quantity_of(CoordinateKind kind) {
  switch (kind) {
    case CoordinateKind::angle:
      return "angle";
    case CoordinateKind::length:
      return "length";
    default:
      return "number";
  }
}

void update_view_frame(const System& system, const State& state, const Controls& controls,
                       FrameDrawer& drawer, ViewFrame& out) {
  for (auto* list : {&out.activation, &out.tension, &out.drive}) list->clear();
  drawer.update(state, controls, out.drawn);
  out.q.assign(state.q.begin(), state.q.end());
  update_muscles(system, state, controls, drawer.snapshot(), out);
  const Energy& now = drawer.snapshot().energy;
  out.energy = {now.kinetic, now.potential()};
  drawer.read_tensions(state, controls, out.strands);
}

ViewFrameText write_view_frame(const System& system, const FrameDrawer& drawer,
                               const ViewFrame& frame, ReportData& data) {
  const std::vector<double> start = {0};
  ordered_json frames = {
      {"time", data.floats(start)},
      {"bodies", data.floats(frame.drawn.bodies)},
      {"forces", write_forces(system, drawer.forces(), frame.drawn.forces, data)},
      {"deforming", ordered_json::array()}};
  for (const auto& surface : frame.drawn.deforming)
    frames["deforming"].push_back(data.floats(surface));
  if (!system.unilaterals().contacts.empty())
    frames["contacts"] = write_contacts(frame.drawn.contacts, data);
  if (!frame.drawn.lines.empty()) frames["lines"] = data.floats(frame.drawn.lines);
  if (!frame.drawn.material.empty()) frames["material"] = data.floats(frame.drawn.material);
  std::vector<std::string> muscles, coordinates, quantities;
  for (const auto& muscle : system.muscles()) muscles.push_back(muscle->name());
  for (const Coordinate& c : system.coordinates()) {
    coordinates.push_back(c.name);
    quantities.emplace_back(quantity_of(c.kind));
  }
  ordered_json groups = {
      one_row("coordinates", "Coordinates", coordinates, quantities, frame.q, data),
      one_row("energy", "Energy", {"kinetic", "potential"}, {"energy", "energy"}, frame.energy,
              data)};
  if (!frame.strands.empty()) {
    std::vector<std::string> names;
    for (const StrandTensions::Place& place : drawer.strands().places())
      names.push_back(place.name);
    groups.push_back(one_row("strand-tension", "Tension of strands", names,
                             std::vector<std::string>(names.size(), "force"), frame.strands, data));
  }
  if (!muscles.empty()) {
    frames["points"] = data.floats(frame.drawn.points);
    if (!frame.drawn.anchors.empty()) frames["anchors"] = data.floats(frame.drawn.anchors);
    frames["coms"] = data.floats(frame.drawn.coms);
    frames["kinetic"] = data.floats(frame.drawn.kinetic);
    frames["length"] = data.floats(frame.drawn.length);
    const auto all = [&](const char* quantity) {
      return std::vector<std::string>(muscles.size(), quantity);
    };
    groups.push_back(
        one_row("muscle-activation", "Activation", muscles, all("ratio"), frame.activation, data));
    groups.push_back(
        one_row("muscle-tension", "Tension", muscles, all("force"), frame.tension, data));
    groups.push_back(
        one_row("muscle-length", "Length", muscles, all("length"), frame.drawn.length, data));
    groups.push_back(one_row("muscle-drive", "Drive", muscles, all("number"), frame.drive, data));
  }
  return {frames, {{"time", data.floats(start)}, {"rows", 1}, {"groups", groups}}};
}

}  // namespace sinew
