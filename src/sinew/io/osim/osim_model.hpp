#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/builder/system_builder.hpp"
#include "sinew/core/error.hpp"
#include "sinew/io/osim/osim_geometry.hpp"
#include "sinew/muscles/opensim/opensim_path.hpp"
#include "sinew/muscles/transfer/mass_transfer.hpp"

/// Models of OpenSim (.osim, documents of 3.x and 4.x): docs/opensim.md lists what is read.

namespace sinew {

/// Data of a coordinate in the file beyond those in the skeleton.
struct OsimCoordinate {
  std::string name, joint;
  CoordinateKind kind = CoordinateKind::angle;
  double default_value = 0, default_speed = 0;  ///< [rad, m], [rad/s, m/s]
  double lower = 0, upper = 0;                  ///< ends of its range [rad, m]
  /// Clamps values that are set to the range; it does not stop the motion.
  bool clamped = false;
  bool locked = false;
};

struct OsimMarker {
  std::string name, body;
  Vec3 x_B = Vec3::Zero();  ///< body frame [m]
};

/// Limits of the control of a muscle or an actuator; may be infinite.
struct ControlRange {
  double lower = 0, upper = 1;
};

/// A force along a path: a muscle, a spring, a ligament.
struct OsimPath {
  std::string type;     ///< of the element, e.g. "Thelen2003Muscle"
  bool muscle = false;  ///< otherwise a passive force
  bool applies = true;  ///< false if the file switches it off
  OpenSimPath path;     ///< with its name
  /// For muscles whose force is known: Thelen2003, Millard2012Equilibrium, DeGrooteFregly2016.
  std::optional<HillDescription> hill;
  ControlRange control;  ///< for muscles; range of their excitations in optimisations
  /// Numbers of the element by the names of its properties, if it or the defaults give them:
  /// "max_isometric_force" and so on.
  std::map<std::string, double> properties;

  /// Whether it is one of the muscles of OsimModel::system_builder.
  bool pulls() const { return hill && applies; }
};

/// The muscle that it is, without mass.
Muscle muscle_of(const OsimPath& path);

/// The paths along which muscles pull that have a fixed route for their mass.
enum class OsimPulls {
  by_opensim,    ///< OpenSim's, which search in every pose and jump
  along_routes,  ///< the same smooth ones
};

/// A force on a coordinate: optimal force × control, of the units of the coordinate.
struct OsimActuator {
  std::string name;
  DofIndex dof;
  double optimal_force = 1;
  ControlRange control;  ///< range of its control
  bool applies = true;   ///< false if the file switches it off
};

/// A model as it was read: a skeleton with what acts on it, and what the file says besides.
struct OsimModel {
  std::string name;  ///< name of the <Model> element
  std::string credits, publications;
  std::filesystem::path path;
  int version = 0;                 ///< version of the document: 40000 is 4.0
  std::uint64_t content_hash = 0;  ///< FNV-1a of the file's bytes

  Skeleton skeleton;  ///< bodies in the order of the joints from the ground; see its idealized ones
  Vec3 gravity = Vec3(0, -9.80665, 0);
  std::vector<OsimCoordinate> coordinates;  ///< in the order of skeleton.coordinates()
  ConstraintList constraints;  ///< those of the file; locked and prescribed coordinates; loops
  ForceList forces;
  std::vector<OsimPath> paths;  ///< paths of muscles, in the order of the file
  std::vector<OsimActuator> actuators;
  std::vector<OsimMarker> markers;
  std::vector<OsimGeometry> geometry;                 ///< shapes that are drawn
  std::vector<OsimContactGeometry> contact_geometry;  ///< shapes that touch; see `forces`

  /// Set if the model can be shown and moved but has no accelerations: a body moves without mass.
  std::optional<Error> weightless;
  std::vector<std::string> warnings;       ///< in words, each with file and line
  std::map<std::string, int> unsupported;  ///< types of skipped elements, and their number

  /// All of it, to add to; muscles whose force is known and that the file does not switch off are
  /// Hill muscles. Unless the run says otherwise, excitations are the least that a muscle's control
  /// may be, controls of actuators are zero, coordinates and activations have their defaults. The
  /// system built from it is assembled: couplers and loops closed, fibres in equilibrium. Throws an
  /// Error for names that the model does not have, for locked coordinates that shall start
  /// elsewhere, and where a body is weightless.
  SystemBuilder system_builder(const RunStart& run = {}) const;
  /// The same with mass in its muscles: they have the names of the model's, and the paths that
  /// carry their mass.
  SystemBuilder system_builder(const RunStart& run, const MassTransfer& placed,
                               OsimPulls pulls = OsimPulls::by_opensim) const;
};

struct OsimOptions {
  bool strict = false;  ///< unsupported elements are an Error
  /// Changes of the file before it is read: "/bodyset/femur_r/mass=8" (see OsimEdits).
  std::vector<std::string> set = {};
  /// Where meshes are looked for besides the model's folder and its Geometry, before the folders of
  /// the environment's SINEW_GEOMETRY_PATH (separated by colons).
  std::vector<std::filesystem::path> geometry_folders = {};
};

/// Reads and checks a model, and looks for its meshes; missing ones cause a warning. Throws an
/// Error with file and line.
OsimModel load_osim(const std::filesystem::path& path, const OsimOptions& options = {});

/// The same from text, without looking for meshes; `source` stands for the file in messages.
OsimModel parse_osim(std::string_view text, const std::string& source,
                     const OsimOptions& options = {});

}  // namespace sinew
