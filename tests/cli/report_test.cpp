#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>

#include "cli/program.hpp"
#include "support/source_dir.hpp"

/// `sinew report`: the contents of the page. The browser's tests (web/tests) check its appearance.

namespace sinew::test {
namespace report_test {

using nlohmann::json;
using testing::HasSubstr;

/// The text between two marks of the page.
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
  /// Arrays of "u16" without a range, and of "u32", are indices.
  std::vector<size_t> indices(const json& array) const {
    std::vector<size_t> out;
    const size_t at = array["at"], count = array["count"], size = array["type"] == "u16" ? 2 : 4;
    for (size_t k = 0; k < count; ++k) {
      std::uint32_t value = 0;
      std::memcpy(&value, &bytes.at(at + size * k), size);
      out.push_back(value);
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
    // The changes by single muscles add up to the difference.
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

/// Lengths of a muscle's drawn line in every frame.
std::vector<double> drawn_lengths(const Page& report, size_t muscle) {
  const json& run = report.header["runs"][0];
  const std::vector<double> x = report.read(run["frames"]["points"]);
  size_t all = 0, first = 0;
  for (size_t m = 0; m < run["model"]["muscles"].size(); ++m) {
    if (m == muscle) first = all;
    all += run["model"]["muscles"][m]["points"].get<size_t>();
  }
  const size_t count = run["model"]["muscles"][muscle]["points"];
  std::vector<double> out;
  for (size_t frame = 0; 3 * all * frame < x.size(); ++frame) {
    double length = 0;
    for (size_t k = 1; k < count; ++k) {
      const double* p = &x[3 * (all * frame + first + k)];
      length += std::hypot(p[0] - p[-3], p[1] - p[-2], p[2] - p[-1]);
    }
    out.push_back(length);
  }
  return out;
}

TEST_F(Report, DrawsTheSurfacesOfDeformableBodiesWhereTheirVerticesAre) {
  const TemporaryFolder folder;
  const ProgramResult run =
      run_program("simulate starfish --until 0.3 --report --out " + folder.path().string());
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("passed: of the energy it had, the run lost "));
  const Page report(folder / "report.html");
  const json one = report.header["runs"][0], surface = one["model"]["deforming"][0];
  ASSERT_EQ(one["model"]["deforming"].size(), 1u);
  ASSERT_EQ(one["frames"]["deforming"].size(), 1u);
  const size_t vertices = surface["vertices"], frames = report.read(one["frames"]["time"]).size();
  EXPECT_GT(vertices, 3000u);
  for (const size_t k : report.indices(surface["triangles"])) ASSERT_LT(k, vertices);
  const std::vector<double> drawn = report.read(one["frames"]["deforming"][0]);
  ASSERT_EQ(drawn.size(), frames * vertices * 3);
  // It lies on the ground and moves by more than rounding.
  double lowest = 1, moved = 0;
  for (size_t k = 0; k < 3 * vertices; ++k) {
    if (k % 3 == 1) lowest = std::min(lowest, drawn[k]);
    moved = std::max(moved, std::abs(drawn[3 * vertices * (frames - 1) + k] - drawn[k]));
  }
  EXPECT_GT(lowest, -0.02);
  EXPECT_GT(moved, 1e-3);
}

TEST_F(Report, DrawsRunsOfOpenSimModelsAlongTheirPaths) {
  const TemporaryFolder folder;
  const ProgramResult run = run_program(
      "simulate " + source_dir() +
      "/models/leg/leg.osim --until 0.4 --excitation all=0.1 --excitation soleus_r=0.6 --initial "
      "knee_angle_r=-1.2 --report --out " +
      folder.path().string());
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const Page report(folder / "report.html");
  const json one = report.header["runs"][0];
  ASSERT_EQ(one["model"]["muscles"].size(), 6u);
  EXPECT_EQ(one["model"]["surfaces"].size(), 2u);
  EXPECT_EQ(one["model"]["surfaces"][0]["name"], "condyles_r");
  EXPECT_EQ(report.group("muscle-activation")["columns"].size(), 6u);
  EXPECT_EQ(report.group("muscle-tension")["columns"].size(), 6u);
  EXPECT_TRUE(report.group("leg_states").is_null());
  const std::vector<double> length = report.read(one["frames"]["length"]);
  const double step = one["frames"]["points"]["step"];
  for (size_t m = 0; m < 6; ++m) {
    const std::vector<double> drawn = drawn_lengths(report, m);
    ASSERT_EQ(drawn.size(), length.size() / 6);
    for (size_t f = 0; f < drawn.size(); ++f) {
      // Each end of the pieces is rounded; ten chords of a right angle are shorter by 0.2 % of it.
      const double rounding = step * one["model"]["muscles"][m]["points"].get<double>();
      EXPECT_NEAR(drawn[f], length[6 * f + m], 2e-3 * length[6 * f + m] + rounding) << m;
    }
  }
  // Made again from the folder alone it is the same page.
  const std::string first = read_file(folder / "report.html");
  ASSERT_EQ(run_program("report " + folder.path().string()).exit_code, 0);
  EXPECT_EQ(read_file(folder / "report.html"), first);
}

TEST_F(Report, ShowsTheAnalysisOfMusclesAlongAMotion) {
  const TemporaryFolder folder;
  const std::string models = source_dir() + "/models/leg/";
  const ProgramResult run =
      run_program("muscles " + models + "leg.osim " + models +
                  "swing_10kmh.mot --activation 0.5 --report --out " + folder.path().string());
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("report.html: open it in a browser"));
  const Page report(folder / "report.html");
  EXPECT_EQ(report.header["kind"], "motion");
  const json one = report.header["runs"][0];
  EXPECT_EQ(one["title"], "Muscles: leg, swing_10kmh");
  EXPECT_THAT(one["provenance"].dump(), HasSubstr(R"(["activation","0.5"])"));
  for (const char* id : {"muscle-length", "muscle-tension", "muscle-power", "muscle-fibre",
                         "moment-arm-knee_angle_r", "muscle-moment-ankle_angle_r", "coordinates"})
    ASSERT_FALSE(report.group(id).is_null()) << id;
  // Moments are arms times tensions.
  const auto column = [&](const char* id, const char* muscle) {
    const json group = report.group(id);
    for (const json& c : group["columns"])
      if (c["name"] == muscle) return report.read(c["values"]);
    return std::vector<double>();
  };
  const std::vector<double> arm = column("moment-arm-ankle_angle_r", "soleus_r"),
                            tension = column("muscle-tension", "soleus_r"),
                            moment = column("muscle-moment-ankle_angle_r", "soleus_r");
  ASSERT_GT(moment.size(), 20u);
  for (size_t k = 0; k < moment.size(); ++k)
    EXPECT_NEAR(moment[k], arm[k] * tension[k], 1e-5 * std::abs(moment[k]) + 1e-6);
}

/// A ball of 2 n² triangles.
std::string obj_ball(int n, double radius) {
  std::ostringstream out;
  for (int i = 0; i <= n; ++i)
    for (int j = 0; j < n; ++j) {
      const double a = 3.14159 * (i + 0.01) / (n + 0.02), b = 6.28318 * j / n;
      out << "v " << radius * std::sin(a) * std::cos(b) << " " << radius * std::cos(a) << " "
          << radius * std::sin(a) * std::sin(b) << "\n";
    }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      out << "f " << i * n + j + 1 << " " << i * n + (j + 1) % n + 1 << " "
          << (i + 1) * n + (j + 1) % n + 1 << " " << (i + 1) * n + j + 1 << "\n";
  return out.str();
}

TEST_F(Report, MeshesOfOpenSimModelsAreKeptSmallAndMissingOnesAreNamed) {
  const TemporaryFolder folder;
  std::string model = read_file(source_dir() + "/models/leg/leg.osim");
  for (const std::string of : {"components", "attached_geometry"})  // without its own bones
    for (size_t at; (at = model.find("<" + of + ">")) != std::string::npos;) {
      const std::string end = "</" + of + ">";
      model.erase(at, model.find(end, at) + end.size() - at);
    }
  const auto attach = [&](const std::string& body, const std::string& meshes) {
    const size_t at = model.find("<Body name=\"" + body + "\">") + body.size() + 14;
    model.insert(at, "<attached_geometry>" + meshes + "</attached_geometry>");
  };
  const auto mesh = [](const std::string& file, const std::string& more = "") {
    return "<Mesh><mesh_file>" + file + "</mesh_file>" + more + "</Mesh>";
  };
  attach("femur_r", mesh("bone.obj") + mesh("nowhere.vtp"));
  attach("tibia_r", mesh("bone.obj") + mesh("bone.obj",
                                            "<scale_factors>1 2 1</scale_factors><Appearance>"
                                            "<color>1 0.5 0</color></Appearance>"));
  attach("foot_r", mesh("broken.obj"));
  std::ofstream(folder / "leg.osim") << model;
  std::filesystem::create_directory(folder / "Geometry");
  std::ofstream(folder / "Geometry/bone.obj") << obj_ball(250, 0.05);  // 125 000 triangles
  std::ofstream(folder / "Geometry/broken.obj") << "f 1 2 3\n";
  const std::string out = (folder / "out").string();
  const ProgramResult run = run_program("simulate '" + (folder / "leg.osim").string() +
                                        "' --until 10 --dt 0.01 --out " + out + " --report");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const Page report(folder / "out/report.html");
  EXPECT_LT(report.bytes_in_page, 5e6);
  const json one = report.header["runs"][0];
  const json femur = one["model"]["bodies"][1], tibia = one["model"]["bodies"][2];
  ASSERT_EQ(femur["shapes"].size(), 1u);
  ASSERT_EQ(tibia["shapes"].size(), 2u);
  // The same mesh is there once; scaled it is another.
  EXPECT_EQ(femur["shapes"][0]["vertices"], tibia["shapes"][0]["vertices"]);
  EXPECT_EQ(femur["shapes"][0]["triangles"]["at"], tibia["shapes"][1]["triangles"]["at"]);
  EXPECT_EQ(tibia["shapes"][1]["color"], json({1, 0.5, 0}));
  const std::vector<double> ball = report.read(femur["shapes"][0]["vertices"]);
  const std::vector<double> egg = report.read(tibia["shapes"][1]["vertices"]);
  const std::vector<size_t> corners = report.indices(femur["shapes"][0]["triangles"]);
  EXPECT_LE(corners.size() / 3, 80000u);
  EXPECT_GT(corners.size() / 3, 20000u);
  EXPECT_LT(*std::max_element(corners.begin(), corners.end()), ball.size() / 3);
  for (size_t k = 0; k < ball.size(); k += 3) {
    // Middles of cells of 1 mm, in 16 bits.
    EXPECT_NEAR(std::hypot(ball[k], ball[k + 1], ball[k + 2]), 0.05, 1e-4);
    EXPECT_NEAR(egg[k + 1], 2 * ball[k + 1], 1e-5);
  }
  const std::string notes = one["notes"].dump();
  EXPECT_THAT(notes, HasSubstr("nowhere.vtp"));
  EXPECT_THAT(notes, HasSubstr("A mesh is not drawn: "));
  EXPECT_THAT(notes, HasSubstr("125000 triangles in their files"));
  // Bodies without any geometry are sticks.
  EXPECT_FALSE(one["model"]["bodies"][3]["sticks"].empty());
}

TEST_F(Report, BodiesAreDrawnWithTheirLook) {
  const TemporaryFolder folder;
  const ProgramResult run =
      run_program("simulate arm --until 0.05 --report --out " + folder.path().string());
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const Page report(folder / "report.html");
  EXPECT_LT(report.bytes_in_page, 5e6);
  const json model = report.header["runs"][0]["model"], humerus = model["bodies"][0];
  ASSERT_EQ(humerus["shapes"].size(), 1u);  // not its sphere and capsule
  EXPECT_EQ(humerus["shapes"][0]["type"], "mesh");
  EXPECT_EQ(humerus["shapes"][0]["material"], "bone");
  EXPECT_FALSE(humerus["shapes"][0].contains("opacity"));
  ASSERT_EQ(model["fixed"].size(), 2u);  // scapula and clavicle
  EXPECT_EQ(model["fixed"][0]["material"], "bone");
}

TEST_F(Report, HillMusclesWithContactsAreDrawn) {
  const TemporaryFolder folder;
  const ProgramResult run = run_program(
      "simulate knee-spline --integrator linearly-implicit-euler --until 0.02 --report --set "
      "'contacts={\"surfaces\":[{\"body\":\"world\",\"plane\":{}},{\"body\":\"foot\"}]}' --out '" +
      (folder / "run").string() + "'");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(Page(folder / "run" / "report.html").header["runs"].size(), 1u);
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
  EXPECT_THAT(error("report " + out + "/nowhere"), HasSubstr("is not a folder"));
  EXPECT_THAT(error("report " + out), HasSubstr("holds no run: there is no run.json"));
  write("run.json", "{\"files\": [");
  EXPECT_THAT(error("report " + out), HasSubstr("is not a record of a run"));
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
  EXPECT_THAT(error("report " + run), HasSubstr("results of another scene"));
  std::ofstream(run + "/states.sto") << good.substr(0, good.find("time\t"));
  error("report " + run);
  std::ofstream(run + "/states.sto") << good;
  EXPECT_EQ(run_program("report " + run).exit_code, 0);
  std::ofstream(scene, std::ios::app) << "\n";
  EXPECT_THAT(error("report " + run), HasSubstr("has changed since the run"));
  std::filesystem::remove(scene);
  EXPECT_THAT(error("report " + run), HasSubstr("no longer exists"));
}

TEST_F(Report, DrawsSpringsAndCablesBetweenTheirPoints) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_program("simulate redmax-23 --until 0.1 --report --out " + folder.path().string())
                .exit_code,
            0);
  const Page report(folder / "report.html");
  const json one = report.header["runs"][0];
  const json lines = one["model"]["lines"];
  ASSERT_FALSE(lines.empty());
  size_t points = 0;
  for (const json& line : lines) {
    EXPECT_THAT(line["kind"], testing::AnyOf("spring", "cable"));
    points += line["points"].get<size_t>();
  }
  const size_t frames = report.read(one["frames"]["time"]).size();
  EXPECT_EQ(report.read(one["frames"]["lines"]).size(), 3 * frames * points);
  EXPECT_THAT(one["notes"].dump(), HasSubstr("The model has no muscles."));
}

TEST_F(Report, DrawsStrandsFromVertexToVertex) {
  const TemporaryFolder folder;
  ASSERT_EQ(
      run_program("simulate strand-spring --until 0.1 --report --out " + folder.path().string())
          .exit_code,
      0);
  const Page report(folder / "report.html");
  const json one = report.header["runs"][0];
  const json lines = one["model"]["lines"];
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0]["kind"], "strand");
  const size_t points = lines[0]["points"].get<size_t>() + lines[1]["points"].get<size_t>();
  const std::vector<double> drawn = report.read(one["frames"]["lines"]);
  ASSERT_EQ(drawn.size(), 3 * points * report.read(one["frames"]["time"]).size());
  // At the start they have the model's rest lengths, or are slightly stretched.
  for (size_t line = 0, at = 0; line < 2; ++line) {
    for (size_t k = 1; k < lines[line]["points"].get<size_t>(); ++k, at += 3) {
      const double length = std::hypot(drawn[at + 3] - drawn[at], drawn[at + 4] - drawn[at + 1],
                                       drawn[at + 5] - drawn[at + 2]);
      EXPECT_GT(length, 1e-3);
      EXPECT_LT(length, 0.2);
    }
    at += 3;
  }
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
