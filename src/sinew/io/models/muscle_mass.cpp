#include "sinew/io/models/muscle_mass.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "sinew/core/error.hpp"
#include "sinew/core/names.hpp"
#include "sinew/io/tables/muscle_table.hpp"

namespace sinew {
namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> out(1);
  for (const char c : text)
    if (c == separator)
      out.emplace_back();
    else
      out.back() += c;
  return out;
}

template <class List>
std::string require_name(const std::string& option, const std::string& what,
                         const std::string& name, const List& list) {
  std::vector<std::string> names;
  for (const auto& item : list) names.push_back(item.name);
  if (std::find(names.begin(), names.end(), name) == names.end())
    throw Error(option, "there is no " + what + " '" + name + "'", suggest(name, names));
  return name;
}

/// "body:share:muscle,muscle,…": part of a body's mass, divided among the muscles as their masses
/// are, or evenly if they have none.
SegmentShare read_segment(const std::string& text, const Skeleton& skeleton,
                          const std::vector<Muscle>& muscles) {
  const std::vector<std::string> parts = split(text, ':');
  SegmentShare out;
  const char* const end = parts.size() == 3 ? parts[1].data() + parts[1].size() : nullptr;
  if (end == nullptr || std::from_chars(parts[1].data(), end, out.share).ptr != end)
    throw Error("--segment " + text, "is not body:share:muscles",
                "write for example tibia_r:0.8:soleus_r,tibant_r");
  out.body = skeleton.find_body(require_name("--segment", "body", parts[0], skeleton.bodies()));
  bool weighed = true;
  for (const std::string& name : split(parts[2], ',')) {
    require_name("--segment", "muscle", name, muscles);
    const auto muscle = std::find_if(muscles.begin(), muscles.end(),
                                     [&](const Muscle& m) { return m.name == name; });
    weighed &= muscle->has_mass();
    out.parts.push_back({name, muscle->mass});
  }
  if (!weighed)
    for (SegmentShare::Part& part : out.parts) part.ratio = 1;
  return out;
}

/// The muscles of a table, with its masses and bellies; the others get none.
void weigh_by_table(const std::string& file, std::vector<Muscle>& muscles) {
  for (Muscle& muscle : muscles) muscle = with_mass(muscle, 0);
  apply_muscle_table(read_muscle_table(file), muscles);
}

MuscleMasses weigh_by_rule(const MuscleMassOptions& options, const Skeleton& bones,
                           const std::vector<WeighedMuscle>& weighed,
                           std::vector<Muscle>& muscles) {
  MassRule rule;
  if (options.source == "strength") rule.source = MassBy::strength;
  if (options.specific_tension) rule.specific_tension = *options.specific_tension * 1e6;
  rule.height = options.height;
  MuscleMasses out = muscle_masses(bones, weighed, rule);
  for (size_t k = 0; k < muscles.size(); ++k) muscles[k] = with_mass(muscles[k], out.mass[k]);
  if (std::none_of(out.mass.begin(), out.mass.end(), [](double mass) { return mass > 0; }) &&
      options.segments.empty())
    throw Error("--muscle-mass", "the strengths of the model's muscles are not known",
                "give a table: --muscle-mass FILE.csv");
  return out;
}

void require_unset(bool set, const char* option, const char* remedy) {
  if (set) throw Error(option, "has no effect here", remedy);
}

}  // namespace

void require_no_more(const MuscleMassOptions& options) {
  constexpr const char* kRemedy = "add --muscle-mass volumes or strength, or leave it out";
  require_unset(options.share.has_value(), "--share", kRemedy);
  require_unset(options.specific_tension.has_value(), "--specific-tension", kRemedy);
  require_unset(options.height.has_value(), "--height", kRemedy);
}

MassPlan plan_muscle_mass(const MuscleMassOptions& options, const Skeleton& bones,
                          const std::vector<WeighedMuscle>& weighed) {
  MassPlan out;
  for (const WeighedMuscle& m : weighed) out.muscles.push_back(m.muscle);
  if (options.source.empty() || options.source == "volumes" || options.source == "strength")
    out.by_rule = weigh_by_rule(options, bones, weighed, out.muscles);
  else if (options.source.ends_with(".csv")) {
    require_unset(options.specific_tension.has_value(), "--specific-tension",
                  "leave it out: a table says the masses");
    weigh_by_table(options.source, out.muscles);
  } else
    throw Error("--muscle-mass " + options.source, "is not a source of masses",
                "write off, volumes, strength, or a table FILE.csv");
  if (!out.by_rule || options.source == "strength")
    require_unset(options.height.has_value(), "--height", "it goes with --muscle-mass volumes");
  const double share = options.share.value_or(1);
  if (options.segments.empty()) {
    out.policy = BonesPolicy{.share = share, .strict = options.strict};
    return out;
  }
  ScalePolicy policy;
  for (const std::string& text : options.segments) {
    policy.segments.push_back(read_segment(text, bones, out.muscles));
    policy.segments.back().share *= share;
  }
  for (Muscle& muscle : out.muscles) muscle = with_mass(muscle, 0);
  out.policy = policy;
  return out;
}

MuscleMassRecord move_muscle_mass(const MuscleMassOptions& options, const Skeleton& bones,
                                  const std::vector<WeighedMuscle>& muscles,
                                  const std::optional<VecX>& reference_pose) {
  MassPlan plan = plan_muscle_mass(options, bones, muscles);
  return {std::move(plan.by_rule),
          transfer_mass(bones, std::move(plan.muscles), plan.policy, reference_pose)};
}

std::vector<std::string> remarks_of(const MuscleMassRecord& record) {
  std::vector<std::string> out;
  if (record.by_rule) out = record.by_rule->remarks;
  const MassTransfer& transfer = record.transfer;
  double wanted = 0;
  size_t reduced = 0, least = 0;
  const auto part = [&](size_t k) { return transfer.muscles[k].mass / transfer.wanted[k]; };
  for (size_t k = 0; k < transfer.wanted.size(); ++k) {
    wanted += transfer.wanted[k];
    // Less than half a percent is not worth a sentence, which would call it 100 %.
    if (transfer.wanted[k] == 0 || part(k) >= 0.995) continue;
    if (reduced++ == 0 || part(k) < part(least)) least = k;
  }
  if (reduced > 0)
    out.push_back(fmt::format(
        "{:.3g} of {:.3g} kg are moved into muscles: bones cannot give all that {} of them want; "
        "'{}' gets {:.0f} %",
        transfer.moved(), wanted, reduced, transfer.muscles[least].name, 100 * part(least)));
  else
    out.push_back(fmt::format("{:.3g} kg are moved into muscles", transfer.moved()));
  return out;
}

}  // namespace sinew
