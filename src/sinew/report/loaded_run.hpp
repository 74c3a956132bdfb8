#pragma once

#include "sinew/io/models/loaded_model.hpp"
#include "sinew/io/tables/storage_file.hpp"
#include "sinew/report/report_frames.hpp"
#include "sinew/system/system.hpp"

/// Runs of `sinew simulate`, read back from their folders.

namespace sinew {

/// The folder's run.json. Throws an Error if the folder holds no run, or one of another version.
nlohmann::ordered_json read_record(const std::filesystem::path& folder);

/// Throws an Error unless the file exists with the recorded content.
void require_unchanged(const nlohmann::ordered_json& file);

/// The tables of a run by name, all with the same times, without that of its steps. If the run was
/// killed, some may have a few rows more than others: these are ignored.
class RunTables {
 public:
  RunTables(const std::filesystem::path& folder, const nlohmann::ordered_json& record);

  const std::vector<std::string>& names() const { return names_; }
  const MotionTable& at(const std::string& name) const;
  /// The column of a label that the scene requires.
  int column(const std::string& name, const std::string& label) const;

 private:
  std::filesystem::path folder_;
  std::vector<std::string> names_;
  std::vector<std::filesystem::path> paths_;
  std::vector<MotionTable> tables_;
};

struct LoadedRun {
  LoadedModel model;
  System system;
  RunTables tables;
  ReportMotion motion;
  std::vector<std::string> notes;  ///< what is not as it was in the run, in words
};

/// Loads the model of the run again, and its states. Throws an Error if the scene is missing or has
/// changed, or if the states are not those of the scene; an exception of the JSON library if the
/// record lacks something.
LoadedRun load_run(const std::filesystem::path& folder, const nlohmann::ordered_json& record);

}  // namespace sinew
