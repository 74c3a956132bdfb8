#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sinew/analysis/reactions.hpp"
#include "sinew/io/scene/scene.hpp"
#include "support/source_dir.hpp"

// The scene `hand` (Wang 2022 §6.1.3): fingers in hyper-reduced coordinates, tips held by maximal
// rows, the elbow driven by a reduced one.

namespace sinew {
namespace hand_test {

const char* const kFingers[] = {"index", "middle", "ring", "little"};

std::string path() { return test::source_dir() + "/scenes/hand.json"; }

Vec3 to_vec3(const nlohmann::json& x) {
  return {x[0].get<double>(), x[1].get<double>(), x[2].get<double>()};
}

class Hand : public testing::Test {
 protected:
  Hand()
      : json_(nlohmann::json::parse(read_text_file(path()))),
        scene_(load_scene(path())),
        ws_(scene_.system),
        state_(scene_.system.default_state()) {
    for (const nlohmann::json& c : json_.at("constraints"))
      if (c.at("type") == "ball") tips_.push_back(c);
  }

  Vec3 tip(const nlohmann::json& constraint) {
    const Skeleton& skeleton = scene_.system.skeleton();
    const BodyIndex body = skeleton.find_body(constraint.at("bodies")[1].get<std::string>());
    return body_pose(skeleton, ws_.skeleton, body) * to_vec3(constraint.at("points")[1]);
  }

  double value(const VecX& all, const std::string& coordinate) const {
    return all[scene_.system.skeleton().find_coordinate(coordinate)];
  }

  /// The hand with forces in place of its constraints: those that held tips and elbow at t, or the
  /// tables of them.
  System with_forces(const std::vector<double>& times,
                     const std::vector<std::vector<double>>& values) const {
    nlohmann::json json = json_;
    json.erase("constraints");
    const auto table = [&](auto&& entry) {
      nlohmann::json out = {{"times", times}, {"interpolation", "linear"}};
      for (const auto& row : values) out["values"].push_back(entry(row));
      return out;
    };
    size_t column = 0;
    for (const nlohmann::json& c : json_.at("constraints")) {
      nlohmann::json force = {{"name", c.at("name")}};
      if (c.at("type") == "ball") {
        force.update({{"type", "world-force"},
                      {"body", c.at("bodies")[1]},
                      {"point", c.at("points")[1]},
                      {"table", table([&](const std::vector<double>& row) {
                         return std::vector<double>(row.begin() + static_cast<long>(column),
                                                    row.begin() + static_cast<long>(column) + 3);
                       })}});
        column += 3;
      } else {
        force.update(
            {{"type", "torque"},
             {"coordinate", c.at("coordinate")},
             {"table", table([&](const std::vector<double>& row) { return row[column]; })}});
        column += 1;
      }
      json["forces"].push_back(force);
    }
    return parse_scene(json.dump(), "hand.json", "", {}).system;
  }

  nlohmann::json json_;
  Scene scene_;
  Workspace ws_;
  State state_;
  std::vector<nlohmann::json> tips_;
};

TEST_F(Hand, HoldsItsTipsAndFollowsItsElbowWhileFingersStayCoupled) {
  ASSERT_EQ(tips_.size(), 4u);
  const double duration = 10, dt = scene_.settings.dt;
  VecX q, qdot;
  double turned = 0;
  for (int k = 1; k <= static_cast<int>(duration / dt + 0.5); ++k) {
    const StepReport report = step(scene_.system, scene_.settings.step, dt, state_, ws_);
    ASSERT_EQ(report.status, StepStatus::ok) << state_.t;
    ASSERT_LE(report.constraint_error, 1e-9);
    expand_coordinates(scene_.system, state_, ws_, q, qdot);
    for (const std::string finger : kFingers) {
      ASSERT_EQ(value(q, finger + "_dip"), value(q, finger + "_pip") / 2);
      ASSERT_EQ(value(qdot, finger + "_dip"), value(qdot, finger + "_pip") / 2);
    }
    update_kinematics(scene_.system, state_, ws_);
    for (const nlohmann::json& c : tips_)
      ASSERT_LE((tip(c) - to_vec3(c.at("points")[0])).norm(), 1e-9);
    ASSERT_NEAR(value(q, "elbow"), 0.1 - 0.1 * std::cos(2 * state_.t), 1e-9);
    turned = std::max(turned, std::abs(value(q, "index_pip") + 0.9));
  }
  EXPECT_GT(turned, 0.2) << "the fingers hardly moved";
}

TEST_F(Hand, MovesAlikeWithTheForcesThatHeldIt) {
  std::vector<double> row;
  for (int k = 0; k < 200; ++k)
    ASSERT_EQ(step(scene_.system, scene_.settings.step, 0.005, state_, ws_).status, StepStatus::ok);
  reactions(scene_.system, scene_.settings.step, state_, scene_.system.controls(), ws_, row);
  VecX expected(state_.q.size()), found(state_.q.size());
  forward_dynamics(scene_.system, state_, ws_, expected);
  const System forced = with_forces({0}, {row});
  Workspace ws(forced);
  forward_dynamics(forced, state_, ws, found);
  // Fingers of grams on an arm of a kilogram: the condition of M is 1e6.
  EXPECT_LT((found - expected).lpNorm<Eigen::Infinity>(),
            1e-9 * expected.lpNorm<Eigen::Infinity>());
}

TEST_F(Hand, RunsForwardOnTheTorquesAndForcesOfItsConstraints) {
  for (int k = 0; k < 120; ++k)
    ASSERT_EQ(step(scene_.system, scene_.settings.step, 0.005, state_, ws_).status, StepStatus::ok);
  StepOptions options;
  options.integrator = Integrator::rk4;
  const double h = 5e-5;
  const int steps = 600;
  const State start = state_;
  std::vector<double> times;
  std::vector<std::vector<double>> values;
  for (int k = 0; k <= steps; ++k) {
    times.push_back(state_.t);
    values.emplace_back();
    reactions(scene_.system, options, state_, scene_.system.controls(), ws_, values.back());
    if (k == steps) break;
    ASSERT_EQ(step(scene_.system, options, h, state_, ws_).status, StepStatus::ok);
  }
  const System forced = with_forces(times, values);
  Workspace ws(forced);
  State free = start;
  for (int k = 0; k < steps; ++k)
    ASSERT_EQ(step(forced, options, h, free, ws).status, StepStatus::ok);
  EXPECT_GT((free.q - start.q).lpNorm<Eigen::Infinity>(), 0.01);
  // Linear interpolation between forces 0.05 ms apart: 1e-9 of them. Phalanges of grams under
  // forces of newtons fall over with rates of some 100/s once nothing holds them: e³ in 30 ms.
  EXPECT_LT((free.q - state_.q).lpNorm<Eigen::Infinity>(), 1e-7);
}

}  // namespace hand_test
}  // namespace sinew
