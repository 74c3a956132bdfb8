#include "sinew/io/meshes/mesh_file.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>

#include "sinew/core/error.hpp"
#include "sinew/io/meshes/obj.hpp"

namespace sinew {
namespace {

constexpr std::uintmax_t kLargestFile = 256u << 20;

std::string lower_extension(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

std::string read_bytes(const std::filesystem::path& path) {
  const auto fail = [&](const char* problem, const char* remedy) {
    throw Error("mesh", problem, remedy).with_location(path.string(), 0);
  };
  std::error_code code;
  // A folder or a pipe opens as well, but is not a file to read.
  if (!std::filesystem::is_regular_file(path, code))
    fail("the file cannot be read", "check its name and permissions");
  if (std::filesystem::file_size(path, code) > kLargestFile || code)
    fail("is larger than 256 MiB", "save a coarser mesh");
  std::ifstream in(path, std::ios::binary);
  if (!in.is_open()) fail("the file cannot be read", "check its name and permissions");
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace

bool is_mesh_file(const std::filesystem::path& path) {
  const std::string extension = lower_extension(path);
  return extension == ".obj" || extension == ".stl" || extension == ".vtp";
}

TriangleMesh read_mesh_file(const std::filesystem::path& path) {
  if (!is_mesh_file(path))
    throw Error("mesh", "is of a kind that cannot be read", "save it as .obj, .stl or .vtp")
        .with_location(path.string(), 0);
  const std::string bytes = read_bytes(path), extension = lower_extension(path);
  if (extension == ".stl") return parse_stl(bytes, path.string());
  if (extension == ".vtp") return parse_vtp(bytes, path.string());
  return parse_obj(bytes, path.string());
}

TriangleMesh read_obj(const std::filesystem::path& path) {
  return parse_obj(read_bytes(path), path.string());
}

}  // namespace sinew
