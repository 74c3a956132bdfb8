#pragma once

#include "sinew/io/json/json_tree.hpp"
#include "sinew/io/json/scene_context.hpp"
#include "sinew/io/json/scene_keys.hpp"
#include "sinew/math/se3.hpp"

namespace sinew {

/// Reads values of a scene file strictly: any defect is an Error at its line that names `element`
/// ("body 'femur'"). Numbers are multiplied by `unit`, the SI value of the file's unit.
class ValueReader {
 public:
  ValueReader(const SceneContext& context, std::string element)
      : context_(context), element_(std::move(element)) {}

  const SceneContext& context() const { return context_; }
  const std::string& element() const { return element_; }
  [[noreturn]] void fail(int line, const std::string& problem, const std::string& remedy) const {
    context_.fail(line, element_, problem, remedy);
  }

  /// `what` names the value in messages.
  void require(const JsonNode& node, JsonNode::Type type, std::string_view what) const;
  double number(const JsonNode& node, std::string_view what, double unit = 1) const;
  /// A list of `count` numbers; of any length if `count` is negative.
  std::vector<double> numbers(const JsonNode& node, int count, std::string_view what,
                              double unit = 1) const;
  Vec3 vector3(const JsonNode& node, std::string_view what, double unit = 1) const;
  /// One of `choices`, as its index.
  size_t choice(const JsonNode& node, const std::vector<std::string>& choices,
                std::string_view what) const;
  /// The name of a body, joint, coordinate or force: not empty, not too long, and free of
  /// characters that would break a table or a path.
  std::string name(const JsonNode& node, std::string_view what) const;
  /// A pose: [x, y, z], or an object with position and rotation.
  Pose pose(const JsonNode& node, std::string_view what) const;

 private:
  Mat3 rotation(const JsonNode& node) const;

  const SceneContext& context_;
  std::string element_;
};

/// One object of a scene file. Its keys are checked against the kind's when it is made.
class ObjectReader : public ValueReader {
 public:
  ObjectReader(const SceneContext& context, const JsonNode& node, std::string element,
               const ObjectKind& kind);
  /// An object that has the keys of two kinds.
  ObjectReader(const SceneContext& context, const JsonNode& node, std::string element,
               const ObjectKind& kind, const ObjectKind& more);

  const JsonNode& node() const { return node_; }
  int line() const { return node_.line; }
  bool has(std::string_view key) const { return find(key) != nullptr; }
  /// The key must be one of the kind's: the tables are the only place where keys are defined.
  const JsonNode* find(std::string_view key) const;
  /// A required key's value.
  const JsonNode& at(std::string_view key) const;

  double number(std::string_view key, double unit = 1) const {
    return ValueReader::number(at(key), key, unit);
  }
  double number_or(std::string_view key, double fallback, double unit = 1) const;
  /// A number that must be positive (or zero, if allowed).
  double positive(std::string_view key, double unit = 1) const;
  double positive_or(std::string_view key, double fallback, double unit = 1) const;
  double not_negative_or(std::string_view key, double fallback, double unit = 1) const;
  /// A whole number from `least` to `most`.
  int count_or(std::string_view key, int fallback, int least, int most) const;
  bool boolean_or(std::string_view key, bool fallback) const;
  std::string string_or(std::string_view key, std::string fallback) const;
  std::string name(std::string_view key) const { return ValueReader::name(at(key), key); }
  Vec3 vector3(std::string_view key, double unit = 1) const {
    return ValueReader::vector3(at(key), key, unit);
  }
  Vec3 vector3_or(std::string_view key, const Vec3& fallback, double unit = 1) const;
  Pose pose_or_identity(std::string_view key) const;
  size_t choice(std::string_view key, const std::vector<std::string>& choices) const {
    return ValueReader::choice(at(key), choices, key);
  }
  size_t choice_or(std::string_view key, size_t fallback,
                   const std::vector<std::string>& choices) const;
  /// The elements of a list; none if the key is absent.
  const std::vector<JsonNode>& list(std::string_view key) const;

 private:
  void check_keys() const;

  const JsonNode& node_;
  std::vector<SceneKey> keys_;
};

/// The kind that the object's "type" names, from the kinds "<prefix>-<type>".
const ObjectKind& kind_of_type(const ValueReader& reader, const JsonNode& node,
                               std::span<const ObjectKind> kinds);
/// The part after the first '-' of the kind's name: the value of "type".
std::string type_of(const ObjectKind& kind);

}  // namespace sinew
