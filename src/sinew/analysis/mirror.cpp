#include "sinew/analysis/mirror.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

#include "sinew/dynamics/kinematics.hpp"

namespace sinew {
namespace {

constexpr double kAlike = 0.01;

/// Swaps `a` for `b` and the reverse at place `i`, whatever their case; says whether either is
/// there.
bool swap_word(std::string& name, size_t i, const std::string& a, const std::string& b) {
  for (const auto& [from, to] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    const auto same = [](char x, char y) { return std::tolower(x) == std::tolower(y); };
    if (i + from->size() > name.size() ||
        !std::equal(from->begin(), from->end(), name.begin() + static_cast<std::ptrdiff_t>(i),
                    same))
      continue;
    const bool upper = std::isupper(name[i]) != 0;
    const bool all = upper && std::isupper(name[i + from->size() - 1]) != 0;
    std::string word = *to;
    for (size_t k = 0; k < word.size(); ++k)
      if (all || (upper && k == 0)) word[k] = static_cast<char>(std::toupper(word[k]));
    name.replace(i, from->size(), word);
    return true;
  }
  return false;
}

/// Positions of the names' other sides in the list; −1 where it is missing.
template <class List>
std::vector<int> partners(const List& list) {
  std::vector<int> out;
  for (const auto& item : list) {
    const std::string other = name_of_other_side(item.name);
    const auto found =
        std::find_if(list.begin(), list.end(), [&](const auto& o) { return o.name == other; });
    out.push_back(found == list.end() ? -1 : static_cast<int>(found - list.begin()));
  }
  return out;
}

/// Mirrored at the plane through the origin whose normal is an axis of the ground.
Vec3 mirrored(Vec3 x, int normal) {
  x[normal] = -x[normal];
  return x;
}

/// The sign with which a coordinate moves the other side as the mirror image of this one: turns are
/// axial vectors, which mirrors reverse. Zero if the axes are not images of each other.
double sign_of(const Vec6& one, const Vec6& other, int normal) {
  const bool turns = one.head<3>().norm() > 1e-9;
  const Vec3 image = mirrored(turns ? Vec3(-one.head<3>()) : Vec3(one.tail<3>()), normal);
  const Vec3 axis = turns ? other.head<3>() : other.tail<3>();
  const double sign = axis.dot(image) < 0 ? -1 : 1;
  return axis.norm() > 0 && (axis - sign * image).norm() <= kAlike * axis.norm() ? sign : 0;
}

/// Joints and centres of mass of all bodies, body by body.
std::vector<Vec3> landmarks(const Skeleton& skeleton, const VecX& q, SkeletonWorkspace& ws) {
  const VecX still = VecX::Zero(q.size());
  update_kinematics(skeleton, ConstVecRef(q), ConstVecRef(still), ws);
  std::vector<Vec3> out;
  for (int b = 0; b < skeleton.body_count(); ++b) {
    const Body& body = skeleton.body(BodyIndex(b));
    const Pose E_WB = body_pose(skeleton, ws, BodyIndex(b));
    out.push_back(E_WB * body.E_JB.inverse().p);
    out.push_back(body.M_B.mass > 0 ? Vec3(E_WB * body.M_B.com()) : out.back());
  }
  return out;
}

/// Whether the landmarks of a pose and of its image are images of each other. The plane may have
/// any distance from the origin, the same in all poses.
bool holds(const Skeleton& skeleton, const Mirror& mirror, const std::vector<int>& bodies,
           int normal) {
  SkeletonWorkspace ws(skeleton);
  double lowest = std::numeric_limits<double>::infinity(), highest = -lowest, along = 0, size = 0;
  for (int trial = 0; trial < 3; ++trial) {
    VecX q(skeleton.dof_count());
    for (Eigen::Index k = 0; k < q.size(); ++k)
      q[k] = 0.4 * trial * std::sin(1 + 2.3 * static_cast<double>(k));
    const std::vector<Vec3> here = landmarks(skeleton, q, ws);
    const std::vector<Vec3> there = landmarks(skeleton, mirror.image(q), ws);
    for (size_t i = 0; i < here.size(); ++i) {
      const Vec3& image = there[2 * static_cast<size_t>(bodies[i / 2]) + i % 2];
      const Vec3 difference = image - mirrored(here[i], normal);
      lowest = std::min(lowest, difference[normal]);
      highest = std::max(highest, difference[normal]);
      for (int axis = 0; axis < 3; ++axis)
        if (axis != normal) along = std::max(along, std::abs(difference[axis]));
      size = std::max(size, (here[i] - here[0]).norm());
    }
  }
  return std::max(along, highest - lowest) <= kAlike * size;
}

}  // namespace

VecX Mirror::image(const VecX& q) const {
  VecX out = q;
  for (size_t k = 0; k < partner.size(); ++k)
    out[partner[k]] = sign[static_cast<Eigen::Index>(k)] * q[static_cast<Eigen::Index>(k)];
  return out;
}

std::string name_of_other_side(const std::string& name) {
  std::string out = name;
  for (size_t i = 0; i < out.size(); ++i)
    if (swap_word(out, i, "left", "right")) return out;
  const auto ends = [&](size_t i) {
    return i >= out.size() || std::isalnum(static_cast<unsigned char>(out[i])) == 0;
  };
  for (size_t i = 0; i < out.size(); ++i)
    if ((i == 0 || ends(i - 1)) && ends(i + 1) && swap_word(out, i, "l", "r")) return out;
  return out;
}

std::optional<Mirror> find_mirror(const Skeleton& skeleton) {
  const int n = skeleton.dof_count();
  Mirror out{partners(skeleton.coordinates()), VecX::Ones(n)};
  const std::vector<int> bodies = partners(skeleton.bodies());
  const auto missing = [](const std::vector<int>& list) {
    return std::find(list.begin(), list.end(), -1) != list.end();
  };
  if (missing(out.partner) || missing(bodies)) return std::nullopt;
  bool sides = false;
  for (int k = 0; k < n; ++k) sides |= out.partner[static_cast<size_t>(k)] != k;
  if (!sides) return std::nullopt;

  SkeletonWorkspace ws(skeleton);
  for (int normal : {2, 0, 1}) {  // OpenSim's models have z to the right
    landmarks(skeleton, VecX::Zero(n), ws);
    for (int k = 0; k < n; ++k)
      out.sign[k] = sign_of(ws.s[static_cast<size_t>(k)],
                            ws.s[static_cast<size_t>(out.partner[static_cast<size_t>(k)])], normal);
    if (out.sign.cwiseAbs().minCoeff() > 0 && holds(skeleton, out, bodies, normal)) return out;
  }
  return std::nullopt;
}

}  // namespace sinew
