#pragma once

#include <memory>
#include <utility>

#include "sinew/builder/system_builder.hpp"
#include "sinew/system/equations.hpp"

namespace sinew::test {

/// The effect of one element alone on a skeleton without gravity, through the equations of motion.
class LoneForce {
 public:
  LoneForce(const Skeleton& skeleton, std::shared_ptr<const Force> force)
      : system_(SystemBuilder(skeleton).set_gravity(Vec3::Zero()).add_force(force).build()),
        bare_(SystemBuilder(skeleton).set_gravity(Vec3::Zero()).build()),
        ws_(system_),
        bare_ws_(bare_) {}

  /// Its force on the coordinates: the force that the skeleton needs without it but not with it.
  VecX exerted(const VecX& q, const VecX& qdot, double t = 0) {
    const VecX zero = VecX::Zero(q.size());
    VecX with(q.size()), without(q.size());
    inverse_dynamics(system_, {t, q, qdot}, zero, ws_, with);
    inverse_dynamics(bare_, {t, q, qdot}, zero, bare_ws_, without);
    return without - with;
  }
  double power(const VecX& q, const VecX& qdot, double t = 0) {
    update_forces(system_, {t, q, qdot}, ws_);
    return ws_.forces.power;
  }
  double stored(const VecX& q) {
    return energy(system_, {0, q, VecX::Zero(q.size())}, ws_).elastic;
  }
  /// ∂(exerted)/∂q and ∂/∂q̇.
  std::pair<MatX, MatX> stiffness_and_damping(const VecX& q, const VecX& qdot,
                                              StiffnessModel kind = StiffnessModel::exact) {
    const VecX zero = VecX::Zero(q.size());
    VecX g(q.size());
    Linearization with, without;
    linearize(system_, {0, q, qdot}, zero, kind, ws_, g, with);
    linearize(bare_, {0, q, qdot}, zero, kind, bare_ws_, g, without);
    return {without.dg_dq - with.dg_dq, without.dg_dqdot - with.dg_dqdot};
  }

 private:
  System system_, bare_;
  Workspace ws_, bare_ws_;
};

}  // namespace sinew::test
