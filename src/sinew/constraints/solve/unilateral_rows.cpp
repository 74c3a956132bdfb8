#include "sinew/constraints/solve/unilateral_rows.hpp"

#include <cmath>

#include "sinew/constraints/rows/row_primitives.hpp"
#include "sinew/math/infinity.hpp"

// A gap's rate is n · (v_A − v_B), velocities of the material points at x_A and x_B (envelope
// theorem, contact_geometry.md): coefficients (r × n; n) on the twists of the links, r from the
// link's origin to the point. Their rates hold ṅ and the rates of the geometric points, which
// contact_derivatives gives. Tangent rows refer to one point, midway between x_A and x_B: equal and
// opposite forces there conserve angular momentum while the gap is still open.

namespace sinew {
namespace {

// A normal may turn by this much over the time for which it is extrapolated [rad].
constexpr double kTurn = 0.2;

const LinkMotion& motion_of(const SkeletonAt& in, BodyIndex body) {
  return in.ws.link[static_cast<size_t>(link_of(in.skeleton, body))];
}

void add_limit_rows(const UnilateralElements& elements, const SkeletonAt& in, UnilateralRows& out) {
  for (size_t k = 0; k < elements.limits.size(); ++k) {
    const Limit& limit = elements.limits[k];
    for (const double sign : {1.0, -1.0}) {
      const double bound = sign > 0 ? limit.lower : limit.upper;
      if (std::isinf(bound)) continue;
      ConstraintRows& rows = out.rows;
      const int row = static_cast<int>(out.list.size());
      const size_t first = rows.twist.size(), first_coordinate = rows.coordinate.size();
      limit.row->evaluate(in, row, rows);
      Unilateral u;
      u.source.limit = static_cast<int>(k);
      u.gap = sign * (rows.value[row] - bound);
      u.restitution = limit.restitution;
      u.horizon = kInfinity;
      out.list.push_back(u);
      if (sign > 0) continue;
      rows.rate[row] = -rows.rate[row];
      rows.bias[row] = -rows.bias[row];
      for (size_t i = first; i < rows.twist.size(); ++i)
        for (Vec6* c : {&rows.twist[i].c, &rows.twist[i].cdot, &rows.twist[i].x}) *c = -*c;
      for (size_t i = first_coordinate; i < rows.coordinate.size(); ++i) {
        rows.coordinate[i].c = -rows.coordinate[i].c;
        rows.coordinate[i].cdot = -rows.coordinate[i].cdot;
      }
    }
  }
}

/// Twist of a surface in its own frame.
Vec6 surface_twist(const SkeletonAt& in, BodyIndex body, const Pose& E_WS) {
  const LinkMotion& m = motion_of(in, body);
  return stacked(E_WS.R.transpose() * m.w, E_WS.R.transpose() * (m.v + m.w.cross(E_WS.p - m.p)));
}

void find_contacts(const ContactModel& model, const SkeletonAt& in, const ContactSearch& search,
                   UnilateralRows& out) {
  out.found.clear();
  const auto& surfaces = model.surfaces();
  out.reach.resize(surfaces.size());
  out.pose.resize(surfaces.size());
  out.boxes.resize(surfaces.size());
  for (size_t k = 0; k < surfaces.size(); ++k) {
    out.pose[k] = body_pose(in.skeleton, in.ws, surfaces[k].body) * surfaces[k].E_BS;
    const LinkMotion& m = motion_of(in, surfaces[k].body);
    const double speed = (m.v + m.w.cross(out.pose[k].p - m.p)).norm() +
                         m.w.norm() * model.radius(static_cast<int>(k));
    // Twice, because impulses of this step may make them faster.
    out.reach[k] = 0.5 * search.margin + 2 * search.h * speed;
    out.boxes[k] = bounds(surfaces[k].shape, out.pose[k], out.reach[k]);
  }
  out.broad_phase.update_pairs(out.boxes, model.filter(), out.pairs);
  for (const ShapePair& pair : out.pairs) {
    const auto a = static_cast<size_t>(pair.a), b = static_cast<size_t>(pair.b);
    out.contacts.clear();
    add_contacts(surfaces[a].shape, out.pose[a], surfaces[b].shape, out.pose[b],
                 out.reach[a] + out.reach[b], out.contacts);
    for (const Contact& contact : out.contacts) out.found.push_back({pair, contact});
  }
}

void add_normal_row(const ContactModel& model, const SkeletonAt& in,
                    const UnilateralRows::Found& found, UnilateralRows& out) {
  const auto a = static_cast<size_t>(found.pair.a), b = static_cast<size_t>(found.pair.b);
  const ContactSurface &A = model.surfaces()[a], &B = model.surfaces()[b];
  const Contact& contact = found.contact;
  const ContactDerivatives d =
      contact_derivatives(A.shape, out.pose[a], B.shape, out.pose[b], contact);
  Eigen::Matrix<double, 12, 1> xi;
  xi << surface_twist(in, A.body, out.pose[a]), surface_twist(in, B.body, out.pose[b]);
  const Vec3 ndot = d.dn * xi, xdot_A = d.dx_A * xi, xdot_B = d.dx_B * xi;

  Unilateral u;
  u.source.surfaces = found.pair;
  u.gap = contact.gap;
  const ContactMaterial material = model.material(found.pair);
  u.friction = material.friction;
  u.restitution = material.restitution;
  u.horizon = ndot.norm() > 0 ? kTurn / ndot.norm() : kInfinity;
  const int row = static_cast<int>(out.list.size());
  out.list.push_back(u);
  out.rows.value[row] = u.gap;
  out.rows.rate[row] = out.rows.bias[row] = 0;
  const auto add = [&](const ContactSurface& surface, const Vec3& x, const Vec3& xdot,
                       double sign) {
    const LinkMotion& m = motion_of(in, surface.body);
    const Vec3 r = x - m.p, rdot = xdot - m.v;
    out.rows.add(row, link_of(in.skeleton, surface.body), m,
                 sign * stacked(r.cross(contact.n), contact.n),
                 sign * stacked(rdot.cross(contact.n) + r.cross(ndot), ndot));
  };
  add(A, contact.x_A, xdot_A, 1);
  add(B, contact.x_B, xdot_B, -1);
}

void add_tangent_rows(const ContactModel& model, const SkeletonAt& in,
                      const UnilateralRows::Found& found, Unilateral& u, UnilateralRows& out) {
  const ContactSurface& A = model.surfaces()[static_cast<size_t>(found.pair.a)];
  const ContactSurface& B = model.surfaces()[static_cast<size_t>(found.pair.b)];
  const LinkMotion &m_A = motion_of(in, A.body), &m_B = motion_of(in, B.body);
  const Vec3& n = found.contact.n;
  const Vec3 x = 0.5 * (found.contact.x_A + found.contact.x_B);
  const Vec3 v = m_A.v + m_A.w.cross(x - m_A.p) - m_B.v - m_B.w.cross(x - m_B.p);
  Vec3 t[2];
  orthonormal_complement(n, t[0], t[1]);
  const Vec3 sliding = v - v.dot(n) * n;
  if (sliding.norm() > 1e-9 * (m_A.v.norm() + m_B.v.norm()) && sliding.norm() > 1e-12) {
    t[0] = sliding.normalized();
    t[1] = n.cross(t[0]);
  }
  u.tangent = out.count;
  u.sliding = {t[0], t[1]};
  for (const Vec3& direction : t) {
    const int row = out.count++;
    out.rows.value[row] = out.rows.rate[row] = out.rows.bias[row] = 0;
    const Vec6 none = Vec6::Zero();
    out.rows.add(row, link_of(in.skeleton, A.body), m_A,
                 stacked((x - m_A.p).cross(direction), direction), none);
    out.rows.add(row, link_of(in.skeleton, B.body), m_B,
                 -stacked((x - m_B.p).cross(direction), direction), none);
  }
}

void add_bearing_rows(const UnilateralElements& elements, const SkeletonAt& in,
                      UnilateralRows& out) {
  for (size_t k = 0; k < elements.bearings.size(); ++k) {
    const JointFriction& bearing = elements.bearings[k];
    const BearingFrame frame = bearing_frame(bearing, elements.constraints, in.skeleton, in.ws);
    out.bearing_frames.push_back(frame);
    for (int axis = 0; axis < row_count(bearing.shape); ++axis) {
      const int row = out.count++;
      out.bearing_rows.push_back({static_cast<int>(k), axis, row});
      out.rows.value[row] = out.rows.rate[row] = out.rows.bias[row] = 0;
      const Vec6 none = Vec6::Zero();
      for (const auto& [link, sign] :
           {std::pair(frame.child, 1.0), std::pair(frame.parent, -1.0)}) {
        const LinkMotion& m = in.ws.link[static_cast<size_t>(link)];
        out.rows.add(row, link, m, sign * bearing_coefficient(bearing.shape, frame, axis, m.p),
                     none);
      }
    }
  }
}

}  // namespace

void list_unilateral_rows(const UnilateralElements& elements, const SkeletonAt& in,
                          const ContactSearch& search, UnilateralRows& out) {
  out.list.clear();
  out.rows.twist.clear();
  out.rows.coordinate.clear();
  out.found.clear();
  if (!elements.contacts.empty()) find_contacts(elements.contacts, in, search, out);
  out.bearing_rows.clear();
  out.bearing_frames.clear();
  out.rows.grow(static_cast<int>(2 * elements.limits.size() + 3 * out.found.size() +
                                 3 * elements.bearings.size()) +
                elements.holds);
  add_limit_rows(elements, in, out);
  const size_t limits = out.list.size();
  for (const auto& found : out.found) add_normal_row(elements.contacts, in, found, out);
  out.count = static_cast<int>(out.list.size());
  out.holds.clear();
  if (!search.friction) return;
  add_bearing_rows(elements, in, out);
  for (size_t k = 0; k < out.found.size(); ++k)
    if (out.list[limits + k].friction > 0)
      add_tangent_rows(elements.contacts, in, out.found[k], out.list[limits + k], out);
  out.first_hold = out.count;
  out.count += elements.holds;
  out.holds.resize(static_cast<size_t>(elements.holds));
}

std::string describe(const UnilateralElements& elements, const UnilateralSource& source) {
  if (source.limit >= 0)
    return "limit '" + elements.limits[static_cast<size_t>(source.limit)].name() + "'";
  if (source.bearing >= 0)
    return "bearing '" + elements.bearings[static_cast<size_t>(source.bearing)].name + "'";
  if (source.surfaces.a < 0) return "no limit or contact";
  const auto& surfaces = elements.contacts.surfaces();
  return "contact of '" + surfaces[static_cast<size_t>(source.surfaces.a)].name + "' and '" +
         surfaces[static_cast<size_t>(source.surfaces.b)].name + "'";
}

}  // namespace sinew
