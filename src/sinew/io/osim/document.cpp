#include "sinew/io/osim/document.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <set>

#include "sinew/core/utf8.hpp"
#include "sinew/math/so3.hpp"

namespace sinew {
namespace {

constexpr int kDeepest = 64;            ///< levels of XML
constexpr double kLargest = 1e12;       ///< larger than anything SI units of a body can mean
constexpr size_t kMostNumbers = 20000;  ///< in one property
constexpr const char* kUpdate =
    "run `opensim-cmd update-file OLD.osim NEW.osim` and read the new file";

std::string_view trimmed_value(std::string_view text) {
  const char* blank = " \t\r\n";
  const size_t first = text.find_first_not_of(blank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

/// Refuses what would make later recursions run out of stack, and finds names that neither tables
/// nor terminals can show.
class NodeCheck : public pugi::xml_tree_walker {
 public:
  bool for_each(pugi::xml_node& node) override {
    if (has_control_characters(node.attribute("name").value())) unnameable = node;
    return depth() <= kDeepest && !unnameable;
  }
  pugi::xml_node unnameable;
};

std::optional<double> to_number(std::string_view word) {
  if (word.starts_with('+')) word.remove_prefix(1);
  double value = 0;
  const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (code == std::errc::result_out_of_range) return std::nullopt;
  if (code != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

/// Joints, constraints and forces of old files may have no names: they get those that OpenSim 4
/// gives them, their type in small letters, with a number from the second on.
void name_the_nameless(const pugi::xml_node& set) {
  std::set<std::string> used;
  for (const pugi::xml_node& object : set.children()) used.insert(object.attribute("name").value());
  for (pugi::xml_node object : set.children()) {
    if (object.type() != pugi::node_element || *object.attribute("name").value() != 0) continue;
    std::string type = object.name();
    for (char& c : type) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    std::string name = type;
    for (int k = 0; !used.insert(name).second; ++k) name = type + "_" + std::to_string(k);
    object.remove_attribute("name");
    object.append_attribute("name") = name.c_str();
  }
}

void name_the_nameless_of(const pugi::xml_node& model) {
  for (const char* set : {"JointSet", "ConstraintSet", "ForceSet"})
    name_the_nameless(model.child(set).child("objects"));
  // Joints that are nested in bodies are named after them: each is the only one of its set.
  for (const pugi::xml_node& body : model.child("BodySet").child("objects").children())
    for (pugi::xml_node joint : body.child("Joint").children()) {
      if (joint.type() != pugi::node_element || *joint.attribute("name").value() != 0) continue;
      joint.remove_attribute("name");
      joint.append_attribute("name") =
          (std::string(body.attribute("name").value()) + "_joint").c_str();
    }
}

std::string version_text(int version) {
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100);
}

}  // namespace

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  const char* blank = " \t\r\n";
  for (size_t at = text.find_first_not_of(blank); at != std::string_view::npos;) {
    const size_t end = std::min(text.find_first_of(blank, at), text.size());
    words.emplace_back(text.substr(at, end - at));
    at = text.find_first_not_of(blank, end);
  }
  return words;
}

Mat3 rotation_xyz(const Vec3& a) {
  return rotation_about(Vec3::UnitX(), a.x()) * rotation_about(Vec3::UnitY(), a.y()) *
         rotation_about(Vec3::UnitZ(), a.z());
}

OsimDocument::OsimDocument(std::string_view bytes, std::string source)
    : source_(std::move(source)), line_starts_{0} {
  // Files say that they are UTF-8, or ISO-8859-1, and are not; some official ones, too.
  const std::string text = to_utf8(bytes);
  for (size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\n') line_starts_.push_back(i + 1);
  const pugi::xml_parse_result result =
      xml_.load_buffer(text.data(), text.size(), pugi::parse_default, pugi::encoding_utf8);
  if (!result) {
    const auto line = std::upper_bound(line_starts_.begin(), line_starts_.end(),
                                       static_cast<size_t>(result.offset)) -
                      line_starts_.begin();
    throw Error("document", std::string("is not well-formed XML: ") + result.description(),
                "save it again with OpenSim, or repair it in an editor")
        .with_location(source_, static_cast<int>(line));
  }
  NodeCheck check;
  if (!xml_.traverse(check)) {
    if (check.unnameable)
      fail(check.unnameable, OsimElement(*this, check.unnameable).label(),
           "has a tab, the end of a line or another control character in its name",
           "use characters that can be shown");
    fail(xml_, "document", "is nested more than 64 levels deep", "no OpenSim model is");
  }
  const pugi::xml_node root = xml_.child("OpenSimDocument");
  if (root.empty())
    fail(xml_.document_element(), "document", "is not an OpenSim document",
         "its root must be <OpenSimDocument>; files of OpenSim 1 have another: " +
             std::string(kUpdate));
  version_ = root.attribute("Version").as_int(0);
  if (version_ < 30000)
    fail(root, "document",
         version_ >= 10000 ? "is of version " + version_text(version_) + ", 3.0 is the oldest read"
                           : "has no version, or one that is not a number",
         kUpdate);
  if (version_ >= 50000)
    fail(root, "document", "is of version " + version_text(version_) + ", 4.x is the newest read",
         "save it with OpenSim 4");
  model_ = root.child("Model");
  if (model_.empty())
    fail(root, "document", "holds no <Model>", "give a model, not a setup or a motion file");
  name_the_nameless_of(model_);
  defaults_ = model_.child("defaults");
  if (defaults_.empty()) defaults_ = root.child("defaults");
}

int OsimDocument::line_of(const pugi::xml_node& node) const {
  const ptrdiff_t offset = node.offset_debug();
  if (offset < 0) return 0;
  return static_cast<int>(
      std::upper_bound(line_starts_.begin(), line_starts_.end(), static_cast<size_t>(offset)) -
      line_starts_.begin());
}

bool OsimDocument::is_default(pugi::xml_node node) const {
  for (; node; node = node.parent())
    if (node == defaults_) return true;
  return false;
}

void OsimDocument::fail(const pugi::xml_node& node, const std::string& element,
                        const std::string& problem, const std::string& remedy) const {
  throw Error(element, problem, remedy).with_location(source_, line_of(node));
}

void OsimDocument::note_left_out(const pugi::xml_node& node) const {
  note_read(node);
  for (const pugi::xml_node& child : node.children()) note_left_out(child);
}

/// Whether anything of a node was read; if so, the rest of it is what is unread.
bool OsimDocument::collect_unread(const pugi::xml_node& node,
                                  std::vector<pugi::xml_node>& out) const {
  bool any = read_.contains(node.hash_value());
  std::vector<pugi::xml_node> unread;
  for (const pugi::xml_node& child : node.children()) {
    if (child.type() != pugi::node_element || child == defaults_) continue;
    if (collect_unread(child, unread))
      any = true;
    else
      unread.push_back(child);
  }
  if (any) out.insert(out.end(), unread.begin(), unread.end());
  return any;
}

std::vector<pugi::xml_node> OsimDocument::unread() const {
  std::vector<pugi::xml_node> out;
  collect_unread(model_, out);
  return out;
}

std::string OsimElement::label() const {
  const std::string n = name();
  return n.empty() ? type() : type() + " '" + n + "'";
}

std::string OsimElement::describe(const std::string& problem) const {
  return document_->source() + ":" + std::to_string(line()) + ": " + label() + ": " + problem;
}

void OsimElement::fail(const pugi::xml_node& at, const char* key, const std::string& problem,
                       const std::string& remedy) const {
  document_->fail(at, label(), "its <" + std::string(key) + "> " + problem, remedy);
}

pugi::xml_node OsimElement::property(const char* key) const {
  if (const pugi::xml_node own = node_.child(key)) {
    document_->note_read(own);
    return own;
  }
  return document_->default_of(node_.name()).child(key);
}

std::string OsimElement::text(const char* key) const {
  return std::string(trimmed_value(property(key).text().get()));
}

std::vector<std::string> OsimElement::words(const char* key) const {
  return split_words(text(key));
}

std::vector<double> OsimElement::read_numbers(const pugi::xml_node& at, const char* key) const {
  std::vector<double> out;
  for (const std::string& word : split_words(at.text().get())) {
    const std::optional<double> value = to_number(word);
    if (!value || !std::isfinite(*value) || std::abs(*value) > kLargest)
      fail(at, key, "has '" + word.substr(0, 40) + "' where a finite number should be",
           "give numbers below 1e12");
    out.push_back(*value);
    if (out.size() > kMostNumbers) fail(at, key, "has too many numbers", "give at most 20000");
  }
  return out;
}

std::vector<double> OsimElement::numbers(const char* key) const {
  const pugi::xml_node at = property(key);
  return at.empty() ? std::vector<double>() : read_numbers(at, key);
}

double OsimElement::number(const char* key, double otherwise) const {
  const pugi::xml_node at = property(key);
  if (at.empty()) return otherwise;
  return number_at(at);
}

double OsimElement::number_at(const pugi::xml_node& property) const {
  const std::vector<double> values = read_numbers(property, property.name());
  if (values.size() != 1)
    fail(property, property.name(), "has " + std::to_string(values.size()) + " numbers",
         "give one");
  return values.front();
}

double OsimElement::number(const char* key) const {
  if (!has(key)) fail("has no <" + std::string(key) + ">", "give a number");
  return number(key, 0);
}

double OsimElement::positive(const char* key, double otherwise) const {
  const double value = number(key, otherwise);
  if (!(value > 0))
    fail(has(key) ? property(key) : node_, key, "is not positive", "give a number above zero");
  return value;
}

double OsimElement::not_negative(const char* key, double otherwise) const {
  const double value = number(key, otherwise);
  if (!(value >= 0)) fail(property(key), key, "is negative", "give a number of at least zero");
  return value;
}

std::optional<Vec3> OsimElement::vector3(const char* key) const {
  const pugi::xml_node at = property(key);
  if (at.empty()) return std::nullopt;
  const std::vector<double> values = read_numbers(at, key);
  if (values.size() != 3)
    fail(at, key, "has " + std::to_string(values.size()) + " numbers", "give three");
  return Vec3(values[0], values[1], values[2]);
}

Vec3 OsimElement::vector3(const char* key, const Vec3& otherwise) const {
  return vector3(key).value_or(otherwise);
}

bool OsimElement::flag(const char* key, bool otherwise) const {
  const pugi::xml_node at = property(key);
  if (at.empty()) return otherwise;
  std::string word(trimmed_value(at.text().get()));
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (word == "true" || word == "1") return true;
  if (word == "false" || word == "0") return false;
  fail(at, key, "is '" + word.substr(0, 40) + "'", "write true or false");
}

std::string OsimElement::connectee(const char* socket) const {
  const std::string key(socket);
  for (const std::string& tag : {"socket_" + key, "socket_" + key + "_connectee_name",
                                 "connector_" + key + "_connectee_name"})
    if (has(tag.c_str())) return text(tag.c_str());
  for (const pugi::xml_node& c : node_.child("connectors").children()) {
    if (key != c.attribute("name").value()) continue;
    document_->note_left_out(c);
    return std::string(trimmed_value(c.child_value("connectee_name")));
  }
  return "";
}

Pose OsimElement::pose(const char* translation, const char* orientation) const {
  return {rotation_xyz(vector3(orientation, Vec3::Zero())), vector3(translation, Vec3::Zero())};
}

std::vector<OsimElement> OsimElement::objects(const char* set) const {
  pugi::xml_node at = property(set);
  if (const pugi::xml_node list = at.child("objects")) at = list;
  std::vector<OsimElement> out;
  for (const pugi::xml_node& child : at.children())
    if (child.type() == pugi::node_element && std::strcmp(child.name(), "groups") != 0)
      out.emplace_back(*document_, child);
  return out;
}

void OsimElement::leave_out(std::map<std::string, int>& unsupported, const std::string& as) const {
  ++unsupported[as.empty() ? type() : as];
  pass_over();
}

std::optional<OsimElement> OsimElement::object(const char* key) const {
  for (const pugi::xml_node& child : property(key).children())
    if (child.type() == pugi::node_element) return OsimElement(*document_, child);
  return std::nullopt;
}

}  // namespace sinew
