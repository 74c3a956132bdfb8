#include "sinew/report/whole_file.hpp"

#include <fstream>

#include "sinew/core/error.hpp"

namespace sinew {

void write_whole_file(const std::filesystem::path& path, std::string_view bytes) {
  std::filesystem::path fresh = path;
  fresh += ".part";
  std::error_code code;
  {
    std::ofstream file(fresh, std::ios::binary);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (!file.flush()) {
      file.close();
      std::filesystem::remove(fresh, code);
      throw Error(path.string(), "cannot be written", "check the folder and the space on the disk");
    }
  }
  std::filesystem::rename(fresh, path, code);
  if (!code) return;
  const std::string why = code.message();
  std::filesystem::remove(fresh, code);
  throw Error(path.string(), "cannot be written: " + why, "");
}

}  // namespace sinew
