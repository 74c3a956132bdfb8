#pragma once

#include "sinew/strands/fixed_length.hpp"
#include "sinew/strands/strand_run.hpp"
#include "sinew/strands/strand_section.hpp"

/// Strands as a part of a system: docs/theory/strands.md.

namespace sinew {

/// A section in its place.
struct PlacedSection {
  size_t strand;
  int number;  ///< along its strand, from 1
  int row;     ///< number of the first of its rows
  StrandSection element;
  std::vector<int> nodes;  ///< on the strand, then of the frames of guides
  std::vector<RoutePiece> pieces;
  RunTerm run = {};       ///< of a row
  int inside = 0;         ///< nodes that are inside its gates, and rings that its start has left
  int left = 0;           ///< rings that its end has left
  bool may_end = false;   ///< a piece without length is an event
  bool on_links = false;  ///< without mass, straight from point to point of bodies
  /// The coordinates that move its nodes, if they are fewer than the entries of these: derivatives
  /// are taken by them. Otherwise empty.
  std::vector<NodeCoordinate> coordinates = {};

  int last() const { return nodes[pieces.size()]; }  ///< its end
};

/// Scratch of strands in a step.
struct StrandScratch final : PartScratch {
  /// A node as it moves; world axes, accelerations without gravity.
  struct Node {
    Vec3 x = Vec3::Zero(), v = Vec3::Zero(), a = Vec3::Zero();
    Vec3 a_rest = Vec3::Zero();  ///< a without velocity terms
    Vec3 offset = Vec3::Zero();  ///< of rigid nodes: from the link's origin
    /// Of others than free ones: ∂x/∂q of its columns, and rates.
    Eigen::Matrix3Xd J, Jdot, Jddot;
    // of shaped nodes
    Eigen::Vector2d u = Eigen::Vector2d::Zero(), udot = u, uddot = u;
    Vec3 force = Vec3::Zero();  ///< to be handed on to its control points
  };
  struct Section {
    SectionPull pull;         ///< at the last forces
    std::vector<int> masses;  ///< blocks of its pairs of free nodes in the two layouts, row by row;
    std::vector<int> all;     ///< −1 for others
    size_t terms = 0;         ///< in `terms`
  };
  struct Terms {
    SectionTerms by_nodes;
    SectionColumns columns;  ///< by `coordinates`,
    SectionTerms by_coordinates;
    SlidingPull sliding;  ///< of sections with friction at the last forces
  };
  std::vector<Node> nodes;
  std::vector<Section> sections;
  std::vector<Terms> terms;  ///< the first one is for all plain sections, one at a time

  Terms& terms_of(size_t section) { return terms[sections[section].terms]; }
  const Terms& terms_of(size_t section) const { return terms[sections[section].terms]; }
  SectionMotion motion;  ///< of one section at a time
  SectionWorkspace kernel;
  std::vector<Vec6> row_wrench;  ///< a row of friction that holds: on links
  VecX row_tau;                  ///< and on all coordinates
  Eigen::Matrix3Xd by_q, by_rate;  ///< ∂f/∂q and ∂f/∂q̇ of one node by the columns of another
  int failed = -1;                 ///< section that could not be evaluated when forces last were
  struct Ahead {
    size_t section = 0, piece = 0;
  } ahead;  ///< the piece that will be the first without length
  // of strands with nodes that pass gates
  std::vector<int> used;                ///< sections that there are now, along their strands
  std::vector<char> inside;             ///< by mover: a free node inside a gate
  std::vector<StrandRun::Order> order;  ///< of each run, as of these
  std::vector<PlacedSection> passing;   ///< sections through gates, with the ends that they have
  std::vector<StrandSection::Obstruction> obstructions;
  Passage next;
  StrandSection::MaterialPoint place;
  StrandRun::Order order_before, order_after;
  // of strands whose ends may slip out of rings
  std::vector<std::array<int, 2>> released;  ///< rings that both ends of each have left
  struct SlipOut {
    bool found = false;
    size_t release = 0, side = 0;
  } slips_out;
  Vec3 excess = Vec3::Zero();    ///< of a node's velocity over that of its material
  std::array<VecX, 3> impulse;   ///< on all coordinates of elements,
  std::array<VecX, 3> on_state;  ///< on those of the state,
  std::array<VecX, 3> response;  ///< and the rates that it gives them
};

/// A node of a strand as it is.
struct StrandReading {
  size_t strand = 0;  ///< index into strands()
  int section = 1;    ///< number of the section that follows, along the strand
  int node = 0;       ///< index into nodes()
  bool material = true;
  int point = 0;          ///< of its strand's shape: the one that is drawn there
  Vec3 x = Vec3::Zero();  ///< world [m]
  double s = 0;           ///< material there: rest length from the strand's start [m]
  double length = 0;      ///< of the piece that follows; zero at the end [m]
  double tension = 0;     ///< in that piece, before its guide, if it is elastic [N]
  int row = 1;            ///< number of the length that is kept there, along the strand
  int guide = -1;         ///< that it runs around: index into guides(); −1: none
  double wound = 0;       ///< the angle wound there [rad]
  Vec3 entry = Vec3::Zero(), exit = Vec3::Zero();  ///< where it is met and left, world [m]
  int row_after = 1;                               ///< as `row`, behind the guide
  int zone = 0, zone_after = 0;  ///< of the section, counted from 0: friction at guides divides it
  double tension_after = 0;      ///< as `tension`, behind the guide
};

/// Why a strand cannot be evaluated, or will soon not be.
struct StrandEvent {
  enum class Kind {
    end_reached,    ///< an end of the strand is at a ring or a bead beside it
    nodes_met,      ///< two nodes through which material flows are at one place
    piece_gone,     ///< so are one of these and one that holds material
    guide_reached,  ///< a node is at the surface of a guide beside it
    unwound,        ///< nothing is left on a drum
    guide_left,     ///< it has lifted off a guide with friction, or one that it should turn
    guide_lost,     ///< the way around a guide is not known any more
  };
  Kind kind;
  size_t strand;                         ///< index into strands()
  int node, other;                       ///< the nodes of the piece: indices into nodes()
  int guide = -1;                        ///< index into guides(); −1: none
  SpanStatus status = SpanStatus::free;  ///< of the way around it
};

/// The strands of a system and their nodes. Its coordinates are those of the nodes that have their
/// own, in their order: three, the position, of those that move freely, and those of nodes on
/// curves and surfaces.
class Strands final : public Part {
 public:
  /// Throws an Error naming the node or strand at fault.
  Strands(const Skeleton& skeleton, std::vector<StrandNode> nodes, std::vector<StrandGuide> guides,
          std::vector<Strand> strands);

  const std::vector<StrandNode>& nodes() const { return tree_->nodes(); }
  const std::vector<StrandGuide>& guides() const { return guides_; }
  const std::vector<Strand>& strands() const { return strands_; }
  /// What moves them.
  const NodeTree& tree() const { return *tree_; }
  /// All nodes of all strands, in order.
  std::vector<StrandReading> read(const PartAt& at, PartScratch& scratch) const;

  /// Those of what its strands are forms of; forces have none.
  unsigned features() const override;
  std::string element_with(Feature feature) const override;
  /// Nodes of soft bodies that move freely.
  int free_vertex_count() const;
  std::unique_ptr<PartScratch> make_scratch() const override;
  int dof_count() const override { return tree_->dof_count(); }
  void lay_out(NodeLayout& masses, NodeLayout& all) const override;
  void place(VecRef q, VecRef qdot) const override;
  std::string dof_name(int dof) const override;
  ConstraintList constraints(const PartPlace& place) const override {
    return length_rows(StrandLength::fixed, place);
  }
  /// L ≤ L₀ of the sections that may be slack, and the ends of capped curves.
  std::vector<Limit> limits(const PartPlace& place) const override;
  int hold_count() const override { return static_cast<int>(holds_.size()); }
  void add_holds(const PartAt& at, PartScratch& scratch, int row, ConstraintRows& rows,
                 std::span<double> most) const override;
  bool has_mass() const override { return inertia_; }
  void add_forces(const PartAt& at, ForceForm how, PartScratch& scratch,
                  AppliedForces& out) const override;
  void add_inertial_forces(const PartAt& at, const double* qddot, PartScratch& scratch,
                           InertialForces out) const override;
  void add_mass(const PartAt& at, PartScratch& scratch, MassEntries out) const override;
  void add_mass_and_forces(const PartAt& at, const double* qddot, PartScratch& scratch,
                           PartMass& mass, InertialForces out) const override;
  void add_inertial_derivatives(const PartAt& at, const double* qddot,
                                const DerivativeWorkspace* dws, PartScratch& scratch,
                                PartDerivatives& out) const override;
  void add_force_derivatives(const PartAt& at, const double* qddot, StiffnessModel kind,
                             const DerivativeWorkspace& dws, PartScratch& scratch,
                             PartDerivatives& out) const override;
  PartEnergy energy(const PartAt& at, PartScratch& scratch) const override;
  double force_scale(const PartAt& at, const PartScratch& scratch) const override;
  bool mass_changes_fast() const override;
  bool acts_on_links_only() const override;
  PartEvent failure(const PartScratch& scratch) const override;
  bool foresees() const override;
  EventAhead look_ahead(const PartAt& at, PartScratch& scratch) const override;
  PartEvent event_ahead(const PartScratch& scratch) const override;
  /// What it is in particular: none if all went well when forces were last evaluated.
  std::optional<StrandEvent> event(const PartScratch& scratch) const;
  Obstacle obstacle() const override;
  void append_pieces(const PartAt& at, PartScratch& scratch, std::vector<int>& out) const override;
  std::string piece_name(size_t k) const override;
  bool rearranges() const override { return !runs_.empty() || !releases_.empty(); }
  bool must_rearrange(const PartAt& at, double h, PartScratch& scratch) const override;
  void rearrange(PartChange& change, PartScratch& scratch) const override;
  double mass() const override { return mass_; }
  /// "strands", and for soft bodies "vertices".
  std::vector<PartColumns> columns() const override;
  void measure(const PartAt& at, PartScratch& scratch, std::vector<double>& out) const override;
  void recall(std::span<const double> values, VecRef q) const override;
  std::vector<MovingShape> shapes() const override;
  void draw(const PartAt& at, PartScratch& scratch, std::vector<double>& points) const override;

 private:
  using Place = NodeTree::Place;
  using Section = PlacedSection;
  /// What a section requires of its nodes, three entries each, and ∂f/∂(a, x, v); empty: zero.
  struct LocalTerms {
    Eigen::Ref<const VecX> f;
    Eigen::Ref<const MatX> M, K, D;
  };

  /// Stops `first` to `last` of a route as a section.
  Section make_section(const StrandRoute& route, size_t first, size_t last, const Strand& strand,
                       double begin, double end, bool ends_change = false) const;
  void cut_sections(const StrandRoute& route, size_t strand);
  void find_vertices();
  /// Nodes that start inside a gate must be those of a run.
  void check_inside() const;
  /// The sections that a run may have.
  void cut_run(StrandRun& run);
  /// The lengths that a section keeps: its own, cut where it is gripped.
  std::vector<Section> cut_rows(const Section& section) const;
  void check_masses() const;
  ConstraintList length_rows(StrandLength kind, const PartPlace& place) const;
  /// The ends of a strand that have knots.
  void tie_knots(const StrandRoute& route, size_t strand);
  StrandEvent event_at(StrandEvent::Kind kind, const Section& section, size_t piece) const;
  /// The kind of event that a piece without length is.
  StrandEvent lost_piece(const Section& section, size_t piece) const;
  PartEvent describe(const StrandEvent& event) const;
  /// Whether nodes that must not meet are at one place.
  static bool have_met(const Section& section, const SectionPull& now) {
    return section.may_end && now.shortest <= 1e-12 * now.length;
  }
  const Place& place_of(int node) const { return tree_->place(node); }

  /// A section as it is now. Needs update_nodes.
  const Section& section(size_t index, const StrandScratch& ws) const {
    const int changing = changing_[index];
    return changing < 0 ? sections_[index] : ws.passing[static_cast<size_t>(changing)];
  }
  /// Calls f(index, section) for the sections that there are now, in order along their strands.
  template <class F>
  void for_each_section(const StrandScratch& ws, F&& f) const {
    for (const int index : ws.used) {
      const auto k = static_cast<size_t>(index);
      f(k, section(k, ws));
    }
  }
  /// A section of which an end of the strand, or both, may slip out of the rings beside it. Those
  /// with fewer rings are sections, too; numbers in coordinates say which one there is.
  struct Release {
    size_t strand;
    size_t first, last;                   ///< stops of its route
    std::array<int, 2> most = {0, 0};     ///< rings that its start and its end may leave
    std::array<int, 2> count = {-1, -1};  ///< nodes whose u are those that they have left
    std::vector<size_t> sections = {};    ///< by what its start has left, then its end

    int rings() const { return static_cast<int>(last - first) - 1; }
    size_t section(const std::array<int, 2>& left) const {
      return sections[static_cast<size_t>(left[0] * (most[1] + 1) + left[1])];
    }
  };
  void find_releases(RouteFinder& finder, const std::vector<StrandNode>& nodes, size_t strand,
                     const StrandRoute& route);
  /// The sections that may take the place of the last one that was cut.
  void cut_releases(const StrandRoute& route, size_t strand, size_t first, size_t last);
  /// The section that there is now in the place of one of ways_.
  size_t current(size_t way, const StrandScratch& ws) const;
  /// Whether a piece is between an end and a ring that it may leave.
  bool may_slip_out(size_t release, size_t side, const StrandScratch& ws) const;
  bool slips_out(size_t section, size_t piece, const StrandScratch& ws) const;
  StrandScratch::SlipOut find_slip_out(const PartAt& at, StrandScratch& ws) const;
  void slip_out(PartChange& change, StrandScratch& ws) const;
  /// A piece of this share of its section's material counts as gone: the present speeds tell the
  /// rest of its way, with an error of the square of that.
  static constexpr double kGone = 1e-5;

  void prepare_passages(StrandScratch& ws) const;
  /// Finds out which sections there are.
  void arrange(const PartAt& at, StrandScratch& ws) const;
  /// All of these nodes may act on each other. `first` is the number of the first mover.
  void connect_nodes(const std::vector<int>& nodes, int first, NodeLayout& layout) const;
  void lay_out_run(const StrandRun& run, int first, NodeLayout& layout) const;
  /// Nodes inside gates, and what counts them, rest: unit springs hold them where they are.
  void add_resting_forces(const PartAt& at, StrandScratch& ws, VecX& tau) const;
  void add_resting_mass(const PartAt& at, const double* qddot, StrandScratch& ws,
                        const MassEntries* mass, VecX* tau) const;
  void add_resting_energy(const PartAt& at, const StrandScratch& ws, PartEnergy& out) const;
  void add_resting_stiffness(const PartAt& at, StrandScratch& ws, PartDerivatives& out) const;
  /// Calls f(mover, entry, mass, place of rest) for each coordinate of these.
  template <class F>
  void for_each_resting(const double* own, const StrandScratch& ws, F&& f) const;
  Passage find_passage(const PartAt& at, double h, StrandScratch& ws) const;
  /// The same at one section.
  Passage passage_at(size_t run, size_t f, size_t g, double h, StrandScratch& ws) const;
  bool may_disappear(const Passage& passage, StrandScratch& ws) const;
  /// Writes who is beside the gates once it has passed.
  void count(const Passage& passage, StrandRun::Order& order) const;
  void write_order(size_t run, const StrandRun::Order& order, VecRef own) const;
  void disappear(PartChange& change, StrandScratch& ws) const;
  void appear(PartChange& change, StrandScratch& ws) const;
  /// Adds f · ∂x/∂q of a node to forces on all coordinates.
  void pull_back(const PartAt& at, const StrandScratch& ws, int node, const Vec3& f,
                 VecX& out) const;

  /// Positions and velocities.
  void update_nodes(const PartAt& at, StrandScratch& ws) const;
  void update_accelerations(const PartAt& at, const double* qddot, StrandScratch& ws) const;
  /// Columns of all but free nodes; with `dws` also their rates.
  void update_jacobians(const PartAt& at, const DerivativeWorkspace* dws, StrandScratch& ws) const;
  void update_rigid_columns(const PartAt& at, const DerivativeWorkspace* dws, int node,
                            StrandScratch& ws) const;
  void update_shaped_columns(bool rates, int node, StrandScratch& ws) const;
  /// Fills ws.motion for a section; for its mass without velocities if it has no velocity terms.
  void gather(const PartAt& at, const Section& section, bool for_mass, StrandScratch& ws) const;

  void measure_run(const PartAt& at, size_t run, StrandScratch& ws, std::vector<double>& out) const;
  /// The material that is drawn of a section [m].
  double drawn_length(size_t section) const;
  /// The tensions of an elastic section, along it: one, or one more than it has guides with
  /// friction. Needs gather.
  std::vector<double> tensions(size_t section, StrandScratch& ws) const;
  /// Adds the forces of a section with friction. Needs gather.
  void add_sliding(const PartAt& at, size_t section, StrandScratch& ws, AppliedForces& out) const;
  /// Adds M, if asked for, and what accelerations require, if asked for.
  void add_inertia(const PartAt& at, const double* qddot, StrandScratch& ws,
                   const MassEntries* mass, const InertialForces* out) const;
  /// The same of one section, its M if `with_mass`; the mass of its free nodes' beads is not part
  /// of it. Needs gather.
  const SectionTerms& inertia_of(size_t section, const PartAt& at, bool with_mass,
                                 StrandScratch& ws) const;
  /// Adds a force on a node; those on shaped nodes wait for hand_on.
  void push(const PartAt& at, StrandScratch& ws, int node, const Vec3& force,
            std::vector<Vec6>& wrench, VecX& tau) const;
  /// Gives the forces on shaped nodes to their coordinates and control points.
  void hand_on(const PartAt& at, StrandScratch& ws, std::vector<Vec6>& wrench, VecX& tau) const;
  void add_local_mass(const PartAt& at, size_t section, const MatX& M, StrandScratch& ws,
                      const MassEntries& out) const;
  void add_beads(const PartAt& at, StrandScratch& ws, const MassEntries* mass,
                 const InertialForces* out) const;
  /// Adds K and D, and what M does through the rates of the columns; `exact` false leaves out the
  /// rates of columns and the turning of forces with links.
  void add_local_derivatives(const PartAt& at, size_t section, const LocalTerms& terms, bool exact,
                             StrandScratch& ws, PartDerivatives& out) const;
  /// The same of a pull whose nodes are all points of bodies, by their links.
  void add_link_derivatives(const PartAt& at, const Section& section, const SectionTerms& terms,
                            bool exact, ForceDerivatives& out) const;
  /// Lists the coordinates of a section, where that pays.
  void find_coordinates(Section& section) const;
  /// Writes the columns of a section by its coordinates, with `rates` those of J̇ and J̈, too.
  void gather_columns(const Section& section, size_t index, bool rates, StrandScratch& ws) const;
  /// Adds a matrix by the coordinates of a section.
  void add_reduced(const PartAt& at, const Section& section, const MatX& value,
                   MassEntries out) const;
  /// What forces on the nodes of a section do through the columns of these.
  void add_turned_forces(const PartAt& at, const Section& section, const Eigen::Ref<const VecX>& f,
                         StrandScratch& ws, PartDerivatives& out) const;
  /// What the beads of shaped nodes do through the rates of the columns.
  void add_bead_derivatives(const PartAt& at, StrandScratch& ws, PartDerivatives& out) const;
  /// Adds f · ∂²x/∂q² for the forces that shaped nodes have been given.
  void add_bending(const PartAt& at, StrandScratch& ws, PartDerivatives& out) const;
  /// Undoes the turning of a force with the link of its node.
  void add_turning(const PartAt& at, const StrandScratch& ws, int node, const Vec3& force,
                   PartDerivatives& out) const;
  /// Adds J_aᵀ R, with R given for the columns of b.
  void add_columns(const PartAt& at, const StrandScratch& ws, int a, int b,
                   const Eigen::Ref<const Eigen::Matrix3Xd>& R, MassEntries out) const;
  Eigen::Ref<const Eigen::Matrix3Xd> columns_of(const StrandScratch& ws, int node) const;
  void find_blocks(const PartAt& at, const Section& section, const NodeLayout& layout,
                   std::vector<int>& blocks) const;

  std::vector<StrandGuide> guides_;
  std::vector<Strand> strands_;
  std::shared_ptr<const NodeTree> tree_;
  std::vector<Section> sections_;
  std::vector<StrandRun> runs_;
  std::vector<Release> releases_;
  std::vector<int> ways_;      // along all strands: sections, and −1 − the index of a run
  std::vector<int> changing_;  // of sections whose ends change: their number among these; else −1
  struct Knot {
    std::string name;
    Section piece;  // from the end to its ring, as long as it is at least
  };
  std::vector<Knot> knots_;
  /// A guide of a section that friction can hold still.
  struct Hold {
    size_t section, slip;
  };
  int guide_of(const Hold& hold) const {
    const Section& of = sections_[hold.section];
    return of.pieces[of.element.slips()[hold.slip].piece].guide;
  }
  std::vector<Hold> holds_;
  int first_frame_ = 0;          // node of the first guide's frame: four for each
  bool any_at_rest_ = false;     // some section has no velocity terms
  bool inertia_ = false;         // it has mass, or something that slides with inertia
  std::vector<int> vertices_;    // nodes of soft bodies, in order
  std::vector<char> is_vertex_;  // of all nodes
  double mass_ = 0;
};

}  // namespace sinew
