#include "sinew/io/json/json_tree.hpp"

#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>

#include "sinew/core/error.hpp"

namespace sinew {
namespace {

using nlohmann::json;

constexpr size_t kDeepest = 64;
constexpr size_t kMostKeys = 256;  // in one object, because the search is linear

/// The parser's position in the text. Its lexer looks one character ahead to find the end of a
/// number, so a line end counts only once the character after it has been taken.
struct Position {
  int line = 1;
  bool after_line_end = false;

  void take(char c) {
    if (after_line_end) ++line;
    after_line_end = c == '\n';
  }
};

/// An input iterator over text that keeps a Position up to date.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, Position* position) : at_(at), position_(position) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    position_->take(*at_++);
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator old = *this;
    ++*this;
    return old;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }
  bool operator!=(const CountingIterator& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  Position* position_;
};

/// The parser's message, without its codes and positions, on one line of limited length.
std::string plain_message(const std::string& what) {
  size_t start = what.find("] ");
  start = start == std::string::npos ? 0 : start + 2;
  if (const size_t column = what.find("column ", start); column != std::string::npos)
    if (const size_t colon = what.find(": ", column); colon != std::string::npos) start = colon + 2;
  constexpr size_t kLongest = 200;
  std::string text = what.substr(start);
  if (text.size() > kLongest) text = text.substr(0, kLongest) + "…";
  return text;
}

/// Receives the parser's events and builds the tree. Returning false stops the parser; `error` then
/// tells why.
class TreeBuilder : public nlohmann::json_sax<json> {
 public:
  explicit TreeBuilder(const Position& position) : position_(position) {}

  JsonNode root;
  std::optional<Error> error;

  bool null() override {
    value(JsonNode::Type::null);
    return true;
  }
  bool boolean(bool b) override {
    value(JsonNode::Type::boolean)->boolean = b;
    return true;
  }
  bool number_integer(number_integer_t i) override { return number(static_cast<double>(i)); }
  bool number_unsigned(number_unsigned_t u) override { return number(static_cast<double>(u)); }
  bool number_float(number_float_t x, const string_t&) override { return number(x); }
  bool string(string_t& s) override {
    value(JsonNode::Type::string)->text = std::move(s);
    return true;
  }
  bool binary(binary_t&) override { return false; }  // JSON text has none

  bool start_object(std::size_t) override { return open(JsonNode::Type::object); }
  bool start_array(std::size_t) override { return open(JsonNode::Type::array); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    JsonNode& object = *open_.back();
    if (object.find(name) != nullptr)
      return stop("key '" + name + "'", "appears twice in one object", "keep one of them");
    if (object.members.size() == kMostKeys)
      return stop("JSON", "an object has more than " + std::to_string(kMostKeys) + " keys",
                  "no scene needs that");
    object.members.push_back({std::move(name), position_.line, {}});
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& e) override {
    return stop("JSON", plain_message(e.what()), "");
  }

 private:
  bool stop(std::string element, std::string problem, std::string remedy) {
    error.emplace(std::move(element), std::move(problem), std::move(remedy));
    return false;
  }

  /// The place of the value that begins now: the root, the open array, or after the last key.
  JsonNode* value(JsonNode::Type type) {
    JsonNode* node = &root;
    if (!open_.empty()) {
      JsonNode& parent = *open_.back();
      node = parent.type == JsonNode::Type::array ? &parent.items.emplace_back()
                                                  : &parent.members.back().value;
    }
    node->type = type;
    node->line = position_.line;
    return node;
  }

  bool number(double x) {
    value(JsonNode::Type::number)->number = x;
    return true;
  }

  bool open(JsonNode::Type type) {
    if (open_.size() == kDeepest)
      return stop("JSON", "nests deeper than " + std::to_string(kDeepest) + " levels",
                  "no scene needs that");
    open_.push_back(value(type));
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  const Position& position_;
  std::vector<JsonNode*> open_;  // stays valid: a node's siblings are complete before it opens
};

}  // namespace

const JsonNode* JsonNode::find(std::string_view key) const {
  for (const JsonMember& member : members)
    if (member.key == key) return &member.value;
  return nullptr;
}

JsonNode* JsonNode::find(std::string_view key) {
  return const_cast<JsonNode*>(static_cast<const JsonNode*>(this)->find(key));
}

std::string_view describe(JsonNode::Type type) {
  switch (type) {
    case JsonNode::Type::null:
      return "null";
    case JsonNode::Type::boolean:
      return "true or false";
    case JsonNode::Type::number:
      return "a number";
    case JsonNode::Type::string:
      return "a string";
    case JsonNode::Type::array:
      return "a list";
    case JsonNode::Type::object:
      return "an object";
  }
  return "";
}

JsonNode parse_json(std::string_view text, const std::string& source) {
  Position position;
  TreeBuilder builder(position);
  const CountingIterator begin(text.data(), &position);
  const CountingIterator end(text.data() + text.size(), &position);
  if (!json::sax_parse(begin, end, &builder))
    throw builder.error.value_or(Error("JSON", "cannot be read", ""))
        .with_location(source, position.line);
  return std::move(builder.root);
}

}  // namespace sinew
