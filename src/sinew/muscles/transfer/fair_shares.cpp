#include "sinew/muscles/transfer/fair_shares.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>

namespace sinew {
namespace {

SpatialInertia less(const SpatialInertia& a, double factor, const SpatialInertia& b) {
  return {a.mass - factor * b.mass, a.h - factor * b.h, a.I - factor * b.I};
}

/// What is asked of one body: fixed by the muscles that stopped, and by those that go on, whole.
struct Asked {
  SpatialInertia fixed, growing;
};

/// The largest part of what is growing that the body can give, at most 1. The parts that it can
/// give form an interval (docs/theory/mass_transfer.md).
double largest_part(const SpatialInertia& M, const Asked& asked, double from, double keep) {
  const SpatialInertia rest = less(M, 1, asked.fixed);
  const auto works = [&](double part) {
    return may_keep(M, less(rest, part, asked.growing), keep);
  };
  if (works(1)) return 1;
  double good = from, bad = 1;
  for (int step = 0; step < 50; ++step) {
    const double middle = 0.5 * (good + bad);
    (works(middle) ? good : bad) = middle;
  }
  return good;
}

}  // namespace

bool may_keep(const SpatialInertia& before, const SpatialInertia& after, double keep) {
  if (!(after.mass > 0 && after.mass >= keep * before.mass)) return false;
  const Mat3 spare = after.central_inertia() - keep * before.central_inertia();
  if (Eigen::SelfAdjointEigenSolver<Mat3>(spare, Eigen::EigenvaluesOnly).eigenvalues()[0] < 0)
    return false;
  // With something to spare for rounding, unless the body itself has nothing to spare. Other
  // people's models have bodies that no real one could be: they are not asked to become one.
  constexpr double kSpare = -1e-6, kNone = 1e-9;
  const double tolerance = physical_defect(before, kSpare).empty() ? kSpare : kNone;
  return physical_defect(after, tolerance).empty() || !physical_defect(before).empty();
}

std::vector<double> fair_shares(const Skeleton& skeleton, const std::vector<MassClaim>& claims,
                                size_t muscles, double keep) {
  std::vector<double> out(muscles, 1);
  std::vector<char> stopped(muscles, 0);
  for (double level = 0; level < 1;) {
    std::vector<Asked> asked(skeleton.bodies().size());
    for (const MassClaim& claim : claims) {
      Asked& of = asked[static_cast<size_t>(claim.body.value)];
      const auto muscle = static_cast<size_t>(claim.muscle);
      if (stopped[muscle])
        of.fixed = less(of.fixed, -out[muscle], claim.taken);
      else
        of.growing = of.growing + claim.taken;
    }
    double next = 1;
    std::vector<double> part(asked.size(), 1);
    for (size_t b = 0; b < asked.size(); ++b) {
      if (asked[b].growing.mass == 0) continue;
      part[b] = largest_part(skeleton.bodies()[b].M_B, asked[b], level, keep);
      next = std::min(next, part[b]);
    }
    level = next;
    if (level == 1) break;
    for (const MassClaim& claim : claims) {
      const auto muscle = static_cast<size_t>(claim.muscle);
      if (stopped[muscle] || part[static_cast<size_t>(claim.body.value)] > level) continue;
      out[muscle] = level;
      stopped[muscle] = 1;
    }
  }
  return out;
}

}  // namespace sinew
