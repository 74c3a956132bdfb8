#include "sinew/strands/strands.hpp"

// Why strands could not be evaluated.

namespace sinew {

std::optional<StrandEvent> Strands::event(const PartScratch& scratch) const {
  using Kind = StrandEvent::Kind;
  const auto& ws = static_cast<const StrandScratch&>(scratch);
  if (ws.failed < 0) return {};
  const auto index = static_cast<size_t>(ws.failed);
  const Section& section = this->section(index, ws);
  const SectionPull& pull = ws.sections[index].pull;
  const auto at = [&](Kind kind, size_t piece) {
    return StrandEvent{kind,
                       section.strand,
                       section.nodes[piece],
                       section.nodes[piece + 1],
                       section.pieces[piece].guide,
                       pull.status};
  };
  if (pull.status == SpanStatus::anchor_inside) {
    StrandEvent out = at(Kind::guide_reached, pull.worst);
    const Vec3 middle = ws.nodes[static_cast<size_t>(first_frame_ + 4 * out.guide)].x;
    const auto away = [&](int node) {
      return (ws.nodes[static_cast<size_t>(node)].x - middle).norm();
    };
    if (away(out.other) < away(out.node)) std::swap(out.node, out.other);
    return out;
  }
  if (sinew::failed(pull.status)) {
    const bool drum = section.pieces[pull.worst].hold != RimHold::none;
    return at(drum && pull.status == SpanStatus::no_path ? Kind::unwound : Kind::guide_lost,
              pull.worst);
  }
  const std::vector<GuideSlip>& slips = ws.sections[index].sliding.slips;
  for (size_t k = 0; section.element.is_sliding() && k < slips.size(); ++k)
    if (slips[k].lifted) return at(Kind::guide_left, section.element.slips()[k].piece);
  return at(Kind::nodes_met, pull.closest);
}

std::string Strands::failure(const PartScratch& scratch) const {
  const std::optional<StrandEvent> event = this->event(scratch);
  if (!event) return "";
  const std::string strand = "strand '" + strands_[event->strand].name + "'";
  const auto node = [&](int k) { return "'" + nodes()[static_cast<size_t>(k)].name + "'"; };
  const std::string guide =
      event->guide < 0 ? "" : quoted(guides_[static_cast<size_t>(event->guide)]);
  switch (event->kind) {
    case StrandEvent::Kind::nodes_met:
      return "nodes that met on " + strand + ": " + node(event->node) + " and " +
             node(event->other);
    case StrandEvent::Kind::guide_reached:
      return "node " + node(event->node) + " of " + strand + ", which has reached " + guide;
    case StrandEvent::Kind::unwound:
      return strand + " has unwound from " + guide;
    case StrandEvent::Kind::guide_left:
      return strand + " has lifted off " + guide + ", which has friction";
    case StrandEvent::Kind::guide_lost:
      break;
  }
  return strand + " has lost its way around " + guide + " (" + name_of(event->status) + ")";
}

}  // namespace sinew
