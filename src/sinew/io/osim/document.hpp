#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <pugixml.hpp>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "sinew/core/error.hpp"
#include "sinew/math/se3.hpp"

namespace sinew {

/// The XML of an OpenSim document: well formed, of a version that can be read, with a <Model>.
class OsimDocument {
 public:
  /// What is not UTF-8 becomes so. Throws an Error with `source` and line.
  OsimDocument(std::string_view bytes, std::string source);
  OsimDocument(const OsimDocument&) = delete;
  OsimDocument& operator=(const OsimDocument&) = delete;

  const std::string& source() const { return source_; }
  int version() const { return version_; }  ///< as the file writes it: 40000 is 4.0
  /// Documents before 4.0 nest joints in bodies and name bodies where later ones have sockets.
  bool nested_joints() const { return version_ < 30500; }
  pugi::xml_node model() const { return model_; }
  int line_of(const pugi::xml_node& node) const;
  /// The template in <defaults> that objects of a type take absent properties from.
  pugi::xml_node default_of(const char* type) const { return defaults_.child(type); }
  /// Whether the node is part of <defaults>, which never become elements.
  bool is_default(pugi::xml_node node) const;

  [[noreturn]] void fail(const pugi::xml_node& node, const std::string& element,
                         const std::string& problem, const std::string& remedy) const;

  /// What was asked for is remembered, so that nothing is left out unnoticed.
  void note_read(const pugi::xml_node& node) const { read_.insert(node.hash_value()); }
  bool was_read(const pugi::xml_node& node) const { return read_.contains(node.hash_value()); }
  /// The whole element counts as read: it is left out knowingly.
  void note_left_out(const pugi::xml_node& node) const;
  /// Elements of the model that nobody asked for, outermost only, without <defaults>.
  std::vector<pugi::xml_node> unread() const;

 private:
  bool collect_unread(const pugi::xml_node& node, std::vector<pugi::xml_node>& out) const;

  std::string source_;
  pugi::xml_document xml_;
  pugi::xml_node model_, defaults_;
  std::vector<size_t> line_starts_;
  int version_ = 0;
  mutable std::unordered_set<size_t> read_;
};

/// One object of the document and its properties, with what <defaults> say of those it leaves out.
/// A value that is there but cannot be read is an Error naming file, line, object and property.
class OsimElement {
 public:
  OsimElement(const OsimDocument& document, pugi::xml_node node)
      : document_(&document), node_(node) {
    document.note_read(node);
  }

  const OsimDocument& document() const { return *document_; }
  const pugi::xml_node& node() const { return node_; }
  std::string type() const { return node_.name(); }
  std::string name() const { return node_.attribute("name").value(); }
  /// "PinJoint 'knee'".
  std::string label() const;
  int line() const { return document_->line_of(node_); }
  [[noreturn]] void fail(const std::string& problem, const std::string& remedy) const {
    document_->fail(node_, label(), problem, remedy);
  }
  /// Warnings have the same form.
  std::string describe(const std::string& problem) const;

  /// The property of that name, its own or that of the defaults; null if neither has it.
  pugi::xml_node property(const char* key) const;
  bool has(const char* key) const { return !property(key).empty(); }
  /// The text of a property without the white space around it; empty if it is absent.
  std::string text(const char* key) const;
  std::vector<std::string> words(const char* key) const;
  double number(const char* key, double otherwise) const;
  double number(const char* key) const;                    ///< required
  double number_at(const pugi::xml_node& property) const;  ///< does not count as asked for
  std::vector<double> numbers(const char* key) const;
  std::optional<Vec3> vector3(const char* key) const;
  Vec3 vector3(const char* key, const Vec3& otherwise) const;
  bool flag(const char* key, bool otherwise) const;
  /// What a socket is connected to, in any form that files have had for it: <socket_x>, before 4.0
  /// <socket_x_connectee_name>, <connector_x_connectee_name> and <connectors> with a
  /// <connectee_name>; empty where there is none.
  std::string connectee(const char* socket) const;
  /// A place from a translation and body-fixed x-y-z angles.
  Pose pose(const char* translation, const char* orientation) const;

  /// The objects of a set such as <BodySet><objects>…, or of a list of objects without that layer.
  std::vector<OsimElement> objects(const char* set) const;
  /// Counts it as unsupported, by its type or another name, with all that it holds.
  void leave_out(std::map<std::string, int>& unsupported, const std::string& as = "") const;
  /// It is switched off: what it holds has no effect.
  void pass_over() const { document_->note_left_out(node_); }

  /// The object that a property holds, as in <function><Constant>…; null if it holds none.
  std::optional<OsimElement> object(const char* key) const;

  /// A finite number of that property, positive (or not negative); an Error says what is wrong.
  double positive(const char* key, double otherwise) const;
  double not_negative(const char* key, double otherwise) const;

 private:
  [[noreturn]] void fail(const pugi::xml_node& at, const char* key, const std::string& problem,
                         const std::string& remedy) const;
  /// Finite numbers, at least and at most so many.
  std::vector<double> read_numbers(const pugi::xml_node& at, const char* key) const;

  const OsimDocument* document_;
  pugi::xml_node node_;
};

/// Words of a text, split at white space.
std::vector<std::string> split_words(std::string_view text);

/// R = R_x(a) R_y(b) R_z(c): OpenSim's orientations.
Mat3 rotation_xyz(const Vec3& angles);

}  // namespace sinew
