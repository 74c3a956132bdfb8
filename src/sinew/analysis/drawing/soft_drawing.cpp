#include "sinew/analysis/drawing/soft_drawing.hpp"

namespace sinew {

const std::vector<SoftScratch::Body>& soft_vertices(const System& system, const State& state,
                                                    Workspace& ws) {
  update_kinematics(system, state, ws);
  const size_t part = system.soft_index();
  SoftScratch& scratch = static_cast<SoftScratch&>(*ws.parts[part]);
  system.soft()->update_vertices(part_at(system, part, state, ws), scratch);
  return scratch.bodies;
}

void vertex_positions(const System& system, const State& state, int body, Workspace& ws,
                      Points& x) {
  x = soft_vertices(system, state, ws)[static_cast<size_t>(body)].x;
}

void surface_positions(const System& system, const State& state, int body, Workspace& ws,
                       Points& surface) {
  Points x;
  vertex_positions(system, state, body, ws, x);
  system.soft()->bodies()[static_cast<size_t>(body)]->update_surface(x, surface);
}

}  // namespace sinew
