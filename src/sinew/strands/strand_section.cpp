#include "sinew/strands/strand_section.hpp"

#include <algorithm>

namespace sinew {
namespace {

/// From a node to the next. Without a length there is no direction, and t and P are zero.
struct StrandPiece {
  double length = 0;
  Vec3 t = Vec3::Zero();
  /// ∂t/∂x = (1 − t tᵀ)/length
  Mat3 P() const {
    if (length == 0) return Mat3::Zero();
    return (Mat3::Identity() - t * t.transpose()) / length;
  }
};

StrandPiece piece_after(const SectionMotion& at, size_t k) {
  const Vec3 x = at.x[k + 1] - at.x[k];
  StrandPiece out{x.norm(), Vec3::Zero()};
  if (out.length > 0) out.t = x / out.length;
  return out;
}

Eigen::Index first_of(size_t node) { return 3 * static_cast<Eigen::Index>(node); }

/// The force on a node from the two spans beside it, as the kernel gives it.
template <class T>
Point<T> node_force(const std::vector<SpanForce<T>>& forces, size_t node, size_t nodes) {
  if (node == 0) return forces[0].end[0];
  if (node + 1 == nodes) return forces[node - 1].end[1];
  return forces[node].end[0] + forces[node - 1].end[1];
}

void zero(SectionTerms& out, Eigen::Index n, bool derivatives) {
  out.f.setZero(n);
  if (!derivatives) return;
  out.K.setZero(n, n);
  out.D.setZero(n, n);
}

}  // namespace

StrandSection::StrandSection(const Strand& strand, double begin, double end, int nodes)
    : nodes_(nodes),
      begin_(begin),
      rest_length_(end - begin),
      elastic_(strand.length == StrandLength::elastic),
      lumped_(strand.mass_model == StrandMass::lumped),
      velocity_terms_(strand.velocity_terms),
      gravity_(strand.gravity),
      law_(strand.law) {
  path_.name = strand.name;
  path_.spans.resize(static_cast<size_t>(nodes) - 1);
  path_.mass = strand.density * rest_length_;
  path_.material = MaterialMap::Uniform(0, 1);
  path_.regions = mass_regions(MassProfile::uniform, path_.mass);
}

SectionPull StrandSection::pull(const SectionMotion& at) const {
  SectionPull out;
  for (size_t k = 0; k + 1 < static_cast<size_t>(nodes_); ++k) {
    const StrandPiece piece = piece_after(at, k);
    out.shortest = k == 0 ? piece.length : std::min(out.shortest, piece.length);
    out.length += piece.length;
    out.rate += piece.t.dot(at.v[k + 1] - at.v[k]);
  }
  if (!elastic_) return out;
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
  const double T = definite ? std::max(0.0, now.tension) : now.tension;
  for (size_t k = 0; k + 1 < static_cast<size_t>(nodes_); ++k) {
    const StrandPiece piece = piece_after(at, k);
    const Eigen::Index a = first_of(k), b = a + 3;
    dL.segment<3>(a) -= piece.t;
    dL.segment<3>(b) += piece.t;
    if (!derivatives) continue;
    const Mat3 TP = T * piece.P();
    out.K.block<3, 3>(a, a) += TP;
    out.K.block<3, 3>(b, b) += TP;
    out.K.block<3, 3>(a, b) -= TP;
    out.K.block<3, 3>(b, a) -= TP;
  }
  if (derivatives) {
    const double by_length = now.by_strain / rest_length_, by_rate = now.by_rate / rest_length_;
    out.K.noalias() += (by_length * dL) * dL.transpose();
    out.D.noalias() += (by_rate * dL) * dL.transpose();
    for (size_t k = 0; !definite && by_rate != 0 && k + 1 < static_cast<size_t>(nodes_); ++k) {
      const Vec3 Pv = by_rate * (piece_after(at, k).P() * (at.v[k + 1] - at.v[k]));
      out.K.middleCols<3>(first_of(k)).noalias() -= dL * Pv.transpose();
      out.K.middleCols<3>(first_of(k + 1)).noalias() += dL * Pv.transpose();
    }
  }
  dL *= now.tension;
}

/// The kernel sees the section from the ground, which carries no surface: the accelerations of
/// nodes are true ones, gravity is the acceleration of the frame.
template <class T>
void StrandSection::begin(const SectionMotion& at, const Vec3& gravity, SectionWorkspace& ws,
                          SectionWorkspace::Kernel<T>& kernel) const {
  const size_t spans = static_cast<size_t>(nodes_) - 1;
  if (ws.solutions.size() < spans) ws.solutions.resize(spans);
  if (kernel.motion.size() < spans) {
    kernel.motion.resize(spans);
    kernel.forces.resize(spans);
  }
  const Vec3 zero = Vec3::Zero(), upward = -weight(gravity);
  for (size_t k = 0; k < spans; ++k) {
    SpanMotion<T>& out = kernel.motion[k];
    for (size_t e = 0; e < 2; ++e) {
      out.x[e] = at.x[k + e].template cast<T>();
      out.v[e] = at.v[k + e].template cast<T>();
      out.a[e] = at.a[k + e].template cast<T>();
    }
    out.omega = out.velocity = out.alpha = zero.template cast<T>();
    out.acceleration = upward.template cast<T>();
  }
}

void StrandSection::update_inertia(const SectionMotion& at, const Vec3& gravity,
                                   SectionWorkspace& ws, SectionTerms& out) const {
  const auto nodes = static_cast<size_t>(nodes_);
  out.f.setZero(3 * nodes_);
  out.M.setZero(3 * nodes_, 3 * nodes_);
  if (lumped_) {
    for (const size_t k : {size_t{0}, nodes - 1}) {
      out.M.diagonal().segment<3>(first_of(k)).setConstant(0.5 * mass());
      out.f.segment<3>(first_of(k)) = 0.5 * mass() * (at.a[k] - weight(gravity));
    }
    return;
  }
  begin(at, gravity, ws, ws.plain);
  ws.plain.path.update(path_, ws.solutions, ws.plain.motion, view());
  ws.plain.path.forces(0, ws.plain.forces);
  for (size_t k = 0; k < nodes; ++k)
    out.f.segment<3>(first_of(k)) = node_force(ws.plain.forces, k, nodes);
  update_mass(at, ws, out.M);
}

/// M = Σ weights JᵀJ over the kernel's samples. A sample moves with the ends of its span, and with
/// its arc length in it, which is the share of the whole length less that of the span's start.
void StrandSection::update_mass(const SectionMotion& at, SectionWorkspace& ws, MatX& M) const {
  const Eigen::Index n = 3 * nodes_;
  const auto spans = static_cast<size_t>(nodes_) - 1;
  // Sections of all lengths share the workspace.
  if (ws.dL.size() < n) ws.dL.resize(n);
  if (ws.dc.size() < n * (nodes_ - 1)) ws.dc.resize(n * (nodes_ - 1));
  auto dL = ws.dL.head(n), dc = ws.dc.head(n * (nodes_ - 1));
  dL.setZero();
  for (size_t k = 0; k < spans; ++k) {
    dc.segment(n * static_cast<Eigen::Index>(k), n) = dL;
    const Vec3 t = piece_after(at, k).t;
    dL.segment<3>(first_of(k)) -= t;
    dL.segment<3>(first_of(k + 1)) += t;
  }
  M.setZero();
  const auto column = [&](const PathSample<double>& sample, Eigen::Index l) {
    const auto span = static_cast<Eigen::Index>(sample.span);
    const double s = sample.by_length * dL[l] - dc[n * span + l];
    const Eigen::Index end = l / 3 - span;  // 0 or 1 if the coordinate moves an end of the span
    Vec3 out = sample.dy.col(6) * s;
    if (end == 0 || end == 1) out += sample.dy.col(3 * end + l % 3);
    return out;
  };
  for (int g = 0; g < ws.plain.path.group_count(); ++g) {
    const MassGroup<double>& group = ws.plain.path.group(g);
    for (Eigen::Index l = 0; l < n; ++l) {
      const Vec3 l0 = column(group.sample[0], l), l1 = column(group.sample[1], l);
      const Vec3 p0 = group.weight[0] * l0 + group.weight[1] * l1;
      const Vec3 p1 = group.weight[1] * l0 + group.weight[2] * l1;
      for (Eigen::Index m = 0; m <= l; ++m)
        M(l, m) += p0.dot(column(group.sample[0], m)) + p1.dot(column(group.sample[1], m));
    }
  }
  M.triangularView<Eigen::StrictlyUpper>() = M.transpose();
}

void StrandSection::update_inertial_derivatives(const SectionMotion& at, const Vec3& gravity,
                                                SectionWorkspace& ws, SectionTerms& out) const {
  const Eigen::Index n = 3 * nodes_;
  const auto nodes = static_cast<size_t>(nodes_);
  out.K.setZero(n, n);
  out.D.setZero(n, n);
  if (lumped_) return;
  auto& kernel = ws.differentiated;
  const Eigen::Index directions = velocity_terms_ ? 2 * n : n;
  for (Eigen::Index first = 0; first < directions; first += kChunk) {
    begin(at, gravity, ws, kernel);
    const Eigen::Index count = std::min<Eigen::Index>(kChunk, directions - first);
    for (Eigen::Index d = 0; d < count; ++d) {
      const bool by_rate = first + d >= n;
      const Eigen::Index l = by_rate ? first + d - n : first + d;
      for (size_t e = 0; e < 2; ++e) {
        const auto span = static_cast<size_t>(l / 3) - e;  // wraps around below zero
        if (span >= nodes - 1) continue;
        Point<Chunk>& x = by_rate ? kernel.motion[span].v[e] : kernel.motion[span].x[e];
        x[l % 3].d[static_cast<size_t>(d)] = 1;
      }
    }
    kernel.path.update(path_, ws.solutions, kernel.motion, view());
    kernel.path.forces(Chunk(0), kernel.forces);
    for (size_t k = 0; k < nodes; ++k) {
      const Point<Chunk> f = node_force(kernel.forces, k, nodes);
      for (Eigen::Index d = 0; d < count; ++d) {
        const bool by_rate = first + d >= n;
        MatX& to = by_rate ? out.D : out.K;
        for (Eigen::Index c = 0; c < 3; ++c)
          to(first_of(k) + c, by_rate ? first + d - n : first + d) = f[c].d[static_cast<size_t>(d)];
      }
    }
  }
}

void StrandSection::add_energy(const SectionMotion& at, const Vec3& gravity, SectionWorkspace& ws,
                               double& kinetic, double& potential) const {
  const Vec3 g = weight(gravity);
  if (lumped_) {
    for (const size_t k : {size_t{0}, static_cast<size_t>(nodes_) - 1}) {
      kinetic += 0.25 * mass() * at.v[k].squaredNorm();
      potential -= 0.5 * mass() * g.dot(at.x[k]);
    }
    return;
  }
  begin(at, gravity, ws, ws.plain);
  ws.plain.path.update(path_, ws.solutions, ws.plain.motion, MuscleView::at_rest);
  for (int k = 0; k < ws.plain.path.group_count(); ++k) {
    const MassGroup<double>& group = ws.plain.path.group(k);
    const PathSample<double>&a = group.sample[0], &b = group.sample[1];
    const double m0 = group.weight[0], m01 = group.weight[1], m1 = group.weight[2];
    kinetic += 0.5 * (m0 * a.velocity.squaredNorm() + 2 * m01 * a.velocity.dot(b.velocity) +
                      m1 * b.velocity.squaredNorm());
    potential -= g.dot((m0 + m01) * a.y + (m01 + m1) * b.y);
  }
}

void StrandSection::material(const SectionMotion& at, std::vector<double>& s) const {
  const double scale = rest_length_ / pull(at).length;
  double c = 0;
  for (size_t k = 0; k < static_cast<size_t>(nodes_); ++k) {
    s.push_back(begin_ + c * scale);
    if (k + 1 < static_cast<size_t>(nodes_)) c += piece_after(at, k).length;
  }
}

}  // namespace sinew
