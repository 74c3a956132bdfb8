#pragma once

#include <string>
#include <vector>

#include "sinew/math/scalar_function.hpp"
#include "sinew/model/skeleton.hpp"

/// Hyper-reduced coordinates (Wang 2022 §4.6.2): the skeleton's coordinates as functions of fewer
/// ones,
///     q_r = m(q_R),   q̇_r = J q̇_R,   q̈_r = J q̈_R + J̇ q̇_R,   J = ∂m/∂q_R.
/// A finger whose last joint follows the middle one has DIP = PIP/2 exactly and one coordinate
/// less. See docs/theory/hyper_reduced.md.

namespace sinew {

/// Makes a coordinate of the skeleton a function of free ones.
struct DependentCoordinate {
  DofIndex dof;
  ScalarFunction f;
  std::vector<std::string> arguments;  ///< names of coordinates that are free; six at most
};

/// A free coordinate that belongs to no joint, such as the closing of a whole hand.
struct ExtraCoordinate {
  std::string name;
  CoordinateKind kind = CoordinateKind::parameter;
  double q0 = 0, qdot0 = 0;
};

/// m. Immutable. The free coordinates are those of the skeleton that do not depend, in its order,
/// then the extra ones.
class CoordinateMap {
 public:
  /// Throws an Error naming the coordinate at fault.
  CoordinateMap(const Skeleton& skeleton, const std::vector<DependentCoordinate>& dependent,
                const std::vector<ExtraCoordinate>& extra);

  /// The free coordinates; `body` and `local` of extra ones mean nothing.
  const std::vector<Coordinate>& coordinates() const { return free_; }
  int free_count() const { return static_cast<int>(free_.size()); }
  /// All coordinates in results: the skeleton's, then the extra ones.
  const std::vector<Coordinate>& all_coordinates() const { return all_; }
  /// Index of a skeleton's coordinate among the free ones; −1 if it depends.
  int free_index(int dof) const { return free_index_[static_cast<size_t>(dof)]; }

 private:
  friend struct MapValues;
  struct Term {
    int dof;
    ScalarFunction f;
    std::vector<int> arguments;  // free coordinates
  };
  std::vector<Coordinate> free_, all_;
  std::vector<int> free_index_;  // per coordinate of the skeleton
  std::vector<Term> terms_;      // one for each dependent coordinate
};

/// m and its derivatives at one (q_R, q̇_R).
struct MapValues {
  MapValues(const Skeleton& skeleton, const CoordinateMap& map);

  /// Writes everything below at (q_R, q̇_R).
  void update(const ConstVecRef& q_R, const ConstVecRef& qdot_R);
  /// q̈_r = J q̈_R + J̇ q̇_R.
  void update_acceleration(const ConstVecRef& qddot_R);

  VecX q, qdot;    ///< q_r, q̇_r
  VecX quadratic;  ///< J̇ q̇_R
  VecX qddot;      ///< q̈_r, of update_acceleration

  /// The entries of J that are not always zero.
  struct Entry {
    int dof, free;
    double J, Jdot;
    double third;  ///< ∂(J̇ q̇_R)_dof/∂q_free: Σ_kl ∂³m/∂q_free∂q_k∂q_l q̇_k q̇_l
    double slope;  ///< ∂q̈_dof/∂q_free, of update_acceleration
  };
  std::vector<Entry> entries;
  /// Second derivatives of m; none for linear functions.
  struct Curvature {
    size_t entry;  ///< the entry of J it differentiates
    int free;      ///< the coordinate to differentiate by
    double value;
  };
  std::vector<Curvature> curvature;

 private:
  const CoordinateMap& map_;
};

}  // namespace sinew
