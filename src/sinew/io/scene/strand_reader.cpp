#include "sinew/io/scene/strand_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sinew {
namespace {

constexpr double kMostNodes = 20000;

/// {"guide"} between two nodes: added to the one before it. {"guide", "s"}: a place on its rim.
void read_guide_point(const ObjectReader& in, const JsonNode& node, bool last,
                      std::vector<StrandPoint>& out) {
  if (node.find("s") != nullptr) {
    const ObjectReader rim(in.context(), node, in.element(), scene_keys::kRimPoint);
    StrandPoint& point = out.emplace_back();
    point.guide = rim.name("guide");
    point.s = rim.number("s", in.context().units.length);
    if (rim.has("wound")) point.wound = rim.not_negative_or("wound", 0);
    return;
  }
  const ObjectReader guide(in.context(), node, in.element(), scene_keys::kPassedGuide);
  if (out.empty() || !out.back().guide.empty() || last)
    in.fail(node.line, "has a guide that is not between two nodes",
            "name a node before and after it, or give the 's' that is held on its rim");
  out.back().guide = guide.name("guide");
  if (!guide.has("turns")) return;
  const double turns = guide.not_negative_or("turns", 0);
  if (turns != std::floor(turns) || turns > 1000)
    guide.fail(guide.at("turns").line, "'turns' is not a whole number from 0 to 1000",
               "count whole turns; the rest follows from the nodes beside the guide");
  out.back().turns = static_cast<int>(turns);
}

/// "name" for material to flow through, {"node", "s"} for a material node, {"guide"} for a guide.
/// Ends are material: the first is at 0 and the last at "length" unless they say otherwise. Closed
/// strands have none.
std::vector<StrandPoint> read_points(const ObjectReader& in, bool closed,
                                     const StrandTubes& tubes) {
  const double length = in.context().units.length;
  const std::vector<JsonNode>& list = in.list("nodes");
  std::vector<StrandPoint> out;
  for (size_t k = 0; k < list.size(); ++k) {
    if (list[k].type == JsonNode::Type::object && list[k].find("guide") != nullptr) {
      const auto tube = tubes.find(in.ValueReader::name(*list[k].find("guide"), "guide"));
      if (tube == tubes.end()) {
        read_guide_point(in, list[k], !closed && k + 1 == list.size(), out);
        continue;
      }
      const ObjectReader passed(in.context(), list[k], in.element(), scene_keys::kPassedGuide);
      if ((!closed && (k == 0 || k + 1 == list.size())) || passed.has("turns"))
        in.fail(list[k].line, "does not run through tube '" + tube->first + "'",
                "give the tube by its name, between two nodes");
      for (const std::string& node : tube->second) {
        out.push_back({node, std::nullopt});
        out.back().tube = true;
      }
      out.back().tube = false;
      continue;
    }
    if (list[k].type == JsonNode::Type::object) {
      const ObjectReader point(in.context(), list[k], in.element(), scene_keys::kStrandPoint);
      out.push_back({point.name("node"), point.number("s", length)});
      out.back().passes = point.boolean_or("passes", false);
      continue;
    }
    out.push_back({in.ValueReader::name(list[k], "nodes"), std::nullopt});
    if (k == 0 && !closed) out.back().s = 0;
  }
  if (closed) return out;
  if (out.empty() || out.back().s) {
    if (in.has("length"))
      in.fail(in.at("length").line, "has a 'length' beside the 's' of its last node",
              "give one of them");
    return out;
  }
  if (out.size() > 1) out.back().s = out.front().s.value_or(0) + in.positive("length", length);
  return out;
}

StretchLaw read_law(const ObjectReader& in) {
  const Units& units = in.context().units;
  StretchLaw out;
  if (in.has("stiffness")) out.elastic = LinearStretch{in.positive("stiffness", units.force())};
  if (in.has("table")) {
    const ObjectReader table(in.context(), in.at("table"), in.element(), scene_keys::kTensionTable);
    out.elastic = TableStretch{table.numbers(table.at("strain"), -1, "strain"),
                               table.numbers(table.at("tension"), -1, "tension", units.force())};
  }
  if (in.has("tendon")) {
    const ObjectReader tendon(in.context(), in.at("tendon"), in.element(), scene_keys::kTendon);
    TendonStretch curve;
    curve.force = tendon.positive("force", units.force());
    curve.strain = tendon.positive_or("strain", curve.strain);
    out.elastic = curve;
  }
  out.damping = in.not_negative_or("damping", 0, units.force());
  out.slack = in.boolean_or("slack", true);
  return out;
}

void read_length_model(const ObjectReader& in, Strand& out) {
  const bool inextensible = in.boolean_or("inextensible", false);
  const int laws = in.has("stiffness") + in.has("table") + in.has("tendon");
  if (laws + inextensible != 1)
    in.fail(in.line(), "needs one of 'stiffness', 'table', 'tendon' and 'inextensible'",
            "say how its tension grows with its strain, or that it does not stretch");
  if (!inextensible) {
    out.law = read_law(in);
    return;
  }
  if (in.has("damping"))
    in.fail(in.at("damping").line, "has a 'damping', but does not stretch", "leave it out");
  out.length = in.boolean_or("slack", false) ? StrandLength::at_most : StrandLength::fixed;
}

}  // namespace

Strand read_strand(const SceneContext& context, const JsonNode& node, const StrandTubes& tubes,
                   double& spacing) {
  const ObjectReader unnamed(context, node, "strand", scene_keys::kStrand);
  Strand out;
  out.name = unnamed.name("name");
  const ObjectReader in(context, node, "strand '" + out.name + "'", scene_keys::kStrand);
  const Units& units = context.units;
  const bool closed = in.boolean_or("closed", false);
  out.points = read_points(in, closed, tubes);
  if (closed) {
    if (in.has("spacing"))
      in.fail(in.at("spacing").line, "is closed, and has no stretch that could be divided",
              "leave 'spacing' out");
    out.loop = in.positive("length", units.length);
    out.speed = in.number_or("speed", 0, units.length);
    if (in.has("ends")) in.fail(in.at("ends").line, "has 'ends', but is closed", "leave them out");
  } else if (in.has("speed")) {
    in.fail(in.at("speed").line, "has a 'speed', but is not closed",
            "give the velocities of its nodes, or \"closed\": true");
  }
  out.density = in.not_negative_or("density", 0, units.mass / units.length);
  out.mass_model = in.choice_or("mass_model", 0, {"continuous", "lumped"}) == 1
                       ? StrandMass::lumped
                       : StrandMass::continuous;
  out.velocity_terms = in.boolean_or("velocity_terms", out.velocity_terms);
  out.gravity = in.boolean_or("gravity", out.gravity);
  out.ends = static_cast<StrandEnds>(in.choice_or("ends", 0, {"stop", "knot", "release"}));
  read_length_model(in, out);
  spacing = 0;
  if (!in.has("spacing") || closed) return out;
  spacing = in.positive("spacing", units.length);
  if (out.points.size() > 1 && out.rest_length() > spacing * kMostNodes)
    in.fail(in.at("spacing").line, "is divided into too many pieces",
            "give a larger 'spacing': at most 20000 nodes");
  return out;
}

}  // namespace sinew
