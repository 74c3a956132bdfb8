#include "sinew/muscles/path/span_path.hpp"

// The kernel's inputs are motions; their derivatives follow from the axes s of the coordinates and
// the first two rates of these. For a point X that m moves, ∂X/∂q_m = J, ∂Ẋ/∂q_m = J̇, ∂Ẍ/∂q_m = J̈
// with J = s(X) = v + ω × X, J̇ = v̇ + ω̇ × X + ω × Ẋ, J̈ = v̈ + ω̈ × X + 2 ω̇ × Ẋ + ω × Ẍ; and
// ∂Ẋ/∂q̇_m = J, ∂Ẍ/∂q̇_m = 2 J̇. Seen from the turning frame S, with w = J − s_S(X) and R = R_WS,
//     ∂u/∂q = Rᵀw,   ∂u̇/∂q = Rᵀ(ẇ − ω×w),   ∂ü/∂q = Rᵀ(ẅ − 2 ω×ẇ − α×w + ω×(ω×w)),
// and of the frame's own motion, in its axes,
//     ∂ω/∂q = Rᵀω̇_m,   ∂α/∂q = Rᵀ(ω̈_m − ω×ω̇_m),   ∂ω/∂q̇ = Rᵀω_m,   ∂α/∂q̇ = Rᵀ(2 ω̇_m − ω×ω_m).
// Accelerations less gravity serve as well as true ones: axes and points then fall together.

namespace sinew {
namespace {

Vec3 angular(const Vec6& x) { return x.head<3>(); }
Vec3 linear(const Vec6& x) { return x.tail<3>(); }

/// The field of an axis at a moving point, and its first two rates.
struct Field {
  Vec3 J = Vec3::Zero(), Jdot = Vec3::Zero(), Jddot = Vec3::Zero();
};
Field field(const SpanPathWorkspace::Linearizer::Axis& axis, const Vec3& r, const Vec3& v,
            const Vec3& a) {
  const Vec3 w = angular(axis.s), wdot = angular(axis.sdot), wddot = angular(axis.sddot);
  return {linear(axis.s) + w.cross(r), linear(axis.sdot) + wdot.cross(r) + w.cross(v),
          linear(axis.sddot) + wddot.cross(r) + 2 * wdot.cross(v) + w.cross(a)};
}
/// The same of a direction.
Field turning(const SpanPathWorkspace::Linearizer::Axis& axis, const Vec3& d, const Vec3& v,
              const Vec3& a) {
  const Vec3 w = angular(axis.s), wdot = angular(axis.sdot), wddot = angular(axis.sddot);
  return {w.cross(d), wdot.cross(d) + w.cross(v), wddot.cross(d) + 2 * wdot.cross(v) + w.cross(a)};
}

void put(const Vec3& derivative, size_t direction, Point<Chunk>& out) {
  for (int k = 0; k < 3; ++k) out[k].d[direction] = derivative[k];
}
Vec3 take(const Point<Chunk>& x, size_t direction) {
  return {x[0].d[direction], x[1].d[direction], x[2].d[direction]};
}

}  // namespace

void SpanPath::update_axes(const SkeletonAt& in, const double* qddot,
                           const DerivativeWorkspace& dws, SpanPathWorkspace& ws) const {
  std::vector<SpanPathWorkspace::Linearizer::Axis>& axes = ws.linearizer->axes;
  axes.resize(dofs_.size());
  for (size_t l = 0; l < dofs_.size(); ++l) {
    const auto dof = static_cast<size_t>(dofs_[l]);
    axes[l] = {dws.s[dof], dws.sdot[dof], dws.sddot[dof]};
    if (force_view() != MuscleView::at_rest) continue;
    // At rest an axis that is fixed in its link turns only with the link's acceleration.
    const int link = link_of_dof_[l];
    const LinkState rest = link_state(in, qddot, MuscleView::at_rest, link);
    const Vec3 d = in.ws.link[static_cast<size_t>(link)].p - common_origin(in.ws);
    Vec6 a;
    a << rest.alpha, rest.a + d.cross(rest.alpha);
    axes[l].sdot.setZero();
    axes[l].sddot = ad_times(a, axes[l].s);
  }
}

void SpanPath::differentiate_points(const SkeletonAt& in, const double* qddot,
                                    SpanPathWorkspace& ws) const {
  SpanPathWorkspace::Linearizer& lin = *ws.linearizer;
  const Vec3 origin = common_origin(in.ws);
  lin.Jdot.resize(points_.size());
  lin.Jddot.resize(points_.size());
  for (size_t k = 0; k < points_.size(); ++k) {
    lin.Jdot[k].assign(dofs_.size(), Vec3::Zero());
    lin.Jddot[k].assign(dofs_.size(), Vec3::Zero());
    for (const Term& term : points_[k]) {
      const TermMotion t = motion_of(in, qddot, force_view(), term);
      for (size_t l = 0; l < dofs_.size(); ++l) {
        if (!moves(l, term.link)) continue;
        const Field f = term.direction ? turning(lin.axes[l], t.x, t.v, t.a)
                                       : field(lin.axes[l], t.x - origin, t.v, t.a);
        lin.Jdot[k][l] += t.c.v * f.Jdot + t.c.d1 * f.J;
        lin.Jddot[k][l] += t.c.v * f.Jddot + 2 * t.c.d1 * f.Jdot + t.c.d2 * f.J;
      }
      for (size_t f = 0; f < term.factors.size(); ++f) {
        const auto l = static_cast<size_t>(term.factors[f].local);
        const Taylor2<double>& by = t.by[f];
        lin.Jdot[k][l] += by.v * t.v + by.d1 * t.x;
        lin.Jddot[k][l] += by.v * t.a + 2 * by.d1 * t.v + by.d2 * t.x;
      }
    }
  }
}

void SpanPath::seed(const SkeletonAt& in, const SpanPathWorkspace& ws, size_t local, bool by_rate,
                    size_t direction, std::vector<SpanMotion<Chunk>>& motion) const {
  const SpanPathWorkspace::Linearizer& lin = *ws.linearizer;
  const SpanPathWorkspace::Linearizer::Axis& axis = lin.axes[local];
  const Vec3 origin = common_origin(in.ws);
  for (size_t j = 0; j < frames_.size(); ++j) {
    const SpanPathWorkspace::SpanColumns& S = ws.spans[j];
    const bool moved = moves(local, frames_[j].link);
    SpanMotion<Chunk>& out = motion[j];
    const auto to_S = [&](const Vec3& x) { return Vec3(S.R.transpose() * x); };
    for (size_t e = 0; e < 2; ++e) {
      const SpanPathWorkspace::PointColumns& X = ws.points[j + e];
      Vec3 w = X.J[local], wdot = lin.Jdot[j + e][local], wddot = lin.Jddot[j + e][local];
      if (moved) {
        const Field f = field(axis, X.x - origin, X.v, X.a);
        w -= f.J;
        wdot -= f.Jdot;
        wddot -= f.Jddot;
      }
      const Vec3 u = to_S(w), u1 = to_S(wdot - S.w.cross(w));
      const Vec3 u2 =
          to_S(wddot - 2 * S.w.cross(wdot) - S.alpha.cross(w) + S.w.cross(S.w.cross(w)));
      put(by_rate ? Vec3(Vec3::Zero()) : u, direction, out.x[e]);
      put(by_rate ? u : u1, direction, out.v[e]);
      put(by_rate ? Vec3(2 * u1) : u2, direction, out.a[e]);
    }
    Vec3 omega = Vec3::Zero(), velocity = omega, alpha = omega, acceleration = omega;
    if (moved) {
      const Vec3 w = angular(axis.s), wdot = angular(axis.sdot), wddot = angular(axis.sddot);
      // S.a may include gravity again; the axes' rates belong to accelerations less gravity.
      const Vec3 a = muscle_.gravity ? S.a : Vec3(S.a + in.ws.a[0].tail<3>());
      const Field f = field(axis, S.p - origin, S.v, a);
      if (by_rate) {
        omega = w;
        velocity = f.J;
        alpha = 2 * wdot - S.w.cross(w);
        acceleration = 2 * f.Jdot;
      } else {
        omega = wdot;
        velocity = f.Jdot - w.cross(S.v);
        alpha = wddot - S.w.cross(wdot);
        acceleration = f.Jddot - w.cross(S.a);
      }
    }
    put(to_S(omega), direction, out.omega);
    put(to_S(velocity), direction, out.velocity);
    put(to_S(alpha), direction, out.alpha);
    put(to_S(acceleration), direction, out.acceleration);
  }
}

void SpanPath::scatter(const SkeletonAt& in, const double* qddot, const SpanPathWorkspace& ws,
                       size_t local, bool by_rate, size_t direction, MatRef out) const {
  const SpanPathWorkspace::Linearizer& lin = *ws.linearizer;
  const Vec3 origin = common_origin(in.ws), axis = angular(lin.axes[local].s);
  const int col = dofs_[local];
  const auto add = [&](int link, const Vec3& torque, const Vec3& force) {
    // torque about the link's origin
    const Vec3 n = torque + (in.ws.link[static_cast<size_t>(link)].p - origin).cross(force);
    for (size_t l = 0; l < dofs_.size(); ++l)
      if (moves(l, link))
        out(dofs_[l], col) += angular(lin.axes[l].s).dot(n) + linear(lin.axes[l].s).dot(force);
  };
  const auto turning_of = [&](int link) {
    return by_rate || !moves(local, link) ? Vec3(Vec3::Zero()) : axis;
  };
  for (size_t j = 0; j < frames_.size(); ++j) {
    const SpanPathWorkspace::SpanColumns& S = ws.spans[j];
    const int link = frames_[j].link;
    const Vec3 force = S.R * take(lin.forces[j].force, direction);
    const Vec3 d = S.p - in.ws.link[static_cast<size_t>(link)].p;
    add(link, S.R * take(lin.forces[j].torque, direction) + d.cross(force), force);
  }
  for (size_t k = 0; k < points_.size(); ++k) {
    Vec3 dF = Vec3::Zero();  // as seen from the ground
    for (size_t e = 0; e < 2; ++e) {
      if (k < e || k - e >= frames_.size()) continue;
      const size_t j = k - e;  // the point is end e of span k − e
      const SpanPathWorkspace::SpanColumns& S = ws.spans[j];
      dF += S.R * take(lin.forces[j].end[e], direction) +
            turning_of(frames_[j].link).cross(S.R * ws.forces[j].end[e]);
    }
    const Vec3& F = ws.F[k];
    for (const Term& term : points_[k]) {
      const TermMotion t = motion_of(in, qddot, MuscleView::path, term);
      const auto own = [&](size_t factor) {
        return !by_rate && term.factors[factor].local == static_cast<int>(local);
      };
      Vec3 f = t.c.v * (dF - turning_of(term.link).cross(F));
      for (size_t l = 0; l < term.factors.size(); ++l) {
        if (own(l)) f += t.by[l].v * F;
        double row = t.by[l].v * t.x.dot(dF);
        if (!by_rate) row += t.by[l].v * column(in, local, term, t.x).dot(F);
        for (size_t m = 0; m < term.factors.size(); ++m)
          if (own(m))
            row +=
                t.second(static_cast<Eigen::Index>(l), static_cast<Eigen::Index>(m)) * t.x.dot(F);
        out(term.factors[l].dof, col) += row;
      }
      add(term.link, t.offset.cross(f), term.direction ? Vec3(Vec3::Zero()) : f);
    }
  }
}

void SpanPath::add_derivatives(const SkeletonAt& in, double tension, const double* qddot,
                               const DerivativeWorkspace& dws, SpanPathWorkspace& ws, MatRef dg_dq,
                               MatRef dg_dqdot) const {
  if (!ws.linearizer) ws.linearizer = std::make_unique<SpanPathWorkspace::Linearizer>();
  SpanPathWorkspace::Linearizer& lin = *ws.linearizer;
  const size_t spans = frames_.size();
  if (lin.motion.size() < spans) {
    lin.motion.resize(spans);
    lin.forces.resize(spans);
  }
  update_axes(in, qddot, dws, ws);
  differentiate_points(in, qddot, ws);
  const size_t directions = (force_view() == MuscleView::moving ? 2 : 1) * dofs_.size();
  for (size_t first = 0; first < directions; first += kChunk) {
    const size_t count = std::min<size_t>(kChunk, directions - first);
    for (size_t j = 0; j < spans; ++j) {
      const SpanMotion<double>& from = ws.motion[j];
      SpanMotion<Chunk>& to = lin.motion[j];
      for (size_t e = 0; e < 2; ++e) {
        to.x[e] = from.x[e].cast<Chunk>();
        to.v[e] = from.v[e].cast<Chunk>();
        to.a[e] = from.a[e].cast<Chunk>();
      }
      to.omega = from.omega.cast<Chunk>();
      to.velocity = from.velocity.cast<Chunk>();
      to.alpha = from.alpha.cast<Chunk>();
      to.acceleration = from.acceleration.cast<Chunk>();
    }
    const auto each = [&](auto&& apply) {
      for (size_t d = 0; d < count; ++d) {
        const size_t index = first + d;
        const bool by_rate = index >= dofs_.size();
        apply(by_rate ? index - dofs_.size() : index, by_rate, d);
      }
    };
    each([&](size_t l, bool by_rate, size_t d) { seed(in, ws, l, by_rate, d, lin.motion); });
    lin.kernel.update(muscle_, ws.solutions, lin.motion, force_view());
    lin.kernel.forces(Chunk(tension), lin.forces);
    each([&](size_t l, bool by_rate, size_t d) {
      scatter(in, qddot, ws, l, by_rate, d, by_rate ? dg_dqdot : dg_dq);
    });
  }
}

}  // namespace sinew
