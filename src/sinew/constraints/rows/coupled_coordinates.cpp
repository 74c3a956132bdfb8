#include "sinew/constraints/rows/coupled_coordinates.hpp"

#include <algorithm>
#include <set>

namespace sinew {

CoupledCoordinates::CoupledCoordinates(const ConstraintList& constraints) {
  std::vector<std::shared_ptr<const CoordinateCoupling>> waiting;
  std::set<int> open;  // dependent coordinates whose couplings wait
  for (const auto& constraint : constraints) {
    auto coupling = std::dynamic_pointer_cast<const CoordinateCoupling>(constraint);
    if (coupling && coupling->dependent() && open.insert(coupling->dependent()->value).second)
      waiting.push_back(std::move(coupling));
  }
  const auto ready = [&](const auto& coupling) {
    const std::vector<DofIndex> needed = coupling->independent();
    return std::none_of(needed.begin(), needed.end(),
                        [&](DofIndex dof) { return open.contains(dof.value); });
  };
  for (;;) {
    const auto next = std::find_if(waiting.begin(), waiting.end(), ready);
    if (next == waiting.end()) break;
    open.erase((*next)->dependent()->value);
    couplings_.push_back(std::move(*next));
    waiting.erase(next);
  }
}

const CoordinateCoupling* CoupledCoordinates::coupling_of(DofIndex dof) const {
  for (const auto& coupling : couplings_)
    if (*coupling->dependent() == dof) return coupling.get();
  return nullptr;
}

void CoupledCoordinates::follow(VecX& q, VecX& qdot, VecX& qddot) const {
  for (const auto& coupling : couplings_) coupling->follow(q, qdot, qddot);
}

void CoupledCoordinates::follow(VecX& q) const {
  VecX qdot = VecX::Zero(q.size()), qddot = qdot;
  follow(q, qdot, qddot);
}

void CoupledCoordinates::pass_on(const VecX& q, VecRef force) const {
  for (auto it = couplings_.rbegin(); it != couplings_.rend(); ++it) (*it)->pass_on(q, force);
}

}  // namespace sinew
