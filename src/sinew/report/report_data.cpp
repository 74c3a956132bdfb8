#include "sinew/report/report_data.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <fstream>

#include "sinew/core/error.hpp"
#include "sinew/io/scene/scene_library.hpp"
#include "sinew/io/tables/whole_file.hpp"

namespace sinew {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

static_assert(std::endian::native == std::endian::little, "the report's arrays are little-endian");

template <class T>
void append(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// JSON that may stand inside a <script>: nothing in it ends the element or begins a comment.
std::string script_text(const ordered_json& header) {
  const std::string plain = header.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  std::string out;
  out.reserve(plain.size());
  for (const char c : plain)
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  return out;
}

std::string html_text(const std::string& text) {
  std::string out;
  for (const char c : text)
    if (c == '<')
      out += "&lt;";
    else if (c == '&')
      out += "&amp;";
    else
      out += c;
  return out;
}

std::string read_template() {
  const fs::path path = scene_folder().parent_path() / "report.html";
  std::ifstream file(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), {});
  if (text.empty())
    throw Error("report", "there is no page at " + path.string(),
                "install Node.js 18 or later with npm, then build again");
  return text;
}

void replace(std::string& text, const std::string& mark, const std::string& by) {
  const size_t at = text.find(mark);
  if (at == std::string::npos)
    throw Error("report", "the page has no place for " + mark, "build the program again");
  text.replace(at, mark.size(), by);
}

}  // namespace

std::string base64(const std::string& bytes) {
  static constexpr char kDigits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t k = 0; k < bytes.size(); k += 3) {
    std::uint32_t group = 0;
    for (size_t j = 0; j < 3; ++j)
      group = group << 8 | (k + j < bytes.size() ? static_cast<unsigned char>(bytes[k + j]) : 0u);
    for (size_t j = 0; j < 4; ++j)
      out += k + j > bytes.size() ? '=' : kDigits[group >> (18 - 6 * j) & 63];
  }
  return out;
}

size_t ReportData::align(size_t to) {
  bytes_.resize((bytes_.size() + to - 1) / to * to);
  return bytes_.size();
}

ordered_json ReportData::add_once(const char* type, const std::string& array, size_t count) {
  const auto [known, fresh] = known_.emplace(array, align());
  if (fresh) bytes_ += array;
  return {{"type", type}, {"at", known->second}, {"count", count}};
}

ordered_json ReportData::floats(std::span<const double> values) {
  const size_t at = align();
  for (const double value : values) append(bytes_, static_cast<float>(value));
  return {{"type", "f32"}, {"at", at}, {"count", values.size()}};
}

ordered_json ReportData::doubles(std::span<const double> values) {
  const size_t at = align(sizeof(double));
  for (const double value : values) append(bytes_, value);
  return {{"type", "f64"}, {"at", at}, {"count", values.size()}};
}

ordered_json ReportData::quantized(std::span<const double> values) {
  double low = 0, high = 0;
  bool first = true;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    low = first ? value : std::min(low, value);
    high = first ? value : std::max(high, value);
    first = false;
  }
  const double step = high > low ? (high - low) / 65535 : 1;
  std::string array;
  for (const double value : values) {
    const double digit = std::isfinite(value) ? std::round((value - low) / step) : 0;
    append(array, static_cast<std::uint16_t>(std::clamp(digit, 0.0, 65535.0)));
  }
  ordered_json out = add_once("u16", array, values.size());
  out["low"] = low;
  out["step"] = step;
  return out;
}

ordered_json ReportData::indices(std::span<const int> values) {
  const bool small = std::all_of(values.begin(), values.end(), [](int k) { return k < 65536; });
  std::string array;
  for (const int value : values)
    if (small)
      append(array, static_cast<std::uint16_t>(value));
    else
      append(array, static_cast<std::uint32_t>(value));
  return add_once(small ? "u16" : "u32", array, values.size());
}

std::string make_page(const std::string& title, const ordered_json& header,
                      const ReportData& data) {
  std::string page = read_template();
  // From the last to the first, so that marks are not searched for in a user's text.
  replace(page, "{{data}}", base64(data.bytes()));
  replace(page, "{{header}}", script_text(header));
  replace(page, "{{title}}", html_text(title));
  return page;
}

void write_report_page(const fs::path& path, const std::string& title, const ordered_json& header,
                       const ReportData& data) {
  write_whole_file(path, make_page(title, header, data));
}

}  // namespace sinew
