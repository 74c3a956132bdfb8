#include "sinew/io/osim/muscles.hpp"

#include <algorithm>
#include <cmath>

#include "sinew/math/infinity.hpp"

namespace sinew {
namespace {

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// A property that may be present without a value: then the class's default holds.
double number_or(const OsimElement& in, const char* key, double otherwise) {
  return in.text(key).empty() ? otherwise : in.number(key, otherwise);
}

/// The same for a number that must not be negative: the curves may treat negative as "fitted".
double fitted_or(const OsimElement& in, const char* key, double otherwise) {
  return in.text(key).empty() ? otherwise : in.not_negative(key, otherwise);
}

double share(const OsimElement& in, const char* key, double otherwise) {
  const double value = in.not_negative(key, otherwise);
  if (value > 1) in.fail("its <" + std::string(key) + "> is above 1", "give a number from 0 to 1");
  return value;
}

/// Properties of all muscles.
HillMuscle read_fibre(const OsimElement& in) {
  HillMuscle m;
  m.max_isometric_force = in.positive("max_isometric_force", m.max_isometric_force);
  m.optimal_fibre_length = in.positive("optimal_fiber_length", m.optimal_fibre_length);
  m.tendon_slack_length = in.positive("tendon_slack_length", m.tendon_slack_length);
  m.pennation_at_optimal = in.not_negative("pennation_angle_at_optimal", m.pennation_at_optimal);
  m.max_contraction_velocity = in.positive("max_contraction_velocity", m.max_contraction_velocity);
  m.max_pennation = in.positive("maximum_pennation_angle", m.max_pennation);
  m.min_activation = share(in, "minimum_activation", m.min_activation);
  return m;
}

Thelen2003Curves read_thelen(const OsimElement& in) {
  Thelen2003Curves c;
  c.tendon_strain = in.positive("FmaxTendonStrain", c.tendon_strain);
  c.passive_strain = in.positive("FmaxMuscleStrain", c.passive_strain);
  c.active_shape = in.positive("KshapeActive", c.active_shape);
  c.passive_shape = in.positive("KshapePassive", c.passive_shape);
  c.velocity_shape = in.positive("Af", c.velocity_shape);
  c.eccentric_force = in.positive("Flen", c.eccentric_force);
  c.extrapolation = in.positive("fv_linear_extrap_threshold", c.extrapolation);
  return c;
}

/// The four curves; each its own object, or that of the defaults, or the class's.
Millard2012Shape read_millard(const OsimElement& in) {
  Millard2012Shape s;
  const auto curve = [&](const char* type) {
    return OsimElement(in.document(), in.property(type));
  };
  const auto set = [](const OsimElement& from, const char* key, double& value) {
    value = number_or(from, key, value);
  };
  const auto set_fitted = [](const OsimElement& from, const char* key, double& value) {
    value = fitted_or(from, key, value);
  };
  const auto set_curviness = [](const OsimElement& from, const char* key, double& value) {
    if (!from.text(key).empty()) value = share(from, key, value);
  };
  const OsimElement active = curve("ActiveForceLengthCurve");
  set(active, "min_norm_active_fiber_length", s.min_active_length);
  set(active, "transition_norm_fiber_length", s.transition_length);
  set(active, "max_norm_active_fiber_length", s.max_active_length);
  set_fitted(active, "shallow_ascending_slope", s.shallow_slope);
  set(active, "minimum_value", s.min_active_force);
  const OsimElement velocity = curve("ForceVelocityCurve");
  set(velocity, "concentric_slope_at_vmax", s.concentric_slope_at_vmax);
  set(velocity, "concentric_slope_near_vmax", s.concentric_slope_near_vmax);
  set(velocity, "isometric_slope", s.isometric_slope);
  set(velocity, "eccentric_slope_at_vmax", s.eccentric_slope_at_vmax);
  set(velocity, "eccentric_slope_near_vmax", s.eccentric_slope_near_vmax);
  set(velocity, "max_eccentric_velocity_force_multiplier", s.eccentric_force);
  set_curviness(velocity, "concentric_curviness", s.concentric_curviness);
  set_curviness(velocity, "eccentric_curviness", s.eccentric_curviness);
  const OsimElement passive = curve("FiberForceLengthCurve");
  set(passive, "strain_at_zero_force", s.strain_at_zero_force);
  set(passive, "strain_at_one_norm_force", s.strain_at_one_force);
  set_fitted(passive, "stiffness_at_low_force", s.stiffness_at_low_force);
  set_fitted(passive, "stiffness_at_one_norm_force", s.stiffness_at_one_force);
  set_curviness(passive, "curviness", s.passive_curviness);
  const OsimElement tendon = curve("TendonForceLengthCurve");
  s.tendon_strain = tendon.positive("strain_at_one_norm_force", s.tendon_strain);
  set_fitted(tendon, "stiffness_at_one_norm_force", s.tendon_stiffness);
  set_fitted(tendon, "norm_force_at_toe_end", s.force_at_toe_end);
  set_curviness(tendon, "curviness", s.tendon_curviness);
  return s;
}

DeGrooteFregly2016Curves read_de_groote(const OsimElement& in) {
  DeGrooteFregly2016Curves c;
  c.active_width = in.positive("active_force_width_scale", c.active_width);
  c.passive_strain = in.positive("passive_fiber_strain_at_one_norm_force", c.passive_strain);
  c.tendon_strain = in.positive("tendon_strain_at_one_norm_force", c.tendon_strain);
  return c;
}

void read_activation(const OsimElement& in, double rise, double fall, double initial,
                     HillDescription& out) {
  out.activation.activation_time = in.positive("activation_time_constant", rise);
  out.activation.deactivation_time = in.positive("deactivation_time_constant", fall);
  out.initial_activation = share(in, "default_activation", initial);
}

HillDescription read_thelen_muscle(const OsimElement& in, std::vector<std::string>& warnings) {
  HillDescription out;
  out.muscle = read_fibre(in);
  out.muscle.curves = read_thelen(in);
  if (constexpr double kLeast = 0.01; out.muscle.min_activation == 0) {
    out.muscle.min_activation = kLeast;
    warnings.push_back(in.describe(
        "its <minimum_activation> is 0, where an undamped fibre has no velocity; taken as 0.01"));
  }
  read_activation(in, 0.015, 0.050, 0.05, out);
  for (const char* key : {"ignore_tendon_compliance", "ignore_activation_dynamics"})
    if (in.flag(key, false))
      warnings.push_back(
          in.describe("its <" + std::string(key) + "> has no effect, as in OpenSim"));
  return out;
}

HillDescription read_millard_muscle(const OsimElement& in) {
  HillDescription out;
  out.muscle = read_fibre(in);
  out.muscle.rigid_tendon = in.flag("ignore_tendon_compliance", false);
  out.immediate = in.flag("ignore_activation_dynamics", false);
  read_activation(in, 0.010, 0.040, 0.05, out);
  set_millard_curves(read_millard(in), in.not_negative("fiber_damping", 0.1), out.muscle);
  return out;
}

/// Its activation has no minimum in OpenSim; Sinew's has, because undamped fibres need one.
HillDescription read_de_groote_muscle(const OsimElement& in, std::vector<std::string>& warnings) {
  HillDescription out;
  out.muscle = read_fibre(in);
  out.muscle.rigid_tendon = in.flag("ignore_tendon_compliance", false);
  out.muscle.damping = in.not_negative("fiber_damping", 0);
  out.muscle.curves = read_de_groote(in);
  out.immediate = in.flag("ignore_activation_dynamics", false);
  out.activation.kind = ActivationDynamics::Kind::blended;
  out.activation.smoothing = in.positive("activation_dynamics_smoothing", 0.1);
  read_activation(in, 0.015, 0.060, 0.5, out);
  if (in.flag("ignore_passive_fiber_force", false))
    warnings.push_back(
        in.describe("its <ignore_passive_fiber_force> has no effect: passive fibres pull"));
  return out;
}

}  // namespace

bool is_osim_muscle(const std::string& type) {
  return type.ends_with("Muscle") || type.ends_with("Muscle_Deprecated");
}

std::optional<HillDescription> read_osim_muscle(const OsimElement& in,
                                                std::vector<std::string>& warnings) {
  HillDescription out;
  try {
    if (in.type() == "Thelen2003Muscle")
      out = read_thelen_muscle(in, warnings);
    else if (in.type() == "Millard2012EquilibriumMuscle")
      out = read_millard_muscle(in);
    else if (in.type() == "DeGrooteFregly2016Muscle")
      out = read_de_groote_muscle(in, warnings);
    else
      return std::nullopt;
    out.activation.minimum = out.muscle.min_activation;
    check_hill_muscle(out.muscle, in.label());
    check_activation(out.activation, in.label());
  } catch (const Error& error) {
    if (!error.file().empty()) throw;
    // For a curve: its name alone does not identify the muscle.
    if (error.element() != in.label())
      in.fail(error.element() + ": " + error.problem(), error.remedy());
    throw error.with_location(in.document().source(), in.line());
  }
  return out;
}

ControlRange read_control_range(const OsimElement& in, ControlRange out) {
  const auto read = [&](const char* key, double otherwise) {
    const std::string text = lower_case(in.text(key));
    if (text == "inf" || text == "infinity") return kInfinity;
    if (text == "-inf" || text == "-infinity") return -kInfinity;
    return in.number(key, otherwise);
  };
  out.lower = read("min_control", out.lower);
  out.upper = read("max_control", out.upper);
  if (!(out.lower <= out.upper))
    in.fail("its <min_control> is above its <max_control>", "give the smaller number first");
  return out;
}

std::map<std::string, double> numbers_of(const OsimElement& in) {
  std::map<std::string, double> out;
  for (const pugi::xml_node& from : {in.document().default_of(in.type().c_str()), in.node()})
    for (const pugi::xml_node& property : from.children()) {
      const std::vector<std::string> words = split_words(property.text().get());
      if (words.size() != 1 || property.first_child().type() != pugi::node_pcdata) continue;
      if (words[0] == "true" || words[0] == "false")
        out[property.name()] = words[0] == "true" ? 1 : 0;
      else if (words[0].find_first_of("0123456789.") <= 1)
        out[property.name()] = in.number_at(property);
    }
  return out;
}

}  // namespace sinew
