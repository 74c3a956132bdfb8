#include <algorithm>

#include "sinew/strands/strand_section.hpp"

// Derivatives of a section by coordinates that move its nodes. A section around n pulleys has 5 n
// nodes or more, which a few joints may move: the kernel then carries derivatives by these.

namespace sinew {

void StrandSection::differentiate_along(const SectionMotion& at, const Vec3& gravity, const MatX& J,
                                        const Directions& along, SectionWorkspace& ws,
                                        MatX& out) const {
  auto& kernel = ws.differentiated;
  const Eigen::Index m = J.cols();
  out.setZero(m, m);
  for (Eigen::Index first = 0; first < m; first += kChunk) {
    place_nodes(at, ws, kernel);
    // As in `differentiate`: the slope by accelerations alone needs none.
    if (along.x == nullptr && along.v == nullptr)
      for (Point<Chunk>& a : kernel.a) a.setConstant(Chunk(0.0));
    const Eigen::Index count = std::min<Eigen::Index>(kChunk, m - first);
    const auto seed = [&](const MatX* columns, double scale, std::vector<Point<Chunk>>& into) {
      if (columns == nullptr) return;
      for (Eigen::Index k = 0; k < nodes_; ++k)
        for (Eigen::Index c = 0; c < 3; ++c)
          for (Eigen::Index d = 0; d < count; ++d)
            into[static_cast<size_t>(k)][c].d[static_cast<size_t>(d)] =
                scale * (*columns)(3 * k + c, first + d);
    };
    seed(along.x, 1, kernel.x);
    seed(along.v, 1, kernel.v);
    seed(along.a, along.scale_a, kernel.a);
    place_spans(gravity, kernel);
    run(ws, kernel);
    for (Eigen::Index k = 0; k < nodes_; ++k)
      for (Eigen::Index c = 0; c < 3; ++c) {
        const Chunk& f = kernel.f[static_cast<size_t>(k)][c];
        for (Eigen::Index i = 0; i < m; ++i)
          for (Eigen::Index d = 0; d < count; ++d)
            out(i, first + d) += J(3 * k + c, i) * f.d[static_cast<size_t>(d)];
      }
  }
}

void StrandSection::update_reduced_mass(const SectionMotion& at, const Vec3& gravity,
                                        const SectionColumns& columns, SectionWorkspace& ws,
                                        MatX& M) const {
  differentiate_along(at, gravity, columns.J, {.a = &columns.J}, ws, M);
}

void StrandSection::update_reduced_inertia(const SectionMotion& at, const Vec3& gravity,
                                           const SectionColumns& columns, bool rates,
                                           SectionWorkspace& ws, SectionTerms& out) const {
  const MatX& J = columns.J;
  update_reduced_mass(at, gravity, columns, ws, out.M);
  Directions by_q{.x = &J}, by_rate{.v = &J};
  if (rates) {
    by_q.v = &columns.Jdot;
    by_q.a = &columns.Jddot;
    by_rate.a = &columns.Jdot;
    by_rate.scale_a = 2;
  }
  differentiate_along(at, gravity, J, by_q, ws, out.K);
  if (velocity_terms_)
    differentiate_along(at, gravity, J, by_rate, ws, out.D);
  else
    out.D.setZero(J.cols(), J.cols());
}

// As update_pull, with g = Jᵀ ∂L/∂x:
//     K = g (∂T/∂q)ᵀ + T Σ JᵀH J,   ∂T/∂q = Jᵀ ∂T/∂x + T_L̇ J̇ᵀ ∂L/∂x,   D = T_L̇ g gᵀ.
void StrandSection::update_reduced_pull(const SectionMotion& at, bool definite,
                                        const SectionColumns& columns, SectionTerms& out) const {
  const MatX& J = columns.J;
  const Eigen::Index m = J.cols();
  const Stretch now = pull(at).stretch;
  const double by_length = now.by_strain / rest_length_, by_rate = now.by_rate / rest_length_;
  VecX& dL = out.f;  // until it is multiplied by the tension
  dL.setZero(3 * nodes_);
  out.K.setZero(m, m);
  out.D.setZero(m, m);
  auto slope = out.D.col(0);  // ∂T/∂q, until D is written
  PieceLength piece;
  for (size_t k = 0; k < frames_.size(); ++k) {
    update_piece(at, k, true, piece);
    const double T = !definite ? now.tension : surface(k) ? 0 : std::max(0.0, now.tension);
    for (int a = 0; a < piece.nodes; ++a) {
      const Eigen::Index row = first_of(piece_node(k, a));
      dL.segment<3>(row) += piece.gradient(a);
      Vec3 Hv = Vec3::Zero();
      for (int b = 0; b < piece.nodes; ++b) {
        const Mat3 H = piece.curvature(a, b);
        const Eigen::Index column = first_of(piece_node(k, b));
        for (Eigen::Index j = 0; T != 0 && j < m; ++j) {
          const Vec3 HJ = T * (H * J.col(j).segment<3>(column));
          for (Eigen::Index i = 0; i < m; ++i) out.K(i, j) += J.col(i).segment<3>(row).dot(HJ);
        }
        Hv += H * at.v[piece_node(k, b)];
      }
      if (!definite && by_rate != 0)
        for (Eigen::Index j = 0; j < m; ++j)
          slope[j] += by_rate * (J.col(j).segment<3>(row).dot(Hv) +
                                 columns.Jdot.col(j).segment<3>(row).dot(piece.gradient(a)));
    }
  }
  for (Eigen::Index j = 0; j < m; ++j) slope[j] += by_length * J.col(j).dot(dL);
  for (Eigen::Index i = 0; i < m; ++i) out.K.row(i) += J.col(i).dot(dL) * slope.transpose();
  for (Eigen::Index i = 0; i < m; ++i) out.D(i, 0) = J.col(i).dot(dL);
  for (Eigen::Index j = m; j-- > 0;) out.D.col(j) = (by_rate * out.D(j, 0)) * out.D.col(0);
  dL *= now.tension;
}

}  // namespace sinew
