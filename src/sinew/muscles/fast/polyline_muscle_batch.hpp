#pragma once

#include "sinew/muscles/fast/relative_motion.hpp"
#include "sinew/muscles/fast/span_mass.hpp"
#include "sinew/muscles/fast/tensions.hpp"
#include "sinew/muscles/path/span_path.hpp"

namespace sinew {

/// Muscles with mass whose paths are straight from point to point, points that move with
/// coordinates and conditional ones among them: the fast way to their inertia and their forces,
/// docs/theory/muscles.md, "Straight from point to point". Made from the muscles of a system; the
/// others are not touched.
class PolylineMuscleBatch {
 public:
  static constexpr int kMaxCoordinates = 6;

  PolylineMuscleBatch(const Skeleton& skeleton, const SpanPathList& muscles);

  /// Whether the batch handles muscle k.
  bool takes(size_t k) const { return taken_[k] != 0; }

  /// Scratch.
  struct Workspace {
    std::vector<RelativeMotion> links;
    std::vector<Vec3> turn, shift;  ///< per column: ∂x/∂q = shift + turn × x
    /// Nodes and segments of a group: rows of lanes::Polygons.
    struct Table {
      int stride = 0;
      std::vector<double> node, segment;
    };
    std::vector<Table> tables;
    std::vector<double> length;  ///< per muscle; meaningless for those not handled
  };

  /// The same as MuscleBlock::add for all muscles that it takes, at the q̈ that in.ws.a belongs to
  /// (null: zero). Returns the power of their pulls.
  double add(const SkeletonAt& in, const Tensions& tensions, const double* qddot, Workspace& ws,
             MuscleSums& sums, std::vector<Vec6>& wrench) const;

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
    size_t first;  ///< place of its first point among those of the group
    std::vector<std::vector<Term>> points;
  };
  /// Muscles that share a frame and the coordinates that change their shapes.
  struct Group {
    int frame;
    std::vector<int> dofs, link_of_dof;
    std::vector<Link> links;
    size_t columns = 0, points = 0;  ///< sums over all links and all muscles
    std::vector<Layout> muscles;
  };

  bool lay_out(const Skeleton& skeleton, size_t k);
  /// Whether a point is fixed to a link: nothing to compute if that is the frame.
  static bool is_fixed(const std::vector<Term>& terms);
  Workspace::Table make_table(const Group& group) const;
  void update_links(const SkeletonAt& in, const Group& group, Workspace& ws) const;
  void place_all(const SkeletonAt& in, const double* qddot, const Group& group, const Vec3& gravity,
                 const Workspace& ws, Workspace::Table& table) const;
  /// Writes the rows of a point that is fixed to a link.
  void place_fixed(const Group& group, const Term& term, const Workspace& ws, int stride,
                   double* node) const;
  /// Writes a node's rows; `offset` is added to its acceleration.
  void place(const SkeletonAt& in, const double* qddot, const Group& group,
             const std::vector<Term>& terms, const Vec3& offset, const Workspace& ws, int stride,
             double* node) const;
  /// Writes the rest of a muscle's rows and adds its pull, and the forces at its kinks, to `sum`.
  template <int K>
  double slide(const Tensions& tensions, const Layout& layout, Workspace& ws,
               Workspace::Table& table, SpanMass<K>& sum) const;
  template <int K>
  double add_group(const SkeletonAt& in, const Tensions& tensions, const double* qddot,
                   const Group& group, Workspace::Table& table, Workspace& ws, MuscleSums& sums,
                   std::vector<Vec6>& wrench) const;

  SpanPathList muscles_;
  std::vector<char> taken_;
  std::vector<Group> groups_;
};

}  // namespace sinew
