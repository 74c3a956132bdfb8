#include "sinew/io/osim/edits.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <sstream>

#include "sinew/core/names.hpp"
#include "sinew/io/osim/frames.hpp"
#include "sinew/io/osim/model_parts.hpp"

namespace sinew {
namespace {

using Nodes = std::vector<pugi::xml_node>;

std::string small_letters(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

bool is_set(const pugi::xml_node& node) { return std::string_view(node.name()).ends_with("Set"); }

std::string name_of(const pugi::xml_node& node) { return node.attribute("name").value(); }

Nodes elements_of(const pugi::xml_node& node) {
  Nodes out;
  for (const pugi::xml_node& child : node.children())
    if (child.type() == pugi::node_element) out.push_back(child);
  return out;
}

/// Whether it is a property with a text, not an object or a list of them.
bool is_value(const pugi::xml_node& node) {
  return elements_of(node).empty() && name_of(node).empty();
}

/// Those that `wanted` says yes to, of the uppermost level below `node` that has any.
Nodes nearest(const pugi::xml_node& node, const OsimDocument& document,
              const std::function<bool(const pugi::xml_node&)>& wanted) {
  Nodes level = elements_of(node), found;
  while (!level.empty()) {
    std::copy_if(level.begin(), level.end(), std::back_inserter(found), wanted);
    if (!found.empty()) break;
    Nodes below;
    for (const pugi::xml_node& at : level)
      if (!document.is_default(at))
        for (const pugi::xml_node& child : elements_of(at)) below.push_back(child);
    level = std::move(below);
  }
  return found;
}

/// Where a path has come to.
struct Place {
  pugi::xml_node node;
  std::string path;    ///< as the user writes it
  std::string kind{};  ///< not empty: objects of this set, wherever in the model
};

/// One assignment on its way through the document.
class OsimEdit {
 public:
  OsimEdit(const OsimDocument& document, const std::string& assignment)
      : document_(document), assignment_(assignment) {}

  pugi::xml_node apply() const {
    const size_t equals = assignment_.find('=');
    if (equals == std::string::npos || equals == 0)
      fail(document_.model(), "is not of the form path=value",
           "for example --set /bodyset/femur_r/mass=8; sinew info lists the names");
    const std::string path = assignment_.substr(0, equals);
    if (path.find('/') == std::string::npos && document_.model().child(path.c_str()).empty())
      fail(document_.model(), "'" + path.substr(0, 100) + "' is not a path of an OpenSim model",
           "write the components and a property, for example /bodyset/femur_r/mass");
    std::vector<std::string> steps = steps_of(path);
    std::string number;  // of one of the property's numbers
    if (steps.size() > 1 && is_number(steps.back())) {
      number = steps.back();
      steps.pop_back();
    }
    if (steps.empty()) fail(document_.model(), "names no property", "end the path with one");
    const std::string property = steps.back();
    steps.pop_back();
    Place at{document_.model(), ""};
    for (const std::string& step : steps) at = descend(at, step);
    const std::string value = assignment_.substr(equals + 1);
    pugi::xml_node out = property_of(at, property);
    out.text().set(number.empty() ? value.c_str() : with_part(out, number, value).c_str());
    return out;
  }

  [[noreturn]] void fail(const pugi::xml_node& at, const std::string& problem,
                         const std::string& remedy) const {
    document_.fail(at, "--set " + assignment_.substr(0, 200), problem, remedy);
  }

 private:
  /// Without the model's own name, with which paths may begin.
  std::vector<std::string> steps_of(const std::string& path) const {
    std::vector<std::string> out;
    for (size_t at = 0; at <= path.size();) {
      const size_t end = std::min(path.find('/', at), path.size());
      if (end > at) out.push_back(path.substr(at, end - at));
      at = end + 1;
    }
    if (out.size() > 1 && out[0] == name_of(document_.model()) && find(root(), out[0]).empty())
      out.erase(out.begin());
    return out;
  }

  static bool is_number(const std::string& step) {
    return step.find_first_not_of("0123456789") == std::string::npos;
  }

  /// The text of a property with another value in place of one of its numbers, counted from 0.
  std::string with_part(const pugi::xml_node& property, const std::string& number,
                        const std::string& value) const {
    std::istringstream text(property.text().get());
    std::vector<std::string> parts{std::istream_iterator<std::string>(text), {}};
    const std::string of = std::string("<") + property.name() + ">";
    if (parts.empty())
      fail(property, of + " has no numbers to change one of", "give it all of them");
    if (number.size() > 9 || std::stoul(number) >= parts.size())
      fail(property, of + " has no number " + number.substr(0, 20),
           parts.size() == 1 ? "leave the number out: it has one value"
                             : "count from 0 to " + std::to_string(parts.size() - 1));
    parts[std::stoul(number)] = value;
    std::string out;
    for (const std::string& part : parts) out += (out.empty() ? "" : " ") + part;
    return out;
  }

  Place root() const { return {document_.model(), ""}; }

  /// Objects of that name; else elements of that type.
  Nodes find(const Place& at, const std::string& step) const {
    const auto belongs = [&](const pugi::xml_node& n) {
      return at.kind.empty() || set_of(n.name()) == at.kind;
    };
    Nodes found = nearest(at.node, document_, [&](const pugi::xml_node& n) {
      return name_of(n) == step && belongs(n);
    });
    if (!found.empty()) return found;
    return nearest(at.node, document_, [&](const pugi::xml_node& n) {
      return small_letters(n.name()) == small_letters(step) && belongs(n);
    });
  }

  Place descend(const Place& at, const std::string& step) const {
    Place out{{}, at.path + "/" + step};
    if (at.node == document_.model() && at.kind.empty()) {
      for (const pugi::xml_node& set : elements_of(at.node))
        if (is_set(set) && small_letters(set.name()) == small_letters(step)) {
          out.node = set;
          return out;
        }
      for (const char* kind : {"BodySet", "JointSet", "ForceSet", "ConstraintSet", "MarkerSet",
                               "ContactGeometrySet", "ControllerSet", "ProbeSet"})
        if (small_letters(kind) == small_letters(step)) {
          out.node = at.node;
          out.kind = kind;
          return out;
        }
    }
    out.node = one_of(find(at, step), at, step);
    return out;
  }

  pugi::xml_node one_of(Nodes found, const Place& at, const std::string& step) const {
    // Files of OpenSim 4 may keep the objects of a set among the model's <components>.
    if (found.empty() && is_set(at.node) && at.node.parent() == document_.model())
      found = find({document_.model(), "", at.node.name()}, step);
    if (found.empty())
      fail(at.node, "there is no '" + step + "' in " + describe(at), suggest(step, names_in(at)));
    if (found.size() > 1)
      fail(found[1], "there are several '" + step + "' in " + describe(at),
           "write the whole path, such as '" + component_path(found[0]) + "'");
    return found[0];
  }

  static std::string describe(const Place& at) {
    return at.path.empty() ? "the model" : "'" + at.path + "'";
  }

  /// Named objects below; else the properties.
  std::vector<std::string> names_in(const Place& at) const {
    std::vector<std::string> out;
    for (const pugi::xml_node& n : nearest(at.node, document_, [&](const pugi::xml_node& n) {
           return !is_set(n) && !name_of(n).empty() &&
                  (at.kind.empty() || set_of(n.name()) == at.kind);
         }))
      out.push_back(name_of(n));
    for (const pugi::xml_node& n : elements_of(at.node))
      if (!is_set(at.node) && !is_set(n) && name_of(n).empty()) out.emplace_back(n.name());
    if (at.node == document_.model())
      for (const pugi::xml_node& n : elements_of(at.node))
        if (is_set(n)) out.push_back(small_letters(n.name()));
    return out;
  }

  pugi::xml_node property_of(const Place& at, const std::string& property) const {
    const bool object = at.kind.empty() && !is_set(at.node);
    pugi::xml_node found = object ? at.node.child(property.c_str()) : pugi::xml_node();
    if (found && is_value(found)) return found;
    if (!found)
      for (const pugi::xml_node& n : find(at, property))
        if (!is_value(n)) found = n;
    if (found)
      fail(found, "'" + at.path + "/" + property + "' is an object, not a value",
           "go on with one of: " + list(names_in({found, ""})));
    if (!object)
      fail(at.node, "there is no '" + property + "' in " + describe(at),
           suggest(property, names_in(at)));
    pugi::xml_node node = at.node;
    return node.append_child(property.c_str());
  }

  static std::string list(const std::vector<std::string>& names) {
    constexpr size_t kShown = 12;
    std::string out;
    for (size_t k = 0; k < std::min(kShown, names.size()); ++k)
      out += (k > 0 ? ", " : "") + names[k];
    return names.size() > kShown ? out + ", …" : out;
  }

  const OsimDocument& document_;
  const std::string& assignment_;
};

}  // namespace

void OsimEdits::apply(const std::string& assignment) {
  changes_.push_back({assignment, OsimEdit(document_, assignment).apply()});
}

void OsimEdits::require_read() const {
  for (const Change& change : changes_) {
    if (document_.was_read(change.property)) continue;
    const pugi::xml_node owner = change.property.parent();
    std::vector<std::string> read;
    for (const pugi::xml_node& n : elements_of(owner))
      if (document_.was_read(n)) read.emplace_back(n.name());
    const std::string name = change.property.name();
    // A coordinate's property said of its joint, and the like.
    Nodes deeper;
    for (const pugi::xml_node& n : elements_of(owner))
      for (const pugi::xml_node& found :
           nearest(n, document_, [&](const pugi::xml_node& m) { return m.name() == name; }))
        if (document_.was_read(found)) deeper.push_back(found);
    OsimEdit(document_, change.assignment)
        .fail(owner,
              "would have no effect: of " + OsimElement(document_, owner).label() + " no <" + name +
                  "> is read",
              deeper.empty() ? suggest(name, read)
                             : "did you mean '" + component_path(deeper[0]) + "/" + name + "'?");
  }
}

}  // namespace sinew
