#pragma once

#include <optional>

#include "sinew/core/index.hpp"
#include "sinew/strands/node_shape.hpp"
#include "sinew/strands/stretch_law.hpp"

/// Strands as the user describes them: ropes, cables and tendons whose material slides through
/// nodes. See docs/strands.md and docs/theory/strands.md.

namespace sinew {

/// A node that moves freely: three coordinates. World axes.
struct MaximalNode {
  Vec3 x = Vec3::Zero();  ///< at the start [m]
  Vec3 v = Vec3::Zero();  ///< at the start [m/s]
  double mass = 0;        ///< of a bead at the node, beside the strands' [kg]
};

/// A node fixed to a body; kWorld holds it in place.
struct RigidNode {
  BodyIndex body = kWorld;
  Vec3 x_B = Vec3::Zero();  ///< body frame [m]
};

/// A node on a curve or a surface, or between others. Its control points are nodes, and may be on
/// curves and surfaces themselves.
struct ShapedNode {
  NodeShape shape;
  std::vector<std::string> controls;  ///< names of nodes
  /// Its own coordinates at the start, and their rates, as many as the shape has.
  Eigen::Vector2d u = Eigen::Vector2d::Zero(), udot = Eigen::Vector2d::Zero();
  double mass = 0;  ///< of a bead at the node [kg]
};

struct StrandNode {
  std::string name;
  std::variant<MaximalNode, RigidNode, ShapedNode> place;
};

/// A node on a strand.
struct StrandPoint {
  std::string node;
  /// The material that stays at the node: rest length from the strand's start [m]. None: the node
  /// is virtual, material flows through it.
  std::optional<double> s;
};

enum class StrandMass {
  continuous,  ///< spread along the strand, with all velocity terms
  lumped,      ///< half of it at either material node, none at virtual ones; for comparison
};

enum class StrandLength {
  elastic,  ///< as its law says
  fixed,    ///< each section keeps its rest length: a row of constraints
  at_most,  ///< no section is longer: a limit, with an impact where it becomes taut
};

struct Strand {
  std::string name;
  std::vector<StrandPoint> points;  ///< in order; the ends are material, s increases
  double density = 0;               ///< mass per rest length [kg/m]; zero: no mass
  StrandMass mass_model = StrandMass::continuous;
  bool velocity_terms = true;  ///< include the quadratic velocity vector of its mass
  bool gravity = true;         ///< gravity acts on its mass
  StrandLength length = StrandLength::elastic;
  StretchLaw law;  ///< of elastic strands
};

}  // namespace sinew
