#include "sinew/strands/piece_length.hpp"

// Around a surface the length is a function l(o, i) of the ends as seen from its frame,
//     o_k = e_k · (x_0 − p),  i_k = e_k · (x_1 − p),  e_k = t_k − p,
// p the frame's origin and t_k the ends of its unit vectors: products of the nodes' positions.

namespace sinew {
namespace {

void straight_piece(const PieceLength::Nodes& x, bool curvature, PieceLength& out) {
  out.nodes = 2;
  out.status = SpanStatus::free;
  const Vec3 along = x[1] - x[0];
  out.length = along.norm();
  const Vec3 t = out.length > 0 ? Vec3(along / out.length) : Vec3(Vec3::Zero());
  out.d.head<6>() << -t, t;
  if (!curvature) return;
  Mat3 P = Mat3::Zero();
  if (out.length > 0) P = (Mat3::Identity() - t * t.transpose()) / out.length;
  out.dd.topLeftCorner<6, 6>() << P, -P, -P, P;
}

/// l, its gradient and its second derivatives by (o, i).
struct LengthInFrame {
  double length = 0;
  Vec6 d = Vec6::Zero();
  Mat6 dd = Mat6::Zero();
};

void differentiate_twice(const Wrap& wrap, const SpanSolution& solution, const Vec3& o,
                         const Vec3& i, LengthInFrame& out) {
  Point<ChunkDual> o_d, i_d;
  for (int k = 0; k < 3; ++k) {
    o_d[k] = ChunkDual::Variable(Chunk::Variable(o[k], k), k);
    i_d[k] = ChunkDual::Variable(Chunk::Variable(i[k], k + 3), k + 3);
  }
  SpanShape<ChunkDual> path;
  shape<ChunkDual>(wrap, solution, o_d, i_d, path);
  out.length = path.length.v.v;
  for (int a = 0; a < 6; ++a) {
    const Chunk& slope = path.length.d[static_cast<size_t>(a)];
    out.d[a] = slope.v;
    for (int b = 0; b < 6; ++b) out.dd(a, b) = slope.d[static_cast<size_t>(b)];
  }
}

}  // namespace

void update_piece_length(const Wrap* wrap, double expected, const PieceLength::Nodes& x,
                         bool curvature, PieceLength& out) {
  if (wrap == nullptr) return straight_piece(x, curvature, out);
  Mat3 axes;  // e_k, one per row
  for (int k = 0; k < 3; ++k) axes.row(k) = x[static_cast<size_t>(k) + 3] - x[2];
  const std::array<Vec3, 2> arm = {x[0] - x[2], x[1] - x[2]};
  const Vec3 o = axes * arm[0], i = axes * arm[1];
  const SpanSolution solution = solve_piece(*wrap, o, i, expected);
  LengthInFrame in;
  if (curvature) {
    differentiate_twice(*wrap, solution, o, i, in);
  } else {
    Vec3 d_o, d_i;
    length_gradient(*wrap, solution, o, i, in.length, d_o, d_i);
    in.d << d_o, d_i;
  }
  out.nodes = PieceLength::kMaxNodes;
  out.status = solution.status;
  out.length = in.length;
  // ∂(o, i)/∂x, six rows.
  Eigen::Matrix<double, 6, 18> A = Eigen::Matrix<double, 6, 18>::Zero();
  for (int end = 0; end < 2; ++end)
    for (int k = 0; k < 3; ++k) {
      auto row = A.row(3 * end + k);
      const Vec3& r = arm[static_cast<size_t>(end)];
      row.segment<3>(3 * end) = axes.row(k);
      row.segment<3>(9 + 3 * k) = r.transpose();
      row.segment<3>(6) = -axes.row(k) - r.transpose();
    }
  out.d = A.transpose() * in.d;
  if (!curvature) return;
  out.dd = A.transpose() * in.dd * A;
  // o_k is bilinear: ∂²/∂t_k∂x_0 = 1, ∂²/∂t_k∂p = ∂²/∂x_0∂p = −1, ∂²/∂p² = 2.
  const auto add = [&](int a, int b, double value) {
    out.dd.block<3, 3>(3 * a, 3 * b).diagonal().array() += value;
    if (a != b) out.dd.block<3, 3>(3 * b, 3 * a).diagonal().array() += value;
  };
  for (int end = 0; end < 2; ++end)
    for (int k = 0; k < 3; ++k) {
      const double slope = in.d[3 * end + k];
      add(3 + k, end, slope);
      add(3 + k, 2, -slope);
      add(end, 2, -slope);
      add(2, 2, 2 * slope);
    }
}

}  // namespace sinew
