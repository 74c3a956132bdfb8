#include "sinew/analysis/reactions.hpp"

namespace sinew {

std::vector<std::string> reaction_labels(const System& system) {
  std::vector<std::string> labels;
  Workspace ws(system);
  const auto measured = measure_constraints(system, system.default_state(), ws);
  for (size_t i = 0; i < measured.size(); ++i)
    for (const Measurement& m : measured[i])
      labels.push_back(system.constraints()[i]->name() + "_" + m.name);
  return labels;
}

void reactions(const System& system, const StepOptions& options, double t, const VecX& q,
               const VecX& qdot, Workspace& ws, std::vector<double>& out) {
  out.clear();
  if (system.constraints().empty()) return;
  VecX qddot(q.size());
  forward_dynamics(system, t, q, qdot, ws, qddot,
                   options.projection ? Baumgarte{} : options.baumgarte);
  State state;
  state.t = t;
  state.q = q;
  state.qdot = qdot;
  for (const auto& constraint : measure_constraints(system, state, ws))
    for (const Measurement& m : constraint) out.push_back(m.value);
}

}  // namespace sinew
