#include "sinew/io/tables/whole_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace sinew {
namespace {

namespace fs = std::filesystem;

bool is_of_disk(int code) {
  return code == ENOSPC || code == EDQUOT || code == EFBIG || code == EIO;
}

/// Writes and closes an open file; 0, or the errno of what failed.
int write_and_close(int file, std::string_view bytes) {
  int code = 0;
  while (!bytes.empty() && code == 0) {
    const ssize_t n = ::write(file, bytes.data(), bytes.size());
    if (n > 0)
      bytes.remove_prefix(static_cast<size_t>(n));
    else if (errno != EINTR)
      code = errno;
  }
  if (::close(file) != 0 && code == 0) code = errno;
  return code;
}

/// Of a file that exists, the one that links to it lead to.
fs::path without_links(const fs::path& path) {
  std::error_code code;
  const fs::path out = fs::canonical(path, code);
  return code ? path : out;
}

}  // namespace

void fail_to_write(const fs::path& path, int code) {
  const std::string problem = std::string("cannot be written: ") + std::strerror(code);
  if (is_of_disk(code))
    throw WriteError(path.string(), problem, "check the space left on the disk");
  throw Error(path.string(), problem, "check the folder and its permissions");
}

void write_whole_file(const fs::path& path, std::string_view bytes) {
  std::error_code error;
  const fs::file_status existing = fs::status(path, error);
  const bool replaces = fs::is_regular_file(existing);
  const bool in_place = fs::exists(existing) && !replaces;
  const fs::path file = without_links(path);
  fs::path fresh = file;
  if (!in_place) fresh += ".part";
  if (replaces && ::access(file.c_str(), W_OK) != 0) fail_to_write(path, errno);
  const int open = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (open < 0) fail_to_write(path, errno);
  int code = write_and_close(open, bytes);
  if (in_place) {
    if (code != 0) fail_to_write(path, code);
    return;
  }
  if (replaces) fs::permissions(fresh, existing.permissions(), error);
  if (code == 0 && ::rename(fresh.c_str(), file.c_str()) != 0) code = errno;
  if (code == 0) return;
  fs::remove(fresh, error);
  fail_to_write(path, code);
}

}  // namespace sinew
