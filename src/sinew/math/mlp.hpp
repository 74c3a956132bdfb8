#pragma once

#include <cstring>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "sinew/math/dual.hpp"

/// A multilayer perceptron: affine maps with tanh between them, a linear head, and a fixed scaling
/// of inputs and outputs. It is evaluated with numbers that carry derivatives (dual.hpp), so that
/// its Jacobian and the Jacobian's rate are exact:
///     T = double                            value
///     T = Dual<double, n>, inputs seeded    value and Jacobian
///     T = Taylor2<double>                   value, J ẋ and J ẍ + J̇ ẋ along a motion
///     T = Dual<Dual<double, 1>, n>          value, Jacobian J, and its rate J̇
/// A number of k components is k columns of one matrix. Affine maps act on every column alike (the
/// bias on the value's column alone) as matrix-matrix products over all points at once; tanh mixes
/// the columns of one number. Every column is summed in the same order regardless of their number:
/// a batch gives the bits of single evaluations.

namespace sinew {

/// Memory of an evaluation; grows to the largest one seen and is then allocation-free. One per
/// thread.
struct MlpScratch {
  std::vector<double> from, to;
};

class Mlp {
 public:
  /// y = W x + b; W by rows.
  struct Layer {
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> W;
    VecX b;
  };
  /// Network input = (input − offset) ⊙ scale; output = offset + scale ⊙ network output.
  struct Scaling {
    VecX offset, scale;
  };

  Mlp() = default;
  /// At least one layer; sizes of neighbours must agree.
  Mlp(const std::vector<Layer>& layers, Scaling inputs, Scaling outputs);

  int inputs() const { return static_cast<int>(in_.offset.size()); }
  int outputs() const { return static_cast<int>(out_.offset.size()); }
  /// Number of weights and biases.
  int weights() const;

  /// Point p has its inputs at in[p·inputs() …] and its outputs at out[p·outputs() …].
  template <class T>
  void evaluate(std::span<const T> in, std::span<T> out, MlpScratch& scratch) const;

 private:
  /// Rows in blocks of kBlock, each block by columns: the order in which `affine` reads them.
  static constexpr int kBlock = 8;
  struct PackedLayer {
    int rows = 0, cols = 0, blocks = 0;
    std::vector<double> W, b;
  };

  /// to(:, j) = W from(:, j), + b where j is a multiple of `stride`; columns of leading size ld_.
  void affine(const PackedLayer& layer, const double* from, int columns, int stride,
              double* to) const;

  std::vector<PackedLayer> layers_;
  Scaling in_, out_;
  int ld_ = 0;  ///< rows of the widest layer, padded to blocks
};

template <class T>
void Mlp::evaluate(std::span<const T> in, std::span<T> out, MlpScratch& scratch) const {
  // A number is its components, the value first: these bytes are read that way.
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % sizeof(double) == 0);
  static constexpr int kParts = sizeof(T) / sizeof(double);
  const int n = inputs(), m = outputs(), points = static_cast<int>(in.size()) / n;
  const auto needed = static_cast<size_t>(ld_) * static_cast<size_t>(points * kParts);
  if (scratch.from.size() < needed) {
    scratch.from.resize(needed);
    scratch.to.resize(needed);
  }
  const auto cell = [this](std::vector<double>& columns, int p, int row) {
    return columns.data() + static_cast<size_t>(p * kParts) * static_cast<size_t>(ld_) + row;
  };
  const auto store = [this](const T& x, double* at) {
    double parts[kParts];
    std::memcpy(parts, &x, sizeof(T));
    for (int c = 0; c < kParts; ++c, at += ld_) *at = parts[c];
  };
  const auto load = [this](const double* at) {
    double parts[kParts];
    for (int c = 0; c < kParts; ++c, at += ld_) parts[c] = *at;
    T x;
    std::memcpy(&x, parts, sizeof(T));
    return x;
  };

  for (int p = 0; p < points; ++p)
    for (int k = 0; k < n; ++k) {
      const T& x = in[static_cast<size_t>(p * n + k)];
      store(T((x - in_.offset[k]) * in_.scale[k]), cell(scratch.from, p, k));
    }
  for (size_t l = 0; l < layers_.size(); ++l) {
    affine(layers_[l], scratch.from.data(), points * kParts, kParts, scratch.to.data());
    if (l + 1 < layers_.size())
      for (int p = 0; p < points; ++p)
        for (int k = 0; k < layers_[l].rows; ++k) {
          using std::tanh;
          double* at = cell(scratch.to, p, k);
          store(tanh(load(at)), at);
        }
    std::swap(scratch.from, scratch.to);
  }
  for (int p = 0; p < points; ++p)
    for (int k = 0; k < m; ++k)
      out[static_cast<size_t>(p * m + k)] =
          load(cell(scratch.from, p, k)) * out_.scale[k] + out_.offset[k];
}

}  // namespace sinew
