#pragma once

/// The front door: everything that a program needs to build, load, simulate and study a system.
///
/// Begin with examples/01_pendulum.cpp. Six nouns carry the rest:
///
///   Skeleton    bodies on joints; SkeletonBuilder makes it from one BodySpec per body
///   System      a skeleton and all that acts on it; SystemBuilder makes and checks it, load_scene
///               and load_osim read it from files, load_model from either
///   State       time, positions q, speeds q̇ and the internal state of muscles: a plain value
///   Controls    values for the inputs of a system: excitations, tensions, motors. A system has
///               its own schedule; step and simulate accept another in its place
///   Workspace   scratch memory, one per thread
///   StepReport  the outcome of a step, or the reason why it failed
///
/// Free functions do the work: step and simulate advance a state, forward_dynamics and
/// inverse_dynamics evaluate the equation of motion, energy measures, and Audit judges a run.
/// Derive from Force, Constraint, Part or Controls to add your own elements; docs/adding.md lists
/// the requirements of each. All numbers are in SI units and radians, y points up.
///
/// An installation has this header and the ones that it includes, directly or not.

// Errors and the version
#include "sinew/core/error.hpp"
#include "sinew/core/version.hpp"

// Skeleton: bodies, joints, solids that give them their inertia
#include "sinew/dynamics/jacobian.hpp"
#include "sinew/dynamics/kinematics.hpp"
#include "sinew/model/joint.hpp"
#include "sinew/model/shape.hpp"
#include "sinew/model/skeleton.hpp"

// Forces, and the base class of your own
#include "sinew/constraints/contact/hertz_contact.hpp"
#include "sinew/constraints/contact/smooth_contact.hpp"
#include "sinew/dynamics/bushing.hpp"
#include "sinew/dynamics/coordinate_drive.hpp"
#include "sinew/dynamics/external_load.hpp"
#include "sinew/dynamics/force.hpp"
#include "sinew/dynamics/forces.hpp"
#include "sinew/dynamics/soft_limit.hpp"

// Constraints, and the base class of your own
#include "sinew/constraints/rows/closure.hpp"
#include "sinew/constraints/rows/coupling.hpp"
#include "sinew/constraints/rows/point_constraints.hpp"
#include "sinew/constraints/rows/prescribed_motion.hpp"
#include "sinew/constraints/solve/limit.hpp"
#include "sinew/dynamics/constraint.hpp"

// Muscles, soft bodies, strands, and the base class of other parts with mass or state
#include "sinew/deformables/soft_body.hpp"
#include "sinew/dynamics/part.hpp"
#include "sinew/muscles/hill/hill_description.hpp"
#include "sinew/muscles/opensim/opensim_path.hpp"
#include "sinew/muscles/path/muscle.hpp"
#include "sinew/strands/strand.hpp"
#include "sinew/strands/strand_forms.hpp"

// The system, its state, its inputs and its equations
#include "sinew/builder/system_builder.hpp"
#include "sinew/system/controls.hpp"
#include "sinew/system/equations.hpp"
#include "sinew/system/state.hpp"
#include "sinew/system/system.hpp"
#include "sinew/system/workspace.hpp"

// Steps and runs
#include "sinew/integrate/integrator.hpp"
#include "sinew/integrate/integrator_table.hpp"
#include "sinew/integrate/simulate.hpp"

// Gradients of runs, and optimisers to follow them
#include "sinew/adjoint/covariance.hpp"
#include "sinew/adjoint/model_derivatives.hpp"
#include "sinew/adjoint/motion_objectives.hpp"
#include "sinew/adjoint/objectives.hpp"
#include "sinew/adjoint/run_derivatives.hpp"
#include "sinew/adjoint/run_parameters.hpp"
#include "sinew/math/cma_es.hpp"
#include "sinew/math/levenberg_marquardt.hpp"
#include "sinew/math/minimize.hpp"
#include "sinew/math/nlopt_minimize.hpp"
#include "sinew/math/shooting.hpp"

// Studies: audit, inverse dynamics of motions, the effect of muscle mass on them, muscle paths and
// forces, reactions
#include "sinew/analysis/audit.hpp"
#include "sinew/analysis/fit/curve_fit.hpp"
#include "sinew/analysis/fit/frame_fit.hpp"
#include "sinew/analysis/ik/inverse_kinematics.hpp"
#include "sinew/analysis/inertia_comparison.hpp"
#include "sinew/analysis/motion/motion.hpp"
#include "sinew/analysis/muscle_paths.hpp"
#include "sinew/analysis/muscle_state.hpp"
#include "sinew/analysis/reactions.hpp"
#include "sinew/analysis/snapshot.hpp"

// Files: scenes, OpenSim models, motions, ground reactions, tables
#include "sinew/io/models/loaded_model.hpp"
#include "sinew/io/osim/osim_model.hpp"
#include "sinew/io/scene/scene.hpp"
#include "sinew/io/tables/external_loads.hpp"
#include "sinew/io/tables/motion_reader.hpp"
#include "sinew/io/tables/storage_file.hpp"
#include "sinew/io/tables/table_writer.hpp"
