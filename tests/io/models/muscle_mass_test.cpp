#include "sinew/io/models/muscle_mass.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "sinew/io/models/loaded_model.hpp"
#include "sinew/muscles/muscle_element.hpp"
#include "support/message_of.hpp"
#include "support/reference.hpp"
#include "support/source_dir.hpp"

/// Mass in muscles as options ask for it.

namespace sinew {
namespace muscle_mass_test {

using ::testing::HasSubstr;

const std::string kLeg = test::source_dir() + "/models/leg/leg.osim";

double muscle_mass(const System& system) {
  double out = 0;
  for (const auto& muscle : system.muscles()) out += muscle->muscle().mass;
  return out;
}
double bone_mass(const System& system) {
  double out = 0;
  for (const Body& body : system.skeleton().bodies()) out += body.M_B.mass;
  return out;
}

TEST(MuscleMass, IsMovedIntoTheMusclesOfAModelAndBack) {
  const LoadedModel plain = load_model(kLeg);
  EXPECT_EQ(plain.muscle_mass, nullptr);
  EXPECT_EQ(muscle_mass(plain.system()), 0);
  const LoadedModel massive = load_model(kLeg, {.mass = {.source = "strength"}});
  const System system = massive.system();
  ASSERT_NE(massive.muscle_mass, nullptr);
  EXPECT_NEAR(muscle_mass(system), massive.muscle_mass->transfer.moved(), 1e-12);
  EXPECT_NEAR(muscle_mass(system) + bone_mass(system), bone_mass(plain.system()), 1e-12 * 75);
  EXPECT_EQ(muscle_mass(massive.build({.mass_on_bones = true})), 0);
  EXPECT_EQ(muscle_mass(load_model(kLeg, {.mass = {.source = "off"}}).system()), 0);
  // What was done, in words.
  EXPECT_THAT(remarks_of(*massive.muscle_mass).back(), HasSubstr("1.13 kg are moved"));
}

TEST(MuscleMass, IsAFactorOfWhatShareSays) {
  const auto moved = [](const MuscleMassOptions& options) {
    return load_model(kLeg, {.mass = options}).muscle_mass->transfer.moved();
  };
  const double all = moved({.source = "strength"});
  EXPECT_NEAR(moved({.source = "strength", .share = 0.5}), 0.5 * all, 1e-12);
  const std::vector<std::string> segment = {"tibia_r:0.4:soleus_r,tibant_r"};
  EXPECT_NEAR(moved({.segments = segment, .share = 0.5}), 0.5 * moved({.segments = segment}),
              1e-12);
}

TEST(MuscleMass, OfATableIsThatOfItsMusclesOnly) {
  const std::string table = ::testing::TempDir() + "/two_muscles.csv";
  std::ofstream(table) << "muscle,mass\nsoleus_r,0.2\ntibant_r,0.1\n";
  const MuscleMassOptions options{.source = table};
  const LoadedModel model = load_model(kLeg, {.mass = options});
  const System system = model.system();
  EXPECT_NEAR(muscle_mass(system), 0.3, 1e-12);
  // Without columns for it, the belly follows from the muscle's tendon.
  for (const auto& muscle : system.muscles())
    if (muscle->name() == "soleus_r") {
      EXPECT_NEAR(muscle->muscle().material.A0, 0.1 * 0.4 * 0.2714, 1e-12);
    }
}

TEST(MuscleMass, ServesScenes) {
  const LoadedModel plain = load_model("swing-leg");
  const System as_file = plain.system(),
               off = load_model("swing-leg", {.mass = {.source = "off"}}).system();
  EXPECT_GT(muscle_mass(as_file), 0);
  EXPECT_EQ(muscle_mass(off), 0);
  EXPECT_NEAR(bone_mass(off), bone_mass(as_file) + muscle_mass(as_file), 1e-9);
  const std::string table = ::testing::TempDir() + "/one_muscle.csv";
  const std::string name = as_file.muscles()[0]->name();
  std::ofstream(table) << "muscle,mass\n" << name << ",0.01\n";
  const LoadedModel by_table = load_model("swing-leg", {.mass = {.source = table}});
  EXPECT_NEAR(muscle_mass(by_table.system()), 0.01, 1e-12);
  EXPECT_NEAR(bone_mass(by_table.system()) + 0.01, bone_mass(off), 1e-9);
}

TEST(MuscleMass, NamesWhatIsWrong) {
  const auto message = [](const std::string& model, const MuscleMassOptions& options) {
    return test::message_of([&] { load_model(model, {.mass = options}); });
  };
  EXPECT_THAT(message(kLeg, {.source = "heavy"}),
              HasSubstr("--muscle-mass heavy: is not a source of masses; write off, volumes"));
  EXPECT_THAT(message(kLeg, {.source = "nowhere.csv"}), HasSubstr("nowhere.csv"));
  EXPECT_THAT(message(kLeg, {.segments = {"tibia:0.8:soleus_r"}}),
              HasSubstr("there is no body 'tibia'"));
  EXPECT_THAT(message(kLeg, {.source = "strength", .specific_tension = 0.05, .strict = true}),
              HasSubstr("the largest share of the muscles' masses that works is"));
  EXPECT_THAT(message("swing-leg", {.source = "strength"}), HasSubstr("give a table"));
  // Nothing is ignored in silence.
  EXPECT_THAT(message(kLeg, {.share = 0.5}), HasSubstr("--share: has no effect here"));
  EXPECT_THAT(message(kLeg, {.source = "strength", .height = 1.8}), HasSubstr("--height"));
  const LoadedModel pendulum = load_model("double-pendulum", {.mass = {.source = "strength"}});
  EXPECT_THAT(pendulum.warnings.back(), HasSubstr("has no muscles"));
}

/// Every model of the reference with muscles: all bones can give enough.
TEST(MuscleMass, OfModelsThatOthersMade) {
  SINEW_NEEDS_REFERENCE();
  const std::filesystem::path models = *test::reference_dir() / "opensim" / "models";
  for (const std::string file :
       {"gait2392_thelen2003muscle", "gait2392_millard2012muscle", "Rajagopal2016",
        "gait10dof18musc", "arm26", "leg6dof9musc_inertiafix", "Tug_of_War"}) {
    const std::string path = (models / (file + ".osim")).string();
    for (const double tension : {0.6, 0.25}) {
      const LoadedModel model =
          load_model(path, {.mass = {.source = "strength", .specific_tension = tension}});
      const MassTransfer& transfer = model.muscle_mass->transfer;
      double wanted = 0;
      for (size_t k = 0; k < transfer.wanted.size(); ++k) {
        wanted += transfer.wanted[k];
        EXPECT_GT(transfer.muscles[k].mass, 0) << file << ": " << transfer.muscles[k].name;
      }
      EXPECT_GT(transfer.moved(), (tension == 0.6 ? 0.85 : 0.5) * wanted) << file;
      const SpatialInertia &before = transfer.total_before, &after = transfer.total_after;
      EXPECT_NEAR(after.mass, before.mass, 1e-12 * before.mass) << file;
      EXPECT_LT((after.h - before.h).norm(), 1e-12 * before.mass) << file;
      EXPECT_LT((after.I - before.I).norm(), 1e-12 * before.I.norm()) << file;
      EXPECT_NO_THROW(model.system()) << file;
    }
  }
}

}  // namespace muscle_mass_test
}  // namespace sinew
