#pragma once

#include <Eigen/Dense>
#include <string>
#include <vector>

/// The models given to every engine, and the states for comparing them, in neutral terms. All
/// frames are parallel in the reference pose; a body's frame sits at its joint.

namespace bench {

using Vec3 = Eigen::Vector3d;
using Mat3 = Eigen::Matrix3d;
using VecX = Eigen::VectorXd;
using MatX = Eigen::MatrixXd;

inline const Vec3 kGravity(0, -9.81, 0);  ///< [m/s²]

enum class JointType {
  revolute,   ///< angle about `axis`
  universal,  ///< angle about x, then about the turned y
  spherical,  ///< rotation; velocity ω in the axes of the child
  free  ///< rotation and place; velocity (ω in the axes of the child; ṗ in those of the world)
};
int dof(JointType type);

struct BodySpec {
  std::string name;
  int parent = -1;  ///< index of an earlier body; −1: the world
  JointType joint = JointType::revolute;
  Vec3 axis = Vec3::UnitX();    ///< revolute only; x, y or z
  Vec3 offset = Vec3::Zero();   ///< the joint in the parent's frame [m]
  double mass = 0;              ///< [kg]
  Vec3 com = Vec3::Zero();      ///< [m]
  Vec3 inertia = Vec3::Zero();  ///< principal moments about the centre of mass, body axes [kg m²]
};

/// Two points coincide.
struct ClosureSpec {
  int a = -1, b = -1;  ///< bodies; −1: the world
  Vec3 x_a = Vec3::Zero(), x_b = Vec3::Zero();
};

/// dependent = Σ_k coefficients[k] argumentᵏ, five coefficients at most.
struct CouplerSpec {
  int dependent = -1, argument = -1;  ///< bodies on revolute joints
  std::vector<double> coefficients;
};

struct TreeSpec {
  std::string name;
  std::vector<BodySpec> bodies;
  std::vector<ClosureSpec> closures;  ///< satisfied in the reference pose
  std::vector<CouplerSpec> couplers;
  /// Short enough that a step changes the state little; its cost does not depend on it [s].
  double h = 1e-5;

  int dof_count() const;
  bool constrained() const { return !closures.empty() || !couplers.empty(); }
};

/// A rod along y from its joint, com at half its length, with a round section of the given radius.
BodySpec rod(std::string name, int parent, JointType joint, const Vec3& offset, double mass,
             double length, double radius);
/// The same, hanging from its joint.
BodySpec limb(std::string name, int parent, JointType joint, const Vec3& offset, double mass,
              double length, double radius);

/// n revolute joints, axes x and y in turn; bodies of 0.2 m and 1 kg along z, I = diag(.004, .004,
/// .001).
TreeSpec chain(int n);
/// Pelvis on a free joint, spine, head, legs and arms: 17 bodies, 29 coordinates.
TreeSpec human();

/// The position of one joint. Revolute and universal joints have angles, the others R and p.
struct JointPosition {
  double angle[2] = {0, 0};
  Mat3 R = Mat3::Identity();
  Vec3 p = Vec3::Zero();
};

/// A state with forces and accelerations to go with it, velocities as at JointType, body after
/// body.
struct Sample {
  std::vector<JointPosition> position;
  VecX v, tau, a;
};
/// Random samples, the same on every machine: angles within ±0.6 rad, rotation vectors of that
/// size, velocities within ±1, generalised forces within ±1 N m and accelerations within ±1.
std::vector<Sample> random_samples(const TreeSpec& tree, int count);

}  // namespace bench
