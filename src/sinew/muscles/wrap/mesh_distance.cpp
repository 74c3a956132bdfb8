#include "sinew/muscles/wrap/mesh_distance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace sinew {
namespace {

/// Squared distance of a point from a box.
double distance2(const Vec3& x, const Vec3& low, const Vec3& high) {
  const Vec3 off = (low - x).cwiseMax(x - high).cwiseMax(0);
  return off.squaredNorm();
}

}  // namespace

MeshDistance::MeshDistance(const TriangleMesh& mesh) {
  std::vector<Vec3> vertex(mesh.vertices.size(), Vec3::Zero());
  std::map<std::pair<int, int>, Vec3> edge;
  const auto key = [](int a, int b) { return std::pair(std::min(a, b), std::max(a, b)); };
  std::vector<Vec3> face;
  for (const auto& t : mesh.triangles) {
    std::array<Vec3, 3> x;
    for (size_t k = 0; k < 3; ++k) x[k] = mesh.vertices[static_cast<size_t>(t[k])];
    const Vec3 n = (x[1] - x[0]).cross(x[2] - x[0]).normalized();
    face.push_back(n);
    for (size_t k = 0; k < 3; ++k) {
      const size_t next = (k + 1) % 3, last = (k + 2) % 3;
      const Vec3 a = x[next] - x[k], b = x[last] - x[k];
      vertex[static_cast<size_t>(t[k])] += std::atan2(a.cross(b).norm(), a.dot(b)) * n;
      edge.try_emplace(key(t[next], t[last]), Vec3::Zero()).first->second += n;
    }
  }
  for (size_t j = 0; j < mesh.triangles.size(); ++j) {
    const auto& t = mesh.triangles[j];
    Triangle triangle;
    triangle.face = face[j];
    for (size_t k = 0; k < 3; ++k) {
      triangle.x[k] = mesh.vertices[static_cast<size_t>(t[k])];
      triangle.vertex[k] = vertex[static_cast<size_t>(t[k])];
      triangle.edge[k] = edge.at(key(t[(k + 1) % 3], t[(k + 2) % 3]));
    }
    triangles_.push_back(triangle);
  }
  nodes_.reserve(2 * triangles_.size());
  build(0, triangles_.size());
}

size_t MeshDistance::build(size_t first, size_t last) {
  const size_t index = nodes_.size();
  Node node{Vec3::Constant(std::numeric_limits<double>::infinity()),
            Vec3::Constant(-std::numeric_limits<double>::infinity()), first, last};
  for (size_t k = first; k < last; ++k)
    for (const Vec3& x : triangles_[k].x) {
      node.low = node.low.cwiseMin(x);
      node.high = node.high.cwiseMax(x);
    }
  nodes_.push_back(node);
  if (last - first <= 4) return index;
  Eigen::Index axis;
  (node.high - node.low).maxCoeff(&axis);
  const auto middle = [axis](const Triangle& t) {
    return t.x[0][axis] + t.x[1][axis] + t.x[2][axis];
  };
  const size_t half = (first + last) / 2;
  const auto at = [&](size_t k) { return triangles_.begin() + static_cast<std::ptrdiff_t>(k); };
  std::nth_element(at(first), at(half), at(last),
                   [&](const Triangle& a, const Triangle& b) { return middle(a) < middle(b); });
  const size_t left = build(first, half), right = build(half, last);
  nodes_[index].left = left;
  nodes_[index].right = right;
  return index;
}

void MeshDistance::visit(const Triangle& triangle, const Vec3& x, Nearest& best) {
  const auto take = [&](const Vec3& point, const Vec3& pseudonormal) {
    const Vec3 offset = x - point;
    const double d2 = offset.squaredNorm();
    if (d2 < best.distance2) best = {d2, offset, pseudonormal};
  };
  // Inside the prism over the face the face is nearest; otherwise one of its edges or vertices.
  bool over_face = true;
  for (size_t k = 0; k < 3; ++k) {
    const Vec3 &a = triangle.x[(k + 1) % 3], &b = triangle.x[(k + 2) % 3];
    const Vec3 along = b - a;
    if (triangle.face.cross(along).dot(x - a) >= 0) continue;
    over_face = false;
    const double s = along.dot(x - a) / along.squaredNorm();
    if (s <= 0)
      take(a, triangle.vertex[(k + 1) % 3]);
    else if (s >= 1)
      take(b, triangle.vertex[(k + 2) % 3]);
    else
      take(a + s * along, triangle.edge[k]);
  }
  if (over_face) take(x - triangle.face.dot(x - triangle.x[0]) * triangle.face, triangle.face);
}

void MeshDistance::search(size_t index, const Vec3& x, Nearest& best) const {
  const Node& node = nodes_[index];
  if (node.left == 0) {
    for (size_t k = node.first; k < node.last; ++k) visit(triangles_[k], x, best);
    return;
  }
  const Node &left = nodes_[node.left], &right = nodes_[node.right];
  const double to_left = distance2(x, left.low, left.high);
  const double to_right = distance2(x, right.low, right.high);
  const bool left_first = to_left <= to_right;
  if (std::min(to_left, to_right) < best.distance2)
    search(left_first ? node.left : node.right, x, best);
  if (std::max(to_left, to_right) < best.distance2)
    search(left_first ? node.right : node.left, x, best);
}

double MeshDistance::operator()(const Vec3& x) const {
  Nearest best{std::numeric_limits<double>::infinity(), Vec3::Zero(), Vec3::Zero()};
  search(0, x, best);
  const double distance = std::sqrt(best.distance2);
  return best.offset.dot(best.pseudonormal) < 0 ? -distance : distance;
}

}  // namespace sinew
