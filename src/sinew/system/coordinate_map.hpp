#pragma once

#include <string>
#include <vector>

#include "sinew/math/scalar_function.hpp"
#include "sinew/model/skeleton.hpp"

/// Hyper-reduced coordinates (Wang 2022 §4.6.2): the skeleton's coordinates as functions of fewer
/// ones,
///     q_r = m(q_R),   q̇_r = J q̇_R,   q̈_r = J q̈_R + J̇ q̇_R,   J = ∂m/∂q_R.
/// A finger whose last joint follows the middle one has DIP = PIP/2 exactly and one coordinate
/// less. Time may be among the arguments of m, which then drives coordinates:
///     q̇_r = J q̇_R + ∂m/∂t.
/// See docs/theory/hyper_reduced.md.

namespace sinew {

/// Makes a coordinate of the skeleton a function of free ones and of time.
struct DependentCoordinate {
  DofIndex dof;
  ScalarFunction f;
  /// Names of coordinates that are free, or "time", which no coordinate is called; six at most.
  std::vector<std::string> arguments;
};

/// A free coordinate that belongs to no joint, such as the closing of a whole hand.
struct ExtraCoordinate {
  std::string name;
  CoordinateKind kind = CoordinateKind::parameter;
  double q0 = 0, qdot0 = 0;
};

/// m. Immutable. The free coordinates are those of the skeleton that do not depend, in its order,
/// then the extra ones. Coordinates that are times (CoordinateKind) follow time unless `dependent`
/// says something else.
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
  /// Whether time drives coordinates.
  bool drives() const { return !driven_.empty(); }
  /// The coordinates of the skeleton that time drives, not those that only follow free ones.
  const std::vector<int>& driven() const { return driven_; }

  /// A dependent coordinate of the skeleton as a function of free ones, or of time.
  struct Term {
    int dof;
    ScalarFunction f;
    std::vector<int> arguments;  ///< free coordinates, or kTime
  };
  static constexpr int kTime = -1;
  const std::vector<Term>& terms() const { return terms_; }

 private:
  friend struct MapValues;
  std::vector<Coordinate> free_, all_;
  std::vector<int> free_index_;  // per coordinate of the skeleton
  std::vector<Term> terms_;      // one for each dependent coordinate
  std::vector<int> driven_;
};

/// m and its derivatives at one (t, q_R, q̇_R).
struct MapValues {
  MapValues(const Skeleton& skeleton, const CoordinateMap& map);

  /// Writes everything below at (t, q_R, q̇_R).
  void update(const ConstVecRef& q_R, const ConstVecRef& qdot_R, double t = 0);
  /// q̈_r = J q̈_R + what is left at q̈_R = 0.
  void update_acceleration(const ConstVecRef& qddot_R);

  VecX q, qdot;    ///< q_r, q̇_r
  VecX drift;      ///< ∂m/∂t
  VecX quadratic;  ///< q̈_r at q̈_R = 0: J̇ q̇_R, and the rate of the drift
  VecX qddot;      ///< q̈_r, of update_acceleration

  /// The entries of J that are not always zero.
  struct Entry {
    int dof, free;
    double J, Jdot;
    double third;  ///< ∂quadratic_dof/∂q_free: Σ_kl ∂³m/∂q_free∂q_k∂q_l q̇_k q̇_l, time among k, l
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
