#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/commands/commands.hpp"
#include "cli/commands/options.hpp"
#include "sinew/io/scene/scene.hpp"
#include "sinew/io/scene/scene_library.hpp"
#include "sinew/io/sweeps/study.hpp"
#include "sinew/io/tasks/task.hpp"

namespace sinew::cli {
namespace {

struct ScenesOptions {
  bool json = false;
};

int run_scenes(const ScenesOptions& options) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  size_t widest = 0;
  for (const std::string& name : scene_names()) {
    const std::filesystem::path path = find_scene(name);
    list.push_back({{"name", name}, {"title", load_scene(path).title}, {"path", path.string()}});
    widest = std::max(widest, name.size());
  }
  nlohmann::ordered_json tasks = nlohmann::ordered_json::array();
  for (const std::string& name : task_names()) {
    const Task task = load_task(name);
    tasks.push_back({{"name", name}, {"title", task.title}, {"path", task.path.string()}});
    widest = std::max(widest, name.size());
  }
  nlohmann::ordered_json studies = nlohmann::ordered_json::array();
  for (const std::string& name : study_names()) {
    const Study study = load_study(name);
    studies.push_back({{"name", name}, {"title", study.title}, {"path", study.path.string()}});
    widest = std::max(widest, name.size());
  }
  if (options.json) {
    fmt::print(
        "{}\n",
        nlohmann::ordered_json{{"scenes", list}, {"tasks", tasks}, {"studies", studies}}.dump(2));
    return kOk;
  }
  const auto print = [&](const nlohmann::ordered_json& all) {
    for (const auto& one : all)
      fmt::print("  {:<{}}  {}\n", one["name"].get<std::string>(), widest,
                 one["title"].get<std::string>());
  };
  print(list);
  fmt::print("\n`sinew info SCENE` tells more, `sinew simulate SCENE` runs one.\n\nTasks\n");
  print(tasks);
  fmt::print(
      "\n`sinew gradient TASK` differentiates one, `sinew optimize TASK` solves it.\n\nStudies\n");
  print(studies);
  fmt::print("\n`sinew sweep STUDY` runs all variants of one.\n");
  return kOk;
}

}  // namespace

Command add_scenes(CLI::App& program) {
  CLI::App* c = program.add_subcommand(
      "scenes", "List the scenes, tasks and studies that come with the program");
  const auto o = std::make_shared<ScenesOptions>();
  add_json(*c, o->json);
  c->footer("Example\n  sinew scenes");
  return {c, [o](const std::string&) { return run_scenes(*o); }};
}

}  // namespace sinew::cli
