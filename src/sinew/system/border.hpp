#pragma once

#include <memory>

#include "sinew/dynamics/constraint.hpp"
#include "sinew/system/at.hpp"
#include "sinew/system/coordinate_map.hpp"
#include "sinew/system/linearization.hpp"

/// Converts a state's coordinates to those that elements know.
///
/// A state has q = (R; f): coordinates R, which are the skeleton's or, if some of these depend
/// on others, the free ones; then those of parts, f. Elements know x = (r; f), r the skeleton's.

namespace sinew {

/// x and ẋ.
struct ExpandedState {
  VecView q, qdot;
};

/// Entries of M between coordinates of the skeleton, and all others.
struct MassRoom {
  MatX& rr;
  NodeEntries& nodes;
};

/// Both directions: positions and velocities outwards, forces and matrices back. The so-called
/// room is where elements write; it is the result itself if R = r.
class Border {
 public:
  virtual ~Border() = default;

  /// x and ẋ at a state.
  ExpandedState expand(const At& at) {
    if (maps_) update(at);
    return expanded(at);
  }
  /// The same at the state of the last expand.
  ExpandedState expanded(const At& at) const {
    return maps_ ? ExpandedState{view(q_), view(qdot_)} : ExpandedState{at.q, at.qdot};
  }
  /// ẍ. Needs expand.
  virtual const double* accelerations(const VecView& qddot) = 0;

  /// For a force on x that becomes one on q.
  virtual double* force_room(VecRef& force) = 0;
  virtual void pull_force(VecRef& force) = 0;
  /// For momentum p = ∂L/∂ẋ and ∂L/∂x.
  virtual double* momentum_room(VecX& p) = 0;
  virtual void pull_momentum(VecX& p, VecX& dL_dq) = 0;
  /// Generalised forces, column by column.
  virtual MatX pulled(const MatX& forces) const = 0;
  /// Jᵀ A J of a matrix between coordinates of the skeleton.
  virtual MatX congruent(const MatX& A) const = 0;

  /// For M alone.
  virtual MassRoom mass_room(NodeMatrix& M) = 0;
  virtual void pull_mass(NodeMatrix& M) = 0;
  /// For M and derivatives of g. Pulling needs the g of the last pull_force and the q̈ of the last
  /// accelerations.
  virtual Linearization& linearization_room(Linearization& out) = 0;
  virtual void pull_linearization(Linearization& out) = 0;

  /// For rows G x: between the two calls elements write them. With `rates`, Ġ ẋ as well.
  virtual void open_rows(ConstraintRows& rows) = 0;
  virtual void close_rows(ConstraintRows& rows, bool rates) = 0;
  /// For ∂(G ẋ)/∂x.
  virtual MatX& row_derivative_room(MatX& out) = 0;
  virtual void pull_row_derivatives(const ConstraintRows& rows, MatX& out) = 0;

  /// Index of a coordinate of the skeleton in a state; −1 if it depends on others.
  virtual int state_index(int dof) const = 0;

  /// Whether time drives coordinates: ẋ = J q̇ + d with a drift d.
  bool drives() const { return drift_.size() > 0; }
  /// G d of a row as elements wrote it, the part of its rate that q̇ does not enter.
  double drift_rate(const ConstraintRows& rows, int row) const {
    return rows.links_x.col(row).dot(drift_.head(rows.links_x.rows()));
  }
  /// d · g: the power that drives the coordinates, reactions of constraints in g included. Needs
  /// pull_force.
  virtual double drive_power() const = 0;
  /// The same of the inertia of further accelerations: d · M J q̈. Needs pull_mass or
  /// pull_linearization.
  double drive_power(const VecView& qddot) const { return response_.dot(qddot); }

 protected:
  explicit Border(bool maps) : maps_(maps) {}
  /// Writes q_ and qdot_; called only if `maps`.
  virtual void update(const At& at) = 0;
  VecX q_, qdot_;  // x and ẋ
  VecX drift_;     // d; empty unless time drives coordinates
  VecX response_;  // Jᵀ M d

 private:
  bool maps_;  // R ≠ r; not a virtual function, because every evaluation checks it
};

/// `map` null: R = r.
std::unique_ptr<Border> make_border(const Skeleton& skeleton, const CoordinateMap* map,
                                    const NodeLayout& masses, const NodeLayout& layout);

}  // namespace sinew
