#include "sinew/report/report_frame.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "sinew/analysis/muscle_state.hpp"
#include "sinew/constraints/solve/unilateral_workspace.hpp"
#include "sinew/dynamics/contact_plane.hpp"
#include "sinew/report/joint_guides.hpp"

namespace sinew {
namespace {

constexpr double kTouching = 1e-3;  // gaps up to which contacts are drawn [m]

/// Where to draw a wrench (world axes, about `origin`): on its line of action, as near to the
/// origin as that is, or where it meets the plane of the world that pushes.
Vec3 point_of(const Vec6& wrench, const Vec3& origin, const ContactPlane* plane) {
  const Vec3 f = wrench.tail<3>();
  const Vec3 x = origin + f.cross(wrench.head<3>()) / f.squaredNorm();
  if (plane == nullptr || plane->body != kWorld) return x;
  const Vec3 n = plane->normal.normalized();
  const double rise = n.dot(f);
  if (std::abs(rise) < 1e-3 * f.norm()) return x;
  return x + n.dot(plane->point - x) / rise * f;
}

bool is_fixed(const PathPoint& point) {
  return point.terms.size() == 1 && point.terms[0].weights.empty();
}
bool is_fixed(const OpenSimPathPoint& point) {
  return point.motions.empty() && !point.condition.valid();
}

void append(const Vec3& x, std::vector<double>& out) { out.insert(out.end(), x.begin(), x.end()); }

}  // namespace

void append_pose(const Pose& E, std::vector<double>& out) {
  const Eigen::Quaterniond rotation(E.R);
  out.insert(out.end(),
             {E.p[0], E.p[1], E.p[2], rotation.x(), rotation.y(), rotation.z(), rotation.w()});
}

std::vector<MovingAnchor> moving_anchors(const System& system) {
  std::vector<MovingAnchor> out;
  size_t muscle = 0;
  const auto add = [&](const auto& points) {
    for (size_t k = 0; k < points.size(); ++k)
      if (!is_fixed(points[k])) out.push_back({muscle, k});
    ++muscle;
  };
  for (const auto& element : system.muscles()) {
    if (element->opensim_path())
      add(element->opensim_path()->path().points);
    else
      add(element->muscle().points);
  }
  return out;
}

namespace {

std::vector<MovingShape> shapes_of(const System& system, bool surfaces) {
  std::vector<MovingShape> out;
  const auto add = [&](std::vector<MovingShape> shapes) {
    for (MovingShape& shape : shapes)
      if (shape.triangles.empty() != surfaces) out.push_back(std::move(shape));
  };
  for (const auto& force : system.forces()) add(force->shapes());
  for (const auto& part : system.parts()) add(part->shapes());
  add(moving_guides(system.skeleton()));
  return out;
}

}  // namespace

std::vector<MovingShape> drawn_lines(const System& system) { return shapes_of(system, false); }

std::vector<MovingShape> drawn_surfaces(const System& system) { return shapes_of(system, true); }

FrameDrawer::FrameDrawer(const System& system, std::optional<SimulationSettings> run)
    : system_(system),
      ws_(system),
      run_(std::move(run)),
      anchors_(moving_anchors(system)),
      tensions_(system),
      controls_(system.controls().size()) {
  for (const auto& force : system.forces()) force_shapes_.push_back(force->shapes());
  for (const auto& part : system.parts()) part_shapes_.push_back(part->shapes());
  guides_ = moving_guides(system.skeleton());
  for (const auto& force : system.forces())
    if (const ForceArrow arrow = force->arrow(); arrow.drawn)
      for (int link = 1; link < system.skeleton().link_count(); ++link)
        forces_.push_back({force->name(), force.get(), link, arrow.from != nullptr});
  if (!run_ || system.unilaterals().contacts.empty()) return;
  const Skeleton& skeleton = system.skeleton();
  pushes_.resize(static_cast<size_t>(skeleton.link_count()));
  std::set<int> touched;
  for (const ContactSurface& surface : system.unilaterals().contacts.surfaces())
    if (const int link = link_of(skeleton, surface.body); link > 0 && touched.insert(link).second)
      forces_.push_back({"contacts of " + skeleton.body(surface.body).name, nullptr, link, true});
}

/// A step from here, which nobody sees.
void FrameDrawer::find_contact_forces(const State& state, const Controls& controls) {
  if (pushes_.empty()) return;
  for (Push& push : pushes_) push = {};
  if (state.z.size() != system_.default_state().z.size()) return;
  State next = state;
  if (step(system_, run_->step, run_->dt, controls, next, ws_).status != StepStatus::ok) return;
  const auto& surfaces = system_.unilaterals().contacts.surfaces();
  const auto add = [&](int surface, const ContactForce& contact, double sign) {
    const int link = link_of(system_.skeleton(), surfaces[static_cast<size_t>(surface)].body);
    Push& push = pushes_[static_cast<size_t>(link)];
    push.f += sign * contact.f;
    push.x += contact.f.norm() * contact.x;
    push.weight += contact.f.norm();
  };
  for (const ContactForce& contact : ws_.unilateral.forces) {
    add(contact.surfaces.a, contact, 1);
    add(contact.surfaces.b, contact, -1);
  }
}

void FrameDrawer::update(const State& state, const Controls& controls, DrawnFrame& out) {
  out.t = state.t;
  find_contact_forces(state, controls);
  take_snapshot(system_, at_state(state, controls, controls_), SnapshotDetail::pictures, ws_,
                snapshot_);
  out.bodies.clear();
  for (const Pose& pose : snapshot_.bodies) append_pose(pose, out.bodies);
  update_muscles(out);
  update_forces(out);
  update_contacts(state, out);
  update_shapes(state, out);
}

void FrameDrawer::update_muscles(DrawnFrame& out) {
  const std::vector<MusclePath>& paths = snapshot_.paths;
  const std::vector<MuscleDrawing>& drawings = snapshot_.drawings;
  for (auto* list : {&out.points, &out.anchors, &out.coms, &out.kinetic, &out.length})
    list->clear();
  out.arms.resize(paths.size());
  for (size_t m = 0; m < paths.size(); ++m) {
    for (const Vec3& x : drawings[m].points) append(x, out.points);
    append(drawings[m].com, out.coms);
    out.kinetic.push_back(drawings[m].kinetic_energy);
    out.length.push_back(paths[m].length);
    out.arms[m] = paths[m].moment_arms;
  }
  out.lost = snapshot_.lost_path().muscle >= 0;
  for (const MovingAnchor& at : anchors_)
    append(drawings[at.muscle].anchors[at.point], out.anchors);
}

SkeletonAt FrameDrawer::skeleton_at() const {
  const auto n = system_.skeleton().dof_count();
  return {system_.skeleton(), snapshot_.t, VecView(snapshot_.q.data(), n),
          VecView(snapshot_.qdot.data(), n), ws_.skeleton};
}

/// Needs update_kinematics.
void FrameDrawer::update_forces(DrawnFrame& out) {
  out.forces.clear();
  if (forces_.empty()) return;
  AppliedForces applied(system_.skeleton());
  const SkeletonAt in = skeleton_at();
  const Force* last = nullptr;
  for (const DrawnForce& drawn : forces_) {
    if (drawn.force == nullptr) {
      const Push& push = pushes_[static_cast<size_t>(drawn.link)];
      append(push.weight > 0 ? Vec3(push.x / push.weight) : Vec3(Vec3::Zero()), out.forces);
      append(push.f, out.forces);
      continue;
    }
    if (drawn.force != last) {
      applied.set_zero();
      drawn.force->add_force(in, applied);
      last = drawn.force;
    }
    const auto link = static_cast<size_t>(drawn.link);
    const Vec6& wrench = applied.wrench[link];
    const Vec3 f = wrench.tail<3>();
    Vec3 x = ws_.skeleton.link[link].p;
    if (f.norm() > 1e-9) x = point_of(wrench, x, drawn.force->arrow().from);
    append(x, out.forces);
    append(f, out.forces);
  }
}

/// Needs update_kinematics.
void FrameDrawer::update_shapes(const State& state, DrawnFrame& out) {
  out.lines.clear();
  out.deforming.clear();
  const auto deal = [&](const std::vector<MovingShape>& shapes, const auto& draw) {
    if (shapes.empty()) return;
    points_.clear();
    draw();
    auto begin = points_.begin();
    for (const MovingShape& shape : shapes) {
      const auto end = begin + 3 * shape.points;
      if (shape.triangles.empty())
        out.lines.insert(out.lines.end(), begin, end);
      else
        out.deforming.emplace_back(begin, end);
      begin = end;
    }
  };
  const SkeletonAt in = skeleton_at();
  for (size_t k = 0; k < force_shapes_.size(); ++k)
    deal(force_shapes_[k], [&] { system_.forces()[k]->draw(in, points_); });
  for (size_t k = 0; k < part_shapes_.size(); ++k)
    deal(part_shapes_[k], [&] {
      system_.parts()[k]->draw(part_at(system_, k, state, ws_), *ws_.parts[k], points_);
    });
  deal(guides_, [&] { draw_moving_guides(in, points_); });
  out.material.clear();
  if (system_.strands() == nullptr) return;
  const size_t k = system_.strands_index();
  const PartAt at = part_at(system_, k, state, ws_);
  for (const StrandReading& node : system_.strands()->read(at, *ws_.parts[k]))
    out.material.push_back(node.s);
}

void FrameDrawer::update_contacts(const State& state, DrawnFrame& out) {
  out.contacts.clear();
  if (system_.unilaterals().contacts.empty()) return;
  update_unilaterals(system_, state, {kTouching, 0, false}, ws_);
  const auto& found = ws_.unilateral.rows.found;
  for (size_t k = 0; k < std::min(found.size(), kMostContacts); ++k)
    append(0.5 * (found[k].contact.x_A + found[k].contact.x_B), out.contacts);
}

}  // namespace sinew
