#include "sinew/io/json/object_reader.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "sinew/core/names.hpp"
#include "sinew/math/so3.hpp"

namespace sinew {
namespace {

std::string in_quotes(std::string_view text) { return "'" + std::string(text) + "'"; }

/// A word of the file for messages: it may have any length. Cut between characters of UTF-8.
std::string shown(const std::string& word) {
  size_t length = 60;
  if (word.size() <= length) return in_quotes(word);
  while (length > 0 && (word[length] & 0xc0) == 0x80) --length;
  return in_quotes(word.substr(0, length) + "…");
}

std::vector<std::string> names_of(const std::vector<SceneKey>& keys) {
  std::vector<std::string> names;
  for (const SceneKey& key : keys) names.emplace_back(key.name);
  return names;
}

}  // namespace

void ValueReader::require(const JsonNode& node, JsonNode::Type type, std::string_view what) const {
  if (node.type != type)
    fail(node.line,
         in_quotes(what) + " is " + std::string(describe(node.type)) + ", not " +
             std::string(describe(type)),
         "give " + std::string(describe(type)));
}

double ValueReader::number(const JsonNode& node, std::string_view what, double unit) const {
  require(node, JsonNode::Type::number, what);
  // Larger than anything physical, so large that products could overflow.
  if (std::abs(node.number) > 1e100)
    fail(node.line, in_quotes(what) + " is absurdly large", "give a number of physical size");
  return node.number * unit;
}

std::vector<double> ValueReader::numbers(const JsonNode& node, int count, std::string_view what,
                                         double unit) const {
  require(node, JsonNode::Type::array, what);
  if (count >= 0 && node.items.size() != static_cast<size_t>(count))
    fail(node.line, in_quotes(what) + " has " + std::to_string(node.items.size()) + " values",
         "give " + std::to_string(count));
  std::vector<double> values;
  values.reserve(node.items.size());
  for (const JsonNode& item : node.items) values.push_back(number(item, what, unit));
  return values;
}

Vec3 ValueReader::vector3(const JsonNode& node, std::string_view what, double unit) const {
  const std::vector<double> values = numbers(node, 3, what, unit);
  return {values[0], values[1], values[2]};
}

size_t ValueReader::choice(const JsonNode& node, const std::vector<std::string>& choices,
                           std::string_view what) const {
  require(node, JsonNode::Type::string, what);
  const auto found = std::find(choices.begin(), choices.end(), node.text);
  if (found == choices.end())
    fail(node.line, in_quotes(what) + " is " + shown(node.text), suggest(node.text, choices));
  return static_cast<size_t>(found - choices.begin());
}

std::string ValueReader::name(const JsonNode& node, std::string_view what) const {
  require(node, JsonNode::Type::string, what);
  constexpr size_t kLongest = 100;
  if (node.text.empty() || node.text.size() > kLongest)
    fail(node.line, in_quotes(what) + " is empty or longer than 100 characters", "shorten it");
  for (const char c : node.text)
    if (static_cast<unsigned char>(c) <= ' ' || c == 0x7f ||
        std::string_view(",.;'\"/\\=").find(c) != std::string_view::npos)
      fail(node.line, in_quotes(what) + " has a character that names cannot have",
           "use letters, digits, '_' and '-'");
  return node.text;
}

Mat3 ValueReader::rotation(const JsonNode& node) const {
  if (node.type == JsonNode::Type::array) {
    if (node.items.size() != 3)
      fail(node.line, "'rotation' has " + std::to_string(node.items.size()) + " rows",
           "give three");
    Mat3 R;
    for (int i = 0; i < 3; ++i)
      R.row(i) = vector3(node.items[static_cast<size_t>(i)], "rotation").transpose();
    const double defect = (R.transpose() * R - Mat3::Identity()).cwiseAbs().maxCoeff();
    // People type six digits; a larger error is a mistake. Rounding needs no repair.
    if (!(defect < 1e-5) || R.determinant() < 0)
      fail(node.line, "'rotation' is not a rotation matrix", "give orthonormal rows, right-handed");
    return defect < 1e-14 ? R : orthonormalized(R);
  }
  require(node, JsonNode::Type::object, "rotation");
  if (node.find("euler") != nullptr) {
    const ObjectReader euler(context_, node, element_, scene_keys::kEuler);
    const std::string order = euler.string_or("euler", "");
    if (order.size() != 3 || order.find_first_not_of("xyz") != std::string::npos ||
        order[0] == order[1] || order[1] == order[2])
      euler.fail(euler.at("euler").line, "'euler' is not an order of axes",
                 "give three of x, y, z, e.g. \"xyz\"");
    const Vec3 angles = euler.vector3("angles");
    Mat3 R = Mat3::Identity();
    for (int i = 0; i < 3; ++i)
      R = R * rotation_about(Vec3::Unit(order[static_cast<size_t>(i)] - 'x'), angles[i]);
    return R;
  }
  const ObjectReader axis_angle(context_, node, element_, scene_keys::kAxisAngle);
  const Vec3 axis = axis_angle.vector3("axis");
  if (!(axis.norm() > 1e-12))
    axis_angle.fail(node.line, "the rotation's axis is zero", "give a direction");
  return rotation_about(axis.normalized(), axis_angle.number("angle"));
}

Pose ValueReader::pose(const JsonNode& node, std::string_view what) const {
  if (node.type == JsonNode::Type::array)
    return Pose::Translation(vector3(node, what, context_.units.length));
  require(node, JsonNode::Type::object, what);
  const ObjectReader pose(context_, node, element_, scene_keys::kPose);
  Pose E;
  E.p = pose.vector3_or("position", Vec3::Zero(), context_.units.length);
  if (const JsonNode* R = pose.find("rotation")) E.R = rotation(*R);
  return E;
}

ObjectReader::ObjectReader(const SceneContext& context, const JsonNode& node, std::string element,
                           const ObjectKind& kind)
    : ValueReader(context, std::move(element)),
      node_(node),
      keys_(kind.keys.begin(), kind.keys.end()) {
  check_keys();
}

ObjectReader::ObjectReader(const SceneContext& context, const JsonNode& node, std::string element,
                           const ObjectKind& kind, const ObjectKind& more)
    : ValueReader(context, std::move(element)),
      node_(node),
      keys_(kind.keys.begin(), kind.keys.end()) {
  keys_.insert(keys_.end(), more.keys.begin(), more.keys.end());
  check_keys();
}

void ObjectReader::check_keys() const {
  if (node_.type != JsonNode::Type::object)
    fail(node_.line, "is " + std::string(describe(node_.type)), "give an object");
  for (const JsonMember& member : node_.members)
    if (std::none_of(keys_.begin(), keys_.end(),
                     [&](const SceneKey& key) { return key.name == member.key; }))
      fail(member.line, "unknown key " + shown(member.key), suggest(member.key, names_of(keys_)));
  for (const SceneKey& key : keys_)
    if (key.required && node_.find(key.name) == nullptr)
      fail(node_.line, "has no " + in_quotes(key.name), "add it");
}

const JsonNode* ObjectReader::find(std::string_view key) const {
  if (std::none_of(keys_.begin(), keys_.end(),
                   [&](const SceneKey& known) { return known.name == key; }))
    throw std::logic_error("the reader uses a key that its tables lack: " + std::string(key));
  return node_.find(key);
}

const JsonNode& ObjectReader::at(std::string_view key) const {
  const JsonNode* found = find(key);
  if (found == nullptr) fail(node_.line, "has no " + in_quotes(key), "add it");
  return *found;
}

double ObjectReader::number_or(std::string_view key, double fallback, double unit) const {
  return has(key) ? number(key, unit) : fallback;
}

double ObjectReader::positive(std::string_view key, double unit) const {
  const double value = number(key, unit);
  if (!(value > 0))
    fail(at(key).line, in_quotes(key) + " is not positive", "give a positive number");
  return value;
}

double ObjectReader::positive_or(std::string_view key, double fallback, double unit) const {
  return has(key) ? positive(key, unit) : fallback;
}

double ObjectReader::not_negative_or(std::string_view key, double fallback, double unit) const {
  const double value = number_or(key, fallback, unit);
  if (value < 0) fail(at(key).line, in_quotes(key) + " is negative", "give zero or more");
  return value;
}

int ObjectReader::count_or(std::string_view key, int fallback, int least, int most) const {
  if (!has(key)) return fallback;
  const double value = number(key);
  if (value != std::floor(value) || value < least || value > most)
    fail(at(key).line, in_quotes(key) + " is out of range",
         "give a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  return static_cast<int>(value);
}

bool ObjectReader::boolean_or(std::string_view key, bool fallback) const {
  if (!has(key)) return fallback;
  require(at(key), JsonNode::Type::boolean, key);
  return at(key).boolean;
}

std::string ObjectReader::string_or(std::string_view key, std::string fallback) const {
  if (!has(key)) return fallback;
  require(at(key), JsonNode::Type::string, key);
  return at(key).text;
}

Vec3 ObjectReader::vector3_or(std::string_view key, const Vec3& fallback, double unit) const {
  return has(key) ? vector3(key, unit) : fallback;
}

Pose ObjectReader::pose_or_identity(std::string_view key) const {
  return has(key) ? pose(at(key), key) : Pose();
}

size_t ObjectReader::choice_or(std::string_view key, size_t fallback,
                               const std::vector<std::string>& choices) const {
  return has(key) ? choice(key, choices) : fallback;
}

const std::vector<JsonNode>& ObjectReader::list(std::string_view key) const {
  static const std::vector<JsonNode> kEmpty;
  if (!has(key)) return kEmpty;
  require(at(key), JsonNode::Type::array, key);
  return at(key).items;
}

std::string type_of(const ObjectKind& kind) {
  return std::string(kind.name.substr(kind.name.find('-') + 1));
}

const ObjectKind& kind_of_type(const ValueReader& reader, const JsonNode& node,
                               std::span<const ObjectKind> kinds) {
  reader.require(node, JsonNode::Type::object, reader.element());
  const JsonNode* type = node.find("type");
  if (type == nullptr) {
    for (const JsonMember& member : node.members)
      if (nearest_name(member.key, {"type"}) == "type")
        reader.fail(member.line, "unknown key " + shown(member.key), "did you mean 'type'?");
    reader.fail(node.line, "has no 'type'", "add it");
  }
  std::vector<std::string> types;
  for (const ObjectKind& kind : kinds) types.push_back(type_of(kind));
  return kinds[reader.choice(*type, types, "type")];
}

}  // namespace sinew
