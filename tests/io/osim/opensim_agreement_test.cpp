#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "sinew/io/osim/osim_model.hpp"
#include "sinew/io/osim/pose_evaluation.hpp"
#include "sinew/io/scene/scene.hpp"
#include "sinew/math/scalar_function.hpp"
#include "support/reference.hpp"

/// Sinew against OpenSim 4.5.2: all models and poses of the reference.

namespace sinew {
namespace opensim_agreement_test {

using nlohmann::json;

std::filesystem::path folder() { return *test::reference_dir() / "opensim"; }

std::vector<std::string> batteries() {
  return {"arm26",
          "double_pendulum",
          "Tug_of_War",
          "Tug_of_War_Millard",
          "gait10dof18musc",
          "gait2392_thelen2003muscle",
          "gait2392_millard2012muscle",
          "leg6dof9musc_inertiafix",
          "Rajagopal2016",
          "oldformat_gait10dof18musc_subject01_v30000"};
}

/// OpenSim keeps six digits of a joint's places and of moments of inertia when it converts a 3.x
/// document: the reference is that of the rounded model.
std::string rounded_places(const std::string& text) {
  static const std::regex kPlace(
      "<(location_in_parent|orientation_in_parent|location|orientation|inertia_..)>([^<]*)<");
  std::string out;
  auto last = text.begin();
  for (std::sregex_iterator it(text.begin(), text.end(), kPlace), end; it != end; ++it) {
    out.append(last, text.begin() + it->position(2));
    std::istringstream numbers((*it)[2].str());
    std::ostringstream rounded;
    for (double x = 0; numbers >> x;) rounded << x << ' ';
    out += rounded.str() + "<";
    last = text.begin() + it->position(0) + it->length(0);
  }
  return out.append(last, text.end());
}

OsimModel model_of(const json& battery) {
  const auto path = folder() / "models" / battery["file"].get<std::string>();
  std::string text = read_text_file(path);
  if (text.find("Version=\"30000\"") != std::string::npos) text = rounded_places(text);
  return parse_osim(text, path.string());
}

std::vector<double> flat(const json& j) {
  if (!j.is_array()) return {j.get<double>()};
  std::vector<double> out;
  for (const json& entry : j)
    for (const double x : flat(entry)) out.push_back(x);
  return out;
}

/// Largest difference, and the largest entry of the reference.
struct Difference {
  double absolute = 0, size = 0;
  double relative() const { return size > 0 ? absolute / size : absolute; }
};
Difference difference(const json& ours, const json& theirs) {
  const std::vector<double> a = flat(ours), b = flat(theirs);
  EXPECT_EQ(a.size(), b.size());
  Difference out;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    out.absolute = std::max(out.absolute, std::abs(a[i] - b[i]));
    out.size = std::max(out.size, std::abs(b[i]));
  }
  return out;
}

class OpenSimAgreement : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    SINEW_NEEDS_REFERENCE();
    theirs_ = test::reference_json("opensim/" + GetParam() + ".json");
    ours_ = json::parse(evaluate_poses(model_of(theirs_), theirs_.dump(), GetParam()));
    ASSERT_EQ(ours_["poses"].size(), theirs_["poses"].size());
  }
  json theirs_, ours_;
};

TEST_P(OpenSimAgreement, TransformsAndVelocities) {
  for (size_t i = 0; i < theirs_["poses"].size(); ++i) {
    std::map<std::string, json> by_body;
    for (const json& t : ours_["poses"][i]["body_transforms"]) by_body[t["body"]] = t;
    for (const json& t : theirs_["poses"][i]["body_transforms"])
      for (const char* key : {"R", "p", "omega", "v"})
        // Rounding of a dozen products; the requirement is 1e-9.
        EXPECT_LT(difference(by_body[t["body"]][key], t[key]).absolute, 1e-13) << key;
  }
}

TEST_P(OpenSimAgreement, MassMatrixAndInverseDynamics) {
  for (size_t i = 0; i < theirs_["poses"].size(); ++i) {
    const json &a = ours_["poses"][i], &b = theirs_["poses"][i];
    for (const char* key :
         {"M", "id_tau_gravity", "kinetic_energy", "potential_energy_gravity", "com"})
      EXPECT_LT(difference(a[key], b[key]).relative(), 1e-12) << key;
    // Simbody's rate of the joint's axes is inexact where several rotations follow one coordinate
    // by curves: the knees of Rajagopal. LagrangeSaysSoToo shows which one is right.
    const double tolerance = GetParam() == "Rajagopal2016" ? 2e-4 : 1e-12;
    for (const char* key : {"id_tau", "id_tau_udot0"})
      EXPECT_LT(difference(a[key], b[key]).relative(), tolerance) << key;
    // This does not affect the terms of accelerations.
    VecX ours = test::to_vector(a["id_tau"]) - test::to_vector(a["id_tau_udot0"]);
    VecX reference = test::to_vector(b["id_tau"]) - test::to_vector(b["id_tau_udot0"]);
    EXPECT_LT((ours - reference).norm(), 1e-12 * (1 + reference.norm()) * 10);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, OpenSimAgreement, ::testing::ValuesIn(batteries()),
                         [](const auto& battery) { return battery.param; });

/// Velocity terms of the knees from the mass matrix alone, which agrees with OpenSim's:
///     d/dt (M u) − ½ ∂/∂q (uᵀ M u)  at constant u.
TEST(OpenSimRajagopal, LagrangeSaysSoToo) {
  SINEW_NEEDS_REFERENCE();
  const json theirs = test::reference_json("opensim/Rajagopal2016.json");
  const OsimModel model = model_of(theirs);
  const json& pose = theirs["poses"][10];
  const VecX q = test::to_vector(pose["q"]), u = test::to_vector(pose["u"]);
  const auto knee = static_cast<Eigen::Index>(15);
  ASSERT_EQ(theirs["coordinates"][15]["name"], "knee_angle_r");
  const double h = 1e-4;
  json poses = {{"coordinates", theirs["coordinates"]}, {"poses", json::array()}};
  const auto add = [&](const VecX& x) {
    poses["poses"].push_back({{"q", std::vector<double>(x.begin(), x.end())}});
  };
  for (const double s : {h, -h}) add(q + s * u);
  for (const double s : {h, -h}) add(q + s * VecX::Unit(q.size(), knee));
  const json at = json::parse(evaluate_poses(model, poses.dump(), "poses"))["poses"];
  const auto Mu = [&](size_t i) -> VecX { return test::to_matrix(at[i]["M"]) * u; };
  const double bias = (Mu(0) - Mu(1))[knee] / (2 * h) - 0.5 * u.dot(Mu(2) - Mu(3)) / (2 * h);

  const json ours = json::parse(evaluate_poses(model, theirs.dump(), "poses"))["poses"][10];
  const auto velocity_part = [&](const json& p) {
    return p["id_tau_udot0"][15].get<double>() - p["id_tau_gravity"][15].get<double>();
  };
  // Central differences: h² = 1e-8 of terms of size 10, ε/h = 1e-12.
  EXPECT_NEAR(velocity_part(ours), bias, 1e-6);
  EXPECT_GT(std::abs(velocity_part(pose) - bias), 1e-2);
}

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream stream(line);
  for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
  return cells;
}

/// The function of one axis of a joint at x: value and two derivatives.
std::array<double, 3> axis_function(const Body& body, size_t axis, double x) {
  const auto* joint = std::get_if<FunctionJoint>(&body.joint.variant());
  if (joint == nullptr) return {x, 1, 0};  // one axis that follows its coordinate
  const TransformAxis& t = axis < 3 ? joint->rotation()[axis] : joint->translation()[axis - 3];
  const std::vector<double> q(6, x), qdot(6, 1);
  const JointFunctionValue jet = evaluate(t.function, t.coordinates, q, qdot);
  if (t.coordinates.empty()) return {jet.value, 0, 0};
  const auto k = static_cast<size_t>(t.coordinates[0]);
  return {jet.value, jet.gradient[k], jet.hessian[k][k]};
}

TEST(OpenSimFunctions, ValuesAndDerivativesAgreeBeyondTheRangeToo) {
  SINEW_NEEDS_REFERENCE();
  int samples = 0;
  for (const std::string name :
       {"Rajagopal2016", "gait2392_thelen2003muscle", "leg6dof9musc_inertiafix"}) {
    const OsimModel model = load_osim(folder() / "models" / (name + ".osim"));
    std::map<std::string, const Body*> by_joint;
    for (const Body& body : model.skeleton.bodies()) by_joint[body.joint_name] = &body;
    std::ifstream file(folder() / (name + "_custom_joint_functions.csv"));
    std::string line;
    std::getline(file, line);
    while (std::getline(file, line)) {
      const std::vector<std::string> cells = split(line);
      if (cells.size() < 11) continue;  // a constant
      const std::array<double, 3> f =
          axis_function(*by_joint.at(cells[0]), std::stoul(cells[1]), std::stod(cells[7]));
      for (size_t k = 0; k < 3; ++k) {
        const double theirs = std::stod(cells[8 + k]);
        // Rounding, more of it in second derivatives; the requirement is 1e-9.
        EXPECT_NEAR(f[k], theirs, 1e-11 * (1 + std::abs(theirs))) << line;
      }
      ++samples;
    }
  }
  EXPECT_EQ(samples, 1875);
}

TEST(OpenSimModels, EveryOneOfTheReferenceLoads) {
  SINEW_NEEDS_REFERENCE();
  int models = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder() / "models")) {
    if (entry.path().extension() != ".osim") continue;
    SCOPED_TRACE(entry.path().filename().string());
    const OsimModel model = load_osim(entry.path());
    EXPECT_NO_THROW(model.system_builder().build());
    ++models;
  }
  EXPECT_GE(models, 11);
}

}  // namespace opensim_agreement_test
}  // namespace sinew
