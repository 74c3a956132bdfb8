#include <fmt/format.h>

#include <cstdio>
#include <fstream>

#include "commands.hpp"
#include "sinew/core/error.hpp"
#include "sinew/io/osim/pose_evaluation.hpp"
#include "sinew/io/scene.hpp"

namespace sinew::cli {

int run_evaluate(const EvaluateOptions& options) {
  const OsimModel model = load_osim(options.model, {.strict = options.strict});
  for (const std::string& warning : model.warnings)
    fmt::print(stderr, "sinew: warning: {}\n", warning);
  const std::string result = evaluate_poses(model, read_text_file(options.poses), options.poses);
  if (options.out.empty()) {
    fmt::print("{}\n", result);
    return kOk;
  }
  std::ofstream file(options.out, std::ios::binary);
  file << result << '\n';
  if (!file.flush())
    throw Error("file '" + options.out + "'", "cannot be written", "check the folder");
  return kOk;
}

}  // namespace sinew::cli
