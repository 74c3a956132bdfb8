#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/commands/commands.hpp"
#include "cli/commands/options.hpp"
#include "sinew/io/scene/scene.hpp"
#include "sinew/io/scene/scene_library.hpp"
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
  if (options.json) {
    fmt::print("{}\n", nlohmann::ordered_json{{"scenes", list}, {"tasks", tasks}}.dump(2));
    return kOk;
  }
  for (const auto& scene : list)
    fmt::print("  {:<{}}  {}\n", scene["name"].get<std::string>(), widest,
               scene["title"].get<std::string>());
  fmt::print("\n`sinew info SCENE` tells more, `sinew simulate SCENE` runs one.\n\nTasks\n");
  for (const auto& task : tasks)
    fmt::print("  {:<{}}  {}\n", task["name"].get<std::string>(), widest,
               task["title"].get<std::string>());
  fmt::print("\n`sinew gradient TASK` differentiates one, `sinew optimize TASK` solves it.\n");
  return kOk;
}

}  // namespace

Command add_scenes(CLI::App& program) {
  CLI::App* c =
      program.add_subcommand("scenes", "List the scenes and tasks that come with the program");
  const auto o = std::make_shared<ScenesOptions>();
  add_json(*c, o->json);
  c->footer("Example\n  sinew scenes");
  return {c, [o](const std::string&) { return run_scenes(*o); }};
}

}  // namespace sinew::cli
