#include "sinew/muscles/straight_muscles.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "sinew/dynamics/attached_point.hpp"
#include "sinew/math/dual.hpp"

namespace sinew {
namespace {

bool fits(const Muscle& muscle) {
  return muscle.has_mass() && muscle.velocity_terms && muscle.mass_model == MassModel::continuous &&
         std::all_of(muscle.spans.begin(), muscle.spans.end(), [](const PathSpan& span) {
           return std::holds_alternative<Straight>(span.wrap);
         });
}

std::set<int> dofs_above(const Skeleton& skeleton, int link) {
  std::set<int> out;
  for (int i = link; i > 0; i = skeleton.link(i).parent)
    for (int k = 0; k < skeleton.link(i).dof_count; ++k) out.insert(skeleton.link(i).dof + k);
  return out;
}

/// The link that most terms are on: there they need no motion.
int best_frame(const Skeleton& skeleton, const Muscle& muscle) {
  std::map<int, int> count;
  for (const PathPoint& point : muscle.points)
    for (const PathTerm& term : point.terms) ++count[link_of(skeleton, term.body)];
  return std::max_element(count.begin(), count.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

/// Moments of the mass on a segment in terms of its two nodes.
struct SegmentMass {
  double m00 = 0, m01 = 0, m11 = 0;
};

/// The segment holds β from `lo` to `hi`.
SegmentMass mass_between(const std::vector<MassRegion>& regions, double lo, double hi) {
  SegmentMass out;
  for (const MassRegion& region : regions) {
    const double from = std::max(lo, region.begin), to = std::min(hi, region.end);
    if (!(to > from)) continue;
    const PieceMoments<double> m = piece_moments(region, from, to);
    const double b0 = (from - lo) / (hi - lo), b1 = (to - lo) / (hi - lo);
    const double a0 = 1 - b0, a1 = 1 - b1;
    out.m00 += m.m00 * a0 * a0 + 2 * m.m01 * a0 * a1 + m.m11 * a1 * a1;
    out.m01 += m.m00 * a0 * b0 + m.m01 * (a0 * b1 + a1 * b0) + m.m11 * a1 * b1;
    out.m11 += m.m00 * b0 * b0 + 2 * m.m01 * b0 * b1 + m.m11 * b1 * b1;
  }
  return out;
}

template <int K>
void add_inertia(const SegmentMass& m, const Vec3& x0, const Vec3& x1, SpanMass<K>& to) {
  const double m0 = m.m00 + m.m01, m1 = m.m01 + m.m11;
  to.mass += m0 + m1;
  to.h += m0 * x0 + m1 * x1;
  const Vec3 y0 = m.m00 * x0 + m.m01 * x1, y1 = m.m01 * x0 + m.m11 * x1;
  size_t k = 0;
  for (int a = 0; a < 3; ++a)
    for (int b = a; b < 3; ++b) to.E[k++] += x0[a] * y0[b] + x1[a] * y1[b];
}

/// A force on a point with these columns.
template <int K>
void push(const Vec3& x, const std::array<Vec3, K>& J, const Vec3& f, SpanMass<K>& to) {
  to.torque += x.cross(f);
  to.force += f;
  for (size_t k = 0; k < K; ++k) to.tau[k] += J[k].dot(f);
}

}  // namespace

StraightMuscles::StraightMuscles(const Skeleton& skeleton,
                                 const std::vector<std::shared_ptr<const MuscleElement>>& muscles)
    : muscles_(muscles), taken_(muscles.size(), 0) {
  for (size_t k = 0; k < muscles.size(); ++k)
    if (fits(muscles[k]->muscle())) taken_[k] = lay_out(skeleton, k);
}

/// False where too many coordinates change its shape.
bool StraightMuscles::lay_out(const Skeleton& skeleton, size_t k) {
  const Muscle& muscle = muscles_[k]->muscle();
  const int frame = best_frame(skeleton, muscle);
  const std::set<int> of_frame = dofs_above(skeleton, frame);
  std::set<int> dofs;
  for (const PathPoint& point : muscle.points)
    for (const PathTerm& term : point.terms) {
      const std::set<int> of_link = dofs_above(skeleton, link_of(skeleton, term.body));
      std::set_symmetric_difference(of_link.begin(), of_link.end(), of_frame.begin(),
                                    of_frame.end(), std::inserter(dofs, dofs.end()));
      for (const PathWeight& weight : term.weights) dofs.insert(weight.dof.value);
    }
  if (dofs.size() > kMaxCoordinates) return false;

  const std::vector<int> list(dofs.begin(), dofs.end());
  auto group = std::find_if(groups_.begin(), groups_.end(),
                            [&](const Group& g) { return g.frame == frame && g.dofs == list; });
  if (group == groups_.end()) {
    group = groups_.insert(group, {frame, list, {}, {}, 0, {}});
    for (const int dof : list) group->link_of_dof.push_back(skeleton.link_of_dof(dof));
  }
  const auto place_of = [&](int dof) {
    return static_cast<int>(std::lower_bound(list.begin(), list.end(), dof) - list.begin());
  };
  const auto place_of_link = [&](int link) {
    if (link == frame) return -1;
    for (size_t i = 0; i < group->links.size(); ++i)
      if (group->links[i].link == link) return static_cast<int>(i);
    Link added{link, {}, group->columns};
    const std::set<int> of_link = dofs_above(skeleton, link);
    for (const int dof : list)
      if (of_link.contains(dof) != of_frame.contains(dof))
        added.columns.push_back({place_of(dof), of_link.contains(dof) ? 1.0 : -1.0});
    group->columns += added.columns.size();
    group->links.push_back(added);
    return static_cast<int>(group->links.size()) - 1;
  };
  Layout layout{k, {}};
  for (const PathPoint& point : muscle.points) {
    std::vector<Term>& terms = layout.points.emplace_back();
    for (const PathTerm& term : point.terms) {
      const Pose E_LB = term.body == kWorld ? Pose() : skeleton.body(term.body).E_LB;
      const Vec3 turned = E_LB.R * term.x_B;
      Term& out = terms.emplace_back();
      out = {place_of_link(link_of(skeleton, term.body)),
             term.direction ? turned : Vec3(turned + E_LB.p),
             term.direction,
             term.scale,
             {}};
      for (const PathWeight& weight : term.weights)
        out.factors.push_back({place_of(weight.dof.value), &weight.function});
    }
  }
  group->muscles.push_back(std::move(layout));
  return true;
}

void StraightMuscles::update_links(const ForceInput& in, const Group& group, Workspace& ws) const {
  const LinkMotion& A = in.ws.link[static_cast<size_t>(group.frame)];
  const Mat3 to_A = A.R.transpose();
  ws.links.clear();
  ws.turn.clear();
  ws.shift.clear();
  for (const Link& link : group.links) {
    ws.links.push_back(relative_motion(in, group.frame, link.link));
    for (const Column& column : link.columns) {
      const auto k = static_cast<size_t>(column.k);
      const Vec6& s = in.ws.s[static_cast<size_t>(group.dofs[k])];
      const Vec3& origin = in.ws.link[static_cast<size_t>(group.link_of_dof[k])].p;
      ws.turn.push_back(column.sign * (to_A * s.head<3>()));
      ws.shift.push_back(column.sign * (to_A * (s.tail<3>() + s.head<3>().cross(A.p - origin))));
    }
  }
}

template <int K>
void StraightMuscles::place(const ForceInput& in, const double* qddot, const Group& group,
                            const std::vector<Term>& terms, const Workspace& ws,
                            Node<K>& out) const {
  out.x = out.v = out.a = Vec3::Zero();
  out.J.fill(Vec3::Zero());
  for (const Term& term : terms) {
    Vec3 x = term.x_L, v = Vec3::Zero(), a = Vec3::Zero();
    if (term.link >= 0) {
      const RelativeMotion& m = ws.links[static_cast<size_t>(term.link)];
      x = m.R * term.x_L;
      if (!term.direction) x += m.p;
      v = m.w.cross(x);
      if (!term.direction) v += m.v;
      a = m.dw.cross(x) + m.w.cross(v);
      if (!term.direction) a += m.dv;
    }
    // The weight, a product of functions of coordinates, and its rates.
    Taylor2<double> c(term.scale);
    std::array<double, PathTerm::kMaxWeights> by;
    by.fill(term.scale);
    for (size_t i = 0; i < term.factors.size(); ++i) {
      const int dof = group.dofs[static_cast<size_t>(term.factors[i].k)];
      const double rate = in.qdot[dof], second = qddot ? qddot[dof] : 0;
      const std::array<double, 4> f = evaluate(*term.factors[i].function, in.q[dof]);
      c *= Taylor2<double>{f[0], f[1] * rate, f[2] * rate * rate + f[1] * second};
      for (size_t l = 0; l < term.factors.size(); ++l) by[l] *= l == i ? f[1] : f[0];
    }
    out.x += c.v * x;
    out.v += c.v * v + c.d1 * x;
    out.a += c.v * a + 2 * c.d1 * v + c.d2 * x;
    for (size_t i = 0; i < term.factors.size(); ++i)
      out.J[static_cast<size_t>(term.factors[i].k)] += by[i] * x;
    if (term.link < 0) continue;
    const Link& link = group.links[static_cast<size_t>(term.link)];
    for (size_t i = 0; i < link.columns.size(); ++i) {
      Vec3 J = ws.turn[link.first + i].cross(x);
      if (!term.direction) J += ws.shift[link.first + i];
      out.J[static_cast<size_t>(link.columns[i].k)] += c.v * J;
    }
  }
}

template <int K>
void StraightMuscles::update_path(const ForceInput& in, const double* qddot, const Group& group,
                                  const Layout& layout, const Workspace& ws, Path<K>& path) const {
  const size_t count = layout.points.size();
  if (path.nodes.size() < count) {
    path.nodes.resize(count);
    path.arcs.resize(count);
    path.segments.resize(count);
  }
  for (size_t i = 0; i < count; ++i) place(in, qddot, group, layout.points[i], ws, path.nodes[i]);
  path.arcs[0] = {};
  for (size_t i = 0; i + 1 < count; ++i) {
    const Node<K>&from = path.nodes[i], &to = path.nodes[i + 1];
    const Vec3 d = to.x - from.x, rate = to.v - from.v;
    const double l = d.norm(), per_l = l > 0 ? 1 / l : 0;
    const Vec3 t = per_l * d;
    const double l_rate = t.dot(rate);
    path.segments[i] = {t, per_l * (rate - l_rate * t)};
    const Arc<K>& before = path.arcs[i];
    Arc<K>& after = path.arcs[i + 1];
    after.s = before.s + l;
    after.rate = before.rate + l_rate;
    after.second =
        before.second + t.dot(to.a - from.a) + per_l * (rate.squaredNorm() - l_rate * l_rate);
    for (size_t k = 0; k < K; ++k)
      after.columns[k] = before.columns[k] + t.dot(to.J[k] - from.J[k]);
  }
}

template <int K>
double StraightMuscles::add_muscle(const ForceInput& in, const double* qddot, const Group& group,
                                   const Layout& layout, const FrameAcceleration& frame,
                                   Workspace& ws, SpanMass<K>& sum) const {
  Path<K>& path = std::get<Path<K>>(ws.paths);
  update_path(in, qddot, group, layout, ws, path);
  const Muscle& muscle = muscles_[layout.muscle]->muscle();
  const size_t last = layout.points.size() - 1;
  const Arc<K>& L = path.arcs[last];
  ws.length[layout.muscle] = L.s;
  const double tension = muscle.tension.derivatives(in.t)[0];
  for (size_t k = 0; k < K; ++k) sum.tau[k] += tension * L.columns[k];
  const MaterialMap& map = muscle.material;
  const double A = map.A(L.s), B = map.B(L.s), per_B = 1 / B;
  if (!(B > 0)) return -tension * L.rate;

  // How far the material at a node runs ahead of it: its arc length less the node's.
  const auto slide = [&](const Arc<K>& node, double beta) {
    const double share = map.A1 + beta * map.B1;
    Arc<K> out{0, share * L.rate - node.rate, share * L.second - node.second, {}};
    for (size_t k = 0; k < K; ++k) out.columns[k] = share * L.columns[k] - node.columns[k];
    return out;
  };
  double lo = -A * per_B;
  Arc<K> from = slide(path.arcs[0], lo);
  for (size_t i = 0; i < last; ++i) {
    const double hi = (path.arcs[i + 1].s - A) * per_B;
    const Arc<K> to = slide(path.arcs[i + 1], hi);
    const Node<K>&node0 = path.nodes[i], &node1 = path.nodes[i + 1];
    const auto& [t, t_rate] = path.segments[i];
    const SegmentMass m = mass_between(muscle.regions, lo, hi);
    add_inertia(m, node0.x, node1.x, sum);

    std::array<Vec3, K> E0, E1;
    for (size_t k = 0; k < K; ++k) {
      E0[k] = node0.J[k] + from.columns[k] * t;
      E1[k] = node1.J[k] + to.columns[k] * t;
      const Vec3 P0 = m.m00 * E0[k] + m.m01 * E1[k], P1 = m.m01 * E0[k] + m.m11 * E1[k];
      sum.momentum_f[k] += P0 + P1;
      sum.momentum_n[k] += node0.x.cross(P0) + node1.x.cross(P1);
      for (size_t l = 0; l <= k; ++l) sum.M[k][l] += E0[l].dot(P0) + E1[l].dot(P1);
    }
    const Vec3 a0 = frame.a + frame.of(node0.x, node0.v + from.rate * t) + node0.a +
                    from.second * t + 2 * from.rate * t_rate;
    const Vec3 a1 = frame.a + frame.of(node1.x, node1.v + to.rate * t) + node1.a + to.second * t +
                    2 * to.rate * t_rate;
    push<K>(node0.x, E0, m.m00 * a0 + m.m01 * a1, sum);
    push<K>(node1.x, E1, m.m01 * a0 + m.m11 * a1, sum);

    // What passes a kink is turned there.
    if (i + 1 < last && hi > 0 && hi < 1) {
      const double flow = density_at(muscle.regions, hi) * to.rate * to.rate * per_B;
      push<K>(node1.x, node1.J, flow * (path.segments[i + 1].t - t), sum);
    }
    lo = hi;
    from = to;
  }
  return -tension * L.rate;
}

template <int K>
double StraightMuscles::add_group(const ForceInput& in, const double* qddot, const Group& group,
                                  Workspace& ws, MuscleSums& sums,
                                  std::vector<Vec6>& wrench) const {
  update_links(in, group, ws);
  const LinkMotion& A = in.ws.link[static_cast<size_t>(group.frame)];
  const Vec6& a_A = in.ws.a[static_cast<size_t>(group.frame)];
  const Mat3 to_A = A.R.transpose();
  const FrameAcceleration frame{to_A * A.w, to_A * a_A.head<3>(), to_A * a_A.tail<3>()};
  FrameAcceleration weightless = frame;
  weightless.a -= to_A * in.ws.a[0].tail<3>();
  SpanMass<K> sum;
  double power = 0;
  for (const Layout& layout : group.muscles) {
    const bool heavy = muscles_[layout.muscle]->muscle().gravity;
    power += add_muscle(in, qddot, group, layout, heavy ? frame : weightless, ws, sum);
  }
  scatter<K>(in, A.R, Vec3::Zero(), group.frame, group.dofs, sum, sums, wrench);
  return power;
}

double StraightMuscles::add(const ForceInput& in, const double* qddot, Workspace& ws,
                            MuscleSums& sums, std::vector<Vec6>& wrench) const {
  ws.length.resize(muscles_.size());
  double power = 0;
  for (const Group& group : groups_) {
    const size_t count = group.dofs.size();
    if (count <= 1)
      power += add_group<1>(in, qddot, group, ws, sums, wrench);
    else if (count == 2)
      power += add_group<2>(in, qddot, group, ws, sums, wrench);
    else if (count == 3)
      power += add_group<3>(in, qddot, group, ws, sums, wrench);
    else if (count == 4)
      power += add_group<4>(in, qddot, group, ws, sums, wrench);
    else
      power += add_group<6>(in, qddot, group, ws, sums, wrench);
  }
  return power;
}

}  // namespace sinew
