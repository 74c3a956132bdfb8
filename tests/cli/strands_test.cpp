#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <numbers>

#include "cli/program.hpp"

/// The program's output about strands.

namespace sinew::test {
namespace strands_cli_test {

using nlohmann::json;
using testing::HasSubstr;

TEST(StrandsCli, ListsNodesMaterialLengthsAndTensions) {
  const ProgramResult result = run_program("strands strand-arm --json");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json strands = json::parse(result.out)["strands"];
  ASSERT_EQ(strands.size(), 2u);
  const json nodes = strands[0]["nodes"];
  ASSERT_EQ(nodes.size(), 5u);
  EXPECT_EQ(nodes[1]["name"], "bead");
  EXPECT_EQ(nodes[1]["kind"], "maximal");
  EXPECT_EQ(nodes[1]["material"], false);
  EXPECT_EQ(nodes[2]["kind"], "rigid");
  EXPECT_EQ(nodes[0]["s"], 0);
  EXPECT_NEAR(nodes[4]["s"], 0.95, 1e-12);
  // One tension along a section; material by lengths.
  EXPECT_EQ(nodes[0]["tension"], nodes[3]["tension"]);
  double length = 0;
  for (const json& node : nodes) length += node["length"].get<double>();
  EXPECT_NEAR(nodes[1]["s"], 0.95 * nodes[0]["length"].get<double>() / length, 1e-12);
  EXPECT_THAT(run_program("strands strand-arm").out, HasSubstr("ring_1"));
}

TEST(StrandsCli, SettlesAtTheCatenary) {
  const ProgramResult result = run_program("strands catenary --settle --json");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json out = json::parse(result.out);
  EXPECT_EQ(out["rest"]["found"], true);
  const auto sag = [&](size_t strand) {
    double lowest = 0;
    for (const json& node : out["strands"][strand]["nodes"])
      lowest = std::max(lowest, -node["position"][1].get<double>());
    return lowest;
  };
  // Catenary 0.10053 m, continuous and lumped mass with a bead on the middle third; strands of
  // 4.9 kN stretch by 1e-5.
  EXPECT_NEAR(sag(0), 0.10053, 2e-4);
  EXPECT_NEAR(sag(1), 0.1029, 5e-5);
  EXPECT_NEAR(sag(2), 0.0867, 5e-5);
}

TEST(StrandsCli, TensionsOfInextensibleStrandsAreThoseOfTheirConstraints) {
  // Atwood's machine at its start: m₁ (g − a), a = (m₁ − m₂) g/(m₁ + m₂ + ρl), at the weight; the
  // multiplier is the tension at the rope's ends less what its own mass does.
  const json nodes = json::parse(run_program("strands atwood --json").out)["strands"][0]["nodes"];
  EXPECT_NEAR(nodes[0]["tension"], nodes[1]["tension"], 1e-12);
  EXPECT_GT(nodes[0]["tension"], 0.8 * 9.81);
  EXPECT_LT(nodes[0]["tension"], 1.3 * 9.81);
}

TEST(StrandsCli, SaysHowFarTheyAreWoundAroundGuides) {
  const json nodes =
      json::parse(run_program("strands double-pulley --json").out)["strands"][0]["nodes"];
  ASSERT_EQ(nodes.size(), 3u);
  // Half a turn around either pulley: rounding.
  for (const size_t k : {0u, 1u}) {
    EXPECT_NEAR(nodes[k]["guide"]["wound"], std::numbers::pi, 1e-12);
    EXPECT_NEAR(nodes[k]["guide"]["tension_after"], nodes[k]["tension"], 1e-12);
  }
  EXPECT_EQ(nodes[0]["guide"]["name"], "lower");
  EXPECT_NEAR(nodes[0]["guide"]["entry"][0], 0, 1e-12);
  EXPECT_NEAR(nodes[0]["guide"]["exit"][0], 0.06, 1e-12);
  EXPECT_FALSE(nodes[2].contains("guide"));
  // A gripped wheel that is driven changes the tension.
  const json belt =
      json::parse(run_program("strands belt-drive --json").out)["strands"][0]["nodes"];
  EXPECT_GT(
      std::abs(belt[0]["tension"].get<double>() - belt[0]["guide"]["tension_after"].get<double>()),
      0.1);
  const std::string text = run_program("strands hoist").out;
  EXPECT_THAT(text, testing::HasSubstr("around rim: 50 rad from"));
}

TEST(StrandsCli, InfoAndTablesHaveThem) {
  const json info = json::parse(run_program("info strand-arm --json").out);
  EXPECT_EQ(info["strands"][0]["name"], "rope");
  EXPECT_EQ(info["strands"][0]["nodes"], 5);
  const TemporaryFolder folder;
  const ProgramResult run = run_program("simulate strand-arm --until 0.05 --report --out '" +
                                        folder.path().string() + "'");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const std::string table = read_file((folder / "strands.sto").string());
  EXPECT_THAT(table, HasSubstr("bead_x"));
  EXPECT_THAT(table, HasSubstr("rope_length_1\trope_tension_1\tthread_length_1"));
}

TEST(StrandsCli, ScenesWhoseBodiesDoNotMoveAreSimulated) {
  // They have no table of coordinates.
  const TemporaryFolder folder;
  const ProgramResult run = run_program("simulate strand-in-strand --until 0.02 --report --out '" +
                                        folder.path().string() + "'");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(read_file((folder / "strands.sto").string()), HasSubstr("heavy_string_1_u"));
}

TEST(StrandsCli, SaysWhatEndsARun) {
  const TemporaryFolder folder;
  const std::string out = "'" + folder.path().string() + "'";
  const ProgramResult run = run_program("simulate chain-edge --out " + out);
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("end 'tail' of strand 'chain' has reached 'edge' at t = 0.95566"));
  const json record = json::parse(read_file((folder / "run.json").string()));
  EXPECT_EQ(record["status"], "finished");
  const json& event = record["event"];
  EXPECT_EQ(event["kind"], "end_reached");
  EXPECT_EQ(event["element"], "chain");
  EXPECT_EQ(event["node"], "tail");
  EXPECT_EQ(event["at"], "edge");
  EXPECT_NEAR(event["time"], std::acosh(10) / std::sqrt(9.81), 1e-6);
  const ProgramResult stopped = run_program("simulate chain-edge --set strands.chain.ends=stop");
  EXPECT_EQ(stopped.exit_code, 3);
  EXPECT_THAT(stopped.err,
              HasSubstr("part failed at t = 0.955663 s, end 'tail' of strand 'chain'"));
  const ProgramResult knot = run_program("simulate chain-edge --set strands.chain.ends=knot");
  EXPECT_EQ(knot.exit_code, 2);
  EXPECT_THAT(knot.err, HasSubstr("limit 'chain_start': makes velocities jump, which rk4"));
}

TEST(StrandsCli, ASceneWithoutStrandsIsAMistake) {
  const ProgramResult result = run_program("strands double-pendulum");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("has no strands"));
}

}  // namespace strands_cli_test
}  // namespace sinew::test
