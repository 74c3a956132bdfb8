#include "sinew/io/tasks/task_keys.hpp"

namespace sinew::task_keys {
namespace {

constexpr SceneKey kTaskKeys[] = {
    {"sinew_task", kRequired},
    {"title"},
    {"description"},
    {"citation"},
    {"model", kRequired},
    {"set"},
    {"excitations"},
    {"initial"},
    {"smooth_paths"},
    {"blended_activation"},
    {"run"},
    {"parameters", kRequired},
    {"objectives", kRequired},
    {"optimizer"},
};
constexpr SceneKey kRunKeys[] = {
    {"integrator"}, {"dt"}, {"until"}, {"newton_tolerance"}, {"checkpoints"}};
constexpr SceneKey kOptimizerKeys[] = {{"method"},         {"intervals"},   {"deviation"},
                                       {"seed"},           {"evaluations"}, {"gradient_tolerance"},
                                       {"value_tolerance"}};

constexpr SceneKey kControlKeys[] = {{"type", kRequired}, {"control", kRequired},
                                     {"knots"},           {"interpolation"},
                                     {"value"},           {"scale"},
                                     {"lower"},           {"upper"}};
constexpr SceneKey kInitialKeys[] = {
    {"type", kRequired}, {"state", kRequired}, {"value"}, {"scale"}, {"lower"}, {"upper"}};
constexpr SceneKey kModelKeys[] = {{"type", kRequired},  {"path", kRequired}, {"value", kRequired},
                                   {"scale", kRequired}, {"lower"},           {"upper"}};
constexpr SceneKey kDurationKeys[] = {
    {"type", kRequired}, {"value"}, {"scale"}, {"lower"}, {"upper"}};
constexpr ObjectKind kParameterTypeList[] = {
    {"parameter-control", kControlKeys},
    {"parameter-initial", kInitialKeys},
    {"parameter-model", kModelKeys},
    {"parameter-duration", kDurationKeys},
};

constexpr SceneKey kPointKeys[] = {
    {"type", kRequired}, {"name"}, {"body", kRequired}, {"point"}, {"target", kRequired},
    {"weight"},          {"at"}};
constexpr SceneKey kPoseKeys[] = {
    {"type", kRequired}, {"name"}, {"body", kRequired}, {"target", kRequired}, {"length"},
    {"weight"},          {"at"}};
constexpr SceneKey kCoordinateKeys[] = {
    {"type", kRequired},   {"name"},   {"coordinate", kRequired},
    {"target", kRequired}, {"weight"}, {"at"}};
constexpr SceneKey kSpeedKeys[] = {{"type", kRequired}, {"name"},   {"coordinate"}, {"body"},
                                   {"point"},           {"target"}, {"weight"},     {"at"}};
constexpr SceneKey kMarkerKeys[] = {{"type", kRequired},   {"name"},   {"marker", kRequired},
                                    {"target", kRequired}, {"weight"}, {"at"}};
constexpr SceneKey kLandingKeys[] = {
    {"type", kRequired}, {"name"}, {"body", kRequired}, {"point"}, {"target", kRequired},
    {"weight"},          {"at"}};
constexpr SceneKey kEnergyKeys[] = {{"type", kRequired}, {"name"},   {"of"},
                                    {"target"},          {"weight"}, {"at"}};
constexpr SceneKey kReactionKeys[] = {{"type", kRequired},   {"name"},   {"reaction", kRequired},
                                      {"target", kRequired}, {"weight"}, {"at"}};
constexpr SceneKey kContactKeys[] = {{"type", kRequired},   {"name"},   {"contact", kRequired},
                                     {"target", kRequired}, {"weight"}, {"at"}};
constexpr SceneKey kTrackKeys[] = {{"type", kRequired}, {"name"}, {"file", kRequired}, {"of"},
                                   {"columns"},         {"from"}, {"weight"},          {"at"}};
constexpr SceneKey kEffortKeys[] = {{"type", kRequired}, {"name"}, {"controls"}, {"weight"}};
constexpr SceneKey kParametersKeys[] = {{"type", kRequired}, {"name"}, {"from"}, {"weight"}};
constexpr ObjectKind kObjectiveTypeList[] = {
    {"objective-point", kPointKeys},           {"objective-pose", kPoseKeys},
    {"objective-coordinate", kCoordinateKeys}, {"objective-speed", kSpeedKeys},
    {"objective-marker", kMarkerKeys},         {"objective-landing", kLandingKeys},
    {"objective-energy", kEnergyKeys},         {"objective-track", kTrackKeys},
    {"objective-effort", kEffortKeys},         {"objective-parameters", kParametersKeys},
    {"objective-reaction", kReactionKeys},     {"objective-contact", kContactKeys},
};

}  // namespace

constexpr ObjectKind kTask{"task", kTaskKeys};
constexpr ObjectKind kRun{"run", kRunKeys};
constexpr ObjectKind kOptimizer{"optimizer", kOptimizerKeys};
constexpr std::span<const ObjectKind> kParameterTypes = kParameterTypeList;
constexpr std::span<const ObjectKind> kObjectiveTypes = kObjectiveTypeList;

std::vector<ObjectKind> all_kinds() {
  std::vector<ObjectKind> all = {kTask, kRun, kOptimizer};
  for (const auto& types : {kParameterTypes, kObjectiveTypes})
    all.insert(all.end(), types.begin(), types.end());
  return all;
}

}  // namespace sinew::task_keys
