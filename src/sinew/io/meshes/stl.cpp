#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>

#include "sinew/core/error.hpp"
#include "sinew/io/meshes/mesh_file.hpp"
#include "sinew/io/tables/text_lines.hpp"

/// A binary STL file has 80 arbitrary bytes, the number n of triangles as a 32-bit integer, and n
/// records of 50 bytes: normal and three corners, each three 32-bit floats, and two more bytes. All
/// numbers have the lowest byte first. It may begin with "solid", as text does: the length decides.

namespace sinew {
namespace {

constexpr size_t kHeader = 84, kRecord = 50;

std::uint32_t integer_at(std::string_view bytes, size_t at) {
  std::uint32_t out = 0;
  for (size_t k = 4; k-- > 0;) out = out << 8 | static_cast<unsigned char>(bytes[at + k]);
  return out;
}

class StlReader {
 public:
  explicit StlReader(std::string source) : source_(std::move(source)) {}

  TriangleMesh read_binary(std::string_view bytes) {
    for (size_t at = kHeader; at + kRecord <= bytes.size(); at += kRecord) {
      std::array<int, 3> triangle;
      for (size_t corner = 0; corner < 3; ++corner) {
        Vec3 x;
        for (size_t k = 0; k < 3; ++k)
          x[static_cast<Eigen::Index>(k)] =
              std::bit_cast<float>(integer_at(bytes, at + 12 * (corner + 1) + 4 * k));
        if (!x.allFinite())
          throw Error("triangle " + std::to_string(mesh_.triangles.size() + 1),
                      "has a corner that is not finite", "save the mesh again")
              .with_location(source_, 0);
        triangle[corner] = vertex(x);
      }
      mesh_.triangles.push_back(triangle);
    }
    return finished();
  }

  /// Facets are read word by word, because writers break lines differently.
  TriangleMesh read_text(std::string_view text) {
    TextLines lines(text, source_);
    std::vector<std::string_view> words;
    std::vector<int> corners;
    for (std::string_view line; lines.next(line);) {
      split_words(line, words);
      for (size_t k = 0; k < words.size(); ++k) {
        if (words[k] == "solid" || words[k] == "endsolid") break;  // the rest is a name
        if (words[k] == "vertex") {
          corners.push_back(vertex(point(lines, words, k + 1)));
          k += 3;
        } else if (words[k] == "endfacet") {
          close_facet(lines, corners);
        } else if (words[k] == "facet") {
          if (!corners.empty()) lines.fail("facet", "begins inside another", "close that first");
          point(lines, words, k + 2);  // its normal, which follows from the corners
          k += 4;
        } else if (words[k] != "outer" && words[k] != "loop" && words[k] != "endloop") {
          lines.fail("word " + quoted_word(words[k]), "does not belong to an STL file",
                     "save the mesh again; a binary file whose length does not fit its number of "
                     "triangles is read as text");
        }
      }
    }
    if (!corners.empty()) lines.fail("facet", "is not closed", "the file may be truncated");
    return finished();
  }

 private:
  static Vec3 point(const TextLines& lines, const std::vector<std::string_view>& words,
                    size_t first) {
    if (words.size() < first + 3)
      lines.fail("facet", "lacks numbers of a corner or normal", "give three on one line");
    Vec3 x;
    for (size_t k = 0; k < 3; ++k) {
      double& value = x[static_cast<Eigen::Index>(k)];
      if (!parse_number(words[first + k], value))
        lines.fail("facet", quoted_word(words[first + k]) + " is not a number", "correct it");
    }
    return x;
  }

  void close_facet(const TextLines& lines, std::vector<int>& corners) {
    if (corners.size() != 3)
      lines.fail("facet", "has " + std::to_string(corners.size()) + " corners", "give three");
    for (const int v : corners)
      if (!mesh_.vertices[static_cast<size_t>(v)].allFinite())
        lines.fail("facet", "has a corner that is not finite", "correct it");
    mesh_.triangles.push_back({corners[0], corners[1], corners[2]});
    corners.clear();
  }

  int vertex(const Vec3& x) {
    const auto [found, added] =
        index_.emplace(std::array{x[0], x[1], x[2]}, static_cast<int>(mesh_.vertices.size()));
    if (added) mesh_.vertices.push_back(x);
    return found->second;
  }

  TriangleMesh finished() {
    if (mesh_.triangles.empty())
      throw Error("the mesh", "has no triangles", "give its surface as facets")
          .with_location(source_, 0);
    return std::move(mesh_);
  }

  /// NaN has no order and would break that of the map: all NaN are equal here.
  struct Less {
    bool operator()(const std::array<double, 3>& a, const std::array<double, 3>& b) const {
      for (size_t k = 0; k < 3; ++k) {
        const bool nan_a = std::isnan(a[k]), nan_b = std::isnan(b[k]);
        if (nan_a || nan_b) {
          if (nan_a != nan_b) return nan_b;
        } else if (a[k] != b[k]) {
          return a[k] < b[k];
        }
      }
      return false;
    }
  };

  std::string source_;
  TriangleMesh mesh_;
  std::map<std::array<double, 3>, int, Less> index_;
};

}  // namespace

TriangleMesh parse_stl(std::string_view bytes, const std::string& source) {
  const bool has_header = bytes.size() >= kHeader;
  const std::uint64_t count = has_header ? integer_at(bytes, 80) : 0;
  if (has_header && bytes.size() == kHeader + kRecord * count)
    return StlReader(source).read_binary(bytes);
  const size_t begin = bytes.find_first_not_of(" \t\r\n");
  if (begin != bytes.npos && bytes.substr(begin).starts_with("solid"))
    return StlReader(source).read_text(bytes);
  if (!has_header)
    throw Error("the mesh", "is too short for an STL file", "save it again")
        .with_location(source, 0);
  throw Error("the mesh",
              "has " + std::to_string(bytes.size()) + " bytes, but says that it has " +
                  std::to_string(count) + " triangles of 50 bytes after 84",
              "save it again: it may be truncated")
      .with_location(source, 0);
}

}  // namespace sinew
