#include "sinew/io/json/scene_keys.hpp"

/// Keys of deformable bodies.

namespace sinew::scene_keys {
namespace {

constexpr SceneKey kSoftStrand[] = {
    {"type", kRequired},     {"name", kRequired}, {"bodies", kRequired},    {"points", kRequired},
    {"vertices", kRequired}, {"mass", kRequired}, {"stiffness", kRequired}, {"damping"}};
constexpr SceneKey kSolid[] = {
    {"type", kRequired}, {"name", kRequired},     {"file"},   {"surface"}, {"lattice"}, {"scale"},
    {"placement"},       {"material", kRequired}, {"attach"}, {"ground"}};
constexpr ObjectKind kSoftTypeList[] = {{"soft-strand", kSoftStrand}, {"soft-solid", kSolid}};
constexpr SceneKey kMaterialKeys[] = {
    {"model"}, {"young", kRequired}, {"poisson"}, {"density", kRequired}, {"viscosity"}};
constexpr SceneKey kAttachKeys[] = {
    {"body", kRequired}, {"from"}, {"to"}, {"radius"}, {"vertices"}};
constexpr SceneKey kSoftGroundKeys[] = {{"point"},     {"normal"},        {"by"},
                                        {"stiffness"}, {"onset"},         {"dissipation"},
                                        {"friction"},  {"creep_velocity"}};

}  // namespace

constexpr std::span<const ObjectKind> kSoftTypes = kSoftTypeList;
constexpr ObjectKind kMaterial{"material", kMaterialKeys};
constexpr ObjectKind kAttach{"attach", kAttachKeys};
constexpr ObjectKind kSoftGround{"soft-ground", kSoftGroundKeys};

}  // namespace sinew::scene_keys
