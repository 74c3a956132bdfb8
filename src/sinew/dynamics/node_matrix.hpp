#pragma once

#include "sinew/math/block_lu.hpp"
#include "sinew/math/dense_solve.hpp"

/// Matrices of a skeleton's coordinates (r) and those of parts beside it (f), which come in nodes
/// of one to three coordinates: dense among r, sparse among f, rows over all of r if a node
/// couples to links.

namespace sinew {

/// The nodes, and the pairs that may act on each other. Parts fill it before the first use.
class NodeLayout {
 public:
  /// Adds a node of 1, 2 or 3 coordinates, the next ones of f. Returns its number.
  int add_node(int size);
  /// Adds a node of 1 coordinate whose own entry may be zero: it is eliminated after all others
  /// that it is connected to. Returns its number.
  int add_row();
  /// The two nodes may have entries in common.
  void connect(int a, int b);
  /// The node may have entries in common with coordinates of the skeleton.
  void couple(int node);
  /// Call this after the last of these.
  void finish();

  int count() const { return static_cast<int>(size_.size()); }
  int dof_count() const { return dofs_; }
  int first(int node) const { return first_[static_cast<size_t>(node)]; }  ///< in f
  int size(int node) const { return size_[static_cast<size_t>(node)]; }
  const BlockPattern& pattern() const { return pattern_; }
  /// Nodes that couple to the skeleton, ascending.
  const std::vector<int>& coupled() const { return coupled_; }
  /// Index of a node among them; −1 if it is not one.
  int row(int node) const { return row_[static_cast<size_t>(node)]; }

  /// Three entries per node: those of a vector of f, then zeros.
  void gather(const double* f, VecX& padded) const;
  void scatter(const VecX& padded, double* f) const;

 private:
  std::vector<int> size_, first_, coupled_, row_;
  std::vector<char> late_;
  int dofs_ = 0;
  std::vector<std::array<int, 2>> edges_;
  BlockPattern pattern_;
};

/// Entries of one matrix in the rows and columns of f. Entries beyond a node's size stay zero.
struct NodeEntries {
  using Rows = BlockLu::Columns;
  std::vector<Mat3> ff;  ///< one block for each block of the pattern
  Rows fr;               ///< three rows for each coupled node, a column for each coordinate of r
  Rows rf;               ///< the same for the entries (r, f), transposed

  void resize(const NodeLayout& layout, Eigen::Index r) {
    if (!fits(layout, r)) allocate(layout, r);
  }
  /// Whether it has that size.
  bool fits(const NodeLayout& layout, Eigen::Index r) const {
    return fr.cols() == r && fr.rows() == 3 * static_cast<Eigen::Index>(layout.coupled().size()) &&
           ff.size() == static_cast<size_t>(layout.pattern().block_count());
  }
  void set_zero();

  /// The block of two nodes, which must be connected or the same.
  Mat3& block(const NodeLayout& layout, int a, int b) {
    return ff[static_cast<size_t>(layout.pattern().find(a, b))];
  }
  /// The rows of a coupled node.
  auto fr_rows(const NodeLayout& layout, int node) {
    return fr.middleRows<3>(3 * layout.row(node));
  }
  auto rf_rows(const NodeLayout& layout, int node) {
    return rf.middleRows<3>(3 * layout.row(node));
  }

 private:
  void allocate(const NodeLayout& layout, Eigen::Index r);
};

/// The mean of a matrix and its transpose.
void symmetrize(const NodeLayout& layout, NodeEntries& entries);

/// out ← M, whose layout has the same nodes and no entries that `layout` has not.
void copy_entries(const NodeLayout& masses, const NodeEntries& M, const NodeLayout& layout,
                  NodeEntries& out);
/// out ← M + γ D + γ² K, the same of M.
void combine_entries(const NodeLayout& masses, const NodeEntries& M, const NodeLayout& layout,
                     const NodeEntries& D, const NodeEntries& K, double gamma, NodeEntries& out);

/// out ← out + c A x, A given by its entries among r and its others.
void add_product(const NodeLayout& layout, const MatX& rr, const NodeEntries& nodes, double c,
                 const ConstVecRef& x, VecRef out);

/// The same of Aᵀ.
void add_transposed_product(const NodeLayout& layout, const MatX& rr, const NodeEntries& nodes,
                            double c, const ConstVecRef& x, VecRef out);

/// A matrix with factors.
class NodeMatrix {
 public:
  explicit NodeMatrix(const NodeLayout& layout) : layout_(&layout) {}

  // The entries, written by the caller.
  MatX rr;
  NodeEntries nodes;

  void resize(Eigen::Index r) {
    if (rr.rows() != r) rr.resize(r, r);
    nodes.resize(*layout_, r);
  }
  /// Factors the nodes, then what they leave of rr. False where A is singular.
  bool factor() { return eliminate_nodes() && lu_.factor(reduced()); }
  /// x ← A⁻¹ x, x ← A⁻ᵀ x.
  void solve_in_place(VecRef x) const;
  void solve_transposed_in_place(VecRef x) const;
  /// Factors of rr and of each node's block separately, and x ← x over these: for iterations.
  bool factor_diagonal();
  void solve_diagonal_in_place(VecRef x) const;
  /// out ← A x.
  void multiply(const ConstVecRef& x, VecRef out) const;

  /// The first half of it: writes the Schur complement of rr after the nodes. A⁻¹ is then x ←
  /// reduce(x), the first entries by an inverse of `reduced`, x ← extend(x): for callers that have
  /// a better inverse, or want that of its symmetric part.
  bool eliminate_nodes();
  /// The only entry of a node of one coordinate when its turn came. Needs factors.
  double pivot(int node) const { return 1 / node_lu_.pivot_inverse(node)(0, 0); }
  const MatX& reduced() const { return layout_->coupled().empty() ? rr : reduced_; }
  void reduce(VecRef& x) const;
  void extend(VecRef& x) const;

 private:
  const NodeLayout* layout_;
  MatX reduced_;
  LuFactor lu_;  // factors of reduced_
  BlockLu node_lu_;
  bool analyzed_ = false;
  NodeEntries::Rows X_;        // A_ff⁻¹ A_fr, three rows for each node
  std::vector<Mat3> inverse_;  // inverses of the nodes' blocks: factor_diagonal
  mutable VecX y_;             // scratch
};

}  // namespace sinew
