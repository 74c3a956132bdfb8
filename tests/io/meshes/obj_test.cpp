#include "sinew/io/meshes/obj.hpp"

#include <gmock/gmock.h>

#include <fstream>

#include "sinew/core/error.hpp"

namespace sinew {
namespace obj_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Triangle = std::array<int, 3>;

/// Writes `text` to a temporary file and removes it afterwards.
class ObjFile {
 public:
  explicit ObjFile(const std::string& text)
      : path_(std::filesystem::path(::testing::TempDir()) /
              (std::string("sinew_obj_") +
               ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".obj")) {
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~ObjFile() { std::filesystem::remove(path_); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

TriangleMesh parse(const std::string& text) { return read_obj(ObjFile(text).path()); }

std::string error_of(const std::string& text) {
  const ObjFile file(text);
  try {
    read_obj(file.path());
  } catch (const Error& e) {
    EXPECT_EQ(e.file(), file.path().string());
    return std::to_string(e.line()) + ": " + e.element() + " " + e.problem();
  }
  return "no error";
}

const std::string kVertices = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";

TEST(Obj, ReadsATetrahedron) {
  const TriangleMesh mesh =
      parse("# a tetrahedron\n" + kVertices + "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  EXPECT_THAT(mesh.vertices,
              ElementsAre(Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)));
  EXPECT_THAT(mesh.triangles, ElementsAre(Triangle{0, 2, 1}, Triangle{0, 1, 3}, Triangle{0, 3, 2},
                                          Triangle{1, 2, 3}));
  mesh.validate("tetrahedron");
  EXPECT_DOUBLE_EQ(mesh.volume(), 1.0 / 6);
}

TEST(Obj, ReadsEveryFormOfAFace) {
  const TriangleMesh mesh =
      parse(kVertices + "f 1/1 2/2 3/3\nf 1//7 2//7 3//7\nf 1/1/1 2/2/2 3/3/3\n" +
            "f -4 -3 -2\nf -4/-1 -3/-1/-1 -2//-1\n");
  EXPECT_EQ(mesh.triangles.size(), 5u);
  for (const Triangle& t : mesh.triangles) EXPECT_EQ(t, (Triangle{0, 1, 2}));
}

TEST(Obj, CountsNegativeIndicesFromTheVerticesReadSoFar) {
  const TriangleMesh mesh = parse("v 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\nv 0 0 1\nf -3 -2 -1\n");
  EXPECT_THAT(mesh.triangles, ElementsAre(Triangle{0, 1, 2}, Triangle{1, 2, 3}));
}

TEST(Obj, CutsPolygonsIntoFans) {
  const TriangleMesh mesh = parse("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0.5 2 0\nv 0 1 0\nf 1 2 3 4 5\n");
  EXPECT_THAT(mesh.triangles, ElementsAre(Triangle{0, 1, 2}, Triangle{0, 2, 3}, Triangle{0, 3, 4}));
}

TEST(Obj, PassesOverWhatIsNoSurface) {
  const TriangleMesh mesh = parse(
      "mtllib a.mtl\r\no thing\r\ng group\r\nusemtl bone\r\ns off\r\n\r\n"
      "v 0 0 0 # origin\r\nv +1 0.0 -0e3 1\r\n\tv  0   1 0  0.5 0.5 0.5\r\n"
      "vt 0 0\r\nvn 0 0 1\r\nl 1 2\r\np 1\r\n  f 1 2 3\r\n");
  EXPECT_THAT(mesh.vertices, ElementsAre(Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)));
  EXPECT_THAT(mesh.triangles, ElementsAre(Triangle{0, 1, 2}));
}

TEST(Obj, ReadsFacesBeforeTheirVerticesAndALastLineWithoutItsEnd) {
  EXPECT_THAT(parse("f 1 2 3\nv 0 0 0\nv 1 0 0\nv 0 1 0").triangles,
              ElementsAre(Triangle{0, 1, 2}));
}

TEST(Obj, ReadsNumbersToTheLastDigit) {
  const TriangleMesh mesh = parse("v 0.1 1e-300 123456789.123456789\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  EXPECT_EQ(mesh.vertices[0], Vec3(0.1, 1e-300, 123456789.123456789));
}

TEST(Obj, NamesFileAndLineOfEveryMistake) {
  EXPECT_EQ(error_of("v 0 0\n"), "1: vertex 1 has 2 numbers");
  EXPECT_EQ(error_of("v 0 0 0\n\nv 0 x 0\n"), "3: vertex 2 'x' is not a finite number");
  EXPECT_EQ(error_of("v 0 nan 0\n"), "1: vertex 1 'nan' is not a finite number");
  EXPECT_EQ(error_of("v 0 inf 0\n"), "1: vertex 1 'inf' is not a finite number");
  EXPECT_EQ(error_of("v 0 1e999 0\n"), "1: vertex 1 '1e999' is not a finite number");
  EXPECT_EQ(error_of("v 0 1,5 0\n"), "1: vertex 1 '1,5' is not a finite number");
  EXPECT_EQ(error_of("v 0 1 0 2\n"), "1: vertex 1 has the weight 2");
  EXPECT_EQ(error_of(kVertices + "f 1 2\n"), "5: face has 2 vertices");
  EXPECT_EQ(error_of(kVertices + "f\n"), "5: face has 0 vertices");
  EXPECT_EQ(error_of(kVertices + "f 1 2 9\nf 1 2 3\n"),
            "5: face refers to vertex 9, but there are 4");
  EXPECT_EQ(error_of(kVertices + "f 1 2 -5\n"), "5: face vertex -5 lies before the first");
  EXPECT_EQ(error_of(kVertices + "f 0 1 2\n"), "5: face '0' names no vertex");
  EXPECT_EQ(error_of(kVertices + "f 1 2 3.5\n"), "5: face '3.5' names no vertex");
  EXPECT_EQ(error_of(kVertices + "f 1 2 99999999999\n"), "5: face '99999999999' names no vertex");
  for (const char* word : {"1/", "/1", "1/a", "1//", "1/1/", "1/1/1/1", "//"})
    EXPECT_EQ(error_of(kVertices + "f " + word + " 2 3\n"),
              "5: face '" + std::string(word) + "' names no vertex");
  EXPECT_EQ(error_of(kVertices + "curv 0 1 2\n"),
            "5: keyword 'curv' does not belong to a polygon mesh");
  EXPECT_EQ(error_of(kVertices), "0: the mesh has no faces");
  EXPECT_EQ(error_of(""), "0: the mesh has no faces");
}

TEST(Obj, QuotesBinaryRubbishSafely) {
  EXPECT_EQ(error_of(std::string("\0\1\xff\x80z", 5)),
            "1: keyword '????z' does not belong to a polygon mesh");
  EXPECT_THAT(error_of(std::string(1000, 'a')), HasSubstr(std::string(40, 'a') + "…'"));
}

TEST(Obj, SaysThatAFileCannotBeRead) {
  EXPECT_THROW(read_obj("/nonexistent/mesh.obj"), Error);
  EXPECT_THROW(read_obj(::testing::TempDir()), Error);  // a folder
}

}  // namespace obj_test
}  // namespace sinew
