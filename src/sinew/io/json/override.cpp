#include "sinew/io/json/override.hpp"

#include <algorithm>
#include <charconv>

#include "sinew/core/names.hpp"

namespace sinew {
namespace {

/// All nodes of a value come from one override; `line` says which.
void set_lines(JsonNode& node, int line) {
  node.line = line;
  for (JsonNode& item : node.items) set_lines(item, line);
  for (JsonMember& member : node.members) {
    member.line = line;
    set_lines(member.value, line);
  }
}

bool is_bare_word(std::string_view text) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return !text.empty() && is_letter(text.front()) && text != "true" && text != "false" &&
         text != "null" && std::all_of(text.begin(), text.end(), [&](char c) {
           return is_letter(c) || (c >= '0' && c <= '9') || c == '-' || c == '_';
         });
}

class Override {
 public:
  Override(const SceneContext& context, int line, std::string_view text)
      : context_(context), line_(line), text_(text) {}

  void apply(JsonNode& root) const {
    const size_t equals = text_.find('=');
    if (equals == std::string_view::npos || equals == 0)
      fail("is not of the form path=value", "for example --set simulation.dt=0.001");
    std::string_view path = text_.substr(0, equals);
    JsonNode* node = &root;
    while (!path.empty()) {
      const size_t dot = std::min(path.find('.'), path.size());
      node = &descend(*node, path.substr(0, dot));
      path.remove_prefix(std::min(dot + 1, path.size()));
    }
    *node = value(text_.substr(equals + 1));
  }

 private:
  [[noreturn]] void fail(const std::string& problem, const std::string& remedy) const {
    context_.fail(line_, "", problem, remedy);
  }

  JsonNode& descend(JsonNode& node, std::string_view step) const {
    if (node.type == JsonNode::Type::array) return element(node, step);
    if (node.type == JsonNode::Type::null && node.line == line_)
      node.type = JsonNode::Type::object;  // created on the way
    if (node.type != JsonNode::Type::object || step.empty())
      fail("'" + std::string(step) + "' leads into " + std::string(describe(node.type)),
           "paths go through objects and lists");
    if (JsonNode* found = node.find(step)) return *found;
    JsonNode fresh;
    fresh.line = line_;
    return node.members.emplace_back(JsonMember{std::string(step), line_, fresh}).value;
  }

  /// An element of a list, by the value of its key "name" or by number.
  JsonNode& element(JsonNode& list, std::string_view step) const {
    std::vector<std::string> names;
    for (JsonNode& item : list.items) {
      const JsonNode* name = item.find("name");
      if (name == nullptr || name->type != JsonNode::Type::string) continue;
      if (name->text == step) return item;
      names.push_back(name->text);
    }
    size_t index = 0;
    const auto [end, code] = std::from_chars(step.data(), step.data() + step.size(), index);
    if (code == std::errc() && end == step.data() + step.size() && index < list.items.size())
      return list.items[index];
    fail("there is no '" + std::string(step) + "' in this list", suggest(step, names));
  }

  JsonNode value(std::string_view text) const {
    JsonNode node;
    if (is_bare_word(text)) {
      node.type = JsonNode::Type::string;
      node.text = text;
    } else {
      try {
        node = parse_json(text, "");
      } catch (const Error& error) {
        fail("the value is not JSON: " + error.problem(), "quote strings, e.g. '\"two words\"'");
      }
    }
    set_lines(node, line_);
    return node;
  }

  const SceneContext& context_;
  int line_;
  std::string_view text_;
};

}  // namespace

void apply_overrides(const SceneContext& context, JsonNode& root) {
  for (size_t i = 0; i < context.overrides.size(); ++i)
    Override(context, -static_cast<int>(i) - 1, context.overrides[i]).apply(root);
}

}  // namespace sinew
