#include "sinew/system/soft_equations.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace sinew {
namespace {

int link_of_vertex(const Skeleton& skeleton, const SoftBody& body, int vertex) {
  return link_of(skeleton, body.spec().attachments[body.attachment_of(vertex)].body);
}

void resize(BlockLu::Columns& m, Eigen::Index rows, Eigen::Index columns) {
  m.setZero(rows, columns);
}

}  // namespace

SoftScratch::SoftScratch(const System& system) {
  const SoftBodies& part = *system.soft();
  const Skeleton& skeleton = system.skeleton();
  const Eigen::Index n = skeleton.dof_count();
  std::map<std::pair<int, int>, int> pair_number;
  std::vector<char> is_coupled(part.mass.size(), 0);
  for (size_t k = 0; k < part.bodies.size(); ++k) {
    const SoftBody& soft = *part.bodies[k];
    Body& body = bodies.emplace_back();
    const BlockPattern& pattern = soft.pattern();
    for (Points* p : {&body.x, &body.v, &body.f}) p->setZero(3, soft.vertex_count());
    body.attached.resize(soft.spec().attachments.size());
    body.J.resize(body.attached.size(), Eigen::Matrix3Xd::Zero(3, n));
    body.Jdot = body.J;
    body.K.resize(pattern.block_count(), Mat3::Zero());
    body.D = body.K;
    body.pair.resize(pattern.block_count(), -1);
    for (int i = 0; i < pattern.size(); ++i)
      for (int b = pattern.row_begin(i); b < pattern.row_end(i); ++b) {
        const int j = pattern.column(b);
        const bool i_free = part.free[k][i] >= 0, j_free = part.free[k][j] >= 0;
        if (i_free && !j_free) is_coupled[part.free[k][i]] = 1;
        if (i_free || j_free) continue;
        const int a = link_of_vertex(skeleton, soft, i), c = link_of_vertex(skeleton, soft, j);
        if (a == c || a == 0 || c == 0) continue;
        const auto [found, fresh] = pair_number.try_emplace({a, c}, static_cast<int>(pairs.size()));
        if (fresh) pairs.push_back({a, c, Mat6::Zero(), Mat6::Zero()});
        body.pair[b] = found->second;
      }
  }
  for (size_t v = 0; v < is_coupled.size(); ++v)
    if (is_coupled[v]) coupled.push_back(static_cast<int>(v));
  K_ff.resize(part.pattern.block_count(), Mat3::Zero());
  D_ff = H_ff = K_ff;
  for (BlockLu::Columns* m : {&K_fr, &D_fr, &K_rf, &D_rf, &H_rf, &X})
    resize(*m, part.dof_count(), n);
  y.setZero(part.dof_count());
  lu.analyze(part.pattern);
}

std::shared_ptr<SoftScratch> make_soft_scratch(const System& system) {
  return std::make_shared<SoftScratch>(system);
}

void update_vertices(const System& system, const SkeletonAt& in, SoftScratch& soft) {
  const SoftBodies& part = *system.soft();
  for (size_t k = 0; k < part.bodies.size(); ++k) {
    SoftScratch::Body& body = soft.bodies[k];
    for (int v = 0; v < body.x.cols(); ++v) {
      if (part.free[k][v] < 0) continue;
      const Eigen::Index at = part.first_dof + 3 * part.free[k][v];
      body.x.col(v) = in.q.segment<3>(at);
      body.v.col(v) = in.qdot.segment<3>(at);
    }
    const std::vector<VertexAttachment>& attachments = part.bodies[k]->spec().attachments;
    for (size_t a = 0; a < attachments.size(); ++a) {
      body.attached[a] = attach(in.skeleton, in.ws, attachments[a].body, attachments[a].x_B);
      body.x.col(attachments[a].vertex) = body.attached[a].position;
      body.v.col(attachments[a].vertex) = body.attached[a].velocity;
    }
  }
}

void add_soft_forces(const System& system, const SkeletonAt& in, SoftScratch& soft,
                     AppliedForces& out) {
  update_vertices(system, in, soft);
  const SoftBodies& part = *system.soft();
  for (size_t k = 0; k < part.bodies.size(); ++k) {
    SoftScratch::Body& body = soft.bodies[k];
    body.f.setZero();
    part.bodies[k]->add_forces(body.x, body.v, body.f, out.power);
    for (int v = 0; v < body.x.cols(); ++v)
      if (part.free[k][v] >= 0)
        out.tau.segment<3>(part.first_dof + 3 * part.free[k][v]) += body.f.col(v);
    const std::vector<VertexAttachment>& attachments = part.bodies[k]->spec().attachments;
    for (size_t a = 0; a < attachments.size(); ++a)
      out.add_force(body.attached[a].link, body.attached[a].offset,
                    body.f.col(attachments[a].vertex));
  }
}

void vertex_residuals(const System& system, const ConstVecRef& qddot, const AppliedForces& forces,
                      VecRef g) {
  const SoftBodies& part = *system.soft();
  for (Eigen::Index v = 0; v < part.mass.size(); ++v) {
    const Eigen::Index at = part.first_dof + 3 * v;
    g.segment<3>(at) =
        part.mass[v] * (qddot.segment<3>(at) - system.gravity()) - forces.tau.segment<3>(at);
  }
}

void vertex_accelerations(const System& system, const AppliedForces& forces, VecRef qddot) {
  const SoftBodies& part = *system.soft();
  for (Eigen::Index v = 0; v < part.mass.size(); ++v) {
    const Eigen::Index at = part.first_dof + 3 * v;
    qddot.segment<3>(at) = forces.tau.segment<3>(at) / part.mass[v] + system.gravity();
  }
}

void update_soft_stiffness(const System& system, StiffnessModel kind, SoftScratch& soft,
                           ForceDerivatives& out) {
  const SoftBodies& part = *system.soft();
  for (auto& pair : soft.pairs) {
    pair.K.setZero();
    pair.D.setZero();
  }
  for (size_t k = 0; k < part.bodies.size(); ++k) {
    SoftScratch::Body& body = soft.bodies[k];
    std::fill(body.K.begin(), body.K.end(), Mat3::Zero());
    std::fill(body.D.begin(), body.D.end(), Mat3::Zero());
    if (kind != StiffnessModel::exact) continue;
    const SoftBody& element = *part.bodies[k];
    element.add_derivatives(body.x, body.v, body.K, body.D);
    for (const VertexAttachment& attachment : element.spec().attachments) {
      const int i = attachment.vertex;
      const AttachedPoint& at_i = body.attached[element.attachment_of(i)];
      if (at_i.link == 0) continue;
      const Mat36 G_i = at_i.jacobian();
      for (int b = element.pattern().row_begin(i); b < element.pattern().row_end(i); ++b) {
        const int j = element.pattern().column(b);
        if (element.attachment_of(j) < 0) continue;
        const AttachedPoint& at_j = body.attached[element.attachment_of(j)];
        if (at_j.link == 0) continue;
        // As observers see it who ride on the links: see ForceDerivatives.
        const Mat36 G_j = at_j.jacobian();
        Mat36 dF = body.K[b] * G_j - on_rotation(body.D[b] * skew(at_j.velocity));
        if (i == j) dF += on_rotation(skew(Vec3(body.f.col(i))));
        const Mat6 K = G_i.transpose() * dF, D = G_i.transpose() * body.D[b] * G_j;
        if (body.pair[b] < 0) {
          out.add(at_i.link, at_j.link, K, D);
          continue;
        }
        soft.pairs[body.pair[b]].K += K;
        soft.pairs[body.pair[b]].D += D;
      }
    }
  }
  for (const auto& pair : soft.pairs) out.add(pair.a, pair.b, pair.K, pair.D);
}

namespace {

/// J and J̇ of an attached vertex. The axes in dws share the origin of the first link.
void update_jacobians(const Skeleton& skeleton, const SkeletonWorkspace& ws,
                      const DerivativeWorkspace& dws, const AttachedPoint& at, Eigen::Matrix3Xd& J,
                      Eigen::Matrix3Xd& Jdot) {
  const Vec3 d = at.position - ws.link[1].p;
  for (int i = at.link; i > 0; i = skeleton.link(i).parent)
    for (int k = skeleton.link(i).dof; k < skeleton.link(i).dof + skeleton.link(i).dof_count; ++k) {
      const Vec6 &s = dws.s[k], &sdot = dws.sdot[k];
      J.col(k) = s.tail<3>() + s.head<3>().cross(d);
      Jdot.col(k) = sdot.tail<3>() + sdot.head<3>().cross(d) + s.head<3>().cross(at.velocity);
    }
}

}  // namespace

void update_soft_coupling(const System& system, const SkeletonWorkspace& ws,
                          const DerivativeWorkspace& dws, StiffnessModel kind, SoftScratch& soft) {
  const SoftBodies& part = *system.soft();
  for (const int v : soft.coupled)
    for (BlockLu::Columns* m : {&soft.K_fr, &soft.D_fr, &soft.K_rf, &soft.D_rf})
      m->middleRows<3>(3 * v).setZero();
  for (size_t k = 0; k < part.bodies.size(); ++k) {
    SoftScratch::Body& body = soft.bodies[k];
    const SoftBody& element = *part.bodies[k];
    const BlockPattern& pattern = element.pattern();
    for (int b = 0; b < pattern.block_count(); ++b)
      if (part.block[k][b] >= 0) {
        soft.K_ff[part.block[k][b]] = body.K[b];
        soft.D_ff[part.block[k][b]] = body.D[b];
      }
    if (kind != StiffnessModel::exact) continue;
    for (const VertexAttachment& attachment : element.spec().attachments) {
      const int i = attachment.vertex;
      const int a = element.attachment_of(i);
      if (body.attached[a].link == 0) continue;
      auto &J = body.J[a], &Jdot = body.Jdot[a];
      update_jacobians(system.skeleton(), ws, dws, body.attached[a], J, Jdot);
      for (int b = pattern.row_begin(i); b < pattern.row_end(i); ++b) {
        const int f = part.free[k][pattern.column(b)];
        if (f < 0) continue;
        const int back = pattern.find(pattern.column(b), i);
        soft.K_rf.middleRows<3>(3 * f) += body.K[b].transpose().lazyProduct(J);
        soft.D_rf.middleRows<3>(3 * f) += body.D[b].transpose().lazyProduct(J);
        soft.K_fr.middleRows<3>(3 * f) += body.K[back].lazyProduct(J);
        soft.K_fr.middleRows<3>(3 * f) += body.D[back].lazyProduct(Jdot);
        soft.D_fr.middleRows<3>(3 * f) += body.D[back].lazyProduct(J);
      }
    }
  }
}

bool factor_soft(const System& system, double gamma, MatX& H_rr, SoftScratch& soft) {
  const SoftBodies& part = *system.soft();
  const double g2 = gamma * gamma;
  for (size_t b = 0; b < soft.H_ff.size(); ++b)
    soft.H_ff[b] = -g2 * soft.K_ff[b] - gamma * soft.D_ff[b];
  for (int v = 0; v < part.pattern.size(); ++v)
    soft.H_ff[part.pattern.find(v, v)] += part.mass[v] * Mat3::Identity();
  if (!soft.lu.factor(soft.H_ff)) return false;
  soft.X.setZero();
  for (const int v : soft.coupled) {
    soft.X.middleRows<3>(3 * v) =
        -g2 * soft.K_fr.middleRows<3>(3 * v) - gamma * soft.D_fr.middleRows<3>(3 * v);
    soft.H_rf.middleRows<3>(3 * v) =
        -g2 * soft.K_rf.middleRows<3>(3 * v) - gamma * soft.D_rf.middleRows<3>(3 * v);
  }
  if (soft.coupled.empty()) return true;
  soft.lu.solve_columns_in_place(soft.X);
  for (const int v : soft.coupled)
    H_rr.noalias() -=
        soft.H_rf.middleRows<3>(3 * v).transpose().lazyProduct(soft.X.middleRows<3>(3 * v));
  return true;
}

void solve_soft(const LuFactor& rr, SoftScratch& soft, VecRef x) {
  const Eigen::Index n = rr.size();
  soft.y = x.tail(x.size() - n);
  // Rows of constraints know coordinates only: nothing to solve among vertices.
  if ((soft.y.array() != 0).any()) {
    soft.lu.solve_in_place(soft.y);
    for (const int v : soft.coupled)
      x.head(n).noalias() -=
          soft.H_rf.middleRows<3>(3 * v).transpose().lazyProduct(soft.y.segment<3>(3 * v));
  }
  rr.solve_in_place(x.head(n));
  x.tail(x.size() - n) = soft.y;
  x.tail(x.size() - n).noalias() -= soft.X.lazyProduct(x.head(n));
}

void add_soft_stiffness_times(const System& system, double c, const VecX& y,
                              const SoftScratch& soft, VecX& out) {
  const SoftBodies& part = *system.soft();
  const Eigen::Index n = part.first_dof;
  for (const int v : soft.coupled) {
    out.head(n).noalias() +=
        c * soft.K_rf.middleRows<3>(3 * v).transpose().lazyProduct(y.segment<3>(n + 3 * v));
    out.segment<3>(n + 3 * v).noalias() +=
        c * soft.K_fr.middleRows<3>(3 * v).lazyProduct(y.head(n));
  }
  for (int i = 0; i < part.pattern.size(); ++i)
    for (int b = part.pattern.row_begin(i); b < part.pattern.row_end(i); ++b)
      out.segment<3>(n + 3 * i) += c * soft.K_ff[b] * y.segment<3>(n + 3 * part.pattern.column(b));
}

double vertex_force_scale(const System& system, const VecX& qddot, const AppliedForces& forces,
                          const SoftScratch& soft) {
  const SoftBodies& part = *system.soft();
  const Eigen::Index n = part.first_dof;
  double scale = 0;
  for (int v = 0; v < part.pattern.size(); ++v)
    scale = std::max({scale, part.mass[v] * qddot.segment<3>(n + 3 * v).lpNorm<Eigen::Infinity>(),
                      part.mass[v] * system.gravity().lpNorm<Eigen::Infinity>(),
                      forces.tau.segment<3>(n + 3 * v).lpNorm<Eigen::Infinity>()});
  for (size_t k = 0; k < part.bodies.size(); ++k) {
    const SoftScratch::Body& body = soft.bodies[k];
    const BlockPattern& pattern = part.bodies[k]->pattern();
    for (int v = 0; v < pattern.size(); ++v)
      scale = std::max(scale, 0.01 * body.K[pattern.find(v, v)].lpNorm<Eigen::Infinity>() *
                                  body.x.col(v).lpNorm<Eigen::Infinity>());
  }
  return scale;
}

Energy soft_energy(const System& system, const SkeletonAt& in, SoftScratch& soft) {
  update_vertices(system, in, soft);
  const SoftBodies& part = *system.soft();
  Energy out;
  for (Eigen::Index v = 0; v < part.mass.size(); ++v) {
    const Eigen::Index at = part.first_dof + 3 * v;
    out.kinetic += 0.5 * part.mass[v] * in.qdot.segment<3>(at).squaredNorm();
    out.gravity -= part.mass[v] * system.gravity().dot(in.q.segment<3>(at));
  }
  for (size_t k = 0; k < part.bodies.size(); ++k)
    out.elastic += part.bodies[k]->energy(soft.bodies[k].x);
  return out;
}

void vertex_positions(const System& system, const State& state, int body, Workspace& ws,
                      Points& x) {
  const ConstVecRef q = state.q, qdot = state.qdot;
  update_kinematics(system, state, ws);
  update_vertices(system, {system.skeleton(), state.t, q, qdot, ws.skeleton}, *ws.soft);
  x = ws.soft->bodies[static_cast<size_t>(body)].x;
}

void surface_positions(const System& system, const State& state, int body, Workspace& ws,
                       Points& surface) {
  Points x;
  vertex_positions(system, state, body, ws, x);
  system.soft()->bodies[static_cast<size_t>(body)]->update_surface(x, surface);
}

}  // namespace sinew
