#pragma once

#include <string>

namespace sinew {

/// The dynamics by which activation a follows excitation u: ȧ = (u − a)/τ, both held within
/// [minimum, 1].
struct ActivationDynamics {
  enum class Kind {
    piecewise,  ///< τ = τ_a (0.5 + 1.5 a) if u > a, else τ_d/(0.5 + 1.5 a) (Thelen, Millard)
    blended,  ///< the two rates blended by a hyperbolic tangent of u − a (De Groote et al. 2016)
  };
  Kind kind = Kind::piecewise;
  double activation_time = 0.010;    ///< τ_a [s]
  double deactivation_time = 0.040;  ///< τ_d [s]
  double minimum = 0.01;
  double smoothing = 10;  ///< for `blended`
};

/// Throws an Error naming `element` for numbers that make no sense.
void check_activation(const ActivationDynamics& dynamics, const std::string& element);

/// ȧ [1/s] and its derivatives.
struct ActivationRate {
  double rate = 0, d_activation = 0, d_excitation = 0;
};
ActivationRate activation_rate(const ActivationDynamics& dynamics, double activation,
                               double excitation);

/// The activation a time h later, under constant excitation: exact for `piecewise`, to 1e-8 for
/// `blended`. It never passes u nor leaves [minimum, 1], for any h.
double step_activation(const ActivationDynamics& dynamics, double activation, double excitation,
                       double h);
/// The same with its derivatives, as computed; zero where a number is held at its limit.
struct ActivationStep {
  double activation = 0, d_activation = 0, d_excitation = 0;
};
ActivationStep differentiate_step_activation(const ActivationDynamics& dynamics, double activation,
                                             double excitation, double h);

}  // namespace sinew
