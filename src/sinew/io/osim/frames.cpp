#include "sinew/io/osim/frames.hpp"

#include <algorithm>
#include <cctype>
#include <cstring>

#include "sinew/core/names.hpp"
#include "sinew/io/osim/model_parts.hpp"

namespace sinew {
namespace {

constexpr int kLongestChain = 100;  ///< offset frames on offset frames

bool is_offset_frame(const pugi::xml_node& node) {
  return std::strcmp(node.name(), "PhysicalOffsetFrame") == 0;
}

std::string lower_case(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

/// "/a/b" with "../c/./d" made "/a/c/d".
std::string joined(const std::string& base, const std::string& relative) {
  std::vector<std::string> parts;
  const auto append = [&](const std::string& path) {
    for (size_t at = 0; at <= path.size();) {
      const size_t end = std::min(path.find('/', at), path.size());
      const std::string part = path.substr(at, end - at);
      if (part == ".." && !parts.empty())
        parts.pop_back();
      else if (!part.empty() && part != "." && part != "..")
        parts.push_back(part);
      at = end + 1;
    }
  };
  if (!relative.starts_with('/')) append(base);
  append(relative);
  std::string out;
  for (const std::string& part : parts) out += "/" + part;
  return out;
}

class FrameCollector : public pugi::xml_tree_walker {
 public:
  std::vector<pugi::xml_node> frames;
  bool for_each(pugi::xml_node& node) override {
    if (is_offset_frame(node)) frames.push_back(node);
    return true;
  }
};

}  // namespace

std::string last_of_path(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string component_path(const pugi::xml_node& node) {
  std::string path;
  for (pugi::xml_node at = node; at && std::strcmp(at.name(), "Model") != 0; at = at.parent()) {
    const std::string type = at.name(), name = at.attribute("name").value();
    if (type.ends_with("Set"))
      path = "/" + (name.empty() ? lower_case(type) : name) + path;
    else if (type == "Ground" || type == "ground")
      path = "/ground" + path;
    else if (!name.empty())
      path = "/" + name + path;
  }
  return path;
}

OsimFrames::OsimFrames(const OsimDocument& document) : document_(&document) {
  const auto add = [&](const std::string& path, const OsimElement& element, bool body) {
    if (!by_path_.emplace(path, Entry{element, body}).second)
      element.fail("is defined twice", "give every frame a unique name");
    by_name_.emplace(last_of_path(path), path);
  };
  for (const OsimElement& body : model_parts(document, "BodySet")) {
    if (body.type() != "Body")
      body.fail("is not a body", "only <Body> elements can be in a <BodySet>");
    if (body.name().empty()) body.fail("has no name", "give every body a unique name");
    if (body.name() == "ground") continue;  // a body in 3.x
    bodies_.push_back(body);
    // A set may have its own name; paths begin with "bodyset" anyway.
    const bool in_set = std::strcmp(body.node().parent().name(), "components") != 0;
    add(in_set ? "/bodyset/" + body.name() : component_path(body.node()), body, true);
  }
  FrameCollector collector;
  pugi::xml_node model = document.model();
  model.traverse(collector);
  for (const pugi::xml_node& node : collector.frames) {
    if (document.is_default(node)) continue;
    const OsimElement frame(document, node);
    if (frame.name().empty()) frame.fail("has no name", "give every frame a unique name");
    add(component_path(node), frame, false);
  }
}

std::string OsimFrames::connectee(const OsimElement& owner, const char* key,
                                  const char* legacy) const {
  if (std::string name = owner.connectee(key); !name.empty()) return name;
  if (legacy == nullptr) return {};
  if (std::string name = owner.connectee(legacy); !name.empty()) return name;
  return owner.text(legacy);
}

bool OsimFrames::has_socket(const OsimElement& owner, const char* key, const char* legacy) const {
  return !connectee(owner, key, legacy).empty();
}

OsimFrame OsimFrames::socket(const OsimElement& owner, const char* key, const char* legacy) const {
  const std::string path = connectee(owner, key, legacy);
  if (path.empty())
    owner.fail("its socket '" + std::string(key) + "' is not connected",
               "give <socket_" + std::string(key) + "> the path of a body or frame");
  return find(owner, path);
}

const std::pair<const std::string, OsimFrames::Entry>* OsimFrames::lookup(
    const OsimElement& owner, const std::string& path) const {
  // Relative to the owner, then to its parents: 4.x writes the first, older ones the others.
  std::string base = component_path(owner.node());
  for (;;) {
    const auto found = by_path_.find(joined(base, path));
    if (found != by_path_.end()) return &*found;
    if (base.empty() || path.starts_with('/')) break;
    base = base.substr(0, base.rfind('/'));
  }
  const auto [first, last] = by_name_.equal_range(last_of_path(path));
  if (first == last) return nullptr;
  if (std::next(first) != last) {
    for (auto it = first; it != last; ++it)
      if (const auto found = by_path_.find(it->second); found->second.body) return &*found;
    owner.fail("refers to '" + path + "', and there are several frames of that name",
               "write the whole path, such as '" + first->second + "'");
  }
  return &*by_path_.find(first->second);
}

OsimFrame OsimFrames::find(const OsimElement& owner, const std::string& path) const {
  if (last_of_path(path) == "ground") return {"ground", Pose()};
  if (const auto* found = lookup(owner, path)) return resolve(found->first, found->second, 0);
  std::vector<std::string> names = {"ground"};
  for (const auto& [name, unused] : by_name_) names.push_back(name);
  owner.fail("refers to '" + path.substr(0, 200) + "', which is not a body or frame of the model",
             suggest(last_of_path(path), names));
}

OsimFrame OsimFrames::resolve(const std::string& path, const Entry& entry, int depth) const {
  if (entry.body) return {last_of_path(path), Pose()};
  const OsimElement& frame = entry.element;
  if (depth > kLongestChain)
    frame.fail("is its own ancestor: its chain of parents has no end", "connect it to a body");
  const std::string parent = connectee(frame, "parent", "parent_frame");
  if (parent.empty())
    frame.fail("its socket 'parent' is not connected",
               "give <socket_parent> the path of a body or frame");
  const Pose E_PF = frame.pose("translation", "orientation");
  if (last_of_path(parent) == "ground" || joined(path, parent) == "/ground")
    return {"ground", E_PF};
  const auto* found = lookup(frame, parent);
  if (found == nullptr) return find(frame, parent);  // throws an Error
  if (found->first == path)
    frame.fail("is its own ancestor", "connect it to a body or to another frame");
  OsimFrame out = resolve(found->first, found->second, depth + 1);
  out.E_BF = out.E_BF * E_PF;
  return out;
}

std::optional<OsimFrame> OsimFrames::enclosing_body(const OsimElement& owner) const {
  for (pugi::xml_node at = owner.node().parent(); at; at = at.parent()) {
    const std::string_view type = at.name();
    if (type == "Ground" || type == "ground") return OsimFrame{"ground", Pose()};
    if (type != "Body" && type != "PhysicalOffsetFrame") continue;
    const OsimElement holder(*document_, at);
    if (type == "Body") return OsimFrame{holder.name(), Pose()};
    return find(owner, component_path(at));
  }
  return std::nullopt;
}

OsimFrame OsimFrames::enclosing(const OsimElement& owner) const {
  const std::optional<OsimFrame> frame = enclosing_body(owner);
  if (!frame) owner.fail("is attached to no body", "define it inside a <Body>");
  return *frame;
}

}  // namespace sinew
