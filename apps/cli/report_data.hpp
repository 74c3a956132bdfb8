#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

namespace sinew::cli {

/// The numbers of a report: arrays one after the other, each described by a small JSON object that
/// the header of the report holds in its place (docs/report_format.md).
class ReportData {
 public:
  /// 32-bit floats: what plots and tables show.
  nlohmann::ordered_json floats(std::span<const double> values);
  /// 16 bits between the smallest and the largest: what moves on the screen. Half the last digit is
  /// 1/131070 of the range. Values that are not finite are drawn at the smallest.
  nlohmann::ordered_json quantized(std::span<const double> values);
  /// 32-bit indices.
  nlohmann::ordered_json indices(std::span<const int> values);

  const std::string& bytes() const { return bytes_; }

 private:
  nlohmann::ordered_json describe(const char* type, size_t at, size_t count) const;

  std::string bytes_;
};

/// Writes the page: the template that comes with the program, with header and numbers in it.
/// Throws an Error where there is no template or the file cannot be written.
void write_report_page(const std::filesystem::path& path, const std::string& title,
                       const nlohmann::ordered_json& header, const ReportData& data);

}  // namespace sinew::cli
