#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "sinew/dynamics/smooth_contact_law.hpp"
#include "sinew/integrate/integrator.hpp"
#include "sinew/io/json/object_reader.hpp"
#include "sinew/io/json/scene_keys.hpp"
#include "sinew/io/scene/scene.hpp"
#include "sinew/muscles/path/muscle.hpp"
#include "sinew/strands/strand_forms.hpp"
#include "support/source_dir.hpp"

namespace sinew {
namespace schema_test {

nlohmann::json schema() {
  std::ifstream file(test::source_dir() + "/docs/scene.schema.json");
  return nlohmann::json::parse(file);
}

TEST(Schema, ListsTheSameKeysAsTheReader) {
  const nlohmann::json definitions = schema()["$defs"];
  for (const ObjectKind& kind : scene_keys::all_kinds()) {
    ASSERT_TRUE(definitions.contains(kind.name)) << kind.name;
    const nlohmann::json& definition = definitions[std::string(kind.name)];
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
}

TEST(Schema, HasNoKindThatTheReaderLacks) {
  std::set<std::string> known;
  for (const ObjectKind& kind : scene_keys::all_kinds()) known.emplace(kind.name);
  const nlohmann::json definitions = schema()["$defs"];
  for (const auto& [name, definition] : definitions.items())
    if (definition.contains("properties")) {
      EXPECT_EQ(known.count(name), 1u) << name;
    }
}

TEST(Schema, NamesEveryTypeAfterItsKind) {
  const nlohmann::json definitions = schema()["$defs"];
  for (const auto& kinds :
       {scene_keys::kJointTypes, scene_keys::kFunctionTypes, scene_keys::kShapeTypes,
        scene_keys::kForceTypes, scene_keys::kConstraintTypes, scene_keys::kTimeFunctionTypes,
        scene_keys::kLimitTypes, scene_keys::kBearingTypes, scene_keys::kWrapTypes,
        scene_keys::kNodeTypes})
    for (const ObjectKind& kind : kinds)
      EXPECT_EQ(definitions[std::string(kind.name)]["properties"]["type"]["const"], type_of(kind));
}

TEST(Schema, ListsTheIntegrators) {
  std::vector<std::string> names;
  for (const Integrator integrator : all_integrators()) names.push_back(to_string(integrator));
  EXPECT_EQ(schema()["$defs"]["simulation"]["properties"]["integrator"]["enum"], names);
}

TEST(Schema, StatesTheDefaultsOfTheLibrary) {
  const nlohmann::json keys = schema()["$defs"]["simulation"]["properties"];
  const StepOptions defaults;
  EXPECT_EQ(keys["relative_tolerance"]["default"], defaults.relative_tolerance);
  EXPECT_EQ(keys["absolute_tolerance"]["default"], defaults.absolute_tolerance);
  EXPECT_EQ(keys["accuracy"]["default"], defaults.accuracy);
  EXPECT_EQ(keys["newton_tolerance"]["default"], defaults.newton_tolerance);
  EXPECT_EQ(keys["newton_iterations"]["default"], defaults.newton_iterations);
  EXPECT_EQ(keys["projection"]["default"], defaults.projection);
}

TEST(Schema, StatesTheDefaultsOfGroundContact) {
  const nlohmann::json keys = schema()["$defs"]["force-ground-contact"]["properties"];
  const SmoothContactLaw defaults;
  EXPECT_EQ(keys["stiffness"]["default"], defaults.stiffness);
  EXPECT_EQ(keys["onset"]["default"], defaults.onset);
  EXPECT_EQ(keys["dissipation"]["default"], defaults.dissipation);
  EXPECT_EQ(keys["friction"]["default"], defaults.friction);
  EXPECT_EQ(keys["creep_velocity"]["default"], defaults.creep_velocity);
}

TEST(Schema, StatesTheDefaultsOfMuscles) {
  const nlohmann::json keys = schema()["$defs"]["muscle-options"]["properties"];
  const Muscle defaults;
  EXPECT_EQ(keys["points"]["default"], defaults.lumps);
  EXPECT_EQ(keys["at_ends"]["default"], defaults.lumps_at_ends);
  EXPECT_EQ(keys["gravity"]["default"], defaults.gravity);
  EXPECT_EQ(keys["velocity_terms"]["default"], defaults.velocity_terms);
  const nlohmann::json band = schema()["$defs"]["wrap-band"];
  EXPECT_EQ(band["default"], kDefaultBand);
  EXPECT_EQ(band["maximum"], kMaxBand);
  EXPECT_EQ(schema()["$defs"]["wrap-sphere"]["properties"]["antipode_band"]["default"],
            SphereWrap().antipode_band);
}

TEST(Schema, StatesTheDefaultsOfCables) {
  const nlohmann::json keys = schema()["$defs"]["force-cable"]["properties"];
  EXPECT_EQ(keys["slack"]["default"], CableLaw().slack);
  EXPECT_EQ(keys["damping"]["default"], CableLaw().damping);
}

std::string documentation() { return read_text_file(test::source_dir() + "/docs/scene_format.md"); }

TEST(Documentation, MentionsEveryKeyAndEveryType) {
  const std::string text = documentation();
  const auto mentions = [&](const std::string& word) {
    return text.find("`" + word + "`") != std::string::npos ||
           text.find("\"" + word + "\"") != std::string::npos;
  };
  for (const ObjectKind& kind : scene_keys::all_kinds())
    for (const SceneKey& key : kind.keys)
      EXPECT_TRUE(mentions(std::string(key.name))) << kind.name << ": " << key.name;
  for (const auto& kinds :
       {scene_keys::kJointTypes, scene_keys::kFunctionTypes, scene_keys::kShapeTypes,
        scene_keys::kForceTypes, scene_keys::kConstraintTypes, scene_keys::kTimeFunctionTypes,
        scene_keys::kLimitTypes, scene_keys::kBearingTypes, scene_keys::kWrapTypes,
        scene_keys::kNodeTypes})
    for (const ObjectKind& kind : kinds) EXPECT_TRUE(mentions(type_of(kind))) << kind.name;
}

TEST(Documentation, HasExamplesThatCanBeRead) {
  const std::string text = documentation();
  int examples = 0, scenes = 0;
  for (size_t at = text.find("```json\n"); at != std::string::npos; ++examples) {
    const size_t begin = at + 8, end = text.find("```", begin);
    const std::string example = text.substr(begin, end - begin);
    EXPECT_NO_THROW(parse_json(example, "example")) << example;
    if (example.find("sinew_scene") != std::string::npos) {
      EXPECT_NO_THROW(parse_scene(example, "example", ""));
      ++scenes;
    }
    at = text.find("```json\n", end);
  }
  EXPECT_EQ(scenes, 1);
  EXPECT_EQ(examples, 16);
}

}  // namespace schema_test
}  // namespace sinew
