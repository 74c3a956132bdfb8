#include "sinew/strands/strand_section.hpp"

// Places of a section's material: docs/theory/strands.md, §6.

namespace sinew {

void StrandSection::set_material(double begin, double end) {
  begin_ = begin;
  rest_length_ = end - begin;
  if (is_plain()) return;
  paths_[0].mass = mass();
  for (MassRegion& region : paths_[0].regions) region.c0 = mass();
}

double StrandSection::append_obstructions(const SectionMotion& at,
                                          std::vector<Obstruction>& out) const {
  double c = 0;
  PieceLength piece;
  for (size_t k = 0; k < frames_.size(); ++k) {
    update_piece(at, k, false, piece);
    if (surface(k) != nullptr) {
      const SpanShape<double> path = path_of(at, k);
      // A surface that the strand does not touch is passed in the middle of the way.
      double before = 0.5 * piece.length, behind = before;
      if (path.pieces > 1) {
        const auto last = static_cast<size_t>(path.pieces - 1);
        before = path.piece[0].kind == PieceKind::straight ? path.piece[0].length : 0;
        behind = path.piece[last].kind == PieceKind::straight ? path.piece[last].length : 0;
      }
      out.push_back({c + before, c + piece.length - behind, k});
    }
    c += piece.length;
    if (k + 1 < frames_.size()) out.push_back({c, c, k});
  }
  return c;
}

/// At the arc length σ = (s − s₀) L/R − c_k of piece k its straight stretch is x = x_o − σ g_o, or,
/// behind a surface, x = x_i − (l_k − σ) g_i, with g = ∂l_k/∂x of both ends.
void StrandSection::update_material_point(const SectionMotion& at, double s,
                                          MaterialPoint& out) const {
  const Eigen::Index n = 3 * nodes_;
  if (out.X.cols() < n) out.X.resize(3, n);
  out.X.setZero();
  double length = 0;
  PieceLength piece;
  for (size_t k = 0; k < frames_.size(); ++k) {
    update_piece(at, k, false, piece);
    length += piece.length;
  }
  const double share = (s - begin_) / rest_length_;
  double sigma = share * length;
  out.piece = 0;
  while (true) {
    update_piece(at, out.piece, true, piece);
    if (sigma <= piece.length || out.piece + 1 == frames_.size()) break;
    sigma -= piece.length;
    ++out.piece;
  }
  size_t end = 0;
  if (surface(out.piece) != nullptr) {
    const SpanShape<double> path = path_of(at, out.piece);
    const bool leads = path.pieces > 0 && path.piece[0].kind == PieceKind::straight;
    if (!leads || sigma > path.piece[0].length) end = 1;
  }
  const auto o = static_cast<int>(end);
  const double away = end == 0 ? sigma : sigma - piece.length;
  const Vec3 g = piece.gradient(o), t = end == 0 ? Vec3(-g) : g;
  out.x = at.x[piece_node(out.piece, o)] + away * t;
  // dσ: a share of the whole length, less the pieces before, less this one if it counts from its
  // end.
  for (size_t k = 0; k < frames_.size(); ++k) {
    PieceLength of;
    update_piece(at, k, false, of);
    const double weight = share - (k < out.piece || (k == out.piece && end == 1) ? 1 : 0);
    for (int a = 0; a < of.nodes; ++a)
      out.X.middleCols<3>(first_of(piece_node(k, a))) += weight * t * of.gradient(a).transpose();
  }
  out.X.middleCols<3>(first_of(piece_node(out.piece, o))).diagonal().array() += 1;
  const double sign = end == 0 ? -away : away;
  for (int b = 0; b < piece.nodes; ++b)
    out.X.middleCols<3>(first_of(piece_node(out.piece, b))) += sign * piece.curvature(o, b);
}

}  // namespace sinew
