#pragma once

#include "sinew/io/osim/osim_model.hpp"

namespace sinew::cli {

/// What `sinew info` prints of an OpenSim model.
void show_osim_info(const OsimModel& model, bool json);

}  // namespace sinew::cli
