#pragma once

#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sinew/dynamics/attached_point.hpp"
#include "sinew/dynamics/feature.hpp"
#include "sinew/dynamics/limit.hpp"
#include "sinew/dynamics/node_matrix.hpp"
#include "sinew/math/spatial_inertia.hpp"

namespace sinew {

/// Offsets of a part's own numbers among those of the system.
struct PartPlace {
  int dof = 0;       ///< into q, with all coordinates of the skeleton counted
  int node = 0;      ///< into the nodes
  int internal = 0;  ///< into z
  int control = 0;   ///< into the controls
};

/// One moment as a part sees it. Needs update_kinematics.
struct PartAt {
  SkeletonAt skeleton;  ///< q and q̇ of all coordinates; the part's own controls
  const Vec3& gravity;
  int dof;   ///< index of the part's first coordinate in q
  int node;  ///< the number of its first node
  /// Its own internal state. In a stage of an implicit method, γ > 0, it is the start of the stage,
  /// and the state is the solution of z + γ ż.
  VecView z;
  double gamma;
};

/// How forces are wanted.
enum class ForceForm {
  wrenches,  ///< on every link, which derivatives need
  fast,      ///< as is fastest
  alone,     ///< as is fastest, with the pulls that otherwise come along with inertial forces
};

/// Forces that mass beside that of the links requires at accelerations q̈, and the pulls evaluated
/// along with it.
struct InertialForces {
  std::vector<Vec6>& wrench;  ///< per link, world axes about its origin
  VecX& tau;                  ///< on all coordinates, those of parts included
  double& power;              ///< power of pulls [W]
};

/// The destinations of the parts' contributions to M.
struct MassEntries {
  MatX& rr;                  ///< between coordinates of the skeleton
  const NodeLayout& layout;  ///< layout of `nodes`
  NodeEntries& nodes;        ///< all entries that involve the parts' own coordinates
};

/// Mass beside that of the links.
struct PartMass {
  void resize(const Skeleton& skeleton, const NodeLayout& masses);
  void set_zero();
  MassEntries entries() { return {rr, *layout, nodes}; }

  std::vector<SpatialInertia> carried;  ///< per link, carried rigidly; world axes about its origin
  MatX rr;                              ///< everything else between coordinates of the skeleton
  const NodeLayout* layout = nullptr;   ///< layout of `nodes`
  NodeEntries nodes;                    ///< for the parts' own coordinates
};

/// Derivatives of g = M q̈ − f with respect to all coordinates, including those of parts.
struct PartDerivatives {
  const NodeLayout &masses, &layout;
  MatX &M, &dg_dq, &dg_dqdot;  ///< between coordinates of the skeleton
  NodeEntries& M_nodes;        ///< in the layout `masses`
  NodeEntries &dg_dq_nodes, &dg_dqdot_nodes;
  ForceDerivatives& wrenches;  ///< K and D of forces on links; they enter g with a minus
};

/// Derivatives of a stage of the internal state z, γ > 0: of the forces at its end, and of z there,
/// by its start c and by all coordinates.
struct InternalDerivatives {
  struct Entry {
    int row, column;
    double value;
  };
  MatX force_by_start;          ///< ∂f/∂c: coordinates × internal
  MatX by_coordinates;          ///< ∂z/∂q: internal × coordinates
  std::vector<Entry> by_start;  ///< ∂z/∂c, where it is not zero
};
/// An entry of c that does not come from the stages before it: it follows a control at once, or has
/// a known flow from the start of the step. Its derivatives by its value at the start, and by the
/// control.
struct InternalFlow {
  int entry, control;
  double by_start, by_control;
};

/// How well internal state is put into equilibrium.
enum class Settling {
  as_opensim,   ///< to OpenSim's tolerance: runs start alike
  to_rounding,  ///< as gradients need it
};

/// Energies [J].
struct PartEnergy {
  double kinetic = 0, gravity = 0, elastic = 0;
};

/// Columns of results in one table.
struct PartColumns {
  std::string table;
  std::vector<std::string> names;
};

/// ∂(velocity of a point of a link)/∂q̇, three rows: writes the columns of the coordinates that move
/// it. Needs update_kinematics.
void update_point_jacobian(const SkeletonAt& in, const AttachedPoint& point, Eigen::Matrix3Xd& J);
/// Its rate. Needs inverse_dynamics_derivatives in dws.
void update_point_jacobian_rate(const SkeletonAt& in, const AttachedPoint& point,
                                const DerivativeWorkspace& dws, Eigen::Matrix3Xd& Jdot);

/// A moment that is evaluated where a part asks for it.
class PartMoment {
 public:
  virtual ~PartMoment() = default;
  /// Kinematics included.
  virtual PartAt at() const = 0;
};

/// A state between two steps, as a part changes it.
class PartChange {
 public:
  virtual ~PartChange() = default;
  /// The part at the state as it is now, kinematics included.
  virtual PartAt at() = 0;
  /// Its own coordinates, and their rates.
  virtual VecRef q() = 0;
  virtual VecRef qdot() = 0;
  /// For an impulse f on all coordinates of elements: the same p on those of the state, and the
  /// change x = M⁻¹ p of their rates.
  virtual void respond(const VecX& f, VecX& p, VecX& x) = 0;
  /// Adds c x to the rates of all coordinates.
  virtual void add_rates(double c, const VecX& x) = 0;
};

/// What a part has come to that its equations do not go past.
struct PartEvent {
  std::string kind;     ///< "end_reached"; empty: nothing
  std::string element;  ///< "rope"
  std::string node;     ///< name of its node, where it has one
  std::string at;       ///< what that node has come to: another node, a guide
  std::string text;     ///< all of it: "end 'tail' of strand 'rope' has reached 'ring'"
  bool wanted = false;  ///< a run that comes to it ends well
  double time = 0;      ///< [s]
};

/// How far away the next of these is that can be seen ahead.
struct EventAhead {
  double time = std::numeric_limits<double>::infinity();  ///< at the present speeds [s]
  bool reached = false;                                   ///< near enough to be there
};

/// Data that a part keeps between the calls of one evaluation. Disposable.
struct PartScratch {
  virtual ~PartScratch() = default;
};

/// The side on which an element passes a surface at a moment. Where it turns round, forces jump.
struct ChosenSide {
  size_t piece;  ///< of the element, counted among those of append_pieces
  /// Frame of the surface, in units of its radius: at most 1 long where it touches, longer where it
  /// passes outside; zero where no side can be told.
  Vec3 side;
};

/// Something with mass, coordinates or a state beside those of the skeleton: muscles, soft bodies,
/// strands.
/// Immutable. Its forces and its mass may couple its own coordinates to any link and to other
/// parts.
///
/// Every function needs update_kinematics at `at`. `qddot` are accelerations of all coordinates,
/// the links' are in at.skeleton.ws.a; null stands for zero.
class Part {
 public:
  virtual ~Part() = default;

  /// Its features (Feature), one bit each.
  virtual unsigned features() const {
    return (dof_count() > 0 ? bit(Feature::soft_bodies)
            : has_mass()    ? bit(Feature::massive_muscles)
                            : 0) |
           (internal_count() > 0 ? bit(Feature::hill_muscles) : 0);
  }
  /// Its first element that has a feature, for messages: "muscle 'soleus'".
  virtual std::string element_with(Feature) const { return "part"; }
  virtual std::unique_ptr<PartScratch> make_scratch() const {
    return std::make_unique<PartScratch>();
  }

  // Its own coordinates. All vectors of them are empty if it has none.
  virtual int dof_count() const { return 0; }
  /// Adds its nodes, which hold its coordinates, and their connections: in `masses` the entries of
  /// M, in `all` those and the further ones of the derivatives.
  virtual void lay_out(NodeLayout& /*masses*/, NodeLayout& /*all*/) const {}
  /// Its coordinates and their rates at the start.
  virtual void place(VecRef /*q*/, VecRef /*qdot*/) const {}
  /// "vertex 12 of soft body 'skin'".
  virtual std::string dof_name(int dof) const { return "part_" + std::to_string(dof + 1); }
  /// Its rows, on any coordinates: its own start at place.dof.
  virtual ConstraintList constraints(const PartPlace& /*place*/) const { return {}; }
  /// Its rows that are bounds.
  virtual std::vector<Limit> limits(const PartPlace& /*place*/) const { return {}; }
  /// The number of places where friction can hold it still.
  virtual int hold_count() const { return 0; }
  /// Writes rows `row`, `row` + 1, …, the speeds that friction opposes there, and the most that it
  /// can hold [N, Nm].
  virtual void add_holds(const PartAt& /*at*/, PartScratch& /*scratch*/, int /*row*/,
                         ConstraintRows& /*rows*/, std::span<double> /*most*/) const {}

  // Forces and mass.
  /// Whether it has mass: otherwise the functions for mass below are not called.
  virtual bool has_mass() const { return dof_count() > 0; }
  /// Adds all forces that accelerations do not enter: on links, on all coordinates, and the power
  /// of those that have no potential.
  virtual void add_forces(const PartAt& at, ForceForm how, PartScratch& scratch,
                          AppliedForces& out) const = 0;
  /// Adds the forces that its mass requires at q̈ (gravity acts on it, too).
  virtual void add_inertial_forces(const PartAt& /*at*/, const double* /*qddot*/,
                                   PartScratch& /*scratch*/, InertialForces /*out*/) const {}
  /// Adds its M.
  virtual void add_mass(const PartAt& /*at*/, PartScratch& /*scratch*/, MassEntries /*out*/) const {
  }
  /// Both, in the fastest form.
  virtual void add_mass_and_forces(const PartAt& at, const double* qddot, PartScratch& scratch,
                                   PartMass& mass, InertialForces out) const {
    add_inertial_forces(at, qddot, scratch, out);
    add_mass(at, scratch, mass.entries());
  }
  /// Adds the derivatives of add_inertial_forces, including M: only M if it is constant, or
  /// without `dws`. Derivatives of wrenches are those seen from the links, as ForceDerivatives
  /// says: turning along is added for all together. Needs inverse dynamics at q̈.
  virtual void add_inertial_derivatives(const PartAt& at, const double* /*qddot*/,
                                        const DerivativeWorkspace* /*dws*/, PartScratch& scratch,
                                        PartDerivatives& out) const {
    add_mass(at, scratch, {out.M, out.masses, out.M_nodes});
  }
  /// Adds those of −add_forces. Needs add_forces and, if `kind` is exact,
  /// inverse_dynamics_derivatives in dws.
  virtual void add_force_derivatives(const PartAt& at, const double* qddot, StiffnessModel kind,
                                     const DerivativeWorkspace& dws, PartScratch& scratch,
                                     PartDerivatives& out) const = 0;
  virtual PartEnergy energy(const PartAt& /*at*/, PartScratch& /*scratch*/) const { return {}; }
  /// The largest force that its own coordinates are made to balance with by rounding [N, Nm]: a
  /// residual below it is meaningless. Needs add_force_derivatives.
  virtual double force_scale(const PartAt& /*at*/, const PartScratch& /*scratch*/) const {
    return 0;
  }
  /// Whether its mass changes fast along the motion, and all velocity terms of it are in g: then
  /// methods that can do so carry Lᵀq̇, M = L Lᵀ, instead of q̇.
  virtual bool mass_changes_fast() const { return false; }
  /// Whether it is nothing but forces between links: no mass, no coordinates, no state, and all
  /// derivatives among PartDerivatives::wrenches. Recursions over the skeleton take it along.
  virtual bool acts_on_links_only() const { return false; }
  /// Why it could not be evaluated when forces were last asked for; without a kind if all went
  /// well.
  virtual PartEvent failure(const PartScratch& /*scratch*/) const { return {}; }
  /// Whether it ever sees an event ahead.
  virtual bool foresees() const { return false; }
  virtual EventAhead look_ahead(const PartAt& /*at*/, PartScratch& /*scratch*/) const { return {}; }
  /// The event that look_ahead has found.
  virtual PartEvent event_ahead(const PartScratch& /*scratch*/) const { return {}; }

  // Internal state z: entries that obey ż = f(z, …), and entries that change only from step to
  // step.
  virtual int internal_count() const { return 0; }
  /// As it is described.
  virtual void describe_internal(VecRef /*z*/) const {}
  /// The units in which errors of z are measured: optimal fibre lengths; 1 unless overridden.
  virtual void internal_units(VecRef units) const { units.setOnes(); }
  /// Puts z, as described, into equilibrium at this moment.
  virtual void settle_internal(const PartAt& /*at*/, Settling /*how*/, PartScratch& /*scratch*/,
                               VecRef /*z*/) const {}
  /// ż at the last call of add_forces, with z held.
  virtual void internal_rates(const PartAt& /*at*/, const PartScratch& /*scratch*/,
                              VecRef /*zdot*/) const {}
  /// Writes the entries of z that follow the controls at once.
  virtual void follow_controls(const double* /*controls*/, VecRef /*z*/) const {}
  /// Writes the entries of z whose flow from z0 over dt is known, under the controls at half the
  /// step.
  virtual void flow_internal(const VecView& /*z0*/, double /*dt*/, const double* /*controls*/,
                             VecRef /*z*/) const {}
  /// Appends the derivatives of the two: `follow` of follow_controls, otherwise of flow_internal.
  virtual void differentiate_flow(bool /*follow*/, const VecView& /*z0*/, double /*dt*/,
                                  const double* /*controls*/,
                                  std::vector<InternalFlow>& /*out*/) const {}
  /// Adds its derivatives, from `first` on in the internal state. Needs the derivatives of its
  /// forces at the same place.
  virtual void add_internal_derivatives(const PartAt& /*at*/, PartScratch& /*scratch*/,
                                        int /*first*/, InternalDerivatives& /*out*/) const {}
  /// Writes the other entries as found by the stage of the last add_forces, γ > 0.
  virtual void read_stage(const PartScratch& /*scratch*/, VecRef /*z*/) const {}
  /// Whether its own coordinates may ever stand for something else than before.
  virtual bool rearranges() const { return false; }
  /// Before a step of length h: whether they have to, now.
  virtual bool must_rearrange(const PartAt& /*at*/, double /*h*/, PartScratch& /*scratch*/) const {
    return false;
  }
  /// Makes one such change. Needs must_rearrange at the same state.
  virtual void rearrange(PartChange& /*change*/, PartScratch& /*scratch*/) const {}
  /// Writes the entries of z that change only at the end of a step.
  virtual void end_step(const PartMoment& /*end*/, VecRef /*z*/) const {}

  /// Inputs that may be set, in the order of at.skeleton.controls.
  virtual std::vector<Control> controls() const { return {}; }
  /// As Force's.
  virtual void add_control_derivatives(const PartAt& at, PartScratch& scratch,
                                       MatRef columns) const;
  /// The first of its elements that gradients of runs cannot pass, named in the reason.
  virtual Obstacle obstacle() const { return {}; }
  /// As Force's, appended for each of its elements that may bend; negative for one that has lost
  /// its place, which no gradient passes. Needs add_forces at `at`.
  virtual void append_pieces(const PartAt& /*at*/, PartScratch& /*scratch*/,
                             std::vector<int>& /*out*/) const {}
  /// Appends the sides on which its elements pass surfaces that they may pass on any.
  virtual void append_sides(const PartAt& /*at*/, PartScratch& /*scratch*/,
                            std::vector<ChosenSide>& /*out*/) const {}
  /// The element that the k-th of its pieces belongs to: "muscle 'soleus'".
  virtual std::string piece_name(size_t /*k*/) const { return "part"; }

  // Results and pictures.
  /// Its mass, except the part that links carry [kg].
  virtual double mass() const { return 0; }
  /// Its columns in results, table by table: its coordinates, unless overridden.
  virtual std::vector<PartColumns> columns() const;
  /// Appends their values, in that order.
  virtual void measure(const PartAt& at, PartScratch& scratch, std::vector<double>& out) const;
  /// Its coordinates, from these values.
  virtual void recall(std::span<const double> values, VecRef q) const;
  /// Its shapes for drawing.
  virtual std::vector<MovingShape> shapes() const { return {}; }
  /// Appends the points of its shapes one after the other, three numbers each, world frame.
  virtual void draw(const PartAt& /*at*/, PartScratch& /*scratch*/,
                    std::vector<double>& /*points*/) const {}
};

using PartList = std::vector<std::shared_ptr<const Part>>;

}  // namespace sinew
