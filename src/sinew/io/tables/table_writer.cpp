#include "sinew/io/tables/table_writer.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "sinew/io/tables/whole_file.hpp"

namespace sinew {
namespace {

constexpr int kRowsWidth = 12;              // space for the number of rows, which grows
constexpr size_t kMostPending = 256 << 10;  // bytes

std::string count_text(long long rows) { return fmt::format("{:<{}}", rows, kRowsWidth); }

}  // namespace

std::string extension(TableFormat format) { return format == TableFormat::sto ? ".sto" : ".csv"; }

TableWriter::TableWriter(const std::filesystem::path& path, TableFormat format,
                         const std::string& title, const std::vector<std::string>& labels)
    : path_(path),
      format_(format),
      file_(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
  if (file_ < 0) fail();
  std::string header;
  off_t rows_at = -1;
  if (format == TableFormat::sto) {
    // The keys that OpenSim's readers look for, in the order its own files have them.
    header = title + "\nversion=1\nnRows=";
    rows_at = static_cast<off_t>(header.size());
    header +=
        fmt::format("{}\nnColumns={}\ninDegrees=no\nendheader\n", count_text(0), labels.size() + 1);
  }
  const char separator = format == TableFormat::sto ? '\t' : ',';
  header += "time";
  for (const std::string& label : labels) header.append(1, separator).append(label);
  header += '\n';
  write(header);
  rows_at_ = rows_at;
}

TableWriter::~TableWriter() {
  try {
    close();
  } catch (const Error&) {
    // Callers that need the error call close().
  }
}

void TableWriter::add_row(double time, std::initializer_list<std::span<const double>> groups) {
  const char separator = format_ == TableFormat::sto ? '\t' : ',';
  fmt::format_to(std::back_inserter(pending_), "{:.17g}", time);
  for (const std::span<const double> group : groups)
    for (const double value : group)
      fmt::format_to(std::back_inserter(pending_), "{}{:.17g}", separator, value);
  pending_ += '\n';
  ++rows_;
  if (pending_.size() > kMostPending) flush();
}

void TableWriter::flush() {
  if (pending_.empty()) return;
  // A failed write is not retried at the end.
  const std::string text = std::exchange(pending_, {});
  write(text);
  rows_written_ = rows_;
  if (rows_at_ < 0) return;
  // After the rows: if the program is killed in between, all counted rows exist.
  const std::string count = count_text(rows_written_);
  if (::pwrite(file_, count.data(), count.size(), rows_at_) != static_cast<ssize_t>(count.size()))
    fail();
}

void TableWriter::close() {
  if (file_ < 0) return;
  try {
    flush();
  } catch (const Error&) {
    ::close(std::exchange(file_, -1));
    throw;
  }
  if (::close(std::exchange(file_, -1)) != 0) fail();
}

void TableWriter::rename_to(const std::filesystem::path& path) {
  std::error_code code;
  std::filesystem::rename(path_, path, code);
  if (code) fail_to_write(path, code.value());
  path_ = path;
}

/// Writes all of the text, or nothing if there is no space.
void TableWriter::write(std::string_view text) {
  for (size_t done = 0; done < text.size();) {
    const ssize_t n = ::write(file_, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      const int reason = errno;
      if (::ftruncate(file_, size_) == 0) ::lseek(file_, size_, SEEK_SET);
      errno = reason;
      fail();
    }
    done += static_cast<size_t>(n);
  }
  size_ += static_cast<off_t>(text.size());
}

void TableWriter::fail() const { fail_to_write(path_, errno); }

}  // namespace sinew
