#include "sinew/system/rearrangement.hpp"

#include "sinew/system/element_sums.hpp"
#include "sinew/system/projection.hpp"

namespace sinew {
namespace {

class StateChange final : public PartChange {
 public:
  StateChange(const System& system, size_t part, State& state, Workspace& ws)
      : system_(system), part_(part), state_(state), ws_(ws) {}

  PartAt at() override {
    update_kinematics(system_, state_, ws_);
    factored_ = false;
    return part_at(system_, part_, state_, ws_.border->expanded(state_),
                   controls_at(system_, state_, ws_), ws_);
  }
  VecRef q() override { return own(state_.q); }
  VecRef qdot() override { return own(state_.qdot); }
  void respond(const VecX& f, VecX& p, VecX& x) override {
    if (!factored_) factor_mass_matrix(system_, state_, ws_);
    factored_ = true;
    p.resize(state_.q.size());
    x.resize(state_.q.size());
    VecRef pulled(p);
    double* const room = ws_.border->force_room(pulled);
    std::copy(f.data(), f.data() + f.size(), room);
    ws_.border->pull_force(pulled);
    solve_mass_matrix(system_, ws_, p, x);
  }
  void add_rates(double c, const VecX& x) override { state_.qdot += c * x; }

 private:
  VecRef own(VecX& all) const {
    return all.segment(system_.state_dof(part_), system_.parts()[part_]->dof_count());
  }

  const System& system_;
  size_t part_;
  State& state_;
  Workspace& ws_;
  bool factored_ = false;
};

}  // namespace

double rearrange(const System& system, double h, bool projection, State& state, Workspace& ws) {
  bool changed = false;
  double before = 0;
  for (size_t k = 0; k < system.parts().size(); ++k) {
    const Part& part = *system.parts()[k];
    if (!part.rearranges()) continue;
    StateChange change(system, k, state, ws);
    // Every change takes one coordinate out of use or into it, and none does both at one place.
    for (int n = 0; n < 2 * part.dof_count(); ++n) {
      if (!part.must_rearrange(change.at(), h, *ws.parts[k])) break;
      if (!changed) before = energy(system, state, ws).total();
      changed = true;
      part.rearrange(change, *ws.parts[k]);
    }
  }
  if (!changed) return 0;
  if (projection && !system.constraints().empty())
    project(system, state.t, state.q, state.qdot, Directions::none, ws);
  return energy(system, state, ws).total() - before;
}

}  // namespace sinew
