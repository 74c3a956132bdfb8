#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace sinew {

/// Reasons of many runs that differ in their numbers only are one reason: "the step at 0.31 s does
/// not converge". Digits of names ("spring2") belong to the name.
class ReasonGroups {
 public:
  struct Group {
    std::vector<std::string> text;  ///< around the numbers: one more than these
    size_t count = 0;
  };
  /// The text between the numbers, and the numbers as they are written, with spaces between them.
  struct Parts {
    std::vector<std::string> text;
    std::string numbers;
  };
  static Parts split(std::string_view reason);

  /// Index of its group; writes its numbers.
  size_t add(std::string_view reason, std::string& numbers);
  const std::vector<Group>& groups() const { return groups_; }

 private:
  std::vector<Group> groups_;
  std::unordered_map<std::string, size_t> known_;
};

}  // namespace sinew
