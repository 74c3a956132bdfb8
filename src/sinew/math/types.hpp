#pragma once

#include <Eigen/Dense>

namespace sinew {

using Vec3 = Eigen::Vector3d;
using Vec6 = Eigen::Matrix<double, 6, 1>;
using VecX = Eigen::VectorXd;
using Mat3 = Eigen::Matrix3d;
using Mat4 = Eigen::Matrix4d;
using Mat6 = Eigen::Matrix<double, 6, 6>;
using MatX = Eigen::MatrixXd;
using ConstVecRef = Eigen::Ref<const VecX>;
using VecRef = Eigen::Ref<VecX>;
using MatRef = Eigen::Ref<MatX>;
/// A view of numbers owned elsewhere.
class VecView : public Eigen::Map<const VecX> {
 public:
  VecView(const double* data, Eigen::Index size) : Map(data, size) {}
  VecView(const Map& other) : Map(other) {}  // NOLINT(google-explicit-constructor)
  /// One field after the other: views are copied right after they are made, and a processor that
  /// loads both fields at once waits until the two stores are done.
  VecView(const VecView& other) : Map(other.data(), other.size()) {}
};
inline VecView view(const ConstVecRef& x) { return {x.data(), x.size()}; }
inline VecView view(const VecX& x) { return {x.data(), x.size()}; }

/// A joint has at most six coordinates: more could not be independent.
inline constexpr int kMaxJointDofs = 6;

/// 6×n and n-vector with n ≤ 6 known only at run time, on the stack.
using Mat6Xb = Eigen::Matrix<double, 6, Eigen::Dynamic, Eigen::ColMajor, 6, kMaxJointDofs>;
using VecXb = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, kMaxJointDofs, 1>;

}  // namespace sinew
