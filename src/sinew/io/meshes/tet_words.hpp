#pragma once

#include <cstdint>

#include "sinew/io/tables/text_lines.hpp"

namespace sinew {

/// The words of a text one after the other, regardless of lines; messages name the line.
class TextWords {
 public:
  TextWords(std::string_view text, const std::string& file) : lines_(text, file) {}

  /// False after the last.
  bool next(std::string_view& word);
  /// The next word; an Error that the file ends too early if there is none.
  std::string_view word(const std::string& what);
  double number(const std::string& what);  ///< finite
  std::int64_t integer(const std::string& what);
  /// A whole number ≥ 0: the count of items that follow. It must not be trusted.
  std::int64_t count(const std::string& what);
  /// Skips the rest of the present line.
  void skip_line() { at_ = words_.size(); }

  [[noreturn]] void fail(const std::string& problem, const std::string& remedy) const {
    lines_.fail("mesh", problem, remedy);
  }
  [[noreturn]] void fail_file(const std::string& problem, const std::string& remedy) const {
    lines_.fail_file("mesh", problem, remedy);
  }

 private:
  TextLines lines_;
  std::vector<std::string_view> words_;
  size_t at_ = 0;
};

}  // namespace sinew
