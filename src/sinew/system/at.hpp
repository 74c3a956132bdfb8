#pragma once

#include <concepts>

#include "sinew/system/state.hpp"

namespace sinew {

/// Everything that the equations of motion depend on at one moment: a view, made for one call.
struct At {
  At(double time, const ConstVecRef& coordinates, const ConstVecRef& rates)
      : t(time), q(view(coordinates)), qdot(view(rates)) {}
  template <std::same_as<VecX> V>
  At(double time, const V& coordinates, const V& rates)
      : t(time), q(view(coordinates)), qdot(view(rates)) {}
  At(double time, const VecX& coordinates, const VecX& rates, const VecX& internal, double share,
     const VecView& inputs)
      : t(time),
        q(view(coordinates)),
        qdot(view(rates)),
        z(view(internal)),
        gamma(share),
        controls(inputs) {}
  At(double time, const ConstVecRef& coordinates, const ConstVecRef& rates,
     const ConstVecRef& internal, double share, const ConstVecRef& inputs)
      : t(time),
        q(view(coordinates)),
        qdot(view(rates)),
        z(view(internal)),
        gamma(share),
        controls(view(inputs)) {}
  At(const State& state)  // NOLINT(google-explicit-constructor)
      : t(state.t), q(view(state.q)), qdot(view(state.qdot)), z(view(state.z)) {}

  double t;
  VecView q, qdot;  ///< as in a State
  /// Internal state of muscles. In a stage of an implicit method, γ > 0, it is the stage's
  /// start, and the state is the solution of z + γ ż.
  VecView z{nullptr, 0};
  double gamma = 0;  ///< γ [s]
  /// Values of System::controls(). Empty: these functions of time give them.
  VecView controls{nullptr, 0};
};

}  // namespace sinew
