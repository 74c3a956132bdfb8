#pragma once

#include "sinew/export/gltf_export.hpp"

namespace sinew {

/// A .bvh file of the tree of bodies at evenly spaced times: docs/export.md says how. Between rows
/// of the frames poses are blended. `rate` is the number of frames a second.
std::string bvh_text(const ExportModel& model, const ExportFrames& frames, double rate);

/// Angles of R = Rz(a) Rx(b) Ry(c) in the order z, x, y [rad]: of those that give R the nearest to
/// `last`.
Vec3 zxy_angles(const Mat3& R, const Vec3& last);

/// How many evenly spaced frames there are in a duration [s].
size_t bvh_frame_count(double duration, double rate);

}  // namespace sinew
