#include "sinew/export/bvh_export.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sinew/report/report_geometry.hpp"

namespace sinew {
namespace {

using std::numbers::pi;
constexpr double kMoves = 1e-9;  // a joint that moves its body less [m] only turns it

/// One joint of the file: a body, or the world.
struct BvhJoint {
  std::string name;
  int parent = -1;            ///< joint; −1: the root
  std::vector<Pose> poses;    ///< in the parent's frame, per frame
  bool moves = false;         ///< has channels for its position
  std::vector<int> children;  ///< joints
  Vec3 end = Vec3::Zero();    ///< of a leaf: where it is drawn to
};

Pose blended(const Pose& a, const Pose& b, double part) {
  if (part <= 0) return a;
  if (part >= 1) return b;
  const Eigen::Quaterniond turn = Eigen::Quaterniond(a.R).slerp(part, Eigen::Quaterniond(b.R));
  return {turn.toRotationMatrix(), a.p + part * (b.p - a.p)};
}

/// Poses at even times.
std::vector<Pose> resampled(const std::vector<double>& t, const std::vector<Pose>& poses,
                            double rate) {
  std::vector<Pose> out;
  const size_t count = bvh_frame_count(t.back() - t.front(), rate);
  size_t k = 0;
  for (size_t f = 0; f < count; ++f) {
    const double at = t.front() + static_cast<double>(f) / rate;
    while (k + 2 < t.size() && t[k + 1] <= at) ++k;
    out.push_back(t.size() == 1 ? poses[0]
                                : blended(poses[k], poses[k + 1], (at - t[k]) / (t[k + 1] - t[k])));
  }
  return out;
}

/// A word without spaces, as the format takes names.
std::string word(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == ' ' || c == '\t' || c == '\n'; }, '_');
  return name;
}

/// Where a leaf is drawn to: along its stick, or a little way.
Vec3 end_of(const Skeleton& skeleton, int body) {
  for (const auto& [from, to] : sticks(skeleton, body))
    if (to.norm() > 1e-6) return to;
  return {0, 0.02, 0};
}

std::vector<BvhJoint> joints_of(const ExportModel& model, const ExportFrames& frames, double rate) {
  const Skeleton& skeleton = model.system.skeleton();
  const Pose turn = Pose::Rotation(upright(model.system.gravity()).toRotationMatrix());
  const auto roots = std::count_if(skeleton.bodies().begin(), skeleton.bodies().end(),
                                   [](const Body& body) { return body.parent == kWorld; });
  std::vector<BvhJoint> out;
  // One root is what readers expect: the world, where several bodies are on it.
  if (roots != 1) {
    const size_t count = bvh_frame_count(frames.t.back() - frames.t.front(), rate);
    out.push_back({"world", -1, std::vector<Pose>(count), true, {}, {0, 0.02, 0}});
  }
  std::vector<int> joint_of(frames.bodies.size(), -1);
  for (const int k : skeleton.root_to_tip()) {
    const auto i = static_cast<size_t>(k);
    const Body& body = skeleton.bodies()[i];
    const bool on_world = body.parent == kWorld;
    BvhJoint joint{word(body.name), roots == 1 ? -1 : 0, {}, true, {}, end_of(skeleton, k)};
    std::vector<Pose> poses = frames.bodies[i];
    if (!on_world) joint.parent = joint_of[static_cast<size_t>(body.parent.value)];
    // Blended in the parent's frame, where the place of most joints is constant.
    for (size_t f = 0; f < poses.size(); ++f)
      poses[f] =
          (on_world ? turn : frames.bodies[static_cast<size_t>(body.parent.value)][f].inverse()) *
          poses[f];
    joint.poses = resampled(frames.t, poses, rate);
    joint.moves = on_world || std::any_of(poses.begin(), poses.end(), [&](const Pose& E) {
                    return (E.p - poses[0].p).norm() > kMoves;
                  });
    joint_of[i] = static_cast<int>(out.size());
    if (joint.parent >= 0) out[static_cast<size_t>(joint.parent)].children.push_back(joint_of[i]);
    out.push_back(std::move(joint));
  }
  return out;
}

std::string words(const Vec3& x) { return fmt::format("{:.9g} {:.9g} {:.9g}", x[0], x[1], x[2]); }

/// The hierarchy of a joint and those below it; `order` gets the joints as they come.
void write_joint(const std::vector<BvhJoint>& joints, int k, const std::string& indent,
                 std::vector<int>& order, std::string& out) {
  const BvhJoint& joint = joints[static_cast<size_t>(k)];
  order.push_back(k);
  out += fmt::format("{}{} {}\n{}{{\n", indent, joint.parent < 0 ? "ROOT" : "JOINT", joint.name,
                     indent);
  const std::string inner = indent + "\t";
  // Some readers add position channels to the offset and others replace it by them.
  out += fmt::format("{}OFFSET {}\n", inner,
                     words(joint.moves ? Vec3(Vec3::Zero()) : joint.poses[0].p));
  out += fmt::format("{}CHANNELS {}Zrotation Xrotation Yrotation\n", inner,
                     joint.moves ? "6 Xposition Yposition Zposition " : "3 ");
  for (const int child : joint.children) write_joint(joints, child, inner, order, out);
  if (joint.children.empty())
    out += fmt::format("{}End Site\n{}{{\n{}\tOFFSET {}\n{}}}\n", inner, inner, inner,
                       words(joint.end), inner);
  out += indent + "}\n";
}

}  // namespace

size_t bvh_frame_count(double duration, double rate) {
  return static_cast<size_t>(std::floor(duration * rate + 1e-6)) + 1;
}

Vec3 zxy_angles(const Mat3& R, const Vec3& last) {
  const double cosine = std::hypot(R(2, 0), R(2, 2));
  const double b = std::atan2(R(2, 1), cosine);
  Vec3 first, second;
  if (cosine < 1e-9) {
    // Only one of the sum and the difference of the others is determined: c stays as it was.
    const double turn = std::atan2(R(1, 0), R(0, 0));
    first = second = {b > 0 ? turn - last[2] : turn + last[2], b, last[2]};
  } else {
    first = {std::atan2(-R(0, 1), R(1, 1)), b, std::atan2(-R(2, 0), R(2, 2))};
    second = {first[0] + pi, pi - b, first[2] + pi};
  }
  for (Vec3* angles : {&first, &second})
    for (int k = 0; k < 3; ++k)
      (*angles)[k] -= 2 * pi * std::round(((*angles)[k] - last[k]) / (2 * pi));
  return (first - last).norm() <= (second - last).norm() ? first : second;
}

std::string bvh_text(const ExportModel& model, const ExportFrames& frames, double rate) {
  const std::vector<BvhJoint> joints = joints_of(model, frames, rate);
  std::string out = "HIERARCHY\n";
  std::vector<int> order;
  write_joint(joints, 0, "", order, out);
  const size_t count = joints[0].poses.size();
  out += fmt::format("MOTION\nFrames: {}\nFrame Time: {:.9g}\n", count, 1 / rate);
  std::vector<Vec3> last(joints.size(), Vec3::Zero());
  for (size_t f = 0; f < count; ++f) {
    std::string line;
    for (const int k : order) {
      const auto i = static_cast<size_t>(k);
      const Pose& E = joints[i].poses[f];
      last[i] = zxy_angles(E.R, last[i]);
      if (joints[i].moves) line += words(E.p) + " ";
      line += words(180 / pi * last[i]) + " ";
    }
    line.back() = '\n';
    out += line;
  }
  return out;
}

}  // namespace sinew
