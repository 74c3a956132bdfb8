#pragma once

#include <string>

namespace sinew::cli {

/// What `sinew info` prints of an OpenSim model. `strict`: what cannot be read is an error.
void show_osim_info(const std::string& path, bool strict, bool json);

}  // namespace sinew::cli
