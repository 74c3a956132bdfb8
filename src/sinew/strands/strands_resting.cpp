#include <cmath>

#include "sinew/strands/strands.hpp"

// Coordinates that stand for nothing for now: nodes inside gates, and the numbers that say which
// ones these are. They rest, with a mass and a unit spring each, so that every matrix of the system
// stays regular: docs/theory/strands.md, §6.

namespace sinew {

template <class F>
void Strands::for_each_resting(const double* own, const StrandScratch& ws, F&& f) const {
  const auto& movers = tree_->movers();
  for (const StrandRun& run : runs_) {
    for (int k = 1; k < run.last(); ++k) {
      const int mover = place_of(run.slot(k).node).mover;
      if (!ws.inside[static_cast<size_t>(mover)]) continue;
      const double mass = strands_[run.strand].density * run.slot(k).width;
      for (int c = 0; c < 3; ++c) f(mover, c, mass, 0.0);
    }
    for (const StrandRun::Gate& gate : run.gates)
      for (const int node : {gate.before, gate.behind}) {
        const int mover = place_of(node).mover;
        f(mover, 0, 1.0, std::round(own[movers[static_cast<size_t>(mover)].first]));
      }
  }
  for (const Release& release : releases_)
    for (const int node : release.count) {
      if (node < 0) continue;
      const int mover = place_of(node).mover;
      f(mover, 0, 1.0, std::round(own[movers[static_cast<size_t>(mover)].first]));
    }
}

void Strands::add_resting_forces(const PartAt& at, StrandScratch& ws, VecX& tau) const {
  const double* const own = at.skeleton.q.data() + at.dof;
  for_each_resting(own, ws, [&](int mover, int c, double, double rest) {
    const int k = tree_->movers()[static_cast<size_t>(mover)].first + c;
    tau[at.dof + k] -= own[k] - rest;
  });
}

void Strands::add_resting_mass(const PartAt& at, const double* qddot, StrandScratch& ws,
                               const MassEntries* mass, VecX* tau) const {
  for_each_resting(at.skeleton.q.data() + at.dof, ws, [&](int mover, int c, double m, double) {
    const int k = at.dof + tree_->movers()[static_cast<size_t>(mover)].first + c;
    const int node = at.node + mover;
    if (mass != nullptr) mass->nodes.block(mass->layout, node, node)(c, c) += m;
    if (tau != nullptr && qddot != nullptr) (*tau)[k] += m * qddot[k];
  });
}

void Strands::add_resting_stiffness(const PartAt& at, StrandScratch& ws,
                                    PartDerivatives& out) const {
  for_each_resting(at.skeleton.q.data() + at.dof, ws, [&](int mover, int c, double, double) {
    out.dg_dq_nodes.block(out.layout, at.node + mover, at.node + mover)(c, c) += 1;
  });
}

void Strands::add_resting_energy(const PartAt& at, const StrandScratch& ws, PartEnergy& out) const {
  const double* const own = at.skeleton.q.data() + at.dof;
  for_each_resting(own, ws, [&](int mover, int c, double m, double rest) {
    const int k = tree_->movers()[static_cast<size_t>(mover)].first + c;
    const double rate = at.skeleton.qdot[at.dof + k];
    out.elastic += 0.5 * (own[k] - rest) * (own[k] - rest);
    out.kinetic += 0.5 * m * rate * rate;
  });
}

}  // namespace sinew
