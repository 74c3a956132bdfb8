#pragma once

#include <vector>

#include "sinew/math/types.hpp"

namespace sinew {

/// One side of the bounds of the unknowns v of a stage: slack a = t + sign (bound − v) ≥ 0 with its
/// multiplier z ≥ 0. Soft ones may be exceeded by t ≥ 0, whose multiplier is y = ν − z ≥ 0; the
/// others have t = 0. Steps of Newton's method for a z = t y = μ follow from that of v.
class LqSide {
 public:
  using Index = Eigen::Index;
  enum class Kind : char { none, hard, soft };

  LqSide(double sign, VecX bound, std::vector<Kind> kinds, double price);

  /// Σ of what entries of v are beyond it.
  double excess(const VecX& v) const;
  /// Starts near complementarity `mu`, v where the problem without bounds has its solution.
  void start(double mu, const VecX& v);
  /// Adds what the side adds to the weights, and to the linear cost of the new v.
  void add_terms(double mu, const VecX& v, VecX& weights, VecX& gradient) const;
  void update_steps(double mu, const VecX& v, const VecX& v_new);
  /// Keeps products of the present steps, which the next ones take into account.
  void keep_second_order();
  void forget_second_order();
  /// The part of the steps that keeps all of a, z, t and y positive.
  double longest() const;
  void advance(double length);
  /// Σ (a z + t y) after a part of the steps; the number of terms.
  double complementarity(double length) const;
  int count() const;

  void add_multipliers(VecX& out) const;  ///< sign z
  /// Writes ±1 for entries at the bound, ±2 for those beyond it, and adds their stiffness.
  void add_active(Eigen::VectorXi& at, VecX& stiffness) const;

 private:
  bool tight(Index j) const;
  bool exceeded(Index j) const;
  Kind kind(Index j) const { return kinds_[static_cast<size_t>(j)]; }
  double stiffness(Index j) const;
  double offset(Index j, double mu, const VecX& v) const;

  double sign_;
  VecX bound_;
  std::vector<Kind> kinds_;
  double price_;
  VecX a_, z_, t_, y_, da_, dz_, dt_, a_second_, t_second_;
  VecX a_start_, z_start_, t_start_;
};

}  // namespace sinew
