#include "sinew/integrate/internal_stage.hpp"

namespace sinew {
namespace {

/// Calls f(part, its entries of z, its index) for every part.
template <class F>
void for_each_part(const System& system, VecX& z, F&& f) {
  for (size_t k = 0; k < system.parts().size(); ++k) {
    const Part& part = *system.parts()[k];
    f(part, z.segment(system.place(k).internal, part.internal_count()), k);
  }
}

/// Without internal state nothing is evaluated for its sake.
template <class F>
void where_any(const VecX& z, F&& f) {
  if (z.size() > 0) f();
}

}  // namespace

void advance_internal(const StepContext& s, double t, VecX& z) {
  where_any(z, [&] {
    const State& start = s.state;
    follow_controls(s.system, s.controls_at(t), z);
    const VecView halfway = s.controls_at(0.5 * (start.t + t));
    for_each_part(s.system, z, [&](const Part& part, auto&& own, size_t k) {
      const PartPlace& place = s.system.place(k);
      part.flow_internal({start.z.data() + place.internal, own.size()}, t - start.t,
                         halfway.data() + place.control, own);
    });
  });
}

void follow_controls(const System& system, const VecView& controls, VecX& z) {
  for_each_part(system, z, [&](const Part& part, auto&& own, size_t k) {
    part.follow_controls(controls.data() + system.place(k).control, own);
  });
}

void read_stage(const StepContext& s, VecX& z) {
  for_each_part(s.system, z, [&](const Part& part, auto&& own, size_t k) {
    part.read_stage(*s.ws.parts[k], own);
  });
}

void follow_path(const StepContext& s, double t, const VecX& q, const VecX& qdot, VecX& z) {
  where_any(z, [&] {
    update_forces(s.system, s.at(t, q, qdot, z, s.h), s.ws);
    read_stage(s, z);
  });
}

void begin_trapezoid(const StepContext& s, const At* start, VecX& c) {
  where_any(s.state.z, [&] {
    if (start != nullptr)
      internal_rates(s.system, *start, s.ws, c);
    else
      c = s.state.memory.zdot;
    c = s.state.z + (s.h / 2) * c;
    advance_internal(s, s.state.t + s.h, c);
  });
}

void end_trapezoid(const StepContext& s, const VecX& c, const VecX& q, const VecX& qdot) {
  where_any(c, [&] {
    State& state = s.state;
    update_forces(s.system, s.at(state.t + s.h, q, qdot, c, s.h / 2), s.ws);
    state.z = c;
    read_stage(s, state.z);
    state.memory.zdot = (state.z - c) / (s.h / 2);
  });
}

}  // namespace sinew
