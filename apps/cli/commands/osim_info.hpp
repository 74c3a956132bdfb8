#pragma once

#include <string>

namespace sinew::cli {

/// The output of `sinew info` for an OpenSim model. `strict`: unreadable elements are an error.
void show_osim_info(const std::string& path, bool strict, bool json);

}  // namespace sinew::cli
