#pragma once

#include "sinew/analysis/snapshot.hpp"
#include "sinew/integrate/integrator.hpp"
#include "sinew/report/result_folder.hpp"

namespace sinew {

/// The folder a run writes to: coordinates, places and orientations of the bodies, energies,
/// reactions of constraints, muscles and results of other parts, if there are any.
class RunFolder {
 public:
  /// `name` is the model's; `state_names` are those of an OpenSim model, none of a scene. The
  /// system must outlive the folder.
  /// `adaptive`: steps have lengths to keep.
  RunFolder(const std::filesystem::path& folder, TableFormat format, const std::string& name,
            const System& system, const std::vector<std::string>& state_names,
            bool adaptive = false);

  /// `reactions` are those of sinew::reactions; `ws` holds the kinematics of the snapshot.
  void add_row(const State& state, const Snapshot& snapshot, std::span<const double> reactions,
               Workspace& ws);
  /// Keeps the length of an adaptive step, so that it can be taken again.
  void add_step(const State& state, const StepReport& report);
  void describe(nlohmann::ordered_json record) { results_.describe(std::move(record)); }
  void flush() { results_.flush(); }
  void finish(const nlohmann::ordered_json& record) { results_.finish(record); }
  bool taken_over() const { return results_.taken_over(); }
  void abandon(const std::string& why) noexcept { results_.abandon(why); }

  const std::filesystem::path& folder() const { return results_.folder(); }
  long long rows() const { return energy_->rows(); }

 private:
  ResultFolder results_;
  const System& system_;
  void add_muscles(const State& state, const Snapshot& snapshot);
  void add_parts(const State& state, Workspace& ws);

  // null: none
  TableWriter *states_, *osim_states_, *bodies_, *energy_, *reactions_, *muscles_, *steps_;
  /// Results of parts, and where they are among all that parts measure.
  struct PartTable {
    struct Slice {
      size_t first, count;
    };
    TableWriter* writer;
    std::vector<Slice> slices;
  };
  std::vector<PartTable> parts_;
  std::vector<bool> wraps_;  ///< per muscle: around surfaces at fixed places of its path
  std::vector<double> positions_, lengths_, measured_;
};

}  // namespace sinew
