#pragma once

#include <tuple>

#include "sinew/muscles/muscle_element.hpp"
#include "sinew/muscles/relative_motion.hpp"
#include "sinew/muscles/span_mass.hpp"

namespace sinew {

/// Muscles with mass whose paths are straight from point to point, points that move with
/// coordinates and conditional ones among them: the fast way to their inertia and their forces,
/// docs/theory/muscles.md, "Straight from point to point". Made from the muscles of a system; the
/// others are not touched.
class StraightMuscles {
 public:
  static constexpr int kMaxCoordinates = 6;

  StraightMuscles(const Skeleton& skeleton,
                  const std::vector<std::shared_ptr<const MuscleElement>>& muscles);

  /// Whether muscle k is one of them.
  bool takes(size_t k) const { return taken_[k] != 0; }

  /// A path point as seen from the muscle's frame; K coordinates change the muscle's shape.
  template <int K>
  struct Node {
    Vec3 x, v, a;
    std::array<Vec3, K> J;
  };
  /// An arc length along the path.
  template <int K>
  struct Arc {
    double s = 0, rate = 0, second = 0;
    std::array<double, K> columns{};
  };
  /// From a node to the next one.
  struct Segment {
    Vec3 t, rate;  ///< unit vector
  };
  template <int K>
  struct Path {
    std::vector<Node<K>> nodes;
    std::vector<Arc<K>> arcs;  ///< at the nodes
    std::vector<Segment> segments;
  };
  /// Scratch.
  struct Workspace {
    std::vector<RelativeMotion> links;
    std::vector<Vec3> turn, shift;  ///< of columns: ∂x/∂q = shift + turn × x
    std::tuple<Path<1>, Path<2>, Path<3>, Path<4>, Path<6>> paths;
    std::vector<double> length;  ///< of all muscles; of those not taken without meaning
  };

  /// The same as SpannedMuscle::add for all muscles that it takes, at the q̈ that in.ws.a belongs to
  /// (null: zero). Returns the power of their pulls.
  double add(const ForceInput& in, const double* qddot, Workspace& ws, MuscleSums& sums,
             std::vector<Vec6>& wrench) const;

 private:
  /// A coordinate that moves a link as seen from the frame.
  struct Column {
    int k;        ///< place in Group::dofs
    double sign;  ///< +1: moves the link, −1: moves the frame
  };
  struct Link {
    int link;
    std::vector<Column> columns;
    size_t first;  ///< place of the first column in Workspace::turn
  };
  struct Factor {
    int k;  ///< place in Group::dofs
    const std::variant<ScalarFunction, Window>* function;
  };
  struct Term {
    int link;  ///< place in Group::links; −1: the frame itself
    Vec3 x_L;
    bool direction;
    double scale;
    std::vector<Factor> factors;
  };
  /// Laid out in the frame of a link.
  struct Layout {
    size_t muscle;
    std::vector<std::vector<Term>> points;
  };
  /// Muscles that share a frame and the coordinates that change their shapes.
  struct Group {
    int frame;
    std::vector<int> dofs, link_of_dof;
    std::vector<Link> links;
    size_t columns;  ///< of all links
    std::vector<Layout> muscles;
  };

  bool lay_out(const Skeleton& skeleton, size_t k);
  void update_links(const ForceInput& in, const Group& group, Workspace& ws) const;
  template <int K>
  void place(const ForceInput& in, const double* qddot, const Group& group,
             const std::vector<Term>& terms, const Workspace& ws, Node<K>& out) const;
  /// Nodes, arcs and segments of a muscle.
  template <int K>
  void update_path(const ForceInput& in, const double* qddot, const Group& group,
                   const Layout& layout, const Workspace& ws, Path<K>& path) const;
  template <int K>
  double add_muscle(const ForceInput& in, const double* qddot, const Group& group,
                    const Layout& layout, const FrameAcceleration& frame, Workspace& ws,
                    SpanMass<K>& sum) const;
  template <int K>
  double add_group(const ForceInput& in, const double* qddot, const Group& group, Workspace& ws,
                   MuscleSums& sums, std::vector<Vec6>& wrench) const;

  std::vector<std::shared_ptr<const MuscleElement>> muscles_;
  std::vector<char> taken_;
  std::vector<Group> groups_;
};

}  // namespace sinew
