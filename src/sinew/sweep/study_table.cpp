#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "sinew/io/tables/whole_file.hpp"
#include "sinew/sweep/sweep.hpp"

namespace sinew {
namespace {

/// A cell as RFC 4180 has it.
std::string cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

}  // namespace

void write_study_table(const std::filesystem::path& path, const StudyRunner& runner,
                       const StudyRows& rows) {
  std::string out = "run";
  for (const StudyParameter& parameter : runner.study().parameters)
    out += "," + cell(parameter.name);
  out += ",status";
  for (const StudyResult& result : runner.study().results) out += "," + cell(result.name);
  out += ",time,reason\n";
  for (std::uint64_t run = 0; run < rows.count(); ++run) {
    if (rows.status(run) == RowStatus::missing) continue;
    out += std::to_string(run);
    for (const double value : runner.design().point(run))
      fmt::format_to(std::back_inserter(out), ",{}", value);
    out += ",";
    out += name_of(rows.status(run));
    for (size_t k = 0; k < rows.results(); ++k) {
      const double value = rows.value(run, k);
      if (std::isnan(value))
        out += ",";
      else
        fmt::format_to(std::back_inserter(out), ",{}", value);
    }
    fmt::format_to(std::back_inserter(out), ",{},", rows.time(run));
    out += cell(rows.reason(run)) + "\n";
  }
  write_whole_file(path, out);
}

void write_study_array(const std::filesystem::path& path, const StudyRunner& runner,
                       const StudyRows& rows) {
  static_assert(std::endian::native == std::endian::little);
  const size_t parameters = runner.study().parameters.size();
  const std::uint64_t known = rows.count() - rows.with(RowStatus::missing);
  std::string header =
      fmt::format("{{'descr': '<f8', 'fortran_order': False, 'shape': ({}, {}), }}", known,
                  parameters + rows.results() + 3);
  // Magic, version and length are ten bytes; the data begin at a multiple of 64.
  header.append(63 - (10 + header.size()) % 64, ' ').append("\n");
  std::string out = "\x93NUMPY";
  out.append({'\x01', '\x00'});
  out.append({static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)});
  out += header;
  const auto add = [&](double value) {
    const auto bytes = std::bit_cast<std::array<char, 8>>(value);
    out.append(bytes.data(), bytes.size());
  };
  for (std::uint64_t run = 0; run < rows.count(); ++run) {
    if (rows.status(run) == RowStatus::missing) continue;
    add(static_cast<double>(run));
    for (const double value : runner.design().point(run)) add(value);
    add(static_cast<double>(rows.status(run)));
    for (size_t k = 0; k < rows.results(); ++k) add(rows.value(run, k));
    add(rows.time(run));
  }
  write_whole_file(path, out);
}

}  // namespace sinew
