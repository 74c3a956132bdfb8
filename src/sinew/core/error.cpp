#include "sinew/core/error.hpp"

#include <utility>

namespace sinew {
namespace {

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
    : Error(std::move(element), std::move(problem), std::move(remedy), "", 0) {}

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
