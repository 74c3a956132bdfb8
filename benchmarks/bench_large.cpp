// Time per step of large articulated systems: linearly implicit Euler by conjugate gradients
// without any matrix, compared with a sparse direct solve of the same system. Prints a table.
//     bench_large [largest number of bodies, default 10000]
#include <fmt/format.h>

#include <Eigen/Sparse>
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <random>

#include "sinew/dynamics/implicit_inertia.hpp"
#include "sinew/dynamics/rnea.hpp"
#include "sinew/integrate/integrator.hpp"
#include "sinew/io/scene/structures.hpp"
#include "sinew/math/so3.hpp"

namespace bench {
namespace {

using namespace sinew;
using Sparse = Eigen::SparseMatrix<double>;
using Triplets = std::vector<Eigen::Triplet<double>>;

constexpr double kStep = 5e-3;
constexpr int kSteps = 10;

template <class Work>
double milliseconds(Work&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

struct Measured {
  double milliseconds = 0;  ///< per step, median
  int iterations = 0;       ///< largest number in a step
};

Measured by_conjugate_gradient(const System& system) {
  Workspace ws(system);
  State state = system.default_state();
  // Speeds without symmetry: a symmetric right-hand side would need fewer iterations.
  std::mt19937 engine(1);
  std::normal_distribution<double> normal(0, 1e-3);
  for (double& speed : state.qdot) speed = normal(engine);
  StepOptions options;
  options.integrator = Integrator::linearly_implicit_euler;
  options.solver = LinearSolver::conjugate_gradient;
  Measured out;
  std::vector<double> times;
  for (int k = 0; k < kSteps; ++k) {
    StepReport report;
    times.push_back(milliseconds([&] { report = step(system, options, kStep, state, ws); }));
    if (report.status != StepStatus::ok) {
      fmt::print(stderr, "bench_large: {}\n", to_string(report.status));
      std::exit(1);
    }
    out.iterations = std::max(out.iterations, report.solver_iterations);
  }
  std::nth_element(times.begin(), times.begin() + kSteps / 2, times.end());
  out.milliseconds = times[kSteps / 2];
  return out;
}

/// Number of entries of the Jacobian: six for each link and coordinate above it.
size_t jacobian_entries(const Skeleton& skeleton) {
  size_t entries = 0;
  std::vector<size_t> above(static_cast<size_t>(skeleton.link_count()), 0);
  for (int i = 1; i < skeleton.link_count(); ++i) {
    const Link& link = skeleton.link(i);
    above[static_cast<size_t>(i)] =
        above[static_cast<size_t>(link.parent.value)] + static_cast<size_t>(link.dof_count);
    entries += 6 * above[static_cast<size_t>(i)];
  }
  return entries;
}

Sparse jacobian(const Skeleton& skeleton, const SkeletonWorkspace& ws) {
  Triplets entries;
  for (int i = 1; i < skeleton.link_count(); ++i)
    for (int j = i; j > 0; j = skeleton.link(j).parent) {
      const Vec3 d = ws.link[static_cast<size_t>(i)].p - ws.link[static_cast<size_t>(j)].p;
      for (int k = skeleton.link(j).dof; k < skeleton.link(j).dof + skeleton.link(j).dof_count;
           ++k) {
        Vec6 s = ws.s[static_cast<size_t>(k)];
        s.tail<3>() -= d.cross(s.head<3>());
        for (int r = 0; r < 6; ++r) entries.emplace_back(6 * i + r, k, s[r]);
      }
    }
  Sparse J(6 * skeleton.link_count(), skeleton.dof_count());
  J.setFromTriplets(entries.begin(), entries.end());
  return J;
}

/// M_m − h D − h² K.
Sparse middle(const Skeleton& skeleton, const SkeletonWorkspace& ws, const ImplicitInertia& added) {
  Triplets entries;
  const auto add = [&](int a, int b, const Mat6& block) {
    for (int r = 0; r < 6; ++r)
      for (int c = 0; c < 6; ++c) entries.emplace_back(6 * a + r, 6 * b + c, block(r, c));
  };
  for (int i = 1; i < skeleton.link_count(); ++i) {
    const auto ii = static_cast<size_t>(i);
    const double* I = ws.inertia[ii].I;
    Mat6 M = Mat6::Zero();
    M.topLeftCorner<3, 3>() << I[0], I[1], I[2], I[1], I[3], I[4], I[2], I[4], I[5];
    M.topRightCorner<3, 3>() = skew(ws.inertia[ii].h);
    M.bottomLeftCorner<3, 3>() = -skew(ws.inertia[ii].h);
    M.bottomRightCorner<3, 3>().diagonal().setConstant(skeleton.link(i).mass);
    add(i, i, added.touched[ii] ? Mat6(M + added.link[ii]) : M);
  }
  for (const ImplicitInertia::Pair& pair : added.pairs) {
    add(pair.a, pair.b, pair.A);
    add(pair.b, pair.a, pair.A.transpose());
  }
  Sparse A(6 * skeleton.link_count(), 6 * skeleton.link_count());
  A.setFromTriplets(entries.begin(), entries.end());
  return A;
}

/// Only assembly, factorisation and solution of the same matrix; nothing if that would take too
/// much memory or time.
std::optional<double> by_sparse_direct(const System& system) {
  const Skeleton& skeleton = system.skeleton();
  if (jacobian_entries(skeleton) > 15'000'000) return std::nullopt;
  SkeletonWorkspace ws(skeleton);
  const State state = system.default_state();
  update_kinematics(skeleton, state.q, state.qdot, ws);
  update_inertias(skeleton, ws);
  ForceDerivatives forces(skeleton);
  const ConstVecRef q(state.q), qdot(state.qdot);
  for (const auto& force : system.forces())
    force->add_derivatives({skeleton, 0, q, qdot, ws}, StiffnessModel::definite, forces);
  ImplicitInertia added(skeleton);
  added.set(forces, -kStep, -kStep * kStep);
  const VecX b = VecX::Ones(skeleton.dof_count());
  VecX x, back(b.size());
  const double time = milliseconds([&] {
    const Sparse J = jacobian(skeleton, ws);
    const Sparse AJ = middle(skeleton, ws, added) * J;
    const Sparse H = Sparse(J.transpose()) * AJ;
    const Eigen::SimplicialLDLT<Sparse> factors(H);
    x = factors.solve(b);
  });
  multiply(skeleton, added, RigidInertia::with, x, ws, back);
  if (!((back - b).norm() < 1e-6 * b.norm())) {
    fmt::print(stderr, "bench_large: the two matrices differ\n");
    std::exit(1);
  }
  return time;
}

void run(int largest) {
  fmt::print(
      "h = {} ms; milliseconds a step; conjugate gradients: whole step, the most iterations; "
      "sparse direct: assembly and solution alone\n\n",
      1e3 * kStep);
  fmt::print(
      "| shape | bodies | iterations | conjugate gradients | per body [µs] | sparse direct | "
      "ratio |\n|---|---|---|---|---|---|---|\n");
  for (size_t shape = 0; shape < structure_names().size(); ++shape)
    for (int n = 100; n <= largest; n = n % 3 == 0 ? n / 3 * 10 : 3 * n) {
      StructureOptions options;
      options.bodies = n;
      const System system =
          structure_builder(make_structure(static_cast<StructureShape>(shape), options)).build();
      const Measured cg = by_conjugate_gradient(system);
      const std::optional<double> direct = by_sparse_direct(system);
      fmt::print("| {} | {} | {} | {:.3g} | {:.3g} | {} | {} |\n", structure_names()[shape], n,
                 cg.iterations, cg.milliseconds, 1e3 * cg.milliseconds / n,
                 direct ? fmt::format("{:.3g}", *direct) : "–",
                 direct ? fmt::format("{:.2g}", cg.milliseconds / *direct) : "–");
      std::fflush(stdout);
    }
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  bench::run(argc > 1 ? std::atoi(argv[1]) : 10000);
  return 0;
}
