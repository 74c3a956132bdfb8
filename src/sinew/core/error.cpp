#include "sinew/core/error.hpp"

#include <utility>

namespace sinew {
namespace {

/// Names from files may be of any length; a message shows where they begin and how they end.
std::string bearable(std::string text) {
  constexpr size_t kLongest = 500, kEnd = 100;
  if (text.size() <= kLongest) return text;
  // Not within a letter: those of UTF-8 go on with bytes 10xxxxxx.
  const auto within = [&](size_t at) {
    return (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80;
  };
  size_t begin = kLongest - kEnd, end = text.size() - kEnd;
  while (begin > 0 && within(begin)) --begin;
  while (end < text.size() && within(end)) ++end;
  return text.replace(begin, end - begin, " … ");
}

std::string message(const std::string& element, const std::string& problem,
                    const std::string& remedy, const std::string& file, int line) {
  std::string text;
  if (!file.empty()) {
    text += file;
    if (line > 0) text.append(":").append(std::to_string(line));
    text += ": ";
  }
  if (!element.empty()) text += element + ": ";
  text += problem;
  if (!remedy.empty()) text += "; " + remedy;
  return text;
}

}  // namespace

Error::Error(std::string element, std::string problem, std::string remedy)
    : Error(bearable(std::move(element)), bearable(std::move(problem)), bearable(std::move(remedy)),
            "", 0) {}

Error::Error(std::string element, std::string problem, std::string remedy, std::string file,
             int line)
    : std::runtime_error(message(element, problem, remedy, file, line)),
      element_(std::move(element)),
      problem_(std::move(problem)),
      remedy_(std::move(remedy)),
      file_(std::move(file)),
      line_(line) {}

Error Error::with_location(const std::string& file, int line) const {
  return Error(element_, problem_, remedy_, file, line);
}

}  // namespace sinew
