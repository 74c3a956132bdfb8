#include "sinew/analysis/muscle_rank.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <random>

#include "sinew/analysis/muscle_state.hpp"
#include "sinew/dynamics/crba.hpp"
#include "sinew/dynamics/rnea.hpp"
#include "sinew/muscles/muscles.hpp"

namespace sinew {
namespace {

/// Uniform in [0, 1) from the bits of the generator: distributions differ between libraries.
double uniform(std::mt19937_64& generator) {
  return static_cast<double>(generator() >> 11) * 0x1.0p-53;
}

double largest_eigenvalue(const MatX& A, const MatX& B) {
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatX> solver(A, B, Eigen::EigenvaluesOnly);
  return solver.eigenvalues().maxCoeff();
}

}  // namespace

std::vector<MuscleRank> rank_muscles(const System& system, const std::vector<VecX>& poses) {
  const Skeleton& skeleton = system.skeleton();
  const int n = skeleton.dof_count();
  Workspace ws(system);
  std::vector<MuscleRank> out;
  for (size_t k = 0; k < system.muscles().size(); ++k)
    if (system.muscles()[k]->spans()) out.emplace_back().muscle = static_cast<int>(k);
  MatX M = MatX::Zero(n, n);
  for (const VecX& pose : poses) {
    const VecX still = VecX::Zero(pose.size());
    const ExpandedState x = expand(system, {0, pose, still}, ws);
    update_kinematics(skeleton, x.q, x.qdot, ws.skeleton);
    update_inertias(skeleton, ws.skeleton);
    mass_matrix(skeleton, ws.skeleton, M);
    const MatX bones = ws.border->congruent(M);
    for (MuscleRank& rank : out) {
      const SpanPath& muscle = *system.muscles()[static_cast<size_t>(rank.muscle)]->spans();
      SpanPathWorkspace& path = muscle_scratch(ws).path.spans;
      muscle.update({skeleton, 0, x.q, x.qdot, ws.skeleton}, nullptr, MuscleView::inertia, path);
      if (failed(muscle.status(path))) continue;
      M.setZero();
      muscle.add_mass_matrix(path, M);
      const double lambda = largest_eigenvalue(ws.border->congruent(M), bones);
      if (rank.poses++ == 0 || lambda > rank.largest) {
        rank.largest = lambda;
        rank.pose = pose;
      }
      rank.mean += lambda;
    }
  }
  for (MuscleRank& rank : out) rank.mean /= std::max(1, rank.poses);
  std::stable_sort(out.begin(), out.end(),
                   [](const MuscleRank& a, const MuscleRank& b) { return a.largest > b.largest; });
  return out;
}

std::vector<VecX> draw_poses(const PoseRange& range, int samples, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::vector<VecX> poses;
  for (int s = 0; s < samples; ++s) {
    VecX& q = poses.emplace_back(range.lower.size());
    for (Eigen::Index k = 0; k < q.size(); ++k)
      q[k] = range.lower[k] + uniform(generator) * (range.upper[k] - range.lower[k]);
  }
  return poses;
}

}  // namespace sinew
