#include "sinew/strands/fixed_length.hpp"

// g = L − L₀. With t the unit vectors of pieces and H = ∂²L/∂x²,
//     ∂L/∂x_k = t_{k−1} − t_k,   d/dt ∂L/∂x = H ẋ,   ∂(λ ∂L/∂x)/∂x = λ H.

namespace sinew {

struct FixedLength::Piece {
  double length = 0;
  Vec3 t = Vec3::Zero(), rate = Vec3::Zero();  ///< unit vector and its rate
  Mat3 P = Mat3::Zero();                       ///< ∂t/∂x
};

FixedLength::FixedLength(std::string name, std::vector<RowNode> nodes, double rest_length,
                         PartPlace place)
    : Constraint(std::move(name)),
      nodes_(std::move(nodes)),
      rest_length_(rest_length),
      place_(place) {}

AttachedPoint FixedLength::point(const SkeletonAt& in, size_t node) const {
  const RowNode& of = nodes_[node];
  if (of.free < 0) return attach(in.skeleton, in.ws, of.body, of.x_B);
  const int dof = place_.dof + 3 * of.free;
  return {0, Vec3::Zero(), in.q.segment<3>(dof), in.qdot.segment<3>(dof)};
}

FixedLength::Piece FixedLength::piece(const SkeletonAt& in, size_t node) const {
  const AttachedPoint a = point(in, node), b = point(in, node + 1);
  const Vec3 x = b.position - a.position;
  Piece out;
  out.length = x.norm();
  if (out.length == 0) return out;
  out.t = x / out.length;
  out.P = (Mat3::Identity() - out.t * out.t.transpose()) / out.length;
  out.rate = out.P * (b.velocity - a.velocity);
  return out;
}

void FixedLength::evaluate(const SkeletonAt& in, int row, ConstraintRows& out) const {
  double length = 0;
  Piece before;
  for (size_t k = 0; k < nodes_.size(); ++k) {
    const Piece after = k + 1 < nodes_.size() ? piece(in, k) : Piece();
    length += after.length;
    const Vec3 c = before.t - after.t, cdot = before.rate - after.rate;
    before = after;
    if (const int free = nodes_[k].free; free >= 0) {
      for (int i = 0; i < 3; ++i) out.add_coordinate(row, place_.dof + 3 * free + i, c[i], cdot[i]);
      continue;
    }
    const AttachedPoint at = point(in, k);
    const LinkMotion& motion = in.ws.link[static_cast<size_t>(at.link)];
    Vec6 on_twist, rate;
    on_twist << at.offset.cross(c), c;
    rate << at.offset.cross(cdot) + motion.w.cross(at.offset).cross(c), cdot;
    out.add(row, at.link, motion, on_twist, rate);
  }
  out.value[row] = length - rest_length_;
  out.rate[row] = out.bias[row] = 0;
}

Mat3 FixedLength::curvature(const SkeletonAt& in, size_t a, size_t b) const {
  if (a != b) return -piece(in, std::min(a, b)).P;
  Mat3 out = Mat3::Zero();
  if (a > 0) out += piece(in, a - 1).P;
  if (a + 1 < nodes_.size()) out += piece(in, a).P;
  return out;
}

void FixedLength::add_reaction_derivatives(const SkeletonAt& in, std::span<const double> lambda,
                                           ForceDerivatives& out) const {
  for (size_t a = 0; a < nodes_.size(); ++a) {
    if (nodes_[a].dofs.empty()) continue;
    const AttachedPoint at_a = point(in, a);
    const Mat36 G_a = at_a.jacobian();
    for (size_t b = a == 0 ? 0 : a - 1; b < std::min(a + 2, nodes_.size()); ++b) {
      if (nodes_[b].dofs.empty() && a != b) continue;
      const AttachedPoint at_b = point(in, b);
      Mat36 dF = -lambda[0] * curvature(in, a, b) * at_b.jacobian();
      if (a == b) {
        const Vec3 pull = lambda[0] * ((a + 1 < nodes_.size() ? piece(in, a).t : Vec3::Zero()) -
                                       (a > 0 ? piece(in, a - 1).t : Vec3::Zero()));
        dF += on_rotation(skew(pull));
      }
      out.add(at_a.link, at_b.link, G_a.transpose() * dF, Mat6::Zero());
    }
  }
}

Vec3 FixedLength::column(const SkeletonAt& in, size_t node, size_t d) const {
  const Vec6& s = in.ws.s[static_cast<size_t>(nodes_[node].dofs[d])];
  const Vec3& p = in.ws.link[static_cast<size_t>(nodes_[node].links[d])].p;
  return s.tail<3>() + s.head<3>().cross(point(in, node).position - p);
}

void FixedLength::add_part_derivatives(const SkeletonAt& in, std::span<const double> lambda,
                                       PartDerivatives& out) const {
  for (size_t a = 0; a < nodes_.size(); ++a) {
    if (nodes_[a].free < 0) continue;
    const int node = place_.node + nodes_[a].free;
    for (size_t b = a == 0 ? 0 : a - 1; b < std::min(a + 2, nodes_.size()); ++b) {
      const Mat3 H = lambda[0] * curvature(in, a, b);
      if (nodes_[b].free >= 0)
        out.dg_dq_nodes.block(out.layout, node, place_.node + nodes_[b].free) += H;
      for (size_t d = 0; d < nodes_[b].dofs.size(); ++d) {
        const Vec3 HJ = H * column(in, b, d);
        out.dg_dq_nodes.fr_rows(out.layout, node).col(nodes_[b].dofs[d]) += HJ;
        out.dg_dq_nodes.rf_rows(out.layout, node).col(nodes_[b].dofs[d]) += HJ;
      }
    }
  }
}

std::vector<Measurement> FixedLength::measure(const SkeletonAt&,
                                              std::span<const double> lambda) const {
  return {{"tension", lambda[0]}};
}

}  // namespace sinew
