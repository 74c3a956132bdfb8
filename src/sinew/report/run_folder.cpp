#include "sinew/report/run_folder.hpp"

namespace sinew {

RunFolder::RunFolder(const std::filesystem::path& folder, TableFormat format,
                     const std::string& name, const System& system,
                     const std::vector<std::string>& state_names, bool adaptive)
    : results_(folder, format), columns_(system, name, state_names) {
  for (const RunColumns::Table& table : columns_.tables())
    writers_.push_back(&results_.add(table.name, name + "_" + table.name, table.labels));
  if (adaptive) steps_ = &results_.add("steps", name + "_steps", {"length", "next_length"});
}

void RunFolder::add_row(const State& state, const Snapshot& snapshot,
                        std::span<const double> reactions, Workspace& ws) {
  columns_.update(state, snapshot, reactions, ws);
  for (size_t k = 0; k < writers_.size(); ++k)
    writers_[k]->add_row(state.t, {columns_.tables()[k].values});
  // The first row costs nothing and may be the last: a run that is refused leaves the folder alone.
  if (++rows_ == 2) results_.take_over();
}

void RunFolder::add_step(const State& state, const StepReport& report) {
  const double columns[] = {report.h, state.memory.h_next};
  if (steps_) steps_->add_row(state.t, {columns});
}

}  // namespace sinew
