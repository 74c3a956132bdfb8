#include "sinew/io/meshes/tet_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <unordered_map>

#include "sinew/core/error.hpp"
#include "sinew/io/meshes/tet_words.hpp"

namespace sinew {

bool TextWords::next(std::string_view& word) {
  while (at_ == words_.size()) {
    std::string_view line;
    if (!lines_.next(line)) return false;
    split_words(line, words_);
    at_ = 0;
  }
  word = words_[at_++];
  return true;
}

std::string_view TextWords::word(const std::string& what) {
  std::string_view out;
  if (!next(out)) fail_file("the file ends before " + what, "save it again, whole");
  return out;
}

double TextWords::number(const std::string& what) {
  const std::string_view text = word(what);
  double out = 0;
  if (!parse_number(text, out) || !std::isfinite(out))
    fail(quoted_word(text) + " is not a finite number for " + what, "correct it");
  return out;
}

std::int64_t TextWords::integer(const std::string& what) {
  const std::string_view text = word(what);
  std::int64_t out = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (code != std::errc() || end != text.data() + text.size())
    fail(quoted_word(text) + " is not a whole number for " + what, "correct it");
  return out;
}

std::int64_t TextWords::count(const std::string& what) {
  const std::int64_t out = integer(what);
  if (out < 0 || out > 100000000)
    fail(fmt::format("{} is not a valid {}", out, what), "correct it");
  return out;
}

namespace {

constexpr std::uintmax_t kLargestTetFile = 256u << 20;

/// The checked mesh, without vertices that have no tetrahedron.
TetMesh finished(const TetMesh& read, const std::string& source) {
  if (read.tetrahedra.empty())
    throw Error("mesh", "has no tetrahedra", "save the volume, not only its surface")
        .with_location(source, 0);
  std::vector<int> number(read.vertices.size(), -1);
  for (const auto& tet : read.tetrahedra)
    for (const int v : tet) number[v] = 0;
  TetMesh out;
  for (size_t v = 0; v < number.size(); ++v)
    if (number[v] == 0) {
      number[v] = static_cast<int>(out.vertices.size());
      out.vertices.push_back(read.vertices[v]);
    }
  for (auto tet : read.tetrahedra) {
    for (int& v : tet) v = number[v];
    out.tetrahedra.push_back(tet);
  }
  try {
    out.validate("mesh");
  } catch (const Error& error) {
    throw error.with_location(source, 0);
  }
  return out;
}

class MshReader {
 public:
  MshReader(std::string_view text, const std::string& source) : in_(text, source), file_(source) {}

  TetMesh read() {
    std::string_view word;
    while (in_.next(word)) {
      if (word == "$MeshFormat")
        read_format();
      else if (version_ == 0)
        in_.fail("does not begin with '$MeshFormat'", "save it in Gmsh's format 2.2 or 4.1");
      else if (word == "$Nodes")
        version_ == 2 ? read_nodes_2() : read_nodes_4();
      else if (word == "$Elements")
        version_ == 2 ? read_elements_2() : read_elements_4();
      else if (word.starts_with("$"))
        skip_section(std::string(word.substr(1)));
      else
        in_.fail("has " + quoted_word(word) + " outside its sections", "save it again, whole");
    }
    return finished(mesh_, file_);
  }

 private:
  void read_format() {
    const std::string_view version = in_.word("the version");
    version_ = version == "2.2" ? 2 : version == "4.1" ? 4 : 0;
    if (version_ == 0)
      in_.fail("is of version " + quoted_word(version) + " of Gmsh's format",
               "save it as 2.2 or 4.1");
    if (in_.integer("the kind of file") != 0) in_.fail("is a binary file", "save it as text");
    in_.integer("the size of numbers");
    end("MeshFormat");
  }

  void end(const std::string& section) {
    const std::string_view word = in_.word("the end of section " + section);
    if (word != "$End" + section)
      in_.fail(fmt::format("has {} where '$End{}' should be", quoted_word(word), section),
               "correct the counts of the section");
  }

  void skip_section(const std::string& section) {
    while (in_.word("the end of section " + section) != "$End" + section) in_.skip_line();
  }

  void add_node(std::int64_t tag) {
    if (!place_.emplace(tag, static_cast<int>(mesh_.vertices.size())).second)
      in_.fail(fmt::format("has node {} twice", tag), "give each a unique number");
  }
  void add_position() {
    Vec3 x;
    for (int k = 0; k < 3; ++k) x[k] = in_.number("a node's position");
    mesh_.vertices.push_back(x);
  }

  void read_nodes_2() {
    for (std::int64_t left = in_.count("number of nodes"); left > 0; --left) {
      add_node(in_.integer("a node's number"));
      add_position();
    }
    end("Nodes");
  }

  void read_nodes_4() {
    std::int64_t blocks = in_.count("number of blocks");
    in_.skip_line();
    for (; blocks > 0; --blocks) {
      in_.integer("a block's dimension");
      in_.integer("a block's entity");
      if (in_.integer("a block's kind") != 0)
        in_.fail("has nodes with parameters", "save it without parametric coordinates");
      const std::int64_t n = in_.count("number of nodes");
      const std::int64_t first = static_cast<std::int64_t>(mesh_.vertices.size());
      std::vector<std::int64_t> tags;
      for (std::int64_t k = 0; k < n; ++k) tags.push_back(in_.integer("a node's number"));
      for (std::int64_t k = 0; k < n; ++k) {
        if (!place_.emplace(tags[static_cast<size_t>(k)], static_cast<int>(first + k)).second)
          in_.fail(fmt::format("has node {} twice", tags[static_cast<size_t>(k)]),
                   "give each a unique number");
        add_position();
      }
    }
    end("Nodes");
  }

  /// The nodes of an element of Gmsh's type 4, from the words that follow.
  void add_tetrahedron(std::int64_t tag) {
    std::array<int, 4> tet;
    for (int& v : tet) {
      const std::int64_t node = in_.integer("an element's node");
      const auto found = place_.find(node);
      if (found == place_.end())
        in_.fail(fmt::format("element {} refers to node {}, which does not exist", tag, node),
                 "give the nodes before the elements, all of them");
      v = found->second;
    }
    mesh_.tetrahedra.push_back(tet);
  }

  void add_element(std::int64_t tag, std::int64_t type) {
    if (type == 4) {
      add_tetrahedron(tag);
    } else if (type == 11 || type == 29 || type == 30) {
      in_.fail(fmt::format("element {} is a tetrahedron with curved edges", tag),
               "save a mesh of order 1");
    } else if (type >= 5 && type <= 7) {
      in_.fail(fmt::format("element {} is a solid that is not a tetrahedron", tag),
               "mesh the solid with tetrahedra");
    }
    in_.skip_line();
  }

  void read_elements_2() {
    for (std::int64_t left = in_.count("number of elements"); left > 0; --left) {
      const std::int64_t tag = in_.integer("an element's number");
      const std::int64_t type = in_.integer("an element's type");
      for (std::int64_t tags = in_.count("number of tags"); tags > 0; --tags)
        in_.integer("an element's tag");
      add_element(tag, type);
    }
    end("Elements");
  }

  void read_elements_4() {
    std::int64_t blocks = in_.count("number of blocks");
    in_.skip_line();
    for (; blocks > 0; --blocks) {
      in_.integer("a block's dimension");
      in_.integer("a block's entity");
      const std::int64_t type = in_.integer("a block's type");
      for (std::int64_t n = in_.count("number of elements"); n > 0; --n)
        add_element(in_.integer("an element's number"), type);
    }
    end("Elements");
  }

  TextWords in_;
  std::string file_;
  int version_ = 0;
  TetMesh mesh_;
  std::unordered_map<std::int64_t, int> place_;  // by the node's number
};

class VtkReader {
 public:
  VtkReader(std::string_view text, const std::string& source) : in_(text, source), file_(source) {}

  TetMesh read() {
    if (in_.word("its header") != "#" || in_.word("its header") != "vtk")
      in_.fail("does not begin with '# vtk DataFile Version'", "save it in VTK's legacy format");
    std::string_view word;
    while (word != "ASCII" && word != "BINARY") word = in_.word("the word ASCII");
    if (word == "BINARY") in_.fail("is a binary file", "save it as text");
    if (in_.word("DATASET") != "DATASET" || in_.word("the kind of dataset") != "UNSTRUCTURED_GRID")
      in_.fail("is not an unstructured grid", "save it as one");
    while (in_.next(word)) {
      if (word == "POINTS")
        read_points();
      else if (word == "CELLS")
        read_cells();
      else if (word == "CELL_TYPES")
        read_types();
      else if (word == "POINT_DATA" || word == "CELL_DATA")
        break;  // numbers on points and cells, to the end
      else
        in_.skip_line();
    }
    collect();
    return finished(mesh_, file_);
  }

 private:
  void read_points() {
    const std::int64_t n = in_.count("number of points");
    in_.word("the type of points");
    for (std::int64_t i = 0; i < n; ++i) {
      Vec3 x;
      for (int k = 0; k < 3; ++k) x[k] = in_.number("a point's position");
      mesh_.vertices.push_back(x);
    }
  }

  void read_cells() {
    const std::int64_t n = in_.count("number of cells"),
                       size = in_.count("size of the list of cells");
    const std::string_view word = in_.word("the cells");
    if (word == "OFFSETS") return read_offsets(n, size);
    std::int64_t count = 0;
    const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), count);
    if (code != std::errc() || end != word.data() + word.size())
      in_.fail(quoted_word(word) + " is not a number of points of a cell", "correct it");
    for (std::int64_t c = 0; c < n; ++c) {
      if (c > 0) count = in_.count("number of points of a cell");
      std::vector<std::int64_t>& cell = cells_.emplace_back();
      for (std::int64_t k = 0; k < count; ++k) cell.push_back(in_.integer("a cell's point"));
    }
  }

  /// The form since version 5: the start of each cell in one list of points.
  void read_offsets(std::int64_t n, std::int64_t size) {
    in_.word("the type of offsets");
    std::vector<std::int64_t> offsets, points;
    for (std::int64_t k = 0; k < n; ++k) offsets.push_back(in_.integer("an offset"));
    if (in_.word("CONNECTIVITY") != "CONNECTIVITY")
      in_.fail("has no CONNECTIVITY after OFFSETS", "correct the counts of CELLS");
    in_.word("the type of points");
    for (std::int64_t k = 0; k < size; ++k) points.push_back(in_.integer("a cell's point"));
    for (size_t c = 0; c + 1 < offsets.size(); ++c) {
      if (offsets[c] < 0 || offsets[c] > offsets[c + 1] || offsets[c + 1] > size)
        in_.fail("has offsets of cells that do not ascend", "save it again, whole");
      cells_.emplace_back(points.begin() + offsets[c], points.begin() + offsets[c + 1]);
    }
  }

  void read_types() {
    for (std::int64_t n = in_.count("number of cells"); n > 0; --n)
      types_.push_back(in_.integer("a cell's type"));
  }

  void collect() {
    if (types_.size() != cells_.size())
      in_.fail_file(fmt::format("has {} types for {} cells", types_.size(), cells_.size()),
                    "give CELL_TYPES for all cells");
    constexpr std::int64_t kTetrahedron = 10, kQuadratic = 24;
    for (size_t c = 0; c < cells_.size(); ++c) {
      if (types_[c] == kQuadratic)
        in_.fail_file(fmt::format("cell {} is a tetrahedron with curved edges", c + 1),
                      "save a mesh of order 1");
      if (types_[c] >= 11 && types_[c] <= 14)
        in_.fail_file(fmt::format("cell {} is a solid that is not a tetrahedron", c + 1),
                      "mesh the solid with tetrahedra");
      if (types_[c] != kTetrahedron) continue;
      std::array<int, 4> tet{};
      if (cells_[c].size() != 4)
        in_.fail_file(fmt::format("cell {} is a tetrahedron of {} points", c + 1, cells_[c].size()),
                      "give four");
      for (size_t k = 0; k < 4; ++k) {
        const std::int64_t v = cells_[c][k];
        if (v < 0 || v >= static_cast<std::int64_t>(mesh_.vertices.size()))
          in_.fail_file(fmt::format("cell {} refers to point {}, but there are {} (from 0)", c + 1,
                                    v, mesh_.vertices.size()),
                        "correct the index");
        tet[k] = static_cast<int>(v);
      }
      mesh_.tetrahedra.push_back(tet);
    }
  }

  TextWords in_;
  std::string file_;
  TetMesh mesh_;
  std::vector<std::vector<std::int64_t>> cells_;
  std::vector<std::int64_t> types_;
};

}  // namespace

TetMesh parse_msh(std::string_view text, const std::string& source) {
  return MshReader(text, source).read();
}
TetMesh parse_vtk(std::string_view text, const std::string& source) {
  return VtkReader(text, source).read();
}

TetMesh read_tet_file(const std::filesystem::path& path) {
  const auto fail = [&](const char* problem, const char* remedy) {
    throw Error("mesh", problem, remedy).with_location(path.string(), 0);
  };
  const std::string extension = path.extension().string();
  if (extension != ".msh" && extension != ".vtk")
    fail("is of a kind that cannot be read", "save its tetrahedra as .msh or .vtk");
  std::error_code code;
  if (!std::filesystem::is_regular_file(path, code))
    fail("the file cannot be read", "check its name and permissions");
  if (std::filesystem::file_size(path, code) > kLargestTetFile || code)
    fail("is larger than 256 MiB", "save a coarser mesh");
  std::ifstream in(path, std::ios::binary);
  if (!in.is_open()) fail("the file cannot be read", "check its name and permissions");
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  return extension == ".msh" ? parse_msh(text, path.string()) : parse_vtk(text, path.string());
}

}  // namespace sinew
