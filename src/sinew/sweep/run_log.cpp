#include "sinew/sweep/run_log.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "sinew/core/crc32c.hpp"
#include "sinew/core/error.hpp"
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
constexpr size_t kLongestLine = 1 << 24;

struct FileCloser {
  int file;
  ~FileCloser() { ::close(file); }
};

bool same_number(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}

/// Whether it has its checksum.
bool intact(std::string_view line) {
  if (line.size() <= kBody || !line.starts_with(kStart)) return false;
  std::uint32_t crc = 0;
  const char *const first = line.data() + kStart.size(), *const last = first + 8;
  return std::from_chars(first, last, crc, 16).ptr == last && crc == crc32c(line.substr(kBody));
}

/// The run whose beginning a line tells, without a parser: half of all lines do.
std::optional<std::uint64_t> begun_run(std::string_view line) {
  constexpr std::string_view kRun = R"("run":)", kBegun = R"(,"begun":true})";
  if (!line.ends_with(kBegun) || line.size() <= kBody + kRun.size() + kBegun.size()) return {};
  std::uint64_t run = 0;
  const char *const first = line.data() + kBody + kRun.size(), *const last = line.data() +
                                                                             line.size() -
                                                                             kBegun.size();
  if (std::from_chars(first, last, run).ptr != last) return {};
  return run;
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

namespace {

/// The lines of one log, in order.
class LogReader {
 public:
  LogReader(std::string name, const LogOrigin& origin, LoggedRuns& out)
      : name_(std::move(name)), origin_(origin), out_(out) {}

  /// A line without its end.
  void add(std::string_view line) {
    if (!intact(line)) {
      ++out_.damaged;
      return;
    }
    if (const auto run = begun_run(line)) {
      if (known_) open_.insert(*run);
      return;
    }
    const json content = json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!content.is_object()) {
      ++out_.damaged;
      return;
    }
    if (content.contains("study")) check_origin(content);
    // A log whose first line is lost could be of anything.
    if (!known_ || !content.contains("run") || !content["run"].is_number_unsigned()) return;
    const auto run = content["run"].get<std::uint64_t>();
    open_.erase(run);
    const StudyRow row = row_of(content, out_.rows.results());
    if (row.status == RowStatus::missing) {
      ++out_.damaged;
      return;
    }
    if (!out_.rows.add(row))
      throw Error(name_,
                  fmt::format("has other numbers for run {} than another log of the folder", run),
                  fmt::format("the machines do not compute alike: remove {} or begin anew with "
                              "--fresh",
                              name_));
  }
  /// `torn`: its last line has no end. A writer that lives may still be writing it.
  void finish(bool writer_lives, bool torn) {
    if (writer_lives) return;
    out_.damaged += torn;
    out_.in_flight.insert(out_.in_flight.end(), open_.begin(), open_.end());
  }

 private:
  void check_origin(const json& content) {
    const LogOrigin of{text_of(content, "study"), text_of(content, "model"),
                       text_of(content, "program")};
    const std::string changed = of.study != origin_.study   ? "another study, or the study's file"
                                : of.model != origin_.model ? "another model, or the model's file"
                                : of.program != origin_.program
                                    ? "another version of the program (" + of.program + ")"
                                    : "";
    if (!changed.empty())
      throw Error(name_, "is of " + changed + (of.program != origin_.program ? "" : " as it was"),
                  "choose another --out, or begin anew with --fresh");
    known_ = true;
  }

  std::string name_;
  const LogOrigin& origin_;
  LoggedRuns& out_;
  std::set<std::uint64_t> open_;  // begun, and not ended
  bool known_ = false;
};

/// Calls f for each line of a file; false if the last one has no end. In pieces: logs of millions
/// of runs do not fit into memory.
template <class F>
bool read_lines(const fs::path& path, int file, F&& f) {
  std::string rest;
  std::vector<char> buffer(1 << 20);
  while (true) {
    const ssize_t count = ::read(file, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0)
      throw Error(path.string(), std::string("cannot be read: ") + std::strerror(errno),
                  "check the disk");
    if (count == 0) break;
    std::string_view piece(buffer.data(), static_cast<size_t>(count));
    for (size_t end; (end = piece.find('\n')) != std::string_view::npos;) {
      if (rest.empty()) {
        f(piece.substr(0, end));
      } else {
        rest.append(piece.substr(0, end));
        f(std::string_view(rest));
        rest.clear();
      }
      piece.remove_prefix(end + 1);
    }
    // No line is that long: what follows is damaged, too.
    if (rest.size() + piece.size() <= kLongestLine) rest.append(piece);
  }
  return rest.empty();
}

}  // namespace

void parse_log(std::string_view text, const std::string& name, const LogOrigin& origin,
               bool writer_lives, LoggedRuns& out) {
  LogReader reader(name, origin, out);
  for (size_t end; (end = text.find('\n')) != std::string_view::npos;) {
    reader.add(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  reader.finish(writer_lives, !text.empty());
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
    if (file < 0)
      throw Error(path.string(), std::string("cannot be read: ") + std::strerror(errno),
                  "check who may read it");
    const FileCloser closer{file};
    const bool lives = ::flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    LogReader reader(path.string(), origin, out);
    const bool whole = read_lines(path, file, [&](std::string_view line) { reader.add(line); });
    reader.finish(lives, !whole);
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
