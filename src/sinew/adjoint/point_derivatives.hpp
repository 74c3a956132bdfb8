#pragma once

#include "sinew/adjoint/run_derivatives.hpp"
#include "sinew/dynamics/attached_point.hpp"

/// Derivatives of where points of bodies are and how they move, for objectives. All need
/// update_kinematics at the state.

namespace sinew {

/// The pose of a body; that of the world is the identity.
Pose pose_of(const Objective::At& at, BodyIndex body);

/// Adds (∂x/∂q)ᵀ f of a point and (∂θ/∂q)ᵀ m of its link to bar.q; f and m in world axes.
void pull_back_position(const Objective::At& at, const AttachedPoint& point, const Vec3& f,
                        const Vec3& m, StateVectors& bar);

/// Adds (∂ẋ/∂q)ᵀ f and (∂ẋ/∂q̇)ᵀ f of a point of a body, f in world axes. Not for systems with
/// dependent coordinates.
void pull_back_velocity(const Objective::At& at, BodyIndex body, const Vec3& point_B, const Vec3& f,
                        StateVectors& bar);

/// Throws an Error for systems whose velocities of points are not differentiated.
void require_point_velocities(const System& system);

}  // namespace sinew
