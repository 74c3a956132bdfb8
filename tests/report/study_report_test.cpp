#include "sinew/report/study_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>

#include "cli/program.hpp"
#include "sinew/report/column_units.hpp"
#include "sinew/report/reason_groups.hpp"
#include "sinew/report/study_table.hpp"
#include "sinew/sweep/sweep_record.hpp"
#include "support/message_of.hpp"

namespace sinew {
namespace study_report_test {

using nlohmann::ordered_json;
using test::TemporaryFolder;
using testing::ElementsAre;
using testing::HasSubstr;
namespace fs = std::filesystem;

/// A study of runs that pass, fail their audit, fail, and are refused.
Study mixed_study(int runs) {
  return parse_study(R"({"sinew_study": 1, "model": "double-pendulum", "title": "Of <all> ends",
      "run": {"until": 0.3}, "design": {"type": "sobol", "runs": )" +
                         std::to_string(runs) + R"(},
      "parameters": [
        {"type": "model", "name": "dt", "path": "simulation.dt", "log_uniform": [1e-4, 0.06]},
        {"type": "model", "name": "x", "path": "bodies.upper.inertia.moments.0",
         "uniform": [0.0032, 0.0048]},
        {"type": "model", "name": "y", "path": "bodies.upper.inertia.moments.1",
         "uniform": [0.0032, 0.0048]},
        {"type": "initial", "state": "elbow_angle/speed", "uniform": [-20, 20]}],
      "results": [{"output": "shoulder_angle"},
                  {"name": "last", "output": "shoulder_angle", "measure": "time-of-crossing",
                   "level": 1.4}]})",
                     "study.json", ".");
}

CommandTemplate one_of_it() {
  CommandTemplate out;
  out.add("sinew sweep study.json --run ");
  out.add_place(0);
  return out;
}

/// Computes the study into a folder, as the program does.
StudyRows compute(const StudyRunner& runner, const fs::path& folder) {
  const std::atomic<bool> go{false};
  StudyRows rows = sweep(runner, {.folder = folder, .threads = 2}, {}, go).rows;
  ordered_json record = {
      {"sinew", "0.1.0"},    {"commit", "none"},
      {"study", "study"},    {"study_file", {{"path", "/study.json"}, {"fnv1a", "0"}}},
      {"model_fnv1a", "1"},  {"command", "sinew sweep study.json"},
      {"status", "finished"}};
  record.update(describe_study(runner, one_of_it()));
  record.update(describe_sweep(runner, rows, 20));
  std::ofstream(folder / "run.json") << record;
  return rows;
}

ordered_json record_in(const fs::path& folder) {
  return ordered_json::parse(test::read_file(folder / "run.json"));
}

template <class T>
T number_at(const ReportData& data, const ordered_json& array, size_t k) {
  T out;
  const size_t at = array["at"].get<size_t>() + k * sizeof out;
  EXPECT_EQ(array["at"].get<size_t>() % sizeof out, 0u);
  std::memcpy(&out, data.bytes().data() + at, sizeof out);
  return out;
}
std::uint64_t index_at(const ReportData& data, const ordered_json& array, size_t k) {
  return array["type"] == "u16" ? number_at<std::uint16_t>(data, array, k)
                                : number_at<std::uint32_t>(data, array, k);
}

TEST(ReasonGroups, AreTheSameButForTheirNumbers) {
  ReasonGroups groups;
  std::string numbers;
  EXPECT_EQ(groups.add("no step at 0.31 s, residual 1.5e-05", numbers), 0u);
  EXPECT_EQ(numbers, "0.31 1.5e-05");
  EXPECT_EQ(groups.add("no step at -2 s, residual 3", numbers), 0u);
  EXPECT_EQ(numbers, "-2 3");
  EXPECT_EQ(groups.add("no step of 'b2' at 1 s, residual 3", numbers), 1u);
  EXPECT_EQ(numbers, "1 3");
  EXPECT_EQ(groups.add("no step of 'b3' at 1 s, residual 3", numbers), 2u);
  EXPECT_EQ(groups.add("", numbers), 3u);
  EXPECT_EQ(numbers, "");
  EXPECT_EQ(groups.groups()[0].count, 2u);
  EXPECT_THAT(groups.groups()[1].text, ElementsAre("no step of 'b2' at ", " s, residual ", ""));
}

/// Digits of names and paths tell places apart: they stay.
TEST(ReasonGroups, PutNumbersBackWhereTheyWere) {
  for (const std::string reason :
       {"newton failed at t = 0.23 s", "spring2", "a_1 and 2b and x-1", "1.2.3 versions", "12",
        "scene.json:11: body 'upper': 3", "from -1e-3 to +2E+5, e5", "0x1f", "µ3 = 4", "-", "7.",
        ".5", "1e", "1e+", "two 1 2 3"}) {
    const ReasonGroups::Parts parts = ReasonGroups::split(reason);
    std::istringstream numbers(parts.numbers);
    std::string back = parts.text[0], number;
    for (size_t k = 1; k < parts.text.size(); ++k) {
      ASSERT_TRUE(numbers >> number) << reason;
      back += number + parts.text[k];
    }
    EXPECT_EQ(back, reason);
    EXPECT_FALSE(numbers >> number) << reason;
  }
  EXPECT_EQ(ReasonGroups::split("spring2 a_1 x1y").numbers, "");
  EXPECT_EQ(ReasonGroups::split("scene.json:11: 'b' -1e-3").numbers, "11 -1e-3");
}

TEST(StudyTable, ReadsBackEveryNumberThatASweepWrites) {
  const StudyRunner runner(mixed_study(40));
  const TemporaryFolder folder;
  StudyRows rows = compute(runner, folder / "s");
  const StudyTable table =
      read_study_table(folder / "s/table.csv", {"dt", "x", "y", "elbow_angle/speed"},
                       {"final_shoulder_angle", "last"}, "");
  ASSERT_EQ(table.run.size(), 40u);
  for (std::uint64_t run = 0; run < 40; ++run) {
    EXPECT_EQ(table.run[run], run);
    EXPECT_EQ(table.status[run], name_of(rows.status(run)));
    EXPECT_EQ(table.reason[run], rows.reason(run));
    EXPECT_EQ(table.time[run], rows.time(run));
    const std::vector<double> point = runner.design().point(run);
    for (size_t j = 0; j < 4; ++j) EXPECT_EQ(table.parameters[j][run], point[j]);
    for (size_t k = 0; k < 2; ++k) {
      const double value = rows.value(run, k);
      EXPECT_TRUE(table.results[k][run] == value || std::isnan(value));
      EXPECT_EQ(std::isnan(table.results[k][run]), std::isnan(value));
    }
  }
}

TEST(StudyTable, ReadsReasonsWithCommasQuotesAndLineEnds) {
  const TemporaryFolder folder;
  std::ofstream(folder / "table.csv") << "run,\"a,b\",status,r,time,reason\n"
                                         "0,1e-300,passed,,0.5,\n"
                                         "7,-2,failed,3,0.1,\"it said \"\"no\"\", twice:\nno\"\r\n";
  const StudyTable table = read_study_table(folder / "table.csv", {"a,b"}, {"r"}, "");
  EXPECT_THAT(table.run, ElementsAre(0, 7));
  EXPECT_THAT(table.parameters[0], ElementsAre(1e-300, -2));
  EXPECT_TRUE(std::isnan(table.results[0][0]));
  EXPECT_THAT(table.reason, ElementsAre("", "it said \"no\", twice:\nno"));
}

TEST(StudyTable, RefusesWhatIsNotItsOwn) {
  const TemporaryFolder folder;
  const fs::path path = folder / "table.csv";
  const auto message = [&](const std::string& text) {
    std::ofstream(path) << text;
    return test::message_of([&] { read_study_table(path, {"a"}, {"r"}, "write it anew"); });
  };
  EXPECT_THAT(test::message_of([&] { read_study_table(path, {"a"}, {"r"}, "write it anew"); }),
              HasSubstr("has no table.csv"));
  const std::string head = "run,a,status,r,time,reason\n";
  EXPECT_EQ(message(head + "0,1,passed,2,3,\n"), "");
  EXPECT_THAT(message(""), HasSubstr("is empty"));
  EXPECT_THAT(message(head), HasSubstr("has no rows yet"));
  EXPECT_THAT(message("run,a,status,time,reason\n"),
              HasSubstr("has a column 'time' where run.json names 'r'"));
  EXPECT_THAT(message("run,a,status,r\n"), HasSubstr("has no column 'time', which run.json names"));
  EXPECT_THAT(message("run,a,status,r,time,reason,more\n"),
              HasSubstr("has a column 'more', which run.json does not name"));
  EXPECT_THAT(message(head + "0,1,passed,2,3,\n1,x,passed,2,3,\n"),
              HasSubstr("has 'x' in row 3, where 'a' is a number"));
  EXPECT_THAT(message(head + "0,1,passed,2,3\n"), HasSubstr("has 5 cells in row 2, not 6"));
  EXPECT_THAT(message(head + "one,1,passed,2,3,\n"), HasSubstr("'one' for the number of a run"));
  EXPECT_THAT(message(head + "-1,1,passed,2,3,\n"), HasSubstr("write it anew"));
}

/// Every reader of the page's numbers: the table to the last digit, reasons word by word.
TEST(StudyReport, HoldsTheTable) {
  const StudyRunner runner(mixed_study(200));
  const TemporaryFolder folder;
  const StudyRows rows = compute(runner, folder / "s");
  ordered_json header;
  ReportData data;
  describe_study_page(folder / "s", record_in(folder / "s"), header, data);
  EXPECT_EQ(header["kind"], "study");
  const ordered_json& study = header["study"];
  EXPECT_EQ(study["rows"], 200);
  EXPECT_EQ(study["parameters"][0]["scale"], "logarithmic");
  EXPECT_EQ(study["parameters"][3]["unit"], "rad/s");
  EXPECT_EQ(study["results"][0]["unit"], "rad");
  EXPECT_EQ(study["results"][1]["unit"], "s");
  EXPECT_TRUE(study["notes"].empty());
  const ordered_json& names = study["statuses"]["names"];
  for (const ordered_json& status : names)
    EXPECT_EQ(status["count"], record_in(folder / "s")["runs"][status["name"].get<std::string>()]);
  for (const size_t k : {0u, 1u, 2u, 3u})  // each kind of end is among them
    EXPECT_GT(names[k]["count"], 0) << names[k];
  std::istringstream lines(study["reasons"]["numbers"].get<std::string>());
  for (std::uint64_t run = 0; run < 200; ++run) {
    EXPECT_EQ(index_at(data, study["run"], run), run);
    const ordered_json& status = names[index_at(data, study["statuses"]["of_rows"], run)];
    EXPECT_EQ(status["name"], name_of(rows.status(run)));
    for (size_t j = 0; j < 4; ++j)
      EXPECT_EQ(number_at<double>(data, study["parameters"][j]["values"], run),
                runner.design().point(run)[j]);
    const double result = number_at<double>(data, study["results"][0]["values"], run);
    EXPECT_TRUE(result == rows.value(run, 0) || std::isnan(rows.value(run, 0)));
    const std::uint64_t reason = index_at(data, study["reasons"]["of_rows"], run);
    EXPECT_EQ(reason > 0, !rows.reason(run).empty());
    if (reason == 0) continue;
    const ordered_json& text = study["reasons"]["texts"][reason - 1];
    std::string line, number, back = text[0];
    ASSERT_TRUE(std::getline(lines, line));
    std::istringstream numbers(line);
    for (size_t k = 1; k < text.size(); ++k) {
      ASSERT_TRUE(numbers >> number);
      back += number + text[k].get<std::string>();
    }
    EXPECT_EQ(back, rows.reason(run));
  }
  EXPECT_LE(study["reasons"]["texts"].size(), 12u);  // hardly any, however many runs
  EXPECT_NEAR(study["results"][0]["mean"].get<double>(),
              record_in(folder / "s")["results"]["final_shoulder_angle"]["mean"].get<double>(), 0);
  EXPECT_TRUE(study["results"][0].contains("rank_correlations"));
}

TEST(StudyReport, SaysThatTheTableHasGrownSince) {
  const StudyRunner runner(mixed_study(8)), more(mixed_study(16));
  const TemporaryFolder folder;
  compute(runner, folder / "s");
  const ordered_json record = record_in(folder / "s");
  compute(more, folder / "s");
  ordered_json header;
  ReportData data;
  describe_study_page(folder / "s", record, header, data);
  EXPECT_THAT(header["study"]["notes"][0].get<std::string>(),
              HasSubstr("The table has 16 runs; means, deviations and influences are those of 8"));
}

TEST(ColumnUnits, AreThoseOfTheTables) {
  const auto unit = [](const char* scene) {
    const LoadedModel model = load_model(scene, {});
    return [system = model.system()](const std::string& table, const std::string& label) {
      return unit_of_column(system, table, label);
    };
  };
  const auto arm = unit("wrap-pendulum");
  EXPECT_EQ(arm("energy", "total"), "J");
  EXPECT_EQ(arm("bodies", "x_X"), "m");
  EXPECT_EQ(arm("bodies", "x_Oz"), "rad");
  EXPECT_EQ(arm("muscles", "biceps_length"), "m");
  EXPECT_EQ(arm("muscles", "biceps_rate"), "m/s");
  EXPECT_EQ(arm("muscles", "biceps_tension"), "N");
  EXPECT_EQ(arm("muscles", "biceps_activation"), "");
  EXPECT_EQ(arm("reactions", "motor_torque"), "N·m");
  EXPECT_EQ(arm("reactions", "pin_force_x"), "N");
  EXPECT_EQ(arm("strands", "a_tension_b_length_1"), "m");
  EXPECT_EQ(arm("strands", "a_length_b_tension_1_after_drum"), "N");
  EXPECT_EQ(arm("strands", "node_x"), "");
  EXPECT_EQ(arm("states", "no_such_coordinate"), "");
  const auto pendulum = unit("double-pendulum");
  EXPECT_EQ(pendulum("states", "elbow_angle"), "rad");
  EXPECT_EQ(pendulum("states", "elbow_angle_u"), "rad/s");
  EXPECT_EQ(pendulum("arm_states", "/jointset/elbow/elbow_angle/speed"), "rad/s");
  EXPECT_EQ(pendulum("arm_states", "/forceset/soleus/fiber_length"), "m");
  EXPECT_EQ(pendulum("arm_states", "/forceset/soleus/activation"), "");
}

}  // namespace study_report_test
}  // namespace sinew
