#pragma once

#include <filesystem>
#include <limits>

#include "sinew/dynamics/external_load.hpp"
#include "sinew/io/tables/storage_file.hpp"

/// External loads and the setup of OpenSim's inverse dynamics tool. See docs/motion_files.md.

namespace sinew {

/// A force, a free torque, or both, on one body, with columns of a table as data.
struct ExternalForce {
  std::string name;
  bool enabled = true;
  std::string body;                    ///< the body it acts on
  std::string force_frame = "ground";  ///< body in whose axes force and torque are given
  std::string point_frame = "ground";  ///< body in whose frame the point is given
  /// Prefix of three columns, which x, y and z follow; empty: none.
  std::string force_identifier, point_identifier, torque_identifier;
};

struct ExternalLoads {
  std::string name;
  std::vector<ExternalForce> forces;
  std::filesystem::path data_file;    ///< beside the XML if it is not at the stated place
  std::vector<std::string> warnings;  ///< with file and line
};

/// Throws an Error with file and line.
ExternalLoads read_external_loads(const std::filesystem::path& path);
ExternalLoads parse_external_loads(std::string_view text, const std::filesystem::path& path);
void write_external_loads(const std::filesystem::path& path, const ExternalLoads& loads);

/// Its columns as functions of time: natural cubic splines through the rows, as in OpenSim. Throws
/// an Error naming the column that is missing, or not finite.
ExternalLoad::Data load_data(const ExternalForce& force, const MotionTable& table);

/// The enabled loads, with their data, as forces on the skeleton. Throws an Error naming a force
/// whose body the skeleton does not have.
ForceList external_forces(const ExternalLoads& loads, const Skeleton& skeleton);

/// The settings of <InverseDynamicsTool>. Paths are resolved, relative ones from the XML's folder.
struct InverseDynamicsSetup {
  std::string name;
  std::filesystem::path model_file, coordinates_file, external_loads_file, results_directory;
  double start = -std::numeric_limits<double>::infinity();
  double end = std::numeric_limits<double>::infinity();  ///< [s]
  double cutoff = -1;                                    ///< [Hz]; negative: no filter
  std::vector<std::string> forces_to_exclude;
  std::string output_file = "inverse_dynamics.sto";
  std::vector<std::string> warnings;  ///< with file and line
};
InverseDynamicsSetup read_inverse_dynamics_setup(const std::filesystem::path& path);
InverseDynamicsSetup parse_inverse_dynamics_setup(std::string_view text,
                                                  const std::filesystem::path& path);
void write_inverse_dynamics_setup(const std::filesystem::path& path,
                                  const InverseDynamicsSetup& setup);

}  // namespace sinew
