#include "agreement.hpp"

#include <algorithm>

namespace bench {

Agreement compare(Engine& reference, Engine& engine, int samples) {
  Agreement worst;
  const auto include = [](double& entry, const MatX& a, const MatX& b) {
    entry = std::max(entry, (a - b).cwiseAbs().maxCoeff() / a.cwiseAbs().maxCoeff());
  };
  for (int i = 0; i < samples; ++i) {
    include(worst.acceleration, reference.acceleration(i), engine.acceleration(i));
    if (engine.offers(Kernel::inverse_dynamics))
      include(worst.force, reference.force(i), engine.force(i));
    if (engine.offers(Kernel::mass_matrix)) include(worst.mass, reference.mass(i), engine.mass(i));
  }
  return worst;
}

}  // namespace bench
