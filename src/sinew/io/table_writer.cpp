#include "sinew/io/table_writer.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "sinew/core/error.hpp"

namespace sinew {
namespace {

// Room for the number of rows, which is known only at the end.
constexpr int kRowsWidth = 12;

}  // namespace

std::string extension(TableFormat format) { return format == TableFormat::sto ? ".sto" : ".csv"; }

TableWriter::TableWriter(const std::filesystem::path& path, TableFormat format,
                         const std::string& title, const std::vector<std::string>& labels)
    : path_(path), format_(format), file_(std::fopen(path.c_str(), "wb")) {
  require(file_ != nullptr);
  std::string header;
  if (format == TableFormat::sto) {
    // The keys that OpenSim's readers look for, in the order its own files have them.
    header = title + "\nversion=1\nnRows=";
    rows_at_ = static_cast<long>(header.size());
    header += fmt::format("{:<{}}\nnColumns={}\ninDegrees=no\nendheader\n", 0, kRowsWidth,
                          labels.size() + 1);
  }
  const char separator = format == TableFormat::sto ? '\t' : ',';
  header += "time";
  for (const std::string& label : labels) header.append(1, separator).append(label);
  header += '\n';
  require(std::fwrite(header.data(), 1, header.size(), file_.get()) == header.size());
}

TableWriter::~TableWriter() {
  try {
    close();
  } catch (const Error&) {
    // Whoever cares calls close() and hears of it.
  }
}

void TableWriter::add_row(double time, std::initializer_list<std::span<const double>> groups) {
  const char separator = format_ == TableFormat::sto ? '\t' : ',';
  line_.clear();
  fmt::format_to(std::back_inserter(line_), "{:.17g}", time);
  for (const std::span<const double> group : groups)
    for (const double value : group)
      fmt::format_to(std::back_inserter(line_), "{}{:.17g}", separator, value);
  line_ += '\n';
  require(std::fwrite(line_.data(), 1, line_.size(), file_.get()) == line_.size());
  ++rows_;
}

void TableWriter::flush() { require(std::fflush(file_.get()) == 0); }

void TableWriter::close() {
  if (file_ == nullptr) return;
  const auto file = std::move(file_);
  bool written = std::fflush(file.get()) == 0;
  if (rows_at_ >= 0) {
    const std::string count = fmt::format("{:<{}}", rows_, kRowsWidth);
    written = written && std::fseek(file.get(), rows_at_, SEEK_SET) == 0 &&
              std::fwrite(count.data(), 1, count.size(), file.get()) == count.size() &&
              std::fflush(file.get()) == 0;
  }
  require(written);
}

void TableWriter::require(bool written) const {
  if (!written)
    throw Error(path_.string(), std::string("cannot be written: ") + std::strerror(errno),
                "check the folder and the space left on the disk");
}

}  // namespace sinew
