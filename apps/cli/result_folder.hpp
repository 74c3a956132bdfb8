#pragma once

#include <deque>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "sinew/io/table_writer.hpp"

namespace sinew::cli {

/// A folder of results: tables, and run.json, which says how they came about. Only what an earlier
/// run wrote there is ever replaced.
class ResultFolder {
 public:
  /// Makes the folder. Throws an Error where it holds anything but earlier results.
  ResultFolder(const std::filesystem::path& folder, TableFormat format);

  /// Another table, <name>.sto or .csv. The reference stays good.
  TableWriter& add(const std::string& name, const std::string& title,
                   const std::vector<std::string>& labels);
  void flush();
  /// Completes the tables and writes `record`, with the list of files added, as run.json.
  void finish(const nlohmann::ordered_json& record);

  const std::filesystem::path& folder() const { return folder_; }

 private:
  void write_record(const nlohmann::ordered_json& record);

  std::filesystem::path folder_;
  TableFormat format_;
  std::deque<TableWriter> tables_;
};

}  // namespace sinew::cli
