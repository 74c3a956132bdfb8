#include "sinew/io/meshes/mesh_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "sinew/core/error.hpp"
#include "sinew/io/meshes/obj.hpp"

/// .stl and .vtp; .obj has its own tests.

namespace sinew {
namespace mesh_file_test {

using ::testing::HasSubstr;

const std::array<Vec3, 4> kCorners = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)};
const std::array<std::array<int, 3>, 4> kFaces = {{{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}};

std::string text_stl() {
  std::string out = "solid a tetrahedron\r\n";
  for (const auto& face : kFaces) {
    out += "  facet normal 0 0 1\r\n    outer loop\r\n";
    for (const int v : face) {
      const Vec3& x = kCorners[static_cast<size_t>(v)];
      out += "      vertex " + std::to_string(x[0]) + " " + std::to_string(x[1]) + " " +
             std::to_string(x[2]) + "\r\n";
    }
    out += "    endloop\r\n  endfacet\r\n";
  }
  return out + "endsolid a tetrahedron\r\n";
}

/// Begins with "solid", as from some writers.
std::string binary_stl() {
  std::string out = "solid, but binary";
  out.resize(80, ' ');
  const auto append = [&](const void* bytes, size_t count) {
    out.append(static_cast<const char*>(bytes), count);
  };
  const std::uint32_t count = 4;
  append(&count, 4);
  for (const auto& face : kFaces) {
    const float normal[3] = {0, 0, 1};
    append(normal, 12);
    for (const int v : face) {
      const Eigen::Vector3f x = kCorners[static_cast<size_t>(v)].cast<float>();
      append(x.data(), 12);
    }
    out += std::string(2, '\0');
  }
  return out;
}

std::string vtp(const std::string& cells, const std::string& format = "ascii") {
  return "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"0.1\">\n<PolyData>\n"
         "<Piece NumberOfPoints=\"4\" NumberOfPolys=\"4\">\n<PointData Normals=\"n\"><DataArray "
         "type=\"Float32\" Name=\"n\" NumberOfComponents=\"3\" format=\"ascii\">no numbers"
         "</DataArray></PointData>\n<Points><DataArray type=\"Float32\" NumberOfComponents=\"3\" "
         "format=\"" +
         format + "\">0 0 0\n1 0 0 0 +1 0\n\t0 0 1e0</DataArray></Points>\n" + cells +
         "</Piece></PolyData></VTKFile>\n";
}

std::string polys(const std::string& connectivity, const std::string& offsets,
                  const std::string& kind = "Polys") {
  return "<" + kind + "><DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">" +
         connectivity + "</DataArray><DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">" +
         offsets + "</DataArray></" + kind + ">";
}

const std::string kTetrahedron = polys("0 2 1 0 1 3 0 3 2 1 2 3", "3 6 9 12");

void expect_tetrahedron(const TriangleMesh& mesh) {
  EXPECT_EQ(mesh.vertices.size(), 4u);
  EXPECT_EQ(mesh.triangles.size(), 4u);
  EXPECT_NO_THROW(mesh.validate("tetrahedron"));  // closed: corners were joined
  EXPECT_DOUBLE_EQ(mesh.volume(), 1.0 / 6);
}

TEST(MeshFile, ReadsTheSameTetrahedronFromEveryFormat) {
  expect_tetrahedron(parse_stl(text_stl(), "m.stl"));
  expect_tetrahedron(parse_stl(binary_stl(), "m.stl"));
  expect_tetrahedron(parse_vtp(vtp(kTetrahedron), "m.vtp"));
  expect_tetrahedron(
      parse_obj("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\n"
                "f 2 3 4\n",
                "m.obj"));
}

TEST(MeshFile, TheExtensionDecides) {
  const auto folder = std::filesystem::path(::testing::TempDir());
  const std::vector<std::pair<std::string, std::string>> files = {
      {"sinew_mesh.STL", binary_stl()}, {"sinew_mesh.vtp", vtp(kTetrahedron)}};
  for (const auto& [name, bytes] : files) {
    std::ofstream(folder / name, std::ios::binary) << bytes;
    EXPECT_TRUE(is_mesh_file(name));
    expect_tetrahedron(read_mesh_file(folder / name));
    std::filesystem::remove(folder / name);
  }
  EXPECT_THROW(read_mesh_file(folder / "sinew_mesh.ply"), Error);
  EXPECT_THROW(read_mesh_file(folder / "sinew_none.vtp"), Error);
  EXPECT_THROW(read_mesh_file(folder), Error);
}

TEST(MeshFile, PolygonsBecomeFansAndStripsAlternate) {
  const TriangleMesh fan = parse_vtp(vtp(polys("0 1 2 3", "4")), "m.vtp");
  EXPECT_THAT(fan.triangles, ::testing::ElementsAre(std::array{0, 1, 2}, std::array{0, 2, 3}));
  const TriangleMesh strip = parse_vtp(vtp(polys("0 1 2 3", "4", "Strips")), "m.vtp");
  EXPECT_THAT(strip.triangles, ::testing::ElementsAre(std::array{0, 1, 2}, std::array{2, 1, 3}));
}

TEST(MeshFile, PiecesAreJoined) {
  const std::string one = vtp(kTetrahedron);
  const size_t begin = one.find("<Piece"), end = one.find("</PolyData>");
  const std::string two = one.substr(0, end) + one.substr(begin, end - begin) + one.substr(end);
  const TriangleMesh mesh = parse_vtp(two, "m.vtp");
  EXPECT_EQ(mesh.vertices.size(), 8u);
  EXPECT_DOUBLE_EQ(mesh.volume(), 2.0 / 6);
}

std::string problem_of(const std::function<void()>& read) {
  try {
    read();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(MeshFile, RefusesBadVtp) {
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"", "not well-formed XML"},
      {"<VTKFile type=\"PolyData\">", "not well-formed XML"},
      {"<x/>", "not a VTK file"},
      {"<VTKFile type=\"ImageData\"/>", "not PolyData"},
      {"<VTKFile type=\"PolyData\"/>", "no polygons"},
      {vtp(kTetrahedron, "binary"), "SetDataModeToAscii"},
      {vtp(kTetrahedron, "appended"), "'appended', not ascii"},
      {"<VTKFile><AppendedData encoding=\"raw\">_\x01<</AppendedData>", "'appended', not ascii"},
      {vtp(polys("0 1 4", "3")), "refers to point 4"},
      {vtp(polys("0 1 -1", "3")), "refers to point -1"},
      {vtp(polys("0 1 2", "4")), "4 is not a valid end of a cell"},
      {vtp(polys("0 1 2", "3 2")), "2 is not a valid end of a cell"},
      {vtp(polys("0 1 2.5", "3")), "'2.5' is not a finite number"},
      {vtp(polys("0 1 99999999999", "3")), "is not a finite number"},
      {vtp(""), "no polygons"}};
  for (const auto& [text, problem] : bad)
    EXPECT_THAT(problem_of([&, &t = text] { parse_vtp(t, "m.vtp"); }), HasSubstr(problem));
  std::string points = vtp(kTetrahedron);
  points.replace(points.find("1 0 0"), 5, "1 0");
  EXPECT_THAT(problem_of([&] { parse_vtp(points, "m.vtp"); }), HasSubstr("11 numbers"));
  points = vtp(kTetrahedron);
  points.replace(points.find("1e0"), 3, "nan");
  EXPECT_THAT(problem_of([&] { parse_vtp(points, "m.vtp"); }), HasSubstr("not a finite number"));
}

TEST(MeshFile, RefusesBadStl) {
  EXPECT_THAT(problem_of([] { parse_stl("", "m.stl"); }), HasSubstr("too short"));
  EXPECT_THAT(problem_of([] { parse_stl("solid x\nendsolid\n", "m.stl"); }),
              HasSubstr("no triangles"));
  std::string truncated = binary_stl();
  truncated.resize(truncated.size() - 20);
  truncated[0] = 'x';
  EXPECT_THAT(problem_of([&] { parse_stl(truncated, "m.stl"); }),
              HasSubstr("264 bytes, but says that it has 4 triangles"));
  std::string nan = binary_stl();
  const float bad = std::numeric_limits<float>::quiet_NaN();
  std::memcpy(&nan[84 + 12], &bad, 4);
  EXPECT_THAT(problem_of([&] { parse_stl(nan, "m.stl"); }), HasSubstr("triangle 1"));
  const auto edited = [](const std::string& from, const std::string& to) {
    std::string text = text_stl();
    text.replace(text.find(from), from.size(), to);
    return problem_of([&] { parse_stl(text, "m.stl"); });
  };
  EXPECT_THAT(edited("vertex", "vertex x"), HasSubstr("m.stl:4"));
  EXPECT_THAT(edited("endfacet", "endloop"), HasSubstr("begins inside another"));
  EXPECT_THAT(edited("outer", "inner"), HasSubstr("'inner'"));
  EXPECT_THAT(edited("normal 0 0 1", "normal 0"), HasSubstr("lacks numbers"));
  std::string open = text_stl();
  open.resize(open.rfind("endloop"));
  EXPECT_THAT(problem_of([&] { parse_stl(open, "m.stl"); }), HasSubstr("is not closed"));
}

}  // namespace mesh_file_test
}  // namespace sinew
