#pragma once

#include <string>

namespace sinew::test {

/// The folder of the project, whose scenes and models tests read.
std::string source_dir();

}  // namespace sinew::test
