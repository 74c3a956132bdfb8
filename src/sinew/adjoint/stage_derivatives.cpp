#include "sinew/adjoint/stage_derivatives.hpp"

namespace sinew {

Eigen::Index row_count(const System& system) {
  Eigen::Index out = 0;
  for (const auto& constraint : system.constraints()) out += constraint->rows();
  return out;
}

void MotionVectors::set_zero(const System& system) {
  for (VecX* x : {&q, &qdot, &qddot}) x->setZero(system.dof_count());
  z.setZero(system.internal_count());
  lambda.setZero(row_count(system));
}

namespace {

/// out ← out + c K x, or Kᵀ x, of one of the matrices of a linearisation.
void add(const System& system, const MatX& rr, const NodeEntries& nodes, double c, const VecX& x,
         VecX& out) {
  add_product(system.nodes(), rr, nodes, c, x, out);
}
void add_transposed(const System& system, const MatX& rr, const NodeEntries& nodes, double c,
                    const VecX& x, VecX& out) {
  add_transposed_product(system.nodes(), rr, nodes, c, x, out);
}

}  // namespace

StageDerivatives::StageDerivatives(const System& system)
    : system_(system), A_(system.nodes()), g_(system.dof_count()) {}

bool StageDerivatives::update(const StepTape::Stage& stage, const VecX& controls, double beta,
                              Workspace& ws) {
  gamma_ = stage.gamma;
  const At at(stage.t, stage.q, stage.qdot, stage.c_z, gamma_, controls);
  linearize(system_, at, stage.qddot, stage.lambda, PartInertia::exact, ws, g_, at_);
  assemble_stage_matrix(system_, at_, gamma_, A_);
  if (!A_.factor()) return false;
  control_derivatives(system_, at, ws, B_);
  if (stage.c_z.size() > 0) internal_derivatives(system_, at, ws, internal_);
  const ConstraintRows& rows = ws.constraints.rows;
  if (rows.size() == 0) return true;
  G_ = rows.Gt().transpose();
  Q_.resize(rows.size(), g_.size());
  row_rate_derivatives(system_, ws, Q_);
  // Only rows on positions have values.
  if (beta != 0)
    for (Eigen::Index r = 0; r < rows.size(); ++r)
      if (ws.constraints.position[static_cast<size_t>(r)]) Q_.row(r) += beta * G_.row(r);
  R_ = G_ + gamma_ * Q_;
  W_ = rows.Gt();
  for (Eigen::Index r = 0; r < W_.cols(); ++r) A_.solve_in_place(W_.col(r));
  rows_ = rows.rate + beta * rows.value;
  rows_.noalias() += G_ * stage.qdot;
  rows_ /= gamma_;
  product_.noalias() = R_.lazyProduct(W_);
  return S_.factor(product_);
}

// Hᵀ (w; ρ) = (q̈̄; λ̄) with H = [A Gᵀ; R 0]: ρ = (R W)⁻ᵀ (Wᵀ q̈̄ − λ̄), w = A⁻ᵀ (q̈̄ − Rᵀρ).
double StageDerivatives::pull_back(MotionVectors& x, VecX& controls) {
  const bool has_internal = x.z.size() > 0;
  if (has_internal) {
    x.q.noalias() += internal_.by_coordinates.transpose() * x.z;
    c_z_.setZero(x.z.size());
    for (const auto& [row, column, value] : internal_.by_start) c_z_[column] += value * x.z[row];
    x.z = c_z_;
  }
  x.qdot += gamma_ * x.q;
  x.qddot += gamma_ * x.qdot;
  w_ = x.qddot;
  const bool has_rows = G_.rows() > 0;
  if (has_rows) {
    rho_.noalias() = W_.transpose() * w_;
    rho_ -= x.lambda;
    S_.solve_transposed_in_place(rho_);
    w_.noalias() -= R_.transpose() * rho_;
  }
  A_.solve_transposed_in_place(w_);
  sum_.setZero(w_.size());
  add_transposed(system_, at_.dg_dq, at_.dg_dq_nodes, 1, w_, sum_);
  if (has_rows) {
    scaled_ = rho_ / gamma_;
    sum_.noalias() += Q_.transpose() * scaled_;
  }
  x.q -= sum_;
  x.qdot -= gamma_ * sum_;
  add_transposed(system_, at_.dg_dqdot, at_.dg_dqdot_nodes, -1, w_, x.qdot);
  double left = w_.dot(g_);
  if (has_rows) {
    x.qdot.noalias() -= G_.transpose() * scaled_;
    left += rho_.dot(rows_);
  }
  controls.noalias() += B_.transpose() * w_;
  if (has_internal) x.z.noalias() += internal_.force_by_start.transpose() * w_;
  return left;
}

void StageDerivatives::push_forward(MotionVectors& x, const VecX& controls, const Change& change) {
  // What c_q and c_v change at constant q̈.
  sum_ = x.q + gamma_ * x.qdot;
  const bool has_internal = x.z.size() > 0;
  w_.noalias() = B_ * controls;
  if (has_internal) w_.noalias() += internal_.force_by_start * x.z;
  if (change.g.size() > 0) w_ -= change.g;
  add(system_, at_.dg_dq, at_.dg_dq_nodes, -1, sum_, w_);
  add(system_, at_.dg_dqdot, at_.dg_dqdot_nodes, -1, x.qdot, w_);
  A_.solve_in_place(w_);
  if (G_.rows() > 0) {
    rho_.noalias() = R_ * w_ + (Q_ * sum_ + G_ * x.qdot) / gamma_;
    if (change.rows.size() > 0) rho_ += change.rows;
    S_.solve_in_place(rho_);
    w_.noalias() -= W_ * rho_;
    x.lambda = rho_;
  }
  x.qddot = w_;
  x.qdot += gamma_ * x.qddot;
  x.q += gamma_ * x.qdot;
  if (!has_internal) return;
  c_z_ = x.z;
  x.z.noalias() = internal_.by_coordinates * x.q;
  for (const auto& [row, column, value] : internal_.by_start) x.z[row] += value * c_z_[column];
  if (change.z.size() > 0) x.z += change.z;
}

ProjectionDerivatives::ProjectionDerivatives(const System& system)
    : system_(system),
      M_(system.nodes()),
      g_(system.dof_count()),
      zero_(VecX::Zero(system.dof_count())) {
  const Workspace ws(system);
  const ConstraintWorkspace& c = ws.constraints;
  for (int r = 0; r < c.rows.size(); ++r) {
    if (c.position[static_cast<size_t>(r)]) position_.rows.push_back(r);
    if (c.holding[static_cast<size_t>(r)]) velocity_.rows.push_back(r);
  }
}

bool ProjectionDerivatives::update(const StepTape::Stage& stage, const VecX& controls,
                                   const ConstVecRef& q_end, const ConstVecRef& qdot_end,
                                   Workspace& ws) {
  q_end_ = q_end;
  qdot_end_ = qdot_end;
  const At end(stage.t, q_end, qdot_end, stage.c_z, 0, controls);
  const ConstraintRows& rows = ws.constraints.rows;
  lambda_.setZero(rows.size());
  linearize(system_, end, zero_, lambda_, PartInertia::mass_alone, ws, g_, at_);
  Q_end_.resize(rows.size(), g_.size());
  row_rate_derivatives(system_, ws, Q_end_);
  G_end_ = rows.Gt().transpose();
  value_end_ = rows.value;
  rate_end_ = rows.rate;
  rate_end_.noalias() += G_end_ * qdot_end_;

  const At start(stage.t, stage.q, zero_, stage.c_z, 0, controls);
  linearize(system_, start, zero_, lambda_, PartInertia::exact, ws, g_, at_rest_);
  M_.resize(at_rest_.M.rows());
  M_.rr = at_rest_.M;
  copy_entries(system_.masses(), at_rest_.M_nodes, system_.nodes(), M_.nodes);
  if (!M_.factor()) return false;
  Gt_ = W_ = rows.Gt();
  for (Eigen::Index r = 0; r < W_.cols(); ++r) M_.solve_in_place(W_.col(r));
  q_ = stage.q;
  qdot_ = stage.qdot;
  return update_pair(start, q_, q_end_, value_end_, position_, ws) &&
         update_pair(start, qdot_, qdot_end_, rate_end_, velocity_, ws);
}

bool ProjectionDerivatives::update_pair(const At& start, const VecX& q_or_qdot, const VecX& end,
                                        const VecX& rows_left, Pair& pair, Workspace& ws) {
  const auto m = static_cast<Eigen::Index>(pair.rows.size());
  VecX& change = pair.move.change;
  change = end - q_or_qdot;
  pair.move.multipliers.setZero(lambda_.size());
  if (m == 0) return true;
  const Eigen::Index n = change.size();
  pair.G_end.resize(m, n);
  pair.W.resize(n, m);
  pair.G.resize(m, n);
  pair.rows_left.resize(m);
  for (Eigen::Index k = 0; k < m; ++k) {
    const Eigen::Index r = pair.rows[static_cast<size_t>(k)];
    pair.G_end.row(k) = G_end_.row(r);
    pair.W.col(k) = W_.col(r);
    pair.G.row(k) = Gt_.col(r).transpose();
    pair.rows_left[k] = rows_left[r];
  }
  pair.product.noalias() = pair.G.lazyProduct(pair.W);
  if (!pair.S.factor(pair.product)) return false;
  pair.multiplier.noalias() = -pair.G.lazyProduct(change);
  pair.S.solve_in_place(pair.multiplier);
  for (Eigen::Index k = 0; k < m; ++k)
    pair.move.multipliers[pair.rows[static_cast<size_t>(k)]] = pair.multiplier[k];
  const double size = change.lpNorm<Eigen::Infinity>();
  pair.dM.setZero(n, n);
  pair.left = change;
  pair.left.noalias() += pair.W.lazyProduct(pair.multiplier);
  if (size > 0) {
    if (!(pair.left.lpNorm<Eigen::Infinity>() <= 1e-6 * size + 1e-12)) return false;
    // M δ + Gᵀμ is linear in (δ, μ): their effect on ∂g/∂q, in units of the change.
    lambda_ = pair.move.multipliers / size;
    scaled_ = change / size;
    linearize(system_, start, scaled_, lambda_, PartInertia::exact, ws, g_, at_);
    unit_.setZero(n);
    for (Eigen::Index k = 0; k < n; ++k) {
      unit_[k] = size;
      column_.setZero(n);
      add(system_, at_.dg_dq, at_.dg_dq_nodes, 1, unit_, column_);
      add(system_, at_rest_.dg_dq, at_rest_.dg_dq_nodes, -1, unit_, column_);
      pair.dM.col(k) = column_;
      unit_[k] = 0;
    }
  }
  pair.product.noalias() = pair.G_end.lazyProduct(pair.W);
  return pair.S.factor(pair.product);
}

// The adjoint x of the first equation of a pair satisfies G x = 0, M x + G₁ᵀξ = q̄₁: so
// ξ = (G₁ W)⁻ᵀ Wᵀ q̄₁, M x = q̄₁ − G₁ᵀξ.
double ProjectionDerivatives::pull_back(MotionVectors& v) {
  const Eigen::Index n = v.q.size(), m = lambda_.size();
  VecX& q_bar = column_;  // of q
  q_bar.setZero(n);
  adjoints_.setZero(2 * (n + m));
  double left = 0;
  const auto go_back = [&](Pair& pair, Eigen::Index rows, VecX& bar) {
    if (pair.rows.empty()) return;
    pair.multiplier.noalias() = pair.W.transpose().lazyProduct(bar);
    pair.S.solve_transposed_in_place(pair.multiplier);
    bar.noalias() -= pair.G_end.transpose().lazyProduct(pair.multiplier);
    left += pair.multiplier.dot(pair.rows_left);
    for (size_t k = 0; k < pair.rows.size(); ++k)
      adjoints_[rows + pair.rows[k]] = pair.multiplier[static_cast<Eigen::Index>(k)];
  };
  const auto add_mass_terms = [&](const Pair& pair, Eigen::Index place, const VecX& bar) {
    if (pair.rows.empty()) return;
    auto x = adjoints_.segment(place, n);
    x = bar;
    M_.solve_in_place(x);
    left += bar.dot(pair.left);
    q_bar.noalias() -= pair.dM.transpose().lazyProduct(x);
  };
  go_back(velocity_, 2 * n + m, v.qdot);
  add_mass_terms(velocity_, n, v.qdot);
  for (size_t k = 0; k < velocity_.rows.size(); ++k)
    v.q -= Q_end_.row(velocity_.rows[k]).transpose() *
           velocity_.multiplier[static_cast<Eigen::Index>(k)];
  go_back(position_, 2 * n, v.q);
  add_mass_terms(position_, 0, v.q);
  v.q += q_bar;
  return left;
}

void ProjectionDerivatives::push_forward(MotionVectors& v, const VecX& by_parameters) {
  const VecX dq = v.q;
  const Eigen::Index n = dq.size(), m = lambda_.size();
  const auto go_on = [&](Pair& pair, Eigen::Index place, VecX& rows, VecX& x) {
    if (pair.rows.empty()) return;
    VecX change = pair.dM * dq;
    if (by_parameters.size() > 0) change += by_parameters.segment(place, n);
    M_.solve_in_place(change);
    x -= change;
    pair.multiplier = pair.G_end * x + rows;
    pair.S.solve_in_place(pair.multiplier);
    x.noalias() -= pair.W * pair.multiplier;
  };
  const auto change_of_rows = [&](const Pair& pair, Eigen::Index place) {
    VecX out = VecX::Zero(static_cast<Eigen::Index>(pair.rows.size()));
    for (size_t k = 0; k < pair.rows.size() && by_parameters.size() > 0; ++k)
      out[static_cast<Eigen::Index>(k)] = by_parameters[place + pair.rows[k]];
    return out;
  };
  VecX rows = change_of_rows(position_, 2 * n);
  go_on(position_, 0, rows, v.q);
  rows = change_of_rows(velocity_, 2 * n + m);
  for (size_t k = 0; k < velocity_.rows.size(); ++k)
    rows[static_cast<Eigen::Index>(k)] += Q_end_.row(velocity_.rows[k]).dot(v.q);
  go_on(velocity_, n, rows, v.qdot);
}

}  // namespace sinew
