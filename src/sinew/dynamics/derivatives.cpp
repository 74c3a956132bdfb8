#include "sinew/dynamics/derivatives.hpp"

#include <algorithm>

// With s_m the axis of coordinate m (world axes, one origin), φ_k and a_k the twist and spatial
// acceleration of the link k that it moves, and everything outboard of k turning with it, the
// derivatives of any outboard link j are those of turning rigidly plus
//     ∂φ_j/∂q_m ≙ ṡ_m,     ∂a_j/∂q_m ≙ s̈_m + ad(ṡ_m) φ_j,     ∂a_j/∂q̇_m = 2 ṡ_m + ad(s_m) φ_j.
// Turning rigidly changes the force of a subtree by turning it. So, with composite inertia I and
// B x = φ×* I x − I ad(φ) x + x ×* I φ summed over the subtree of the deeper joint,
//     m below i:   ∂g_i/∂q_m = s_i · (s_m ×* F_k + I s̈_m + B ṡ_m)
//     m above i:   ∂g_i/∂q_m = s_i · (I s̈_m + B ṡ_m)
//     one joint:   ∂g_i/∂q_m = s_i · (I s̈_m + B ṡ_m) + (∂S_i/∂q_m) · F
//     always:      ∂g_i/∂q̇_m = s_i · (2 I ṡ_m + B s_m),   M_im = s_i · I s_m.
// For a rigid link B = [İ − [n]  0; −2[l]  0], İ the rate of its second moment, n and l its
// momenta.

namespace sinew {
namespace {

inline Vec6 motion(const Vec3& w, const Vec3& v) {
  Vec6 out;
  out.head<3>() = w;
  out.tail<3>() = v;
  return out;
}

/// The same twist, about an origin that lies −d away.
inline Vec6 moved(const Vec6& x, const Vec3& d) {
  return motion(x.head<3>(), x.tail<3>() + d.cross(x.head<3>()));
}

/// x ×* f = −ad(x)ᵀ f.
inline Vec6 cross_dual(const Vec6& x, const Vec6& f) {
  return motion(x.head<3>().cross(f.head<3>()) + x.tail<3>().cross(f.tail<3>()),
                x.head<3>().cross(f.tail<3>()));
}

inline Vec6 I_times(const DerivativeWorkspace::Composite& c, const Vec6& x) {
  return motion(c.I * x.head<3>() + c.h.cross(x.tail<3>()),
                c.mass * x.tail<3>() + x.head<3>().cross(c.h));
}

inline Vec6 B_times(const DerivativeWorkspace::Composite& c, const Vec6& x) {
  return motion(c.Y * x.head<3>(), -2 * c.l.cross(x.head<3>()));
}

/// Bᵀ x has an angular part only.
inline Vec3 B_transpose_times(const DerivativeWorkspace::Composite& c, const Vec6& x) {
  return c.Y.transpose() * x.head<3>() + 2 * c.l.cross(x.tail<3>());
}

void load_composite(const Link& link, const LinkMotion& m, const LinkInertia& inertia,
                    const Vec3& d, DerivativeWorkspace::Composite& out) {
  const double* J = inertia.I;
  const Vec3& h0 = inertia.h;
  Mat3 I;
  I << J[0], J[1], J[2], J[1], J[3], J[4], J[2], J[4], J[5];
  I -= h0 * d.transpose() + d * h0.transpose() + link.mass * d * d.transpose();
  I.diagonal().array() += 2 * h0.dot(d) + link.mass * d.squaredNorm();
  out.mass = link.mass;
  out.h = h0 + link.mass * d;
  out.I = I;
  const Vec3 v = m.v + d.cross(m.w);
  out.l = link.mass * v + m.w.cross(out.h);
  const Vec3 n = I * m.w + out.h.cross(v);
  // E = Σ m x xᵀ, Ė = v hᵀ + [ω] E + transpose, İ = tr(Ė) − Ė.
  Mat3 E = -I;
  E.diagonal().array() += 0.5 * I.trace();
  const Mat3 half = v * out.h.transpose() + skew(m.w) * E;
  const Mat3 Edot = half + half.transpose();
  out.Y = -Edot - skew(n);
  out.Y.diagonal().array() += Edot.trace();
}

/// Axes and their rates for the one-axis joints, whose S is constant.
void load_axis(const Vec6& phi, const Vec6& a, const Vec3& d, const Vec6& s, Vec6& s_out,
               Vec6& sdot, Vec6& sddot) {
  s_out = moved(s, d);
  sdot = ad_times(phi, s_out);
  sddot = ad_times(a, s_out) + ad_times(phi, sdot);
}

void load_generic_axes(const Link& link, const JointMotion& joint, const LinkMotion& m,
                       const Vec6& phi, const Vec6& a, const Vec3& d, Coordinates qdot,
                       Coordinates qddot, const JointMotionDerivatives& derivatives,
                       const Vec6* s_link, Vec6* s, Vec6* sdot, Vec6* sddot) {
  const int n = link.dof_count;
  const Eigen::Map<const VecX> qd(qdot.data(), n), qdd(qddot.data(), n);
  const auto to_common = [&](const Vec6& x_J) {
    return moved(motion(m.R * x_J.head<3>(), m.R * x_J.tail<3>()), d);
  };
  const Vec6 u = joint.S * qd;  // the joint's twist
  const Vec6 udot = joint.S * qdd + joint.Sdot * qd;
  for (int k = 0; k < n; ++k) {
    // S̈_k from ∂(Ṡq̇)/∂q and ∂S/∂q by exchanging the order of differentiation (Maurer–Cartan).
    const Vec6 S_k = joint.S.col(k), Sdot_k = joint.Sdot.col(k);
    const Vec6 Sddot_k = derivatives.dSdot_qdot.col(k) +
                         derivatives.dS[static_cast<size_t>(k)] * qdd - ad_times(udot, S_k) -
                         ad_times(u, Sdot_k);
    const Vec6 Sdot_c = to_common(Sdot_k);
    s[k] = moved(s_link[k], d);
    sdot[k] = ad_times(phi, s[k]) + Sdot_c;
    sddot[k] = ad_times(a, s[k]) + ad_times(phi, sdot[k] + Sdot_c) + to_common(Sddot_k);
  }
}

}  // namespace

DerivativeWorkspace::DerivativeWorkspace(const Skeleton& skeleton)
    : composite(static_cast<size_t>(skeleton.link_count())),
      s(static_cast<size_t>(skeleton.dof_count())),
      sdot(s.size()),
      sddot(s.size()),
      F(composite.size()),
      joint(composite.size()),
      K(composite.size()),
      D(composite.size()) {}

void inverse_dynamics_derivatives(const Skeleton& skeleton, const VecView& q, const VecView& qdot,
                                  const VecView& qddot, const SkeletonWorkspace& ws,
                                  DerivativeWorkspace& dws, MatX& M, MatX& dg_dq, MatX& dg_dqdot) {
  const int count = skeleton.link_count();
  const Vec3 origin = common_origin(ws);
  for (int i = 1; i < count; ++i) {
    const auto ii = static_cast<size_t>(i);
    const Link& link = skeleton.link(i);
    const LinkMotion& m = ws.link[ii];
    const Vec3 d = m.p - origin;
    load_composite(link, m, ws.inertia[ii], d, dws.composite[ii]);
    dws.F[ii] = motion(ws.F[ii].head<3>() + d.cross(ws.F[ii].tail<3>()), ws.F[ii].tail<3>());

    const Vec6 phi = moved(motion(m.w, m.v), d);
    // The recursions carry the acceleration of the link's origin; the spatial one lacks ω × v.
    const Vec6& a_o = ws.a[ii];
    const Vec6 a = moved(motion(a_o.head<3>(), a_o.tail<3>() - m.w.cross(m.v)), d);
    const auto k = static_cast<size_t>(link.dof);
    if (link.kind == LinkKind::generic) {
      const auto n = static_cast<size_t>(link.dof_count);
      const Coordinates q_j(q.data() + link.dof, n), qdot_j(qdot.data() + link.dof, n);
      skeleton.body(link.body).joint.differentiate(q_j, qdot_j, dws.joint[ii]);
      load_generic_axes(link, ws.joint[ii], m, phi, a, d, qdot_j, {qddot.data() + link.dof, n},
                        dws.joint[ii], &ws.s[k], &dws.s[k], &dws.sdot[k], &dws.sddot[k]);
    } else {
      load_axis(phi, a, d, ws.s[k], dws.s[k], dws.sdot[k], dws.sddot[k]);
    }
  }

  M.setZero();
  dg_dq.setZero();
  dg_dqdot.setZero();
  for (int i = count - 1; i > 0; --i) {
    const auto ii = static_cast<size_t>(i);
    const Link& link = skeleton.link(i);
    const DerivativeWorkspace::Composite& c = dws.composite[ii];
    for (int m = link.dof; m < link.dof + link.dof_count; ++m) {
      const auto mm = static_cast<size_t>(m);
      const Vec6 &s = dws.s[mm], &sdot = dws.sdot[mm], &sddot = dws.sddot[mm];
      const Vec6 I_s = I_times(c, s);
      const Vec3 Bt_s = B_transpose_times(c, s);
      const Vec6 by_q = I_times(c, sddot) + B_times(c, sdot);
      const Vec6 by_qdot = 2 * I_times(c, sdot) + B_times(c, s);
      for (int l = link.dof; l < link.dof + link.dof_count; ++l) {
        const Vec6& s_l = dws.s[static_cast<size_t>(l)];
        M(l, m) = s_l.dot(I_s);
        dg_dq(l, m) = s_l.dot(by_q);
        dg_dqdot(l, m) = s_l.dot(by_qdot);
      }
      if (link.kind == LinkKind::generic) {
        const Mat3& R = ws.link[ii].R;
        const Vec6& F = ws.F[ii];
        const Vec6 F_J = motion(R.transpose() * F.head<3>(), R.transpose() * F.tail<3>());
        const Mat6Xb& dS = dws.joint[ii].dS[static_cast<size_t>(m - link.dof)];
        for (int l = 0; l < link.dof_count; ++l) dg_dq(link.dof + l, m) += dS.col(l).dot(F_J);
      }
      const Vec6 by_q_above = by_q + cross_dual(s, dws.F[ii]);
      for (int j = link.parent; j > 0; j = skeleton.link(j).parent) {
        const Link& above = skeleton.link(j);
        for (int l = above.dof; l < above.dof + above.dof_count; ++l) {
          const auto ll = static_cast<size_t>(l);
          const Vec6& s_l = dws.s[ll];
          M(l, m) = M(m, l) = s_l.dot(I_s);
          dg_dq(l, m) = s_l.dot(by_q_above);
          dg_dqdot(l, m) = s_l.dot(by_qdot);
          dg_dq(m, l) = I_s.dot(dws.sddot[ll]) + Bt_s.dot(dws.sdot[ll].head<3>());
          dg_dqdot(m, l) = 2 * I_s.dot(dws.sdot[ll]) + Bt_s.dot(s_l.head<3>());
        }
      }
    }
    if (link.parent > 0) {
      DerivativeWorkspace::Composite& p = dws.composite[static_cast<size_t>(link.parent.value)];
      p.mass += c.mass;
      p.h += c.h;
      p.I += c.I;
      p.l += c.l;
      p.Y += c.Y;
    }
  }
}

namespace {

/// A block between links a and b, about their own origins, moved to the common one: X_aᵀ K X_b with
/// X = [1 0; −[d] 1], which takes a twist about the common origin to one about the link's. Written
/// out without its zeros, with sums in the order that the product of matrices has.
Mat6 to_common(const Mat6& K, const Vec3& d_a, const Vec3& d_b) {
  Mat6 T = K;  // X_aᵀ K: each column as a wrench is moved
  for (int j = 0; j < 6; ++j) {
    const double f_x = K(3, j), f_y = K(4, j), f_z = K(5, j);
    T(0, j) = (K(0, j) - d_a.z() * f_y) + d_a.y() * f_z;
    T(1, j) = K(1, j) + (d_a.z() * f_x - d_a.x() * f_z);
    T(2, j) = (K(2, j) + d_a.x() * f_y) - d_a.y() * f_x;
  }
  Mat6 out = T;
  out.col(0) = (T.col(0) - d_b.z() * T.col(4)) + d_b.y() * T.col(5);
  out.col(1) = (T.col(1) + d_b.z() * T.col(3)) - d_b.x() * T.col(5);
  out.col(2) = (T.col(2) - d_b.y() * T.col(3)) + d_b.x() * T.col(4);
  return out;
}

template <class Visit>
void for_each_dof_above(const Skeleton& skeleton, int link, Visit visit) {
  for (int j = link; j > 0; j = skeleton.link(j).parent) {
    const Link& above = skeleton.link(j);
    for (int l = above.dof; l < above.dof + above.dof_count; ++l) visit(l);
  }
}

}  // namespace

void subtract_force_derivatives(const Skeleton& skeleton, const SkeletonWorkspace& ws,
                                const ForceDerivatives& forces, StiffnessModel kind,
                                DerivativeWorkspace& dws, MatX& dg_dq, MatX& dg_dqdot) {
  dg_dq.diagonal() -= forces.dtau_dq;
  dg_dqdot.diagonal() -= forces.dtau_dqdot;
  for (const ForceDerivatives::CoordinatePair& pair : forces.coordinate_pairs)
    dg_dq(pair.i, pair.j) -= pair.K;
  const bool any =
      std::any_of(forces.touched.begin(), forces.touched.end(), [](char t) { return t; });
  if (!any && forces.pairs.empty()) return;

  const int count = skeleton.link_count();
  const Vec3 origin = common_origin(ws);
  const bool full = kind == StiffnessModel::exact;
  if (!full)
    for (int i = 1; i < count; ++i) {
      const Link& link = skeleton.link(i);
      for (int k = link.dof; k < link.dof + link.dof_count; ++k)
        dws.s[static_cast<size_t>(k)] =
            moved(ws.s[static_cast<size_t>(k)], ws.link[static_cast<size_t>(i)].p - origin);
    }

  // One body with itself: subtree sums, then every pair of coordinates on one path to the root.
  if (any) {
    for (int i = 1; i < count; ++i) {
      const auto ii = static_cast<size_t>(i);
      const Vec3 d = ws.link[ii].p - origin;
      dws.K[ii] = forces.touched[ii] ? to_common(forces.K[ii], d, d) : Mat6::Zero();
      dws.D[ii] = forces.touched[ii] ? to_common(forces.D[ii], d, d) : Mat6::Zero();
    }
    for (int i = count - 1; i > 0; --i) {
      const auto ii = static_cast<size_t>(i);
      const Link& link = skeleton.link(i);
      const Mat6 &K = dws.K[ii], &D = dws.D[ii];
      for (int m = link.dof; m < link.dof + link.dof_count; ++m) {
        const auto mm = static_cast<size_t>(m);
        const Vec6& s = dws.s[mm];
        const Vec6 D_s = D * s, Kt_s = K.transpose() * s, Dt_s = D.transpose() * s;
        Vec6 K_s = K * s;
        if (full) K_s += D * dws.sdot[mm];
        for (int l = link.dof; l < link.dof + link.dof_count; ++l) {
          dg_dq(l, m) -= dws.s[static_cast<size_t>(l)].dot(K_s);
          dg_dqdot(l, m) -= dws.s[static_cast<size_t>(l)].dot(D_s);
        }
        for_each_dof_above(skeleton, link.parent, [&](int l) {
          const auto ll = static_cast<size_t>(l);
          dg_dq(l, m) -= dws.s[ll].dot(K_s);
          dg_dqdot(l, m) -= dws.s[ll].dot(D_s);
          dg_dq(m, l) -= Kt_s.dot(dws.s[ll]);
          if (full) dg_dq(m, l) -= Dt_s.dot(dws.sdot[ll]);
          dg_dqdot(m, l) -= Dt_s.dot(dws.s[ll]);
        });
      }
      if (link.parent > 0) {
        dws.K[static_cast<size_t>(link.parent.value)] += K;
        dws.D[static_cast<size_t>(link.parent.value)] += D;
      }
    }
  }

  for (const ForceDerivatives::Pair& pair : forces.pairs) {
    const Vec3 d_a = ws.link[static_cast<size_t>(pair.a)].p - origin;
    const Vec3 d_b = ws.link[static_cast<size_t>(pair.b)].p - origin;
    const Mat6 K = to_common(pair.K, d_a, d_b), D = to_common(pair.D, d_a, d_b);
    for_each_dof_above(skeleton, pair.b, [&](int m) {
      const auto mm = static_cast<size_t>(m);
      const Vec6 D_s = D * dws.s[mm];
      Vec6 K_s = K * dws.s[mm];
      if (full) K_s += D * dws.sdot[mm];
      for_each_dof_above(skeleton, pair.a, [&](int l) {
        dg_dq(l, m) -= dws.s[static_cast<size_t>(l)].dot(K_s);
        dg_dqdot(l, m) -= dws.s[static_cast<size_t>(l)].dot(D_s);
      });
    });
  }
}

}  // namespace sinew
