#include "sinew/io/json/scene_keys.hpp"

/// Keys of strands and their nodes.

namespace sinew::scene_keys {
namespace {

constexpr SceneKey kMaximalNodeKeys[] = {
    {"type", kRequired}, {"name", kRequired}, {"position", kRequired}, {"velocity"}, {"mass"}};
constexpr SceneKey kRigidNodeKeys[] = {
    {"type", kRequired}, {"name", kRequired}, {"body", kRequired}, {"point", kRequired}};
constexpr ObjectKind kNodeTypeList[] = {{"node-maximal", kMaximalNodeKeys},
                                        {"node-rigid", kRigidNodeKeys}};
constexpr SceneKey kStrandKeys[] = {
    {"name", kRequired}, {"nodes", kRequired}, {"length"},  {"spacing"},      {"density"},
    {"mass_model"},      {"velocity_terms"},   {"gravity"}, {"inextensible"}, {"stiffness"},
    {"table"},           {"tendon"},           {"damping"}, {"slack"}};
constexpr SceneKey kStrandPointKeys[] = {{"node", kRequired}, {"s", kRequired}};
constexpr SceneKey kTensionTableKeys[] = {{"strain", kRequired}, {"tension", kRequired}};
constexpr SceneKey kTendonKeys[] = {{"force", kRequired}, {"strain"}};

}  // namespace

constexpr std::span<const ObjectKind> kNodeTypes = kNodeTypeList;
constexpr ObjectKind kStrand{"strand", kStrandKeys};
constexpr ObjectKind kStrandPoint{"strand-point", kStrandPointKeys};
constexpr ObjectKind kTensionTable{"tension-table", kTensionTableKeys};
constexpr ObjectKind kTendon{"tendon", kTendonKeys};

}  // namespace sinew::scene_keys
