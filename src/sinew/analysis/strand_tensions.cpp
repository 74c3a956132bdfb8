#include "sinew/analysis/strand_tensions.hpp"

#include <algorithm>

namespace sinew {
namespace {

/// The number of a tension: sections of elastic strands, lengths of others.
int number_of(const Strand& strand, const StrandReading& node, bool behind) {
  if (strand.length == StrandLength::elastic) return node.section;
  return behind ? node.row_after : node.row;
}

}  // namespace

StrandTensions::StrandTensions(const System& system) : system_(system) {
  if (system.strands() == nullptr) return;
  Workspace ws(system);
  const auto add = [&](const StrandReading& node, bool behind) {
    const Strand& strand = system.strands()->strands()[node.strand];
    const int number = number_of(strand, node, behind), zone = behind ? node.zone_after : node.zone;
    if (find(node.strand, number, zone) >= 0 || strand.length == StrandLength::at_most) return;
    const std::string count = std::to_string(number);
    const std::string after =
        behind && zone > node.zone
            ? "_after_" + system.strands()->guides()[static_cast<size_t>(node.guide)].name
            : "";
    Place place{node.strand,
                number,
                zone,
                -1,
                strand.name + "_" + count + after,
                strand.name + "_tension_" + count + after};
    if (strand.length == StrandLength::fixed) {
      const auto& all = system.constraints();
      const auto found = std::find_if(all.begin(), all.end(),
                                      [&](const auto& c) { return c->name() == place.name; });
      if (found == all.end()) return;
      place.constraint = static_cast<int>(found - all.begin());
      held_ = true;
    }
    places_.push_back(std::move(place));
  };
  const std::vector<StrandReading> all = nodes(system.described_state(), ws);
  for (size_t k = 0; k < all.size(); ++k) {
    if (is_end(all, k)) continue;
    add(all[k], false);
    add(all[k], true);
  }
}

bool StrandTensions::is_end(const std::vector<StrandReading>& nodes, size_t k) {
  return k + 1 == nodes.size() || nodes[k + 1].strand != nodes[k].strand;
}

int StrandTensions::find(size_t strand, int number, int zone) const {
  for (size_t k = 0; k < places_.size(); ++k)
    if (places_[k].strand == strand && places_[k].number == number && places_[k].zone == zone)
      return static_cast<int>(k);
  return -1;
}

std::array<int, 2> StrandTensions::along(const StrandReading& node) const {
  const Strand& strand = system_.strands()->strands()[node.strand];
  return {find(node.strand, number_of(strand, node, false), node.zone),
          find(node.strand, number_of(strand, node, true), node.zone_after)};
}

std::vector<StrandReading> StrandTensions::nodes(const State& state, Workspace& ws) const {
  if (system_.strands() == nullptr) return {};
  update_kinematics(system_, state, ws);
  controls_at(system_, state, ws);
  const size_t part = system_.strands_index();
  return system_.strands()->read(part_at(system_, part, state, ws), *ws.parts[part]);
}

void StrandTensions::read(const State& state, const Controls& controls, Workspace& ws,
                          std::vector<double>& out) const {
  out.assign(places_.size(), 0);
  if (held_) {
    VecX qddot(state.q.size()), values(system_.controls().size());
    forward_dynamics(system_, at_state(state, controls, values), ws, qddot);
    const auto measured = measure_constraints(system_, state, ws);
    for (size_t k = 0; k < places_.size(); ++k)
      if (const int c = places_[k].constraint; c >= 0)
        out[k] = measured[static_cast<size_t>(c)].at(0).value;
  }
  const std::vector<StrandReading> all = nodes(state, ws);
  for (size_t i = 0; i < all.size(); ++i) {
    if (is_end(all, i)) continue;
    const std::array<int, 2> at = along(all[i]);
    const std::array<double, 2> tension{all[i].tension, all[i].tension_after};
    for (size_t side = 0; side < 2; ++side)
      if (at[side] >= 0 && places_[static_cast<size_t>(at[side])].constraint < 0)
        out[static_cast<size_t>(at[side])] = tension[side];
  }
}

}  // namespace sinew
