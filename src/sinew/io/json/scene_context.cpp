#include "sinew/io/json/scene_context.hpp"

namespace sinew {

Error SceneContext::located(const Error& error, int line) const {
  if (line >= 0) return error.with_location(source, line);
  return error.with_location(source + ": --set " + overrides[static_cast<size_t>(-line - 1)], 0);
}

void SceneContext::fail(int line, const std::string& element, const std::string& problem,
                        const std::string& remedy) const {
  throw located(Error(element, problem, remedy), line);
}

}  // namespace sinew
