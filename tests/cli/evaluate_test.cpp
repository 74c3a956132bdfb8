#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/program.hpp"
#include "io/osim/small_models.hpp"

/// The program with OpenSim models.

namespace sinew::test {
namespace evaluate_test {

using nlohmann::json;
using testing::HasSubstr;

/// A model and poses in their own folder.
struct Files {
  explicit Files(
      const std::string& model = pin_model(),
      const std::string& poses = R"({"coordinates": ["angle"], "poses": [{"q": [0.5]}]})")
      : model_path((folder / "arm.osim").string()), poses_path((folder / "poses.json").string()) {
    std::ofstream(model_path) << model;
    std::ofstream(poses_path) << poses;
  }
  std::string arguments() const { return "evaluate '" + model_path + "' '" + poses_path + "'"; }
  TemporaryFolder folder;
  std::string model_path, poses_path;
};

TEST(EvaluateCli, AnswersPosesInTheirOrder) {
  const Files files(
      pin_model(),
      R"({"coordinates": [{"name": "angle"}], "poses": [{"q": [0.5], "u": [2]}, {}]})");
  const ProgramResult result = run_program(files.arguments());
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json out = json::parse(result.out);
  ASSERT_EQ(out["poses"].size(), 2u);
  EXPECT_EQ(out["coordinates"][0], "angle");
  EXPECT_EQ(out["poses"][0]["q"][0], 0.5);
  EXPECT_EQ(out["poses"][1]["q"][0], 0);
  // 0.4 about the centre of mass, and 2 kg at 0.1 m from the axis.
  EXPECT_NEAR(out["poses"][0]["M"][0][0].get<double>(), 0.42, 1e-12);
  EXPECT_NEAR(out["poses"][0]["kinetic_energy"].get<double>(), 0.84, 1e-12);
}

TEST(EvaluateCli, WritesAFile) {
  const Files files;
  const std::string out = (files.folder / "out.json").string();
  const ProgramResult result = run_program(files.arguments() + " --out '" + out + "'");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(json::parse(read_file(out))["model"], "small");
  EXPECT_EQ(run_program(files.arguments() + " --json --out '" + out + "'").out, read_file(out));
}

TEST(EvaluateCli, CoupledCoordinatesFollowWhereNothingIsSaidOfThem) {
  const Files files(coupled_model(), R"({"coordinates": ["knee"], "poses": [{"q": [1.2]}]})");
  const Files said(coupled_model(),
                   R"({"coordinates": ["knee", "beta"], "poses": [{"q": [1.2, 0.9]},
                                                                   {"q": [1.2, 0.1]}]})");
  const auto length = [](const json& pose) { return pose["paths"][0]["L"].get<double>(); };
  const json follows = json::parse(run_program(files.arguments()).out)["poses"];
  const json given = json::parse(run_program(said.arguments()).out)["poses"];
  EXPECT_NEAR(length(follows[0]), length(given[0]), 1e-14);  // the spline's point at 1.2 is 0.9
  EXPECT_GT(std::abs(length(given[1]) - length(given[0])), 1e-3);
}

TEST(EvaluateCli, TakesScenesAndCountsTheMassOfTheirMuscles) {
  const Files files(pin_model(), R"({"poses": [{"u": [0.7, -0.3], "udot": [2, 1]}]})");
  const auto evaluate = [&](const std::string& scene) {
    const ProgramResult result = run_program("evaluate " + scene + " '" + files.poses_path + "'");
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return json::parse(result.out, nullptr, false)["poses"][0];
  };
  const json pose = evaluate("wrap-pendulum");
  const json& M = pose["M"];
  const double u[] = {0.7, -0.3}, udot[] = {2, 1};
  double kinetic = 0;
  for (size_t i = 0; i < 2; ++i) {
    double inertial = 0;
    for (size_t j = 0; j < 2; ++j) {
      kinetic += 0.5 * u[i] * M[i][j].get<double>() * u[j];
      inertial += M[i][j].get<double>() * udot[j];
    }
    EXPECT_NEAR(pose["id_tau"][i].get<double>() - pose["id_tau_udot0"][i].get<double>(), inertial,
                1e-10 * std::abs(inertial));
  }
  EXPECT_NEAR(pose["kinetic_energy"].get<double>(), kinetic, 1e-12 * kinetic);
  EXPECT_GT(pose["paths"].size(), 0u);
  EXPECT_EQ(run_program("evaluate wrap-pendulum '" + files.poses_path + "' --strict").exit_code, 2);
}

TEST(EvaluateCli, SaysOneErrorForEachBadInput) {
  const auto message = [](const Files& files, const std::string& more = "") {
    const ProgramResult result = run_program(files.arguments() + more);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    return result.err;
  };
  EXPECT_THAT(message(Files("<OpenSimDocument")), HasSubstr("arm.osim:1: document: is no"));
  EXPECT_THAT(message(Files(pin_model(), "{")), HasSubstr("is not a JSON object"));
  EXPECT_THAT(message(Files(pin_model(), "{}")), HasSubstr("there is no list \"poses\""));
  EXPECT_THAT(message(Files(pin_model(), R"({"coordinates": ["angel"], "poses": []})")),
              HasSubstr("did you mean 'angle'?"));
  EXPECT_THAT(message(Files(pin_model(), R"({"poses": [{"q": [1, 2]}]})")),
              HasSubstr("pose 0: its \"q\" is not a list of 1 numbers"));
  EXPECT_THAT(message(Files(pin_model(), R"({"poses": [{"q": ["a"]}]})")),
              HasSubstr("an entry that is not a number"));
  EXPECT_THAT(message(Files(pin_model("<ForceSet><objects><OddForce name=\"f\"/></objects>"
                                      "</ForceSet>")),
                      " --strict"),
              HasSubstr("1 OddForce"));
}

TEST(InfoCli, DescribesAnOpenSimModel) {
  const Files files;
  const ProgramResult text = run_program("info '" + files.model_path + "'");
  ASSERT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("an OpenSim model, document version 4.0"));
  const json info = json::parse(run_program("info '" + files.model_path + "' --json").out);
  EXPECT_EQ(info["bodies"][0]["name"], "arm");
  EXPECT_EQ(info["coordinates"][0]["unit"], "rad");
}

}  // namespace evaluate_test
}  // namespace sinew::test
