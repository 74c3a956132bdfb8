#pragma once

#include <map>

#include "sinew/strands/node_tree.hpp"
#include "sinew/strands/piece_length.hpp"

/// The ways of strands through nodes and around guides, made from their descriptions.

namespace sinew {

/// The angle that a piece is expected to be wound around its pulley, to half a turn. Material that
/// is held on a pulley turns with it, and then the angle follows a coordinate.
struct WindingAngle {
  double angle = 0;  ///< [rad]
  double rate = 0;   ///< by the coordinate
  int dof = -1;      ///< of the skeleton; −1: none

  double expected(const VecView& q) const { return dof < 0 ? angle : angle + rate * q[dof]; }
};

/// Its name in messages.
inline std::string quoted(const StrandGuide& guide) { return "guide '" + guide.name + "'"; }

/// +1: it is wound counter-clockwise.
inline double sign_of(const PulleyWrap& pulley) { return static_cast<double>(pulley.side); }
/// Throws an Error naming the guide if it cannot hold strands as it should.
void check_hold(const StrandGuide& guide);

/// The way from a stop of a strand to the next.
struct RoutePiece {
  int guide = -1;  ///< −1: straight
  RimHold hold = RimHold::none;
  bool past = false;  ///< the held end may have left the rim: PulleyWrap::past
  WindingAngle winding = {};
  // around a pulley that is gripped
  int rim = -1;                          ///< node on its rim that goes with the material there
  WindingAngle before = {}, after = {};  ///< of the ways to it and from it
  double kept = 0;                       ///< rest length from the last cut to it [m]
  int slip = -1;      ///< around a pulley with friction: the node whose x is the material there
  bool tube = false;  ///< in a tube
};

struct StrandRoute {
  struct Stop {
    int node;
    std::optional<double> s;  ///< material that is held there
  };
  std::vector<Stop> stops;
  std::vector<RoutePiece> pieces;  ///< one fewer
  int run = -1;                    ///< of a closed strand: the node whose x is the distance run
};

/// Finds the ways of strands at the start of the skeleton's coordinates. It adds nodes: four for
/// the frame of each guide, its origin and the ends of its unit vectors; one for each place on a
/// rim.
class RouteFinder {
 public:
  RouteFinder(const Skeleton& skeleton, std::vector<StrandNode>& nodes,
              const std::vector<StrandGuide>& guides);

  /// Throws an Error naming the strand or guide at fault.
  StrandRoute find(const Strand& strand);
  /// All nodes at a time close to the start, as their speeds there have it.
  std::vector<Vec3> positions_at(double t) const;
  /// A node on a line whose u is a whole number: something that is counted. Returns its index.
  int add_count(const std::string& name, int value);
  /// Throws an Error if there is none.
  int node_named(const Strand& strand, const std::string& name) const;
  /// The first of the four nodes of a guide's frame.
  int frame(int guide) const { return first_frame_ + 4 * guide; }

 private:
  void add_frame(const StrandGuide& guide);
  void place_nodes() { x_ = positions_at(0); }
  int guide_named(const Strand& strand, const std::string& name) const;
  const PulleyWrap* pulley(int guide) const {
    return std::get_if<PulleyWrap>(&guides_[static_cast<size_t>(guide)].wrap);
  }
  Vec3 in_frame(int guide, int node) const;
  int add_node(const StrandNode& node, const Vec3& x);
  /// A node on a line through the world's origin along x, for the distance that a strand has run.
  int add_run(const Strand& strand);
  /// The same for the material at a guide with friction.
  int add_slip(const Strand& strand, const StrandGuide& guide);
  int add_line(const std::string& name, double speed);
  /// A node on the rim of a pulley, at an angle about its axis.
  int add_rim(const Strand& strand, int guide, double angle);
  /// The length of a way between two nodes at the start.
  double length_of(int from, int to, const RoutePiece& way) const;
  /// Measures the rest lengths between the cuts of gripped strands.
  void measure(StrandRoute& route) const;
  /// Places the material at guides with friction, and its speed: sections start with one strain.
  /// `speed` is that of a closed strand.
  void place_slips(const StrandRoute& route, double speed);
  /// Where that is, one after the other.
  std::vector<double> slips_of(const StrandRoute& route) const;
  /// The length of a piece up to the middle of its arc.
  double length_to_slip(int from, int to, const RoutePiece& way) const;
  /// How far the angle of a piece follows the coordinate of its pulley.
  WindingAngle winding(int guide, RimHold hold, double angle) const;
  Vec3 beside_rim(const Strand& strand, size_t stop, int guide, const StrandRoute& route) const;
  double angle_left(const Strand& strand, size_t piece, const Vec3& x_S,
                    const StrandRoute& route) const;
  void place_rim(const Strand& strand, size_t stop, StrandRoute& route);
  void wind(const Strand& strand, size_t piece, StrandRoute& route);
  void grip(const Strand& strand, size_t piece, double angle, StrandRoute& route);
  void rub(const Strand& strand, size_t piece, StrandRoute& route);

  const Skeleton& skeleton_;
  std::vector<StrandNode>& nodes_;
  const std::vector<StrandGuide>& guides_;
  int first_frame_;
  std::map<std::string, int> numbers_;
  std::vector<Vec3> x_;  ///< of all nodes at the start
};

}  // namespace sinew
