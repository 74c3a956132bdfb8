#include "sinew/muscles/opensim/opensim_path_on_skeleton.hpp"

#include <algorithm>
#include <cmath>

#include "sinew/core/error.hpp"
#include "sinew/dynamics/attached_point.hpp"
#include "sinew/muscles/opensim/find_wraps.hpp"

namespace sinew {
namespace {

/// Slack of the limits of conditional points, as in OpenSim.
constexpr double kConditionSlack = 1e-5;

bool is_active(const OpenSimPathPoint& point, const ConstVecRef& q) {
  if (!point.condition.valid()) return true;
  const double value = q[point.condition];
  return value >= point.lower - kConditionSlack && value <= point.upper + kConditionSlack;
}

/// The body's place in its link.
Pose place_of(const Skeleton& skeleton, BodyIndex body) {
  return body == kWorld ? Pose() : skeleton.body(body).E_LB;
}

bool is_arc(const OpenSimPathNode& a, const OpenSimPathNode& b) {
  return a.surface >= 0 && a.surface == b.surface;
}

}  // namespace

OpenSimPathOnSkeleton::OpenSimPathOnSkeleton(const Skeleton& skeleton, OpenSimPath path)
    : path_(std::move(path)) {
  check(skeleton);
  index_links(skeleton);
  index_coordinates(skeleton);
}

void OpenSimPathOnSkeleton::check(const Skeleton& skeleton) const {
  const std::string element = "path '" + path_.name + "'";
  validate(path_, element);
  const auto require = [&](bool condition, const char* problem, const char* remedy) {
    if (!condition) throw Error(element, problem, remedy);
  };
  const auto is_body = [&](BodyIndex b) {
    return b == kWorld || (b.valid() && b.value < skeleton.body_count());
  };
  const auto is_dof = [&](DofIndex d) { return !d.valid() || d.value < skeleton.dof_count(); };
  for (const OpenSimPathPoint& point : path_.points) {
    require(is_body(point.body) && point.x_B.allFinite(),
            "has a point on a body that does not exist, or without a finite place",
            "give every point a body and three finite numbers");
    bool dofs = is_dof(point.condition);
    for (const OpenSimPathPoint::Motion& motion : point.motions) {
      dofs = dofs && is_dof(motion.dof);
      require(argument_count(motion.f) <= (motion.dof.valid() ? 1 : 0) &&
                  function_defect(motion.f).empty(),
              "has a moving point whose function cannot be evaluated",
              "give a function of one coordinate with finite numbers");
    }
    require(dofs, "has a point with a coordinate that does not exist",
            "name one of the skeleton's");
  }
  for (const OpenSimPathSurface& route : path_.surfaces) {
    require(route.surface && is_body(route.surface->body),
            "has a surface on a body that does not exist", "give every surface a body");
    validate(*route.surface, "surface '" + route.surface->name + "'");
  }
}

int OpenSimPathOnSkeleton::slot_of(const Skeleton& skeleton, BodyIndex body) const {
  const auto found = std::lower_bound(links_.begin(), links_.end(), link_of(skeleton, body));
  return static_cast<int>(found - links_.begin());
}

void OpenSimPathOnSkeleton::index_links(const Skeleton& skeleton) {
  for (const OpenSimPathPoint& point : path_.points)
    links_.push_back(link_of(skeleton, point.body));
  for (const OpenSimPathSurface& route : path_.surfaces)
    links_.push_back(link_of(skeleton, route.surface->body));
  std::sort(links_.begin(), links_.end());
  links_.erase(std::unique(links_.begin(), links_.end()), links_.end());
  for (const OpenSimPathPoint& point : path_.points) {
    const Pose E_LB = place_of(skeleton, point.body);
    Place place{slot_of(skeleton, point.body), E_LB * point.x_B, {}};
    for (const OpenSimPathPoint::Motion& motion : point.motions)
      place.motions.push_back({.axis_L = E_LB.R * motion.axis_B, .dof = motion.dof.value});
    has_motions_ = has_motions_ || !place.motions.empty();
    places_.push_back(std::move(place));
  }
  for (const OpenSimPathSurface& route : path_.surfaces) {
    const PathSurface& surface = *route.surface;
    grounds_.push_back(
        {slot_of(skeleton, surface.body), place_of(skeleton, surface.body) * surface.E_BS});
  }
}

void OpenSimPathOnSkeleton::index_coordinates(const Skeleton& skeleton) {
  const auto slots = static_cast<int>(links_.size());
  for (int k = 0; k < skeleton.dof_count(); ++k) {
    Axis axis{.dof = k, .mover = skeleton.link_of_dof(k)};
    const auto slot_from = [&](int first_link) {
      return static_cast<int>(std::lower_bound(links_.begin(), links_.end(), first_link) -
                              links_.begin());
    };
    axis.first_slot = slot_from(axis.mover);
    axis.end_slot = slot_from(skeleton.subtree_end(axis.mover));
    bool of_point = false;
    for (Place& place : places_)
      for (Place::Motion& motion : place.motions)
        if (motion.dof == k) {
          motion.axis = static_cast<int>(axes_.size());
          of_point = true;
        }
    if (axis.first_slot == axis.end_slot && !of_point) continue;
    // A coordinate that carries the whole path changes no length.
    if (axis.end_slot - axis.first_slot < slots || of_point) {
      dofs_.push_back(k);
      axis_of_dof_.push_back(static_cast<int>(axes_.size()));
    }
    axes_.push_back(axis);
  }
}

BodyIndex OpenSimPathOnSkeleton::body_of(const OpenSimPathNode& node) const {
  return node.point >= 0 ? path_.points[static_cast<size_t>(node.point)].body
                         : path_.surfaces[static_cast<size_t>(node.surface)].surface->body;
}

std::array<double, 3> OpenSimPathOnSkeleton::derivatives(const OpenSimPathPoint::Motion& motion,
                                                         double value) {
  if (const auto* spline = std::get_if<PiecewisePolynomial>(&motion.f)) {  // the usual one
    const std::array<double, 4> f = spline->derivatives(value);
    return {f[0], f[1], f[2]};
  }
  const double one = 1;
  const int argument = 0;
  const JointFunctionValue jet = evaluate(motion.f, {&argument, 1}, {&value, 1}, {&one, 1});
  return {jet.value, jet.gradient[0], jet.hessian[0][0]};
}

Vec3 OpenSimPathOnSkeleton::place(const SkeletonAt& in, size_t point) const {
  const Place& at = places_[point];
  const LinkMotion& l = link(in, at.slot);
  if (at.motions.empty()) return l.p + l.R * at.x_L;
  Vec3 x = at.x_L;
  for (size_t m = 0; m < at.motions.size(); ++m) {
    const OpenSimPathPoint::Motion& motion = path_.points[point].motions[m];
    const double value =
        motion.dof.valid() ? std::clamp(in.q[motion.dof], motion.lower, motion.upper) : 0;
    x += derivatives(motion, value)[0] * at.motions[m].axis_L;
  }
  return l.p + l.R * x;
}

void OpenSimPathOnSkeleton::update(const SkeletonAt& in, OpenSimPathWorkspace& ws) const {
  ws.nodes.clear();
  ws.nodes.reserve(path_.points.size() + 2 * path_.surfaces.size());
  for (size_t i = 0; i < path_.points.size(); ++i)
    if (is_active(path_.points[i], in.q))
      ws.nodes.push_back(
          {.x = place(in, i), .slot = places_[i].slot, .point = static_cast<int>(i)});
  ws.E_WS.resize(grounds_.size());
  for (size_t s = 0; s < grounds_.size(); ++s) {
    const LinkMotion& l = link(in, grounds_[s].slot);
    ws.E_WS[s] = Pose{l.R, l.p} * grounds_[s].E_LS;
  }
  WrapSearch course(*this, ws);
  course.wrap();
  ws.length = course.length();
}

Vec3 OpenSimPathOnSkeleton::pull_on(const std::vector<OpenSimPathNode>& nodes, size_t node) {
  Vec3 out = Vec3::Zero();
  const auto add = [&](size_t other) {
    if (is_arc(nodes[node], nodes[other])) return;  // on a surface the pull stays within it
    const Vec3 d = nodes[node].x - nodes[other].x;
    if (const double l = d.norm(); l > 0) out += d / l;
  };
  if (node > 0) add(node - 1);
  if (node + 1 < nodes.size()) add(node + 1);
  return out;
}

Vec3 OpenSimPathOnSkeleton::own_column(const SkeletonAt& in, size_t point, size_t motion) const {
  const OpenSimPathPoint::Motion& m = path_.points[point].motions[motion];
  const Place& at = places_[point];
  return link(in, at.slot).R * (derivatives(m, in.q[m.dof])[1] * at.motions[motion].axis_L);
}

void OpenSimPathOnSkeleton::update_length_gradient(const SkeletonAt& in,
                                                   OpenSimPathWorkspace& ws) const {
  const std::vector<OpenSimPathNode>& nodes = ws.nodes;
  ws.force.assign(links_.size(), Vec3::Zero());
  ws.moment.assign(links_.size(), Vec3::Zero());
  ws.dL.assign(dofs_.size(), 0);
  if (nodes.empty()) return;
  const Vec3 origin = nodes[0].x;
  for (size_t i = 0; i + 1 < nodes.size(); ++i) {
    const OpenSimPathNode &a = nodes[i], &b = nodes[i + 1];
    if (a.slot == b.slot || is_arc(a, b)) continue;
    const Vec3 piece = b.x - a.x;
    const double l = piece.norm();
    if (!(l > 0)) continue;
    const Vec3 d = piece / l, moment = (a.x - origin).cross(d);
    ws.force[static_cast<size_t>(b.slot)] += d;
    ws.moment[static_cast<size_t>(b.slot)] += moment;
    ws.force[static_cast<size_t>(a.slot)] -= d;
    ws.moment[static_cast<size_t>(a.slot)] -= moment;
  }
  for (size_t k = 0; k < dofs_.size(); ++k) {
    const Axis& axis = axes_[static_cast<size_t>(axis_of_dof_[k])];
    Vec3 force = Vec3::Zero(), moment = Vec3::Zero();
    for (int slot = axis.first_slot; slot < axis.end_slot; ++slot) {
      force += ws.force[static_cast<size_t>(slot)];
      moment += ws.moment[static_cast<size_t>(slot)];
    }
    const Vec6& s = in.ws.s[static_cast<size_t>(axis.dof)];
    const Vec3 arm = origin - in.ws.link[static_cast<size_t>(axis.mover)].p;
    ws.dL[k] = s.tail<3>().dot(force) + s.head<3>().dot(moment + arm.cross(force));
  }
  if (!has_motions_) return;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].point < 0) continue;
    const auto point = static_cast<size_t>(nodes[i].point);
    const std::vector<Place::Motion>& motions = places_[point].motions;
    if (motions.empty()) continue;
    const Vec3 pull = pull_on(nodes, i);
    for (size_t m = 0; m < motions.size(); ++m) {
      if (motions[m].dof < 0) continue;
      const auto k = static_cast<size_t>(
          std::lower_bound(dofs_.begin(), dofs_.end(), motions[m].dof) - dofs_.begin());
      ws.dL[k] += pull.dot(own_column(in, point, m));
    }
  }
}

void OpenSimPathOnSkeleton::add_forces(const SkeletonAt& in, double tension,
                                       OpenSimPathWorkspace& ws, std::vector<Vec6>& wrench,
                                       VecRef tau) const {
  ws.pull.resize(ws.nodes.size());
  for (size_t i = 0; i < ws.nodes.size(); ++i) {
    const OpenSimPathNode& node = ws.nodes[i];
    const LinkMotion& l = link(in, node.slot);
    ws.pull[i] = pull_on(ws.nodes, i);
    const Vec3 f = tension * ws.pull[i];
    Vec6& w = wrench[static_cast<size_t>(links_[static_cast<size_t>(node.slot)])];
    w.head<3>() += (node.x - l.p).cross(f);
    w.tail<3>() += f;
    if (node.point < 0) continue;
    const auto point = static_cast<size_t>(node.point);
    for (size_t m = 0; m < places_[point].motions.size(); ++m)
      if (const int dof = places_[point].motions[m].dof; dof >= 0)
        tau[dof] += f.dot(own_column(in, point, m));
  }
}

}  // namespace sinew
