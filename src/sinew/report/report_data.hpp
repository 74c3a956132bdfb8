#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <unordered_map>

namespace sinew {

/// The numbers of a report: arrays one after the other, each described by a small JSON object that
/// the header of the report holds in its place (docs/report_format.md). Indices and quantised
/// arrays are kept once however often they are added: meshes of two runs of one model, for example.
class ReportData {
 public:
  /// 32-bit floats, for plots and tables.
  nlohmann::ordered_json floats(std::span<const double> values);
  /// 64 bits, for numbers that are given to the last digit.
  nlohmann::ordered_json doubles(std::span<const double> values);
  /// 16 bits between the smallest and the largest: for motion on the screen. Half the last digit is
  /// 1/131070 of the range. Values that are not finite are drawn at the smallest.
  nlohmann::ordered_json quantized(std::span<const double> values);
  /// Indices, 16 bits if that is enough, otherwise 32.
  nlohmann::ordered_json indices(std::span<const int> values);

  const std::string& bytes() const { return bytes_; }
  /// The start of the next array, a multiple of so many bytes.
  size_t align(size_t to = 4);

 private:
  nlohmann::ordered_json add_once(const char* type, const std::string& array, size_t count);

  std::string bytes_;
  std::unordered_map<std::string, size_t> known_;  ///< arrays, and their start
};

std::string base64(const std::string& bytes);

/// The page: the template that comes with the program, with header and numbers in it. Throws an
/// Error if there is no template.
std::string make_page(const std::string& title, const nlohmann::ordered_json& header,
                      const ReportData& data);

/// Writes it. Also throws an Error if it cannot be written.
void write_report_page(const std::filesystem::path& path, const std::string& title,
                       const nlohmann::ordered_json& header, const ReportData& data);

}  // namespace sinew
