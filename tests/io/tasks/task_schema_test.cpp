#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "sinew/io/json/object_reader.hpp"
#include "sinew/io/scene/scene.hpp"
#include "sinew/io/tasks/task.hpp"
#include "sinew/io/tasks/task_keys.hpp"
#include "support/source_dir.hpp"

/// One vocabulary in three places: the reader's tables, the schema, and the page.

namespace sinew {
namespace task_schema_test {

nlohmann::json definitions() {
  std::ifstream file(test::source_dir() + "/docs/task.schema.json");
  return nlohmann::json::parse(file)["$defs"];
}
std::string page() { return read_text_file(test::source_dir() + "/docs/task_format.md"); }

TEST(TaskSchema, ListsTheSameKeysAsTheReader) {
  const nlohmann::json all = definitions();
  std::set<std::string> known;
  for (const ObjectKind& kind : task_keys::all_kinds()) {
    ASSERT_TRUE(all.contains(kind.name)) << kind.name;
    known.emplace(kind.name);
    const nlohmann::json& definition = all[std::string(kind.name)];
    std::set<std::string> keys, required, schema_keys, schema_required;
    for (const SceneKey& key : kind.keys) {
      keys.emplace(key.name);
      if (key.required) required.emplace(key.name);
    }
    for (const auto& [key, value] : definition["properties"].items()) schema_keys.insert(key);
    if (definition.contains("required"))
      for (const auto& key : definition["required"]) schema_required.insert(key);
    EXPECT_EQ(keys, schema_keys) << kind.name;
    EXPECT_EQ(required, schema_required) << kind.name;
  }
  for (const auto& [name, definition] : all.items())
    if (definition.contains("properties")) {
      EXPECT_EQ(known.count(name), 1u) << name;
    }
}

TEST(TaskSchema, NamesEveryTypeAfterItsKind) {
  const nlohmann::json all = definitions();
  for (const auto& kinds : {task_keys::kParameterTypes, task_keys::kObjectiveTypes})
    for (const ObjectKind& kind : kinds)
      EXPECT_EQ(all[std::string(kind.name)]["properties"]["type"]["const"], type_of(kind));
}

TEST(TaskSchema, StatesTheDefaultsOfTheReader) {
  const nlohmann::json keys = definitions()["optimizer"]["properties"];
  const Task::Optimizer defaults;
  EXPECT_EQ(keys["evaluations"]["default"], defaults.evaluations);
  EXPECT_EQ(keys["gradient_tolerance"]["default"], defaults.gradient_tolerance);
  EXPECT_EQ(keys["value_tolerance"]["default"], defaults.value_tolerance);
  EXPECT_EQ(definitions()["run"]["properties"]["integrator"]["default"],
            to_string(Task().integrator));
}

TEST(TaskPage, MentionsEveryKeyAndEveryType) {
  const std::string text = page();
  const auto mentions = [&](const std::string& word) {
    return text.find("`" + word + "`") != std::string::npos ||
           text.find("\"" + word + "\"") != std::string::npos;
  };
  for (const ObjectKind& kind : task_keys::all_kinds())
    for (const SceneKey& key : kind.keys)
      EXPECT_TRUE(mentions(std::string(key.name))) << kind.name << ": " << key.name;
  for (const auto& kinds : {task_keys::kParameterTypes, task_keys::kObjectiveTypes})
    for (const ObjectKind& kind : kinds) EXPECT_TRUE(mentions(type_of(kind))) << kind.name;
}

TEST(TaskPage, HasAnExampleThatCanBeRead) {
  const std::string text = page();
  const size_t begin = text.find("```json\n") + 8;
  EXPECT_NO_THROW(parse_task(text.substr(begin, text.find("```", begin) - begin), "example", ""));
}

}  // namespace task_schema_test
}  // namespace sinew
