#include "support/hill_reference.hpp"

#include <fstream>
#include <sstream>

#include "support/reference.hpp"

namespace sinew::test {

namespace {

/// What stands between the first <tag …> and </tag>; empty if absent.
std::string inside(const std::string& text, const std::string& tag) {
  size_t at = text.find("<" + tag + ">");
  if (at == std::string::npos) at = text.find("<" + tag + " ");
  if (at == std::string::npos) return {};
  at = text.find('>', at) + 1;
  return text.substr(at, text.find("</" + tag + ">", at) - at);
}

/// Properties of an element: its own, else those of the model's template of its class.
struct Properties {
  std::string own, defaults;
  double number(const char* tag, double fallback) const {
    for (const std::string* text : {&own, &defaults})
      if (const std::string value = inside(*text, tag); !value.empty())
        return value.find("true") != std::string::npos ? 1 : std::strtod(value.c_str(), nullptr);
    return fallback;
  }
  Properties child(const char* tag) const { return {inside(own, tag), inside(defaults, tag)}; }
};

Thelen2003Curves thelen_curves(const Properties& p) {
  Thelen2003Curves c;
  c.tendon_strain = p.number("FmaxTendonStrain", c.tendon_strain);
  c.passive_strain = p.number("FmaxMuscleStrain", c.passive_strain);
  c.active_shape = p.number("KshapeActive", c.active_shape);
  c.passive_shape = p.number("KshapePassive", c.passive_shape);
  c.velocity_shape = p.number("Af", c.velocity_shape);
  c.eccentric_force = p.number("Flen", c.eccentric_force);
  return c;
}

Millard2012Shape millard_shape(const Properties& p) {
  Millard2012Shape s;
  const auto set = [](const Properties& from, const char* tag, double& value) {
    value = from.number(tag, value);
  };
  const Properties active = p.child("ActiveForceLengthCurve");
  set(active, "min_norm_active_fiber_length", s.min_active_length);
  set(active, "transition_norm_fiber_length", s.transition_length);
  set(active, "max_norm_active_fiber_length", s.max_active_length);
  set(active, "shallow_ascending_slope", s.shallow_slope);
  const Properties velocity = p.child("ForceVelocityCurve");
  set(velocity, "concentric_slope_near_vmax", s.concentric_slope_near_vmax);
  set(velocity, "isometric_slope", s.isometric_slope);
  set(velocity, "eccentric_slope_near_vmax", s.eccentric_slope_near_vmax);
  set(velocity, "max_eccentric_velocity_force_multiplier", s.eccentric_force);
  set(velocity, "concentric_curviness", s.concentric_curviness);
  set(velocity, "eccentric_curviness", s.eccentric_curviness);
  const Properties passive = p.child("FiberForceLengthCurve");
  set(passive, "strain_at_zero_force", s.strain_at_zero_force);
  set(passive, "strain_at_one_norm_force", s.strain_at_one_force);
  set(passive, "stiffness_at_low_force", s.stiffness_at_low_force);
  set(passive, "stiffness_at_one_norm_force", s.stiffness_at_one_force);
  set(passive, "curviness", s.passive_curviness);
  const Properties tendon = p.child("TendonForceLengthCurve");
  set(tendon, "strain_at_one_norm_force", s.tendon_strain);
  set(tendon, "stiffness_at_one_norm_force", s.tendon_stiffness);
  set(tendon, "norm_force_at_toe_end", s.force_at_toe_end);
  set(tendon, "curviness", s.tendon_curviness);
  return s;
}

HillMuscle muscle_of(const Properties& p, bool thelen) {
  HillMuscle m;
  m.max_isometric_force = p.number("max_isometric_force", m.max_isometric_force);
  m.optimal_fibre_length = p.number("optimal_fiber_length", m.optimal_fibre_length);
  m.tendon_slack_length = p.number("tendon_slack_length", m.tendon_slack_length);
  m.pennation_at_optimal = p.number("pennation_angle_at_optimal", m.pennation_at_optimal);
  m.max_contraction_velocity = p.number("max_contraction_velocity", m.max_contraction_velocity);
  m.min_activation = p.number("minimum_activation", m.min_activation);
  if (thelen) {
    m.curves = thelen_curves(p);
  } else {
    m.rigid_tendon = p.number("ignore_tendon_compliance", 0) != 0;
    set_millard_curves(millard_shape(p), p.number("fiber_damping", 0.1), m);
  }
  return m;
}

}  // namespace

std::map<std::string, HillMuscle> reference_hill_muscles(const std::string& model) {
  std::ifstream in(*reference_dir() / "opensim/models" / (model + ".osim"));
  std::stringstream text;
  text << in.rdbuf();
  const std::string document = text.str(), defaults = inside(document, "defaults");
  const std::string forces = document.substr(document.rfind("<ForceSet"));
  std::map<std::string, HillMuscle> muscles;
  for (const std::string& type :
       {std::string("Thelen2003Muscle"), std::string("Millard2012EquilibriumMuscle")}) {
    const std::string open = "<" + type + " name=\"";
    for (size_t at = forces.find(open); at != std::string::npos; at = forces.find(open, at)) {
      at += open.size();
      const std::string name = forces.substr(at, forces.find('"', at) - at);
      const size_t end = forces.find("</" + type + ">", at);
      muscles[name] = muscle_of({forces.substr(at, end - at), inside(defaults, type)},
                                type == "Thelen2003Muscle");
    }
  }
  return muscles;
}

}  // namespace sinew::test
