#include "sinew/io/json/scene_keys.hpp"

namespace sinew::scene_keys {
namespace {

constexpr SceneKey kSceneKeys[] = {
    {"sinew_scene", kRequired},
    {"title"},
    {"description"},
    {"citation"},
    {"units"},
    {"gravity"},
    {"curves"},
    {"bodies"},
    {"generate"},
    {"look"},
    {"extra_coordinates"},
    {"dependent_coordinates"},
    {"forces"},
    {"muscles"},
    {"soft_bodies"},
    {"strand_nodes"},
    {"guides"},
    {"strands"},
    {"constraints"},
    {"limits"},
    {"contacts"},
    {"bearings"},
    {"gaps"},
    {"simulation"},
};
constexpr SceneKey kGapKeys[] = {
    {"name", kRequired}, {"body", kRequired}, {"shape"}, {"base", kRequired}, {"plane", kRequired}};
constexpr SceneKey kCurveKeys[] = {{"name", kRequired}, {"frames", kRequired}};
constexpr SceneKey kBodyKeys[] = {
    {"name", kRequired}, {"count"}, {"parent", kRequired}, {"joint", kRequired}, {"placement"},
    {"shapes"},          {"look"},  {"inertia"},           {"damping"},
};
constexpr SceneKey kGenerateKeys[] = {{"shape", kRequired}, {"bodies"},  {"length"},
                                      {"thickness"},        {"density"}, {"stiffness"},
                                      {"damping"}};
constexpr SceneKey kExtraCoordinateKeys[] = {{"name", kRequired}, {"kind"}, {"q0"}, {"qdot0"}};
constexpr SceneKey kDependentCoordinateKeys[] = {
    {"coordinate", kRequired}, {"arguments"}, {"function", kRequired}};
constexpr SceneKey kPoseKeys[] = {{"position"}, {"rotation"}};
constexpr SceneKey kAxisAngleKeys[] = {{"axis", kRequired}, {"angle", kRequired}};
constexpr SceneKey kEulerKeys[] = {{"euler", kRequired}, {"angles", kRequired}};
constexpr SceneKey kInertiaKeys[] = {{"mass", kRequired}, {"com"}, {"moments", kRequired}};
constexpr SceneKey kBodyDampingKeys[] = {{"angular"}, {"linear"}};
constexpr SceneKey kTableKeys[] = {{"times", kRequired}, {"values", kRequired}, {"interpolation"}};
constexpr SceneKey kSimulationKeys[] = {
    {"integrator"},
    {"dt"},
    {"until"},
    {"output_interval"},
    {"jacobian"},
    {"solver"},
    {"solver_tolerance"},
    {"solver_iterations"},
    {"accuracy"},
    {"audit_every"},
    {"relative_tolerance"},
    {"absolute_tolerance"},
    {"largest_step"},
    {"least_step"},
    {"ode45_rules"},
    {"newton_tolerance"},
    {"newton_iterations"},
    {"newton_halvings"},
    {"variables"},
    {"most_steps"},
    {"accepted_energy_gain"},
    {"newton_residual"},
    {"projection"},
    {"baumgarte"},
};

constexpr SceneKey kJointKeys[] = {
    {"name"},      {"placement"}, {"coordinates"}, {"q0"},    {"qdot0"},
    {"stiffness"}, {"damping"},   {"rest"},        {"stops"},
};
constexpr SceneKey kStopsKeys[] = {
    {"lower"}, {"upper"}, {"stiffness", kRequired}, {"damping"}, {"transition"}};
constexpr SceneKey kTypeOnly[] = {{"type", kRequired}};
constexpr SceneKey kAxis[] = {{"type", kRequired}, {"axis", kRequired}};
constexpr SceneKey kAxisPitch[] = {{"type", kRequired}, {"axis", kRequired}, {"pitch", kRequired}};
constexpr SceneKey kOrder[] = {{"type", kRequired}, {"order", kRequired}};
constexpr SceneKey kOptionalOrder[] = {{"type", kRequired}, {"order"}};
constexpr SceneKey kSemiAxes[] = {{"type", kRequired}, {"semi_axes", kRequired}};
constexpr SceneKey kParts[] = {{"type", kRequired}, {"parts", kRequired}};
constexpr SceneKey kSplineCurve[] = {{"type", kRequired}, {"frames", kRequired},     {"closed"},
                                     {"knots"},           {"characteristic_length"}, {"reversed"}};
constexpr SceneKey kSplineSurface[] = {
    {"type", kRequired}, {"x"},     {"y"},        {"z"},      {"rx"}, {"ry"}, {"rz"},
    {"closed"},          {"range"}, {"reversed"}, {"changes"}};
constexpr SceneKey kSurfaceChangeKeys[] = {
    {"function", kRequired}, {"x"}, {"y"}, {"z"}, {"rx"}, {"ry"}, {"rz"}};
constexpr SceneKey kFunctionJoint[] = {
    {"type", kRequired}, {"kinds", kRequired}, {"rotations"}, {"translations"}};

constexpr ObjectKind kJointTypeList[] = {
    {"joint-fixed", kTypeOnly},
    {"joint-revolute", kAxis},
    {"joint-prismatic", kAxis},
    {"joint-planar", kTypeOnly},
    {"joint-translational", kTypeOnly},
    {"joint-universal", kTypeOnly},
    {"joint-spherical", kTypeOnly},
    {"joint-spherical-euler", kOrder},
    {"joint-helical", kAxisPitch},
    {"joint-elliptic", kSemiAxes},
    {"joint-free-2d", kTypeOnly},
    {"joint-free-3d", kOptionalOrder},
    {"joint-composite", kParts},
    {"joint-spline-curve", kSplineCurve},
    {"joint-spline-surface", kSplineSurface},
    {"joint-function", kFunctionJoint},
};

constexpr SceneKey kTransformAxisKeys[] = {
    {"axis", kRequired}, {"function", kRequired}, {"arguments"}};
constexpr SceneKey kConstant[] = {{"type", kRequired}, {"value", kRequired}};
constexpr SceneKey kLinear[] = {{"type", kRequired}, {"coefficients", kRequired}, {"offset"}};
constexpr SceneKey kPolynomial[] = {{"type", kRequired}, {"coefficients", kRequired}};
constexpr SceneKey kSine[] = {
    {"type", kRequired}, {"amplitude", kRequired}, {"frequency"}, {"phase"}, {"offset"}};
constexpr SceneKey kSpline[] = {{"type", kRequired}, {"x", kRequired}, {"y", kRequired}};
constexpr ObjectKind kFunctionTypeList[] = {
    {"function-constant", kConstant},     {"function-linear", kLinear},
    {"function-polynomial", kPolynomial}, {"function-sine", kSine},
    {"function-spline", kSpline},
};

constexpr SceneKey kCuboid[] = {{"type", kRequired}, {"sides", kRequired}, {"density"},
                                {"placement"},       {"material"},         {"color"},
                                {"opacity"}};
constexpr SceneKey kSphere[] = {{"type", kRequired}, {"radius", kRequired}, {"density"},
                                {"placement"},       {"material"},          {"color"},
                                {"opacity"}};
constexpr SceneKey kRadiusHeight[] = {{"type", kRequired},
                                      {"radius", kRequired},
                                      {"height", kRequired},
                                      {"density"},
                                      {"placement"},
                                      {"material"},
                                      {"color"},
                                      {"opacity"}};
constexpr SceneKey kEllipsoid[] = {{"type", kRequired}, {"radii", kRequired}, {"density"},
                                   {"placement"},       {"material"},         {"color"},
                                   {"opacity"}};
constexpr SceneKey kMesh[] = {{"type", kRequired}, {"file", kRequired}, {"scale"}, {"density"},
                              {"placement"},       {"material"},        {"color"}, {"opacity"}};
constexpr ObjectKind kShapeTypeList[] = {
    {"shape-cuboid", kCuboid},         {"shape-sphere", kSphere},
    {"shape-cylinder", kRadiusHeight}, {"shape-capsule", kRadiusHeight},
    {"shape-ellipsoid", kEllipsoid},   {"shape-mesh", kMesh},
};

constexpr SceneKey kTorque[] = {
    {"type", kRequired}, {"name"}, {"coordinate", kRequired}, {"value"}, {"table"}};
constexpr SceneKey kMotor[] = {
    {"type", kRequired}, {"name"}, {"coordinate", kRequired}, {"strength"}, {"control"},
    {"lower"},           {"upper"}};
constexpr SceneKey kWorldForce[] = {{"type", kRequired}, {"name"},  {"body", kRequired},
                                    {"point"},           {"value"}, {"table"}};
constexpr SceneKey kPointSpring[] = {
    {"type", kRequired},      {"name"},    {"bodies", kRequired}, {"points", kRequired},
    {"stiffness", kRequired}, {"damping"}, {"rest_length"},
};
constexpr SceneKey kCable[] = {
    {"type", kRequired},      {"name"},    {"bodies", kRequired}, {"points", kRequired},
    {"stiffness", kRequired}, {"damping"}, {"rest_length"},       {"slack"},
};
constexpr SceneKey kGroundContact[] = {
    {"type", kRequired}, {"name"},        {"body", kRequired}, {"shapes"},
    {"ground_body"},     {"point"},       {"normal"},          {"stiffness"},
    {"onset"},           {"dissipation"}, {"friction"},        {"creep_velocity"},
};
constexpr ObjectKind kForceTypeList[] = {
    {"force-torque", kTorque},
    {"force-motor", kMotor},
    {"force-world-force", kWorldForce},
    {"force-spring", kPointSpring},
    {"force-cable", kCable},
    {"force-ground-contact", kGroundContact},
};

}  // namespace

constexpr ObjectKind kScene{"scene", kSceneKeys};
constexpr ObjectKind kGap{"gap", kGapKeys};
constexpr ObjectKind kCurve{"curve", kCurveKeys};
constexpr ObjectKind kBody{"body", kBodyKeys};
constexpr ObjectKind kGenerate{"generate", kGenerateKeys};
constexpr ObjectKind kExtraCoordinate{"extra-coordinate", kExtraCoordinateKeys};
constexpr ObjectKind kDependentCoordinate{"dependent-coordinate", kDependentCoordinateKeys};
constexpr ObjectKind kPose{"pose", kPoseKeys};
constexpr ObjectKind kAxisAngle{"axis-angle", kAxisAngleKeys};
constexpr ObjectKind kEuler{"euler", kEulerKeys};
constexpr ObjectKind kInertia{"inertia", kInertiaKeys};
constexpr ObjectKind kBodyDamping{"body-damping", kBodyDampingKeys};
constexpr ObjectKind kTable{"table", kTableKeys};
constexpr ObjectKind kSimulation{"simulation", kSimulationKeys};
constexpr ObjectKind kJoint{"joint", kJointKeys};
constexpr ObjectKind kStops{"stops", kStopsKeys};
constexpr ObjectKind kTransformAxis{"transform-axis", kTransformAxisKeys};
constexpr ObjectKind kSurfaceChange{"surface-change", kSurfaceChangeKeys};
constexpr std::span<const ObjectKind> kJointTypes = kJointTypeList;
constexpr std::span<const ObjectKind> kFunctionTypes = kFunctionTypeList;
constexpr std::span<const ObjectKind> kShapeTypes = kShapeTypeList;
constexpr std::span<const ObjectKind> kForceTypes = kForceTypeList;

std::vector<ObjectKind> all_kinds() {
  std::vector<ObjectKind> all = {kScene,
                                 kCurve,
                                 kBody,
                                 kPose,
                                 kAxisAngle,
                                 kEuler,
                                 kInertia,
                                 kBodyDamping,
                                 kTable,
                                 kSimulation,
                                 kJoint,
                                 kStops,
                                 kTransformAxis,
                                 kSurfaceChange,
                                 kBaumgarte,
                                 kTwistRow,
                                 kGenerate,
                                 kExtraCoordinate,
                                 kDependentCoordinate,
                                 kContacts,
                                 kSurface,
                                 kPlane,
                                 kGap,
                                 kMuscles,
                                 kMuscle,
                                 kMuscleOptions,
                                 kHill,
                                 kFeedback,
                                 kMassTable,
                                 kPathPoint,
                                 kMovingPoint,
                                 kMovingAxis,
                                 kCondition,
                                 kPathWrap,
                                 kWrapCircle,
                                 kMaterial,
                                 kAttach,
                                 kSoftGround,
                                 kStrand,
                                 kStrandPoint,
                                 kPassedGuide,
                                 kRimPoint,
                                 kGuide,
                                 kTube,
                                 kTubeCurve,
                                 kGuideFriction,
                                 kTensionTable,
                                 kTendon};
  for (const auto& types :
       {kJointTypes, kFunctionTypes, kShapeTypes, kForceTypes, kConstraintTypes, kTimeFunctionTypes,
        kLimitTypes, kBearingTypes, kWrapTypes, kSoftTypes, kNodeTypes})
    all.insert(all.end(), types.begin(), types.end());
  return all;
}

}  // namespace sinew::scene_keys
