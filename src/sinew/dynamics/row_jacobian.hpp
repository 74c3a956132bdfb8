#pragma once

#include <algorithm>
#include <vector>

#include "sinew/math/short_vectors.hpp"
#include "sinew/math/types.hpp"

namespace sinew {

/// Gᵀ of rows: dense on the first coordinates, those of links, and sparse on those of parts behind
/// them, of which a row has few.
class RowJacobian {
 public:
  /// An entry of a row on a coordinate of parts, counted among these. A coordinate may have
  /// several.
  struct Entry {
    int dof;
    double value;
  };

  RowJacobian(Eigen::Index on_links, Eigen::Index on_parts, int rows)
      : links(MatX::Zero(on_links, rows)), parts_(on_parts), start_(count(rows) + 1, 0) {}

  MatX links;  ///< a column for each row

  /// All rows become zero.
  void set_zero();
  /// The same, with room for other rows.
  void resize(int rows);
  /// Writes the entries on parts, of rows in any order: `for_each(f)` calls f(row, dof, value) for
  /// all of them, as often as it is called. After this `links` must not change.
  template <class ForEach>
  void place_parts(ForEach&& for_each);

  int rows() const { return static_cast<int>(links.cols()); }
  Eigen::Index dofs() const { return links.rows() + parts_; }
  const Entry* begin(int row) const { return entries_.data() + start_[count(row)]; }
  const Entry* end(int row) const { return entries_.data() + start_[count(row) + 1]; }

  /// Row r times x.
  double dot(int r, const double* x) const {
    double sum = short_dot(links.rows(), links.data() + r * links.rows(), x);
    for (const Entry* e = begin(r); e != end(r); ++e) sum += e->value * x[links.rows() + e->dof];
    return sum;
  }
  /// All of it. Written where it is first asked for.
  const MatX& dense() const;

 private:
  static size_t count(int rows) { return static_cast<size_t>(rows); }

  Eigen::Index parts_;
  std::vector<int> start_;  // of the entries of each row; their number
  std::vector<Entry> entries_;
  mutable MatX dense_;
  mutable bool fresh_ = false;
};

template <class ForEach>
void RowJacobian::place_parts(ForEach&& for_each) {
  fresh_ = false;
  std::fill(start_.begin(), start_.end(), 0);
  for_each([&](int row, int, double) { ++start_[count(row) + 1]; });
  for (size_t r = 1; r < start_.size(); ++r) start_[r] += start_[r - 1];
  entries_.resize(count(start_.back()));
  // Each row's start moves to its end, which is where the next one starts.
  for_each([&](int row, int dof, double value) {
    entries_[count(start_[count(row)]++)] = {dof, value};
  });
  for (size_t r = start_.size() - 1; r > 0; --r) start_[r] = start_[r - 1];
  start_[0] = 0;
}

}  // namespace sinew
