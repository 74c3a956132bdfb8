#pragma once

#include <array>

#include "sinew/dynamics/workspace.hpp"

/// The two sweeps that take right-hand sides of M x = b through the factors of M (aba.cpp has the
/// formulas), link by link. N of them at once: each is one chain of dependent operations, and two
/// chains take hardly longer than one.

namespace sinew {

/// One number of each of the N.
template <int N>
using Lane = Eigen::Array<double, N, 1>;
template <int N>
using Lane3 = Eigen::Array<double, N, 3>;

/// A wrench (moment; force) or an acceleration (angular; linear) of each. In memory: the N first
/// components, the N second ones, …
template <int N>
struct SpatialLanes {
  Lane3<N> w, v;

  explicit SpatialLanes(const double* x) : w(Lane3<N>::Map(x)), v(Lane3<N>::Map(x + 3 * N)) {}
  Vec6 lane(int c) const { return Vec6{w(c, 0), w(c, 1), w(c, 2), v(c, 0), v(c, 1), v(c, 2)}; }
  void set_lane(int c, const Vec6& x) {
    for (int k = 0; k < 3; ++k) {
      w(c, k) = x[k];
      v(c, k) = x[3 + k];
    }
  }
  void store(double* x) const {
    Lane3<N>::Map(x) = w;
    Lane3<N>::Map(x + 3 * N) = v;
  }
};

/// b and x, a column for each.
template <int N>
struct Columns {
  std::array<const double*, N> b;
  std::array<double*, N> x;
};

template <int N>
inline Lane<N> load(const std::array<const double*, N>& columns, int k) {
  Lane<N> out;
  for (int c = 0; c < N; ++c) out[c] = columns[static_cast<size_t>(c)][k];
  return out;
}
template <int N>
inline Lane<N> load(const std::array<double*, N>& columns, int k) {
  Lane<N> out;
  for (int c = 0; c < N; ++c) out[c] = columns[static_cast<size_t>(c)][k];
  return out;
}
template <int N>
inline void store(const Lane<N>& value, const std::array<double*, N>& columns, int k) {
  for (int c = 0; c < N; ++c) columns[static_cast<size_t>(c)][k] = value[c];
}

template <int N>
[[gnu::always_inline]] inline Lane<N> dot(const Vec3& a, const Lane3<N>& b) {
  return a.x() * b.col(0) + a.y() * b.col(1) + a.z() * b.col(2);
}
template <int N>
[[gnu::always_inline]] inline void add_cross(const Vec3& a, const Lane3<N>& b, Lane3<N>& out) {
  out.col(0) += a.y() * b.col(2) - a.z() * b.col(1);
  out.col(1) += a.z() * b.col(0) - a.x() * b.col(2);
  out.col(2) += a.x() * b.col(1) - a.y() * b.col(0);
}
template <int N>
[[gnu::always_inline]] inline void add_times(const Vec3& a, const Lane<N>& c, Lane3<N>& out) {
  for (int k = 0; k < 3; ++k) out.col(k) += a[k] * c;
}

/// Calls f<n>() for n from 1 to 6: products of matrices whose sizes the compiler knows take a
/// fraction of the time of others.
template <class F>
decltype(auto) with_dof_count(int n, F&& f) {
  switch (n) {
    case 1:
      return f.template operator()<1>();
    case 2:
      return f.template operator()<2>();
    case 3:
      return f.template operator()<3>();
    case 4:
      return f.template operator()<4>();
    case 5:
      return f.template operator()<5>();
    default:
      return f.template operator()<6>();
  }
}

/// For a joint of several coordinates, one right-hand side after the other. `P` is left as it was
/// if nothing passes it on.
template <int N, int D>
inline void pass_generic_force(const Link& link, const GenericElimination& e,
                               const Columns<N>& columns, bool pass_on, SpatialLanes<N>& P) {
  using VecD = Eigen::Matrix<double, D, 1>;
  for (int c = 0; c < N; ++c) {
    const auto cc = static_cast<size_t>(c);
    Vec6 P_c = P.lane(c);
    VecD u = Eigen::Map<const VecD>(columns.b[cc] + link.dof);
    u.noalias() -= e.S.template leftCols<D>().transpose() * P_c;
    Eigen::Map<VecD>(columns.x[cc] + link.dof) = u;
    if (!pass_on) continue;
    const VecD x = e.D_inv.template topLeftCorner<D, D>() * u;
    P_c.noalias() += e.U.template leftCols<D>() * x;
    P.set_lane(c, P_c);
  }
}

// Out of line: the sweeps stay small for links with one axis.
template <int N>
[[gnu::noinline]] void pass_generic_force(const Link& link, const GenericElimination& e,
                                          const Columns<N>& columns, bool pass_on,
                                          SpatialLanes<N>& P) {
  with_dof_count(link.dof_count,
                 [&]<int D>() { pass_generic_force<N, D>(link, e, columns, pass_on, P); });
}

/// Towards the root: of the forces P that the links below could not balance, keeps u = b − SᵀP in x
/// and adds P + U D⁻¹ u, seen from there, to what the parent carries (null: the world).
template <int N>
inline void pass_forces(const Link& link, size_t i, const SkeletonWorkspace& ws,
                        const Columns<N>& columns, const double* carried, double* parent) {
  const LinkMotion& m = ws.link[i];
  SpatialLanes<N> P(carried);
  if (link.kind == LinkKind::generic) {
    pass_generic_force<N>(link, ws.elimination[i], columns, parent != nullptr, P);
  } else {
    const ArticulatedLink& e = ws.articulated[i];
    const Vec3 z = m.R.col(2);
    const Lane<N> u =
        load<N>(columns.b, link.dof) - dot<N>(z, link.kind == LinkKind::revolute_z ? P.w : P.v);
    store<N>(u, columns.x, link.dof);
    const Lane<N> c = u * e.D_inv;
    add_times<N>(e.U_n, c, P.w);
    add_times<N>(e.U_f, c, P.v);
  }
  if (!parent) return;
  add_cross<N>(m.r, P.v, P.w);
  SpatialLanes<N> sum(parent);
  sum.w += P.w;
  sum.v += P.v;
  sum.store(parent);
}

template <int N, int D>
inline void answer_generic(const Link& link, const GenericElimination& e, const Columns<N>& columns,
                           SpatialLanes<N>& a) {
  using VecD = Eigen::Matrix<double, D, 1>;
  for (int c = 0; c < N; ++c) {
    const auto cc = static_cast<size_t>(c);
    Vec6 a_c = a.lane(c);
    Eigen::Map<VecD> out(columns.x[cc] + link.dof);
    VecD left = out;
    left.noalias() -= e.U.template leftCols<D>().transpose() * a_c;
    const VecD x = e.D_inv.template topLeftCorner<D, D>() * left;
    out = x;
    a_c.noalias() += e.S.template leftCols<D>() * x;
    a.set_lane(c, a_c);
  }
}

template <int N>
[[gnu::noinline]] void answer_generic(const Link& link, const GenericElimination& e,
                                      const Columns<N>& columns, SpatialLanes<N>& a) {
  with_dof_count(link.dof_count, [&]<int D>() { answer_generic<N, D>(link, e, columns, a); });
}

/// Then back: the joint answers its parent's acceleration a with x = D⁻¹ (u − Uᵀa). Writes the
/// link's own.
template <int N>
inline void answer_links(const Link& link, size_t i, const SkeletonWorkspace& ws,
                         const Columns<N>& columns, const double* a_parent, double* a_link) {
  const LinkMotion& m = ws.link[i];
  SpatialLanes<N> a(a_parent);
  add_cross<N>(-m.r, a.w, a.v);
  if (link.kind == LinkKind::generic) {
    answer_generic<N>(link, ws.elimination[i], columns, a);
  } else {
    const ArticulatedLink& e = ws.articulated[i];
    const Lane<N> x =
        (load<N>(columns.x, link.dof) - (dot<N>(e.U_n, a.w) + dot<N>(e.U_f, a.v))) * e.D_inv;
    store<N>(x, columns.x, link.dof);
    add_times<N>(m.R.col(2), x, link.kind == LinkKind::revolute_z ? a.w : a.v);
  }
  a.store(a_link);
}

}  // namespace sinew
