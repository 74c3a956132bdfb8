#include "sinew/strands/fixed_length.hpp"

// g = L − L₀. With H = ∂²L/∂x²,
//     d/dt ∂L/∂x = H ẋ,   ∂(λ ∂L/∂x)/∂x = λ H.
// A node on a shape, x = Σ w(u) y, hands c · ẋ on: c · ∂x/∂u to its own coordinates, w c to y.

namespace sinew {

FixedLength::FixedLength(std::string name, std::shared_ptr<const NodeTree> tree,
                         std::vector<int> nodes, StrandSection section,
                         std::vector<WindingAngle> windings, RunTerm run, PartPlace place)
    : Constraint(std::move(name)),
      tree_(std::move(tree)),
      nodes_(std::move(nodes)),
      section_(std::move(section)),
      windings_(std::move(windings)),
      run_(run),
      place_(place) {}

void FixedLength::update_piece(const SkeletonAt& in, size_t piece, bool curvature,
                               Piece& out) const {
  PieceLength::Nodes x;
  const Wrap* const surface = section_.surface(piece);
  for (int k = 0; k < (surface ? PieceLength::kMaxNodes : 2); ++k) {
    const NodeTree::Motion node = tree_->motion(in, place_.dof, node_of(piece, k));
    x[static_cast<size_t>(k)] = node.x;
    out.v[static_cast<size_t>(k)] = node.v;
  }
  update_piece_length(surface, windings_[piece].expected(in.q), x, curvature, out);
}

void FixedLength::add_terms(const SkeletonAt& in, int node, const Vec3& c, const Vec3& cdot,
                            int row, ConstraintRows& out) const {
  const NodeTree::Place& of = tree_->place(node);
  if (of.link >= 0) {
    const AttachedPoint at = attach(in.skeleton, in.ws, of.body, of.x_B);
    const LinkMotion& motion = in.ws.link[static_cast<size_t>(at.link)];
    Vec6 on_twist, rate;
    on_twist << at.offset.cross(c), c;
    rate << at.offset.cross(cdot) + motion.w.cross(at.offset).cross(c), cdot;
    return out.add(row, at.link, motion, on_twist, rate);
  }
  if (of.mover >= 0) {
    const NodeTree::Mover& own = tree_->movers()[static_cast<size_t>(of.mover)];
    const auto columns =
        of.free ? NodeTree::OwnColumns() : tree_->own_columns(in, place_.dof, node);
    for (int i = 0; i < own.size; ++i) {
      const int dof = place_.dof + own.first + i;
      if (of.free)
        out.add_coordinate(row, dof, c[i], cdot[i]);
      else
        out.add_coordinate(row, dof, columns.X.col(i).dot(c),
                           columns.X.col(i).dot(cdot) + columns.Xdot.col(i).dot(c));
    }
  }
  if (!of.shaped()) return;
  const Eigen::Vector2d u = tree_->coordinates(node, in.q.data() + place_.dof),
                        udot = tree_->coordinates(node, in.qdot.data() + place_.dof);
  tree_->for_each_control(node, u, [&](int control, const NodeWeight& w) {
    add_terms(in, control, w.w * c, w.w * cdot + rates_of(w, udot, udot).first * c, row, out);
  });
}

void FixedLength::evaluate(const SkeletonAt& in, int row, ConstraintRows& out) const {
  double length = 0;
  Piece piece;
  for (size_t k = 0; k < pieces(); ++k) {
    update_piece(in, k, out.with_rates, piece);
    length += piece.length;
    for (int a = 0; a < piece.nodes; ++a) {
      Vec3 rate = Vec3::Zero();
      for (int b = 0; out.with_rates && b < piece.nodes; ++b)
        rate += piece.curvature(a, b) * piece.v[static_cast<size_t>(b)];
      add_terms(in, node_of(k, a), piece.gradient(a), rate, row, out);
    }
  }
  if (run_.node >= 0) {
    length += run_.sign * tree_->motion(in, place_.dof, run_.node).x.x();
    add_terms(in, run_.node, run_.sign * Vec3::UnitX(), Vec3::Zero(), row, out);
  }
  out.value[row] = length - section_.rest_length();
  out.rate[row] = out.bias[row] = 0;
}

template <class F>
void FixedLength::for_each_rigid(const SkeletonAt& in, int node, double weight, F&& f) const {
  const NodeTree::Place& of = tree_->place(node);
  if (of.dofs.empty()) return;
  if (of.link >= 0) return f(attach(in.skeleton, in.ws, of.body, of.x_B), weight);
  tree_->for_each_control(
      node, tree_->coordinates(node, in.q.data() + place_.dof),
      [&](int control, const NodeWeight& w) { for_each_rigid(in, control, weight * w.w, f); });
}

void FixedLength::add_reaction_derivatives(const SkeletonAt& in, std::span<const double> lambda,
                                           ForceDerivatives& out) const {
  using Leaf = const AttachedPoint&;
  Piece piece;
  for (size_t k = 0; k < pieces(); ++k) {
    update_piece(in, k, true, piece);
    for (int a = 0; a < piece.nodes; ++a) {
      const Vec3 pull = -lambda[0] * piece.gradient(a);
      for_each_rigid(in, node_of(k, a), 1, [&](Leaf at_a, double w_a) {
        const Mat36 G_a = at_a.jacobian();
        out.add(at_a.link, at_a.link, G_a.transpose() * on_rotation(skew(Vec3(w_a * pull))),
                Mat6::Zero());
        for (int b = 0; b < piece.nodes; ++b) {
          const Mat3 H = -lambda[0] * w_a * piece.curvature(a, b);
          for_each_rigid(in, node_of(k, b), 1, [&](Leaf at_b, double w_b) {
            out.add(at_a.link, at_b.link, G_a.transpose() * (w_b * H) * at_b.jacobian(),
                    Mat6::Zero());
          });
        }
      });
    }
  }
}

void FixedLength::add_bending(const SkeletonAt& in, int node, const Vec3& f,
                              PartDerivatives& out) const {
  const NodeTree::Place& of = tree_->place(node);
  if (!of.shaped()) return;
  const auto add = [&](const NodeCoordinate& i, const NodeCoordinate& j, double value) {
    add_entry(out.layout, place_.node, i, j, value, out.dg_dq, out.dg_dq_nodes);
  };
  const int own = of.mover < 0 ? 0 : tree_->movers()[static_cast<size_t>(of.mover)].size;
  tree_->for_each_control(node, tree_->coordinates(node, in.q.data() + place_.dof),
                          [&](int control, const NodeWeight& w) {
                            const double along = f.dot(tree_->motion(in, place_.dof, control).x);
                            for (int i = 0; i < own; ++i) {
                              const NodeCoordinate u{-1, of.mover, i};
                              for (int j = 0; j < own; ++j)
                                add(u, {-1, of.mover, j}, w.dd[static_cast<size_t>(i + j)] * along);
                              for (const NodeCoordinate& q : tree_->place(control).coordinates) {
                                const double value =
                                    w.d[static_cast<size_t>(i)] *
                                    f.dot(tree_->column(in, place_.dof, control, q));
                                add(u, q, value);
                                add(q, u, value);
                              }
                            }
                            add_bending(in, control, w.w * f, out);
                          });
}

void FixedLength::add_part_derivatives(const SkeletonAt& in, std::span<const double> lambda,
                                       PartDerivatives& out) const {
  Piece piece;
  for (size_t k = 0; k < pieces(); ++k) {
    update_piece(in, k, true, piece);
    for (int a = 0; a < piece.nodes; ++a) {
      const NodeTree::Place& of_a = tree_->place(node_of(k, a));
      for (int b = 0; b < piece.nodes; ++b) {
        const Mat3 H = lambda[0] * piece.curvature(a, b);
        const NodeTree::Place& of_b = tree_->place(node_of(k, b));
        if (of_a.free && of_b.free) {
          out.dg_dq_nodes.block(out.layout, place_.node + of_a.mover, place_.node + of_b.mover) +=
              H;
          continue;
        }
        for (const NodeCoordinate& i : of_a.coordinates) {
          const Vec3 Hx = H.transpose() * tree_->column(in, place_.dof, node_of(k, a), i);
          for (const NodeCoordinate& j : of_b.coordinates)
            if (i.dof < 0 || j.dof < 0)
              add_entry(out.layout, place_.node, i, j,
                        Hx.dot(tree_->column(in, place_.dof, node_of(k, b), j)), out.dg_dq,
                        out.dg_dq_nodes);
        }
      }
      add_bending(in, node_of(k, a), lambda[0] * piece.gradient(a), out);
    }
  }
}

std::vector<Measurement> FixedLength::measure(const SkeletonAt&,
                                              std::span<const double> lambda) const {
  return {{"tension", lambda[0]}};
}

}  // namespace sinew
