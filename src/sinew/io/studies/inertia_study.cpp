#include "sinew/io/studies/inertia_study.hpp"

#include <algorithm>
#include <charconv>

#include "sinew/core/error.hpp"
#include "sinew/core/names.hpp"
#include "sinew/io/scene/model_before_transfer.hpp"
#include "sinew/io/tables/external_loads.hpp"
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

/// The model with all mass on the bones, and the transfer of mass.
struct MassQuestion {
  BonesModel bones;
  MassPolicy policy;
};

MassQuestion read_question(const LoadedModel& model, const InertiaQuestion& question,
                           std::vector<std::string>& warnings) {
  MassQuestion out{{model.skeleton, model.gravity, model.forces, model.muscles}, MomentsPolicy{}};
  if (model.mass_origin) {
    out.bones.skeleton = model.mass_origin->bones;
    out.bones.muscles = model.mass_origin->muscles;
    out.policy = model.mass_origin->policy;
  }
  if (!question.segments.empty()) {
    ScalePolicy policy;
    for (const std::string& text : question.segments)
      policy.segments.push_back(read_segment(text, out.bones.skeleton, out.bones.muscles));
    for (Muscle& muscle : out.bones.muscles) muscle = with_mass(muscle, 0);
    out.policy = policy;
  } else if (question.share) {
    out.policy = MomentsPolicy{*question.share, {}};
  }
  if (out.bones.muscles.empty())
    throw Error(model.model_name, "has no muscles", "there is nothing to compare");
  if (!question.loads.empty()) {
    const ExternalLoads loads = read_external_loads(question.loads);
    warnings = loads.warnings;
    for (const auto& force : external_forces(loads, out.bones.skeleton))
      out.bones.forces.push_back(force);
  }
  return out;
}

}  // namespace

InertiaStudy study_inertia(const InertiaQuestion& question) {
  InertiaStudy out{load_motion_model(question.model, question.set), {}, {}, {}, {}};
  LoadedModel& model = out.model;
  out.reading = read_motion(question.motion, model.target, question.smoothing);
  add_massive_muscles(out.reading.motion, question.specific_tension * 1e6, model);
  if (!question.muscles.empty())
    apply_muscle_table(read_muscle_table(question.muscles), model.muscles);
  MassQuestion mass = read_question(model, question, out.load_warnings);
  out.comparison = compare_inertia(mass.bones, mass.policy, out.reading.motion);
  out.bones = std::move(mass.bones);
  return out;
}

}  // namespace sinew
