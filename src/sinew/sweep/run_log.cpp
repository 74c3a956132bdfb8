#include "sinew/sweep/run_log.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "sinew/core/crc32c.hpp"
#include "sinew/core/error.hpp"
#include "sinew/io/scene/scene.hpp"
#include "sinew/io/tables/whole_file.hpp"

// A line is {"crc":"xxxxxxxx",…}, with the checksum of what follows the comma. The first line says
// what the log belongs to; {"run":7,"begun":true} that a run began; others are rows.

namespace sinew {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr std::string_view kStart = R"({"crc":")";
constexpr size_t kBody = kStart.size() + 8 + 2;
constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
constexpr std::uintmax_t kLargestLog = std::uintmax_t{1} << 36;

bool same_number(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}

/// The line's content; nothing if it is torn or damaged.
json checked(std::string_view line) {
  if (line.size() <= kBody || !line.starts_with(kStart)) return nullptr;
  const std::string_view body = line.substr(kBody);
  if (line.substr(kStart.size(), 8) != fmt::format("{:08x}", crc32c(body))) return nullptr;
  return json::parse("{" + std::string(body), nullptr, /*allow_exceptions=*/false);
}

json numbers(const std::vector<double>& values) {
  json out = json::array();
  for (const double value : values) {
    if (std::isfinite(value))
      out.push_back(value);
    else if (std::isnan(value))
      out.push_back(nullptr);
    else
      out.push_back(value > 0 ? "inf" : "-inf");
  }
  return out;
}

double number_of(const json& value) {
  if (value.is_number()) return value.get<double>();
  if (value.is_string())
    return value == "inf" ? std::numeric_limits<double>::infinity()
                          : -std::numeric_limits<double>::infinity();
  return kNothing;
}

std::string text_of(const json& line, const char* key) {
  const auto found = line.find(key);
  return found != line.end() && found->is_string() ? found->get<std::string>() : std::string();
}

StudyRow row_of(const json& line, size_t results) {
  StudyRow row{.run = line["run"].get<std::uint64_t>()};
  const std::string status = text_of(line, "status");
  for (size_t k = 1; k < kRowStatusNames.size(); ++k)
    if (status == kRowStatusNames[k]) row.status = static_cast<RowStatus>(k);
  if (line.contains("results") && line["results"].is_array())
    for (const json& value : line["results"]) row.results.push_back(number_of(value));
  row.results.resize(results, kNothing);
  row.time = line.contains("time") ? number_of(line["time"]) : 0;
  row.reason = text_of(line, "reason");
  return row;
}

}  // namespace

StudyRows::StudyRows(std::uint64_t count, size_t results)
    : results_(results),
      status_(count, RowStatus::missing),
      values_(count * results, kNothing),
      times_(count, 0.0) {}

std::vector<double> StudyRows::column(size_t k) const {
  std::vector<double> out(count());
  for (std::uint64_t run = 0; run < count(); ++run) out[run] = value(run, k);
  return out;
}

const std::string& StudyRows::reason(std::uint64_t run) const {
  static const std::string kEmpty;
  const auto found = reasons_.find(run);
  return found == reasons_.end() ? kEmpty : found->second;
}

std::uint64_t StudyRows::with(RowStatus status) const {
  return static_cast<std::uint64_t>(std::count(status_.begin(), status_.end(), status));
}

bool StudyRows::add(const StudyRow& row) {
  if (row.run >= count() || row.results.size() != results_) return true;
  const auto first = values_.begin() + static_cast<std::ptrdiff_t>(row.run * results_);
  if (status_[row.run] != RowStatus::missing)
    return status_[row.run] == row.status && same_number(times_[row.run], row.time) &&
           std::equal(row.results.begin(), row.results.end(), first, same_number);
  status_[row.run] = row.status;
  times_[row.run] = row.time;
  std::copy(row.results.begin(), row.results.end(), first);
  if (!row.reason.empty()) reasons_[row.run] = row.reason;
  return true;
}

void parse_log(std::string_view text, const std::string& name, const LogOrigin& origin,
               bool writer_lives, LoggedRuns& out) {
  std::set<std::uint64_t> open;
  bool known = false;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const json content = end == std::string_view::npos ? json() : checked(line);
    if (!content.is_object()) {
      ++out.damaged;
      continue;
    }
    if (content.contains("study")) {
      const LogOrigin of{text_of(content, "study"), text_of(content, "model"),
                         text_of(content, "program")};
      const std::string changed = of.study != origin.study   ? "another study, or the study's file"
                                  : of.model != origin.model ? "another model, or the model's file"
                                  : of.program != origin.program
                                      ? "another version of the program (" + of.program + ")"
                                      : "";
      if (!changed.empty())
        throw Error(name, "is of " + changed + (of.program != origin.program ? "" : " as it was"),
                    "choose another --out, or begin anew with --fresh");
      known = true;
    }
    // A log whose first line is lost could be of anything.
    if (!known || !content.contains("run") || !content["run"].is_number_unsigned()) continue;
    const auto run = content["run"].get<std::uint64_t>();
    if (content.contains("begun")) {
      open.insert(run);
      continue;
    }
    open.erase(run);
    const StudyRow row = row_of(content, out.rows.results());
    if (row.status == RowStatus::missing) {
      ++out.damaged;
      continue;
    }
    if (!out.rows.add(row))
      throw Error(name,
                  fmt::format("has other numbers for run {} than another log of the folder", run),
                  fmt::format("the machines do not compute alike: remove {} or begin anew with "
                              "--fresh",
                              name));
  }
  if (!writer_lives) out.in_flight.insert(out.in_flight.end(), open.begin(), open.end());
}

LoggedRuns read_logs(const fs::path& folder, const LogOrigin& origin, std::uint64_t count,
                     size_t results) {
  LoggedRuns out{StudyRows(count, results), {}, 0};
  std::vector<fs::path> files;
  std::error_code code;
  for (const auto& entry : fs::directory_iterator(folder, code))
    if (entry.path().extension() == ".jsonl") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const fs::path& path : files) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    const bool lives = file >= 0 && ::flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    parse_log(read_text_file(path, kLargestLog), path.string(), origin, lives, out);
    if (file >= 0) ::close(file);
  }
  // Runs that another process has ended since, or that do not exist any more.
  std::erase_if(out.in_flight, [&](std::uint64_t run) {
    return run >= count || out.rows.status(run) != RowStatus::missing;
  });
  std::sort(out.in_flight.begin(), out.in_flight.end());
  out.in_flight.erase(std::unique(out.in_flight.begin(), out.in_flight.end()), out.in_flight.end());
  return out;
}

RunLog::RunLog(const fs::path& folder, const LogOrigin& origin) {
  std::error_code code;
  fs::create_directories(folder, code);
  char host[256] = "host";
  ::gethostname(host, sizeof host - 1);
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const long long number = std::chrono::duration_cast<std::chrono::microseconds>(now).count();
  path_ = folder / fmt::format("{}-{}-{}.jsonl", host, ::getpid(), number);
  file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644);
  if (file_ < 0) fail_to_write(path_, errno);
  (void)!::flock(file_, LOCK_EX | LOCK_NB);  // tells others that this process lives
  const json first = {{"study", origin.study},
                      {"model", origin.model},
                      {"program", origin.program},
                      {"host", std::string(host)},
                      {"pid", static_cast<int>(::getpid())}};
  write(first.dump(-1, ' ', false, json::error_handler_t::replace));
}

RunLog::~RunLog() {
  if (file_ < 0) return;
  ::fdatasync(file_);
  ::close(file_);
}

void RunLog::begin(std::uint64_t run) { write(fmt::format(R"({{"run":{},"begun":true}})", run)); }

void RunLog::add(const StudyRow& row) {
  nlohmann::ordered_json line = {{"run", row.run},
                                 {"status", name_of(row.status)},
                                 {"results", numbers(row.results)},
                                 {"time", row.time},
                                 {"seconds", row.seconds}};
  if (!row.reason.empty()) line["reason"] = row.reason;
  write(line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

/// The object with its checksum, as one line, in one call: lines of threads do not mix.
void RunLog::write(const std::string& body) {
  const std::string_view rest = std::string_view(body).substr(1);
  const std::string line = fmt::format("{}{:08x}\",{}\n", kStart, crc32c(rest), rest);
  const std::lock_guard lock(mutex_);
  const off_t before = ::lseek(file_, 0, SEEK_END);
  size_t written = 0;
  while (written < line.size()) {
    const ssize_t count = ::write(file_, line.data() + written, line.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      const int code = errno;
      (void)!::ftruncate(file_, before);
      fail_to_write(path_, code);
    }
    written += static_cast<size_t>(count);
  }
}

void RunLog::sync() { ::fdatasync(file_); }

}  // namespace sinew
