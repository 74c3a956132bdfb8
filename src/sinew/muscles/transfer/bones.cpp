#include "sinew/muscles/transfer/bones.hpp"

#include <algorithm>
#include <limits>

namespace sinew {
namespace {

constexpr double kLight = 0.1;  // of the heaviest body beside a muscle

size_t index(BodyIndex body) { return static_cast<size_t>(body.value); }

double distance(const Vec3& x, const Vec3& a, const Vec3& b) {
  const Vec3 ab = b - a;
  const double length = ab.squaredNorm();
  const double share = length > 0 ? std::clamp((x - a).dot(ab) / length, 0.0, 1.0) : 0;
  return (x - a - share * ab).norm();
}

}  // namespace

Bones::Bones(const Skeleton& skeleton, const PlacedBodies& bodies)
    : skeleton_(skeleton), joints_(skeleton.bodies().size()) {
  for (int b = 0; b < skeleton.body_count(); ++b) {
    const Body& body = skeleton.body(BodyIndex(b));
    const Pose E_WB = bodies.pose(BodyIndex(b));
    centre_.push_back(E_WB * (body.M_B.mass > 0 ? body.M_B.com() : Vec3(Vec3::Zero())));
    // The moving frame: the fixed one of a knee may be at the hip.
    const Vec3 joint = E_WB * body.E_JB.inverse().p;
    joints_[static_cast<size_t>(b)].push_back(joint);
    if (body.parent != kWorld) joints_[index(body.parent)].push_back(joint);
  }
}

std::vector<BodyIndex> Bones::between_attachments(const Muscle& muscle) const {
  std::vector<BodyIndex> attached;
  for (const PathPoint& point : muscle.points)
    for (const PathTerm& term : point.terms)
      if (!term.direction &&
          std::find(attached.begin(), attached.end(), term.body) == attached.end())
        attached.push_back(term.body);
  // How many of the attachments each body carries, directly or by its descendants.
  std::vector<size_t> carried(skeleton_.bodies().size(), 0);
  for (const BodyIndex body : attached)
    for (BodyIndex b = body; b != kWorld; b = skeleton_.body(b).parent) ++carried[index(b)];

  double heaviest = 0;
  std::vector<BodyIndex> out;
  for (int b = 0; b < skeleton_.body_count(); ++b) {
    const BodyIndex body(b);
    if (carried[index(body)] == 0) continue;
    // A body that carries all of them is beyond the muscle, unless it carries one itself, or
    // different children carry them.
    const bool itself = std::find(attached.begin(), attached.end(), body) != attached.end();
    const bool passes_on =
        std::any_of(skeleton_.bodies().begin(), skeleton_.bodies().end(), [&](const Body& child) {
          return child.parent == body &&
                 carried[static_cast<size_t>(&child - skeleton_.bodies().data())] ==
                     attached.size();
        });
    if (!itself && passes_on) continue;
    out.push_back(body);
    heaviest = std::max(heaviest, skeleton_.body(body).M_B.mass);
  }
  std::erase_if(
      out, [&](BodyIndex body) { return !(skeleton_.body(body).M_B.mass > kLight * heaviest); });
  return out;
}

BodyIndex Bones::nearest(const std::vector<BodyIndex>& bones, const Vec3& x) const {
  BodyIndex best = kWorld;
  double least = std::numeric_limits<double>::infinity();
  for (const BodyIndex body : bones)
    for (const Vec3& joint : joints_[index(body)]) {
      const double d = distance(x, centre_[index(body)], joint);
      if (d < least) best = body;
      least = std::min(least, d);
    }
  return best;
}

}  // namespace sinew
