#pragma once

#include "sinew/deformables/soft_bodies.hpp"
#include "sinew/system/equations.hpp"

namespace sinew {

/// Where the vertices of all deformable bodies are at a state: valid until the next call of ws.
const std::vector<SoftScratch::Body>& soft_vertices(const System& system, const State& state,
                                                    Workspace& ws);
/// Of one of them, and of its surface; for output.
void vertex_positions(const System& system, const State& state, int body, Workspace& ws, Points& x);
void surface_positions(const System& system, const State& state, int body, Workspace& ws,
                       Points& surface);

}  // namespace sinew
