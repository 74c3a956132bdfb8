#pragma once

#include <deque>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "sinew/io/tables/table_writer.hpp"

namespace sinew {

/// A folder of results: tables, and run.json, which records their origin. Only files of an earlier
/// run are ever replaced, and not before take_over(): until then tables have temporary names, which
/// are removed with this object. While it lives, no other run can write to the folder.
class ResultFolder {
 public:
  /// Makes the folder. Throws an Error if it holds anything but earlier results, or if another run
  /// writes to it.
  ResultFolder(const std::filesystem::path& folder, TableFormat format);
  ~ResultFolder();
  ResultFolder(const ResultFolder&) = delete;
  ResultFolder& operator=(const ResultFolder&) = delete;

  /// The contents of run.json until finish(), in case the program is killed.
  void describe(nlohmann::ordered_json record) { described_ = std::move(record); }
  /// Another table, <name>.sto or .csv. The reference stays valid. One that is added after
  /// take_over() has its name from finish() on.
  TableWriter& add(const std::string& name, const std::string& title,
                   const std::vector<std::string>& labels);
  /// The tables replace the results of an earlier run. Call this once there is a result.
  void take_over();
  bool taken_over() const { return taken_over_; }
  void flush();
  /// As describe, of a run that has results already: run.json is written anew.
  void update(nlohmann::ordered_json record);
  /// Completes the tables and writes `record`, with the list of files added, as run.json.
  void finish(const nlohmann::ordered_json& record);
  /// Marks the run as failed, even if the disk is full.
  void abandon(const std::string& why) noexcept;

  const std::filesystem::path& folder() const { return folder_; }

 private:
  nlohmann::ordered_json complete(const nlohmann::ordered_json& record) const;
  void name_tables();
  void write_record(const nlohmann::ordered_json& record);

  std::filesystem::path folder_;
  TableFormat format_;
  nlohmann::ordered_json described_ = {{"status", "running"}};
  bool made_ = false;  ///< the folder did not exist before
  int lock_ = -1;
  bool taken_over_ = false;
  std::vector<std::string> earlier_;  ///< files of the run before this one
  std::deque<TableWriter> tables_;
};

}  // namespace sinew
