#include <algorithm>

#include "sinew/muscles/path/material_column.hpp"

// The effects of a muscle on the skeleton: forces, mass matrix, energies. docs/theory/muscles.md,
// "From forces on samples to wrenches".

namespace sinew {
SpanStatus SpanPath::status(const SpanPathWorkspace& ws) const {
  SpanStatus worst = SpanStatus::free;
  for (size_t j = 0; j < frames_.size(); ++j) worst = std::max(worst, ws.solutions[j].status);
  if (muscle_.has_mass() && !has_belly(length(ws))) return SpanStatus::no_room;
  return worst;
}

void SpanPath::update_length_gradient(SpanPathWorkspace& ws) const {
  const size_t n = dofs_.size();
  ws.dL.assign(n, 0);
  ws.dc.resize(n * frames_.size());
  for (size_t j = 0; j < frames_.size(); ++j) {
    const auto& d = ws.kernel.shape(static_cast<int>(j)).length.d;
    const Vec3 by_o(d[0], d[1], d[2]), by_i(d[3], d[4], d[5]);
    for (size_t l = 0; l < n; ++l) {
      ws.dc[j * n + l] = ws.dL[l];
      ws.dL[l] += by_o.dot(ws.spans[j].x[0][l]) + by_i.dot(ws.spans[j].x[1][l]);
    }
  }
}

void SpanPath::add_forces(const SkeletonAt& in, double tension, SpanPathWorkspace& ws,
                          std::vector<Vec6>& wrench, VecRef tau) const {
  ws.kernel.forces(tension, ws.forces);
  ws.F.assign(points_.size(), Vec3::Zero());
  for (size_t j = 0; j < frames_.size(); ++j) {
    const SpanPathWorkspace::SpanColumns& S = ws.spans[j];
    const SpanForce<double>& f = ws.forces[j];
    ws.F[j] += S.R * f.end[0];
    ws.F[j + 1] += S.R * f.end[1];
    const auto link = static_cast<size_t>(frames_[j].link);
    const Vec3 force = S.R * f.force, d = S.p - in.ws.link[link].p;
    wrench[link].head<3>() += S.R * f.torque + d.cross(force);
    wrench[link].tail<3>() += force;
  }
  for (size_t k = 0; k < points_.size(); ++k)
    for (const Term& term : points_[k]) {
      const TermMotion t = motion_of(in, nullptr, MuscleView::path, term);
      const Vec3 f = t.c.v * ws.F[k];
      Vec6& w = wrench[static_cast<size_t>(term.link)];
      w.head<3>() += t.offset.cross(f);
      if (!term.direction) w.tail<3>() += f;
      for (size_t l = 0; l < term.factors.size(); ++l)
        tau[term.factors[l].dof] += t.by[l].v * t.x.dot(ws.F[k]);
    }
}

void SpanPath::add_mass_matrix(SpanPathWorkspace& ws, MatRef M) const {
  if (!muscle_.has_mass()) return;
  update_length_gradient(ws);
  const size_t n = dofs_.size();
  ws.J.resize(n * MassGroup<double>::kMaxSamples);
  for (int g = 0; g < ws.kernel.group_count(); ++g) {
    const MassGroup<double>& group = ws.kernel.group(g);
    const auto count = static_cast<size_t>(group.count);
    for (size_t a = 0; a < count; ++a)
      for (size_t l = 0; l < n; ++l) ws.J[a * n + l] = material_column(ws, group.sample[a], l);
    for (size_t l = 0; l < n; ++l)
      for (size_t m = 0; m <= l; ++m) {
        double sum = 0;
        if (group.linear) {
          const Vec3 &l0 = ws.J[l], &l1 = ws.J[n + l], &m0 = ws.J[m], &m1 = ws.J[n + m];
          sum = group.weight[0] * l0.dot(m0) + group.weight[1] * (l0.dot(m1) + l1.dot(m0)) +
                group.weight[2] * l1.dot(m1);
        } else {
          for (size_t a = 0; a < count; ++a)
            sum += group.weight[a] * ws.J[a * n + l].dot(ws.J[a * n + m]);
        }
        M(dofs_[l], dofs_[m]) += sum;
        if (l != m) M(dofs_[m], dofs_[l]) += sum;
      }
  }
}

double SpanPath::kinetic_energy(const SpanPathWorkspace& ws) const {
  double twice = 0;
  for (int g = 0; g < ws.kernel.group_count(); ++g) {
    const MassGroup<double>& group = ws.kernel.group(g);
    const auto v = [&](size_t a) -> const Vec3& { return group.sample[a].velocity; };
    if (group.linear)
      twice += group.weight[0] * v(0).squaredNorm() + 2 * group.weight[1] * v(0).dot(v(1)) +
               group.weight[2] * v(1).squaredNorm();
    else
      for (size_t a = 0; a < static_cast<size_t>(group.count); ++a)
        twice += group.weight[a] * v(a).squaredNorm();
  }
  return 0.5 * twice;
}

double SpanPath::gravity_energy(const Vec3& gravity, const SpanPathWorkspace& ws) const {
  if (!muscle_.gravity) return 0;
  double out = 0;
  for (int g = 0; g < ws.kernel.group_count(); ++g) {
    const MassGroup<double>& group = ws.kernel.group(g);
    for (size_t a = 0; a < static_cast<size_t>(group.count); ++a) {
      const PathSample<double>& at = group.sample[a];
      const SpanPathWorkspace::SpanColumns& S = ws.spans[static_cast<size_t>(at.span)];
      const double mass = group.linear ? group.weight[1] + group.weight[2 * a] : group.weight[a];
      out -= mass * gravity.dot(S.p + S.R * at.y);
    }
  }
  return out;
}

}  // namespace sinew
