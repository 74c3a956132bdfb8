#include "sinew/view/history.hpp"

namespace sinew {
namespace {

constexpr size_t kMostEdits = 200;

}  // namespace

void ViewHistory::add(ViewEdit before) {
  redo_.clear();
  if (!undo_.empty() && before.stroke != 0 && undo_.back().stroke == before.stroke &&
      undo_.back().what == before.what)
    return;
  if (undo_.size() == kMostEdits) undo_.erase(undo_.begin());
  undo_.push_back(std::move(before));
}

void ViewHistory::move(bool redo, ViewEdit replaced) {
  (redo ? redo_ : undo_).pop_back();
  replaced.stroke = 0;
  (redo ? undo_ : redo_).push_back(std::move(replaced));
}

}  // namespace sinew
