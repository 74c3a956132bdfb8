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

/// Without internal state nothing is evaluated for it.
template <class F>
void where_any(const VecX& z, F&& f) {
  if (z.size() > 0) f();
}

/// Entries of z whose flow is known become those at `to`, from z0 at `from`: under the controls
/// halfway, second order. z may be z0.
void flow(const StepContext& s, double from, const VecX& z0, double to, VecX& z) {
  const VecView halfway = s.controls_at(0.5 * (from + to));
  for_each_part(s.system, z, [&](const Part& part, auto&& own, size_t k) {
    const PartPlace& place = s.system.place(k);
    part.flow_internal({z0.data() + place.internal, own.size()}, to - from,
                       halfway.data() + place.control, own);
  });
}

/// The same from the start of the step in two halves.
void flow_in_halves(const StepContext& s, double t, VecX& z) {
  const double middle = 0.5 * (s.state.t + t);
  flow(s, s.state.t, s.state.z, middle, z);
  flow(s, middle, z, t, z);
}

}  // namespace

void advance_internal(const StepContext& s, double t, VecX& z) {
  where_any(z, [&] {
    follow_controls(s.system, s.controls_at(t), z);
    flow(s, s.state.t, s.state.z, t, z);
  });
}

void advance_internal_accurately(const StepContext& s, double t, VecX& scratch, VecX& z) {
  where_any(z, [&] {
    advance_internal(s, t, z);
    scratch = z;
    flow_in_halves(s, t, scratch);
    z += 4. / 3 * (scratch - z);
  });
}

void add_flow_error(const StepContext& s, double t, int order, const VecX& z, VecX& scratch,
                    VecX& error) {
  where_any(error, [&] {
    scratch = z;
    if (order > 2) {
      flow(s, s.state.t, s.state.z, t, scratch);
      error += 1. / 20 * (z - scratch);
    } else {
      flow_in_halves(s, t, scratch);
      error += 4. / 3 * (z - scratch);
    }
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
