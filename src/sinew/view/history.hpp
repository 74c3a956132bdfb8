#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sinew/system/state.hpp"

namespace sinew {

/// What is simulated: muscles with their mass, with the mass on the bones, or both side by side.
enum class MassView { muscles, bones, both };

/// How a model is simulated in the viewer.
struct ViewOptions {
  MassView mass = MassView::muscles;
  bool stops = true;             ///< at the ends of ranges
  bool hold = false;             ///< the body that is free in space stays where it is
  std::set<std::string> locked;  ///< coordinates that stay as they are
};

/// What one edit replaced: the parts that are there. Put back, it gives the edit that redoes it.
struct ViewEdit {
  std::string what;  ///< in words: "set knee_angle_r"
  /// Edits of the same kind with the same stroke, not 0, are one: a slider that is dragged.
  double stroke = 0;
  std::optional<std::vector<State>> states;  ///< of all sides
  std::optional<std::map<std::string, double>> drives;
  std::optional<ViewOptions> options;
};

/// Edits that can be undone, and those that were.
class ViewHistory {
 public:
  /// An edit was made; those undone before can no longer be redone.
  void add(ViewEdit before);
  /// What undo or redo would take, in words; empty: nothing.
  std::string next_undo() const { return undo_.empty() ? "" : undo_.back().what; }
  std::string next_redo() const { return redo_.empty() ? "" : redo_.back().what; }
  /// The one to be put back.
  const ViewEdit& last(bool redo) const { return (redo ? redo_ : undo_).back(); }
  /// It was; `replaced` is what puts things right again.
  void move(bool redo, ViewEdit replaced);

 private:
  std::vector<ViewEdit> undo_, redo_;
};

}  // namespace sinew
