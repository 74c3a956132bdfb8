#include "sinew/strands/strand_section.hpp"

#include <algorithm>

namespace sinew {
namespace {

void zero(SectionTerms& out, Eigen::Index n, bool derivatives) {
  out.f.setZero(n);
  if (!derivatives) return;
  out.K.setZero(n, n);
  out.D.setZero(n, n);
}

}  // namespace

StrandSection::StrandSection(const Strand& strand, double begin, double end,
                             const std::vector<std::optional<Wrap>>& surfaces,
                             std::vector<SectionSlip> slips)
    : nodes_(static_cast<int>(surfaces.size()) + 1),
      slips_(std::move(slips)),
      begin_(begin),
      rest_length_(end - begin),
      elastic_(strand.length == StrandLength::elastic),
      lumped_(strand.mass_model == StrandMass::lumped),
      velocity_terms_(strand.velocity_terms),
      gravity_(strand.gravity),
      law_(strand.law),
      density_(strand.density) {
  Muscle path;
  path.name = strand.name;
  path.mass = mass();
  path.material = MaterialMap::Uniform(0, 1);
  path.regions = mass_regions(MassProfile::uniform, path.mass);
  for (const std::optional<Wrap>& surface : surfaces) {
    PathSpan& span = path.spans.emplace_back();
    frames_.push_back(surface ? nodes_ : -1);
    if (!surface) continue;
    span.wrap = *surface;
    if (auto* pulley = std::get_if<PulleyWrap>(&span.wrap)) pulley->longest = 2 * rest_length_;
    nodes_ += 4;
  }
  if (strand.loop) run_ = nodes_++;
  first_slip_ = nodes_;
  nodes_ += static_cast<int>(slips_.size());
  if (is_plain()) return;
  leave_out_still(std::vector<char>(3 * static_cast<size_t>(nodes_), 1));
  paths_.push_back(std::move(path));
  if (slips_.empty()) return;
  // Shares of material at both ends of a closed one are zero and one up to rounding.
  if (strand.loop)
    for (MassRegion& region : paths_[0].regions) region.begin = -1, region.end = 2;
  paths_.push_back(paths_[0]);
  paths_[1].mass = 0;
  paths_[1].regions.clear();
}

void StrandSection::leave_out_still(const std::vector<char>& moves) {
  seeds_.clear();
  for (size_t k = 0; k < moves.size(); ++k)
    if (moves[k]) seeds_.push_back(static_cast<Eigen::Index>(k));
}

size_t StrandSection::zone_of(size_t piece) const {
  size_t zone = 0;
  while (zone < slips_.size() && slips_[zone].piece < piece) ++zone;
  return zone;
}

bool StrandSection::has_inertia() const {
  return mass() > 0 || std::any_of(slips_.begin(), slips_.end(),
                                   [](const SectionSlip& slip) { return slip.friction.mass > 0; });
}

void StrandSection::update_piece(const SectionMotion& at, size_t piece, bool curvature,
                                 PieceLength& out) const {
  PieceLength::Nodes x;
  const Wrap* const wrap = surface(piece);
  for (int k = 0; k < (wrap ? PieceLength::kMaxNodes : 2); ++k)
    x[static_cast<size_t>(k)] = at.x[piece_node(piece, k)];
  update_piece_length(wrap, at.expected(piece), x, curvature, out);
}

Pose StrandSection::frame_of(const SectionMotion& at, size_t piece) const {
  const auto p = static_cast<size_t>(frames_[piece]);
  Pose out;
  out.p = at.x[p];
  for (int c = 0; c < 3; ++c) out.R.col(c) = at.x[p + 1 + static_cast<size_t>(c)] - at.x[p];
  return out;
}

SpanShape<double> StrandSection::path_of(const SectionMotion& at, size_t piece) const {
  const Pose E_WS = frame_of(at, piece);
  const Vec3 o = E_WS.R.transpose() * (at.x[piece] - E_WS.p),
             i = E_WS.R.transpose() * (at.x[piece + 1] - E_WS.p);
  const Wrap& wrap = *surface(piece);
  SpanShape<double> out;
  shape<double>(wrap, solve_piece(wrap, o, i, at.expected(piece)), o, i, out);
  return out;
}

SectionPull StrandSection::pull(const SectionMotion& at) const {
  SectionPull out;
  PieceLength piece;
  for (size_t k = 0; k < frames_.size(); ++k) {
    update_piece(at, k, false, piece);
    if (k == 0 || piece.length < out.shortest) {
      out.shortest = piece.length;
      out.closest = k;
    }
    out.length += piece.length;
    if (piece.status > out.status) {
      out.status = piece.status;
      out.worst = k;
    }
    for (int n = 0; n < piece.nodes; ++n) out.rate += piece.gradient(n).dot(at.v[piece_node(k, n)]);
  }
  if (!elastic_ || is_sliding()) return out;
  out.stretch = evaluate(law_, out.length / rest_length_ - 1, out.rate / rest_length_);
  return out;
}

// f = T ∂L/∂x. With H = ∂²L/∂x², ∂L̇/∂x = H v and ∂L̇/∂v = ∂L/∂x:
//     K = ∂L/∂x (T_L ∂L/∂x + T_L̇ H v)ᵀ + T H,   D = T_L̇ ∂L/∂x (∂L/∂x)ᵀ.
void StrandSection::update_pull(const SectionMotion& at, bool derivatives, bool definite,
                                SectionTerms& out) const {
  const Eigen::Index n = 3 * nodes_;
  zero(out, n, derivatives);
  const Stretch now = pull(at).stretch;
  VecX& dL = out.f;  // until it is multiplied by the tension
  PieceLength piece;
  for (size_t k = 0; k < frames_.size(); ++k) {
    update_piece(at, k, derivatives, piece);
    // Around a surface H may be indefinite.
    const double T = !definite ? now.tension : surface(k) ? 0 : std::max(0.0, now.tension);
    for (int a = 0; a < piece.nodes; ++a) {
      const Eigen::Index row = first_of(piece_node(k, a));
      dL.segment<3>(row) += piece.gradient(a);
      for (int b = 0; derivatives && b < piece.nodes; ++b)
        out.K.block<3, 3>(row, first_of(piece_node(k, b))) += T * piece.curvature(a, b);
    }
  }
  if (derivatives) {
    const double by_length = now.by_strain / rest_length_, by_rate = now.by_rate / rest_length_;
    // ∂T/∂x, in D until that is written
    auto slope = out.D.col(0);
    slope = by_length * dL;
    for (size_t k = 0; !definite && by_rate != 0 && k < frames_.size(); ++k) {
      update_piece(at, k, true, piece);
      for (int a = 0; a < piece.nodes; ++a)
        for (int b = 0; b < piece.nodes; ++b)
          slope.segment<3>(first_of(piece_node(k, a))) +=
              by_rate * (piece.curvature(a, b) * at.v[piece_node(k, b)]);
    }
    out.K.noalias() += dL * slope.transpose();
    out.D.noalias() = (by_rate * dL) * dL.transpose();
  }
  dL *= now.tension;
}

void StrandSection::material(const SectionMotion& at, std::vector<double>& s) const {
  // Without length the strain has no meaning: the material is shared equally.
  const double length = pull(at).length;
  const auto pieces = static_cast<double>(frames_.size());
  double c = 0;
  const double run = is_closed() ? at.x[static_cast<size_t>(run_)].x() : 0;
  s.push_back(begin_ - run);
  PieceLength piece;
  if (is_sliding()) return sliding_material(at, s);
  for (size_t k = 0; k < frames_.size(); ++k) {
    update_piece(at, k, false, piece);
    c += piece.length;
    const double share = length > 0 ? c / length : static_cast<double>(k + 1) / pieces;
    s.push_back(begin_ + share * rest_length_ - run);
  }
}

}  // namespace sinew
