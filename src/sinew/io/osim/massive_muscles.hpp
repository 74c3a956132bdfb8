#pragma once

#include "sinew/io/osim/osim_model.hpp"
#include "sinew/muscles/transfer/muscle_masses.hpp"

namespace sinew {

/// The muscles of a model as they may get mass. They pull along OpenSim's paths, which search and
/// jump; mass lies along fixed routes (fix_wraps).
struct OsimRoutes {
  std::vector<WeighedMuscle> muscles;
  VecX reference;                     ///< the default pose, couplers satisfied
  std::vector<std::string> warnings;  ///< surfaces that are left out
};

/// Surfaces are put where the poses ask for.
OsimRoutes massive_routes(const OsimModel& model, const std::vector<VecX>& poses);

}  // namespace sinew
