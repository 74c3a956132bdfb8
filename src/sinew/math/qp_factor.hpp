#pragma once

#include "sinew/math/qp_memory.hpp"

namespace sinew {

/// The factors that a dual active-set method carries along (Goldfarb and Idnani 1983). For a
/// positive definite H and the matrix N of the q working normals,
///
///     JᵀH J = 1,     JᵀN = (R; 0)      R upper triangular q×q, J = (J₁ J₂), J₁ with q columns.
///
/// A normal enters by one reflection and leaves by a few rotations, O(n²) each.
class QpFactor {
 public:
  using Index = Eigen::Index;

  void resize(Index n);
  /// Starts from H + diag(damping) with no normals; false if that is not positive definite.
  bool factor(const MatMap& H, const VecMap& damping);
  Index size() const { return J_.rows(); }
  Index count() const { return q_; }

  /// d ← Jᵀa.
  void transform(const ConstVecRef& a, VecMap& d) const { d.noalias() = J_.transpose() * a; }
  /// d ← Jᵀe_i: a row of J.
  void transform_unit(Index i, VecMap& d) const { d = J_.row(i).transpose(); }
  /// ‖d₂‖².
  double free_norm2(const VecMap& d) const { return d.tail(size() - q_).squaredNorm(); }
  /// The first q entries of r ← R⁻¹ d₁.
  void solve_r(const VecMap& d, VecMap& r) const;
  /// x ← x + t J₂ d₂: along the H-projection of the normal onto what the working set leaves free.
  void add_free_part(double t, const VecMap& d, VecMap& x) const;

  /// The normal a with Jᵀa = d becomes the last column of N; overwrites d₂, which must not be zero.
  void append(VecMap& d);
  /// Removes column k of N.
  void drop(Index k);
  /// Solves (H N; Nᵀ 0)(dx; dλ) = (−g; e); only the first q entries of e and dλ count.
  void solve_kkt(const VecMap& g, const VecMap& e, VecMap& dx, VecMap& dlambda);

 private:
  QpMemory memory_;
  MatMap L_{nullptr, 0, 0}, J_{nullptr, 0, 0};  // n×n
  MatMap R_{nullptr, 0, 0};                     // n×n, only the leading q×q used
  VecMap y_{nullptr, 0};                        // n, scratch
  Index q_ = 0;
};

}  // namespace sinew
