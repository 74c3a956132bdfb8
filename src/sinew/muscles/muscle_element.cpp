#include "sinew/muscles/muscle_element.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "sinew/core/error.hpp"
#include "sinew/dynamics/attached_point.hpp"
#include "sinew/muscles/spanned_muscle.hpp"

namespace sinew {
namespace {

const LinkMotion& link_of(const ForceInput& in, int link) {
  return in.ws.link[static_cast<size_t>(link)];
}

Point<double> point(const PathSample<double>& sample, const Vec3& x_o, const Vec3& x_i, double s) {
  return sample.dy.leftCols<3>() * x_o + sample.dy.middleCols<3>(3) * x_i + sample.dy.col(6) * s;
}

}  // namespace

MuscleElement::MuscleElement(const Skeleton& skeleton, Muscle muscle) : muscle_(std::move(muscle)) {
  if (muscle_.spans.empty() && muscle_.points.size() > 1)
    muscle_.spans.resize(muscle_.points.size() - 1);
  if (muscle_.regions.empty()) muscle_.regions = mass_regions(MassProfile::uniform, muscle_.mass);
  validate(skeleton);
  for (const PathPoint& path_point : muscle_.points) {
    std::vector<Term>& terms = points_.emplace_back();
    for (const PathTerm& term : path_point.terms) {
      Term& out = terms.emplace_back();
      out.link = sinew::link_of(skeleton, term.body);
      out.direction = term.direction;
      out.dof = term.dof;
      out.weight = term.weight;
      const Pose E_LB = term.body == kWorld ? Pose() : skeleton.body(term.body).E_LB;
      out.x_L = E_LB.R * term.x_B;
      if (!term.direction) out.x_L += E_LB.p;
    }
  }
  for (const PathSpan& span : muscle_.spans) {
    const Pose E_LB = span.body == kWorld ? Pose() : skeleton.body(span.body).E_LB;
    frames_.push_back({sinew::link_of(skeleton, span.body), E_LB * span.E_BS});
  }
  index_coordinates(skeleton);
  spanned_ = SpannedMuscle::Make(skeleton, muscle_);
}

void MuscleElement::validate(const Skeleton& skeleton) const {
  const std::string element = "muscle '" + name() + "'";
  const auto require = [&](bool good, const char* problem, const char* remedy) {
    if (!good) throw Error(element, problem, remedy);
  };
  require(muscle_.points.size() >= 2, "has fewer than two path points",
          "give its origin and its insertion at least");
  require(muscle_.spans.size() + 1 == muscle_.points.size(),
          "does not have one span between each pair of neighbouring points",
          "give one fewer span than points");
  const auto require_body = [&](BodyIndex body) {
    require(body == kWorld || (body.valid() && body < skeleton.body_count()),
            "names a body that does not exist", "use a body of the skeleton");
  };
  bool any_body = false;
  for (const PathPoint& path_point : muscle_.points) {
    require(!path_point.terms.empty(), "has an empty path point", "give it a body and a place");
    for (const PathTerm& term : path_point.terms) {
      require_body(term.body);
      any_body |= term.body != kWorld;
      require(term.x_B.allFinite(), "has a path point that is not finite", "give finite numbers");
      require(!term.dof.valid() || term.dof < skeleton.dof_count(),
              "names a coordinate that does not exist", "use a coordinate of the skeleton");
    }
  }
  for (const PathSpan& span : muscle_.spans) require_body(span.body);
  require(any_body, "is fixed to the ground altogether", "attach one end to a body that moves");
  require(std::isfinite(muscle_.mass) && muscle_.mass >= 0, "has a mass that is not ≥ 0",
          "give its mass in kg; zero for a muscle without");
  const MaterialMap& m = muscle_.material;
  require(m.A0 >= 0 && m.A1 >= 0 && m.B1 > 0 && m.A1 + m.B1 <= 1 && m.A0 + m.B0 <= 0,
          "has a belly that is not part of the path",
          "give fractions 0 ≤ begin < end ≤ 1, or tendon lengths ≥ 0");
  require(muscle_.lumps >= (muscle_.lumps_at_ends ? 2 : 1), "has too few mass points",
          "give one at least, two where both ends have one");
  require(muscle_.tension.defect().empty(), "has a tension that cannot be evaluated",
          "give a number, a function or a table of time");
}

void MuscleElement::index_coordinates(const Skeleton& skeleton) {
  std::set<int> links, dofs;
  for (const auto& terms : points_)
    for (const Term& term : terms) {
      links.insert(term.link);
      if (term.dof >= 0) dofs.insert(term.dof);
    }
  for (const Frame& frame : frames_) links.insert(frame.link);
  for (int link : links)
    for (int i = link; i > 0; i = skeleton.link(i).parent)
      for (int k = 0; k < skeleton.link(i).dof_count; ++k) dofs.insert(skeleton.link(i).dof + k);
  dofs_.assign(dofs.begin(), dofs.end());
  for (int dof : dofs_) {
    const int first = skeleton.link_of_dof(dof), last = skeleton.subtree_end(first);
    link_of_dof_.push_back(first);
    std::vector<char>& moved = moves_.emplace_back(static_cast<size_t>(skeleton.link_count()), 0);
    std::fill(moved.begin() + first, moved.begin() + last, 1);
  }
  for (auto& terms : points_)
    for (Term& term : terms)
      if (term.dof >= 0)
        term.local = static_cast<int>(std::lower_bound(dofs_.begin(), dofs_.end(), term.dof) -
                                      dofs_.begin());
}

Vec6 MuscleElement::link_acceleration(const ForceInput& in, const double* qddot, MuscleView view,
                                      int link) const {
  if (view == MuscleView::moving) return in.ws.a[static_cast<size_t>(link)];
  Vec6 out = in.ws.a[0];
  for (size_t l = 0; qddot && l < dofs_.size(); ++l) {
    if (!moves(l, link)) continue;
    const Vec6& s = in.ws.s[static_cast<size_t>(dofs_[l])];
    const Vec3 r = link_of(in, link).p - link_of(in, link_of_dof_[l]).p;
    out.head<3>() += s.head<3>() * qddot[dofs_[l]];
    out.tail<3>() += (s.tail<3>() + s.head<3>().cross(r)) * qddot[dofs_[l]];
  }
  return out;
}

MuscleElement::TermMotion MuscleElement::motion_of(const ForceInput& in, const double* qddot,
                                                   MuscleView view, const Term& term) const {
  const LinkMotion& m = link_of(in, term.link);
  const bool moving = view == MuscleView::moving;
  TermMotion out;
  out.offset = m.R * term.x_L;
  out.x = out.offset;
  out.v = out.a = Vec3::Zero();
  if (!term.direction) out.x += m.p;
  if (moving) {
    out.v = m.w.cross(out.offset);
    out.a = m.w.cross(out.v);
    if (!term.direction) out.v += m.v;
  }
  if (view >= MuscleView::at_rest) {
    const Vec6 a = link_acceleration(in, qddot, view, term.link);
    out.a += a.head<3>().cross(out.offset);
    if (!term.direction) out.a += a.tail<3>();
  }
  out.c = 1;
  out.c1 = out.c2 = out.cdot = out.cddot = out.c1dot = out.c1ddot = 0;
  if (term.dof >= 0) {
    const std::array<double, 4> c = evaluate(term.weight, in.q[term.dof]);
    const double rate = moving ? in.qdot[term.dof] : 0;
    const double second = qddot ? qddot[term.dof] : 0;
    out.c = c[0];
    out.c1 = c[1];
    out.c2 = c[2];
    out.cdot = c[1] * rate;
    out.cddot = c[2] * rate * rate + c[1] * second;
    out.c1dot = c[2] * rate;
    out.c1ddot = c[3] * rate * rate + c[2] * second;
  }
  return out;
}

/// ∂/∂q of a term's point or direction, at constant weights.
Vec3 MuscleElement::column(const ForceInput& in, size_t local, const Term& term,
                           const Vec3& x) const {
  if (!moves(local, term.link)) return Vec3::Zero();
  const Vec6& s = in.ws.s[static_cast<size_t>(dofs_[local])];
  if (term.direction) return s.head<3>().cross(x);
  return s.tail<3>() + s.head<3>().cross(x - link_of(in, link_of_dof_[local]).p);
}

void MuscleElement::update_points(const ForceInput& in, const double* qddot, MuscleView view,
                                  MuscleWorkspace& ws) const {
  if (ws.points.size() < points_.size()) ws.points.resize(points_.size());
  for (size_t k = 0; k < points_.size(); ++k) {
    MuscleWorkspace::PointColumns& out = ws.points[k];
    out.x = out.v = out.a = Vec3::Zero();
    out.J.assign(dofs_.size(), Vec3::Zero());
    for (const Term& term : points_[k]) {
      const TermMotion t = motion_of(in, qddot, view, term);
      out.x += t.c * t.x;
      out.v += t.c * t.v + t.cdot * t.x;
      out.a += t.c * t.a + 2 * t.cdot * t.v + t.cddot * t.x;
      for (size_t l = 0; l < dofs_.size(); ++l) out.J[l] += t.c * column(in, l, term, t.x);
      if (term.local >= 0) out.J[static_cast<size_t>(term.local)] += t.c1 * t.x;
    }
  }
}

void MuscleElement::update_spans(const ForceInput& in, const double* qddot, MuscleView view,
                                 MuscleWorkspace& ws) const {
  const size_t count = frames_.size(), n = dofs_.size();
  if (ws.spans.size() < count) {
    ws.spans.resize(count);
    ws.solutions.resize(count);
    ws.motion.resize(count);
    ws.forces.resize(count);
  }
  for (size_t j = 0; j < count; ++j) {
    const LinkMotion& m = link_of(in, frames_[j].link);
    MuscleWorkspace::SpanColumns& S = ws.spans[j];
    S.R = m.R * frames_[j].E_LS.R;
    const Vec3 d = m.R * frames_[j].E_LS.p;
    S.p = m.p + d;
    S.w = S.v = S.alpha = S.a = Vec3::Zero();
    if (view == MuscleView::moving) {
      S.w = m.w;
      S.v = m.v + m.w.cross(d);
      S.a = S.w.cross(S.w.cross(d));
    }
    if (view >= MuscleView::at_rest) {
      const Vec6 a_L = link_acceleration(in, qddot, view, frames_[j].link);
      S.alpha = a_L.head<3>();
      S.a += a_L.tail<3>() + S.alpha.cross(d);
    }
    SpanMotion<double>& out = ws.motion[j];
    const auto to_S = [&](const Vec3& x) { return Vec3(S.R.transpose() * x); };
    for (size_t e = 0; e < 2; ++e) {
      const MuscleWorkspace::PointColumns& X = ws.points[j + e];
      const Vec3 r = X.x - S.p;
      const Vec3 u = X.v - S.v - S.w.cross(r);
      out.x[e] = to_S(r);
      out.v[e] = to_S(u);
      out.a[e] = to_S(X.a - S.a - S.alpha.cross(r) - S.w.cross(S.w.cross(r) + 2 * u));
      S.x[e].resize(n);
    }
    if (!muscle_.gravity && view >= MuscleView::at_rest) S.a -= in.ws.a[0].tail<3>();
    out.omega = to_S(S.w);
    out.velocity = to_S(S.v);
    out.alpha = to_S(S.alpha);
    out.acceleration = to_S(S.a);
    S.turn.resize(n);
    S.shift.resize(n);
    for (size_t l = 0; l < n; ++l) {
      Vec3 turn = Vec3::Zero(), shift = Vec3::Zero();
      if (moves(l, frames_[j].link)) {
        const Vec6& s = in.ws.s[static_cast<size_t>(dofs_[l])];
        turn = s.head<3>();
        shift = s.tail<3>() + turn.cross(S.p - link_of(in, link_of_dof_[l]).p);
      }
      S.turn[l] = to_S(turn);
      S.shift[l] = to_S(shift);
      for (size_t e = 0; e < 2; ++e) {
        const MuscleWorkspace::PointColumns& X = ws.points[j + e];
        S.x[e][l] = to_S(X.J[l] - shift - turn.cross(X.x - S.p));
      }
    }
    ws.solutions[j] = solve(muscle_.spans[j].wrap, out.x[0], out.x[1]);
  }
}

void MuscleElement::update(const ForceInput& in, const double* qddot, MuscleView view,
                           MuscleWorkspace& ws) const {
  update_points(in, qddot, view, ws);
  update_spans(in, qddot, view, ws);
  ws.kernel.update(muscle_, ws.solutions, ws.motion, view);
}

SpanStatus MuscleElement::status(const MuscleWorkspace& ws) const {
  SpanStatus worst = SpanStatus::free;
  for (size_t j = 0; j < frames_.size(); ++j) worst = std::max(worst, ws.solutions[j].status);
  return worst;
}

void MuscleElement::update_length_gradient(MuscleWorkspace& ws) const {
  const size_t n = dofs_.size();
  ws.dL.assign(n, 0);
  ws.dc.resize(n * frames_.size());
  for (size_t j = 0; j < frames_.size(); ++j) {
    const auto& d = ws.kernel.shape(static_cast<int>(j)).length.d;
    const Vec3 by_o(d[0], d[1], d[2]), by_i(d[3], d[4], d[5]);
    for (size_t l = 0; l < n; ++l) {
      ws.dc[j * n + l] = ws.dL[l];
      ws.dL[l] += by_o.dot(ws.spans[j].x[0][l]) + by_i.dot(ws.spans[j].x[1][l]);
    }
  }
}

void MuscleElement::add_forces(const ForceInput& in, MuscleWorkspace& ws, std::vector<Vec6>& wrench,
                               VecRef tau) const {
  ws.kernel.forces(muscle_.tension.derivatives(in.t)[0], ws.forces);
  ws.F.assign(points_.size(), Vec3::Zero());
  for (size_t j = 0; j < frames_.size(); ++j) {
    const MuscleWorkspace::SpanColumns& S = ws.spans[j];
    const SpanForce<double>& f = ws.forces[j];
    ws.F[j] += S.R * f.end[0];
    ws.F[j + 1] += S.R * f.end[1];
    const auto link = static_cast<size_t>(frames_[j].link);
    const Vec3 force = S.R * f.force, d = S.p - in.ws.link[link].p;
    wrench[link].head<3>() += S.R * f.torque + d.cross(force);
    wrench[link].tail<3>() += force;
  }
  for (size_t k = 0; k < points_.size(); ++k)
    for (const Term& term : points_[k]) {
      const TermMotion t = motion_of(in, nullptr, MuscleView::path, term);
      const Vec3 f = t.c * ws.F[k];
      Vec6& w = wrench[static_cast<size_t>(term.link)];
      w.head<3>() += t.offset.cross(f);
      if (!term.direction) w.tail<3>() += f;
      if (term.dof >= 0) tau[term.dof] += t.c1 * t.x.dot(ws.F[k]);
    }
}

void MuscleElement::add_mass_matrix(MuscleWorkspace& ws, MatRef M) const {
  if (!muscle_.has_mass()) return;
  update_length_gradient(ws);
  const size_t n = dofs_.size();
  ws.J.resize(n * MassGroup<double>::kMaxSamples);
  for (int g = 0; g < ws.kernel.group_count(); ++g) {
    const MassGroup<double>& group = ws.kernel.group(g);
    const auto count = static_cast<size_t>(group.count);
    for (size_t a = 0; a < count; ++a) {
      const PathSample<double>& at = group.sample[a];
      const auto j = static_cast<size_t>(at.span);
      const MuscleWorkspace::SpanColumns& S = ws.spans[j];
      for (size_t l = 0; l < n; ++l)
        ws.J[a * n + l] =
            S.shift[l] + S.turn[l].cross(at.y) +
            point(at, S.x[0][l], S.x[1][l], at.by_length * ws.dL[l] - ws.dc[j * n + l]);
    }
    for (size_t l = 0; l < n; ++l)
      for (size_t m = 0; m <= l; ++m) {
        double sum = 0;
        if (group.linear) {
          const Vec3 &l0 = ws.J[l], &l1 = ws.J[n + l], &m0 = ws.J[m], &m1 = ws.J[n + m];
          sum = group.weight[0] * l0.dot(m0) + group.weight[1] * (l0.dot(m1) + l1.dot(m0)) +
                group.weight[2] * l1.dot(m1);
        } else {
          for (size_t a = 0; a < count; ++a)
            sum += group.weight[a] * ws.J[a * n + l].dot(ws.J[a * n + m]);
        }
        M(dofs_[l], dofs_[m]) += sum;
        if (l != m) M(dofs_[m], dofs_[l]) += sum;
      }
  }
}

double MuscleElement::kinetic_energy(const MuscleWorkspace& ws) const {
  double twice = 0;
  for (int g = 0; g < ws.kernel.group_count(); ++g) {
    const MassGroup<double>& group = ws.kernel.group(g);
    const auto v = [&](size_t a) -> const Vec3& { return group.sample[a].velocity; };
    if (group.linear)
      twice += group.weight[0] * v(0).squaredNorm() + 2 * group.weight[1] * v(0).dot(v(1)) +
               group.weight[2] * v(1).squaredNorm();
    else
      for (size_t a = 0; a < static_cast<size_t>(group.count); ++a)
        twice += group.weight[a] * v(a).squaredNorm();
  }
  return 0.5 * twice;
}

double MuscleElement::gravity_energy(const Vec3& gravity, const MuscleWorkspace& ws) const {
  if (!muscle_.gravity) return 0;
  double out = 0;
  for (int g = 0; g < ws.kernel.group_count(); ++g) {
    const MassGroup<double>& group = ws.kernel.group(g);
    for (size_t a = 0; a < static_cast<size_t>(group.count); ++a) {
      const PathSample<double>& at = group.sample[a];
      const MuscleWorkspace::SpanColumns& S = ws.spans[static_cast<size_t>(at.span)];
      const double mass = group.linear ? group.weight[1] + group.weight[2 * a] : group.weight[a];
      out -= mass * gravity.dot(S.p + S.R * at.y);
    }
  }
  return out;
}

}  // namespace sinew
