#pragma once

#include "sinew/deformables/soft_bodies.hpp"
#include "sinew/system/equations.hpp"

namespace sinew {

/// The vertices of all deformable bodies at a state: valid until the next call with ws.
const std::vector<SoftScratch::Body>& soft_vertices(const System& system, const State& state,
                                                    Workspace& ws);
/// The vertices of one of them, and of its surface; for output.
void vertex_positions(const System& system, const State& state, int body, Workspace& ws, Points& x);
void surface_positions(const System& system, const State& state, int body, Workspace& ws,
                       Points& surface);

}  // namespace sinew
