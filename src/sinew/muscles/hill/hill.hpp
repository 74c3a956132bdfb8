#pragma once

#include <optional>
#include <string>

#include "sinew/muscles/hill/hill_curves.hpp"

/// Hill muscles: a fibre of constant thickness in series with a tendon. Everything is a plain
/// function of activation a, path length L, path rate L̇ and fibre length l. See
/// docs/theory/hill_muscles.md, whose equations are cited below.

namespace sinew {

struct HillMuscle {
  double max_isometric_force = 1000;          ///< F₀ [N]
  double optimal_fibre_length = 0.1;          ///< l₀ [m]
  double tendon_slack_length = 0.2;           ///< l_s [m]
  double pennation_at_optimal = 0;            ///< φ₀ [rad]
  double max_contraction_velocity = 10;       ///< in optimal fibre lengths per second
  double max_pennation = 1.4706289056333368;  ///< acos(0.1) [rad]
  /// β: force of the parallel damper at maximal velocity over F₀. None (0) with Thelen's curves.
  double damping = 0;
  double min_activation = 0.01;
  bool rigid_tendon = false;
  HillCurves curves = Thelen2003Curves{};

  /// Constant thickness h = l₀ sin φ₀ [m].
  double thickness() const;
  /// The fibre's length is never below this [m], (H3).
  double min_fibre_length() const;
  /// v₀ = max_contraction_velocity l₀ [m/s].
  double max_velocity() const { return max_contraction_velocity * optimal_fibre_length; }
};

/// Throws an Error naming `element` for numbers that make no muscle.
void check_hill_muscle(const HillMuscle& muscle, const std::string& element);
/// Throws an Error naming `element` for an impossible fibre length [m].
void check_fibre_length(const HillMuscle& muscle, double length, const std::string& element);

/// Curves of Millard et al. as OpenSim adapts them: with damping, f_l and the slopes of f_v at
/// maximal velocity end at zero; without, f_v must be invertible and they are at least 0.1. A
/// `damping` below 0.001 counts as none. Sets curves and damping.
void set_millard_curves(Millard2012Shape shape, double damping, HillMuscle& muscle);

/// The output of a muscle, in OpenSim's order and signs. `tendon_stiffness` is infinite if the
/// tendon is rigid.
template <class T>
struct HillValues {
  T activation;         ///< held within [min_activation, 1]
  T fibre_length;       ///< [m]
  T norm_fibre_length;  ///< in units of l₀
  T pennation;          ///< [rad]
  T tendon_length;      ///< [m]
  T tendon_strain;
  T fibre_velocity;       ///< [m/s], positive: lengthening
  T norm_fibre_velocity;  ///< in units of v₀
  T active_force_length, passive_force_length, force_velocity;
  T active_fibre_force;   ///< [N]
  T passive_fibre_force;  ///< [N], damping included
  T fibre_force;          ///< [N]
  T fibre_force_along_tendon;
  T tendon_force;
  T fibre_stiffness;   ///< ∂ fibre force / ∂ fibre length at constant velocity [N/m]
  T tendon_stiffness;  ///< [N/m]
  T actuation;         ///< tension along the path [N]
  /// The fibre is at its least length and would shorten: it carries no force and does not move.
  bool clamped = false;
};

/// Derivatives by a, L, L̇ and l, in this order.
using HillDual = Dual<double, 4>;
enum HillInput { kHillActivation, kHillLength, kHillRate, kHillFibre };

/// `fibre_length` has no effect if the tendon is rigid.
HillValues<double> evaluate_hill(const HillMuscle& muscle, double activation, double length,
                                 double rate, double fibre_length);
/// The same with first derivatives of everything.
HillValues<HillDual> differentiate_hill(const HillMuscle& muscle, double activation, double length,
                                        double rate, double fibre_length);

}  // namespace sinew
