#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/program.hpp"
#include "export/glb_reader.hpp"
#include "support/source_dir.hpp"

/// `sinew export`. The loaders of three.js read its files in web/tests/export.test.mjs.

namespace sinew::test {
namespace export_test {

using nlohmann::json;
using testing::HasSubstr;

TEST(Export, WritesARunAsGltf) {
  const TemporaryFolder folder;
  const std::string run = (folder / "run").string(), file = (folder / "a.glb").string();
  ASSERT_EQ(run_program("simulate wrap-pendulum --until 1 --out " + run).exit_code, 0);
  const ProgramResult result = run_program("export " + run + " " + file + " --json");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json record = json::parse(result.out);
  const std::string bytes = read_file(file);
  EXPECT_EQ(record["file"], file);
  EXPECT_EQ(record["format"], "glb");
  EXPECT_EQ(record["bytes"], bytes.size());
  EXPECT_EQ(record["frames"], 240);
  EXPECT_EQ(record["bodies"], 2);
  EXPECT_EQ(record["muscles"], 1);
  EXPECT_EQ(record["warnings"], json::array());
  const Glb glb(bytes);
  EXPECT_EQ(glb.json["animations"].size(), 1u);
  EXPECT_FALSE(std::filesystem::exists(file + ".part"));
  const ProgramResult few = run_program("export " + run + " " + file + " --rate 10");
  EXPECT_THAT(few.out, HasSubstr("11 frames from 0 to 1 s, 2 bodies, 1 muscle,"));
}

TEST(Export, WritesSoftBodiesAndMachines) {
  const TemporaryFolder folder;
  for (const std::string scene : {"starfish", "redmax-23", "strand-spring"}) {
    const std::string run = (folder / scene).string(), file = (folder / (scene + ".glb")).string();
    ASSERT_EQ(run_program("simulate " + scene + " --until 0.1 --out " + run).exit_code, 0);
    const ProgramResult result = run_program("export " + run + " " + file);
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.err, "");
    const Glb glb(read_file(file));
    EXPECT_GT(glb.json["nodes"].size(), 2u);
  }
}

TEST(Export, WritesAMotionOfAModel) {
  const TemporaryFolder folder;
  const std::string models = source_dir() + "/models/leg/";
  for (const char* ending : {".glb", ".bvh"}) {
    const std::string file = (folder / ("swing" + std::string(ending))).string();
    const ProgramResult result =
        run_program("export " + models + "leg.osim " + models + "swing_10kmh.mot " + file);
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("4 bodies"));
  }
  EXPECT_THAT(read_file(folder / "swing.bvh"), HasSubstr("Frame Time: 0.0166666667\n"));
}

TEST(Export, BodiesHaveOrientations) {
  const TemporaryFolder folder;
  const std::string run = (folder / "run").string();
  ASSERT_EQ(run_program("simulate double-pendulum --until 0.1 --out " + run).exit_code, 0);
  std::istringstream table(read_file(run + "/bodies.sto"));
  std::string line;
  while (std::getline(table, line) && !line.starts_with("time")) {
  }
  EXPECT_THAT(line, testing::MatchesRegex("time(\t[a-z0-9_]+_[XYZ]){6}(\t[a-z0-9_]+_O[xyz]){6}"));
}

TEST(Export, MistakesAreNamed) {
  const TemporaryFolder folder;
  const std::string run = (folder / "run").string(), file = (folder / "a.glb").string();
  const auto error = [&](const std::string& arguments) {
    const ProgramResult result = run_program("export " + arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    return result.err;
  };
  EXPECT_THAT(error(run + " " + file), HasSubstr("is not a folder"));
  EXPECT_THAT(error(folder.path().string() + " " + file), HasSubstr("holds no run"));
  const std::string scene = (folder / "mine.json").string();
  std::filesystem::copy(source_dir() + "/scenes/double-pendulum.json", scene);
  ASSERT_EQ(run_program("simulate " + scene + " --until 0.1 --out " + run).exit_code, 0);
  EXPECT_THAT(error(run + " a.fbx"), HasSubstr("a.fbx: has an unknown ending, '.fbx'; end its "
                                               "name in .glb (glTF) or .bvh"));
  EXPECT_THAT(error(run + " a"), HasSubstr("has no ending"));
  EXPECT_THAT(error(run + " " + (folder / "no/a.glb").string()), HasSubstr("does not exist"));
  EXPECT_THAT(error(run + " " + (folder / "a.bvh").string() + " --rate 0"), HasSubstr("--rate"));
  error(run);
  EXPECT_THAT(error(run + " " + file + " --rate nan"), HasSubstr("--rate"));
  EXPECT_THAT(error(source_dir() + "/models/leg/leg.osim " + run + "/energy.sto " + file),
              HasSubstr("energy.sto"));
  // A folder is in the way of the file.
  std::filesystem::create_directories(folder / "b.glb/full");
  EXPECT_THAT(error(run + " " + (folder / "b.glb").string()), HasSubstr("cannot be written"));
  EXPECT_FALSE(std::filesystem::exists(folder / "b.glb.part"));

  std::filesystem::remove(run + "/states.sto");
  error(run + " " + file);
  json record = json::parse(read_file(run + "/run.json"));
  record["files"] = {"energy.sto"};
  std::ofstream(run + "/run.json") << record;
  EXPECT_THAT(error(run + " " + file), HasSubstr("has no table of states; run it again"));
  record.erase("scene_file");
  std::ofstream(run + "/run.json") << record;
  EXPECT_THAT(error(run + " " + file), HasSubstr("lacks what an export needs"));

  const std::string again = (folder / "again").string();
  ASSERT_EQ(run_program("simulate " + scene + " --until 0.1 --out " + again).exit_code, 0);
  std::ofstream(scene, std::ios::app) << "\n";
  EXPECT_THAT(error(again + " " + file), HasSubstr("has changed since the run; run it again"));

  const std::string models = source_dir() + "/models/leg/", study = (folder / "id").string();
  ASSERT_EQ(run_program("id " + models + "leg.osim " + models + "swing_10kmh.mot --out " + study)
                .exit_code,
            0);
  EXPECT_THAT(error(study + " " + file), HasSubstr("sinew export MODEL MOTION FILE"));
}

}  // namespace export_test
}  // namespace sinew::test
