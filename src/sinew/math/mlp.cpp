#include "sinew/math/mlp.hpp"

#include <algorithm>

namespace sinew {

Mlp::Mlp(const std::vector<Layer>& layers, Scaling inputs, Scaling outputs)
    : in_(std::move(inputs)), out_(std::move(outputs)) {
  eigen_assert(!layers.empty() && layers.front().W.cols() == in_.offset.size() &&
               layers.back().W.rows() == out_.offset.size());
  int widest = static_cast<int>(in_.offset.size());
  for (const Layer& layer : layers) {
    PackedLayer packed;
    packed.rows = static_cast<int>(layer.W.rows());
    packed.cols = static_cast<int>(layer.W.cols());
    packed.blocks = (packed.rows + kBlock - 1) / kBlock;
    packed.W.assign(static_cast<size_t>(packed.blocks * packed.cols * kBlock), 0.0);
    packed.b.assign(static_cast<size_t>(packed.blocks * kBlock), 0.0);
    for (int row = 0; row < packed.rows; ++row) {
      packed.b[static_cast<size_t>(row)] = layer.b[row];
      for (int col = 0; col < packed.cols; ++col)
        packed.W[static_cast<size_t>((row / kBlock * packed.cols + col) * kBlock + row % kBlock)] =
            layer.W(row, col);
    }
    widest = std::max(widest, packed.rows);
    layers_.push_back(std::move(packed));
  }
  ld_ = (widest + kBlock - 1) / kBlock * kBlock;
}

int Mlp::weights() const {
  int sum = 0;
  for (const PackedLayer& layer : layers_) sum += layer.rows * (layer.cols + 1);
  return sum;
}

// Eight rows of two columns are summed at a time: as many accumulators as fit the registers of any
// 64-bit x86. A library's matrix product would be as fast, but it sums in an order that depends on
// the number of columns.
void Mlp::affine(const PackedLayer& layer, const double* from, int columns, int stride,
                 double* to) const {
  using Block = Eigen::Array<double, kBlock, 1>;
  using Read = Eigen::Map<const Block>;
  using Write = Eigen::Map<Block>;
  const auto ld = static_cast<size_t>(ld_);
  for (int block = 0; block < layer.blocks; ++block) {
    const double* const W = layer.W.data() + static_cast<size_t>(block * layer.cols * kBlock);
    const Read b(layer.b.data() + static_cast<size_t>(block * kBlock));
    const auto start = [&](int j) -> Block { return j % stride == 0 ? Block(b) : Block::Zero(); };
    int j = 0;
    for (; j + 1 < columns; j += 2) {
      const double* const x = from + static_cast<size_t>(j) * ld;
      const double* const y = x + ld;
      Block first = start(j), second = start(j + 1);
      for (int k = 0; k < layer.cols; ++k) {
        const Read w(W + static_cast<size_t>(k * kBlock));
        first += w * x[k];
        second += w * y[k];
      }
      Write(to + static_cast<size_t>(j) * ld + block * kBlock) = first;
      Write(to + static_cast<size_t>(j + 1) * ld + block * kBlock) = second;
    }
    if (j < columns) {
      const double* const x = from + static_cast<size_t>(j) * ld;
      Block last = start(j);
      for (int k = 0; k < layer.cols; ++k) last += Read(W + static_cast<size_t>(k * kBlock)) * x[k];
      Write(to + static_cast<size_t>(j) * ld + block * kBlock) = last;
    }
  }
}

}  // namespace sinew
