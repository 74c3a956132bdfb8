#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sinew {

struct JsonMember;

/// A JSON value that remembers the line it was written on, so that every later error can point
/// there.
struct JsonNode {
  enum class Type { null, boolean, number, string, array, object };

  Type type = Type::null;
  int line = 0;  ///< from 1; values from elsewhere have 0 or less (see SceneContext)
  bool boolean = false;
  double number = 0;
  std::string text;
  std::vector<JsonNode> items;      ///< elements of an array
  std::vector<JsonMember> members;  ///< members of an object, in the file's order

  /// The member's value, null if there is none.
  const JsonNode* find(std::string_view key) const;
  JsonNode* find(std::string_view key);
};

struct JsonMember {
  std::string key;
  int line = 0;  ///< line of the key
  JsonNode value;
};

/// "a number", "an object", …, for messages.
std::string_view describe(JsonNode::Type type);

/// Strict JSON: no comments, no NaN or Infinity, no number beyond double, nothing after the value,
/// no key twice in an object, nesting no deeper than 64. Throws an Error located at `source` and
/// the line.
JsonNode parse_json(std::string_view text, const std::string& source);

}  // namespace sinew
