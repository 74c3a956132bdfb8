#pragma once

#include <algorithm>
#include <cmath>

#include "sinew/muscles/wrap/elastic_band.hpp"
#include "sinew/muscles/wrap/geodesic.hpp"

/// The search for the path in `solve` of geodesic.hpp, in plain numbers, always from a cold start:
/// it follows the solution while the surface is inflated from the level that the chord just
/// touches, where T₁ is the chord's deepest point and ℓ = 0, to the level wanted. If that fails, or
/// ends on a path that is not shortest, or the chord passes on the wrong side, an elastic band
/// (elastic_band.hpp) laid over the right side finds the neighbourhood of the path.

namespace sinew::geodesic {

/// A geodesic with Jacobi's field along it: the sideways distance J of the path that leaves o in a
/// direction turned by one unit. J = l_o, J′ = 1 at T₁ and J″ = −K J on the arc.
struct Trace {
  Ray<double> start{Vec3::Zero(), Vec3::Zero()}, middle = start, end = start;
  double field = 0, slope = 0;  ///< J and J′ at T₂
  bool held = false;            ///< pulled onto the surface, tᵀHt > 0, everywhere
  bool unfocused = false;       ///< J > 0 everywhere
};

template <class Surface>
class Search {
 public:
  Search(const Surface& surface, const Vec3& o, const Vec3& i)
      : surface_(surface), o_(o), i_(i), size_(surface.size()) {}

  /// `steps` is even: J advances by RK4 over pairs of them.
  Trace trace(const Unknowns<double>& u, int steps) const {
    Trace out;
    const Vec3 t1 = u.head<3>();
    Ray<double> y = out.start = departure(surface_, o_, t1);
    double field = (t1 - o_).norm(), slope = 1;
    out.held = out.unfocused = true;
    const double h = u[3] / steps, w = 2 * h;
    double k0 = surface_.gaussian_curvature(t1);
    for (int k = 0; k < steps; k += 2) {
      if (k <= steps / 2) out.middle = y;
      const auto step = [&] {
        const Vec3 a = acceleration(surface_, y.x, y.t);
        if (!(a.dot(surface_.normal(y.x)) < 0)) out.held = false;
        y = advance(surface_, y, a, h);
        return surface_.gaussian_curvature(y.x);
      };
      const double k1 = step(), k2 = step();
      const double a1 = -k0 * field;
      const double v2 = slope + w / 2 * a1, a2 = -k1 * (field + w / 2 * slope);
      const double v3 = slope + w / 2 * a2, a3 = -k1 * (field + w / 2 * v2);
      const double v4 = slope + w * a3, a4 = -k2 * (field + w * v3);
      field += w / 6 * (slope + 2 * v2 + 2 * v3 + v4);
      slope += w / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
      if (!(field > 0)) out.unfocused = false;
      k0 = k2;
    }
    out.end = y;
    out.field = field;
    out.slope = slope;
    return out;
  }

  /// Approaches the solution at the level `delta` until steps are below `tolerance` × size. The
  /// path is varied on the level set alone: T₁ by ξ along the path and by η sideways, T₂ by
  /// ζ = ξ + Δℓ along and by the field J sideways, with the second fundamental form h = H/|G| of
  /// both points (docs/theory/wrapping_general.md, search direction). `last`, if given, becomes the
  /// path that was traced last, its ends moved by the last step's change.
  bool approach(double delta, int steps, double tolerance, int most, Unknowns<double>& u,
                Trace* last = nullptr) const {
    for (int iteration = 0; iteration < most; ++iteration) {
      if (!settle(delta, u)) return false;
      const Trace path = trace(u, steps);
      const LevelValue f1 = surface_.jet(path.start.x), f2 = surface_.jet(path.end.x);
      const double g1 = f1.gradient.norm(), g2 = f2.gradient.norm();
      const Vec3 n1 = f1.gradient / g1, n2 = f2.gradient / g2;
      const Vec3 t1 = path.start.t, b1 = n1.cross(t1);
      const Vec3 t2 = path.end.t, b2 = n2.cross(t2);
      const Vec3 before = path.start.x - o_, after = i_ - path.end.x;
      const double l_o = before.dot(t1), scale = 1 / before.norm();
      const Vec3 h1 = f1.hessian * t1 / g1, h2t = f2.hessian * t2 / g2, h2b = f2.hessian * b2 / g2;
      const double r1 = n1.dot(before), r2 = n2.dot(after), r3 = b2.dot(after);
      const double along = after.dot(t2), field = path.field * scale, slope = path.slope * scale;
      Eigen::Matrix2d m;  // ∂(r2, r3)/∂(ζ, η)
      m << h2t.dot(t2) * along + h2t.dot(b2) * r3,
          field * (h2b.dot(t2) * along + h2b.dot(b2) * r3),  //
          -h2t.dot(b2) * r2, -slope * along - h2b.dot(b2) * field * r2 - field;
      const double determinant = m.determinant();
      const double zeta = (m(1, 1) * r2 - m(0, 1) * r3) / determinant;
      const double eta = (m(0, 0) * r3 - m(1, 0) * r2) / determinant;
      const double xi = (r1 - h1.dot(b1) * l_o * eta) / (h1.dot(t1) * l_o);
      const double longest = std::max({std::abs(zeta), std::abs(eta), std::abs(xi)});
      if (!(longest < 1e3 * size_)) return false;  // NaN, too
      const double part = std::min(1.0, 0.5 * size_ / longest);
      u.head<3>() -= part * (xi * t1 + eta * b1);
      u[3] -= part * (zeta - xi);
      if (longest > tolerance * size_) continue;
      if (!settle(delta, u)) return false;
      if (last) {
        *last = path;
        last->start.x = u.head<3>();
        last->end.x -= part * (zeta * t2 + field * eta * b2);
      }
      return true;
    }
    return false;
  }

  /// One Newton step with the exact Jacobian, which is left inverted; returns the step's size.
  double polish(double delta, Unknowns<double>& u, Mat4& inverse) const {
    using Seed = Dual<double, 4>;
    const Point<Seed> o = o_.cast<Seed>(), i = i_.cast<Seed>();
    Unknowns<Seed> seeded;
    for (int k = 0; k < 4; ++k) seeded[k] = Seed::Variable(u[k], k);
    const Unknowns<Seed> r = residual(surface_, o, i, Seed(delta), seeded);
    Mat4 jacobian;
    Unknowns<double> value;
    for (int row = 0; row < 4; ++row) {
      value[row] = r[row].v;
      for (int k = 0; k < 4; ++k) jacobian(row, k) = r[row].d[static_cast<size_t>(k)];
    }
    inverse = jacobian.inverse();
    const Unknowns<double> change = inverse * value;
    u -= change;
    return change.cwiseAbs().maxCoeff();
  }

  /// Follows the path from the level `from` of the grazing point p to the level `to`.
  bool inflate(const Vec3& p, double from, double to, Unknowns<double>& u) const {
    u << p, 0;
    double done = 0, step = std::min(1.0, 0.5 * size_ / std::abs(to - from));
    while (done < 1) {
      if (step < 1e-3) return false;
      const double next = std::min(1.0, done + step);
      Unknowns<double> trial = u;
      const bool ok = approach(from + next * (to - from), kCoarseSteps, 0.02, 5, trial) &&
                      trial[3] >= -1e-9 * size_ && (trial - u).cwiseAbs().maxCoeff() < 1.5 * size_;
      if (ok) {
        u = trial;
        done = next;
        step *= 2;
      } else {
        step *= 0.4;
      }
    }
    return true;
  }

  /// A first guess from an elastic band that is led past the surface by the point `via`, beside the
  /// chord's point p. Its anchors are near, so that its knots are close enough to each other.
  bool lay_band(const Vec3& p, const Vec3& via, Unknowns<double>& u) const {
    const auto jet = [this](const Vec3& x) { return surface_.jet(x); };
    const band::Barrier barrier{size_, 0.04 * size_};
    const auto near = [&](const Vec3& anchor) {
      const double far = (anchor - p).norm();
      double reach = 4 * size_;
      while (reach < far && surface_.value(Vec3(p + reach / far * (anchor - p))) < 0.5 * size_)
        reach *= 1.3;
      return reach < far ? Vec3(p + reach / far * (anchor - p)) : anchor;
    };
    const Vec3 o = near(o_), i = near(i_), past = size_ * (i_ - o_).normalized();
    // First past the surface, then down to the anchors.
    band::Knots x = band::bent_knots(o, via - past, via + past, i);
    if (!band::settle(jet, barrier, 1e-3, x)) return false;
    size_t first = band::kPieces, last = 0;
    for (size_t k = 1; k < band::kPieces; ++k)
      if (surface_.value(x[k]) < 3 * barrier.range) {
        first = std::min(first, k);
        last = k;
      }
    if (first >= last) return false;
    u << x[first], static_cast<double>(last - first) * (x[first + 1] - x[first]).norm();
    return true;
  }

  /// Whether a solution is a path: held by the surface, shortest among its neighbours (J > 0 up to
  /// i: Jacobi's condition), and clear of other parts of the surface.
  SpanStatus judge(const Unknowns<double>& u) const { return judge(u, trace(u, kSteps)); }
  /// The same for a path already traced.
  SpanStatus judge(const Unknowns<double>& u, const Trace& path) const {
    const Vec3 before = path.start.x - o_, after = i_ - path.end.x;
    const double l_o = before.norm(), l_i = after.norm();
    const bool taut = path.held && path.unfocused &&
                      surface_.on_side(path.middle.x, path.middle.t) && after.dot(path.end.t) > 0 &&
                      path.field + l_i * path.slope > kFocus * (l_o + u[3] + l_i);
    if (!taut || !surface_.clear(o_, path.start.x) || !surface_.clear(path.end.x, i_))
      return SpanStatus::no_path;
    return SpanStatus::wrapped;
  }

 private:
  /// The field at i, over the path's length, below which the path counts as lost: its direction
  /// there changes by 1/kFocus for a unit turn of the chord.
  static constexpr double kFocus = 1e-4;

  /// Puts T₁ on the level.
  bool settle(double delta, Unknowns<double>& u) const {
    Vec3 x = u.head<3>();
    for (int k = 0; k < 20; ++k) {
      const Vec3 g = surface_.gradient(x);
      const double error = surface_.value(x) - delta;
      if (!(std::abs(error) < 1e3 * size_)) return false;
      x -= error / g.squaredNorm() * g;
      if (std::abs(error) < 1e-9 * size_) break;
    }
    u.head<3>() = x;
    return true;
  }

  const Surface& surface_;
  Vec3 o_, i_;
  double size_;
};

/// Refines a first guess to the path at the wanted level; true if it is a path.
template <class Surface>
SpanStatus finish(const Search<Surface>& search, double size, double level, Found& found) {
  if (!search.approach(level, kSteps, 1e-5, 20, found.u)) return SpanStatus::not_converged;
  // The inverse belongs to the start of the last step; `shape` needs it more accurate than the
  // path.
  double change = search.polish(level, found.u, found.inverse);
  for (int k = 0; k < 4 && change > 1e-12 * size; ++k)
    change = search.polish(level, found.u, found.inverse);
  if (!(change <= 1e-10 * size)) return SpanStatus::not_converged;
  // At the very edge of the band it is the chord up to rounding.
  if (std::abs(found.u[3]) <= 1e-15 * size) return SpanStatus::free;
  if (found.u[3] < 0) return SpanStatus::no_path;
  return search.judge(found.u);
}

template <class Surface>
SpanStatus find(const Surface& surface, const Vec3& o, const Vec3& i, const ChordMinimum& chord,
                double level, Found& found) {
  const Search<Surface> search(surface, o, i);
  const double size = surface.size();
  SpanStatus status = SpanStatus::not_converged;
  if (!chord.wrong_side && search.inflate(o + chord.s * (i - o), chord.depth, level, found.u))
    status = finish(search, size, level, found);
  if (!failed(status)) return status;
  if constexpr (requires { surface.guess(o, i, level, found.u); }) {
    if (surface.guess(o, i, level, found.u)) {
      status = finish(search, size, level, found);
      if (!failed(status)) return status;
    }
  }
  const Vec3 p = o + chord.s * (i - o);
  if (!search.lay_band(p, surface.beside(o, i, chord), found.u)) return status;
  return finish(search, size, level, found);
}

template <class Surface>
SpanSolution solve(const Surface& surface, WrapKind model, double band, const Vec3& o,
                   const Vec3& i) {
  SpanSolution solution;
  const double least = kClearance * surface.size();
  if (!(surface.value(o) > least && surface.value(i) > least)) {
    solution.status = SpanStatus::anchor_inside;
    return solution;
  }
  const ChordMinimum chord = surface.chord(o, i);
  if (!chord.found) return solution;
  double level = 0, half_width = 0;
  if (model == WrapKind::smooth && !chord.wrong_side) {
    const auto smooth = smooth_level(surface, band, chord.s, o, i);
    half_width = smooth.half_width;
    level = smooth.level;
  }
  if (chord.depth >= half_width) return solution;
  Found found;
  found.s = chord.s;
  found.in_band = chord.depth > -half_width ? 1 : 0;
  const SpanStatus status = find(surface, o, i, chord, found.in_band != 0 ? level : 0, found);
  if (status == SpanStatus::wrapped) solution = pack(found);
  solution.status = status;
  return solution;
}

}  // namespace sinew::geodesic
