#pragma once

#include <sys/types.h>

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sinew {

enum class TableFormat {
  sto,  ///< OpenSim's storage file: a header, then tab-separated columns
  csv,
};
std::string extension(TableFormat format);

/// Writes a table of time and other columns row by row, numbers with 17 significant digits (they
/// read back bit by bit). After every flush, and after a write that failed for lack of space, the
/// file holds whole rows, and the header of an .sto file their number. Throws an Error if the file
/// cannot be written.
class TableWriter {
 public:
  /// `title` becomes the first line of an .sto file; `labels` are those after "time".
  TableWriter(const std::filesystem::path& path, TableFormat format, const std::string& title,
              const std::vector<std::string>& labels);
  ~TableWriter();
  TableWriter(const TableWriter&) = delete;
  TableWriter& operator=(const TableWriter&) = delete;

  /// One row; the groups of values follow each other, one value per label in total.
  void add_row(double time, std::initializer_list<std::span<const double>> groups);
  void flush();
  void close();
  /// Renames the file within its folder.
  void rename_to(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  long long rows() const { return rows_; }  ///< added

 private:
  void write(std::string_view text);
  [[noreturn]] void fail() const;

  std::filesystem::path path_;
  TableFormat format_;
  int file_ = -1;
  off_t rows_at_ = -1;  ///< position of the number of rows in the file; −1: none
  off_t size_ = 0;      ///< size of the file up to the last whole row
  long long rows_ = 0, rows_written_ = 0;
  std::string pending_;  ///< rows not yet in the file
};

}  // namespace sinew
