#pragma once

#include "sinew/muscles/fast/lane_numbers.hpp"

namespace sinew::lanes {
namespace {

/// Integrals over the mass, in S about its origin: y the position, y′ = ∂y/∂q.
template <int n>
struct Integrals {
  using V = typename Numbers<n>::V;
  using Q = typename Numbers<n>::Q;
  V h[3] = {}, E[6] = {};               ///< ∫y; ∫y yᵀ: xx xy xz yy yz zz
  V G[3][3] = {};                       ///< ∫y′ yᵀ
  V f[3] = {}, M = {};                  ///< ∫y′; ∫y′·y′
  V ddh[3] = {}, ddn[3] = {}, Q2 = {};  ///< ∫ÿ; ∫y × ÿ; ∫y′·ÿ

  /// A mass m at y or, without `at_place`, a spread m about a place already counted.
  void add(const Q (&y)[3], V m, bool at_place) {
    V my[3];
    for (int a = 0; a < 3; ++a) {
      my[a] = m * y[a].v;
      if (!at_place) continue;
      h[a] += my[a];
      f[a] += m * y[a].d;
      ddh[a] += m * y[a].e;
    }
    E[0] += my[0] * y[0].v;
    E[1] += my[0] * y[1].v;
    E[2] += my[0] * y[2].v;
    E[3] += my[1] * y[1].v;
    E[4] += my[1] * y[2].v;
    E[5] += my[2] * y[2].v;
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) G[a][b] += y[a].d * my[b];
    ddn[0] += my[1] * y[2].e - my[2] * y[1].e;
    ddn[1] += my[2] * y[0].e - my[0] * y[2].e;
    ddn[2] += my[0] * y[1].e - my[1] * y[0].e;
    M += m * (y[0].d * y[0].d + y[1].d * y[1].d + y[2].d * y[2].d);
    Q2 += m * (y[0].d * y[0].e + y[1].d * y[1].e + y[2].d * y[2].e);
  }

  /// A mass m on an arc about z: radius r, angle θ + ξ δ and height z + ξ s for ξ from −1 to 1; u
  /// the unit vector at ξ = 0 and w the one a quarter turn further. With e_r = u cos ψ + w sin ψ,
  ///     y = r e_r + z e_z,   y′ = r′ e_r + r θ′ e_θ + z′ e_z,
  ///     ÿ = (r̈ − r θ̇²) e_r + (r θ̈ + 2 ṙ θ̇) e_θ + z̈ e_z.
  void add_arc(V m, const Q& r, const Q& theta, const Q& delta, const Q& z, const Q& s,
               const V (&u)[2], V rate) {
    const typename Numbers<n>::Averages at(delta.v);
    constexpr double over3 = 1.0 / 3;
    const V rdot = r.d * rate, tdot = theta.d * rate, ddot = delta.d * rate;
    const V in0 = r.e - r.v * (tdot * tdot);  // ÿ along e_r: in0 + ξ in1 + ξ² in2
    const V in1 = -2.0 * r.v * (tdot * ddot), in2 = -r.v * (ddot * ddot);
    const V on0 = r.v * theta.e + 2.0 * (rdot * tdot);  // along e_θ: on0 + ξ on1
    const V on1 = r.v * delta.e + 2.0 * (rdot * ddot);

    M += m * (r.d * r.d + r.v * r.v * (theta.d * theta.d + over3 * delta.d * delta.d) + z.d * z.d +
              over3 * (s.d * s.d));
    Q2 += m * (r.d * (in0 + over3 * in2) + r.v * (theta.d * on0 + over3 * (delta.d * on1)) +
               z.d * z.e + over3 * (s.d * s.e));

    // Components along u and w; then to x and y.
    const auto add2 = [&](V(&out)[3], V along_u, V along_w) {
      out[0] += m * (along_u * u[0] - along_w * u[1]);
      out[1] += m * (along_u * u[1] + along_w * u[0]);
    };
    const V zero = {};
    add2(h, r.v * at.c0, zero);
    h[2] += m * z.v;
    add2(f, r.d * at.c0 - r.v * (delta.d * at.s1), r.v * (theta.d * at.c0));
    f[2] += m * z.d;
    add2(ddh, in0 * at.c0 + in2 * at.c2 - on1 * at.s1, in1 * at.s1 + on0 * at.c0);
    ddh[2] += m * z.e;

    // y × ÿ = r (along e_θ) e_z + (z (along e_r) − r z̈) e_θ − z (along e_θ) e_r
    const V p0 = z.v * in0 - r.v * z.e, p1 = s.v * in0 + z.v * in1 - r.v * s.e;
    const V p2 = z.v * in2 + s.v * in1, p3 = s.v * in2;
    add2(ddn, -(p1 * at.s1 + p3 * at.s3) - (z.v * on0 * at.c0 + s.v * on1 * at.c2),
         p0 * at.c0 + p2 * at.c2 - (z.v * on1 + s.v * on0) * at.s1);
    ddn[2] += m * (r.v * on0);

    // ∫e_r e_rᵀ = ½(1 + C) u uᵀ + ½(1 − C) w wᵀ = ½ + ½ C (u uᵀ − w wᵀ)
    const V cc = 0.5 * at.c0_twice, ss = 0.5 * at.s1_twice;
    const V uu = u[0] * u[0] - u[1] * u[1], ud = 2.0 * (u[0] * u[1]);  // u uᵀ − w wᵀ: xx, xy
    const V r2 = m * (r.v * r.v);
    E[0] += r2 * (0.5 + cc * uu);
    E[1] += r2 * (cc * ud);
    E[3] += r2 * (0.5 - cc * uu);
    const V zu = r.v * (z.v * at.c0), zw = r.v * (s.v * at.s1);
    E[2] += m * (zu * u[0] - zw * u[1]);
    E[4] += m * (zu * u[1] + zw * u[0]);
    E[5] += m * (z.v * z.v + over3 * (s.v * s.v));

    // ∫y′yᵀ across z: r r′ ∫e_r e_rᵀ + r² ∫θ′ e_θ e_rᵀ, the latter
    // −½ δ′S (u uᵀ − w wᵀ) + ½ θ′ (w uᵀ − u wᵀ) + ½ θ′ C (w uᵀ + u wᵀ)
    const V rr = m * (r.v * r.d);
    const V sym = rr * cc - r2 * (delta.d * ss), turn = r2 * theta.d;
    G[0][0] += 0.5 * rr + sym * uu - turn * (cc * ud);
    G[1][1] += 0.5 * rr - sym * uu + turn * (cc * ud);
    G[0][1] += sym * ud + turn * (cc * uu - 0.5);
    G[1][0] += sym * ud + turn * (cc * uu + 0.5);
    const V au = r.d * (z.v * at.c0) - r.v * ((theta.d * s.v + delta.d * z.v) * at.s1);
    const V aw = r.d * (s.v * at.s1) + r.v * (theta.d * z.v * at.c0 + delta.d * s.v * at.c2);
    G[0][2] += m * (au * u[0] - aw * u[1]);
    G[1][2] += m * (au * u[1] + aw * u[0]);
    const V bu = r.v * (z.d * at.c0), bw = r.v * (s.d * at.s1);
    G[2][0] += m * (bu * u[0] - bw * u[1]);
    G[2][1] += m * (bu * u[1] + bw * u[0]);
    G[2][2] += m * (z.d * z.v + over3 * (s.d * s.v));
  }

  void second_moments(V (&out)[3][3]) const {
    out[0][0] = E[0];
    out[1][1] = E[3];
    out[2][2] = E[5];
    out[0][1] = out[1][0] = E[1];
    out[0][2] = out[2][0] = E[2];
    out[1][2] = out[2][1] = E[4];
  }
  /// ∫y × y′
  void momentum(V (&out)[3]) const {
    out[0] = G[2][1] - G[1][2];
    out[1] = G[0][2] - G[2][0];
    out[2] = G[1][0] - G[0][1];
  }

  /// Equation (11b): S turns with w and its rate al, its origin accelerates with a.
  void forces(V mass, const V (&w)[3], const V (&al)[3], const V (&a)[3], V rate, V (&force)[3],
              V (&torque)[3], V& tau) const {
    V full[3][3], n_k[3];
    second_moments(full);
    momentum(n_k);
    const V trace_E = E[0] + E[3] + E[5], trace_G = G[0][0] + G[1][1] + G[2][2];
    V Ew[3], Ea[3], Gw[3], ah[3], wh[3], wwh[3], wf[3], ha[3], wEw[3];
    V w2 = {}, wGw = {};
    for (int k = 0; k < 3; ++k) {
      Ew[k] = full[k][0] * w[0] + full[k][1] * w[1] + full[k][2] * w[2];
      Ea[k] = full[k][0] * al[0] + full[k][1] * al[1] + full[k][2] * al[2];
      Gw[k] = G[k][0] * w[0] + G[k][1] * w[1] + G[k][2] * w[2];
      w2 += w[k] * w[k];
      wGw += w[k] * Gw[k];
    }
    cross(al, h, ah);
    cross(w, h, wh);
    cross(w, wh, wwh);
    cross(w, f, wf);
    cross(h, a, ha);
    cross(w, Ew, wEw);
    tau = Q2 + wGw - w2 * trace_G;
    for (int k = 0; k < 3; ++k) {
      force[k] = mass * a[k] + ah[k] + wwh[k] + 2.0 * rate * wf[k] + ddh[k];
      torque[k] =
          ha[k] + trace_E * al[k] - Ea[k] - wEw[k] + 2.0 * rate * (trace_G * w[k] - Gw[k]) + ddn[k];
      tau += f[k] * a[k] + n_k[k] * al[k];
    }
  }
};

}  // namespace
}  // namespace sinew::lanes
