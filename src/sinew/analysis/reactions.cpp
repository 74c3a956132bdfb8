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

void reactions(const System& system, const StepOptions& options, const State& state,
               const Controls& controls, Workspace& ws, std::vector<double>& out) {
  out.clear();
  if (system.constraints().empty()) return;
  VecX qddot(state.q.size()), values(system.controls().size());
  forward_dynamics(system, at_state(state, controls, values), ws, qddot,
                   options.projection ? Baumgarte{} : options.baumgarte);
  for (const auto& constraint : measure_constraints(system, state, ws))
    for (const Measurement& m : constraint) out.push_back(m.value);
}

}  // namespace sinew
