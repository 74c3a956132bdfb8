#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>

#include "cli/program.hpp"
#include "support/source_dir.hpp"

/// `sinew report`: what is in the page. How it looks is for the browser's tests (web/tests).

namespace sinew::test {
namespace report_test {

using nlohmann::json;
using testing::HasSubstr;

/// What stands between two marks of the page.
std::string between(const std::string& page, const std::string& from, const std::string& to) {
  const size_t begin = page.find(from) + from.size();
  return page.substr(begin, page.find(to, begin) - begin);
}

std::string from_base64(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  unsigned group = 0, bits = 0;
  for (const char c : text) {
    const size_t digit = digits.find(c);
    if (digit == std::string::npos) break;
    group = group << 6 | static_cast<unsigned>(digit);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    out += static_cast<char>(group >> bits & 255);
  }
  return out;
}

/// A report, read as its page does.
struct Page {
  explicit Page(const std::filesystem::path& path) {
    const std::string page = read_file(path);
    bytes_in_page = page.size();
    header = json::parse(between(page, "id=\"sinew-header\">", "</script>"));
    bytes = from_base64(between(page, "id=\"sinew-data\">", "</script>"));
  }
  std::vector<double> read(const json& array) const {
    std::vector<double> out;
    const size_t at = array["at"], count = array["count"];
    for (size_t k = 0; k < count; ++k) {
      if (array["type"] == "f32") {
        float value;
        std::memcpy(&value, &bytes.at(at + 4 * k), 4);
        out.push_back(value);
      } else {
        std::uint16_t value;
        std::memcpy(&value, &bytes.at(at + 2 * k), 2);
        out.push_back(array["low"].get<double>() + array["step"].get<double>() * value);
      }
    }
    return out;
  }
  json group(const std::string& id) const {
    for (const json& g : header["runs"][0]["series"]["groups"])
      if (g["id"] == id) return g;
    return {};
  }
  json header;
  std::string bytes;
  size_t bytes_in_page = 0;
};

/// Only where the page was built: that takes Node.js.
class Report : public testing::Test {
 protected:
  void SetUp() override {
    const std::filesystem::path program = SINEW_PROGRAM;
    if (!std::filesystem::exists(program.parent_path() / "../share/sinew/report.html"))
      GTEST_SKIP() << "the page of reports was not built";
  }
};

json record_of(const TemporaryFolder& folder) {
  return json::parse(read_file(folder / "run.json"));
}

TEST_F(Report, HoldsTheRunInOneFile) {
  const TemporaryFolder folder;
  const ProgramResult run =
      run_program("simulate wrap-pendulum --report --out " + folder.path().string());
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("report.html: open it in a browser"));
  const Page report(folder / "report.html");
  EXPECT_LT(report.bytes_in_page, 5e6);  // ten seconds
  const json record = record_of(folder), one = report.header["runs"][0];
  EXPECT_EQ(one["audit"], record["audit"]);
  EXPECT_EQ(one["model"]["bodies"].size(), 2u);
  EXPECT_EQ(one["model"]["muscles"].size(), 1u);
  EXPECT_THAT(one["provenance"].dump(), HasSubstr("sinew simulate wrap-pendulum --report --out"));
  EXPECT_THAT(one["provenance"].dump(),
              HasSubstr(record["scene_file"]["fnv1a"].get<std::string>()));

  // The last row is the final state; floats keep seven digits.
  const json coordinates = report.group("coordinates");
  ASSERT_EQ(coordinates["columns"].size(), 2u);
  for (const json& column : coordinates["columns"])
    EXPECT_NEAR(report.read(column["values"]).back(),
                record["final"][column["name"].get<std::string>()].get<double>(), 1e-6);
  EXPECT_EQ(report.read(one["series"]["time"]).back(), 10);
  EXPECT_EQ(report.read(one["frames"]["time"]).size(), 601u);  // 60 a second
}

TEST_F(Report, FramesAreThePosesOfTheRun) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_program("simulate double-pendulum --until 1 --report --format csv --out " +
                        folder.path().string())
                .exit_code,
            0);
  const Page report(folder / "report.html");
  const json frames = report.header["runs"][0]["frames"];
  const std::vector<double> poses = report.read(frames["bodies"]);
  const size_t count = report.read(frames["time"]).size();
  ASSERT_EQ(poses.size(), count * 2 * 7);
  // The last line of bodies.csv: time, then the origins of both bodies.
  std::string text = read_file(folder / "bodies.csv"), line;
  std::istringstream lines(text);
  std::string last;
  while (std::getline(lines, line))
    if (!line.empty()) last = line;
  std::replace(last.begin(), last.end(), ',', ' ');
  std::istringstream numbers(last);
  double time, x;
  numbers >> time;
  // Half a step of 16 bits.
  const double step = frames["bodies"]["step"];
  for (size_t body = 0; body < 2; ++body)
    for (size_t axis = 0; axis < 3; ++axis) {
      numbers >> x;
      EXPECT_NEAR(poses[((count - 1) * 2 + body) * 7 + axis], x, 0.51 * step);
    }
}

TEST_F(Report, ComparisonsTellWhichJointChanges) {
  const TemporaryFolder folder;
  const std::string models = source_dir() + "/models/leg/";
  const ProgramResult run = run_program(
      "compare-inertia " + models + "leg.osim " + models + "swing_19.1kmh.mot --muscles " + models +
      "muscles.csv --segment tibia_r:0.8:gasmed_r,gaslat_r,soleus_r,tibant_r --report --out " +
      folder.path().string());
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const Page report(folder / "report.html");
  EXPECT_EQ(report.header["kind"], "comparison");
  const json record = record_of(folder);
  const json moments = report.header["comparison"]["moments"];
  ASSERT_EQ(moments.size(), record["moments"].size());
  for (size_t k = 0; k < moments.size(); ++k) {
    EXPECT_EQ(moments[k]["rms_difference"], record["moments"][k]["rms_difference"]);
    const std::string name = moments[k]["coordinate"];
    EXPECT_EQ(moments[k]["root"], name.starts_with("pelvis"));
    // What muscles change one by one adds up to the difference.
    const json curves = report.group("moment-" + name)["columns"];
    const json causes = report.group("causes-" + name)["columns"];
    EXPECT_EQ(causes.size(), 4u);
    const std::vector<double> change = report.read(curves[2]["values"]);
    std::vector<double> sum(change.size());
    double largest = 0;
    for (const json& cause : causes) {
      const std::vector<double> part = report.read(cause["values"]);
      for (size_t i = 0; i < sum.size(); ++i) sum[i] += part[i];
      for (const double value : part) largest = std::max(largest, std::abs(value));
    }
    for (size_t i = 0; i < sum.size(); ++i)
      EXPECT_NEAR(sum[i], change[i], 1e-6 * largest + 1e-12);  // floats
  }
  // Made again from the folder alone it is the same page.
  const std::string first = read_file(folder / "report.html");
  ASSERT_EQ(run_program("report " + folder.path().string()).exit_code, 0);
  EXPECT_EQ(read_file(folder / "report.html"), first);
}

TEST_F(Report, MistakesAreNamed) {
  const TemporaryFolder folder;
  const std::string out = folder.path().string();
  const auto error = [&](const std::string& arguments) {
    const ProgramResult result = run_program(arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    return result.err;
  };
  const auto write = [&](const std::string& name, const std::string& text) {
    std::ofstream(folder / name) << text;
  };
  EXPECT_THAT(error("report " + out + "/nowhere"), HasSubstr("is no folder"));
  EXPECT_THAT(error("report " + out), HasSubstr("holds no run: there is no run.json"));
  write("run.json", "{\"files\": [");
  EXPECT_THAT(error("report " + out), HasSubstr("is no record of a run"));
  write("run.json", R"({"sinew": "99.1.0", "files": []})");
  EXPECT_THAT(error("report " + out), HasSubstr("is of version 99.1.0"));
  write("run.json", R"({"sinew": "0.1.0", "files": []})");
  EXPECT_THAT(error("report " + out), HasSubstr("lacks what a report needs"));
  EXPECT_THAT(error("simulate double-pendulum --report"), HasSubstr("--out"));

  const std::string scene = (folder / "mine.json").string();
  std::filesystem::copy(source_dir() + "/scenes/double-pendulum.json", scene);
  const std::string run = (folder / "run").string();
  ASSERT_EQ(run_program("simulate " + scene + " --until 0.1 --out " + run).exit_code, 0);
  std::string states = read_file(run + "/states.sto");
  const std::string good = states;
  states.replace(states.find("time\t") + 5, 3, "arm");
  std::ofstream(run + "/states.sto") << states;
  EXPECT_THAT(error("report " + run), HasSubstr("states of another scene"));
  std::ofstream(run + "/states.sto") << good.substr(0, good.find("time\t"));
  error("report " + run);
  std::ofstream(run + "/states.sto") << good;
  EXPECT_EQ(run_program("report " + run).exit_code, 0);
  std::ofstream(scene, std::ios::app) << "\n";
  EXPECT_THAT(error("report " + run), HasSubstr("has changed since the run"));
  std::filesystem::remove(scene);
  EXPECT_THAT(error("report " + run), HasSubstr("is not there any more"));
}

TEST_F(Report, SaysWhatItDoesNotShow) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_program("simulate redmax-23 --until 0.1 --report --out " + folder.path().string())
                .exit_code,
            0);
  const Page report(folder / "report.html");
  const std::string notes = report.header["runs"][0]["notes"].dump();
  EXPECT_THAT(notes, HasSubstr("Springs and cables are not drawn: '"));
  EXPECT_THAT(notes, HasSubstr("The model has no muscles."));
}

TEST_F(Report, ANewRunTakesTheOldReportAway) {
  const TemporaryFolder folder;
  const std::string simulate =
      "simulate double-pendulum --until 0.1 --out " + folder.path().string();
  ASSERT_EQ(run_program(simulate + " --report").exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(folder / "report.html"));
  ASSERT_EQ(run_program(simulate).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(folder / "report.html"));
}

}  // namespace report_test
}  // namespace sinew::test
