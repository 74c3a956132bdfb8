#pragma once

#include <optional>

#include "sinew/core/index.hpp"
#include "sinew/math/se3.hpp"
#include "sinew/muscles/wrap/wrap.hpp"
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
  double mass = 0;          ///< of a bead, which the body carries [kg]
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

  /// As in a scene: "maximal", "rigid", "polyline".
  const char* kind() const {
    if (const auto* shaped = std::get_if<ShapedNode>(&place)) return name_of(shaped->shape);
    return std::holds_alternative<MaximalNode>(place) ? "maximal" : "rigid";
  }
};

enum class GuideHold {
  slip,      ///< strands slide over it without friction
  grip,      ///< they turn it; pulleys and strands that do not stretch
  friction,  ///< they slide with it; pulleys and strands that stretch
};

/// Friction of strands on a pulley: docs/theory/strands.md, §4.
struct GuideFriction {
  double coefficient = 0;  ///< μ
  /// The slip at which 0.76 of it acts; zero: Coulomb's law, which holds still [m/s].
  double creep = 1e-3;
  double mass = 0;  ///< inertia of the slip beside that of the strand [kg]
};

/// A surface of a body that strands run around: a pulley, a drum, a bone.
struct StrandGuide {
  std::string name;
  BodyIndex body = kWorld;
  Pose E_BS;  ///< the surface in the body frame
  Wrap wrap;
  GuideHold hold = GuideHold::slip;
  GuideFriction friction = {};

  /// Whether friction acts on strands there, and whether it can hold them still.
  bool rubs() const { return hold == GuideHold::friction && friction.coefficient > 0; }
  bool sticks() const { return rubs() && friction.creep == 0; }
};

/// A node on a strand, or a place on the rim of a pulley.
struct StrandPoint {
  std::string node;  ///< empty: on the rim of `guide`, which holds the material s
  /// The material that stays at the node: rest length from the strand's start [m]. None: the node
  /// is virtual, material flows through it.
  std::optional<double> s;
  /// The guide that the strand runs around on its way to the next node; empty: none.
  std::string guide = {};
  int turns = 0;  ///< whole turns around it at the start, beside the angle that its ends make
  /// On a rim: the angle wound at the start, after the first point of a strand, before others
  /// [rad]. None: as the rest length of the section says.
  std::optional<double> wound = {};
  /// A free node without a bead, between the strand's ends, that passes the rings and guides which
  /// it comes to. Otherwise it stays between those that it is listed between.
  bool passes = false;
  /// One whose material is on a guide or in a ring at the start: it appears where that comes out.
  bool inside = false;
  /// A virtual node of a tube that goes on to the next one: nodes that pass do so from end to end.
  bool tube = false;
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

/// What becomes of an end of a strand that comes to a ring.
enum class StrandEnds {
  stop,     ///< the run ends
  knot,     ///< it is stopped there, by a limit
  release,  ///< it slips out; where that cannot go on, the run ends, and well
  ignore,   ///< nothing, and any nodes may meet: of strands without mass through points of bodies
};

/// The key of scenes that describes a strand: results, pictures and messages call it so.
enum class StrandForm {
  strand,
  cable,      ///< a force: see make_cable
  soft_body,  ///< see make_chain
};

struct Strand {
  std::string name;
  std::vector<StrandPoint> points;  ///< in order; the ends are material, s increases
  /// The rest length of a closed strand, whose last point is followed by its first: all of them are
  /// virtual, and how far it has run is a coordinate [m].
  std::optional<double> loop = {};
  double speed = 0;    ///< of a closed strand at the start [m/s]
  double density = 0;  ///< mass per rest length [kg/m]; zero: no mass
  StrandMass mass_model = StrandMass::continuous;
  bool velocity_terms = true;  ///< include the quadratic velocity vector of its mass
  bool gravity = true;         ///< gravity acts on its mass
  StrandLength length = StrandLength::elastic;
  StretchLaw law;  ///< of elastic strands
  StrandEnds ends = StrandEnds::stop;
  StrandForm form = StrandForm::strand;

  double rest_length() const { return loop ? *loop : *points.back().s - *points.front().s; }
};

/// Its name in messages: "strand 'rope'".
std::string quoted(const Strand& strand);
/// Throws an Error naming the strand if its description makes no sense by itself.
void validate(const Strand& strand);

}  // namespace sinew
