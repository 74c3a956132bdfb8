#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sinew {

/// Walks through a text line by line, for readers of tables. Line ends may be \n, \r\n or \r; the
/// mark that spreadsheets put before UTF-8 is skipped.
class TextLines {
 public:
  TextLines(std::string_view text, std::string file) : rest_(text), file_(std::move(file)) {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (rest_.starts_with(kByteOrderMark)) rest_.remove_prefix(kByteOrderMark.size());
  }

  /// The next line, without its end; false after the last. An empty last line does not count.
  bool next(std::string_view& line);
  int number() const { return number_; }
  /// The present line is the last one, and its end is missing, as when a writer was killed.
  bool cut() const { return cut_; }
  const std::string& file() const { return file_; }

  /// Throws an Error at the present line; line 0 means the file as a whole.
  [[noreturn]] void fail(const std::string& element, const std::string& problem,
                         const std::string& remedy) const;
  [[noreturn]] void fail_file(const std::string& element, const std::string& problem,
                              const std::string& remedy) const;
  /// "file:line: what", for warnings.
  std::string note(const std::string& what) const;

 private:
  std::string_view rest_;
  std::string file_;
  int number_ = 0;
  bool cut_ = false;
};

std::string_view trimmed(std::string_view text);
/// Words between spaces and tabs.
void split_words(std::string_view line, std::vector<std::string_view>& out);
/// Cells between tabs, trimmed; empty ones at the end are dropped.
void split_cells(std::string_view line, std::vector<std::string_view>& out);
/// A word of the file, fit to be quoted in a message.
std::string quoted_word(std::string_view word);
/// A number in the usual notation, or NaN, Inf in any case; false for anything else.
bool parse_number(std::string_view word, double& out);

}  // namespace sinew
