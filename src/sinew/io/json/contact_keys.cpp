#include "sinew/io/json/scene_keys.hpp"

/// Keys of limits, contacts and bearings.

namespace sinew::scene_keys {
namespace {

constexpr SceneKey kCoordinateLimit[] = {{"type", kRequired}, {"name"},  {"coordinate", kRequired},
                                         {"lower"},           {"upper"}, {"restitution"}};
constexpr SceneKey kRope[] = {{"type", kRequired},   {"name"},
                              {"bodies", kRequired}, {"points", kRequired},
                              {"length", kRequired}, {"restitution"}};
constexpr ObjectKind kLimitTypeList[] = {
    {"limit-coordinate", kCoordinateLimit},
    {"limit-rope", kRope},
};
constexpr SceneKey kCylinderBearing[] = {{"type", kRequired},
                                         {"name"},
                                         {"joint"},
                                         {"closure"},
                                         {"axis"},
                                         {"radius", kRequired},
                                         {"height", kRequired},
                                         {"friction", kRequired}};
constexpr SceneKey kBallBearing[] = {{"type", kRequired},
                                     {"name"},
                                     {"joint", kRequired},
                                     {"radius", kRequired},
                                     {"friction", kRequired}};
constexpr SceneKey kBoxBearing[] = {{"type", kRequired},
                                    {"name"},
                                    {"joint", kRequired},
                                    {"sides", kRequired},
                                    {"friction", kRequired}};
constexpr ObjectKind kBearingTypeList[] = {
    {"bearing-cylinder", kCylinderBearing},
    {"bearing-ball", kBallBearing},
    {"bearing-box", kBoxBearing},
};
constexpr SceneKey kContactsKeys[] = {
    {"friction"}, {"restitution"}, {"surfaces", kRequired}, {"exclude"}};
constexpr SceneKey kSurfaceKeys[] = {
    {"name"}, {"body", kRequired}, {"plane"}, {"friction"}, {"restitution"}};
constexpr SceneKey kPlaneKeys[] = {{"point"}, {"normal"}};

}  // namespace

constexpr ObjectKind kContacts{"contacts", kContactsKeys};
constexpr ObjectKind kSurface{"surface", kSurfaceKeys};
constexpr ObjectKind kPlane{"plane", kPlaneKeys};
constexpr std::span<const ObjectKind> kLimitTypes = kLimitTypeList;
constexpr std::span<const ObjectKind> kBearingTypes = kBearingTypeList;

}  // namespace sinew::scene_keys
