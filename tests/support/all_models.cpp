#include "support/all_models.hpp"

#include <algorithm>
#include <cctype>

#include "support/reference.hpp"
#include "support/source_dir.hpp"

namespace sinew::test {
namespace {

namespace fs = std::filesystem;

void add_files(const fs::path& folder, const char* extension, std::vector<fs::path>& out) {
  const auto first = static_cast<std::ptrdiff_t>(out.size());
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == extension) out.push_back(entry.path());
  std::sort(out.begin() + first, out.end());
}

}  // namespace

std::vector<fs::path> all_scenes() {
  std::vector<fs::path> out;
  add_files(fs::path(source_dir()) / "scenes", ".json", out);
  return out;
}

std::vector<fs::path> all_models() {
  std::vector<fs::path> out;
  add_files(fs::path(source_dir()) / "models/leg", ".osim", out);
  if (const auto reference = reference_dir())
    add_files(*reference / "opensim/models", ".osim", out);
  return out;
}

std::vector<fs::path> all_scenes_and_models() {
  std::vector<fs::path> out = all_scenes();
  for (fs::path& model : all_models()) out.push_back(std::move(model));
  return out;
}

std::string test_name(const fs::path& file) {
  std::string out = file.filename().string();
  std::replace_if(
      out.begin(), out.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
  return out;
}

}  // namespace sinew::test
