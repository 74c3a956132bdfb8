#include "sinew/math/anderson.hpp"

namespace sinew {

void AndersonMemory::clear() {
  x_.resize(0);
  step_.resize(0);
  moves_.clear();
  changes_.clear();
}

void AndersonMemory::add(const VecX& x, const VecX& step) {
  if (x_.size() == x.size()) {
    moves_.push_back(x - x_);
    changes_.push_back(step - step_);
    if (moves_.size() > memory_) {
      moves_.pop_front();
      changes_.pop_front();
    }
  }
  x_ = x;
  step_ = step;
}

VecX AndersonMemory::extrapolated() const {
  if (empty()) return step_;
  const auto count = static_cast<Eigen::Index>(changes_.size());
  MatX changes(step_.size(), count), moves(step_.size(), count);
  for (Eigen::Index k = 0; k < count; ++k) {
    changes.col(k) = changes_[static_cast<size_t>(k)];
    moves.col(k) = moves_[static_cast<size_t>(k)];
  }
  if (changes.isZero(0)) return step_;
  // Directions that rounding cannot tell from others have no share.
  Eigen::ColPivHouseholderQR<MatX> qr(changes);
  qr.setThreshold(1e-8);
  const VecX shares = qr.solve(step_);
  return step_ - (moves + changes) * shares;
}

}  // namespace sinew
