#include "sinew/io/scene/hill_reader.hpp"

#include "sinew/io/scene/element_lookup.hpp"
#include "sinew/io/scene/function_reader.hpp"

namespace sinew {
namespace {

constexpr double kDamping = 0.1;  // the value of Millard et al. 2013

double read_fraction(const ObjectReader& in, std::string_view key, double fallback) {
  const double value = in.not_negative_or(key, fallback);
  if (value > 1)
    in.fail(in.at(key).line, "'" + std::string(key) + "' is greater than 1",
            "activations are from 0 to 1");
  return value;
}

/// A number, or a function of time.
TimeFunction read_excitation(const ObjectReader& in) {
  const JsonNode* node = in.find("excitation");
  if (node == nullptr) return 0.0;
  if (node->type != JsonNode::Type::object) return read_fraction(in, "excitation", 0);
  return read_time_function(in, *node, 1);
}

ExcitationFeedback read_feedback(const ObjectReader& muscle, const JsonNode& node,
                                 const Skeleton& skeleton) {
  const ObjectReader in(muscle.context(), node, muscle.element(), scene_keys::kFeedback);
  ExcitationFeedback out;
  out.dof = resolve_coordinate(in, in.at("coordinate"), "coordinate", skeleton);
  const bool length =
      skeleton.coordinates()[static_cast<size_t>(out.dof.value)].kind == CoordinateKind::length;
  const double unit = length ? in.context().units.length : 1;
  out.gain = in.number("gain", 1 / unit);
  out.target = in.number_or("target", 0, unit);
  return out;
}

void read_curves(const ObjectReader& in, HillMuscle& out) {
  const size_t curves = in.choice_or("curves", 0, {"millard", "thelen", "degroote-fregly"});
  const double damping = in.not_negative_or("damping", curves == 1 ? 0 : kDamping);
  if (curves == 0) {
    set_millard_curves({}, damping, out);
    return;
  }
  if (curves == 1 && damping > 0)
    in.fail(in.at("damping").line, "has 'damping', which curves of Thelen do not have",
            "leave it out, or choose 'millard'");
  out.damping = damping;
  if (curves == 1) out.curves = Thelen2003Curves{};
  if (curves == 2) out.curves = DeGrooteFregly2016Curves{};
}

}  // namespace

HillDescription read_hill(const ValueReader& muscle, const JsonNode& node,
                          const Skeleton& skeleton) {
  const ObjectReader in(muscle.context(), node, muscle.element(), scene_keys::kHill);
  const Units& units = in.context().units;
  HillDescription out;
  HillMuscle& hill = out.muscle;
  hill.max_isometric_force = in.positive("max_isometric_force", units.force());
  hill.optimal_fibre_length = in.positive("optimal_fibre_length", units.length);
  hill.tendon_slack_length = in.positive("tendon_slack_length", units.length);
  hill.pennation_at_optimal = in.not_negative_or("pennation", 0);
  hill.max_contraction_velocity =
      in.positive_or("max_contraction_velocity", hill.max_contraction_velocity);
  hill.rigid_tendon = in.boolean_or("rigid_tendon", false);
  hill.min_activation = read_fraction(in, "min_activation", hill.min_activation);
  read_curves(in, hill);
  out.activation.activation_time =
      in.positive_or("activation_time", out.activation.activation_time);
  out.activation.deactivation_time =
      in.positive_or("deactivation_time", out.activation.deactivation_time);
  out.activation.minimum = hill.min_activation;
  out.initial_activation = read_fraction(in, "initial_activation", out.initial_activation);
  if (in.has("initial_fibre_length"))
    out.initial_fibre_length = in.positive("initial_fibre_length", units.length);
  out.excitation = read_excitation(in);
  if (const JsonNode* feedback = in.find("feedback"))
    out.feedback = read_feedback(in, *feedback, skeleton);
  try {
    check_hill_muscle(hill, in.element());
    check_activation(out.activation, in.element());
  } catch (const Error& error) {
    throw in.context().located(error, node.line);
  }
  return out;
}

}  // namespace sinew
