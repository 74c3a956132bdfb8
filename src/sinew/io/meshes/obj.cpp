#include "sinew/io/meshes/obj.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

#include "sinew/core/error.hpp"

namespace sinew {
namespace {

constexpr std::string_view kIgnored[] = {"vt", "vn",     "vp",     "o", "g",
                                         "s",  "usemtl", "mtllib", "l", "p"};

/// A word of the file, fit to be quoted in a message.
std::string quoted(std::string_view word) {
  std::string text(word.substr(0, 40));
  for (char& c : text)
    if (c < ' ' || c > '~') c = '?';
  return "'" + text + (word.size() > 40 ? "…'" : "'");
}

class ObjReader {
 public:
  explicit ObjReader(std::string file) : file_(std::move(file)) {}

  TriangleMesh read(std::string_view text) {
    while (!text.empty()) {
      ++line_;
      const std::size_t end = std::min(text.find('\n'), text.size());
      read_line(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    check_references();
    if (mesh_.triangles.empty()) {
      line_ = 0;
      fail("the mesh", "has no faces", "give its surface as polygons ('f' lines)");
    }
    return std::move(mesh_);
  }

 private:
  [[noreturn]] void fail(const std::string& element, const std::string& problem,
                         const std::string& remedy) const {
    throw Error(element, problem, remedy).with_location(file_, line_);
  }

  void read_line(std::string_view line) {
    line = line.substr(0, line.find('#'));
    words_.clear();
    constexpr std::string_view kBlank = " \t\r";
    for (std::size_t begin = line.find_first_not_of(kBlank); begin != line.npos;) {
      const std::size_t end = std::min(line.find_first_of(kBlank, begin), line.size());
      words_.push_back(line.substr(begin, end - begin));
      begin = line.find_first_not_of(kBlank, end);
    }
    if (words_.empty()) return;
    const std::string_view keyword = words_.front();
    words_.erase(words_.begin());
    if (keyword == "v") {
      read_vertex();
    } else if (keyword == "f") {
      read_face();
    } else if (std::find(std::begin(kIgnored), std::end(kIgnored), keyword) == std::end(kIgnored)) {
      fail("keyword " + quoted(keyword), "does not belong to a polygon mesh",
           "save the mesh with 'v' and 'f' lines only");
    }
  }

  /// x y z, then perhaps w = 1 or a colour r g b, or both.
  void read_vertex() {
    const std::string element = fmt::format("vertex {}", mesh_.vertices.size() + 1);
    const std::size_t n = words_.size();
    if (n != 3 && n != 4 && n != 6 && n != 7)
      fail(element, fmt::format("has {} numbers", n), "give x, y and z");
    std::array<double, 7> x{};
    for (std::size_t i = 0; i < n; ++i) x[i] = number(element, words_[i]);
    if ((n == 4 || n == 7) && x[3] != 1)
      fail(element, fmt::format("has the weight {:g}", x[3]),
           "polygons have no weights: remove it");
    mesh_.vertices.emplace_back(x[0], x[1], x[2]);
  }

  double number(const std::string& element, std::string_view word) const {
    double value = 0;
    const char* end = word.data() + word.size();
    const auto [stop, error] = std::from_chars(word.data() + word.starts_with('+'), end, value);
    if (error != std::errc{} || stop != end || !std::isfinite(value))
      fail(element, quoted(word) + " is not a finite number", "correct it");
    return value;
  }

  void read_face() {
    if (words_.size() < 3)
      fail("face", fmt::format("has {} vertices", words_.size()), "give at least three");
    const int first = reference(words_[0]);
    int previous = reference(words_[1]);
    for (std::size_t i = 2; i < words_.size(); ++i) {
      const int next = reference(words_[i]);
      mesh_.triangles.push_back({first, previous, next});
      lines_.push_back(line_);
      previous = next;
    }
  }

  /// The vertex, counted from 0, of a word v, v/vt, v//vn or v/vt/vn.
  int reference(std::string_view word) const {
    const std::size_t slash = word.find('/');
    const int v = index(word, word.substr(0, slash));
    if (slash != word.npos) {
      const std::string_view rest = word.substr(slash + 1);
      const std::size_t second = rest.find('/');
      if (second != 0) index(word, rest.substr(0, second));
      if (second != rest.npos) index(word, rest.substr(second + 1));
    }
    if (v > 0) return v - 1;
    const int from_end = static_cast<int>(mesh_.vertices.size()) + v;
    if (from_end < 0)
      fail("face", fmt::format("vertex {} lies before the first", v), "correct the index");
    return from_end;
  }

  int index(std::string_view word, std::string_view digits) const {
    int value = 0;
    const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{} || stop != digits.data() + digits.size() || value == 0) {
      fail("face", quoted(word) + " names no vertex",
           "write v, v/vt, v//vn or v/vt/vn with whole numbers from 1 on (or -1 for the latest)");
    }
    return value;
  }

  /// Faces may come before the vertices they use, so this is known only at the end.
  void check_references() {
    const auto n = static_cast<int>(mesh_.vertices.size());
    for (std::size_t k = 0; k < mesh_.triangles.size(); ++k) {
      const int largest = *std::max_element(mesh_.triangles[k].begin(), mesh_.triangles[k].end());
      if (largest < n) continue;
      line_ = lines_[k];
      fail("face", fmt::format("refers to vertex {}, but there are {}", largest + 1, n),
           "correct the index");
    }
  }

  std::string file_;
  int line_ = 0;
  std::vector<std::string_view> words_;  // words of the current line, without the keyword
  TriangleMesh mesh_;
  std::vector<int> lines_;  // line of each triangle
};

}  // namespace

TriangleMesh parse_obj(std::string_view text, const std::string& source) {
  return ObjReader(source).read(text);
}

}  // namespace sinew
