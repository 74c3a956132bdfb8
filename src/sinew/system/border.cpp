#include "sinew/system/border.hpp"

// With J = ∂m/∂q_R, and x = (m(q_R); f): ∂q̇_r/∂q_R = J̇, ∂q̈_r/∂q̇_R = 2 J̇, and ∂q̈_r/∂q_R is the
// `slope` of the map. From g_R = Jᵀ g_r follow the derivatives below; those of g_R by q_R have
// (∂J/∂q_R)ᵀ g_r besides. f passes unchanged. All of this holds where m depends on time, too: J̇
// then has a part from time alone.

namespace sinew {
namespace {

class SameCoordinates final : public Border {
 public:
  SameCoordinates() : Border(false) {}
  const double* accelerations(const VecView& qddot) override { return qddot.data(); }
  double* force_room(VecRef& force) override { return force.data(); }
  void pull_force(VecRef&) override {}
  double* momentum_room(VecX& p) override { return p.data(); }
  void pull_momentum(VecX&, VecX&) override {}
  MatX pulled(const MatX& forces) const override { return forces; }
  MatX congruent(const MatX& A) const override { return A; }
  MassRoom mass_room(NodeMatrix& M) override { return {M.rr, M.nodes}; }
  void pull_mass(NodeMatrix&) override {}
  Linearization& linearization_room(Linearization& out) override { return out; }
  void pull_linearization(Linearization&) override {}
  void open_rows(ConstraintRows&) override {}
  void close_rows(ConstraintRows&, bool) override {}
  MatX& row_derivative_room(MatX& out) override { return out; }
  void pull_row_derivatives(const ConstraintRows&, MatX&) override {}
  int state_index(int dof) const override { return dof; }
  double drive_power() const override { return 0; }

 protected:
  void update(const At&) override {}
};

class MappedCoordinates final : public Border {
 public:
  MappedCoordinates(const Skeleton& skeleton, const CoordinateMap& map, const NodeLayout& masses,
                    const NodeLayout& layout)
      : Border(true),
        map_(map),
        m_(skeleton, map),
        n_(skeleton.dof_count()),
        N_(map.free_count()),
        masses_(masses) {
    if (map.drives()) {
      drift_.setZero(n_ + layout.dof_count());
      momentum_d_ = drift_;
      response_.setZero(N_ + layout.dof_count());
    }
    for (VecX* v : {&q_, &qdot_, &qddot_, &force_, &momentum_}) v->setZero(n_ + layout.dof_count());
    x_.resize(n_, masses, layout);
    for (const int node : masses.coupled())
      mass_rows_.push_back({3 * masses.row(node), 3 * layout.row(node)});
  }

  const double* accelerations(const VecView& qddot) override {
    m_.update_acceleration(qddot.head(N_));
    qddot_ << m_.qddot, qddot.tail(qddot.size() - N_);
    return qddot_.data();
  }

  double* force_room(VecRef&) override { return force_.data(); }
  void pull_force(VecRef& force) override { pull(force_, force); }
  double* momentum_room(VecX&) override { return momentum_.data(); }
  void pull_momentum(VecX& p, VecX& dL_dq) override {
    pull(momentum_, p);
    pull(force_, dL_dq);
    for (const MapValues::Entry& e : m_.entries) dL_dq[e.free] += e.Jdot * momentum_[e.dof];
  }
  MatX pulled(const MatX& forces) const override {
    MatX out(N_ + forces.rows() - n_, forces.cols());
    pull(forces, out);
    return out;
  }
  MatX congruent(const MatX& A) const override {
    MatX out = MatX::Zero(N_, N_);
    for (const MapValues::Entry& a : m_.entries)
      for (const MapValues::Entry& b : m_.entries)
        out(a.free, b.free) += a.J * A(a.dof, b.dof) * b.J;
    return out;
  }

  MassRoom mass_room(NodeMatrix&) override { return {x_.M, x_.M_nodes}; }
  void pull_mass(NodeMatrix& M) override {
    M.rr.setZero();
    for (const MapValues::Entry& a : m_.entries)
      for (const MapValues::Entry& b : m_.entries)
        M.rr(a.free, b.free) += a.J * x_.M(a.dof, b.dof) * b.J;
    pull_mass_of_nodes(M.nodes);
    update_response();
  }
  Linearization& linearization_room(Linearization&) override { return x_; }
  void pull_linearization(Linearization& out) override {
    out.M.setZero();
    out.dg_dq.setZero();
    out.dg_dqdot.setZero();
    for (const MapValues::Entry& a : m_.entries)
      for (const MapValues::Entry& b : m_.entries) {
        const double m = x_.M(a.dof, b.dof), d = x_.dg_dqdot(a.dof, b.dof);
        out.M(a.free, b.free) += a.J * m * b.J;
        out.dg_dqdot(a.free, b.free) += a.J * (d * b.J + 2 * m * b.Jdot);
        out.dg_dq(a.free, b.free) +=
            a.J * (x_.dg_dq(a.dof, b.dof) * b.J + d * b.Jdot + m * b.slope);
      }
    for (const MapValues::Curvature& k : m_.curvature)
      out.dg_dq(m_.entries[k.entry].free, k.free) += k.value * force_[m_.entries[k.entry].dof];
    pull_rows_of_nodes(out);
    update_response();
  }

  void open_rows(ConstraintRows& rows) override {
    if (rows.links_x.cols() != rows.size() || rows.links_x.rows() != n_)
      rows.links_x.setZero(n_, rows.size());
    rows.G.links.swap(rows.links_x);
  }
  void close_rows(ConstraintRows& rows, bool rates) override {
    MatX& links = rows.G.links;
    links.swap(rows.links_x);
    links.setZero(links.rows(), rows.size());
    for (const MapValues::Entry& e : m_.entries) links.row(e.free) += e.J * rows.links_x.row(e.dof);
    if (!rates) return;
    for (int r = 0; r < rows.size(); ++r) {
      const double curved = rows.links_x.col(r).dot(m_.quadratic);
      rows.Gdot_qdot[r] += curved;
      rows.bias[r] += curved;
    }
  }
  MatX& row_derivative_room(MatX& out) override {
    if (R_.rows() != out.rows() || R_.cols() != q_.size()) R_.setZero(out.rows(), q_.size());
    return R_;
  }
  void pull_row_derivatives(const ConstraintRows& rows, MatX& out) override {
    // ∂(G J q̇_R)/∂q_R = R J + G J̇.
    out.setZero();
    for (const MapValues::Entry& e : m_.entries)
      out.col(e.free) += e.J * R_.col(e.dof) + e.Jdot * rows.links_x.row(e.dof).transpose();
    out.rightCols(q_.size() - n_) = R_.rightCols(q_.size() - n_);
  }
  int state_index(int dof) const override { return map_.free_index(dof); }
  double drive_power() const override { return drift_.dot(force_); }

 protected:
  void update(const At& at) override {
    m_.update(at.q.head(N_), at.qdot.head(N_), at.t);
    if (drives()) drift_.head(n_) = m_.drift;
    q_ << m_.q, at.q.tail(at.q.size() - N_);
    qdot_ << m_.qdot, at.qdot.tail(at.qdot.size() - N_);
  }

 private:
  /// (Jᵀ y_r; y_f), column by column.
  template <class Y, class X>
  void pull(const Y& y, X&& out) const {
    out.setZero();
    for (const MapValues::Entry& e : m_.entries) out.row(e.free) += e.J * y.row(e.dof);
    out.bottomRows(y.rows() - n_) = y.bottomRows(y.rows() - n_);
  }
  void update_response() {
    if (!drives()) return;
    momentum_d_.setZero();
    add_product(masses_, x_.M, x_.M_nodes, 1, drift_, momentum_d_);
    pull(momentum_d_, response_);
  }
  void pull_mass_of_nodes(NodeEntries& out) const {
    out.ff = x_.M_nodes.ff;
    out.fr.setZero();
    out.rf.setZero();
    for (const MapValues::Entry& e : m_.entries) {
      out.fr.col(e.free) += e.J * x_.M_nodes.fr.col(e.dof);
      out.rf.col(e.free) += e.J * x_.M_nodes.rf.col(e.dof);
    }
  }
  void pull_rows_of_nodes(Linearization& out) const {
    pull_mass_of_nodes(out.M_nodes);
    out.dg_dq_nodes.ff = x_.dg_dq_nodes.ff;
    out.dg_dqdot_nodes.ff = x_.dg_dqdot_nodes.ff;
    for (NodeEntries* nodes : {&out.dg_dq_nodes, &out.dg_dqdot_nodes}) {
      nodes->fr.setZero();
      nodes->rf.setZero();
    }
    // Rows of M are those of fewer nodes: each has its own place in the other layout.
    for (const MapValues::Entry& e : m_.entries) {
      out.dg_dqdot_nodes.fr.col(e.free) += e.J * x_.dg_dqdot_nodes.fr.col(e.dof);
      out.dg_dqdot_nodes.rf.col(e.free) += e.J * x_.dg_dqdot_nodes.rf.col(e.dof);
      out.dg_dq_nodes.fr.col(e.free) +=
          e.J * x_.dg_dq_nodes.fr.col(e.dof) + e.Jdot * x_.dg_dqdot_nodes.fr.col(e.dof);
      out.dg_dq_nodes.rf.col(e.free) += e.J * x_.dg_dq_nodes.rf.col(e.dof);
      for (const auto& [mass_row, row] : mass_rows_) {
        out.dg_dqdot_nodes.fr.col(e.free).segment<3>(row) +=
            2 * e.Jdot * x_.M_nodes.fr.col(e.dof).segment<3>(mass_row);
        out.dg_dq_nodes.fr.col(e.free).segment<3>(row) +=
            e.slope * x_.M_nodes.fr.col(e.dof).segment<3>(mass_row);
      }
    }
  }

  const CoordinateMap& map_;
  MapValues m_;
  Eigen::Index n_, N_;  // coordinates of the skeleton, and the free ones
  const NodeLayout& masses_;
  VecX qddot_, force_, momentum_, momentum_d_;  // vectors of x
  Linearization x_;
  MatX R_;
  std::vector<std::pair<int, int>> mass_rows_;  // rows of M_nodes.fr; their place in the others
};

}  // namespace

std::unique_ptr<Border> make_border(const Skeleton& skeleton, const CoordinateMap* map,
                                    const NodeLayout& masses, const NodeLayout& layout) {
  if (map == nullptr) return std::make_unique<SameCoordinates>();
  return std::make_unique<MappedCoordinates>(skeleton, *map, masses, layout);
}

}  // namespace sinew
