#pragma once

#include <filesystem>
#include <map>
#include <mutex>

#include "sinew/sweep/study_row.hpp"

/// What a study has computed, line by line. Each process writes a file of its own, so that nothing
/// needs a lock that file systems may lack. A line is whole or does not count: it has a checksum.

namespace sinew {

/// What a log belongs to.
struct LogOrigin {
  std::string study, model, program;  ///< hashes of the files; version and commit

  bool operator==(const LogOrigin&) const = default;
};

/// The rows of a study, those that are missing included.
class StudyRows {
 public:
  StudyRows(std::uint64_t count, size_t results);

  std::uint64_t count() const { return static_cast<std::uint64_t>(status_.size()); }
  size_t results() const { return results_; }
  RowStatus status(std::uint64_t run) const { return status_[run]; }
  /// The k-th result of a run, NaN where there is none.
  double value(std::uint64_t run, size_t k) const { return values_[run * results_ + k]; }
  std::vector<double> column(size_t k) const;
  double time(std::uint64_t run) const { return times_[run]; }
  /// Empty for runs that passed.
  const std::string& reason(std::uint64_t run) const;
  std::uint64_t with(RowStatus status) const;

  /// False if the run has a row with other numbers. A row of a run that does not exist is left out.
  bool add(const StudyRow& row);

 private:
  size_t results_;
  std::vector<RowStatus> status_;
  std::vector<double> values_, times_;
  std::map<std::uint64_t, std::string> reasons_;
};

struct LoggedRuns {
  StudyRows rows;
  /// Runs that a process began and did not end, and that has died since.
  std::vector<std::uint64_t> in_flight;
  int damaged = 0;  ///< lines without a valid checksum
};

/// Reads all logs of a folder. Throws an Error if a log belongs to something else, or if one run
/// has two rows with different numbers, naming both files.
LoggedRuns read_logs(const std::filesystem::path& folder, const LogOrigin& origin,
                     std::uint64_t count, size_t results);
/// The rows of one log's text, added to `out`.
void parse_log(std::string_view text, const std::string& name, const LogOrigin& origin,
               bool writer_lives, LoggedRuns& out);

/// The log of this process. For any number of threads. Throws an Error where the disk is full: the
/// rows before are kept.
class RunLog {
 public:
  RunLog(const std::filesystem::path& folder, const LogOrigin& origin);
  ~RunLog();
  RunLog(const RunLog&) = delete;
  RunLog& operator=(const RunLog&) = delete;

  void begin(std::uint64_t run);
  void add(const StudyRow& row);
  /// To the disk, not only to the system.
  void sync();

 private:
  void write(const std::string& body);

  std::filesystem::path path_;
  std::mutex mutex_;
  int file_ = -1;
};

}  // namespace sinew
