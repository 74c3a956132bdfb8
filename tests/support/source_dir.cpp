#include "support/source_dir.hpp"

namespace sinew::test {

std::string source_dir() { return SINEW_SOURCE_DIR; }

}  // namespace sinew::test
