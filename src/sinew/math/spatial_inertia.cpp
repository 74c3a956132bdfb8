#include "sinew/math/spatial_inertia.hpp"

#include <Eigen/Eigenvalues>
#include <cmath>

namespace sinew {

SpatialInertia SpatialInertia::FromCentral(double mass, const Vec3& com, const Mat3& I_com) {
  // Parallel axes: I_O = I_C + m [c][c]ᵀ.
  return {mass, mass * com, I_com + mass * skew(com) * skew(com).transpose()};
}

Mat3 SpatialInertia::central_inertia() const {
  const Vec3 c = com();
  return I - mass * skew(c) * skew(c).transpose();
}

Vec6 SpatialInertia::operator*(const Vec6& phi) const {
  const Vec3 w = phi.head<3>(), v = phi.tail<3>();
  Vec6 f;
  f << I * w + h.cross(v), mass * v - h.cross(w);
  return f;
}

Mat6 SpatialInertia::matrix() const {
  Mat6 m;
  m << I, skew(h), skew(h).transpose(), mass * Mat3::Identity();
  return m;
}

SpatialInertia SpatialInertia::operator+(const SpatialInertia& o) const {
  return {mass + o.mass, h + o.h, I + o.I};
}

SpatialInertia SpatialInertia::transformed(const Pose& E) const {
  // Second moment about A's origin of masses at R x + p: shift by p, with first moment R h.
  const Vec3 h_R = E.R * h;
  const Mat3 cross = skew(E.p) * skew(h_R).transpose();
  return {mass, h_R + mass * E.p,
          E.R * I * E.R.transpose() + cross + cross.transpose() +
              mass * skew(E.p) * skew(E.p).transpose()};
}

PrincipalInertia principal_inertia(const SpatialInertia& inertia) {
  const Eigen::SelfAdjointEigenSolver<Mat3> eigen(inertia.central_inertia());
  Mat3 axes = eigen.eigenvectors();
  if (axes.determinant() < 0) axes.col(2) = -axes.col(2);
  return {eigen.eigenvalues(), {axes, inertia.com()}};
}

std::string physical_defect(const SpatialInertia& inertia, double triangle_tolerance) {
  if (!std::isfinite(inertia.mass) || !inertia.h.allFinite() || !inertia.I.allFinite())
    return "inertia is not finite";
  if (inertia.mass <= 0) return "mass is not positive";
  const double size = inertia.I.cwiseAbs().maxCoeff();
  if ((inertia.I - inertia.I.transpose()).cwiseAbs().maxCoeff() > 1e-12 * size)
    return "inertia is not symmetric";
  const Vec3 m = principal_inertia(inertia).moments;
  // A thin rod or a point mass has a zero moment; rounding may leave it slightly negative, the more
  // so the farther the centre of mass is from the origin: taking m [c][c]ᵀ off I leaves a few ε of
  // I.
  const double rounding = 1e-14 * size;
  if (m[0] < -1e-12 * m.cwiseAbs().maxCoeff() - rounding) return "inertia is indefinite";
  if (m[0] + m[1] < m[2] * (1 - triangle_tolerance) - rounding)
    return "principal moments violate the triangle inequality";
  return {};
}

}  // namespace sinew
