#include "report_frames.hpp"

#include <algorithm>
#include <cmath>

#include "report_model.hpp"
#include "sinew/analysis/muscle_drawing.hpp"
#include "sinew/analysis/muscle_paths.hpp"
#include "sinew/constraints/smooth_contact.hpp"
#include "sinew/constraints/unilateral_workspace.hpp"
#include "sinew/dynamics/external_load.hpp"
#include "sinew/dynamics/forces.hpp"

namespace sinew::cli {
namespace {

using nlohmann::ordered_json;

// Numbers of all frames together: 2 bytes each, 2.7 in the page.
constexpr size_t kBudget = 900000;
constexpr double kFrameRate = 60;   // [1/s]
constexpr size_t kFewest = 240;     // of short motions, which are played slowly
constexpr double kTouching = 1e-3;  // gaps up to which contacts are drawn [m]
constexpr size_t kMostContacts = 256;

/// A force that is drawn as an arrow: what one element does to one link.
struct Arrow {
  const Force* force;
  int link;
  std::vector<double> values;  ///< per frame: point and force, world [m, N]
  bool acts = false;
};

bool is_drawn(const Force* force) {
  return dynamic_cast<const WorldForce*>(force) != nullptr ||
         dynamic_cast<const ExternalLoad*>(force) != nullptr ||
         dynamic_cast<const SmoothContact*>(force) != nullptr;
}

/// Where to draw a wrench (world axes, about `origin`): on its line of action, as near to the
/// origin as that is, or where it meets the plane that pushes.
Vec3 point_of(const Vec6& wrench, const Vec3& origin, const Force* force) {
  const Vec3 f = wrench.tail<3>();
  const Vec3 x = origin + f.cross(wrench.head<3>()) / f.squaredNorm();
  const auto* contact = dynamic_cast<const SmoothContact*>(force);
  if (contact == nullptr || contact->plane().body != kWorld) return x;
  const Vec3 n = contact->plane().normal.normalized();
  const double rise = n.dot(f);
  if (std::abs(rise) < 1e-3 * f.norm()) return x;
  return x + n.dot(contact->plane().point - x) / rise * f;
}

class FrameWriter {
 public:
  explicit FrameWriter(const System& system)
      : system_(system),
        ws_(system),
        applied_(system.skeleton()),
        unseen_(VecX::Zero(system.skeleton().dof_count())) {
    for (const auto& force : system.forces())
      if (is_drawn(force.get()))
        for (int link = 1; link < system.skeleton().link_count(); ++link)
          arrows_.push_back({force.get(), link, {}, false});
    arms_.resize(system.muscles().size());
  }

  void add(double t, const VecX& q, const VecX& qdot) {
    t_.push_back(t);
    update_muscle_paths(system_, t, q, qdot, ws_, paths_);
    add_arms();
    update_muscle_drawings(system_, t, q, qdot, ws_, drawings_);
    for (int i = 0; i < system_.skeleton().body_count(); ++i)
      append_pose(body_pose(system_.skeleton(), ws_.skeleton, BodyIndex(i)), bodies_);
    for (size_t m = 0; m < drawings_.size(); ++m) {
      for (const Vec3& x : drawings_[m].points) points_.insert(points_.end(), x.begin(), x.end());
      const Vec3& c = drawings_[m].com;
      coms_.insert(coms_.end(), c.begin(), c.end());
      kinetic_.push_back(drawings_[m].kinetic_energy);
      length_.push_back(paths_[m].length);
      lost_ |= failed(paths_[m].status);
    }
    add_forces(t, q, qdot);
    add_contacts(t, q, qdot);
  }

  ordered_json write(ReportData& data, std::vector<std::string>& notes) {
    ordered_json out = {{"time", data.floats(t_)}, {"bodies", data.quantized(bodies_)}};
    if (!drawings_.empty()) {
      out["points"] = data.quantized(points_);
      out["coms"] = data.quantized(coms_);
      out["kinetic"] = data.floats(kinetic_);
      out["length"] = data.floats(length_);
      out["arms"] = write_arms(data);
    }
    out["forces"] = ordered_json::array();
    for (const Arrow& arrow : arrows_)
      if (arrow.acts)
        out["forces"].push_back(
            {{"name", arrow.force->name()},
             {"contact", dynamic_cast<const SmoothContact*>(arrow.force) != nullptr},
             {"body", system_.skeleton().link(arrow.link).body.value},
             {"values", data.floats(arrow.values)}});
    if (!contact_counts_.empty()) {
      out["contacts"] = {{"counts", data.indices(contact_counts_)},
                         {"points", data.quantized(contact_points_)}};
      notes.push_back(
          "Contacts are drawn where surfaces touch; the impulses between them are not kept by the "
          "run and so have no arrows.");
    }
    if (lost_)
      notes.push_back(
          "Some muscle has no path around its surface at times; it is then drawn "
          "straight, which is wrong.");
    return out;
  }

 private:
  void add_arms() {
    for (size_t m = 0; m < arms_.size(); ++m)
      for (const double arm : paths_[m].moment_arms) arms_[m].push_back(arm);
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

  void add_forces(double t, const VecX& q, const VecX& qdot) {
    if (arrows_.empty()) return;
    update_kinematics(system_, q, qdot, ws_);
    // The forces that are drawn see bodies, not coordinates.
    const ConstVecRef unseen(unseen_);
    const ForceInput in{system_.skeleton(), t, unseen, unseen, ws_.skeleton};
    const Force* last = nullptr;
    for (Arrow& arrow : arrows_) {
      if (arrow.force != last) {
        applied_.set_zero();
        arrow.force->add_force(in, applied_);
        last = arrow.force;
      }
      const auto link = static_cast<size_t>(arrow.link);
      const Vec6& wrench = applied_.wrench[link];
      const Vec3 f = wrench.tail<3>();
      Vec3 x = ws_.skeleton.link[link].p;
      if (f.norm() > 1e-9) {
        x = point_of(wrench, x, arrow.force);
        arrow.acts = true;
      }
      arrow.values.insert(arrow.values.end(), {x[0], x[1], x[2], f[0], f[1], f[2]});
    }
  }

  void add_contacts(double t, const VecX& q, const VecX& qdot) {
    if (system_.unilaterals().contacts.empty()) return;
    update_kinematics(system_, q, qdot, ws_);
    update_unilaterals(system_, t, q, qdot, {kTouching, 0, false}, ws_);
    const auto& found = ws_.unilateral->rows.found;
    const size_t count = std::min(found.size(), kMostContacts);
    contact_counts_.push_back(static_cast<int>(count));
    for (size_t k = 0; k < count; ++k) {
      const Vec3 x = 0.5 * (found[k].contact.x_A + found[k].contact.x_B);
      contact_points_.insert(contact_points_.end(), x.begin(), x.end());
    }
  }

  const System& system_;
  Workspace ws_;
  AppliedForces applied_;
  VecX unseen_;
  std::vector<MuscleDrawing> drawings_;
  std::vector<MusclePath> paths_;
  std::vector<double> t_, bodies_, points_, coms_, kinetic_, length_;
  std::vector<std::vector<double>> arms_;  ///< per muscle: coordinates of frame after frame
  std::vector<Arrow> arrows_;
  std::vector<int> contact_counts_;
  std::vector<double> contact_points_;
  bool lost_ = false;
};

size_t frame_count(const System& system, const ReportMotion& motion) {
  size_t each = 7 * static_cast<size_t>(system.skeleton().body_count());
  for (const auto& muscle : system.muscles())
    each += 3 * static_cast<size_t>(drawing_points(muscle->muscle()) + 1);
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

ordered_json write_frames(const System& system, const ReportMotion& motion, ReportData& data,
                          std::vector<std::string>& notes) {
  FrameWriter writer(system);
  for (const size_t k : thinned(motion.t, frame_count(system, motion)))
    writer.add(motion.t[k], motion.q[k], motion.qdot[k]);
  return writer.write(data, notes);
}

}  // namespace sinew::cli
