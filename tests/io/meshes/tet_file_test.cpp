#include "sinew/io/meshes/tet_file.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sinew/core/error.hpp"
#include "support/soft_examples.hpp"

namespace sinew {
namespace tet_file_test {

/// Writers of the three dialects, for a mesh that need not be sound. Nodes are numbered from 10 by
/// threes, as Gmsh may; a triangle and a vertex that no tetrahedron has are there too.
std::string msh_2(const TetMesh& mesh) {
  std::string out =
      "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 1 \"flesh\"\n"
      "$EndPhysicalNames\n$Nodes\n";
  out += fmt::format("{}\n7 9 9 9\n", mesh.vertices.size() + 1);
  for (size_t i = 0; i < mesh.vertices.size(); ++i)
    out += fmt::format("{} {} {} {}\n", 10 + 3 * i, mesh.vertices[i].x(), mesh.vertices[i].y(),
                       mesh.vertices[i].z());
  out += fmt::format("$EndNodes\n$Elements\n{}\n1 2 2 0 1 10 13 16\n", mesh.tetrahedra.size() + 1);
  for (size_t k = 0; k < mesh.tetrahedra.size(); ++k) {
    const auto& t = mesh.tetrahedra[k];
    out += fmt::format("{} 4 2 1 1 {} {} {} {}\n", k + 2, 10 + 3 * t[0], 10 + 3 * t[1],
                       10 + 3 * t[2], 10 + 3 * t[3]);
  }
  return out + "$EndElements\n";
}

std::string msh_4(const TetMesh& mesh) {
  const size_t n = mesh.vertices.size();
  std::string out = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 0 1\n$EndEntities\n";
  out += fmt::format("$Nodes\n2 {} 1 {}\n0 1 0 1\n7\n9 9 9\n3 1 0 {}\n", n + 1, 10 + 3 * n, n);
  for (size_t i = 0; i < n; ++i) out += fmt::format("{}\n", 10 + 3 * i);
  for (const Vec3& x : mesh.vertices) out += fmt::format("{} {} {}\n", x.x(), x.y(), x.z());
  out +=
      fmt::format("$EndNodes\n$Elements\n2 {} 1 {}\n2 1 2 1\n1 10 13 16\n3 1 4 {}\n",
                  mesh.tetrahedra.size() + 1, mesh.tetrahedra.size() + 1, mesh.tetrahedra.size());
  for (size_t k = 0; k < mesh.tetrahedra.size(); ++k) {
    const auto& t = mesh.tetrahedra[k];
    out += fmt::format("{} {} {} {} {}\n", k + 2, 10 + 3 * t[0], 10 + 3 * t[1], 10 + 3 * t[2],
                       10 + 3 * t[3]);
  }
  return out + "$EndElements\n";
}

std::string vtk(const TetMesh& mesh, bool offsets) {
  const size_t n = mesh.vertices.size(), cells = mesh.tetrahedra.size() + 1;
  std::string out = fmt::format(
      "# vtk DataFile Version {}\na block of flesh\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS {} "
      "double\n9 9 9 ",
      offsets ? "5.1" : "2.0", n + 1);
  for (const Vec3& x : mesh.vertices) out += fmt::format("{} {} {}  ", x.x(), x.y(), x.z());
  if (offsets) {
    out += fmt::format("\nCELLS {} {}\nOFFSETS vtktypeint64\n0 3 ", cells + 1, 4 * cells - 1);
    for (size_t k = 1; k < cells; ++k) out += fmt::format("{} ", 3 + 4 * k);
    out += "\nCONNECTIVITY vtktypeint64\n1 2 3 ";
    for (const auto& t : mesh.tetrahedra)
      out += fmt::format("{} {} {} {} ", t[0] + 1, t[1] + 1, t[2] + 1, t[3] + 1);
  } else {
    out += fmt::format("\nCELLS {} {}\n3 1 2 3\n", cells, 5 * cells - 1);
    for (const auto& t : mesh.tetrahedra)
      out += fmt::format("4 {} {} {} {}\n", t[0] + 1, t[1] + 1, t[2] + 1, t[3] + 1);
  }
  out += fmt::format("\nCELL_TYPES {}\n5\n", cells);
  for (size_t k = 1; k < cells; ++k) out += "10\n";
  return out + "POINT_DATA 9\nSCALARS any double\nnothing to read here\n";
}

using Reader = TetMesh (*)(std::string_view, const std::string&);

std::string refusal(Reader read, const std::string& text) {
  try {
    read(text, "a.mesh");
  } catch (const Error& e) {
    EXPECT_EQ(e.file(), "a.mesh");
    EXPECT_FALSE(e.remedy().empty());
    return e.what();
  }
  return "";
}

TEST(TetFile, ReadsTheSameMeshFromEveryDialect) {
  const TetMesh mesh = test::block_mesh(2, 1, 1, {0.2, 0.1, 0.15});
  for (const TetMesh& read : {parse_msh(msh_2(mesh), "a"), parse_msh(msh_4(mesh), "a"),
                              parse_vtk(vtk(mesh, false), "a"), parse_vtk(vtk(mesh, true), "a")}) {
    EXPECT_EQ(read.tetrahedra, mesh.tetrahedra);
    ASSERT_EQ(read.vertices.size(), mesh.vertices.size());
    for (size_t i = 0; i < mesh.vertices.size(); ++i) EXPECT_EQ(read.vertices[i], mesh.vertices[i]);
  }
}

TEST(TetFile, RefusesUnsoundMeshesNamingFileElementAndRemedy) {
  const TetMesh sound = test::block_mesh(1, 1, 1, {1, 1, 1});
  TetMesh inverted = sound;
  std::swap(inverted.tetrahedra[1][0], inverted.tetrahedra[1][1]);
  TetMesh degenerate = sound;
  degenerate.tetrahedra.push_back({0, 1, 2, 3});
  TetMesh torn = sound, beside = sound;
  for (const Vec3& x : beside.vertices) torn.vertices.push_back(x + Vec3(1, 0, 0));
  for (auto t : beside.tetrahedra) {
    for (int& v : t) v += 8;
    torn.tetrahedra.push_back(t);
  }
  const TetMesh crossing{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.2, 0.2, 0.4}},
                         {{0, 1, 2, 3}, {0, 1, 2, 4}}};
  const std::pair<TetMesh, const char*> cases[] = {{inverted, "tetrahedron 2"},
                                                   {degenerate, "degenerate"},
                                                   {torn, "torn: vertices"},
                                                   {crossing, "tetrahedra 1 and 2 overlap"}};
  for (const auto& [mesh, message] : cases) {
    EXPECT_NE(refusal(parse_msh, msh_2(mesh)).find(message), std::string::npos) << message;
    EXPECT_NE(refusal(parse_msh, msh_4(mesh)).find(message), std::string::npos) << message;
    EXPECT_NE(refusal(parse_vtk, vtk(mesh, false)).find(message), std::string::npos) << message;
    EXPECT_NE(refusal(parse_vtk, vtk(mesh, true)).find(message), std::string::npos) << message;
  }
}

TEST(TetFile, RefusesFilesThatAreNotWhatTheySayWithLineAndRemedy) {
  const TetMesh mesh = test::block_mesh(1, 1, 1, {1, 1, 1});
  const auto changed = [](std::string text, const std::string& from, const std::string& to) {
    const size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  };
  const std::string two = msh_2(mesh), four = msh_4(mesh), old = vtk(mesh, false);
  const auto expect = [](Reader read, const std::string& text, const char* message) {
    EXPECT_NE(refusal(read, text).find(message), std::string::npos) << message << "\n"
                                                                    << refusal(read, text);
  };
  expect(parse_msh, "", "has no tetrahedra");
  expect(parse_msh, "solid cube", "$MeshFormat");
  expect(parse_msh, changed(two, "2.2 0", "2.0 0"), "'2.0'");
  expect(parse_msh, changed(two, "2.2 0", "2.2 1"), "binary");
  expect(parse_msh, changed(two, "7 9 9 9", "7 9 nine 9"), "a.mesh:10");
  expect(parse_msh, changed(two, "7 9 9 9", "10 9 9 9"), "node 10 twice");
  expect(parse_msh, changed(two, "2 4 2 1 1 10", "2 4 2 1 1 11"), "node 11, which does not exist");
  expect(parse_msh, changed(two, "2 4 2 1 1 10", "2 11 2 1 1 10"), "curved edges");
  expect(parse_msh, changed(two, "2 4 2 1 1 10", "2 5 2 1 1 10"), "not a tetrahedron");
  expect(parse_msh, two.substr(0, two.find("$EndNodes")), "ends before");
  expect(parse_msh, four.substr(0, four.find("$EndNodes")), "ends before");
  expect(parse_msh, changed(four, "3 1 4 6", "3 1 4 600000000"),
         "is not a valid number of elements");
  expect(parse_vtk, changed(old, "ASCII", "BINARY"), "binary");
  expect(parse_vtk, changed(old, "UNSTRUCTURED_GRID", "POLYDATA"), "unstructured grid");
  expect(parse_vtk, changed(old, "CELL_TYPES 7", "CELL_TYPES 6"), "6 types for 7 cells");
  expect(parse_vtk, changed(old, "4 1 2 4 8", "4 1 2 4 80"), "point 80");
  expect(parse_vtk, changed(old, "\n10\n", "\n24\n"), "curved edges");
  expect(parse_vtk, old.substr(0, old.size() / 3), "ends before");
  EXPECT_THROW(read_tet_file("no/such/file.msh"), Error);
  EXPECT_THROW(read_tet_file("mesh.stl"), Error);
}

}  // namespace tet_file_test
}  // namespace sinew
