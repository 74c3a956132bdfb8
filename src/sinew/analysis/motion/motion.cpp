#include "sinew/analysis/motion/motion.hpp"

namespace sinew {

MatX inverse_dynamics(const System& system, const Motion& motion) {
  Workspace ws(system);
  MatX out(system.dof_count(), static_cast<Eigen::Index>(motion.size()));
  for (size_t k = 0; k < motion.size(); ++k)
    inverse_dynamics(system, {motion[k].t, motion[k].q, motion[k].qdot}, motion[k].qddot, ws,
                     out.col(static_cast<Eigen::Index>(k)));
  return out;
}

}  // namespace sinew
