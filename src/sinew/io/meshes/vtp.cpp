#include <algorithm>
#include <charconv>
#include <cmath>
#include <pugixml.hpp>
#include <vector>

#include "sinew/core/error.hpp"
#include "sinew/io/meshes/mesh_file.hpp"
#include "sinew/io/tables/text_lines.hpp"

namespace sinew {
namespace {

class VtpReader {
 public:
  explicit VtpReader(std::string source) : source_(std::move(source)) {}

  TriangleMesh read(std::string_view text) {
    pugi::xml_document xml;
    const pugi::xml_parse_result result =
        xml.load_buffer(text.data(), text.size(), pugi::parse_default, pugi::encoding_utf8);
    if (!result) {
      // Arrays that are appended raw end the XML early.
      if (text.find("<AppendedData") != text.npos) refuse_encoding("appended");
      fail("document", std::string("is not well-formed XML: ") + result.description(),
           "save it again as VTK XML PolyData");
    }
    const pugi::xml_node file = xml.child("VTKFile");
    if (file.empty()) fail("document", "is not a VTK file", "its root must be <VTKFile>");
    const std::string_view type = file.attribute("type").value();
    if (type != "PolyData")
      fail("document", "holds " + quoted_word(type) + ", not PolyData", "save it as PolyData");
    for (const pugi::xml_node& piece : file.child("PolyData").children("Piece")) read_piece(piece);
    if (mesh_.triangles.empty())
      fail("the mesh", "has no polygons", "give its surface as <Polys> or <Strips>");
    return std::move(mesh_);
  }

 private:
  [[noreturn]] void fail(const std::string& element, const std::string& problem,
                         const std::string& remedy) const {
    throw Error(element, problem, remedy).with_location(source_, 0);
  }
  [[noreturn]] void refuse_encoding(std::string_view format) const {
    fail("the mesh", "has arrays that are " + quoted_word(format) + ", not ascii",
         "save it with ascii arrays (ParaView: Data Mode 'Ascii'; vtkXMLPolyDataWriter: "
         "SetDataModeToAscii)");
  }

  static std::string label(const pugi::xml_node& array) {
    return "array " + quoted_word(array.attribute("Name").value());
  }

  /// All numbers of an array; `Number` is double or int.
  template <class Number>
  std::vector<Number> numbers(const pugi::xml_node& array) const {
    const std::string_view format = array.attribute("format").as_string("ascii");
    if (format != "ascii") refuse_encoding(format);
    std::vector<Number> out;
    const std::string_view text = array.child_value();
    constexpr std::string_view kBlank = " \t\r\n";
    for (size_t begin = text.find_first_not_of(kBlank); begin != text.npos;) {
      const size_t end = std::min(text.find_first_of(kBlank, begin), text.size());
      const std::string_view word = text.substr(begin, end - begin);
      Number value{};
      const char *first = word.data() + word.starts_with('+'), *last = word.data() + word.size();
      const auto [stop, error] = std::from_chars(first, last, value);
      if (error != std::errc{} || stop != last || !std::isfinite(static_cast<double>(value)))
        fail(label(array), quoted_word(word) + " is not a finite number of its kind", "correct it");
      out.push_back(value);
      begin = text.find_first_not_of(kBlank, end);
    }
    return out;
  }

  void read_piece(const pugi::xml_node& piece) {
    const pugi::xml_node points = piece.child("Points").child("DataArray");
    const std::vector<double> x = numbers<double>(points);
    if (x.size() % 3 != 0)
      fail("points", "are " + std::to_string(x.size()) + " numbers", "give three for each point");
    const size_t first = mesh_.vertices.size();
    if (first + x.size() / 3 > kMostVertices)
      fail("the mesh", "has more than 20 million points", "save a coarser mesh");
    for (size_t k = 0; k < x.size(); k += 3) mesh_.vertices.emplace_back(x[k], x[k + 1], x[k + 2]);
    read_cells(piece.child("Polys"), static_cast<int>(first), false);
    read_cells(piece.child("Strips"), static_cast<int>(first), true);
  }

  /// Cell k has the points of `connectivity` from offsets[k − 1] to offsets[k].
  void read_cells(const pugi::xml_node& cells, int first, bool strips) {
    if (cells.empty()) return;
    const auto array = [&](const char* name) {
      return cells.find_child_by_attribute("DataArray", "Name", name);
    };
    const pugi::xml_node connectivity = array("connectivity"), offsets = array("offsets");
    const std::vector<int> point = numbers<int>(connectivity), end = numbers<int>(offsets);
    const int count = static_cast<int>(mesh_.vertices.size()) - first;
    for (const int p : point)
      if (p < 0 || p >= count)
        fail(label(connectivity),
             "refers to point " + std::to_string(p) + ", but there are " + std::to_string(count),
             "count from 0");
    int begin = 0;
    for (const int stop : end) {
      if (stop < begin || static_cast<size_t>(stop) > point.size())
        fail(label(offsets),
             std::to_string(stop) + " is not a valid end of a cell after " + std::to_string(begin),
             "offsets increase up to the length of the connectivity");
      for (int k = begin + 2; k < stop; ++k) {
        const auto at = [&](int i) { return first + point[static_cast<size_t>(i)]; };
        if (!strips)
          mesh_.triangles.push_back({at(begin), at(k - 1), at(k)});
        else if ((k - begin) % 2 == 0)
          mesh_.triangles.push_back({at(k - 2), at(k - 1), at(k)});
        else  // every other triangle of a strip is turned over
          mesh_.triangles.push_back({at(k - 1), at(k - 2), at(k)});
      }
      begin = stop;
    }
  }

  static constexpr size_t kMostVertices = 20'000'000;
  std::string source_;
  TriangleMesh mesh_;
};

}  // namespace

TriangleMesh parse_vtp(std::string_view text, const std::string& source) {
  return VtpReader(source).read(text);
}

}  // namespace sinew
