#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sinew/dynamics/derivatives.hpp"
#include "sinew/dynamics/row_jacobian.hpp"

namespace sinew {

struct PartDerivatives;

/// The level that a constraint is imposed on. Rows of a higher level are differentiated where a
/// solver needs it: a position row g(t, q) = 0 also holds as ġ = 0 and g̈ = 0.
enum class ConstraintLevel { position, velocity, acceleration };

/// The rows of all constraints at one (t, q, q̇), stacked:
///     position      g(t, q) = 0,      ġ = G q̇ + rate,  g̈ = G q̈ + bias
///     velocity      G q̇ + rate = 0,                    its derivative is G q̈ + bias
///     acceleration  G q̈ + bias = 0
/// Their reactions on the skeleton are the generalised forces −Gᵀλ.
///
/// Elements describe a row by its coefficients on the twists of links (world axes, about the link's
/// origin, as in SkeletonWorkspace) and on coordinates: row = Σ c · (ω; v) + Σ c q̇. This is all
/// that G, the bias, the reactions and the derivatives of the rows need.
struct ConstraintRows {
  ConstraintRows(const Skeleton& skeleton, int rows)
      : ConstraintRows(skeleton, rows, skeleton.dof_count(), 0) {}
  /// Entries of a row: those of links, of a state, and of parts.
  ConstraintRows(const Skeleton& skeleton, int rows, Eigen::Index on_links, Eigen::Index on_parts);

  struct TwistTerm {
    TwistTerm(int of_row, int on_link) : row(of_row), link(on_link) {}
    int row, link;
    Vec6 c, cdot;  ///< coefficient and its rate
    Vec6 x;  ///< the rest of ∂(c · φ)/∂q beyond c · ∂φ/∂q: x · (displacement of the link)
  };
  struct CoordinateTerm {
    int row, dof;
    double c, cdot;
  };

  /// Whether the elements compute all, or only the parts without q̇: value, rate and c.
  bool with_rates = true;

  // written by the elements
  VecX value;  ///< g; zero for rows that are not on position level
  VecX rate;   ///< the part from time alone: ∂g/∂t; for velocity rows minus the target; for
               ///< acceleration rows minus the target, too
  VecX bias;   ///< the elements put the rate of `rate` here (acceleration rows: `rate` itself);
               ///< update_constraint_rows adds Ġ q̇
  std::vector<TwistTerm> twist;
  std::vector<CoordinateTerm> coordinate;

  // written by update_constraint_rows
  RowJacobian G;                  ///< by a state's coordinates
  MatX links_x;                   ///< G.links as elements write it, if that differs
  double G_t = 0;                 ///< time at which G was written, and
  std::uint64_t G_placement = 0;  ///< index into SkeletonWorkspace::placements then
  VecX Gdot_qdot;                 ///< Ġ q̇
  std::vector<Vec6> a;            ///< per link: acceleration at q̈ = 0 without gravity

  int size() const { return static_cast<int>(value.size()); }
  /// Row r of G times x.
  double dot(int r, const double* x) const { return G.dot(r, x); }
  /// Gᵀ, n × rows.
  const MatX& Gt() const { return G.dense(); }
  /// Makes room for at least that many rows; earlier contents are lost. For rows that come and go:
  /// those beyond the ones in use have no terms, and are zero.
  void grow(int rows);
  /// A coefficient of a row that is the rate of something: x follows from ċ.
  void add(int row, int link, const LinkMotion& motion, const Vec6& c, const Vec6& cdot);
  /// A coefficient of a row that is not a rate.
  void add_nonholonomic(int row, int link, const Vec6& c, const Vec6& cdot, const Vec6& x);
  /// A term on a link other than the world, its coefficients to be filled in.
  TwistTerm& append(int row, int link) { return twist.emplace_back(row, link); }
  void add_coordinate(int row, int dof, double c, double cdot);
};

/// A number that a constraint reports, e.g. a component of its reaction.
struct Measurement {
  std::string name;  ///< "torque", "force_x", …
  double value = 0;
};

/// An equality constraint: the one extension point. Elements are immutable and hold no scratch.
class Constraint {
 public:
  explicit Constraint(std::string name) : name_(std::move(name)) {}
  virtual ~Constraint() = default;

  const std::string& name() const { return name_; }
  virtual ConstraintLevel level() const { return ConstraintLevel::position; }
  virtual int rows() const = 0;
  /// Whether evaluate reads the skeleton's kinematics; otherwise only t, q and q̇.
  virtual bool needs_kinematics() const { return true; }

  /// Writes value, rate and bias of rows `row` … `row` + rows() − 1 and adds their terms.
  virtual void evaluate(const SkeletonAt& in, int row, ConstraintRows& out) const = 0;
  /// Adds K of the reactions −Gᵀλ at constant λ (see ForceDerivatives), λ those of its own rows.
  virtual void add_reaction_derivatives(const SkeletonAt& in, std::span<const double> lambda,
                                        ForceDerivatives& out) const = 0;
  /// The same for rows on coordinates of parts that are not linear in them: adds ∂(Gᵀλ)/∂q, whose
  /// entries involve those coordinates.
  virtual void add_part_derivatives(const SkeletonAt& /*in*/, std::span<const double> /*lambda*/,
                                    PartDerivatives& /*out*/) const {}
  /// The action of the constraint on the skeleton, from its λ; for output. Allocates.
  virtual std::vector<Measurement> measure(const SkeletonAt& in,
                                           std::span<const double> lambda) const = 0;
  /// Times at which a prescribed motion jumps [s]; adaptive integrators stop there.
  virtual std::vector<double> breakpoints() const { return {}; }
  /// Throws an Error naming this element where its parameters make no sense on `skeleton`.
  virtual void validate(const Skeleton& skeleton) const = 0;
  /// The same constraint written with fewer rows where some could never matter on this skeleton
  /// (found near the coordinates q0); null to use it as it is.
  virtual std::shared_ptr<const Constraint> specialized(const Skeleton& /*skeleton*/,
                                                        const VecX& /*q0*/) const {
    return nullptr;
  }

 private:
  std::string name_;
};

using ConstraintList = std::vector<std::shared_ptr<const Constraint>>;

/// Evaluates all constraints and writes every field of `out`. Needs update_kinematics.
void update_constraint_rows(const ConstraintList& constraints, const SkeletonAt& in,
                            ConstraintRows& out);
/// The part of it that q̇ does not enter, and that projections need: value, rate, G, and terms
/// without their rates. Needs update_placement.
void update_constraint_values(const ConstraintList& constraints, const SkeletonAt& in,
                              ConstraintRows& out);
/// The part of it that writes G from the terms.
void update_row_jacobian(const Skeleton& skeleton, const SkeletonWorkspace& ws,
                         ConstraintRows& rows);
/// The part of it that writes Gdot_qdot and adds it to the bias.
void update_row_bias(const SkeletonAt& in, ConstraintRows& rows);

/// Adds the reactions −Gᵀλ as wrenches and generalised forces. Their power, that of the prescribed
/// motions among them, is added too. Needs update_constraint_rows.
void add_reactions(const ConstraintList& constraints, const VecView& qdot,
                   const ConstraintRows& rows, const VecView& lambda, AppliedForces& out);

/// Power of the reactions: λ · rate where the constraints hold [W].
double reaction_power(const ConstraintList& constraints, const VecView& qdot,
                      const ConstraintRows& rows, const VecView& lambda);

/// Writes ∂(G q̇ + rate)/∂q, rows × n. Needs update_constraint_rows and the axes and their rates in
/// dws (inverse_dynamics_derivatives).
void row_rate_derivatives(const Skeleton& skeleton, const SkeletonWorkspace& ws,
                          const DerivativeWorkspace& dws, const ConstraintRows& rows, MatX& out);

}  // namespace sinew
