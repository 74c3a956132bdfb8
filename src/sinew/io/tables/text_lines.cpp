#include "sinew/io/tables/text_lines.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

#include "sinew/core/error.hpp"

namespace sinew {

namespace {
constexpr std::string_view kSpace = " \t";
}

bool TextLines::next(std::string_view& line) {
  if (rest_.empty()) return false;
  ++number_;
  const size_t end = std::min(rest_.find_first_of("\r\n"), rest_.size());
  line = rest_.substr(0, end);
  cut_ = end == rest_.size();
  size_t skip = end;
  if (skip < rest_.size()) skip += rest_.substr(skip, 2) == "\r\n" ? 2 : 1;
  rest_.remove_prefix(skip);
  return true;
}

void TextLines::fail(const std::string& element, const std::string& problem,
                     const std::string& remedy) const {
  throw Error(element, problem, remedy).with_location(file_, number_);
}

void TextLines::fail_file(const std::string& element, const std::string& problem,
                          const std::string& remedy) const {
  throw Error(element, problem, remedy).with_location(file_, 0);
}

std::string TextLines::note(const std::string& what) const {
  return file_ + ":" + std::to_string(number_) + ": " + what;
}

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(kSpace);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

void split_words(std::string_view line, std::vector<std::string_view>& out) {
  out.clear();
  for (size_t begin = line.find_first_not_of(kSpace); begin != line.npos;) {
    const size_t end = std::min(line.find_first_of(kSpace, begin), line.size());
    out.push_back(line.substr(begin, end - begin));
    begin = line.find_first_not_of(kSpace, end);
  }
}

void split_cells(std::string_view line, std::vector<std::string_view>& out) {
  out.clear();
  while (true) {
    const size_t end = std::min(line.find('\t'), line.size());
    out.push_back(trimmed(line.substr(0, end)));
    if (end == line.size()) break;
    line.remove_prefix(end + 1);
  }
  while (!out.empty() && out.back().empty()) out.pop_back();
}

std::string quoted_word(std::string_view word) {
  std::string text(word.substr(0, 40));
  for (char& c : text)
    if (c < ' ' || c > '~') c = '?';
  return "'" + text + (word.size() > 40 ? "…'" : "'");
}

bool parse_number(std::string_view word, double& out) {
  if (word.empty()) return false;
  if (word.front() == '+') word.remove_prefix(1);
  const char* end = word.data() + word.size();
  // from_chars knows nan and inf in any case, with a sign
  const auto [at, error] = std::from_chars(word.data(), end, out);
  if (error == std::errc::result_out_of_range) {
    out = word.find('-', 1) != word.npos ? 0 : std::numeric_limits<double>::infinity();
    return at == end;
  }
  return error == std::errc() && at == end;
}

}  // namespace sinew
