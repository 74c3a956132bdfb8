#include "sinew/io/json/scene_keys.hpp"

/// Keys of constraints and prescribed motions.

namespace sinew::scene_keys {
namespace {

constexpr SceneKey kBaumgarteKeys[] = {{"rate"}, {"position"}, {"implicit"}};

constexpr SceneKey kBall[] = {
    {"type", kRequired}, {"name"}, {"bodies", kRequired}, {"points", kRequired}};
constexpr SceneKey kHinge[] = {{"type", kRequired},
                               {"name"},
                               {"bodies", kRequired},
                               {"points", kRequired},
                               {"axes", kRequired}};
constexpr SceneKey kWeld[] = {
    {"type", kRequired}, {"name"}, {"bodies", kRequired}, {"placements", kRequired}};
constexpr SceneKey kDistance[] = {{"type", kRequired},
                                  {"name"},
                                  {"bodies", kRequired},
                                  {"points", kRequired},
                                  {"length", kRequired}};
constexpr SceneKey kPointOnLine[] = {{"type", kRequired},
                                     {"name"},
                                     {"bodies", kRequired},
                                     {"points", kRequired},
                                     {"direction", kRequired}};
constexpr SceneKey kPointOnPlane[] = {{"type", kRequired},
                                      {"name"},
                                      {"bodies", kRequired},
                                      {"points", kRequired},
                                      {"normal", kRequired}};
constexpr SceneKey kCoupling[] = {{"type", kRequired},
                                  {"name"},
                                  {"coordinate", kRequired},
                                  {"arguments"},
                                  {"function", kRequired}};
constexpr SceneKey kGear[] = {{"type", kRequired},   {"name"},
                              {"driver", kRequired}, {"driven", kRequired},
                              {"ratio", kRequired},  {"offset"}};
constexpr SceneKey kPrescribedCoordinate[] = {
    {"type", kRequired}, {"name"}, {"coordinate", kRequired}, {"level"}, {"function", kRequired}};
constexpr SceneKey kPrescribedTwist[] = {{"type", kRequired}, {"name"},  {"body", kRequired},
                                         {"point"},           {"level"}, {"rows", kRequired}};
constexpr ObjectKind kConstraintTypeList[] = {
    {"constraint-ball", kBall},
    {"constraint-hinge", kHinge},
    {"constraint-weld", kWeld},
    {"constraint-distance", kDistance},
    {"constraint-point-on-line", kPointOnLine},
    {"constraint-point-on-plane", kPointOnPlane},
    {"constraint-coupling", kCoupling},
    {"constraint-gear", kGear},
    {"constraint-prescribed-coordinate", kPrescribedCoordinate},
    {"constraint-prescribed-twist", kPrescribedTwist},
};
constexpr SceneKey kTwistRowKeys[] = {
    {"part", kRequired}, {"direction", kRequired}, {"frame"}, {"function", kRequired}};

constexpr SceneKey kConstant[] = {{"type", kRequired}, {"value", kRequired}};
constexpr SceneKey kPolynomial[] = {{"type", kRequired}, {"coefficients", kRequired}};
constexpr SceneKey kSine[] = {
    {"type", kRequired}, {"amplitude", kRequired}, {"frequency"}, {"phase"}, {"offset"}};
constexpr SceneKey kLogistic[] = {
    {"type", kRequired}, {"amplitude", kRequired}, {"rate"}, {"center"}, {"offset"}};
constexpr SceneKey kTimeTable[] = {
    {"type", kRequired}, {"times", kRequired}, {"values", kRequired}, {"interpolation", kRequired}};
constexpr SceneKey kPiecewise[] = {
    {"type", kRequired}, {"starts", kRequired}, {"pieces", kRequired}};
constexpr ObjectKind kTimeFunctionTypeList[] = {
    {"time-constant", kConstant}, {"time-polynomial", kPolynomial}, {"time-sine", kSine},
    {"time-logistic", kLogistic}, {"time-table", kTimeTable},       {"time-piecewise", kPiecewise},
};

}  // namespace

constexpr ObjectKind kBaumgarte{"baumgarte", kBaumgarteKeys};
constexpr ObjectKind kTwistRow{"twist-row", kTwistRowKeys};
constexpr std::span<const ObjectKind> kConstraintTypes = kConstraintTypeList;
constexpr std::span<const ObjectKind> kTimeFunctionTypes = kTimeFunctionTypeList;

}  // namespace sinew::scene_keys
