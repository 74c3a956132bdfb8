#include "sinew/report/mass_record.hpp"

#include <filesystem>

namespace sinew {

using nlohmann::ordered_json;

ordered_json describe_options(const MuscleMassOptions& options) {
  // The full path of a table, so that the record is valid from any folder.
  const std::string source = options.source.ends_with(".csv")
                                 ? std::filesystem::absolute(options.source).string()
                                 : options.source;
  ordered_json out = {
      {"muscle_mass", source}, {"segments", options.segments}, {"strict", options.strict}};
  if (options.share) out["share"] = *options.share;
  if (options.specific_tension) out["specific_tension"] = *options.specific_tension;
  if (options.height) out["height"] = *options.height;
  return out;
}

MuscleMassOptions recorded_mass_options(const ordered_json& record) {
  MuscleMassOptions out;
  out.source = record.value("muscle_mass", record.value("muscles", ""));
  out.segments = record.at("segments").get<std::vector<std::string>>();
  out.strict = record.value("strict", false);
  const auto read = [&](const char* key, std::optional<double>& into) {
    if (record.contains(key)) into = record[key].get<double>();
  };
  read("share", out.share);
  read("specific_tension", out.specific_tension);
  read("height", out.height);
  return out;
}

ordered_json describe_placement(const MuscleMassRecord& record) {
  const MassTransfer& transfer = record.transfer;
  ordered_json muscles = ordered_json::array();
  double wanted = 0;
  for (size_t k = 0; k < transfer.muscles.size(); ++k) {
    wanted += transfer.wanted[k];
    muscles.push_back({{"name", transfer.muscles[k].name},
                       {"wanted", transfer.wanted[k]},
                       {"mass", transfer.muscles[k].mass}});
  }
  ordered_json out = {{"wanted", wanted}, {"moved", transfer.moved()}};
  if (record.by_rule) {
    out["rule"] = record.by_rule->source == MassBy::volumes ? "volumes" : "strength";
    out["specific_tension"] = 1e-6 * record.by_rule->specific_tension;
  }
  out["remarks"] = remarks_of(record);
  out["muscles"] = muscles;
  return out;
}

}  // namespace sinew
