#include "sinew/muscles/fast/polyline_muscle_batch.hpp"

#include <algorithm>
#include <set>

#include "sinew/dynamics/attached_point.hpp"
#include "sinew/math/dual.hpp"
#include "sinew/muscles/fast/polyline_lanes.hpp"

namespace sinew {
namespace {

bool fits(const Muscle& muscle) {
  return muscle.has_mass() && muscle.velocity_terms && muscle.mass_model == MassModel::continuous &&
         std::all_of(muscle.spans.begin(), muscle.spans.end(), [](const PathSpan& span) {
           return std::holds_alternative<Straight>(span.wrap);
         });
}

/// The link next to the root: muscles of a joint share it, and few coordinates carry it.
int best_frame(const Skeleton& skeleton, const Muscle& muscle) {
  int best = -1;
  for (const PathPoint& point : muscle.points)
    for (const PathTerm& term : point.terms) {
      const int link = link_of(skeleton, term.body);
      // Links are numbered from the root outwards.
      if (best < 0 || link < best) best = link;
    }
  return best;
}

/// Moments of the mass on a segment, which holds β from `lo` to `hi`, in terms of its two nodes.
PieceMoments<double> mass_between(const std::vector<MassRegion>& regions, double lo, double hi) {
  PieceMoments<double> out{};
  for (const MassRegion& region : regions) {
    const double from = std::max(lo, region.begin), to = std::min(hi, region.end);
    if (!(to > from)) continue;
    if (region.c1 == 0 && region.c2 == 0 && from == lo && to == hi) {
      const double m = region.c0 * (hi - lo);
      return {m / 3, m / 6, m / 3};
    }
    const PieceMoments<double> m = piece_moments(region, from, to);
    const double b0 = (from - lo) / (hi - lo), b1 = (to - lo) / (hi - lo);
    const double a0 = 1 - b0, a1 = 1 - b1;
    out.m00 += m.m00 * a0 * a0 + 2 * m.m01 * a0 * a1 + m.m11 * a1 * a1;
    out.m01 += m.m00 * a0 * b0 + m.m01 * (a0 * b1 + a1 * b0) + m.m11 * a1 * b1;
    out.m11 += m.m00 * b0 * b0 + 2 * m.m01 * b0 * b1 + m.m11 * b1 * b1;
  }
  return out;
}

/// An arc length along the path.
template <int K>
struct Arc {
  double s = 0, rate = 0, second = 0;
  std::array<double, K> columns{};
};

/// A node's or segment's numbers in a table.
Vec3 vector_at(const double* from, int row, int stride) {
  return {from[row * stride], from[(row + 1) * stride], from[(row + 2) * stride]};
}
void put(const Vec3& x, int row, int stride, double* to) {
  for (int c = 0; c < 3; ++c) to[(row + c) * stride] = x[c];
}

template <int K>
void add_sums(const double* from, SpanMass<K>& to) {
  using Row = lanes::SumRow;
  to.mass += from[Row::mass];
  for (int c = 0; c < 3; ++c) {
    to.h[c] += from[Row::h + c];
    to.torque[c] += from[Row::torque + c];
    to.force[c] += from[Row::force + c];
  }
  for (size_t e = 0; e < 6; ++e) to.E[e] += from[Row::E + e];
  const double* of_M = from + Row::columns + 7 * K;
  for (size_t k = 0; k < K; ++k) {
    const double* of_k = from + Row::columns + 7 * k;
    for (int c = 0; c < 3; ++c) {
      to.momentum_n[k][c] += of_k[c];
      to.momentum_f[k][c] += of_k[3 + c];
    }
    to.tau[k] += of_k[6];
    for (size_t l = 0; l <= k; ++l) to.M[k][l] += *of_M++;
  }
}

}  // namespace

PolylineMuscleBatch::PolylineMuscleBatch(const Skeleton& skeleton, const SpanPathList& muscles)
    : muscles_(muscles), taken_(muscles.size(), 0) {
  for (size_t k = 0; k < muscles.size(); ++k)
    if (muscles[k] && fits(muscles[k]->muscle())) taken_[k] = lay_out(skeleton, k);
}

/// False if too many coordinates change its shape.
bool PolylineMuscleBatch::lay_out(const Skeleton& skeleton, size_t k) {
  const Muscle& muscle = muscles_[k]->muscle();
  const int frame = best_frame(skeleton, muscle);
  const std::vector<int> of_frame = dofs_above(skeleton, frame);
  std::set<int> dofs;
  for (const PathPoint& point : muscle.points)
    for (const PathTerm& term : point.terms) {
      const std::vector<int> of_link = dofs_above(skeleton, link_of(skeleton, term.body));
      std::set_symmetric_difference(of_link.begin(), of_link.end(), of_frame.begin(),
                                    of_frame.end(), std::inserter(dofs, dofs.end()));
      for (const PathWeight& weight : term.weights) dofs.insert(weight.dof.value);
    }
  if (dofs.size() > kMaxCoordinates) return false;

  const std::vector<int> list(dofs.begin(), dofs.end());
  auto group = std::find_if(groups_.begin(), groups_.end(),
                            [&](const Group& g) { return g.frame == frame && g.dofs == list; });
  if (group == groups_.end()) {
    group = groups_.insert(group, Group{frame, list, {}, {}, 0, 0, {}});
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
    const std::vector<int> of_link = dofs_above(skeleton, link);
    for (const int dof : list) {
      const bool moves = std::binary_search(of_link.begin(), of_link.end(), dof);
      if (moves != std::binary_search(of_frame.begin(), of_frame.end(), dof))
        added.columns.push_back({place_of(dof), moves ? 1.0 : -1.0});
    }
    group->columns += added.columns.size();
    group->links.push_back(added);
    return static_cast<int>(group->links.size()) - 1;
  };
  Layout layout{k, group->points, {}};
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
  group->points += layout.points.size();
  group->muscles.push_back(std::move(layout));
  return true;
}

void PolylineMuscleBatch::update_links(const SkeletonAt& in, const Group& group,
                                       Workspace& ws) const {
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

bool PolylineMuscleBatch::is_fixed(const std::vector<Term>& terms) {
  return terms.size() == 1 && terms[0].factors.empty() && terms[0].scale == 1 &&
         !terms[0].direction;
}

PolylineMuscleBatch::Workspace::Table PolylineMuscleBatch::make_table(const Group& group) const {
  Workspace::Table out;
  const auto coordinates = std::max(1, static_cast<int>(group.dofs.size()));
  // The entries after the last node are read, too.
  out.stride = (static_cast<int>(group.points) / lanes::kStraightLanes + 2) * lanes::kStraightLanes;
  out.node.assign(static_cast<size_t>(lanes::NodeRow::count(coordinates) * out.stride), 0);
  out.segment.assign(static_cast<size_t>(lanes::SegmentRow::count(coordinates) * out.stride), 0);
  for (const Layout& layout : group.muscles)
    for (size_t i = 0; i < layout.points.size(); ++i)
      if (is_fixed(layout.points[i]) && layout.points[i][0].link < 0)
        put(layout.points[i][0].x_L, lanes::NodeRow::x, out.stride,
            out.node.data() + layout.first + i);
  return out;
}

void PolylineMuscleBatch::place_fixed(const Group& group, const Term& term, const Workspace& ws,
                                      int stride, double* node) const {
  const RelativeMotion& m = ws.links[static_cast<size_t>(term.link)];
  const Vec3 x = m.R * term.x_L + m.p, v = m.v + m.w.cross(x);
  put(x, lanes::NodeRow::x, stride, node);
  put(v, lanes::NodeRow::v, stride, node);
  put(m.dv + m.dw.cross(x) + m.w.cross(v), lanes::NodeRow::a, stride, node);
  const Link& link = group.links[static_cast<size_t>(term.link)];
  for (size_t i = 0; i < link.columns.size(); ++i)
    put(ws.shift[link.first + i] + ws.turn[link.first + i].cross(x),
        lanes::NodeRow::columns + 3 * link.columns[i].k, stride, node);
}

void PolylineMuscleBatch::place(const SkeletonAt& in, const double* qddot, const Group& group,
                                const std::vector<Term>& terms, const Vec3& offset,
                                const Workspace& ws, int stride, double* node) const {
  Vec3 place = Vec3::Zero(), rate = Vec3::Zero(), second = offset;
  std::array<Vec3, kMaxCoordinates> columns;
  columns.fill(Vec3::Zero());
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
      const double qdot = in.qdot[dof], twice = qddot ? qddot[dof] : 0;
      const std::array<double, 4> f = evaluate(*term.factors[i].function, in.q[dof]);
      c *= Taylor2<double>{f[0], f[1] * qdot, f[2] * qdot * qdot + f[1] * twice};
      for (size_t l = 0; l < term.factors.size(); ++l) by[l] *= l == i ? f[1] : f[0];
    }
    place += c.v * x;
    rate += c.v * v + c.d1 * x;
    second += c.v * a + 2 * c.d1 * v + c.d2 * x;
    for (size_t i = 0; i < term.factors.size(); ++i)
      columns[static_cast<size_t>(term.factors[i].k)] += by[i] * x;
    if (term.link < 0) continue;
    const Link& link = group.links[static_cast<size_t>(term.link)];
    for (size_t i = 0; i < link.columns.size(); ++i) {
      Vec3 J = ws.turn[link.first + i].cross(x);
      if (!term.direction) J += ws.shift[link.first + i];
      columns[static_cast<size_t>(link.columns[i].k)] += c.v * J;
    }
  }
  put(place, lanes::NodeRow::x, stride, node);
  put(rate, lanes::NodeRow::v, stride, node);
  put(second, lanes::NodeRow::a, stride, node);
  for (size_t k = 0; k < group.dofs.size(); ++k)
    put(columns[k], lanes::NodeRow::columns + 3 * static_cast<int>(k), stride, node);
}

void PolylineMuscleBatch::place_all(const SkeletonAt& in, const double* qddot, const Group& group,
                                    const Vec3& gravity, const Workspace& ws,
                                    Workspace::Table& table) const {
  for (const Layout& layout : group.muscles) {
    const bool heavy = muscles_[layout.muscle]->muscle().gravity;
    const Vec3 offset = heavy ? Vec3(Vec3::Zero()) : Vec3(-gravity);
    for (size_t i = 0; i < layout.points.size(); ++i) {
      const std::vector<Term>& terms = layout.points[i];
      double* const node = table.node.data() + layout.first + i;
      if (!heavy || !is_fixed(terms))
        place(in, qddot, group, terms, offset, ws, table.stride, node);
      else if (terms[0].link >= 0)
        place_fixed(group, terms[0], ws, table.stride, node);
    }
  }
}

template <int K>
double PolylineMuscleBatch::slide(const Tensions& tensions, const Layout& layout, Workspace& ws,
                                  Workspace::Table& table, SpanMass<K>& sum) const {
  using NodeRow = lanes::NodeRow;
  using SegmentRow = lanes::SegmentRow;
  const int stride = table.stride;
  const size_t last = layout.points.size() - 1;
  double* const segment = table.segment.data() + layout.first;
  double* const node = table.node.data() + layout.first;
  const auto advance = [&](Arc<K>& arc, size_t i) {
    const double* of = segment + i;
    arc.s += of[SegmentRow::length * stride];
    arc.rate += of[SegmentRow::rate * stride];
    arc.second += of[SegmentRow::second * stride];
    for (size_t k = 0; k < K; ++k)
      arc.columns[k] += of[(SegmentRow::columns + static_cast<int>(k)) * stride];
  };
  Arc<K> L;
  for (size_t i = 0; i < last; ++i) advance(L, i);
  ws.length[layout.muscle] = L.s;
  const Muscle& muscle = muscles_[layout.muscle]->muscle();
  const double tension = tensions.at(layout.muscle, L.s, L.rate);
  for (size_t k = 0; k < K; ++k) sum.tau[k] += tension * L.columns[k];

  const MaterialMap& map = muscle.material;
  const double A = map.A(L.s), B = map.B(L.s);
  const bool room = B > 0;
  const std::vector<MassRegion>& regions = muscle.regions;
  Arc<K> arc;
  double lo = 0;
  for (size_t i = 0; i <= last; ++i) {
    if (i > 0) advance(arc, i - 1);
    const double beta = room ? (arc.s - A) / B : 0, share = map.A1 + beta * map.B1;
    if (i > 0) {
      const auto m = room ? mass_between(regions, lo, beta) : PieceMoments<double>{};
      put({m.m00, m.m01, m.m11}, SegmentRow::mass, stride, segment + (i - 1));
    }
    lo = beta;
    // Speed of material at the node relative to it.
    const double ahead = share * L.rate - arc.rate;
    double* const at = node + i;
    at[NodeRow::slide * stride] = ahead;
    at[NodeRow::slide_rate * stride] = share * L.second - arc.second;
    for (int k = 0; k < K; ++k) {
      const auto kk = static_cast<size_t>(k);
      at[(NodeRow::columns + 3 * K + k) * stride] = share * L.columns[kk] - arc.columns[kk];
    }
    // Material that passes a kink is turned there.
    if (i == 0 || i == last || !room || !(beta > 0 && beta < 1)) continue;
    const double flow = density_at(regions, beta) * ahead * ahead / B;
    const Vec3 f = flow * (vector_at(segment + i, SegmentRow::t, stride) -
                           vector_at(segment + (i - 1), SegmentRow::t, stride));
    sum.force += f;
    sum.torque += vector_at(at, NodeRow::x, stride).cross(f);
    for (int k = 0; k < K; ++k)
      sum.tau[static_cast<size_t>(k)] += vector_at(at, NodeRow::columns + 3 * k, stride).dot(f);
  }
  return -tension * L.rate;
}

template <int K>
double PolylineMuscleBatch::add_group(const SkeletonAt& in, const Tensions& tensions,
                                      const double* qddot, const Group& group,
                                      Workspace::Table& table, Workspace& ws, MuscleSums& sums,
                                      std::vector<Vec6>& wrench) const {
  update_links(in, group, ws);
  const LinkMotion& A = in.ws.link[static_cast<size_t>(group.frame)];
  const Vec6& a_A = in.ws.a[static_cast<size_t>(group.frame)];
  const Mat3 to_A = A.R.transpose();
  place_all(in, qddot, group, to_A * in.ws.a[0].tail<3>(), ws, table);
  lanes::Polygons polygons{static_cast<int>(group.points) - 1,
                           table.stride,
                           table.node.data(),
                           table.segment.data(),
                           {}};
  Eigen::Map<Vec3>(polygons.frame) = to_A * A.w;
  Eigen::Map<Vec3>(polygons.frame + 3) = to_A * a_A.head<3>();
  Eigen::Map<Vec3>(polygons.frame + 6) = to_A * a_A.tail<3>();
  const lanes::StraightKernel& kernel = lanes::chosen_straight_kernels()[K - 1];
  kernel.measure(polygons);
  SpanMass<K> sum;
  double power = 0;
  for (const Layout& layout : group.muscles) power += slide(tensions, layout, ws, table, sum);
  std::array<double, static_cast<size_t>(lanes::SumRow::count(K))> all;
  kernel.sum(polygons, all.data());
  add_sums(all.data(), sum);
  scatter<K>(in, A.R, Vec3::Zero(), group.frame, group.dofs, sum, sums, wrench);
  return power;
}

double PolylineMuscleBatch::add(const SkeletonAt& in, const Tensions& tensions, const double* qddot,
                                Workspace& ws, MuscleSums& sums, std::vector<Vec6>& wrench) const {
  if (ws.tables.size() != groups_.size()) {
    ws.tables.clear();
    for (const Group& group : groups_) ws.tables.push_back(make_table(group));
    ws.length.resize(muscles_.size());
  }
  double power = 0;
  for (size_t g = 0; g < groups_.size(); ++g) {
    const auto add_as = [&]<int K>() {
      power += add_group<K>(in, tensions, qddot, groups_[g], ws.tables[g], ws, sums, wrench);
    };
    switch (groups_[g].dofs.size()) {
      case 0:
      case 1:
        add_as.operator()<1>();
        break;
      case 2:
        add_as.operator()<2>();
        break;
      case 3:
        add_as.operator()<3>();
        break;
      case 4:
        add_as.operator()<4>();
        break;
      case 5:
        add_as.operator()<5>();
        break;
      default:
        add_as.operator()<6>();
    }
  }
  return power;
}

}  // namespace sinew
