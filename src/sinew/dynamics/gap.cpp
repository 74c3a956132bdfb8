#include "sinew/dynamics/gap.hpp"

#include <algorithm>
#include <limits>

#include "sinew/dynamics/kinematics.hpp"

namespace sinew {
namespace {

struct Lowest {
  const Vec3& n;

  double operator()(const Cuboid& c) const { return -0.5 * n.cwiseAbs().dot(c.sides); }
  double operator()(const Sphere& s) const { return -s.radius * n.norm(); }
  double operator()(const Cylinder& c) const {
    return -c.radius * n.head<2>().norm() - 0.5 * c.height * std::abs(n.z());
  }
  double operator()(const Capsule& c) const {
    return -c.radius * n.norm() - 0.5 * c.height * std::abs(n.z());
  }
  double operator()(const Ellipsoid& e) const { return -n.cwiseProduct(e.radii).norm(); }
  double operator()(const TriangleMesh& mesh) const {
    double least = std::numeric_limits<double>::infinity();
    for (const Vec3& x : mesh.vertices) least = std::min(least, n.dot(x));
    return least;
  }
};

}  // namespace

double lowest(const Shape& shape, const Vec3& n) { return std::visit(Lowest{n}, shape); }

void Gap::measure(const PartAt& at, PartScratch&, std::vector<double>& out) const {
  const auto pose = [&](BodyIndex body) {
    return body_pose(at.skeleton.skeleton, at.skeleton.ws, body);
  };
  const Pose E_PB = pose(spec_.base).inverse() * pose(spec_.body);
  double height = std::numeric_limits<double>::infinity();
  for (const ShapePart& part : spec_.shapes) {
    const Pose E_PS = E_PB * part.E_BS;
    const Vec3 n_S = E_PS.R.transpose() * spec_.normal;
    height = std::min(height, spec_.normal.dot(E_PS.p - spec_.point) + lowest(part.shape, n_S));
  }
  out.push_back(height);
}

}  // namespace sinew
