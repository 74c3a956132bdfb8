#pragma once

#include <optional>

#include "sinew/sweep/study_base.hpp"

namespace sinew {

/// The runs of a study. Run i depends on the study and on i alone. For any number of threads.
class StudyRunner {
 public:
  /// Loads the model, and builds it with each parameter at the ends of its distribution. Throws an
  /// Error with the place in the study's file.
  explicit StudyRunner(Study study);

  const Study& study() const { return *study_; }
  const Design& design() const { return design_; }
  const StudyBase& base() const { return *base_; }

  /// Computes one run. None if `stop`, which may be null, became true. The tables of the whole run
  /// go to the folder `keep`, unless it is empty.
  std::optional<StudyRow> run(std::uint64_t i, const std::atomic<bool>* stop,
                              const std::filesystem::path& keep = {}) const;
  /// The command that computes it: `sinew simulate` where that can.
  std::string command(std::uint64_t i) const;

 private:
  void check_ends() const;

  std::unique_ptr<const Study> study_;  // the base refers to it
  Design design_;
  std::unique_ptr<StudyBase> base_;
};

}  // namespace sinew
