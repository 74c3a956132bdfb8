#pragma once

#include <string>

#include "sinew/math/types.hpp"

/// Hyperelastic materials as functions of the deformation gradient F = ∂x/∂X: energy per rest
/// volume, first Piola stress P = ∂Ψ/∂F, and its exact derivative. All agree with Hooke's law for
/// small strain. Equation numbers are those of docs/theory/deformables.md.

namespace sinew {

enum class MaterialModel { corotated, st_venant_kirchhoff, neo_hookean };

/// The name in scene files.
std::string to_string(MaterialModel model);

struct Material {
  MaterialModel model = MaterialModel::corotated;
  double young = 1e5;     ///< E [Pa]
  double poisson = 0.4;   ///< ν, between −1 and ½
  double density = 1000;  ///< at rest [kg/m³]
  double viscosity = 0;   ///< η: adds the stress P = 2 η F Ė, E Green's strain [Pa s]

  double mu() const { return young / (2 * (1 + poisson)); }  ///< Lamé's, [Pa]
  double lambda() const { return young * poisson / ((1 + poisson) * (1 - 2 * poisson)); }
  /// Throws an Error naming `element` if a number is out of range.
  void validate(const std::string& element) const;
};

/// The rotation nearest to F, det = +1 even if F is inverted.
Mat3 polar_rotation(const Mat3& F);

/// The elastic law at one F.
class ElasticState {
 public:
  ElasticState(const Material& material, const Mat3& F);
  double energy() const;  ///< Ψ, zero at F = 1 [J/m³]
  Mat3 stress() const;    ///< P [Pa]
  /// The change of P in two directions at rest: ∂(P a)/∂u for δF = u bᵀ. Finite elements need no
  /// more of ∂P/∂F, with gradients of shape functions for a and b.
  Mat3 stiffness(const Vec3& a, const Vec3& b) const;

 private:
  MaterialModel model_;
  double mu_, lambda_;  // the law's constants; the neo-Hookean ones differ from Lamé's
  Mat3 F_;
  Mat3 A_;                    // corotated: R; St. Venant–Kirchhoff: S; neo-Hookean: ∂J/∂F
  Mat3 turn_ = Mat3::Zero();  // corotated: R (tr S − S)⁻¹ Rᵀ
  double a_ = 0, b_ = 0;      // corotated: tr S − 3; neo-Hookean: J − α, F : F + 1
};

/// Viscous stress 2 η F Ė at (F, Ḟ).
Mat3 viscous_stress(double viscosity, const Mat3& F, const Mat3& Fdot);
/// Its changes, as in ElasticState::stiffness: for δF = u bᵀ, and for δḞ = u bᵀ.
Mat3 viscous_stiffness(double viscosity, const Mat3& F, const Mat3& Fdot, const Vec3& a,
                       const Vec3& b);
Mat3 viscous_damping(double viscosity, const Mat3& F, const Vec3& a, const Vec3& b);

}  // namespace sinew
