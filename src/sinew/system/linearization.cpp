#include "sinew/system/linearization.hpp"

namespace sinew {

void Linearization::allocate(Eigen::Index r, const NodeLayout& masses, const NodeLayout& layout) {
  for (MatX* m : {&M, &dg_dq, &dg_dqdot}) m->resize(r, r);
  M_nodes.resize(masses, r);
  dg_dq_nodes.resize(layout, r);
  dg_dqdot_nodes.resize(layout, r);
}

}  // namespace sinew
