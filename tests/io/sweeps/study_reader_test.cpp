#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>

#include "sinew/io/json/object_reader.hpp"
#include "sinew/io/scene/scene.hpp"
#include "sinew/io/sweeps/point_table.hpp"
#include "sinew/io/sweeps/study.hpp"
#include "sinew/io/sweeps/study_keys.hpp"
#include "support/message_of.hpp"
#include "support/source_dir.hpp"

namespace sinew {
namespace study_reader_test {

using nlohmann::json;

json good() {
  return {
      {"sinew_study", 1},
      {"model", "double-pendulum"},
      {"design", {{"type", "random"}, {"runs", 10}}},
      {"parameters", {{{"type", "initial"}, {"state", "shoulder_angle"}, {"uniform", {1.4, 1.6}}}}},
      {"results", {{{"output", "shoulder_angle"}}}}};
}
std::string message(const json& study) {
  return test::message_of([&] { parse_study(study.dump(2), "study.json", "."); });
}

/// A study of a task in place of a model.
void swap_for_task(json& study) {
  study.erase("model");
  study["task"] = "torques";
  study["parameters"] = {{{"type", "task"}, {"unknown", "motor@0"}, {"uniform", {-1, 1}}}};
  study["results"] = {{{"objective", "total"}}};
}

TEST(StudyReader, ReadsWhatTheFileSays) {
  json file = good();
  file["parameters"].push_back({{"type", "model"},
                                {"path", "bodies.upper.inertia.mass"},
                                {"name", "m"},
                                {"values", {1, 2}}});
  file["results"].push_back(
      {{"output", "energy/total"}, {"measure", "time-of-crossing"}, {"level", 2}});
  const Study study = parse_study(file.dump(), "folder/study.json", "folder");
  EXPECT_EQ(study.name, "study");
  EXPECT_EQ(study.design.runs, 10u);
  ASSERT_EQ(study.parameters.size(), 2u);
  EXPECT_EQ(study.parameters[0].name, "shoulder_angle");
  EXPECT_EQ(study.parameters[1].name, "m");
  ASSERT_EQ(study.results.size(), 2u);
  EXPECT_EQ(study.results[0].name, "final_shoulder_angle");
  EXPECT_EQ(study.results[1].name, "time-of-crossing_total");
}

TEST(StudyReader, ReadsStudiesOfTasks) {
  json file = good();
  swap_for_task(file);
  file["results"].push_back({{"gradient", "motor@0"}});
  file["results"].push_back({{"output", "shoulder_angle"}});
  const Study study = parse_study(file.dump(), "folder/study.json", "folder");
  EXPECT_EQ(study.task, "torques");
  EXPECT_EQ(study.model, "");
  EXPECT_EQ(study.parameters[0].kind, StudyParameter::Kind::task);
  EXPECT_EQ(study.parameters[0].name, "motor@0");
  ASSERT_EQ(study.results.size(), 3u);
  EXPECT_EQ(study.results[0].name, "objective_total");
  EXPECT_EQ(study.results[1].of, StudyResult::Of::gradient);
  EXPECT_EQ(study.results[1].name, "gradient_motor@0");
  EXPECT_EQ(study.results[2].name, "final_shoulder_angle");
}

TEST(StudyReader, TellsWhatDecidesTheRows) {
  const auto hash = [](const json& file) {
    return parse_study(file.dump(), "s", ".").content_hash;
  };
  json more = good(), renamed = good(), seed = good(), wider = good(), hypercube = good();
  more["design"]["runs"] = 20;
  renamed["title"] = "the same";
  seed["design"]["seed"] = 2;
  wider["parameters"][0]["uniform"] = {1.4, 1.7};
  EXPECT_EQ(hash(good()), hash(more));
  EXPECT_EQ(hash(good()), hash(renamed));
  EXPECT_NE(hash(good()), hash(seed));
  EXPECT_NE(hash(good()), hash(wider));
  hypercube["design"]["type"] = "latin-hypercube";
  json larger = hypercube;
  larger["design"]["runs"] = 20;
  EXPECT_NE(hash(hypercube), hash(larger));
}

TEST(StudyReader, RefusesBadStudiesInOneSentence) {
  const std::vector<std::pair<std::function<void(json&)>, std::string>> cases = {
      {[](json& s) { s["sinew_study"] = 2; }, "version that is not known"},
      {[](json& s) { s["sinew_scene"] = 1; }, "is a scene, not a study"},
      {[](json& s) { s["sinew_task"] = 1; }, "name it as the 'task' of a study"},
      {[](json& s) { s["modle"] = "x"; }, "did you mean 'model'"},
      {[](json& s) { s.erase("model"); }, "'model'"},
      {[](json& s) { s["task"] = "torques"; }, "has 'model' and 'task'"},
      {[](json& s) {
         swap_for_task(s), s["initial"] = {{"shoulder_angle", 1}};
       },
       "'initial' is the task's"},
      {[](json& s) {
         swap_for_task(s), s["run"] = {{"dt", 1e-3}};
       },
       "'run' is the task's"},
      {[](json& s) {
         swap_for_task(s), s["parameters"] = {{{"type", "duration"}, {"values", {1}}}};
       },
       "is none of a task"},
      {[](json& s) { swap_for_task(s), s["results"][0]["measure"] = "peak"; },
       "'measure' is for an 'output'"},
      {[](json& s) { swap_for_task(s), s["results"][0]["output"] = "q"; },
       "names more than one number"},
      {[](json& s) {
         s["parameters"] = {{{"type", "task"}, {"unknown", "x"}, {"values", {1}}}};
       },
       "the study is of a model"},
      {[](json& s) {
         s["results"] = {{{"objective", "total"}}};
       },
       "is of a task"},
      {[](json& s) {
         s["results"] = {{{"name", "x"}}};
       },
       "names no 'output'"},
      {[](json& s) { s["model"] = ""; }, "'model' is empty"},
      {[](json& s) { s["parameters"] = json::array(); }, "has no parameters"},
      {[](json& s) { s["results"] = json::array(); }, "has no results"},
      {[](json& s) { s["design"]["type"] = "halton"; }, "halton"},
      {[](json& s) { s["design"].erase("runs"); }, "'runs'"},
      {[](json& s) { s["design"]["runs"] = 0; }, "'runs'"},
      {[](json& s) { s["design"]["runs"] = 2.5; }, "'runs'"},
      {[](json& s) { s["design"]["seed"] = -1; }, "'seed'"},
      {[](json& s) {
         s["design"] = {{"type", "grid"}};
       },
       "needs the values"},
      {[](json& s) {
         s["design"] = {{"type", "grid"}, {"runs", 3}};
       },
       "a grid has no 'runs'"},
      {[](json& s) {
         s["design"] = {{"type", "list"}};
       },
       "a list has no 'file'"},
      {[](json& s) { s["design"]["file"] = "points.csv"; }, "'file' is for lists"},
      {[](json& s) { s["parameters"][0].erase("uniform"); }, "has no distribution"},
      {[](json& s) { s["parameters"][0]["values"] = {1}; }, "has 'uniform' and 'values'"},
      {[](json& s) {
         s["parameters"][0]["uniform"] = {2, 1};
       },
       "does not ascend"},
      {[](json& s) { s["parameters"][0]["uniform"] = {1}; }, "'uniform'"},
      {[](json& s) {
         s["parameters"][0]["bounds"] = {1, 2};
       },
       "'bounds' are for 'normal'"},
      {[](json& s) { s["parameters"][0]["type"] = "muscle"; }, "muscle"},
      {[](json& s) { s["parameters"].push_back(s["parameters"][0]); }, "two have the name"},
      {[](json& s) { s["results"].push_back(s["results"][0]); }, "two have the name"},
      {[](json& s) { s["results"][0]["measure"] = "median"; }, "median"},
      {[](json& s) { s["results"][0]["level"] = 1; }, "'level' is for time-of-crossing"},
      {[](json& s) { s["results"][0]["measure"] = "time-of-crossing"; }, "has no 'level'"},
      {[](json& s) { s["results"][0]["output"] = ""; }, "'output' is empty"},
      {[](json& s) { s["run"]["dt"] = -1; }, "'dt'"},
      {[](json& s) { s["run"]["integrator"] = "rk5"; }, "rk5"},
  };
  for (const auto& [break_it, expected] : cases) {
    json study = good();
    break_it(study);
    const std::string text = message(study);
    EXPECT_NE(text.find(expected), std::string::npos) << expected << "\n" << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    EXPECT_NE(text.find("study.json"), std::string::npos) << text;
  }
  const auto distribution = [](const json& keys) {
    json study = good();
    study["parameters"][0].erase("uniform");
    study["parameters"][0].update(keys);
    return message(study);
  };
  EXPECT_NE(distribution({{"log_uniform", {0, 1}}}).find("not positive"), std::string::npos);
  EXPECT_NE(distribution({{"normal", {0, 0}}}).find("not positive"), std::string::npos);
  EXPECT_NE(distribution({{"normal", {0, 1}}, {"bounds", {40, 50}}}).find("leave nothing"),
            std::string::npos);
  EXPECT_NE(distribution({{"values", json::array()}}).find("is empty"), std::string::npos);
}

TEST(StudyReader, ReadsPointsByName) {
  EXPECT_EQ(parse_points("b,a,other\n1,2,x\n3,4,y\n", "points.csv", {"a", "b"}),
            (std::vector<double>{2, 1, 4, 3}));
  EXPECT_EQ(parse_points("\"a\"\tb\n1e-3\t2\n", "points.csv", {"a"}), (std::vector<double>{1e-3}));
  const auto message = [](const char* text) {
    return test::message_of([&] { parse_points(text, "points.csv", {"mass"}); });
  };
  EXPECT_NE(message("mas\n1\n").find("did you mean 'mas'"), std::string::npos);
  EXPECT_NE(message("mass\n1\nx\n").find("points.csv:3"), std::string::npos);
  EXPECT_NE(message("mass\n1,2\n").find("has 2 cells"), std::string::npos);
  EXPECT_NE(message("mass\nnan\n").find("not a finite number"), std::string::npos);
  EXPECT_NE(message("mass\n").find("no points"), std::string::npos);
  EXPECT_NE(message("").find("is empty"), std::string::npos);
  EXPECT_NE(message("mass,mass\n1,2\n").find("two columns"), std::string::npos);
}

json definitions() {
  std::ifstream file(test::source_dir() + "/docs/study.schema.json");
  return json::parse(file)["$defs"];
}

TEST(StudySchema, ListsTheSameKeysAsTheReaderAndThePage) {
  const json all = definitions();
  const std::string page = read_text_file(test::source_dir() + "/docs/studies.md", 1 << 20);
  for (const ObjectKind& kind : study_keys::all_kinds()) {
    ASSERT_TRUE(all.contains(kind.name)) << kind.name;
    const json& definition = all[std::string(kind.name)];
    std::set<std::string> keys, schema_keys;
    for (const SceneKey& key : kind.keys) {
      keys.emplace(key.name);
      const std::string word(key.name);
      const bool told = word == "type" || word == "title" || word == "description" ||
                        word == "citation" || page.find("`" + word + "`") != std::string::npos ||
                        page.find("\"" + word + "\"") != std::string::npos;
      EXPECT_TRUE(told) << word;
      bool required = false;
      if (definition.contains("required"))
        for (const json& name : definition["required"]) required |= name == std::string(key.name);
      EXPECT_EQ(required, key.required) << kind.name << " " << key.name;
    }
    for (const auto& [key, value] : definition["properties"].items()) schema_keys.insert(key);
    EXPECT_EQ(keys, schema_keys) << kind.name;
  }
  for (const ObjectKind& kind : study_keys::kParameterTypes)
    EXPECT_EQ(all[std::string(kind.name)]["properties"]["type"]["const"], type_of(kind));
  EXPECT_EQ(all["design"]["properties"]["type"]["enum"], json(DesignOptions::names()));
  EXPECT_EQ(all["result"]["properties"]["measure"]["enum"], json(StudyResult::measure_names()));
}

}  // namespace study_reader_test
}  // namespace sinew
