#pragma once

#include "sinew/io/tasks/task.hpp"
#include "support/source_dir.hpp"

namespace sinew::test {

/// A task about a scene that comes with the program; keys of the run, parameters and objectives as
/// in a file.
inline Task task_about(const std::string& scene, const std::string& run,
                       const std::string& parameters, const std::string& objectives) {
  const std::string text = R"({"sinew_task": 1, "model": ")" + source_dir() + "/scenes/" + scene +
                           R"(.json", "run": {)" + run + R"(}, "parameters": [)" + parameters +
                           R"(], "objectives": [)" + objectives + "]}";
  return parse_task(text, scene + "-task", "");
}

}  // namespace sinew::test
