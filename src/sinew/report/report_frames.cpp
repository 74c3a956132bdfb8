#include "sinew/report/report_frames.hpp"

#include <algorithm>
#include <cmath>

#include "sinew/report/report_frame.hpp"

namespace sinew {
namespace {

using nlohmann::ordered_json;

// Numbers of all frames together: 2 bytes each, 2.7 in the page.
constexpr size_t kBudget = 700000;
constexpr double kFrameRate = 60;  // [1/s]
constexpr size_t kFewest = 240;    // of short motions, which are played slowly

/// Frames one after the other, as the report's arrays have them.
class FrameWriter {
 public:
  FrameWriter(const System& system, const std::optional<SimulationSettings>& run)
      : system_(system),
        drawer_(system, run),
        arms_(drawing_points(system).size()),
        deforming_(drawn_surfaces(system).size()) {}

  void add(const State& state) {
    drawer_.update(state, system_.controls(), frame_);
    t_.push_back(state.t);
    append(frame_.bodies, bodies_);
    append(frame_.points, points_);
    append(frame_.anchors, anchors_);
    append(frame_.coms, coms_);
    append(frame_.kinetic, kinetic_);
    append(frame_.length, length_);
    append(frame_.forces, forces_);
    append(frame_.lines, lines_);
    append(frame_.material, material_);
    append(frame_.contacts, contacts_);
    for (size_t k = 0; k < deforming_.size(); ++k) append(frame_.deforming[k], deforming_[k]);
    contact_counts_.push_back(static_cast<int>(frame_.contacts.size() / 3));
    for (size_t m = 0; m < arms_.size(); ++m)
      arms_[m].insert(arms_[m].end(), frame_.arms[m].begin(), frame_.arms[m].end());
    lost_ |= frame_.lost;
  }

  ordered_json write(ReportData& data, std::vector<std::string>& notes) const {
    ordered_json out = {{"time", data.floats(t_)}, {"bodies", data.quantized(bodies_)}};
    if (!arms_.empty()) {
      out["points"] = data.quantized(points_);
      if (!anchors_.empty()) out["anchors"] = data.quantized(anchors_);
      out["coms"] = data.quantized(coms_);
      out["kinetic"] = data.floats(kinetic_);
      out["length"] = data.floats(length_);
      out["arms"] = write_arms(data);
    }
    out["forces"] = write_forces(data);
    if (!lines_.empty()) out["lines"] = data.quantized(lines_);
    if (!material_.empty()) out["material"] = data.floats(material_);
    out["deforming"] = ordered_json::array();
    for (const auto& surface : deforming_) out["deforming"].push_back(data.quantized(surface));
    if (!system_.unilaterals().contacts.empty()) {
      out["contacts"] = {{"counts", data.indices(contact_counts_)},
                         {"points", data.quantized(contacts_)}};
      notes.push_back(
          "Contacts are drawn where surfaces touch; the arrow of a body is the sum of what touches "
          "it, over the step that follows.");
    }
    if (lost_)
      notes.push_back(
          "Some muscle has no path around its surface at times; it is then drawn "
          "straight, which is wrong.");
    return out;
  }

 private:
  static void append(const std::vector<double>& values, std::vector<double>& out) {
    out.insert(out.end(), values.begin(), values.end());
  }

  /// Of the coordinates that a muscle's length depends on in any frame.
  ordered_json write_arms(ReportData& data) const {
    ordered_json out = ordered_json::array();
    const auto n = static_cast<size_t>(system_.dof_count());
    std::vector<double> column(t_.size());
    for (size_t m = 0; m < arms_.size(); ++m)
      for (size_t k = 0; k < n; ++k) {
        double largest = 0;
        for (size_t f = 0; f < t_.size(); ++f) {
          column[f] = arms_[m][f * n + k];
          largest = std::max(largest, std::abs(column[f]));
        }
        if (largest > 1e-9)
          out.push_back({{"muscle", m},
                         {"coordinate", system_.coordinates()[k].name},
                         {"values", data.floats(column)}});
      }
    return out;
  }

  /// Those that act in any frame.
  ordered_json write_forces(ReportData& data) const {
    ordered_json out = ordered_json::array();
    const std::vector<DrawnForce>& drawn = drawer_.forces();
    std::vector<double> values(6 * t_.size());
    for (size_t k = 0; k < drawn.size(); ++k) {
      bool acts = false;
      for (size_t f = 0; f < t_.size(); ++f)
        for (size_t axis = 0; axis < 6; ++axis) {
          values[6 * f + axis] = forces_[6 * (f * drawn.size() + k) + axis];
          acts |= axis > 2 && std::abs(values[6 * f + axis]) > 1e-9;
        }
      if (acts)
        out.push_back({{"name", drawn[k].name},
                       {"contact", drawn[k].contact},
                       {"body", system_.skeleton().link(drawn[k].link).body.value},
                       {"values", data.floats(values)}});
    }
    return out;
  }

  const System& system_;
  FrameDrawer drawer_;
  DrawnFrame frame_;
  std::vector<double> t_, bodies_, points_, anchors_, coms_, kinetic_, length_, forces_, lines_,
      material_, contacts_;
  std::vector<std::vector<double>> arms_;       ///< per muscle: coordinates of frame after frame
  std::vector<std::vector<double>> deforming_;  ///< per surface
  std::vector<int> contact_counts_;
  bool lost_ = false;
};

size_t frame_count(const System& system, const ReportMotion& motion) {
  size_t each = 7 * static_cast<size_t>(system.skeleton().body_count());
  for (const int points : drawing_points(system)) each += 3 * static_cast<size_t>(points + 1);
  each += 3 * moving_anchors(system).size();
  for (const MovingShape& line : drawn_lines(system)) each += 3 * static_cast<size_t>(line.points);
  for (const MovingShape& s : drawn_surfaces(system)) each += 3 * static_cast<size_t>(s.points);
  const double duration = motion.t.back() - motion.t.front();
  const auto wanted = static_cast<size_t>(std::ceil(kFrameRate * duration)) + 1;
  return std::min(std::max(wanted, kFewest), std::max<size_t>(kBudget / each, 2));
}

}  // namespace

std::vector<size_t> thinned(const std::vector<double>& t, size_t most) {
  std::vector<size_t> out;
  if (t.size() <= most) {
    for (size_t k = 0; k < t.size(); ++k) out.push_back(k);
    return out;
  }
  // Half a spacing of tolerance: the nearest row, not the next.
  const double spacing = (t.back() - t.front()) / static_cast<double>(most - 1);
  for (size_t k = 0; k + 1 < t.size(); ++k) {
    const double next = t.front() + spacing * static_cast<double>(out.size());
    const double middle = 0.5 * (t[k] + t[k + 1]);
    if (middle >= next || t[k] >= next) out.push_back(k);
  }
  if (out.size() == most)
    out.back() = t.size() - 1;
  else
    out.push_back(t.size() - 1);
  return out;
}

State state_at(const ReportMotion& motion, size_t row) {
  State state;
  state.t = motion.t[row];
  state.q = motion.q[row];
  state.qdot = motion.qdot[row];
  if (motion.activation.empty()) return state;
  state.z.resize(2 * motion.activation[row].size());
  state.z << motion.activation[row], motion.fibre_length[row];
  return state;
}

ordered_json write_frames(const System& system, const ReportMotion& motion, ReportData& data,
                          std::vector<std::string>& notes,
                          const std::optional<SimulationSettings>& run) {
  FrameWriter writer(system, run);
  for (const size_t k : thinned(motion.t, frame_count(system, motion)))
    writer.add(state_at(motion, k));
  return writer.write(data, notes);
}

}  // namespace sinew
