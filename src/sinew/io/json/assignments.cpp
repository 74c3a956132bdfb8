#include "sinew/io/json/assignments.hpp"

#include <nlohmann/json.hpp>

namespace sinew {
namespace {

nlohmann::json json_of(const JsonNode& node) {
  switch (node.type) {
    case JsonNode::Type::null:
      break;
    case JsonNode::Type::boolean:
      return node.boolean;
    case JsonNode::Type::number:
      return node.number;
    case JsonNode::Type::string:
      return node.text;
    case JsonNode::Type::array: {
      nlohmann::json out = nlohmann::json::array();
      for (const JsonNode& item : node.items) out.push_back(json_of(item));
      return out;
    }
    case JsonNode::Type::object: {
      nlohmann::json out = nlohmann::json::object();
      for (const JsonMember& member : node.members) out[member.key] = json_of(member.value);
      return out;
    }
  }
  return nullptr;
}

/// The value as `--set` takes it. Values of OpenSim's models are text.
std::string as_assigned(const std::string& path, const JsonNode& value) {
  if (path.starts_with('/') && value.type == JsonNode::Type::string) return value.text;
  return json_of(value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

std::string read_model_name(const ObjectReader& in, std::string_view key) {
  const std::string model = in.string_or(key, "");
  if (model.empty())
    in.fail(in.at(key).line, "'" + std::string(key) + "' is empty", "give a name or a file");
  const std::filesystem::path path(model);
  const bool file =
      path.has_parent_path() || path.extension() == ".json" || path.extension() == ".osim";
  return file && path.is_relative() ? (in.context().folder / path).string() : model;
}

std::vector<std::string> read_assignments(const ObjectReader& in, std::string_view key,
                                          bool numbers) {
  std::vector<std::string> out;
  const JsonNode* node = in.find(key);
  if (node == nullptr) return out;
  in.require(*node, JsonNode::Type::object, key);
  for (const JsonMember& member : node->members) {
    if (numbers) in.ValueReader::number(member.value, member.key);
    out.push_back(member.key + "=" + as_assigned(member.key, member.value));
  }
  return out;
}

}  // namespace sinew
