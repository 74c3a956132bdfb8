#include <fmt/format.h>

#include <cstdio>
#include <fstream>

#include "commands.hpp"
#include "model_source.hpp"
#include "scene_library.hpp"
#include "sinew/core/error.hpp"
#include "sinew/io/osim/pose_evaluation.hpp"
#include "sinew/io/scene/scene.hpp"

namespace sinew::cli {

namespace {

std::string evaluated(const EvaluateOptions& options) {
  const std::string poses = read_text_file(options.poses);
  if (options.model.ends_with(".osim")) {
    const OsimModel model = load_osim(options.model, {.strict = options.strict});
    print_warnings(model.warnings);
    return evaluate_poses(model, poses, options.poses);
  }
  if (options.strict)
    throw Error("--strict", "is for OpenSim models", "leave it out: scenes are always strict");
  return evaluate_poses(load_scene(find_scene(options.model)), poses, options.poses);
}

}  // namespace

int run_evaluate(const EvaluateOptions& options) {
  const std::string result = evaluated(options);
  if (options.out.empty() || options.json) fmt::print("{}\n", result);
  if (options.out.empty()) return kOk;
  std::ofstream file(options.out, std::ios::binary);
  file << result << '\n';
  if (!file.flush())
    throw Error("file '" + options.out + "'", "cannot be written", "check the folder");
  return kOk;
}

}  // namespace sinew::cli
