#pragma once

#include <span>
#include <string_view>
#include <vector>

/// The vocabulary of scene files, as data: the reader refuses anything not listed here, and the
/// published schema (docs/scene.schema.json) is tested to list the same.

namespace sinew {

struct SceneKey {
  std::string_view name;
  bool required = false;
};
inline constexpr bool kRequired = true;

/// One kind of object in a scene; `$defs/<name>` of the schema.
struct ObjectKind {
  std::string_view name;
  std::span<const SceneKey> keys;
};

namespace scene_keys {

extern const ObjectKind kScene, kCurve, kBody, kPose, kAxisAngle, kEuler, kInertia, kBodyDamping,
    kTable, kSimulation, kBaumgarte, kGenerate, kExtraCoordinate, kDependentCoordinate;
/// Keys of a body's joint in addition to those of its type; the parts of a composite have only
/// those.
extern const ObjectKind kJoint;
/// The joint's key "stops".
extern const ObjectKind kStops;
/// One of the six axes of a function joint.
extern const ObjectKind kTransformAxis;
/// One of the ways in which a spline surface deforms.
extern const ObjectKind kSurfaceChange;
/// One of the rows of a prescribed twist.
extern const ObjectKind kTwistRow;

/// One kind per value of the key "type"; their names end in it: "joint-revolute", "shape-sphere".
extern const std::span<const ObjectKind> kJointTypes, kFunctionTypes, kShapeTypes, kForceTypes,
    kConstraintTypes, kTimeFunctionTypes;

/// One of the measures "gaps".
extern const ObjectKind kGap;

// Limits, contacts and bearings.
extern const ObjectKind kContacts, kSurface, kPlane;
extern const std::span<const ObjectKind> kLimitTypes, kBearingTypes;

// Muscles. The options are keys of each muscle and, as defaults for all muscles, of "muscles".
extern const ObjectKind kMuscles, kMuscle, kMuscleOptions, kHill, kFeedback, kMassTable, kPathPoint,
    kMovingPoint, kMovingAxis, kCondition, kPathWrap, kWrapCircle;
extern const std::span<const ObjectKind> kWrapTypes;

// Deformable bodies.
extern const ObjectKind kMaterial, kAttach, kSoftGround;
extern const std::span<const ObjectKind> kSoftTypes;

// Strands.
extern const ObjectKind kStrand, kStrandPoint, kPassedGuide, kRimPoint, kGuide, kTube, kTubeCurve,
    kGuideFriction, kTensionTable, kTendon;
extern const std::span<const ObjectKind> kNodeTypes;

/// All of the above.
std::vector<ObjectKind> all_kinds();

}  // namespace scene_keys
}  // namespace sinew
