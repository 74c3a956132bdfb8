#include "sinew/strands/strands.hpp"

// What ends a run of strands: docs/theory/strands.md, §7.

namespace sinew {
namespace {

const StrandScratch& event_scratch(const PartScratch& scratch) {
  return static_cast<const StrandScratch&>(scratch);
}

const char* name_of(StrandEvent::Kind kind) {
  switch (kind) {
    case StrandEvent::Kind::end_reached:
      return "end_reached";
    case StrandEvent::Kind::nodes_met:
      return "nodes_met";
    case StrandEvent::Kind::piece_gone:
      return "piece_gone";
    case StrandEvent::Kind::guide_reached:
      return "guide_reached";
    case StrandEvent::Kind::unwound:
      return "unwound";
    case StrandEvent::Kind::guide_left:
      return "guide_left";
    case StrandEvent::Kind::guide_lost:
      return "guide_lost";
  }
  return "";
}

}  // namespace

StrandEvent Strands::event_at(StrandEvent::Kind kind, const Section& section, size_t piece) const {
  return {kind, section.strand, section.nodes[piece], section.nodes[piece + 1],
          section.pieces[piece].guide};
}

StrandEvent Strands::lost_piece(const Section& section, size_t piece) const {
  using Kind = StrandEvent::Kind;
  StrandEvent out = event_at(Kind::nodes_met, section, piece);
  const bool first = piece == 0, last = piece + 1 == section.pieces.size();
  if (section.element.is_closed() || !(first || last)) return out;
  if (last) std::swap(out.node, out.other);
  const std::vector<StrandPoint>& points = strands_[section.strand].points;
  const std::string& held = nodes()[static_cast<size_t>(out.node)].name;
  const bool end = held == (last ? points.back() : points.front()).node;
  out.kind = end ? Kind::end_reached : Kind::piece_gone;
  return out;
}

bool Strands::foresees() const {
  return std::any_of(sections_.begin(), sections_.end(),
                     [](const Section& s) { return s.may_end; });
}

EventAhead Strands::look_ahead(const PartAt& at, PartScratch& scratch) const {
  auto& ws = static_cast<StrandScratch&>(scratch);
  update_nodes(at, ws);
  EventAhead out;
  PieceLength piece;
  for_each_section(ws, [&](size_t i, const Section& section) {
    const StrandSection& element = section.element;
    if (!section.may_end) return;
    gather(at, section, false, ws);
    for (size_t k = 0; k < section.pieces.size(); ++k) {
      if (element.surface(k) != nullptr) continue;  // evaluating it tells
      element.update_piece(ws.motion, k, false, piece);
      const double approach =
          -piece.gradient(0).dot(ws.motion.v[k]) - piece.gradient(1).dot(ws.motion.v[k + 1]);
      if (approach <= 0 || piece.length >= out.time * approach) continue;
      // Before the next step it will have slipped out.
      if (piece.length <= kGone * element.rest_length() && slips_out(i, k, ws)) continue;
      out.time = piece.length / approach;
      out.reached = piece.length <= kGone * element.rest_length();
      ws.ahead = {i, k};
    }
  });
  return out;
}

PartEvent Strands::event_ahead(const PartScratch& scratch) const {
  const StrandScratch& ws = event_scratch(scratch);
  return describe(lost_piece(section(ws.ahead.section, ws), ws.ahead.piece));
}

std::optional<StrandEvent> Strands::event(const PartScratch& scratch) const {
  using Kind = StrandEvent::Kind;
  const StrandScratch& ws = event_scratch(scratch);
  if (ws.failed < 0) return {};
  const auto index = static_cast<size_t>(ws.failed);
  const Section& section = this->section(index, ws);
  const SectionPull& pull = ws.sections[index].pull;
  if (pull.status == SpanStatus::anchor_inside) {
    StrandEvent out = event_at(Kind::guide_reached, section, pull.worst);
    const Vec3 middle = ws.nodes[static_cast<size_t>(first_frame_ + 4 * out.guide)].x;
    const auto away = [&](int node) {
      return (ws.nodes[static_cast<size_t>(node)].x - middle).norm();
    };
    if (away(out.other) < away(out.node)) std::swap(out.node, out.other);
    return out;
  }
  if (sinew::failed(pull.status)) {
    const bool drum = section.pieces[pull.worst].hold != RimHold::none;
    const bool off = drum && pull.status == SpanStatus::no_path;
    StrandEvent out = event_at(off ? Kind::unwound : Kind::guide_lost, section, pull.worst);
    out.status = pull.status;
    return out;
  }
  const std::vector<GuideSlip>& slips = ws.terms_of(index).sliding.slips;
  for (size_t k = 0; section.element.is_sliding() && k < slips.size(); ++k)
    if (slips[k].lifted)
      return event_at(Kind::guide_left, section, section.element.slips()[k].piece);
  if (!have_met(section, pull) && section.pieces[pull.worst].rim >= 0)
    return event_at(Kind::guide_left, section, pull.worst);
  return lost_piece(section, pull.closest);
}

PartEvent Strands::failure(const PartScratch& scratch) const {
  const std::optional<StrandEvent> event = this->event(scratch);
  return event ? describe(*event) : PartEvent{};
}

PartEvent Strands::describe(const StrandEvent& event) const {
  using Kind = StrandEvent::Kind;
  const Strand& of = strands_[event.strand];
  const std::string strand = quoted(of);
  const auto name = [&](int k) { return nodes()[static_cast<size_t>(k)].name; };
  const auto node = [&](int k) { return "'" + name(k) + "'"; };
  const bool at_guide = event.guide >= 0;
  const std::string guide = at_guide ? guides_[static_cast<size_t>(event.guide)].name : "",
                    quoted_guide = "guide '" + guide + "'";
  PartEvent out;
  out.kind = name_of(event.kind);
  out.element = of.name;
  out.node = name(event.node);
  out.at = at_guide ? guide : name(event.other);
  switch (event.kind) {
    case Kind::end_reached:
      out.text = "end " + node(event.node) + " of " + strand + " has reached " + node(event.other);
      out.wanted = of.ends == StrandEnds::release;
      break;
    case Kind::nodes_met:
    case Kind::piece_gone:
      out.text =
          "nodes that met on " + strand + ": " + node(event.node) + " and " + node(event.other);
      break;
    case Kind::guide_reached:
      out.text =
          "node " + node(event.node) + " of " + strand + ", which has reached " + quoted_guide;
      break;
    case Kind::unwound:
      out.text = strand + " has unwound from " + quoted_guide;
      break;
    case Kind::guide_left:
      out.text =
          strand + " has lifted off " + quoted_guide + ", which " +
          (guides_[static_cast<size_t>(event.guide)].hold == GuideHold::grip ? "it should turn"
                                                                             : "has friction");
      break;
    case Kind::guide_lost:
      out.text = strand + " has lost its way around " + quoted_guide + " (" +
                 sinew::name_of(event.status) + ")";
      break;
  }
  return out;
}

}  // namespace sinew
