#include <algorithm>

#include "sinew/strands/strand_section.hpp"

// The mass of a section, by the kernel of muscles: docs/theory/strands.md, §2 and §4.

namespace sinew {
namespace {

template <class T>
Point<T> cross_product(const Point<T>& a, const Point<T>& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

}  // namespace

template <class T>
void StrandSection::place_nodes(const SectionMotion& at, SectionWorkspace& ws,
                                SectionWorkspace::Kernel<T>& kernel) const {
  const auto nodes = static_cast<size_t>(nodes_), spans = frames_.size();
  if (ws.solutions.size() < spans) ws.solutions.resize(spans);
  if (kernel.motion.size() < spans) {
    kernel.motion.resize(spans);
    kernel.forces.resize(spans);
  }
  if (kernel.x.size() < nodes)
    for (auto* list : {&kernel.x, &kernel.v, &kernel.a, &kernel.f}) list->resize(nodes);
  for (size_t k = 0; k < nodes; ++k) {
    kernel.x[k] = at.x[k].template cast<T>();
    kernel.v[k] = at.v[k].template cast<T>();
    kernel.a[k] = at.a[k].template cast<T>();
  }
}

/// Straight spans are seen from the ground: the accelerations of nodes are true ones, gravity is
/// the acceleration of the frame. Others are seen from the frame of their surface, whose unit
/// vectors e_k = t_k − p are differences of nodes: x_S = e_k · (x − p), ω = ½ Σ e_k × ė_k.
template <class T>
void StrandSection::place_spans(const Vec3& gravity, SectionWorkspace::Kernel<T>& kernel) const {
  const Vec3 zero = Vec3::Zero(), upward = -weight(gravity);
  if (is_closed()) {
    const auto run = static_cast<size_t>(run_);
    // Shares of material are counted from what is at the start now.
    kernel.flow = {kernel.v[run][0] / rest_length_, kernel.a[run][0] / rest_length_,
                   (kernel.x[run][0] - value_of(kernel.x[run][0])) / rest_length_};
  }
  for (size_t k = 0; k < frames_.size(); ++k) {
    SpanMotion<T>& out = kernel.motion[k];
    out.omega = out.velocity = out.alpha = zero.template cast<T>();
    out.acceleration = upward.template cast<T>();
    if (frames_[k] < 0) {
      for (size_t e = 0; e < 2; ++e) {
        out.x[e] = kernel.x[k + e];
        out.v[e] = kernel.v[k + e];
        out.a[e] = kernel.a[k + e];
      }
      continue;
    }
    const auto p = static_cast<size_t>(frames_[k]);
    std::array<Point<T>, 3> e, e1, e2;  // unit vectors and their rates
    for (size_t c = 0; c < 3; ++c) {
      e[c] = kernel.x[p + 1 + c] - kernel.x[p];
      e1[c] = kernel.v[p + 1 + c] - kernel.v[p];
      e2[c] = kernel.a[p + 1 + c] - kernel.a[p];
    }
    Point<T> turn = zero.template cast<T>(), turning = turn;  // ω and ω̇, world axes
    for (size_t c = 0; c < 3; ++c) {
      turn += 0.5 * cross_product(e[c], e1[c]);
      turning += 0.5 * cross_product(e[c], e2[c]);
    }
    const Point<T> a = kernel.a[p] + out.acceleration;
    for (size_t c = 0; c < 3; ++c) {
      const auto row = static_cast<Eigen::Index>(c);
      for (size_t end = 0; end < 2; ++end) {
        const Point<T> x = kernel.x[k + end] - kernel.x[p], v = kernel.v[k + end] - kernel.v[p];
        out.x[end][row] = e[c].dot(x);
        out.v[end][row] = e1[c].dot(x) + e[c].dot(v);
        out.a[end][row] =
            e2[c].dot(x) + 2.0 * e1[c].dot(v) + e[c].dot(kernel.a[k + end] - kernel.a[p]);
      }
      out.omega[row] = e[c].dot(turn);
      out.alpha[row] = e[c].dot(turning);
      out.velocity[row] = e[c].dot(kernel.v[p]);
    }
    for (size_t c = 0; c < 3; ++c) out.acceleration[static_cast<Eigen::Index>(c)] = e[c].dot(a);
  }
}

void StrandSection::solve_spans(const SectionMotion& at, SectionWorkspace& ws) const {
  for (size_t k = 0; k < frames_.size(); ++k) {
    const SpanMotion<double>& span = ws.plain.motion[k];
    if (frames_[k] >= 0)
      ws.solutions[k] = solve_piece(*surface(k), span.x[0], span.x[1], at.expected(k));
    else
      ws.solutions[k].status = SpanStatus::free;
  }
}

template <class T>
void StrandSection::run(const SectionWorkspace& ws, SectionWorkspace::Kernel<T>& kernel) const {
  place_breaks(kernel);
  kernel.path.update(path(), ws.solutions, kernel.motion, view(),
                     is_closed() ? &kernel.flow : nullptr,
                     std::span<const PathBreak<T>>(kernel.breaks));
  kernel.tension.assign(slips_.size() + 1, T(0));
  kernel.path.forces(std::span<const T>(kernel.tension), kernel.forces);
  if (is_closed()) {
    kernel.f[static_cast<size_t>(run_)].setConstant(T(0));
    kernel.f[static_cast<size_t>(run_)][0] = kernel.path.on_flow() / rest_length_;
  }
  for (size_t k = 0; k < slips_.size(); ++k) {
    const auto node = static_cast<size_t>(first_slip_) + k;
    kernel.f[node].setConstant(T(0));
    kernel.f[node][0] =
        kernel.path.on_share(k) / rest_length_ + slips_[k].friction.mass * kernel.a[node][0];
  }
  collect(kernel);
}

/// The nodes beyond those of strands and frames have their forces already. A torque τ on a frame is
/// that of forces ½ τ × e_k on the ends of its unit vectors, and of their
/// opposite on its origin.
template <class T>
void StrandSection::collect(SectionWorkspace::Kernel<T>& kernel) const {
  const auto own = static_cast<size_t>(nodes_) - slips_.size() - (is_closed() ? 1 : 0);
  for (size_t k = 0; k < own; ++k) kernel.f[k].setConstant(T(0));
  for (size_t k = 0; k < frames_.size(); ++k) {
    const SpanForce<T>& force = kernel.forces[k];
    if (frames_[k] < 0) {
      for (size_t end = 0; end < 2; ++end) kernel.f[k + end] += force.end[end];
      continue;
    }
    const auto p = static_cast<size_t>(frames_[k]);
    std::array<Point<T>, 3> e;
    for (size_t c = 0; c < 3; ++c) e[c] = kernel.x[p + 1 + c] - kernel.x[p];
    const auto to_world = [&](const Point<T>& y) {
      return Point<T>(y[0] * e[0] + y[1] * e[1] + y[2] * e[2]);
    };
    for (size_t end = 0; end < 2; ++end) kernel.f[k + end] += to_world(force.end[end]);
    kernel.f[p] += to_world(force.force);
    const Point<T> torque = to_world(force.torque);
    for (size_t c = 0; c < 3; ++c) {
      const Point<T> push = 0.5 * cross_product(torque, e[c]);
      kernel.f[p + 1 + c] += push;
      kernel.f[p] -= push;
    }
  }
}

void StrandSection::update_inertia(const SectionMotion& at, const Vec3& gravity,
                                   SectionWorkspace& ws, SectionTerms& out, bool with_mass) const {
  const auto nodes = static_cast<size_t>(nodes_);
  out.f.setZero(3 * nodes_);
  if (with_mass || lumped_) out.M.setZero(3 * nodes_, 3 * nodes_);
  if (lumped_) {
    for (const size_t k : {size_t{0}, frames_.size()}) {
      out.M.diagonal().segment<3>(first_of(k)).setConstant(0.5 * mass());
      out.f.segment<3>(first_of(k)) = 0.5 * mass() * (at.a[k] - weight(gravity));
    }
    for (size_t k = 0; k < slips_.size(); ++k) {
      const auto node = static_cast<size_t>(first_slip_) + k;
      out.M(first_of(node), first_of(node)) = slips_[k].friction.mass;
      out.f[first_of(node)] = slips_[k].friction.mass * at.a[node].x();
    }
    return;
  }
  if (is_plain()) {
    const double own = mass() / 3, shared = mass() / 6;
    const Vec3 load = 0.5 * mass() * weight(gravity);
    out.f << own * at.a[0] + shared * at.a[1] - load, own * at.a[1] + shared * at.a[0] - load;
    if (!with_mass) return;
    out.M.diagonal().setConstant(own);
    out.M.diagonal<3>().setConstant(shared);
    out.M.diagonal<-3>().setConstant(shared);
    return;
  }
  place_nodes(at, ws, ws.plain);
  place_spans(gravity, ws.plain);
  solve_spans(at, ws);
  run(ws, ws.plain);
  for (size_t k = 0; k < nodes; ++k) out.f.segment<3>(first_of(k)) = ws.plain.f[k];
  if (!with_mass) return;
  if (is_sliding())
    differentiate(at, gravity, Terms::inertia, Seed::a, ws, out.M);
  else
    update_mass(at, ws, out.M);
}

/// ∂X/∂x of a sample by all nodes. In the frame of its span it is y(o, i, s), and s the share of
/// the whole length less that of the span's start. With a surface X = p + e_c y_c and o_k = e_k·(x
/// − p).
void StrandSection::update_columns(const SectionMotion& at, const PathSample<double>& sample,
                                   SectionWorkspace& ws, Eigen::Matrix3Xd& J) const {
  const Eigen::Index n = 3 * nodes_, span = sample.span;
  const auto piece = static_cast<size_t>(sample.span);
  const bool around = frames_[piece] >= 0;
  const Pose E_WS = around ? frame_of(at, piece) : Pose();
  const Vec3 along = E_WS.R * sample.dy.col(6);
  for (Eigen::Index l = 0; l < n; ++l)
    J.col(l) = along * (sample.by_length * ws.dL[l] - ws.dc[n * span + l]);
  if (is_closed()) J.col(3 * run_) += along * (ws.plain.path.length() / rest_length_);
  auto at_o = J.middleCols<3>(3 * span), at_i = J.middleCols<3>(3 * span + 3);
  if (!around) {
    at_o += sample.dy.leftCols<3>();
    at_i += sample.dy.middleCols<3>(3);
    return;
  }
  const Mat3 by_o = E_WS.R * sample.dy.leftCols<3>(), by_i = E_WS.R * sample.dy.middleCols<3>(3);
  const Mat3 on_o = by_o * E_WS.R.transpose(), on_i = by_i * E_WS.R.transpose();
  at_o += on_o;
  at_i += on_i;
  auto at_p = J.middleCols<3>(first_of(static_cast<size_t>(frames_[piece])));
  at_p += Mat3::Identity() - on_o - on_i;
  const Vec3 arm_o = at.x[piece] - E_WS.p, arm_i = at.x[piece + 1] - E_WS.p;
  for (int k = 0; k < 3; ++k) {
    Mat3 on_axis = by_o.col(k) * arm_o.transpose() + by_i.col(k) * arm_i.transpose();
    on_axis.diagonal().array() += sample.y[k];
    J.middleCols<3>(first_of(static_cast<size_t>(frames_[piece] + 1 + k))) += on_axis;
    at_p -= on_axis;
  }
}

/// M = Σ weights JᵀJ over the kernel's samples.
void StrandSection::update_mass(const SectionMotion& at, SectionWorkspace& ws, MatX& M) const {
  const Eigen::Index n = 3 * nodes_, pieces = piece_count();
  // Sections of all lengths share the workspace.
  if (ws.dL.size() < n) ws.dL.resize(n);
  if (ws.dc.size() < n * pieces) ws.dc.resize(n * pieces);
  for (Eigen::Matrix3Xd& J : ws.J)
    if (J.cols() < n) J.resize(3, n);
  auto dL = ws.dL.head(n);
  dL.setZero();
  PieceLength piece;
  for (size_t k = 0; k < frames_.size(); ++k) {
    ws.dc.segment(n * static_cast<Eigen::Index>(k), n) = dL;
    update_piece(at, k, false, piece);
    for (int a = 0; a < piece.nodes; ++a)
      dL.segment<3>(first_of(piece_node(k, a))) += piece.gradient(a);
  }
  M.setZero();
  // Adds Aᵀ(wa A + wb B), below the diagonal.
  const auto add = [&](const Eigen::Matrix3Xd& A, double wa, const Eigen::Matrix3Xd& B, double wb) {
    for (Eigen::Index l = 0; l < n; ++l) {
      const Vec3 p = wa * A.col(l) + wb * B.col(l);
      for (Eigen::Index m = 0; m <= l; ++m) M(l, m) += p.dot(A.col(m));
    }
  };
  for (int g = 0; g < ws.plain.path.group_count(); ++g) {
    const MassGroup<double>& group = ws.plain.path.group(g);
    if (group.linear) {
      for (size_t k = 0; k < 2; ++k) update_columns(at, group.sample[k], ws, ws.J[k]);
      add(ws.J[0], group.weight[0], ws.J[1], group.weight[1]);
      add(ws.J[1], group.weight[2], ws.J[0], group.weight[1]);
      continue;
    }
    for (size_t k = 0; k < static_cast<size_t>(group.count); ++k) {
      update_columns(at, group.sample[k], ws, ws.J[0]);
      add(ws.J[0], group.weight[k], ws.J[0], 0);
    }
  }
  M.triangularView<Eigen::StrictlyUpper>() = M.transpose();
}

void StrandSection::differentiate(const SectionMotion& at, const Vec3& gravity, Terms of, Seed by,
                                  SectionWorkspace& ws, MatX& out) const {
  auto& kernel = ws.differentiated;
  for (size_t first = 0; first < seeds_.size(); first += kChunk) {
    place_nodes(at, ws, kernel);
    // f is linear in accelerations: its slope is the same at zero, and those of bodies may not be
    // known where M alone is asked for.
    if (by == Seed::a)
      for (Point<Chunk>& a : kernel.a) a.setConstant(Chunk(0.0));
    const size_t count = std::min<size_t>(kChunk, seeds_.size() - first);
    auto& seeded = by == Seed::x ? kernel.x : by == Seed::v ? kernel.v : kernel.a;
    for (size_t d = 0; d < count; ++d) {
      const Eigen::Index column = seeds_[first + d];
      seeded[static_cast<size_t>(column / 3)][column % 3].d[d] = 1;
    }
    place_spans(gravity, kernel);
    if (of == Terms::inertia)
      run(ws, kernel);
    else
      run_sliding(ws, kernel, nullptr);
    for (size_t k = 0; k < static_cast<size_t>(nodes_); ++k)
      for (Eigen::Index c = 0; c < 3; ++c)
        for (size_t d = 0; d < count; ++d)
          out(first_of(k) + c, seeds_[first + d]) = kernel.f[k][c].d[d];
  }
}

void StrandSection::update_inertial_derivatives(const SectionMotion& at, const Vec3& gravity,
                                                SectionWorkspace& ws, SectionTerms& out) const {
  const Eigen::Index n = 3 * nodes_;
  out.K.setZero(n, n);
  out.D.setZero(n, n);
  if (lumped_ || is_plain()) return;
  differentiate(at, gravity, Terms::inertia, Seed::x, ws, out.K);
  if (nodes_ > piece_count() + 1 && !is_sliding())
    differentiate(at, gravity, Terms::inertia, Seed::a, ws, out.M);
  if (velocity_terms_) differentiate(at, gravity, Terms::inertia, Seed::v, ws, out.D);
}

void StrandSection::add_energy(const SectionMotion& at, const Vec3& gravity, SectionWorkspace& ws,
                               double& kinetic, double& potential) const {
  const Vec3 g = weight(gravity);
  for (size_t k = 0; k < slips_.size(); ++k) {
    const double speed = at.v[static_cast<size_t>(first_slip_) + k].x();
    kinetic += 0.5 * slips_[k].friction.mass * speed * speed;
  }
  if (mass() == 0) return;
  if (lumped_) {
    for (const size_t k : {size_t{0}, frames_.size()}) {
      kinetic += 0.25 * mass() * at.v[k].squaredNorm();
      potential -= 0.5 * mass() * g.dot(at.x[k]);
    }
    return;
  }
  if (is_plain()) {
    kinetic += mass() / 6 * (at.v[0].squaredNorm() + at.v[0].dot(at.v[1]) + at.v[1].squaredNorm());
    potential -= 0.5 * mass() * g.dot(at.x[0] + at.x[1]);
    return;
  }
  place_nodes(at, ws, ws.plain);
  place_spans(gravity, ws.plain);
  solve_spans(at, ws);
  place_breaks(ws.plain);
  ws.plain.path.update(path(), ws.solutions, ws.plain.motion, MuscleView::at_rest,
                       is_closed() ? &ws.plain.flow : nullptr,
                       std::span<const PathBreak<double>>(ws.plain.breaks));
  const auto height = [&](const PathSample<double>& sample) {
    const int p = frames_[static_cast<size_t>(sample.span)];
    if (p < 0) return g.dot(sample.y);
    double out = g.dot(at.x[static_cast<size_t>(p)]);
    for (int c = 0; c < 3; ++c)
      out +=
          sample.y[c] * g.dot(at.x[static_cast<size_t>(p + 1 + c)] - at.x[static_cast<size_t>(p)]);
    return out;
  };
  for (int k = 0; k < ws.plain.path.group_count(); ++k) {
    const MassGroup<double>& group = ws.plain.path.group(k);
    if (!group.linear) {
      for (size_t n = 0; n < static_cast<size_t>(group.count); ++n) {
        kinetic += 0.5 * group.weight[n] * group.sample[n].velocity.squaredNorm();
        potential -= group.weight[n] * height(group.sample[n]);
      }
      continue;
    }
    const PathSample<double>&a = group.sample[0], &b = group.sample[1];
    const double m0 = group.weight[0], m01 = group.weight[1], m1 = group.weight[2];
    kinetic += 0.5 * (m0 * a.velocity.squaredNorm() + 2 * m01 * a.velocity.dot(b.velocity) +
                      m1 * b.velocity.squaredNorm());
    potential -= (m0 + m01) * height(a) + (m01 + m1) * height(b);
  }
}

template void StrandSection::place_nodes(const SectionMotion&, SectionWorkspace&,
                                         SectionWorkspace::Kernel<double>&) const;
template void StrandSection::place_spans(const Vec3&, SectionWorkspace::Kernel<double>&) const;
template void StrandSection::place_nodes(const SectionMotion&, SectionWorkspace&,
                                         SectionWorkspace::Kernel<Chunk>&) const;
template void StrandSection::place_spans(const Vec3&, SectionWorkspace::Kernel<Chunk>&) const;
template void StrandSection::run(const SectionWorkspace&, SectionWorkspace::Kernel<Chunk>&) const;
template void StrandSection::collect(SectionWorkspace::Kernel<double>&) const;
template void StrandSection::collect(SectionWorkspace::Kernel<Chunk>&) const;

}  // namespace sinew
