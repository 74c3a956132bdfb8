#pragma once

#include <optional>
#include <utility>

#include "sinew/dynamics/constraint.hpp"
#include "sinew/math/scalar_function.hpp"

namespace sinew {

/// Coordinates that depend on each other: g(q) = Σ_k f_k(q) = 0, a sum of functions of a few
/// coordinates each. One row.
class CoordinateCoupling final : public Constraint {
 public:
  struct Term {
    ScalarFunction f;
    std::vector<DofIndex> arguments;  ///< one for every argument of f, at most six
  };
  CoordinateCoupling(std::string name, std::vector<Term> terms);

  /// Σ_k c_k q_k = value.
  static CoordinateCoupling Linear(std::string name,
                                   const std::vector<std::pair<DofIndex, double>>& coefficients,
                                   double value);
  /// dependent = f(arguments): OpenSim's coordinate coupler.
  static CoordinateCoupling Function(std::string name, DofIndex dependent, ScalarFunction f,
                                     std::vector<DofIndex> arguments);
  /// driven − offset = ratio × driver. Meshing gears on parallel axes have the negative ratio of
  /// their radii, −r_driver / r_driven; a belt or an internal gear the positive one.
  static CoordinateCoupling Gear(std::string name, DofIndex driver, DofIndex driven, double ratio,
                                 double offset = 0);

  const std::vector<Term>& terms() const { return terms_; }
  /// The first coordinate named, if the coupling gives it as a function of the others:
  /// c q_d + Σ f_k(others) = 0.
  std::optional<DofIndex> dependent() const;
  /// All other coordinates of the coupling.
  std::vector<DofIndex> independent() const;
  /// Writes the dependent coordinate, its rate and its acceleration so that g = ġ = g̈ = 0.
  void follow(VecX& q, VecX& qdot, VecX& qddot) const;
  /// Replaces the generalised force on the dependent coordinate by forces on the others that do the
  /// same work: τ_i += τ_d ∂q_d/∂q_i, τ_d = 0.
  void pass_on(const VecX& q, VecRef force) const;

  int rows() const override { return 1; }
  bool needs_kinematics() const override { return false; }
  void evaluate(const SkeletonAt& in, int row, ConstraintRows& out) const override;
  void add_reaction_derivatives(const SkeletonAt& in, std::span<const double> lambda,
                                ForceDerivatives& out) const override;
  /// force: generalised force on the first coordinate named (the dependent, the driven) [N m, N].
  std::vector<Measurement> measure(const SkeletonAt& in,
                                   std::span<const double> lambda) const override;
  void validate(const Skeleton& skeleton) const override;

 private:
  std::vector<Term> terms_;
};

}  // namespace sinew
