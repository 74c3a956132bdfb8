#pragma once

#include "sinew/analysis/snapshot.hpp"
#include "sinew/integrate/integrator.hpp"

namespace sinew {

/// The tables of a run: coordinates, places and orientations of the bodies, energies, reactions of
/// constraints, muscles and results of other parts, if there are any.
class RunColumns {
 public:
  struct Table {
    std::string name;
    std::vector<std::string> labels;
    std::vector<double> values;  ///< at the last update
  };
  /// `name` is the model's; `state_names` are those of an OpenSim model, none of a scene. The
  /// system must outlive this.
  RunColumns(const System& system, const std::string& name,
             const std::vector<std::string>& state_names);

  const std::vector<Table>& tables() const { return tables_; }
  /// Writes the values of all tables. `reactions` are those of sinew::reactions; `ws` holds the
  /// kinematics of the snapshot.
  void update(const State& state, const Snapshot& snapshot, std::span<const double> reactions,
              Workspace& ws);

 private:
  enum class Content { states, osim_states, bodies, energy, reactions, muscles, parts };
  /// Where the numbers of a table are among all that parts measure.
  struct Slice {
    size_t first, count;
  };
  struct Source {
    Content content;
    std::vector<Slice> slices;  ///< of parts
  };

  const System& system_;
  std::vector<Table> tables_;
  std::vector<Source> sources_;
  std::vector<bool> wraps_;  ///< per muscle: around surfaces at fixed places of its path
  std::vector<double> measured_;
};

/// What hears of a run as it goes on.
class RunSink {
 public:
  virtual ~RunSink() = default;
  /// At every output. `reactions` and `ws` as of RunColumns::update.
  virtual void add_row(const State& state, const Snapshot& snapshot,
                       std::span<const double> reactions, Workspace& ws) = 0;
  /// After every step.
  virtual void add_step(const State& /*state*/, const StepReport& /*report*/) {}
  virtual void flush() {}
};

}  // namespace sinew
