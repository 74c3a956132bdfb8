#include "sinew/dynamics/aba.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sinew/dynamics/articulated_sweeps.hpp"
#include "sinew/dynamics/implicit_inertia.hpp"
#include "sinew/dynamics/momentum_kernels.hpp"
#include "sinew/dynamics/rnea.hpp"

// Let Î be the inertia that a link shows to a force on it once all joints below have yielded, S its
// joint's axes, U = Î S, D = SᵀU. Its own joint yields in turn and
//     Π = Î − U D⁻¹ Uᵀ
// is what the parent feels, shifted to the parent's origin. A right-hand side b goes along: with P
// the force that the links below could not balance, u = b − SᵀP is left for the joint and P + U D⁻¹
// u goes on to the parent; on the way back the joint answers its parent's acceleration a with D⁻¹
// (u − Uᵀa).
//
// Velocity terms, gravity and applied forces are the wrenches that the links need at q̈ = 0. Forward
// dynamics starts P from them; the factorisation itself does not depend on them and serves other
// right-hand sides too.

namespace sinew {
namespace {

/// Loads a link's rigid inertia as the start of its articulated one.
void load_rigid(const Link& link, const LinkInertia& inertia, ArticulatedLink& out) {
  for (int k = 0; k < 6; ++k) out.A[k] = inertia.I[k];
  const Vec3& h = inertia.h;
  out.B[0] = out.B[4] = out.B[8] = 0;
  out.B[1] = -h.z();
  out.B[2] = h.y();
  out.B[3] = h.z();
  out.B[5] = -h.x();
  out.B[6] = -h.y();
  out.B[7] = h.x();
  out.C[0] = out.C[3] = out.C[5] = link.mass;
  out.C[1] = out.C[2] = out.C[4] = 0;
}

/// [A B; Bᵀ C] −= U Uᵀ/D.
inline void subtract_outer(ArticulatedLink& x) {
  const Vec3 n = x.U_n * x.D_inv, f = x.U_f * x.D_inv;
  const Vec3 &U = x.U_n, &V = x.U_f;
  x.A[0] -= n.x() * U.x();
  x.A[1] -= n.x() * U.y();
  x.A[2] -= n.x() * U.z();
  x.A[3] -= n.y() * U.y();
  x.A[4] -= n.y() * U.z();
  x.A[5] -= n.z() * U.z();
  x.B[0] -= n.x() * V.x();
  x.B[1] -= n.x() * V.y();
  x.B[2] -= n.x() * V.z();
  x.B[3] -= n.y() * V.x();
  x.B[4] -= n.y() * V.y();
  x.B[5] -= n.y() * V.z();
  x.B[6] -= n.z() * V.x();
  x.B[7] -= n.z() * V.y();
  x.B[8] -= n.z() * V.z();
  x.C[0] -= f.x() * V.x();
  x.C[1] -= f.x() * V.y();
  x.C[2] -= f.x() * V.z();
  x.C[3] -= f.y() * V.y();
  x.C[4] -= f.y() * V.z();
  x.C[5] -= f.z() * V.z();
}

/// Adds a child's Π, seen from the parent's origin a step r away, to the parent's inertia:
///     C′ = C,   G = B + [r] C,   A′ = A − B[r] + [r] Gᵀ.
inline void add_shifted(const ArticulatedLink& x, const Vec3& r, ArticulatedLink& parent) {
  const double rx = r.x(), ry = r.y(), rz = r.z();
  const double *A = x.A, *B = x.B, *C = x.C;
  double G[9];
  G[0] = B[0] + ry * C[2] - rz * C[1];
  G[1] = B[1] + ry * C[4] - rz * C[3];
  G[2] = B[2] + ry * C[5] - rz * C[4];
  G[3] = B[3] + rz * C[0] - rx * C[2];
  G[4] = B[4] + rz * C[1] - rx * C[4];
  G[5] = B[5] + rz * C[2] - rx * C[5];
  G[6] = B[6] + rx * C[1] - ry * C[0];
  G[7] = B[7] + rx * C[3] - ry * C[1];
  G[8] = B[8] + rx * C[4] - ry * C[2];
  // Row i of B[r] is b_i × r; row i of [r]Gᵀ is (column i of …) r × g_j, entry (i, j) = (r ×
  // g_j)_i.
  parent.A[0] += A[0] - (B[1] * rz - B[2] * ry) + (ry * G[2] - rz * G[1]);
  parent.A[1] += A[1] - (B[2] * rx - B[0] * rz) + (ry * G[5] - rz * G[4]);
  parent.A[2] += A[2] - (B[0] * ry - B[1] * rx) + (ry * G[8] - rz * G[7]);
  parent.A[3] += A[3] - (B[5] * rx - B[3] * rz) + (rz * G[3] - rx * G[5]);
  parent.A[4] += A[4] - (B[3] * ry - B[4] * rx) + (rz * G[6] - rx * G[8]);
  parent.A[5] += A[5] - (B[6] * ry - B[7] * rx) + (rx * G[7] - ry * G[6]);
  for (int k = 0; k < 9; ++k) parent.B[k] += G[k];
  for (int k = 0; k < 6; ++k) parent.C[k] += C[k];
}

Mat6 full_matrix(const ArticulatedLink& x) {
  Mat6 m;
  const double *A = x.A, *B = x.B, *C = x.C;
  m << A[0], A[1], A[2], B[0], B[1], B[2],  //
      A[1], A[3], A[4], B[3], B[4], B[5],   //
      A[2], A[4], A[5], B[6], B[7], B[8],   //
      B[0], B[3], B[6], C[0], C[1], C[2],   //
      B[1], B[4], B[7], C[1], C[3], C[4],   //
      B[2], B[5], B[8], C[2], C[4], C[5];
  return m;
}

void store_matrix(const Mat6& m, ArticulatedLink& x) {
  int k = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = i; j < 3; ++j, ++k) {
      x.A[k] = m(i, j);
      x.C[k] = m(3 + i, 3 + j);
    }
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) x.B[3 * i + j] = m(i, 3 + j);
}

/// D = L Lᵀ: writes L below and on the diagonal. False if D is not positive definite: an axis that
/// others already span gets an infinite pivot and so does not respond. Eigen's own factorisation
/// takes twice as long for matrices this small.
template <int N>
bool factor(Eigen::Matrix<double, N, N>& D) {
  bool positive = true;
  for (int k = 0; k < N; ++k) {
    for (int j = 0; j < k; ++j) {
      for (int i = 0; i < j; ++i) D(k, j) -= D(k, i) * D(j, i);
      D(k, j) /= D(j, j);
      D(k, k) -= D(k, j) * D(k, j);
    }
    positive = positive && D(k, k) > 0;
    D(k, k) = D(k, k) > 0 ? std::sqrt(D(k, k)) : std::numeric_limits<double>::infinity();
  }
  return positive;
}

/// X ← L⁻¹X.
template <int N, int Columns>
void divide(const Eigen::Matrix<double, N, N>& L, Eigen::Matrix<double, N, Columns>& X) {
  for (int k = 0; k < N; ++k) {
    for (int j = 0; j < k; ++j) X.row(k) -= L(k, j) * X.row(j);
    X.row(k) /= L(k, k);
  }
}

/// `joint`, here and below: additions to D per coordinate; null: none. Leaves Î as it is unless a
/// parent feels it (`pass_on`). False if D is not positive definite, which only `joint` can cause.
template <int N>
bool eliminate_generic(const Vec6* s, const double* joint, bool pass_on, ArticulatedLink& x,
                       GenericElimination& e) {
  Eigen::Matrix<double, 6, N> S;
  for (int k = 0; k < N; ++k) S.col(k) = s[k];
  const Mat6 I = full_matrix(x);
  const Eigen::Matrix<double, 6, N> U = I * S;
  Eigen::Matrix<double, N, N> D = S.transpose() * U;
  if (joint)
    for (int k = 0; k < N; ++k) D(k, k) += joint[k];
  Eigen::Matrix<double, N, N> D_inv;
  bool positive = true;
  if constexpr (N == 1) {
    positive = D(0, 0) > 0;
    D_inv(0, 0) = 1 / D(0, 0);
    if (pass_on) store_matrix(I - U * D_inv * U.transpose(), x);
  } else {
    positive = factor(D);
    // With D = L Lᵀ and W = L⁻¹Uᵀ, WᵀW never exceeds Î. Computed by the inverse, U D⁻¹Uᵀ has the
    // rounding of D⁻¹, which is large if axes are nearly parallel.
    Eigen::Matrix<double, N, N> L_inv = Eigen::Matrix<double, N, N>::Identity();
    divide(D, L_inv);
    D_inv.noalias() = L_inv.transpose() * L_inv;
    if (pass_on) {
      Eigen::Matrix<double, N, 6> W = U.transpose();
      divide(D, W);
      store_matrix(I - W.transpose() * W, x);
    }
  }
  e.S = S;
  e.U = U;
  e.D_inv = D_inv;
  return positive;
}

/// The joint of link i yields: factors, and Π in place of Î.
inline bool eliminate(const Link& link, size_t i, const double* joint, SkeletonWorkspace& ws) {
  ArticulatedLink& x = ws.articulated[i];
  const double *A = x.A, *B = x.B, *C = x.C;
  if (link.kind == LinkKind::revolute_z) {
    const Vec3 z = ws.link[i].R.col(2);
    x.U_n << A[0] * z.x() + A[1] * z.y() + A[2] * z.z(), A[1] * z.x() + A[3] * z.y() + A[4] * z.z(),
        A[2] * z.x() + A[4] * z.y() + A[5] * z.z();
    x.U_f << B[0] * z.x() + B[3] * z.y() + B[6] * z.z(), B[1] * z.x() + B[4] * z.y() + B[7] * z.z(),
        B[2] * z.x() + B[5] * z.y() + B[8] * z.z();
    x.D_inv = 1 / (joint ? z.dot(x.U_n) + *joint : z.dot(x.U_n));
    subtract_outer(x);
  } else if (link.kind == LinkKind::prismatic_z) {
    const Vec3 z = ws.link[i].R.col(2);
    x.U_n << B[0] * z.x() + B[1] * z.y() + B[2] * z.z(), B[3] * z.x() + B[4] * z.y() + B[5] * z.z(),
        B[6] * z.x() + B[7] * z.y() + B[8] * z.z();
    x.U_f << C[0] * z.x() + C[1] * z.y() + C[2] * z.z(), C[1] * z.x() + C[3] * z.y() + C[4] * z.z(),
        C[2] * z.x() + C[4] * z.y() + C[5] * z.z();
    x.D_inv = 1 / (joint ? z.dot(x.U_f) + *joint : z.dot(x.U_f));
    subtract_outer(x);
  } else {
    return with_dof_count(link.dof_count, [&]<int N>() {
      return eliminate_generic<N>(&ws.s[static_cast<size_t>(link.dof)], joint, link.parent > 0, x,
                                  ws.elimination[i]);
    });
  }
  return x.D_inv > 0;
}

/// Per link and right-hand side: the force carried towards the root, then the response.
template <int N>
double* impulse(SkeletonWorkspace& ws, int link) {
  return ws.impulse.data() + 6 * N * link;
}

/// Whether a link passes nothing on.
template <int N>
bool is_idle(const Link& link, const Columns<N>& columns, const double* carried) {
  for (const double* b : columns.b)
    for (int k = link.dof; k < link.dof + link.dof_count; ++k)
      if (b[k] != 0) return false;
  return std::all_of(carried, carried + 6 * N, [](double x) { return x == 0; });
}

/// Rows of constraints involve few joints: links that carry nothing yet are skipped.
template <int N>
inline void pass_impulses(const Link& link, int i, const Columns<N>& columns,
                          SkeletonWorkspace& ws) {
  const double* const carried = impulse<N>(ws, i);
  if (is_idle<N>(link, columns, carried)) {
    for (double* x : columns.x) std::fill_n(x + link.dof, link.dof_count, 0.0);
    return;
  }
  pass_forces<N>(link, static_cast<size_t>(i), ws, columns, carried,
                 link.parent > 0 ? impulse<N>(ws, link.parent) : nullptr);
}

template <int N>
inline void answer_impulses(const Link& link, int i, const Columns<N>& columns,
                            SkeletonWorkspace& ws) {
  answer_links<N>(link, static_cast<size_t>(i), ws, columns, impulse<N>(ws, link.parent),
                  impulse<N>(ws, i));
}

template <int N>
void solve_columns(const Skeleton& skeleton, const Columns<N>& columns, SkeletonWorkspace& ws) {
  const int count = skeleton.link_count();
  std::fill_n(ws.impulse.begin(), 6 * N * count, 0.0);
  for (int i = count - 1; i > 0; --i) pass_impulses<N>(skeleton.link(i), i, columns, ws);
  for (int i = 1; i < count; ++i) answer_impulses<N>(skeleton.link(i), i, columns, ws);
}

/// The columns of X = M⁻¹ B from `first` on.
void solve_columns(const Skeleton& skeleton, Eigen::Index first, const MatX& B, MatX& X,
                   SkeletonWorkspace& ws) {
  Eigen::Index k = first;
  for (; k + 1 < B.cols(); k += 2)
    solve_columns<2>(
        skeleton, {{B.col(k).data(), B.col(k + 1).data()}, {X.col(k).data(), X.col(k + 1).data()}},
        ws);
  if (k < B.cols()) solve_columns<1>(skeleton, {{B.col(k).data()}, {X.col(k).data()}}, ws);
}

void load_rigid(const Skeleton& skeleton, SkeletonWorkspace& ws) {
  const int count = skeleton.link_count();
  for (int i = 1; i < count; ++i) {
    const auto ii = static_cast<size_t>(i);
    load_rigid(skeleton.link(i), ws.inertia[ii], ws.articulated[ii]);
  }
}

}  // namespace

void factor_mass_matrix(const Skeleton& skeleton, SkeletonWorkspace& ws) {
  load_rigid(skeleton, ws);
  for (int i = skeleton.link_count() - 1; i > 0; --i) {
    const auto ii = static_cast<size_t>(i);
    const Link& link = skeleton.link(i);
    eliminate(link, ii, nullptr, ws);
    if (link.parent > 0)
      add_shifted(ws.articulated[ii], ws.link[ii].r,
                  ws.articulated[static_cast<size_t>(link.parent.value)]);
  }
}

bool factor_implicit_inertia(const Skeleton& skeleton, const ImplicitInertia& added,
                             SkeletonWorkspace& ws) {
  load_rigid(skeleton, ws);
  for (int i = skeleton.link_count() - 1; i > 0; --i) {
    const auto ii = static_cast<size_t>(i);
    const Link& link = skeleton.link(i);
    ArticulatedLink& x = ws.articulated[ii];
    if (added.touched[ii]) store_matrix(full_matrix(x) + added.link[ii], x);
    if (!eliminate(link, ii, added.joint.data() + link.dof, ws)) return false;
    if (link.parent > 0)
      add_shifted(x, ws.link[ii].r, ws.articulated[static_cast<size_t>(link.parent.value)]);
  }
  return true;
}

void solve_mass_matrix(const Skeleton& skeleton, SkeletonWorkspace& ws, const ConstVecRef& b,
                       VecRef x) {
  solve_columns<1>(skeleton, {{b.data()}, {x.data()}}, ws);
}

void solve_mass_matrix(const Skeleton& skeleton, SkeletonWorkspace& ws, const MatX& B, MatX& X) {
  solve_columns(skeleton, 0, B, X, ws);
}

namespace {

/// Also the columns, if any, in the same sweeps.
template <int N>
void forward_dynamics(const Skeleton& skeleton, const Vec3& gravity, const AppliedForces& forces,
                      const Columns<N>& columns, SkeletonWorkspace& ws, double* qddot) {
  const int count = skeleton.link_count();
  const Columns<1> force{{forces.tau.data()}, {qddot}};
  update_inertias(skeleton, ws);
  update_link_forces(skeleton, gravity, forces, nullptr, ws);
  load_rigid(skeleton, ws);
  if constexpr (N > 0) std::fill_n(ws.impulse.begin(), 6 * N * count, 0.0);
  for (int i = count - 1; i > 0; --i) {
    const auto ii = static_cast<size_t>(i);
    const Link& link = skeleton.link(i);
    eliminate(link, ii, nullptr, ws);
    const bool on_link = link.parent > 0;
    const auto pp = static_cast<size_t>(link.parent.value);
    pass_forces<1>(link, ii, ws, force, ws.F[ii].data(), on_link ? ws.F[pp].data() : nullptr);
    if (on_link) add_shifted(ws.articulated[ii], ws.link[ii].r, ws.articulated[pp]);
    if constexpr (N > 0) pass_impulses<N>(link, i, columns, ws);
  }
  ws.F[0].setZero();
  for (int i = 1; i < count; ++i) {
    const auto ii = static_cast<size_t>(i);
    const Link& link = skeleton.link(i);
    answer_links<1>(link, ii, ws, force, ws.F[static_cast<size_t>(link.parent.value)].data(),
                    ws.F[ii].data());
    if constexpr (N > 0) answer_impulses<N>(link, i, columns, ws);
  }
}

}  // namespace

void forward_dynamics(const Skeleton& skeleton, const Vec3& gravity, const AppliedForces& forces,
                      SkeletonWorkspace& ws, VecRef qddot) {
  forward_dynamics<0>(skeleton, gravity, forces, {}, ws, qddot.data());
}

void forward_dynamics(const Skeleton& skeleton, const Vec3& gravity, const AppliedForces& forces,
                      SkeletonWorkspace& ws, double* qddot, const MatX& B, MatX& X) {
  if (B.cols() == 0) {
    forward_dynamics<0>(skeleton, gravity, forces, {}, ws, qddot);
    return;
  }
  if (B.cols() == 1) {
    forward_dynamics<1>(skeleton, gravity, forces, {{B.data()}, {X.data()}}, ws, qddot);
    return;
  }
  forward_dynamics<2>(skeleton, gravity, forces,
                      {{B.col(0).data(), B.col(1).data()}, {X.col(0).data(), X.col(1).data()}}, ws,
                      qddot);
  solve_columns(skeleton, 2, B, X, ws);
}

void momentum_correction(const Skeleton& skeleton, const Vec3& gravity, const AppliedForces& forces,
                         const VecX& b, double c, bool factor, SkeletonWorkspace& ws, VecX& force,
                         VecX& x) {
  const int count = skeleton.link_count();
  const Columns<1> columns{{x.data()}, {x.data()}};
  update_inertias(skeleton, ws);
  std::fill_n(ws.impulse.begin(), 6 * count, 0.0);
  for (int i = 1; i < count; ++i) {
    const auto ii = static_cast<size_t>(i);
    const Link& link = skeleton.link(i);
    ws.a[ii] = link_momentum(link, ws.link[ii], ws.inertia[ii]);
    ws.F[ii] = link_force(link, ws.inertia[ii], gravity, forces.wrench[ii]);
    if (factor) load_rigid(link, ws.inertia[ii], ws.articulated[ii]);
  }
  for (int i = count - 1; i > 0; --i) {
    const auto ii = static_cast<size_t>(i);
    const Link& link = skeleton.link(i);
    if (factor) eliminate(link, ii, nullptr, ws);
    joint_momentum_and_force(link, ii, ws, ws.a[ii], ws.F[ii], forces.tau, x.data(), force.data());
    for (int k = link.dof; k < link.dof + link.dof_count; ++k) x[k] = b[k] - x[k] + c * force[k];
    const bool on_link = link.parent > 0;
    const auto pp = static_cast<size_t>(link.parent.value);
    pass_forces<1>(link, ii, ws, columns, impulse<1>(ws, i),
                   on_link ? impulse<1>(ws, link.parent) : nullptr);
    if (on_link) {
      const Vec3& r = ws.link[ii].r;
      if (factor) add_shifted(ws.articulated[ii], r, ws.articulated[pp]);
      shift_add(ws.a[ii], r, ws.a[pp]);
      shift_add(ws.F[ii], r, ws.F[pp]);
    }
  }
  for (int i = 1; i < count; ++i) answer_impulses<1>(skeleton.link(i), i, columns, ws);
}

}  // namespace sinew
