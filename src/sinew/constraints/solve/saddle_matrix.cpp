#include "sinew/constraints/solve/saddle_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

// With K = [A G_nᵀ; R_n 0] of the rows on nodes and the border's rows b,
//     W = K⁻¹ (G_bᵀ; 0),   S = R_b W,   λ_b = S⁻¹ (R_b K⁻¹ (b; c_n) − c_b),   (x; μ_n) −= W λ_b.
// The pivot of a row is −G A⁻¹ Gᵀ over the nodes eliminated before it, less what earlier rows take
// of that: not zero if the rows are independent on nodes alone.

namespace sinew {
namespace {

constexpr int kFewRows = 16;          // dense solvers are as fast
constexpr double kSmallPivot = 1e-6;  // of a row, over what it would be by itself

}  // namespace

bool SaddleMatrix::same_terms(const ConstraintRows& rows) const {
  if (terms_.size() != rows.coordinate.size() + rows.twist.size()) return false;
  size_t k = 0;
  for (const ConstraintRows::CoordinateTerm& term : rows.coordinate)
    if (terms_[k++] != std::array{term.row, term.dof}) return false;
  for (const ConstraintRows::TwistTerm& term : rows.twist)
    if (terms_[k++] != std::array{term.row, -1}) return false;
  return static_cast<int>(number_.size()) == rows.size();
}

/// A component of nodes takes as many rows as it has nodes: on a straight line they have no more
/// than one direction each.
void SaddleMatrix::find_border(const std::vector<std::vector<int>>& nodes_of_rows) {
  std::vector<int> up(static_cast<size_t>(nodes_->count()));
  std::iota(up.begin(), up.end(), 0);
  std::vector<int> room(up.size(), 1);  // nodes less rows, of each root
  const auto root = [&](int node) {
    while (up[static_cast<size_t>(node)] != node) {
      up[static_cast<size_t>(node)] = up[static_cast<size_t>(up[static_cast<size_t>(node)])];
      node = up[static_cast<size_t>(node)];
    }
    return node;
  };
  border_ = 0;
  int nodes = 0;
  std::vector<int> roots;
  for (size_t r = 0; r < nodes_of_rows.size(); ++r) {
    roots.clear();
    for (const int node : nodes_of_rows[r]) roots.push_back(root(node));
    std::sort(roots.begin(), roots.end());
    roots.erase(std::unique(roots.begin(), roots.end()), roots.end());
    int sum = 0;
    for (const int k : roots) sum += room[static_cast<size_t>(k)];
    if (sum == 0) {
      number_[r] = -1 - border_++;
      continue;
    }
    for (const int k : roots) up[static_cast<size_t>(k)] = roots.front();
    room[static_cast<size_t>(roots.front())] = sum - 1;
    number_[r] = nodes_->count() + nodes++;
  }
  pays_ = nodes >= kFewRows && border_ <= nodes;
}

bool SaddleMatrix::analyze(Eigen::Index r, const ConstraintRows& rows) {
  r_ = r;
  terms_.clear();
  number_.assign(static_cast<size_t>(rows.size()), 0);
  on_links_.assign(number_.size(), 0);
  std::vector<int> node_of(static_cast<size_t>(nodes_->dof_count()));
  for (int node = 0; node < nodes_->count(); ++node)
    for (int i = 0; i < nodes_->size(node); ++i)
      node_of[static_cast<size_t>(nodes_->first(node) + i)] = node;
  std::vector<std::array<int, 2>> on_nodes;
  for (const ConstraintRows::CoordinateTerm& term : rows.coordinate) {
    terms_.push_back({term.row, term.dof});
    if (term.dof < links_)
      on_links_[static_cast<size_t>(term.row)] = 1;
    else
      on_nodes.push_back({term.row, term.dof - links_});
  }
  for (const ConstraintRows::TwistTerm& term : rows.twist) {
    terms_.push_back({term.row, -1});
    on_links_[static_cast<size_t>(term.row)] = 1;
  }
  std::sort(on_nodes.begin(), on_nodes.end());
  on_nodes.erase(std::unique(on_nodes.begin(), on_nodes.end()), on_nodes.end());
  std::vector<std::vector<int>> nodes_of_rows(number_.size());
  entries_.clear();
  for (const auto& [row, f] : on_nodes) {
    const int node = node_of[static_cast<size_t>(f)];
    entries_.push_back({row, f, node, f - nodes_->first(node), -1, -1});
    std::vector<int>& of_row = nodes_of_rows[static_cast<size_t>(row)];
    if (of_row.empty() || of_row.back() != node) of_row.push_back(node);
  }
  find_border(nodes_of_rows);
  if (!pays_) return false;
  value_.resize(entries_.size());
  slot_.clear();
  for (int row = 0; row < rows.size(); ++row)
    for (const RowJacobian::Entry* e = rows.G.begin(row); e != rows.G.end(row); ++e) {
      const auto found =
          std::lower_bound(on_nodes.begin(), on_nodes.end(), std::array{row, e->dof});
      slot_.push_back(static_cast<size_t>(found - on_nodes.begin()));
    }

  layout_ = std::make_unique<NodeLayout>();
  const BlockPattern& old = nodes_->pattern();
  for (int node = 0; node < nodes_->count(); ++node) {
    layout_->add_node(nodes_->size(node));
    if (nodes_->row(node) >= 0) layout_->couple(node);
    for (int b = old.row_begin(node); b < old.row_end(node); ++b)
      if (old.column(b) < node) layout_->connect(node, old.column(b));
  }
  for (size_t row = 0; row < number_.size(); ++row) {
    if (number_[row] < 0) continue;
    layout_->add_row();
    for (const int node : nodes_of_rows[row]) layout_->connect(number_[row], node);
    if (on_links_[row] && r_ > 0) layout_->couple(number_[row]);
  }
  layout_->finish();
  matrix_ = std::make_unique<NodeMatrix>(*layout_);
  matrix_->resize(r_);
  const BlockPattern& pattern = layout_->pattern();
  block_.clear();
  for (int node = 0; node < nodes_->count(); ++node)
    for (int b = old.row_begin(node); b < old.row_end(node); ++b)
      block_.push_back(pattern.find(node, old.column(b)));
  for (Entry& entry : entries_) {
    const int own = number_[static_cast<size_t>(entry.row)];
    if (own < 0) continue;
    entry.block = pattern.find(own, entry.node);
    entry.across = pattern.find(entry.node, own);
  }
  const Eigen::Index n = r_ + nodes_->dof_count();
  const Eigen::Index size = n + rows.size() - border_;
  y_.resize(size);
  W_.resize(size, border_);
  R_.resize(border_, n);
  S_.resize(border_, border_);
  mu_.resize(border_);
  solver_.resize(border_);
  scale_.resize(rows.size());
  diagonal_.resize(nodes_->dof_count());
  active_.resize(static_cast<size_t>(border_));
  return true;
}

/// The entries of G.
void SaddleMatrix::read(const RowJacobian& G) {
  std::fill(value_.begin(), value_.end(), 0);
  size_t k = 0;
  for (int row = 0; row < G.rows(); ++row)
    for (const RowJacobian::Entry* e = G.begin(row); e != G.end(row); ++e)
      value_[slot_[k++]] += e->value;
}

void SaddleMatrix::place_columns(const NodeMatrix& A, const RowJacobian& G) {
  matrix_->rr = A.rr;
  NodeEntries& out = matrix_->nodes;
  out.set_zero();
  for (size_t b = 0; b < block_.size(); ++b) out.ff[static_cast<size_t>(block_[b])] = A.nodes.ff[b];
  for (const int node : nodes_->coupled()) {
    out.fr_rows(*layout_, node) = A.nodes.fr.middleRows<3>(3 * nodes_->row(node));
    out.rf_rows(*layout_, node) = A.nodes.rf.middleRows<3>(3 * nodes_->row(node));
  }
  for (int node = 0; node < nodes_->count(); ++node) {
    const Mat3& block = A.nodes.ff[static_cast<size_t>(nodes_->pattern().find(node, node))];
    for (int i = 0; i < nodes_->size(node); ++i) diagonal_[nodes_->first(node) + i] = block(i, i);
  }
  W_.setZero();
  for (size_t k = 0; k < entries_.size(); ++k) {
    const Entry& entry = entries_[k];
    const int own = number_[static_cast<size_t>(entry.row)];
    if (own < 0)
      W_(r_ + entry.dof, -1 - own) = value_[k];
    else
      out.ff[static_cast<size_t>(entry.across)](entry.part, 0) = value_[k];
  }
  for (size_t row = 0; row < number_.size(); ++row) {
    if (!on_links_[row]) continue;
    const auto g = G.links.col(static_cast<Eigen::Index>(row));
    if (number_[row] < 0)
      W_.col(-1 - number_[row]).head(r_) = g;
    else if (r_ > 0)
      out.rf_rows(*layout_, number_[row]).row(0) = g.transpose();
  }
}

void SaddleMatrix::place_rows(const std::vector<char>& active, const RowJacobian& G,
                              const MatX* R) {
  NodeEntries& out = matrix_->nodes;
  scale_.setZero();
  R_.setZero();
  on_ = active;
  for (size_t row = 0; row < number_.size(); ++row) {
    if (number_[row] < 0) {
      active_[static_cast<size_t>(-1 - number_[row])] = active[row];
      continue;
    }
    out.block(*layout_, number_[row], number_[row])(0, 0) = active[row] ? 0 : 1;
  }
  for (size_t k = 0; k < entries_.size(); ++k) {
    const Entry& at = entries_[k];
    const auto row = static_cast<size_t>(at.row);
    const double value = R == nullptr ? value_[k] : (*R)(at.row, r_ + at.dof);
    if (number_[row] < 0) {
      R_(-1 - number_[row], r_ + at.dof) = value;
      continue;
    }
    out.ff[static_cast<size_t>(at.block)](0, at.part) = active[row] ? value : 0;
    scale_[at.row] +=
        std::abs(value * out.ff[static_cast<size_t>(at.across)](at.part, 0) / diagonal_[at.dof]);
  }
  for (size_t row = 0; row < number_.size(); ++row) {
    if (!on_links_[row]) continue;
    for (Eigen::Index k = 0; k < r_; ++k) {
      const auto r = static_cast<Eigen::Index>(row);
      const double value = R == nullptr ? G.links(k, r) : (*R)(r, k);
      if (number_[row] < 0)
        R_(-1 - number_[row], k) = value;
      else
        out.fr_rows(*layout_, number_[row])(0, k) = active[row] ? value : 0;
    }
  }
}

bool SaddleMatrix::finish(const std::vector<char>& active) {
  if (!matrix_->factor()) return false;
  for (size_t row = 0; row < number_.size(); ++row)
    if (number_[row] >= 0 && active[row] &&
        !(std::abs(matrix_->pivot(number_[row])) >=
          kSmallPivot * scale_[static_cast<Eigen::Index>(row)]))
      return false;
  if (border_ == 0) return true;
  for (Eigen::Index b = 0; b < border_; ++b) matrix_->solve_in_place(W_.col(b));
  S_.noalias() = R_.lazyProduct(W_.topRows(R_.cols()));
  return solver_.factor(S_, active_, false);
}

bool SaddleMatrix::factor(const NodeMatrix& A, const ConstraintRows& rows,
                          const std::vector<char>& active, const MatX* R) {
  if (rows.size() < kFewRows || nodes_->count() == 0) return false;
  if (A.rr.rows() == r_ && same_terms(rows)) {
    if (!pays_) return false;
  } else if (!analyze(A.rr.rows(), rows)) {
    return false;
  }
  read(rows.G);
  place_columns(A, rows.G);
  G_ = W_;
  place_rows(active, rows.G, R);
  return finish(active);
}

bool SaddleMatrix::refactor(const ConstraintRows& rows, const std::vector<char>& active) {
  if (!same_terms(rows)) return false;
  W_ = G_;
  read(rows.G);
  place_rows(active, rows.G, nullptr);
  return finish(active);
}

void SaddleMatrix::solve(VecRef x, VecRef rows) {
  const Eigen::Index n = x.size();
  y_.head(n) = x;
  for (size_t row = 0; row < number_.size(); ++row) {
    const double c = rows[static_cast<Eigen::Index>(row)];
    if (number_[row] < 0)
      mu_[-1 - number_[row]] = -c;
    else
      y_[n + number_[row] - nodes_->count()] = on_[row] ? c : 0;
  }
  matrix_->solve_in_place(y_);
  if (border_ > 0) {
    mu_.noalias() += R_.lazyProduct(y_.head(n));
    solver_.solve_in_place(mu_);
    y_.noalias() -= W_.lazyProduct(mu_);
  }
  x = y_.head(n);
  for (size_t row = 0; row < number_.size(); ++row)
    rows[static_cast<Eigen::Index>(row)] =
        number_[row] < 0 ? mu_[-1 - number_[row]] : y_[n + number_[row] - nodes_->count()];
}

void SaddleMatrix::correct(VecRef x, VecRef rows) {
  step_.setZero(x.size());
  rows = -rows;
  solve(step_, rows);
  x += step_;
}

}  // namespace sinew
