#pragma once

#include "sinew/model/joint_motion.hpp"

/// Joints in closed form (Wang et al. 2019 section 4, Lee and Terzopoulos 2008 section 4.1). Every
/// joint acts from its parent frame P to its moving frame J; axes are given in P and are made unit
/// vectors. Angles in rad, lengths in m.

namespace sinew {

/// No motion: Q = 1, no coordinate.
struct Fixed {
  static constexpr const char* kTypeName = "fixed";
  int dof() const { return 0; }
  CoordinateKind kind(int) const { return CoordinateKind::parameter; }
  void evaluate(Coordinates q, Coordinates qdot, JointMotion& out) const;
  void differentiate(Coordinates q, Coordinates qdot, JointMotionDerivatives& out) const;
  void validate(const std::string& element) const;
};

/// Rotation by q about an axis through the origin, right-handed. Also: hinge, pin.
struct Revolute {
  static constexpr const char* kTypeName = "revolute";
  explicit Revolute(const Vec3& direction);
  Vec3 axis;  ///< unit vector

  int dof() const { return 1; }
  CoordinateKind kind(int) const { return CoordinateKind::angle; }
  void evaluate(Coordinates q, Coordinates qdot, JointMotion& out) const;
  void differentiate(Coordinates q, Coordinates qdot, JointMotionDerivatives& out) const;
  void validate(const std::string& element) const;
};

/// Translation by q along an axis. Also: slider.
struct Prismatic {
  static constexpr const char* kTypeName = "prismatic";
  explicit Prismatic(const Vec3& direction);
  Vec3 axis;  ///< unit vector

  int dof() const { return 1; }
  CoordinateKind kind(int) const { return CoordinateKind::length; }
  void evaluate(Coordinates q, Coordinates qdot, JointMotion& out) const;
  void differentiate(Coordinates q, Coordinates qdot, JointMotionDerivatives& out) const;
  void validate(const std::string& element) const;
};

/// Translation by (q₁, q₂, 0), without rotation (Wang et al. 2019 section 4.3). With rotation:
/// Free2D.
struct Planar {
  static constexpr const char* kTypeName = "planar";
  int dof() const { return 2; }
  CoordinateKind kind(int) const { return CoordinateKind::length; }
  void evaluate(Coordinates q, Coordinates qdot, JointMotion& out) const;
  void differentiate(Coordinates q, Coordinates qdot, JointMotionDerivatives& out) const;
  void validate(const std::string& element) const;
};

/// Translation by q.
struct Translational {
  static constexpr const char* kTypeName = "translational";
  int dof() const { return 3; }
  CoordinateKind kind(int) const { return CoordinateKind::length; }
  void evaluate(Coordinates q, Coordinates qdot, JointMotion& out) const;
  void differentiate(Coordinates q, Coordinates qdot, JointMotionDerivatives& out) const;
  void validate(const std::string& element) const;
};

/// R = R_x(q₁) R_y(q₂): bends about x and y, does not twist about z. Also: Cardan.
struct Universal {
  static constexpr const char* kTypeName = "universal";
  int dof() const { return 2; }
  CoordinateKind kind(int) const { return CoordinateKind::angle; }
  void evaluate(Coordinates q, Coordinates qdot, JointMotion& out) const;
  void differentiate(Coordinates q, Coordinates qdot, JointMotionDerivatives& out) const;
  void validate(const std::string& element) const;
};

/// Rotation by q about an axis together with translation by pitch·q along it. Also: screw.
struct Helical {
  static constexpr const char* kTypeName = "helical";
  /// The pitch is in m per rad: divide the lead per turn by 2π.
  Helical(const Vec3& direction, double metres_per_radian);
  Vec3 axis;     ///< unit vector
  double pitch;  ///< [m/rad]

  int dof() const { return 1; }
  CoordinateKind kind(int) const { return CoordinateKind::angle; }
  void evaluate(Coordinates q, Coordinates qdot, JointMotion& out) const;
  void differentiate(Coordinates q, Coordinates qdot, JointMotionDerivatives& out) const;
  void validate(const std::string& element) const;
};

/// Slide along the ellipse p = (a sin q, −b cos q, 0), x axis tangent to it (Lee and Terzopoulos
/// 2008 Eq 17–20). q is the eccentric anomaly, an angle, not the angle turned.
struct Elliptic {
  static constexpr const char* kTypeName = "elliptic";
  /// Semi-axes along x and y [m].
  Elliptic(double a_x, double b_y) : a(a_x), b(b_y) {}
  double a, b;

  int dof() const { return 1; }
  CoordinateKind kind(int) const { return CoordinateKind::angle; }
  void evaluate(Coordinates q, Coordinates qdot, JointMotion& out) const;
  void differentiate(Coordinates q, Coordinates qdot, JointMotionDerivatives& out) const;
  void validate(const std::string& element) const;
};

/// Free in the x-y plane: q = (x, y, θ), Q = Trans(x, y, 0) R_z(θ).
struct Free2D {
  static constexpr const char* kTypeName = "free-2d";
  int dof() const { return 3; }
  CoordinateKind kind(int k) const {
    return k < 2 ? CoordinateKind::length : CoordinateKind::angle;
  }
  void evaluate(Coordinates q, Coordinates qdot, JointMotion& out) const;
  void differentiate(Coordinates q, Coordinates qdot, JointMotionDerivatives& out) const;
  void validate(const std::string& element) const;
};

static_assert(JointType<Fixed> && JointType<Revolute> && JointType<Prismatic> &&
              JointType<Planar> && JointType<Translational> && JointType<Universal> &&
              JointType<Helical> && JointType<Elliptic> && JointType<Free2D>);

}  // namespace sinew
