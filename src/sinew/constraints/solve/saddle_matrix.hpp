#pragma once

#include <memory>

#include "sinew/constraints/solve/multiplier_solver.hpp"
#include "sinew/dynamics/constraint.hpp"
#include "sinew/dynamics/node_matrix.hpp"

namespace sinew {

/// Factors of [A Gᵀ; R 0] where many rows lie on nodes of parts, as those of ropes that do not
/// stretch: docs/theory/constraints.md. Such a row is one more node, of one coordinate,
/// eliminated after those that it acts on: a rope costs as much as one of more nodes. Rows on links
/// alone, and those that close a loop of others, are solved for by a dense matrix of their own.
class SaddleMatrix {
 public:
  /// The nodes of A, and the number of coordinates before theirs, as elements count them.
  SaddleMatrix(const NodeLayout& nodes, int links) : nodes_(&nodes), links_(links) {}

  /// R = G unless it is given, rows × n. False if there are few such rows, or if some depend on
  /// others: then a dense solver is the better one.
  bool factor(const NodeMatrix& A, const ConstraintRows& rows, const std::vector<char>& active,
              const MatX* R = nullptr);
  /// The same A and Gᵀ, with the present G in place of R. Needs factor.
  bool refactor(const ConstraintRows& rows, const std::vector<char>& active);

  /// [A Gᵀ; R 0] (x; μ) = (b; c). In: x = b; `rows` = c. Out: x, and `rows` = μ, zero where not
  /// active.
  void solve(VecRef x, VecRef rows);
  /// x ← x − A⁻¹Gᵀ μ with R A⁻¹Gᵀ μ = `rows`, which become μ.
  void correct(VecRef x, VecRef rows);

 private:
  /// An entry of a row on a coordinate of a node.
  struct Entry {
    int row, dof;       // among those of nodes
    int node, part;     // its node, and which coordinate of that it is
    int block, across;  // blocks of (row, node) and of (node, row); −1 for rows of the border
  };
  bool same_terms(const ConstraintRows& rows) const;
  bool analyze(Eigen::Index r, const ConstraintRows& rows);
  void find_border(const std::vector<std::vector<int>>& nodes_of_rows);
  void read(const RowJacobian& G);
  void place_columns(const NodeMatrix& A, const RowJacobian& G);
  void place_rows(const std::vector<char>& active, const RowJacobian& G, const MatX* R);
  bool finish(const std::vector<char>& active);

  const NodeLayout* nodes_;
  int links_;

  // what was analysed
  Eigen::Index r_ = -1;                    // coordinates before those of nodes, of the matrices
  std::vector<std::array<int, 2>> terms_;  // row and coordinate; −1 for those of links
  bool pays_ = false;
  std::vector<Entry> entries_;
  std::vector<double> value_;  // of these, in G
  std::vector<size_t> slot_;   // of the entries of a RowJacobian, among these
  std::vector<int> number_;    // of each row: its node, or −1 − its place in the border
  std::vector<char> on_links_;
  int border_ = 0;
  std::vector<int> block_;  // of each block of A

  std::unique_ptr<NodeLayout> layout_;
  std::unique_ptr<NodeMatrix> matrix_;  // A with rows as nodes
  VecX scale_;                          // of each row: G diag(A)⁻¹ Rᵀ
  MatX G_, W_, R_, S_;                  // of the border: Gᵀ, responses to it, rows, R W
  MultiplierSolver solver_;
  std::vector<char> active_;  // of the border
  std::vector<char> on_;      // of all rows
  VecX y_, mu_, diagonal_, step_;
};

}  // namespace sinew
