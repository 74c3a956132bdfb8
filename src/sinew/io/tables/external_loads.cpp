#include "sinew/io/tables/external_loads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <pugixml.hpp>
#include <sstream>

#include "sinew/core/error.hpp"
#include "sinew/core/names.hpp"
#include "sinew/io/scene/scene.hpp"
#include "sinew/io/tables/text_lines.hpp"
#include "sinew/io/tables/whole_file.hpp"

namespace sinew {

namespace {

namespace fs = std::filesystem;

/// An OpenSim document that knows its lines for messages.
class Document {
 public:
  Document(std::string_view text, const fs::path& path) : text_(text), path_(path) {
    const pugi::xml_parse_result result = document_.load_buffer(text.data(), text.size());
    if (!result)
      throw Error("the XML", result.description(), "repair or export the file again")
          .with_location(path.string(), line(result.offset));
  }

  /// The element, at the root or within <OpenSimDocument>.
  pugi::xml_node root(const char* name) const {
    const pugi::xml_node outer = document_.child("OpenSimDocument");
    const pugi::xml_node node = outer ? outer.child(name) : document_.child(name);
    if (!node) {
      const pugi::xml_node other = outer ? outer.first_child() : document_.document_element();
      throw Error(
          "the document",
          fmt::format("holds <{}>, not <{}>", std::string(other.name()).substr(0, 100), name),
          "give another file")
          .with_location(path_.string(), 0);
    }
    return node;
  }

  int line(const pugi::xml_node& node) const { return line(node.offset_debug()); }
  int line(std::ptrdiff_t offset) const {
    const auto end =
        std::clamp<std::ptrdiff_t>(offset, 0, static_cast<std::ptrdiff_t>(text_.size()));
    return 1 + static_cast<int>(std::count(text_.begin(), text_.begin() + end, '\n'));
  }

  [[noreturn]] void fail(const pugi::xml_node& node, const std::string& problem,
                         const std::string& remedy) const {
    throw Error(fmt::format("<{}>", node.name()), problem, remedy)
        .with_location(path_.string(), line(node));
  }
  std::string note(const pugi::xml_node& node, const std::string& what) const {
    return fmt::format("{}:{}: {}", path_.string(), line(node), what);
  }

  /// Text of a child, trimmed; OpenSim's "Unassigned" counts as empty.
  std::string text(const pugi::xml_node& node, const char* child) const {
    std::string value(trimmed_all(node.child_value(child)));
    return value == "Unassigned" ? std::string() : value;
  }

  bool truth(const pugi::xml_node& node, const char* child, bool fallback) const {
    const std::string value = text(node, child);
    if (value.empty()) return fallback;
    if (value == "true" || value == "1") return true;
    if (value != "false" && value != "0")
      fail(node.child(child), quoted_word(value) + " is neither true nor false",
           "give one of them");
    return false;
  }

  std::vector<double> numbers(const pugi::xml_node& node, const char* child) const {
    std::vector<double> out;
    for (const std::string& word : words(text(node, child))) {
      out.emplace_back();
      if (!parse_number(word, out.back()) || std::isnan(out.back()))
        fail(node.child(child), quoted_word(word) + " is not a number", "give numbers");
    }
    return out;
  }

  static std::vector<std::string> words(std::string value) {
    std::replace_if(
        value.begin(), value.end(), [](char c) { return std::strchr("\r\n,;", c); }, ' ');
    std::vector<std::string_view> views;
    split_words(value, views);
    return {views.begin(), views.end()};
  }

  /// A file that the document names: from the document's folder, otherwise one with the same name
  /// beside it.
  fs::path file(const pugi::xml_node& node, const char* child,
                std::vector<std::string>& warnings) const {
    const std::string stated = text(node, child);
    if (stated.empty()) return {};
    std::string forward = stated;
    std::replace(forward.begin(), forward.end(), '\\', '/');
    const fs::path given(forward);
    const fs::path there = given.is_absolute() ? given : path_.parent_path() / given;
    const fs::path beside = path_.parent_path() / given.filename();
    std::error_code ignored;
    if (fs::exists(there, ignored) || !fs::exists(beside, ignored)) return there;
    if (there != beside)
      warnings.push_back(
          note(node.child(child),
               fmt::format("{} does not exist; {} is used", quoted_word(stated), beside.string())));
    return beside;
  }

 private:
  static std::string_view trimmed_all(std::string_view value) {
    constexpr std::string_view kBlank = " \t\r\n";
    const size_t begin = value.find_first_not_of(kBlank);
    if (begin == value.npos) return {};
    return value.substr(begin, value.find_last_not_of(kBlank) - begin + 1);
  }

  std::string_view text_;
  fs::path path_;
  pugi::xml_document document_;
};

ExternalForce read_force(const Document& document, const pugi::xml_node& node,
                         std::vector<std::string>& warnings) {
  ExternalForce force;
  force.name = node.attribute("name").value();
  force.enabled = node.child("appliesForce") ? document.truth(node, "appliesForce", true)
                                             : !document.truth(node, "isDisabled", false);
  force.body = document.text(node, "applied_to_body");
  if (force.body.empty())
    document.fail(node, "has no applied_to_body", "name the body that the force acts on");
  const auto frame = [&](const char* tag, std::string& out) {
    if (const std::string value = document.text(node, tag); !value.empty()) out = value;
  };
  frame("force_expressed_in_body", force.force_frame);
  frame("point_expressed_in_body", force.point_frame);
  force.force_identifier = document.text(node, "force_identifier");
  force.point_identifier = document.text(node, "point_identifier");
  force.torque_identifier = document.text(node, "torque_identifier");
  if (force.force_identifier.empty() && force.torque_identifier.empty())
    document.fail(node, "has neither force_identifier nor torque_identifier",
                  "give the prefix of its columns, such as ground_force_v");
  if (!force.force_identifier.empty() && force.point_identifier.empty())
    warnings.push_back(document.note(
        node, fmt::format("force '{}' has no point_identifier: it acts at the body's origin",
                          force.name)));
  return force;
}

void add_text(pugi::xml_node node, const char* tag, const std::string& value) {
  node.append_child(tag).text().set(value.c_str());
}

pugi::xml_node new_document(pugi::xml_document& document) {
  pugi::xml_node declaration = document.append_child(pugi::node_declaration);
  declaration.append_attribute("version") = "1.0";
  declaration.append_attribute("encoding") = "UTF-8";
  pugi::xml_node root = document.append_child("OpenSimDocument");
  root.append_attribute("Version") = "40000";
  return root;
}

void save(const pugi::xml_document& document, const fs::path& path) {
  std::ostringstream text;
  document.save(text);
  write_whole_file(path, text.str());
}

}  // namespace

ExternalLoads read_external_loads(const fs::path& path) {
  return parse_external_loads(read_text_file(path), path);
}

ExternalLoads parse_external_loads(std::string_view text, const fs::path& path) {
  const Document document(text, path);
  const pugi::xml_node root = document.root("ExternalLoads");
  ExternalLoads loads;
  loads.name = root.attribute("name").value();
  for (const pugi::xml_node& node : root.child("objects").children()) {
    if (node.type() != pugi::node_element) continue;
    if (std::strcmp(node.name(), "ExternalForce") != 0) {
      loads.warnings.push_back(document.note(node, fmt::format("<{}> is not read", node.name())));
      continue;
    }
    loads.forces.push_back(read_force(document, node, loads.warnings));
  }
  loads.data_file = document.file(root, "datafile", loads.warnings);
  if (loads.data_file.empty() && !loads.forces.empty())
    document.fail(root, "has no datafile", "name the .mot or .sto file with the forces");
  return loads;
}

void write_external_loads(const fs::path& path, const ExternalLoads& loads) {
  pugi::xml_document document;
  pugi::xml_node root = new_document(document).append_child("ExternalLoads");
  root.append_attribute("name") = loads.name.c_str();
  pugi::xml_node objects = root.append_child("objects");
  for (const ExternalForce& force : loads.forces) {
    pugi::xml_node node = objects.append_child("ExternalForce");
    node.append_attribute("name") = force.name.c_str();
    add_text(node, "appliesForce", force.enabled ? "true" : "false");
    add_text(node, "applied_to_body", force.body);
    add_text(node, "force_expressed_in_body", force.force_frame);
    add_text(node, "point_expressed_in_body", force.point_frame);
    add_text(node, "force_identifier", force.force_identifier);
    add_text(node, "point_identifier", force.point_identifier);
    add_text(node, "torque_identifier", force.torque_identifier);
  }
  add_text(root, "datafile", loads.data_file.string());
  save(document, path);
}

namespace {

/// The columns of a vector: the identifier with x, y and z appended; otherwise, as in OpenSim, the
/// three that begin with it.
std::array<int, 3> vector_columns(const MotionTable& table, const std::string& identifier) {
  std::array<int, 3> out{table.find(identifier + "x"), table.find(identifier + "y"),
                         table.find(identifier + "z")};
  if (*std::min_element(out.begin(), out.end()) >= 0) return out;
  std::vector<int> begin;
  for (size_t k = 0; k < table.labels.size(); ++k)
    if (table.labels[k].starts_with(identifier)) begin.push_back(table.find(table.labels[k]));
  if (begin.size() != 3)
    throw Error("'" + table.name + "'",
                fmt::format("has no columns '{0}x', '{0}y' and '{0}z', and {1} that begin with "
                            "'{0}'",
                            identifier, begin.size()),
                "name the columns of the vector by its identifier");
  std::copy(begin.begin(), begin.end(), out.begin());
  return out;
}

}  // namespace

ExternalLoad::Data load_data(const ExternalForce& force, const MotionTable& table) {
  if (table.times.size() < 2)
    throw Error("'" + table.name + "'", "has one row", "give external forces over time");
  const auto three = [&](const std::string& identifier) {
    std::array<TimeFunction, 3> out{0.0, 0.0, 0.0};
    if (identifier.empty()) return out;
    const std::array<int, 3> columns = vector_columns(table, identifier);
    for (size_t k = 0; k < 3; ++k) {
      const std::string& label = table.labels[static_cast<size_t>(columns[k])];
      std::vector<double> column(table.times.size());
      VecX::Map(column.data(), table.values.rows()) = table.values.col(columns[k]);
      if (!std::all_of(column.begin(), column.end(), [](double x) { return std::isfinite(x); }))
        throw Error("'" + table.name + "'",
                    "column '" + label + "' has values that are not numbers",
                    "fill the gaps: external forces must be known throughout");
      constexpr double kAbsurd = 1e9;  // in N, N m and m
      if (const double most = VecX::Map(column.data(), table.values.rows()).cwiseAbs().maxCoeff();
          most > kAbsurd)
        throw Error("'" + table.name + "'", fmt::format("column '{}' reaches {:.3g}", label, most),
                    "give N, N m and m below 1e9");
      out[k] = TimeFunction::Table(table.times, column, TimeFunction::Interpolation::cubic,
                                   "'" + table.name + "'");
    }
    return out;
  };
  return {three(force.force_identifier), three(force.point_identifier),
          three(force.torque_identifier)};
}

ForceList external_forces(const ExternalLoads& loads, const Skeleton& skeleton) {
  ForceList out;
  const MotionTable table = read_storage(loads.data_file).table;
  for (const ExternalForce& force : loads.forces) {
    if (!force.enabled) continue;
    const auto body = [&](const std::string& name) {
      if (name == "ground" || name == "/ground") return kWorld;
      const std::string bare = name.substr(name.rfind('/') + 1);
      std::vector<std::string> names;
      for (const Body& b : skeleton.bodies()) names.push_back(b.name);
      if (std::find(names.begin(), names.end(), bare) == names.end())
        throw Error("external force '" + force.name + "'", "there is no body '" + name + "'",
                    suggest(bare, names));
      return skeleton.find_body(bare);
    };
    out.push_back(std::make_shared<ExternalLoad>(
        force.name, body(force.body),
        ExternalLoad::Frames{body(force.force_frame), body(force.point_frame)},
        load_data(force, table)));
  }
  return out;
}

InverseDynamicsSetup read_inverse_dynamics_setup(const fs::path& path) {
  return parse_inverse_dynamics_setup(read_text_file(path), path);
}

InverseDynamicsSetup parse_inverse_dynamics_setup(std::string_view text, const fs::path& path) {
  const Document document(text, path);
  const pugi::xml_node root = document.root("InverseDynamicsTool");
  InverseDynamicsSetup setup;
  setup.name = root.attribute("name").value();
  setup.model_file = document.file(root, "model_file", setup.warnings);
  setup.coordinates_file = document.file(root, "coordinates_file", setup.warnings);
  setup.external_loads_file = document.file(root, "external_loads_file", setup.warnings);
  setup.results_directory = document.text(root, "results_directory");
  if (setup.coordinates_file.empty())
    document.fail(root, "has no coordinates_file", "name the motion: a .mot or .sto file");
  if (const auto range = document.numbers(root, "time_range"); !range.empty()) {
    if (range.size() != 2 || !(range[0] <= range[1]))
      document.fail(root.child("time_range"), "is not a start and an end", "give two times [s]");
    setup.start = range[0];
    setup.end = range[1];
  }
  const char* const kCutoff = "lowpass_cutoff_frequency_for_coordinates";
  if (const auto cutoff = document.numbers(root, kCutoff); !cutoff.empty()) {
    if (cutoff.size() != 1 || cutoff[0] == 0 || !std::isfinite(cutoff[0]))
      document.fail(root.child(kCutoff), "is not one frequency",
                    "give it in Hz, or -1 for no filter");
    setup.cutoff = cutoff[0];
  }
  setup.forces_to_exclude = Document::words(document.text(root, "forces_to_exclude"));
  if (const std::string out = document.text(root, "output_gen_force_file"); !out.empty())
    setup.output_file = out;
  return setup;
}

void write_inverse_dynamics_setup(const fs::path& path, const InverseDynamicsSetup& setup) {
  pugi::xml_document document;
  pugi::xml_node root = new_document(document).append_child("InverseDynamicsTool");
  root.append_attribute("name") = setup.name.c_str();
  add_text(root, "model_file", setup.model_file.string());
  add_text(root, "results_directory", setup.results_directory.string());
  add_text(root, "time_range", fmt::format("{:.17g} {:.17g}", setup.start, setup.end));
  std::string excluded;
  for (const std::string& force : setup.forces_to_exclude)
    excluded += (excluded.empty() ? "" : " ") + force;
  add_text(root, "forces_to_exclude", excluded);
  add_text(root, "external_loads_file", setup.external_loads_file.string());
  add_text(root, "coordinates_file", setup.coordinates_file.string());
  add_text(root, "lowpass_cutoff_frequency_for_coordinates", fmt::format("{:.17g}", setup.cutoff));
  add_text(root, "output_gen_force_file", setup.output_file);
  save(document, path);
}

}  // namespace sinew
