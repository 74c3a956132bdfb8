#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace sinew {

enum class TableFormat {
  sto,  ///< OpenSim's storage file: a header, then tab-separated columns
  csv,
};
std::string extension(TableFormat format);

/// Writes a table of time and other columns row by row, numbers with 17 significant digits (they
/// read back bit by bit). Rows are in the file, complete, after every flush; the number of rows in
/// an .sto header is put right by close(). Throws an Error where the file cannot be written.
class TableWriter {
 public:
  /// `title` becomes the first line of an .sto file; `labels` are those after "time".
  TableWriter(const std::filesystem::path& path, TableFormat format, const std::string& title,
              const std::vector<std::string>& labels);
  ~TableWriter();
  TableWriter(const TableWriter&) = delete;
  TableWriter& operator=(const TableWriter&) = delete;

  /// One row; the groups of values follow each other, as many in all as there are labels.
  void add_row(double time, std::initializer_list<std::span<const double>> groups);
  void flush();
  void close();

  const std::filesystem::path& path() const { return path_; }
  long long rows() const { return rows_; }

 private:
  void require(bool written) const;

  struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::filesystem::path path_;
  TableFormat format_;
  std::unique_ptr<std::FILE, CloseFile> file_;
  long rows_at_ = -1;  ///< where in the file the number of rows stands
  long long rows_ = 0;
  std::string line_;
};

}  // namespace sinew
