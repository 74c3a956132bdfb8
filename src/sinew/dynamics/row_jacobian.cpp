#include "sinew/dynamics/row_jacobian.hpp"

#include <algorithm>

namespace sinew {

void RowJacobian::set_zero() {
  links.setZero();
  std::fill(start_.begin(), start_.end(), 0);
  fresh_ = false;
}

void RowJacobian::resize(int rows) {
  links.resize(links.rows(), rows);
  start_.resize(count(rows) + 1);
  set_zero();
}

const MatX& RowJacobian::dense() const {
  if (parts_ == 0) return links;
  if (fresh_) return dense_;
  dense_.setZero(dofs(), links.cols());
  dense_.topRows(links.rows()) = links;
  for (int r = 0; r < rows(); ++r)
    for (const Entry* e = begin(r); e != end(r); ++e) dense_(links.rows() + e->dof, r) += e->value;
  fresh_ = true;
  return dense_;
}

}  // namespace sinew
