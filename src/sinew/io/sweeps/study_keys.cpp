#include "sinew/io/sweeps/study_keys.hpp"

namespace sinew::study_keys {
namespace {

constexpr SceneKey kStudyKeys[] = {
    {"sinew_study", kRequired},
    {"title"},
    {"description"},
    {"citation"},
    {"model"},
    {"task"},
    {"set"},
    {"excitations"},
    {"initial"},
    {"muscle_mass"},
    {"run"},
    {"design"},
    {"parameters", kRequired},
    {"results", kRequired},
};
constexpr SceneKey kRunKeys[] = {{"integrator"}, {"dt"},         {"until"},
                                 {"accuracy"},   {"most_steps"}, {"output_interval"}};
constexpr SceneKey kDesignKeys[] = {{"type", kRequired}, {"runs"}, {"seed"}, {"file"}};
constexpr SceneKey kResultKeys[] = {{"name"},     {"output"},  {"objective"},
                                    {"gradient"}, {"measure"}, {"level"}};

constexpr SceneKey kModelKeys[] = {{"type", kRequired}, {"path", kRequired}, {"name"},
                                   {"uniform"},         {"log_uniform"},     {"normal"},
                                   {"bounds"},          {"values"}};
constexpr SceneKey kInitialKeys[] = {
    {"type", kRequired}, {"state", kRequired}, {"name"},   {"uniform"},
    {"log_uniform"},     {"normal"},           {"bounds"}, {"values"}};
constexpr SceneKey kExcitationKeys[] = {{"type", kRequired},
                                        {"control", kRequired},
                                        {"name"},
                                        {"uniform"},
                                        {"log_uniform"},
                                        {"normal"},
                                        {"bounds"},
                                        {"values"}};
constexpr SceneKey kDurationKeys[] = {{"type", kRequired}, {"name"},   {"uniform"}, {"log_uniform"},
                                      {"normal"},          {"bounds"}, {"values"}};
constexpr SceneKey kTaskKeys[] = {{"type", kRequired},
                                  {"unknown", kRequired},
                                  {"name"},
                                  {"uniform"},
                                  {"log_uniform"},
                                  {"normal"},
                                  {"bounds"},
                                  {"values"}};
constexpr ObjectKind kParameterTypeList[] = {
    {"parameter-model", kModelKeys},
    {"parameter-initial", kInitialKeys},
    {"parameter-excitation", kExcitationKeys},
    {"parameter-duration", kDurationKeys},
    {"parameter-task", kTaskKeys},
};

}  // namespace

constexpr ObjectKind kStudy{"study", kStudyKeys};
constexpr ObjectKind kRun{"run", kRunKeys};
constexpr ObjectKind kDesign{"design", kDesignKeys};
constexpr ObjectKind kResult{"result", kResultKeys};
constexpr std::span<const ObjectKind> kParameterTypes = kParameterTypeList;

std::vector<ObjectKind> all_kinds() {
  std::vector<ObjectKind> all = {kStudy, kRun, kDesign, kResult};
  all.insert(all.end(), kParameterTypes.begin(), kParameterTypes.end());
  return all;
}

}  // namespace sinew::study_keys
