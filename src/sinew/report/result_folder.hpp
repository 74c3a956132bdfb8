#pragma once

#include <deque>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "sinew/io/tables/table_writer.hpp"

namespace sinew {

/// A folder of results: tables, and run.json, which says how they came about. Only what an earlier
/// run wrote there is ever replaced, and not before take_over(): until then tables have names of
/// their own, which go with this object. While it lives, no other run can write to the folder.
class ResultFolder {
 public:
  /// Makes the folder. Throws an Error where it holds anything but earlier results, or where
  /// another run writes to it.
  ResultFolder(const std::filesystem::path& folder, TableFormat format);
  ~ResultFolder();
  ResultFolder(const ResultFolder&) = delete;
  ResultFolder& operator=(const ResultFolder&) = delete;

  /// What run.json says until finish(), should the program be killed.
  void describe(nlohmann::ordered_json record) { described_ = std::move(record); }
  /// Another table, <name>.sto or .csv. The reference stays good.
  TableWriter& add(const std::string& name, const std::string& title,
                   const std::vector<std::string>& labels);
  /// The tables take the place of what an earlier run left. To be called once there is a result.
  void take_over();
  bool taken_over() const { return taken_over_; }
  void flush();
  /// Completes the tables and writes `record`, with the list of files added, as run.json.
  void finish(const nlohmann::ordered_json& record);
  /// Marks the run as failed, also where the disk is full.
  void abandon(const std::string& why) noexcept;

  const std::filesystem::path& folder() const { return folder_; }

 private:
  nlohmann::ordered_json complete(const nlohmann::ordered_json& record) const;
  void write_record(const nlohmann::ordered_json& record);

  std::filesystem::path folder_;
  TableFormat format_;
  nlohmann::ordered_json described_ = {{"status", "running"}};
  bool made_ = false;  ///< the folder was not there before
  int lock_ = -1;
  bool taken_over_ = false;
  std::vector<std::string> earlier_;  ///< files of the run before this one
  std::deque<TableWriter> tables_;
};

}  // namespace sinew
