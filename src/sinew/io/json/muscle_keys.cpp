#include "sinew/io/json/scene_keys.hpp"

/// Keys of muscles, their paths and the surfaces they wrap around.

namespace sinew::scene_keys {
namespace {

constexpr SceneKey kMusclesKeys[] = {{"list", kRequired}, {"mass_from"}, {"share"},
                                     {"muscle_mass"},     {"segments"},  {"specific_tension"},
                                     {"height"}};
constexpr SceneKey kMuscleKeys[] = {
    {"name", kRequired}, {"path", kRequired}, {"mass"}, {"host"}, {"tension"}, {"hill"}};
constexpr SceneKey kHillKeys[] = {
    {"max_isometric_force", kRequired},
    {"optimal_fibre_length", kRequired},
    {"tendon_slack_length", kRequired},
    {"pennation"},
    {"max_contraction_velocity"},
    {"curves"},
    {"damping"},
    {"rigid_tendon"},
    {"activation_time"},
    {"deactivation_time"},
    {"min_activation"},
    {"initial_activation"},
    {"initial_fibre_length"},
    {"excitation"},
    {"feedback"},
};
constexpr SceneKey kFeedbackKeys[] = {{"coordinate", kRequired}, {"gain", kRequired}, {"target"}};
constexpr SceneKey kMuscleOptionKeys[] = {
    {"mass_model"}, {"points"},    {"at_ends"},     {"lump_to"},
    {"lump_like"},  {"lump_pose"}, {"gravity"},     {"velocity_terms"},
    {"belly"},      {"tendons"},   {"profile"},     {"wrap_model"},
    {"network"},    {"band"},      {"conditional"}, {"activation_law"},
};
constexpr SceneKey kMassTableKeys[] = {{"fractions", kRequired}, {"densities", kRequired}};
constexpr SceneKey kPathPointKeys[] = {
    {"body", kRequired}, {"position"}, {"moving"}, {"conditional"}};
constexpr SceneKey kMovingPointKeys[] = {{"x"}, {"y"}, {"z"}};
constexpr SceneKey kMovingAxisKeys[] = {{"coordinate", kRequired}, {"function", kRequired}};
constexpr SceneKey kConditionKeys[] = {
    {"coordinate", kRequired}, {"range", kRequired}, {"policy"}, {"band"}};
constexpr SceneKey kPathWrapKeys[] = {{"around", kRequired}, {"body", kRequired}, {"placement"}};

constexpr SceneKey kCylinder[] = {
    {"type", kRequired}, {"radius", kRequired}, {"half_length"}, {"side"}, {"model"}, {"band"},
    {"network"}};
constexpr SceneKey kSphere[] = {
    {"type", kRequired}, {"radius", kRequired}, {"axis"}, {"antipode_band"}, {"model"}, {"band"}};
constexpr SceneKey kDoubleCylinder[] = {
    {"type", kRequired}, {"circles", kRequired}, {"model"}, {"band"}};
constexpr SceneKey kWrapCircleKeys[] = {{"center", kRequired}, {"radius", kRequired}, {"side"}};
constexpr SceneKey kEllipsoid[] = {
    {"type", kRequired}, {"semi_axes", kRequired}, {"side"}, {"model"}, {"band"}};
constexpr SceneKey kTorus[] = {
    {"type", kRequired}, {"radius", kRequired}, {"tube", kRequired}, {"side"}, {"model"}, {"band"}};
constexpr SceneKey kCappedCylinder[] = {
    {"type", kRequired}, {"radius", kRequired}, {"side"}, {"winding"}, {"model"}, {"band"},
    {"network"}};
constexpr SceneKey kMesh[] = {{"type", kRequired}, {"file", kRequired}, {"scale"},
                              {"size", kRequired}, {"softness"},        {"side"}};
constexpr ObjectKind kWrapTypeList[] = {
    {"wrap-cylinder", kCylinder},
    {"wrap-sphere", kSphere},
    {"wrap-double-cylinder", kDoubleCylinder},
    {"wrap-ellipsoid", kEllipsoid},
    {"wrap-torus", kTorus},
    {"wrap-capped-cylinder", kCappedCylinder},
    {"wrap-mesh", kMesh},
};

}  // namespace

constexpr ObjectKind kMuscles{"muscles", kMusclesKeys};
constexpr ObjectKind kMuscle{"muscle", kMuscleKeys};
constexpr ObjectKind kMuscleOptions{"muscle-options", kMuscleOptionKeys};
constexpr ObjectKind kHill{"hill", kHillKeys};
constexpr ObjectKind kFeedback{"feedback", kFeedbackKeys};
constexpr ObjectKind kMassTable{"mass-table", kMassTableKeys};
constexpr ObjectKind kPathPoint{"path-point", kPathPointKeys};
constexpr ObjectKind kMovingPoint{"moving-point", kMovingPointKeys};
constexpr ObjectKind kMovingAxis{"moving-axis", kMovingAxisKeys};
constexpr ObjectKind kCondition{"condition", kConditionKeys};
constexpr ObjectKind kPathWrap{"path-wrap", kPathWrapKeys};
constexpr ObjectKind kWrapCircle{"wrap-circle", kWrapCircleKeys};
constexpr std::span<const ObjectKind> kWrapTypes = kWrapTypeList;

}  // namespace sinew::scene_keys
