#include "sinew/dynamics/node_matrix.hpp"

#include <algorithm>
#include <limits>

#include "sinew/core/error.hpp"

// With x = (x_r; x_f) and S = A_rr − A_rf A_ff⁻¹ A_fr,
//     A⁻¹:  y = A_ff⁻¹ x_f,  x_r ← S⁻¹ (x_r − A_rf y),  x_f ← y − (A_ff⁻¹ A_fr) x_r
//     A⁻ᵀ:  x_r ← S⁻ᵀ (x_r − (A_ff⁻¹ A_fr)ᵀ x_f),  x_f ← A_ff⁻ᵀ (x_f − A_rfᵀ x_r).

namespace sinew {

int NodeLayout::add_node(int size) {
  if (size < 1 || size > 3)
    throw Error("node of a part", "has " + std::to_string(size) + " coordinates",
                "give each node one to three of them");
  size_.push_back(size);
  first_.push_back(dofs_);
  row_.push_back(-1);
  late_.push_back(0);
  dofs_ += size;
  return count() - 1;
}

int NodeLayout::add_row() {
  const int node = add_node(1);
  late_.back() = 1;
  return node;
}

void NodeLayout::connect(int a, int b) { edges_.push_back({a, b}); }

void NodeLayout::couple(int node) { row_[static_cast<size_t>(node)] = 0; }

void NodeLayout::finish() {
  pattern_ = BlockPattern(count(), edges_, late_);
  coupled_.clear();
  for (int k = 0; k < count(); ++k) {
    if (row(k) < 0) continue;
    row_[static_cast<size_t>(k)] = static_cast<int>(coupled_.size());
    coupled_.push_back(k);
  }
}

void NodeLayout::gather(const double* f, VecX& padded) const {
  padded.setZero(3 * count());
  for (int k = 0; k < count(); ++k)
    for (int i = 0; i < size(k); ++i) padded[3 * k + i] = f[first(k) + i];
}

void NodeLayout::scatter(const VecX& padded, double* f) const {
  for (int k = 0; k < count(); ++k)
    for (int i = 0; i < size(k); ++i) f[first(k) + i] = padded[3 * k + i];
}

void NodeEntries::allocate(const NodeLayout& layout, Eigen::Index r) {
  ff.assign(static_cast<size_t>(layout.pattern().block_count()), Mat3::Zero());
  for (Rows* m : {&fr, &rf}) m->setZero(3 * static_cast<Eigen::Index>(layout.coupled().size()), r);
}

void NodeEntries::set_zero() {
  std::fill(ff.begin(), ff.end(), Mat3::Zero());
  fr.setZero();
  rf.setZero();
}

void symmetrize(const NodeLayout& layout, NodeEntries& entries) {
  const BlockPattern& pattern = layout.pattern();
  for (int i = 0; i < layout.count(); ++i)
    for (int b = pattern.row_begin(i); b < pattern.row_end(i); ++b) {
      if (pattern.column(b) > i) continue;
      Mat3& one = entries.ff[static_cast<size_t>(b)];
      Mat3& other = entries.ff[static_cast<size_t>(pattern.find(pattern.column(b), i))];
      const Mat3 mean = 0.5 * (one + other.transpose());
      one = mean;
      other = mean.transpose();
    }
  entries.fr = 0.5 * (entries.fr + entries.rf);
  entries.rf = entries.fr;
}

namespace {

/// Calls f(block of masses, the same of layout) for all blocks of masses, and f_rows(row, the same)
/// for the first of three rows of each of its coupled nodes.
template <class Blocks, class Rows>
void match(const NodeLayout& masses, const NodeLayout& layout, Blocks&& f, Rows&& f_rows) {
  const BlockPattern& pattern = masses.pattern();
  for (int i = 0; i < masses.count(); ++i)
    for (int b = pattern.row_begin(i); b < pattern.row_end(i); ++b)
      f(static_cast<size_t>(b), static_cast<size_t>(layout.pattern().find(i, pattern.column(b))));
  for (const int k : masses.coupled()) f_rows(3 * masses.row(k), 3 * layout.row(k));
}

}  // namespace

void copy_entries(const NodeLayout& masses, const NodeEntries& M, const NodeLayout& layout,
                  NodeEntries& out) {
  out.set_zero();
  match(
      masses, layout, [&](size_t from, size_t to) { out.ff[to] = M.ff[from]; },
      [&](int from, int to) {
        out.fr.middleRows<3>(to) = M.fr.middleRows<3>(from);
        out.rf.middleRows<3>(to) = M.rf.middleRows<3>(from);
      });
}

void combine_entries(const NodeLayout& masses, const NodeEntries& M, const NodeLayout& layout,
                     const NodeEntries& D, const NodeEntries& K, double gamma, NodeEntries& out) {
  // One pass over what is large; few entries have mass.
  const double gamma2 = gamma * gamma;
  for (size_t b = 0; b < out.ff.size(); ++b) out.ff[b] = gamma * D.ff[b] + gamma2 * K.ff[b];
  for (Eigen::Index k = 0; k < out.fr.size(); ++k) {
    out.fr.data()[k] = gamma * D.fr.data()[k] + gamma2 * K.fr.data()[k];
    out.rf.data()[k] = gamma * D.rf.data()[k] + gamma2 * K.rf.data()[k];
  }
  match(
      masses, layout,
      [&](size_t from, size_t to) {
        out.ff[to] = M.ff[from] + gamma * D.ff[to] + gamma2 * K.ff[to];
      },
      [&](int from, int to) {
        out.fr.middleRows<3>(to) = M.fr.middleRows<3>(from) + gamma * D.fr.middleRows<3>(to) +
                                   gamma2 * K.fr.middleRows<3>(to);
        out.rf.middleRows<3>(to) = M.rf.middleRows<3>(from) + gamma * D.rf.middleRows<3>(to) +
                                   gamma2 * K.rf.middleRows<3>(to);
      });
}

void add_product(const NodeLayout& layout, const MatX& rr, const NodeEntries& nodes, double c,
                 const ConstVecRef& x, VecRef out) {
  const Eigen::Index n = rr.rows();
  out.head(n).noalias() += c * rr.lazyProduct(x.head(n));
  const BlockPattern& pattern = layout.pattern();
  for (int i = 0; i < layout.count(); ++i) {
    const auto at = [&](int node) { return n + layout.first(node); };
    Vec3 sum = Vec3::Zero();
    for (int b = pattern.row_begin(i); b < pattern.row_end(i); ++b) {
      const int j = pattern.column(b);
      const Mat3& block = nodes.ff[static_cast<size_t>(b)];
      const double* const x_j = x.data() + at(j);
      Vec3 product = block.col(0) * x_j[0];
      for (int m = 1; m < layout.size(j); ++m) product += block.col(m) * x_j[m];
      sum += product;
    }
    if (const int row = layout.row(i); row >= 0) {
      sum.noalias() += nodes.fr.middleRows<3>(3 * row).lazyProduct(x.head(n));
      out.head(n).noalias() += c * nodes.rf.middleRows(3 * row, layout.size(i))
                                       .transpose()
                                       .lazyProduct(x.segment(at(i), layout.size(i)));
    }
    out.segment(at(i), layout.size(i)) += c * sum.head(layout.size(i));
  }
}

void add_transposed_product(const NodeLayout& layout, const MatX& rr, const NodeEntries& nodes,
                            double c, const ConstVecRef& x, VecRef out) {
  const Eigen::Index n = rr.rows();
  out.head(n).noalias() += c * rr.transpose().lazyProduct(x.head(n));
  const BlockPattern& pattern = layout.pattern();
  const auto own = [&](auto& vector, int node) {
    return vector.segment(n + layout.first(node), layout.size(node));
  };
  for (int i = 0; i < layout.count(); ++i) {
    const auto x_i = own(x, i);
    for (int b = pattern.row_begin(i); b < pattern.row_end(i); ++b) {
      const int j = pattern.column(b);
      const auto block =
          nodes.ff[static_cast<size_t>(b)].topLeftCorner(layout.size(i), layout.size(j));
      own(out, j).noalias() += c * block.transpose().lazyProduct(x_i);
    }
    if (const int row = layout.row(i); row >= 0) {
      out.head(n).noalias() +=
          c * nodes.fr.middleRows(3 * row, layout.size(i)).transpose().lazyProduct(x_i);
      own(out, i).noalias() +=
          c * nodes.rf.middleRows(3 * row, layout.size(i)).lazyProduct(x.head(n));
    }
  }
}

bool NodeMatrix::eliminate_nodes() {
  if (layout_->count() == 0) return true;
  if (!analyzed_) {
    node_lu_.analyze(layout_->pattern());
    analyzed_ = true;
  }
  // Nodes of fewer coordinates than three: ones for the missing ones.
  for (int k = 0; k < layout_->count(); ++k)
    for (int i = layout_->size(k); i < 3; ++i)
      nodes.ff[static_cast<size_t>(layout_->pattern().find(k, k))](i, i) = 1;
  if (!node_lu_.factor(nodes.ff)) {
    X_.setConstant(3 * layout_->count(), rr.cols(), std::numeric_limits<double>::quiet_NaN());
    return false;
  }
  X_.setZero(3 * layout_->count(), rr.cols());
  if (layout_->coupled().empty()) return true;
  reduced_ = rr;
  for (const int k : layout_->coupled())
    X_.middleRows<3>(3 * k) = nodes.fr.middleRows<3>(3 * layout_->row(k));
  node_lu_.solve_columns_in_place(X_);
  for (const int k : layout_->coupled())
    reduced_.noalias() -= nodes.rf.middleRows<3>(3 * layout_->row(k))
                              .transpose()
                              .lazyProduct(X_.middleRows<3>(3 * k));
  return true;
}

bool NodeMatrix::factor_diagonal() {
  inverse_.resize(static_cast<size_t>(layout_->count()));
  for (int k = 0; k < layout_->count(); ++k) {
    Mat3 block = nodes.ff[static_cast<size_t>(layout_->pattern().find(k, k))];
    for (int i = layout_->size(k); i < 3; ++i) block(i, i) = 1;
    inverse_[static_cast<size_t>(k)] = block.inverse();
    if (!inverse_[static_cast<size_t>(k)].allFinite()) return false;
  }
  return lu_.factor(rr);
}

void NodeMatrix::solve_diagonal_in_place(VecRef x) const {
  const Eigen::Index n = rr.rows();
  lu_.solve_in_place(x.head(n));
  for (int k = 0; k < layout_->count(); ++k) {
    auto own = x.segment(n + layout_->first(k), layout_->size(k));
    const VecXb y = own;
    own = inverse_[static_cast<size_t>(k)].topLeftCorner(y.size(), y.size()) * y;
  }
}

void NodeMatrix::reduce(VecRef& x) const {
  const Eigen::Index n = rr.rows();
  const auto f = x.tail(x.size() - n);
  // Most rows involve only the skeleton, and some systems have no nodes: nothing to solve.
  if ((f.array() == 0).all()) return;
  layout_->gather(f.data(), y_);
  node_lu_.solve_in_place(y_);
  for (const int k : layout_->coupled())
    x.head(n).noalias() -=
        nodes.rf.middleRows<3>(3 * layout_->row(k)).transpose().lazyProduct(y_.segment<3>(3 * k));
  layout_->scatter(y_, x.data() + n);
}

void NodeMatrix::extend(VecRef& x) const {
  const Eigen::Index n = rr.rows();
  for (int k = 0; k < layout_->count(); ++k)
    x.segment(n + layout_->first(k), layout_->size(k)).noalias() -=
        X_.middleRows(3 * k, layout_->size(k)).lazyProduct(x.head(n));
}

void NodeMatrix::solve_in_place(VecRef x) const {
  reduce(x);
  lu_.solve_in_place(x.head(rr.rows()));
  extend(x);
}

void NodeMatrix::solve_transposed_in_place(VecRef x) const {
  const Eigen::Index n = rr.rows();
  for (int k = 0; k < layout_->count(); ++k)
    x.head(n).noalias() -= X_.middleRows(3 * k, layout_->size(k))
                               .transpose()
                               .lazyProduct(x.segment(n + layout_->first(k), layout_->size(k)));
  lu_.solve_transposed_in_place(x.head(n));
  if (layout_->count() == 0) return;
  layout_->gather(x.data() + n, y_);
  for (const int k : layout_->coupled())
    y_.segment<3>(3 * k).noalias() -=
        nodes.rf.middleRows<3>(3 * layout_->row(k)).lazyProduct(x.head(n));
  node_lu_.solve_transposed_in_place(y_);
  layout_->scatter(y_, x.data() + n);
}

void NodeMatrix::multiply(const ConstVecRef& x, VecRef out) const {
  out.setZero();
  add_product(*layout_, rr, nodes, 1, x, out);
}

}  // namespace sinew
