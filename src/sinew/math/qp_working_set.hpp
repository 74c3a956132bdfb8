#pragma once

#include <vector>

#include "sinew/math/qp_factor.hpp"
#include "sinew/math/qp_scaled.hpp"

namespace sinew {

/// The working set W: linearly independent sides aᵀx ≤ β held as equalities, with their multipliers
/// λ and the factors of H_ε = H + ε diag(curvature) and of their normals N.
class QpWorkingSet {
 public:
  using Index = Eigen::Index;

  /// Empties the set for this problem, which must outlive the use of the set.
  void reset(const QpScaled& qp);
  /// Factors H_ε and adds the sides of W again, in order, except those that have become dependent.
  /// If H_ε is not positive definite, uses the ε of the last call; false if there was none.
  bool factor(double epsilon);
  double epsilon() const { return epsilon_; }

  Index count() const { return factor_.count(); }
  QpSide side(Index k) const { return sides_[static_cast<std::size_t>(k)]; }
  /// Sign of the side of this row that is in W, or 0.
  int sign(Index row) const { return signs_[static_cast<std::size_t>(row)]; }
  Eigen::VectorBlock<VecMap> lambda() { return lambda_.head(count()); }

  /// Looks at a side outside W: r = R⁻¹J₁ᵀa are the weights of N nearest to a in the metric of
  /// H_ε⁻¹. False if a = N r, up to rounding.
  bool resolve(QpSide side);
  /// Whether a of the resolved side is within a millionth of N r.
  bool close() const { return close_; }
  Eigen::VectorBlock<VecMap> r() { return r_.head(count()); }
  /// aᵀ(dx/dt) = −curvature() as the side's multiplier grows, W held: its normal's free part,
  /// squared.
  double curvature() const { return factor_.free_norm2(d_); }
  /// Raises the multiplier of the resolved side by t, W held: H_ε dx + N dλ + a t = 0, Nᵀdx = 0.
  void move(double t, VecMap& x);
  /// The same where a = N r: nothing moves but λ.
  void move_multipliers(double t) { lambda() -= t * r(); }
  /// Takes in the resolved side, which must be independent.
  void add(QpSide side, double multiplier);
  void drop(Index k);

  /// Solves H_ε dx + N dλ = −gradient, Nᵀdx = slack and adds dλ to λ.
  void solve(const VecMap& gradient, const VecMap& slack, VecMap& dx);

 private:
  const QpScaled* qp_ = nullptr;
  QpFactor factor_;
  double epsilon_ = 0;
  bool close_ = false;
  std::vector<QpSide> sides_;  // in the order of the factor's columns
  std::vector<int> signs_;     // by row
  QpMemory memory_;
  VecMap lambda_{nullptr, 0}, dlambda_{nullptr, 0};  // n
  VecMap d_{nullptr, 0}, r_{nullptr, 0};             // n, Jᵀa and R⁻¹d₁ of the resolved side
  VecMap dr_{nullptr, 0}, rest_{nullptr, 0};         // n
};

}  // namespace sinew
