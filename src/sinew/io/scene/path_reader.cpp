#include "sinew/io/scene/path_reader.hpp"

#include <optional>

#include "sinew/dynamics/kinematics.hpp"
#include "sinew/io/scene/element_lookup.hpp"
#include "sinew/io/scene/function_reader.hpp"
#include "sinew/io/scene/spline_joint_reader.hpp"

namespace sinew {
namespace {

constexpr size_t kMostPoints = 1000;
/// Half-width of the range of a coordinate over which a conditional point slides [rad, m].
constexpr double kConditionBand = 0.05;

struct Condition {
  DofIndex dof;
  Window window;
};

/// A point as described in the file; the meaning of a conditional one depends on its neighbours.
struct PointReading {
  BodyIndex body = kWorld;
  Vec3 x_B = Vec3::Zero();
  std::optional<PathPoint> moving;
  std::optional<Condition> condition;
  int line = 0;

  PathPoint point() const { return moving ? *moving : PathPoint::Fixed(body, x_B); }
};

class PathReader {
 public:
  PathReader(const ObjectReader& muscle, const Skeleton& skeleton, const PathDefaults& defaults)
      : in_(muscle), skeleton_(skeleton), defaults_(defaults), ws_(skeleton) {
    VecX q(skeleton.dof_count());
    for (int k = 0; k < skeleton.dof_count(); ++k)
      q[k] = skeleton.coordinates()[static_cast<size_t>(k)].q0;
    update_kinematics(skeleton, q, VecX::Zero(q.size()), ws_);
  }

  PathReading read() {
    for (const JsonNode& node : in_.list("path")) {
      if (node.find("around") != nullptr)
        add_surface(node);
      else
        add_point(node);
    }
    if (points_.size() < 2 || out_.spans.size() + 1 != points_.size())
      in_.fail(in_.at("path").line, "its path does not begin and end with a point",
               "give its origin first and its insertion last");
    for (size_t k = 0; k < points_.size(); ++k)
      out_.points.push_back(points_[k].condition ? conditional(k) : points_[k].point());
    out_.origin = points_.front().body;
    return std::move(out_);
  }

 private:
  double unit_of(DofIndex dof) const {
    return coordinate_unit(in_.context().units,
                           skeleton_.coordinates()[static_cast<size_t>(dof.value)].kind);
  }

  void add_point(const JsonNode& node) {
    const ObjectReader point(in_.context(), node, in_.element(), scene_keys::kPathPoint);
    PointReading reading;
    reading.line = node.line;
    reading.body = resolve_body(point, point.at("body"), "body", skeleton_);
    reading.x_B = point.vector3_or("position", Vec3::Zero(), in_.context().units.length);
    if (const JsonNode* moving = point.find("moving"))
      reading.moving = read_moving(reading, *moving);
    if (const JsonNode* condition = point.find("conditional"))
      reading.condition = read_condition(*condition);
    // A surface between two points has already made their span.
    if (!points_.empty() && out_.spans.size() < points_.size()) out_.spans.emplace_back();
    points_.push_back(std::move(reading));
    if (points_.size() > kMostPoints)
      in_.fail(node.line, "its path has too many points", "at most 1000");
  }

  void add_surface(const JsonNode& node) {
    const ObjectReader surface(in_.context(), node, in_.element(), scene_keys::kPathWrap);
    if (points_.empty())
      in_.fail(node.line, "its path begins with a surface", "give its origin first");
    if (out_.spans.size() == points_.size())
      in_.fail(node.line, "two surfaces follow each other in its path",
               "put a path point between them");
    out_.spans.push_back({resolve_body(surface, surface.at("body"), "body", skeleton_),
                          surface.pose_or_identity("placement"),
                          read_wrap(surface, surface.at("around"), defaults_.wrap)});
  }

  PathPoint read_moving(const PointReading& reading, const JsonNode& node) const {
    const ObjectReader moving(in_.context(), node, in_.element(), scene_keys::kMovingPoint);
    std::array<DofIndex, 3> dofs;
    std::array<ScalarFunction, 3> functions = {ConstantFunction{0}, ConstantFunction{0},
                                               ConstantFunction{0}};
    constexpr std::array kAxes = {"x", "y", "z"};
    for (size_t k = 0; k < 3; ++k) {
      const JsonNode* axis = moving.find(kAxes[k]);
      if (axis == nullptr) continue;
      const ObjectReader in(in_.context(), *axis, in_.element(), scene_keys::kMovingAxis);
      dofs[k] = resolve_coordinate(in, in.at("coordinate"), "coordinate", skeleton_);
      functions[k] =
          read_function(in, in.at("function"), {in_.context().units.length, {unit_of(dofs[k])}});
      if (const std::string defect = function_defect(functions[k]); !defect.empty())
        in.fail(in.at("function").line, "its 'function': " + defect, "give another one");
    }
    return PathPoint::Moving(reading.body, reading.x_B, dofs, functions);
  }

  Condition read_condition(const JsonNode& node) {
    const ObjectReader in(in_.context(), node, in_.element(), scene_keys::kCondition);
    Condition out;
    out.dof = resolve_coordinate(in, in.at("coordinate"), "coordinate", skeleton_);
    const double unit = unit_of(out.dof);
    const std::vector<double> range = in.numbers(in.at("range"), 2, "range", unit);
    if (!(range[0] < range[1]))
      in.fail(in.at("range").line, "'range' does not increase", "give its lower end first");
    auto policy = static_cast<size_t>(defaults_.policy);
    policy = in.choice_or("policy", policy, condition_policies());
    out.window = {range[0], range[1]};
    switch (static_cast<ConditionPolicy>(policy)) {
      case ConditionPolicy::smooth:
        out.window.band = in.positive_or("band", kConditionBand, unit);
        // The two ramps of the window must not meet.
        if (2 * out.window.band > range[1] - range[0])
          in.fail(in.has("band") ? in.at("band").line : node.line,
                  "its 'band' is wider than half its 'range'", "give a narrower one");
        break;
      case ConditionPolicy::switching:
        out_.switches = true;
        break;
      case ConditionPolicy::forbidden:
        in.fail(node.line, "has a conditional path point", "choose another policy for it");
    }
    return out;
  }

  Vec3 default_position(const PointReading& reading) const {
    return body_pose(skeleton_, ws_, reading.body) * reading.x_B;
  }

  /// Outside its range it lies on the line between its neighbours, at the fraction at which its
  /// own distances from them divide it in the default pose.
  PathPoint conditional(size_t k) const {
    const PointReading& own = points_[k];
    const auto require = [&](bool good, const char* problem, const char* remedy) {
      if (!good) in_.fail(own.line, problem, remedy);
    };
    require(k > 0 && k + 1 < points_.size(), "one end of its path is conditional",
            "let it begin and end with points that stay");
    require(!own.moving, "a conditional path point moves, too", "choose one of the two");
    const PointReading &before = points_[k - 1], &after = points_[k + 1];
    require(!before.condition && !after.condition && !before.moving && !after.moving,
            "a conditional path point is not between two fixed ones",
            "put points that stay before and after it");
    const auto straight = [&](size_t span) {
      return std::holds_alternative<Straight>(out_.spans[span].wrap);
    };
    require(straight(k - 1) && straight(k), "a conditional path point is beside a surface",
            "put a fixed point between the two");
    const Vec3 x = default_position(own);
    const double a = (x - default_position(before)).norm(),
                 b = (x - default_position(after)).norm();
    require(a > 0 && b > 0, "a conditional path point falls onto a neighbour in the default pose",
            "put it apart from the points before and after it");
    return PathPoint::Conditional(own.body, own.x_B, own.condition->dof, own.condition->window,
                                  before.point(), after.point(), a / (a + b));
  }

  const ObjectReader& in_;
  const Skeleton& skeleton_;
  const PathDefaults& defaults_;
  SkeletonWorkspace ws_;
  std::vector<PointReading> points_;
  PathReading out_;
};

}  // namespace

const std::vector<std::string>& condition_policies() {
  static const std::vector<std::string> kNames = {"smooth", "switch", "error"};
  return kNames;
}

PathReading read_path(const ObjectReader& muscle, const Skeleton& skeleton,
                      const PathDefaults& defaults) {
  return PathReader(muscle, skeleton, defaults).read();
}

}  // namespace sinew
