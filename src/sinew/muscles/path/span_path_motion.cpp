#include "sinew/muscles/path/span_path.hpp"

// Motion of path points and of the frames of spans: equations (1) and (2) of
// docs/theory/muscles.md, and their columns.

namespace sinew {
namespace {

const LinkMotion& link_of(const SkeletonAt& in, int link) {
  return in.ws.link[static_cast<size_t>(link)];
}

}  // namespace

SpanPath::LinkState SpanPath::link_state(const SkeletonAt& in, const double* qddot, MuscleView view,
                                         int link) const {
  LinkState out;
  if (view < MuscleView::at_rest) return out;
  const LinkMotion& m = link_of(in, link);
  if (view == MuscleView::moving) {
    const Vec6& a = in.ws.a[static_cast<size_t>(link)];
    return {m.w, m.v, a.head<3>(), a.tail<3>()};
  }
  // At rest, accelerations come from q̈ and gravity alone.
  out.a = in.ws.a[0].tail<3>();
  for (size_t l = 0; qddot && l < dofs_.size(); ++l) {
    if (!moves(l, link)) continue;
    const Vec6& s = in.ws.s[static_cast<size_t>(dofs_[l])];
    const Vec3 r = m.p - link_of(in, link_of_dof_[l]).p;
    out.alpha += s.head<3>() * qddot[dofs_[l]];
    out.a += (s.tail<3>() + s.head<3>().cross(r)) * qddot[dofs_[l]];
  }
  return out;
}

/// The weight is a product: one factor and its derivative are differentiated along the motion, the
/// product rule does the rest. Two factors of one coordinate count as of two.
void SpanPath::weigh(const SkeletonAt& in, const double* qddot, MuscleView view, const Term& term,
                     TermMotion& out) const {
  const size_t count = term.factors.size();
  std::array<std::array<double, 4>, PathTerm::kMaxWeights> f;
  std::array<Taylor2<double>, PathTerm::kMaxWeights> value, slope;
  out.c = Taylor2<double>(term.scale);
  for (size_t k = 0; k < count; ++k) {
    const int dof = term.factors[k].dof;
    const double rate = view == MuscleView::moving ? in.qdot[dof] : 0;
    const double second = qddot ? qddot[dof] : 0;
    f[k] = evaluate(term.factors[k].function, in.q[dof]);
    value[k] = {f[k][0], f[k][1] * rate, f[k][2] * rate * rate + f[k][1] * second};
    slope[k] = {f[k][1], f[k][2] * rate, f[k][3] * rate * rate + f[k][2] * second};
    out.c *= value[k];
  }
  for (size_t k = 0; k < count; ++k) {
    out.by[k] = term.scale * slope[k];
    for (size_t l = 0; l < count; ++l) {
      if (l != k) out.by[k] *= value[l];
      double second = term.scale * (l == k ? f[k][2] : f[k][1] * f[l][1]);
      for (size_t m = 0; m < count; ++m)
        if (m != k && m != l) second *= f[m][0];
      out.second(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(l)) = second;
    }
  }
}

SpanPath::TermMotion SpanPath::motion_of(const SkeletonAt& in, const double* qddot, MuscleView view,
                                         const Term& term) const {
  const LinkMotion& m = link_of(in, term.link);
  const LinkState link = link_state(in, qddot, view, term.link);
  TermMotion out;
  out.offset = m.R * term.x_L;
  out.x = out.offset;
  out.v = link.w.cross(out.offset);
  out.a = link.alpha.cross(out.offset) + link.w.cross(out.v);
  if (!term.direction) {
    out.x += m.p;
    out.v += link.v;
    out.a += link.a;
  }
  weigh(in, qddot, view, term, out);
  return out;
}

/// ∂/∂q of a term's point or direction, at constant weights.
Vec3 SpanPath::column(const SkeletonAt& in, size_t local, const Term& term, const Vec3& x) const {
  if (!moves(local, term.link)) return Vec3::Zero();
  const Vec6& s = in.ws.s[static_cast<size_t>(dofs_[local])];
  if (term.direction) return s.head<3>().cross(x);
  return s.tail<3>() + s.head<3>().cross(x - link_of(in, link_of_dof_[local]).p);
}

void SpanPath::update_points(const SkeletonAt& in, const double* qddot, MuscleView view,
                             SpanPathWorkspace& ws) const {
  if (ws.points.size() < points_.size()) ws.points.resize(points_.size());
  for (size_t k = 0; k < points_.size(); ++k) {
    SpanPathWorkspace::PointColumns& out = ws.points[k];
    out.x = out.v = out.a = Vec3::Zero();
    out.J.assign(dofs_.size(), Vec3::Zero());
    for (const Term& term : points_[k]) {
      const TermMotion t = motion_of(in, qddot, view, term);
      out.x += t.c.v * t.x;
      out.v += t.c.v * t.v + t.c.d1 * t.x;
      out.a += t.c.v * t.a + 2 * t.c.d1 * t.v + t.c.d2 * t.x;
      for (size_t l = 0; l < dofs_.size(); ++l) out.J[l] += t.c.v * column(in, l, term, t.x);
      for (size_t f = 0; f < term.factors.size(); ++f)
        out.J[static_cast<size_t>(term.factors[f].local)] += t.by[f].v * t.x;
    }
  }
}

void SpanPath::update_spans(const SkeletonAt& in, const double* qddot, MuscleView view,
                            SpanPathWorkspace& ws) const {
  const size_t count = frames_.size(), n = dofs_.size();
  if (ws.spans.size() < count) {
    ws.spans.resize(count);
    ws.solutions.resize(count);
    ws.motion.resize(count);
    ws.forces.resize(count);
  }
  for (size_t j = 0; j < count; ++j) {
    const LinkMotion& m = link_of(in, frames_[j].link);
    SpanPathWorkspace::SpanColumns& S = ws.spans[j];
    S.R = m.R * frames_[j].E_LS.R;
    const Vec3 d = m.R * frames_[j].E_LS.p;
    S.p = m.p + d;
    const LinkState link = link_state(in, qddot, view, frames_[j].link);
    S.w = link.w;
    S.v = link.v + link.w.cross(d);
    S.alpha = link.alpha;
    S.a = link.a + link.alpha.cross(d) + link.w.cross(link.w.cross(d));
    SpanMotion<double>& out = ws.motion[j];
    const auto to_S = [&](const Vec3& x) { return Vec3(S.R.transpose() * x); };
    for (size_t e = 0; e < 2; ++e) {
      const SpanPathWorkspace::PointColumns& X = ws.points[j + e];
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
        const SpanPathWorkspace::PointColumns& X = ws.points[j + e];
        S.x[e][l] = to_S(X.J[l] - shift - turn.cross(X.x - S.p));
      }
    }
    ws.solutions[j] = solve(muscle_.spans[j].wrap, out.x[0], out.x[1]);
  }
}

void SpanPath::update(const SkeletonAt& in, const double* qddot, MuscleView view,
                      SpanPathWorkspace& ws) const {
  update_points(in, qddot, view, ws);
  update_spans(in, qddot, view, ws);
  ws.kernel.update(muscle_, ws.solutions, ws.motion, view);
}

}  // namespace sinew
