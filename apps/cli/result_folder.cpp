#include "result_folder.hpp"

#include <fstream>

#include "commands.hpp"
#include "sinew/core/error.hpp"
#include "sinew/core/version.hpp"

namespace sinew::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr const char* kRecord = "run.json";

/// Removes the files that the earlier run in this folder lists as its own. Refuses a folder that
/// holds something else and no such list.
void make_room(const fs::path& folder) {
  std::error_code code;
  if (fs::exists(folder, code) && !fs::is_directory(folder, code))
    throw Error(folder.string(), "is a file, not a folder", "choose another --out");
  fs::create_directories(folder, code);
  if (code)
    throw Error(folder.string(), "cannot be made: " + code.message(), "choose another --out");
  if (fs::is_empty(folder, code)) return;

  std::ifstream file(folder / kRecord);
  const auto record = ordered_json::parse(file, nullptr, /*allow_exceptions=*/false);
  if (!record.is_object() || !record.contains("sinew") || !record.contains("files") ||
      !record["files"].is_array())
    throw Error(folder.string(), "is not empty and holds no earlier run of sinew",
                "choose another --out");
  for (const auto& name : record["files"]) {
    if (!name.is_string()) continue;
    const fs::path path(name.get<std::string>());
    if (path.has_filename() && path == path.filename()) fs::remove(folder / path, code);
  }
  fs::remove(folder / kReportName, code);  // it would show the earlier run
}

}  // namespace

ResultFolder::ResultFolder(const fs::path& folder, TableFormat format)
    : folder_(folder), format_(format) {
  make_room(folder);
}

TableWriter& ResultFolder::add(const std::string& name, const std::string& title,
                               const std::vector<std::string>& labels) {
  TableWriter& table =
      tables_.emplace_back(folder_ / (name + extension(format_)), format_, title, labels);
  // Should the program be killed, this tells that the folder is its own.
  write_record({{"status", "running"}});
  return table;
}

void ResultFolder::flush() {
  for (TableWriter& table : tables_) table.flush();
}

void ResultFolder::finish(const ordered_json& record) {
  for (TableWriter& table : tables_) table.close();
  write_record(record);
}

void ResultFolder::write_record(const ordered_json& record) {
  ordered_json full = {{"sinew", std::string(version())}, {"commit", std::string(commit())}};
  full.update(record);
  for (const TableWriter& table : tables_)
    full["files"].push_back(table.path().filename().string());
  // Never half a file: the old one stays until the new one is complete.
  const fs::path path = folder_ / kRecord, fresh = folder_ / "run.json.part";
  {
    std::ofstream file(fresh);
    file << full.dump(2) << '\n';
    if (!file.flush())
      throw Error(fresh.string(), "cannot be written", "check the space left on the disk");
  }
  std::error_code code;
  fs::rename(fresh, path, code);
  if (code) throw Error(path.string(), "cannot be written: " + code.message(), "");
}

}  // namespace sinew::cli
