#pragma once

#include <stdexcept>
#include <string>

namespace sinew {

/// A user's mistake: what is wrong, where, and how to fix it. Readers that know the place in a file
/// add it on the way out (`with_location`).
class Error : public std::runtime_error {
 public:
  /// `element` names the offending thing ("body 'femur'"), `problem` says what is wrong with it,
  /// `remedy` what would be right.
  Error(std::string element, std::string problem, std::string remedy);

  /// The same error with a place in a file; `line` 0 means the file as a whole.
  Error with_location(const std::string& file, int line) const;

  const std::string& element() const { return element_; }
  const std::string& problem() const { return problem_; }
  const std::string& remedy() const { return remedy_; }
  const std::string& file() const { return file_; }
  int line() const { return line_; }

 private:
  Error(std::string element, std::string problem, std::string remedy, std::string file, int line);

  std::string element_, problem_, remedy_, file_;
  int line_ = 0;
};

}  // namespace sinew
