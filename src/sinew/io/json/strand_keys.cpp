#include "sinew/io/json/scene_keys.hpp"

/// Keys of strands and their nodes.

namespace sinew::scene_keys {
namespace {

constexpr SceneKey kMaximalNodeKeys[] = {
    {"type", kRequired}, {"name", kRequired}, {"position", kRequired}, {"velocity"}, {"mass"}};
constexpr SceneKey kRigidNodeKeys[] = {
    {"type", kRequired}, {"name", kRequired}, {"body", kRequired}, {"point", kRequired}};
// Nodes on curves and surfaces, and between others.
constexpr SceneKey kPolylineNodeKeys[] = {{"type", kRequired},
                                          {"name", kRequired},
                                          {"nodes", kRequired},
                                          {"rounding"},
                                          {"ends"},
                                          {"u", kRequired},
                                          {"u_rate"},
                                          {"mass"}};
constexpr SceneKey kBSplineNodeKeys[] = {{"type", kRequired},
                                         {"name", kRequired},
                                         {"nodes", kRequired},
                                         {"ends"},
                                         {"u", kRequired},
                                         {"u_rate"},
                                         {"mass"}};
constexpr SceneKey kEllipseNodeKeys[] = {{"type", kRequired},  {"name", kRequired},
                                         {"nodes", kRequired}, {"u", kRequired},
                                         {"u_rate"},           {"mass"}};
constexpr SceneKey kRoundNodeKeys[] = {
    {"type", kRequired},   {"name", kRequired}, {"body", kRequired}, {"placement"},
    {"radius", kRequired}, {"u", kRequired},    {"u_rate"},          {"mass"}};
constexpr SceneKey kEllipsoidNodeKeys[] = {
    {"type", kRequired},      {"name", kRequired}, {"body", kRequired}, {"placement"},
    {"semi_axes", kRequired}, {"u", kRequired},    {"u_rate"},          {"mass"}};
constexpr SceneKey kTorusNodeKeys[] = {{"type", kRequired},
                                       {"name", kRequired},
                                       {"body", kRequired},
                                       {"placement"},
                                       {"radius", kRequired},
                                       {"tube", kRequired},
                                       {"u", kRequired},
                                       {"u_rate"},
                                       {"mass"}};
constexpr SceneKey kPatchNodeKeys[] = {{"type", kRequired}, {"name", kRequired},
                                       {"rows", kRequired}, {"u", kRequired},
                                       {"u_rate"},          {"mass"}};
constexpr SceneKey kBlendNodeKeys[] = {{"type", kRequired},
                                       {"name", kRequired},
                                       {"nodes", kRequired},
                                       {"weights", kRequired},
                                       {"mass"}};
constexpr ObjectKind kNodeTypeList[] = {
    {"node-maximal", kMaximalNodeKeys},     {"node-rigid", kRigidNodeKeys},
    {"node-polyline", kPolylineNodeKeys},   {"node-b-spline", kBSplineNodeKeys},
    {"node-circle", kRoundNodeKeys},        {"node-ellipse", kEllipseNodeKeys},
    {"node-sphere", kRoundNodeKeys},        {"node-cylinder", kRoundNodeKeys},
    {"node-ellipsoid", kEllipsoidNodeKeys}, {"node-torus", kTorusNodeKeys},
    {"node-patch", kPatchNodeKeys},         {"node-blend", kBlendNodeKeys}};
constexpr SceneKey kStrandKeys[] = {{"name", kRequired},
                                    {"nodes", kRequired},
                                    {"length"},
                                    {"spacing"},
                                    {"density"},
                                    {"mass_model"},
                                    {"velocity_terms"},
                                    {"gravity"},
                                    {"inextensible"},
                                    {"stiffness"},
                                    {"table"},
                                    {"tendon"},
                                    {"damping"},
                                    {"slack"},
                                    {"closed"},
                                    {"speed"},
                                    {"ends"}};
constexpr SceneKey kStrandPointKeys[] = {{"node", kRequired}, {"s", kRequired}, {"passes"}};
constexpr SceneKey kPassedGuideKeys[] = {{"guide", kRequired}, {"turns"}};
constexpr SceneKey kRimPointKeys[] = {{"guide", kRequired}, {"s", kRequired}, {"wound"}};
constexpr SceneKey kGuideKeys[] = {
    {"name", kRequired}, {"body", kRequired}, {"placement"}, {"radius"}, {"side"}, {"hold"},
    {"around"}};
constexpr SceneKey kTubeKeys[] = {{"name", kRequired}, {"along", kRequired}, {"pieces"}};
constexpr SceneKey kTubeCurveKeys[] = {
    {"type", kRequired}, {"nodes", kRequired}, {"rounding"}, {"ends"}, {"range"}};
constexpr SceneKey kGuideFrictionKeys[] = {{"friction", kRequired}, {"creep"}, {"mass"}};
constexpr SceneKey kTensionTableKeys[] = {{"strain", kRequired}, {"tension", kRequired}};
constexpr SceneKey kTendonKeys[] = {{"force", kRequired}, {"strain"}};

}  // namespace

constexpr std::span<const ObjectKind> kNodeTypes = kNodeTypeList;
constexpr ObjectKind kStrand{"strand", kStrandKeys};
constexpr ObjectKind kStrandPoint{"strand-point", kStrandPointKeys};
constexpr ObjectKind kPassedGuide{"passed-guide", kPassedGuideKeys};
constexpr ObjectKind kRimPoint{"rim-point", kRimPointKeys};
constexpr ObjectKind kGuide{"guide", kGuideKeys};
constexpr ObjectKind kTube{"tube", kTubeKeys};
constexpr ObjectKind kTubeCurve{"tube-curve", kTubeCurveKeys};
constexpr ObjectKind kGuideFriction{"guide-friction", kGuideFrictionKeys};
constexpr ObjectKind kTensionTable{"tension-table", kTensionTableKeys};
constexpr ObjectKind kTendon{"tendon", kTendonKeys};

}  // namespace sinew::scene_keys
