#include "sinew/report/result_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>

#include "sinew/core/error.hpp"
#include "sinew/core/version.hpp"
#include "sinew/io/tables/whole_file.hpp"
#include "sinew/report/json_text.hpp"
#include "sinew/report/report.hpp"

namespace sinew {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr const char* kRecord = "run.json";
constexpr const char* kPart = ".part";  // ending of a name until the file is complete

bool is_left_behind(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.ends_with(".sto.part") || name.ends_with(".csv.part") ||
         name == std::string(kRecord) + kPart;
}

/// Marks the existing record as failed on a full disk, where a second file has no room. The record
/// is written without white space, so it needs less room than before.
void mark_in_place(const fs::path& path, const std::string& why) {
  ordered_json record;
  std::ifstream(path) >> record;
  record["status"] = "failed";
  record["failure"] = why;
  const auto space = static_cast<size_t>(fs::file_size(path));
  if (record.dump().size() >= space) record.erase("failure");
  const std::string text = record.dump() + "\n";
  if (text.size() > space) return;
  const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  if (::pwrite(file, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()))
    (void)!::ftruncate(file, static_cast<off_t>(text.size()));
  ::close(file);
}

/// Held until the program ends in any way. −1 if the file system has no locks.
int lock(const fs::path& folder) {
  const int file = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) throw Error(folder.string(), "cannot be opened", "check its permissions");
  if (::flock(file, LOCK_EX | LOCK_NB) == 0) return file;
  const bool busy = errno == EWOULDBLOCK;
  ::close(file);
  if (busy)
    throw Error(folder.string(), "another run is writing to it",
                "wait for its end, or choose another --out");
  return -1;
}

/// The files that the earlier run in this folder lists as its own. Refuses a folder that holds
/// other files and no such list.
std::vector<std::string> earlier_files(const fs::path& folder) {
  std::error_code code;
  const fs::directory_iterator entries(folder, code);
  if (std::all_of(begin(entries), end(entries),
                  [](const auto& entry) { return is_left_behind(entry.path()); }))
    return {};
  std::ifstream file(folder / kRecord);
  const auto record = ordered_json::parse(file, nullptr, /*allow_exceptions=*/false);
  if (!record.is_object() || !record.contains("sinew") || !record.contains("files") ||
      !record["files"].is_array())
    throw Error(folder.string(), "is not empty and holds no earlier run of sinew",
                "choose another --out");
  std::vector<std::string> out;
  for (const auto& name : record["files"]) {
    if (!name.is_string()) continue;
    const fs::path path(name.get<std::string>());
    if (path.has_filename() && path == path.filename()) out.push_back(path.string());
  }
  return out;
}

}  // namespace

ResultFolder::ResultFolder(const fs::path& folder, TableFormat format)
    : folder_(folder), format_(format) {
  std::error_code code;
  if (fs::exists(folder, code) && !fs::is_directory(folder, code))
    throw Error(folder.string(), "is a file, not a folder", "choose another --out");
  made_ = fs::create_directories(folder, code);
  if (code)
    throw Error(folder.string(), "cannot be made: " + code.message(), "choose another --out");
  lock_ = lock(folder);
  try {
    earlier_ = earlier_files(folder);
  } catch (const Error&) {
    if (lock_ >= 0) ::close(lock_);
    throw;
  }
  // Nobody writes here: these are of runs that were killed.
  for (const auto& entry : fs::directory_iterator(folder, code))
    if (is_left_behind(entry.path())) fs::remove(entry.path(), code);
}

ResultFolder::~ResultFolder() {
  if (!taken_over_) {
    std::error_code code;
    for (const TableWriter& table : tables_) fs::remove(table.path(), code);
    if (made_) fs::remove(folder_, code);  // only if it is empty
  }
  if (lock_ >= 0) ::close(lock_);
}

TableWriter& ResultFolder::add(const std::string& name, const std::string& title,
                               const std::vector<std::string>& labels) {
  return tables_.emplace_back(folder_ / (name + extension(format_) + kPart), format_, title,
                              labels);
}

void ResultFolder::take_over() {
  if (taken_over_) return;
  for (TableWriter& table : tables_) table.flush();
  // With this record the folder is this run's. If the program is killed behind it, the next run
  // finds the names of all existing files.
  ordered_json record = complete(described_);
  for (const std::string& name : earlier_) record["files"].push_back(name);
  write_record(record);
  taken_over_ = true;
  name_tables();
  std::error_code code;
  for (const std::string& name : earlier_)
    if (std::none_of(tables_.begin(), tables_.end(),
                     [&](const TableWriter& table) { return table.path().filename() == name; }))
      fs::remove(folder_ / name, code);
  fs::remove(folder_ / kReportName, code);  // it would show the earlier run
  write_record(complete(described_));
}

/// Tables get their names, those that were added since, too.
void ResultFolder::name_tables() {
  for (TableWriter& table : tables_)
    if (table.path().extension() == kPart)
      table.rename_to(fs::path(table.path()).replace_extension());
}

void ResultFolder::update(ordered_json record) {
  described_ = std::move(record);
  if (taken_over_) write_record(complete(described_));
}

void ResultFolder::flush() {
  for (TableWriter& table : tables_) table.flush();
}

void ResultFolder::finish(const ordered_json& record) {
  described_ = record;
  described_["status"] = "running";
  try {
    take_over();
    for (TableWriter& table : tables_) table.close();
    name_tables();
    write_record(complete(record));
  } catch (const Error& error) {
    abandon(error.what());
    throw;
  }
}

void ResultFolder::abandon(const std::string& why) noexcept {
  if (!taken_over_) return;
  try {
    described_["status"] = "failed";
    described_["failure"] = why;
    try {
      write_record(complete(described_));
    } catch (const Error&) {
      mark_in_place(folder_ / kRecord, why);
    }
  } catch (const std::exception&) {
    // The status stays "running", which means the same.
  }
}

/// With version and files.
ordered_json ResultFolder::complete(const ordered_json& record) const {
  ordered_json full = {{"sinew", std::string(version())}, {"commit", std::string(commit())}};
  full.update(record);
  full["files"] = ordered_json::array();
  for (const TableWriter& table : tables_) {
    fs::path name = table.path().filename();
    if (name.extension() == kPart) name.replace_extension();
    full["files"].push_back(name.string());
  }
  return full;
}

void ResultFolder::write_record(const ordered_json& record) {
  write_whole_file(folder_ / kRecord, json_text(record) + "\n");
}

}  // namespace sinew
