#pragma once

#include "sinew/model/joint_motion.hpp"

/// Ball joints and the free joint in space.

namespace sinew {

/// R = exp([q]), S = (J_r(q); 0), J_r the right Jacobian of SO(3) (Wang et al. 2019 section 4.7).
/// Singular where |q| is a multiple of 2π, except 0: recharting keeps well away from it.
class SphericalExp {
 public:
  static constexpr const char* kTypeName = "spherical";
  int dof() const { return 3; }
  CoordinateKind kind(int) const { return CoordinateKind::angle; }
  void evaluate(Coordinates q, Coordinates qdot, JointMotion& out) const;
  void differentiate(Coordinates q, Coordinates qdot, JointMotionDerivatives& out) const;
  void validate(const std::string& element) const;

  bool needs_rechart(Coordinates q) const;
  void rechart(Coordinates reference, std::span<double> q, std::span<double> qdot) const;
  void differentiate_rechart(Coordinates reference, Coordinates q, Coordinates qdot, MatRef dq,
                             MatRef dqdot) const;
};

/// Three successive rotations about the moving frame's axes, e.g. "xyz": R = R_x(q₁) R_y(q₂)
/// R_z(q₃). All twelve orders: Tait–Bryan (three different axes, singular at q₂ = ±π/2) and proper
/// (first = third, singular at q₂ = 0).
class SphericalEuler {
 public:
  static constexpr const char* kTypeName = "spherical-euler";
  /// Three lower-case letters from x, y, z.
  explicit SphericalEuler(std::string order);
  const std::string& order() const { return order_; }

  int dof() const { return 3; }
  CoordinateKind kind(int) const { return CoordinateKind::angle; }
  void evaluate(Coordinates q, Coordinates qdot, JointMotion& out) const;
  void differentiate(Coordinates q, Coordinates qdot, JointMotionDerivatives& out) const;
  void validate(const std::string& element) const;

 private:
  std::string order_;
  std::array<int, 3> axes_{};  ///< 0, 1, 2 for x, y, z; −1 for any other letter
};

/// Six degrees of freedom, rotation in exponential coordinates.
class Free3D {
 public:
  static constexpr const char* kTypeName = "free-3d";
  enum class Order {
    translation_first,  ///< q = (p, r), Q = Trans(p) exp([r]): p is its position, seen from P
    rotation_first      ///< q = (r, p), Q = exp([r]) Trans(p): p is seen from the rotated frame
  };
  explicit Free3D(Order order = Order::translation_first) : order_(order) {}
  Order order() const { return order_; }

  int dof() const { return 6; }
  CoordinateKind kind(int k) const;
  void evaluate(Coordinates q, Coordinates qdot, JointMotion& out) const;
  void differentiate(Coordinates q, Coordinates qdot, JointMotionDerivatives& out) const;
  void validate(const std::string& element) const;

  bool needs_rechart(Coordinates q) const;
  void rechart(Coordinates reference, std::span<double> q, std::span<double> qdot) const;
  void differentiate_rechart(Coordinates reference, Coordinates q, Coordinates qdot, MatRef dq,
                             MatRef dqdot) const;

 private:
  size_t rotation_offset() const { return order_ == Order::translation_first ? 3 : 0; }

  Order order_;
};

static_assert(JointType<SphericalExp> && JointType<SphericalEuler> && JointType<Free3D>);

}  // namespace sinew
