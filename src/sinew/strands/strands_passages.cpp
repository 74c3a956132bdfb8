#include <algorithm>
#include <cmath>

#include "sinew/strands/strands.hpp"

// Which sections there are, and nodes that pass gates: docs/theory/strands.md, §6.

namespace sinew {
namespace {

/// A node goes inside when it is closer to a gate than this share of the distance between nodes,
/// and comes out when it is farther than that one: both together make one node for each gate that
/// rope runs through, and none goes to and fro.
constexpr double kDisappears = 0.25, kAppears = 0.75;
/// In addition, the distance that it goes in one step, with an allowance for acceleration.
constexpr double kStepAllowance = 1.5;
/// But no more than this many distances between nodes.
constexpr double kMostAhead = 1.5;

StrandScratch& passing_scratch(PartScratch& scratch) {
  return static_cast<StrandScratch&>(scratch);
}

}  // namespace

void Strands::prepare_passages(StrandScratch& ws) const {
  ws.used.reserve(sections_.size());
  for (const int way : ways_)
    if (way >= 0) ws.used.push_back(way);
  if (!rearranges()) return;
  ws.released.assign(releases_.size(), {-1, -1});
  ws.inside.assign(tree_->movers().size(), 0);
  Eigen::Index widest = 0;
  for (size_t k = 0; k < sections_.size(); ++k) {
    if (changing_[k] >= 0) ws.passing.push_back(sections_[k]);
    // Sections that come into use later allocate nothing.
    const size_t nodes = sections_[k].nodes.size();
    const auto n = 3 * static_cast<Eigen::Index>(nodes);
    ws.sections[k].masses.reserve(nodes * nodes);
    ws.sections[k].all.reserve(nodes * nodes);
    SectionTerms& terms = ws.terms_of(k).by_nodes;
    terms.f.setZero(n);
    for (MatX* matrix : {&terms.M, &terms.K, &terms.D}) matrix->setZero(n, n);
    widest = std::max(widest, n);
  }
  ws.place.X.setZero(3, widest);
  size_t gates = 0;
  for (const StrandRun& run : runs_) gates = std::max(gates, run.gates.size());
  ws.order_before.reserve(gates);
  ws.order_after.reserve(gates);
  for (const StrandRun& run : runs_) {
    ws.order.emplace_back(run.gates.size(), StrandRun::Beside{-1, -1});
    const size_t most = run.gates.back().first + run.gates.back().count;
    ws.obstructions.reserve(std::max(ws.obstructions.capacity(), most + 1));
  }
}

void Strands::arrange(const PartAt& at, StrandScratch& ws) const {
  if (!rearranges()) return;
  const auto read = [&](int node, int least, int most) {
    const int mover = place_of(node).mover;
    const int first = tree_->movers()[static_cast<size_t>(mover)].first;
    // Not clamp, which passes on a NaN of a step that goes wrong.
    const double value = std::round(at.skeleton.q[at.dof + first]);
    return static_cast<int>(std::fmin(std::fmax(value, least), most));
  };
  bool changed = false;
  for (size_t r = 0; r < runs_.size(); ++r)
    for (size_t f = 0; f < runs_[r].gates.size(); ++f) {
      const int before = read(runs_[r].gates[f].before, 0, runs_[r].last() - 1);
      const StrandRun::Beside now{before,
                                  read(runs_[r].gates[f].behind, before + 1, runs_[r].last())};
      changed |= !(ws.order[r][f] == now);
      ws.order[r][f] = now;
    }
  for (size_t r = 0; r < releases_.size(); ++r) {
    const Release& release = releases_[r];
    std::array<int, 2> now = {0, 0};
    for (size_t side = 0; side < 2; ++side)
      if (release.count[side] >= 0)
        now[side] = read(release.count[side], 0,
                         std::min(release.most[side], release.rings() - (side == 0 ? 0 : now[0])));
    changed |= ws.released[r] != now;
    ws.released[r] = now;
  }
  if (!changed) return;
  ws.used.clear();
  std::fill(ws.inside.begin(), ws.inside.end(), char{0});
  for (const int way : ways_) {
    if (way >= 0) {
      ws.used.push_back(static_cast<int>(current(static_cast<size_t>(way), ws)));
      continue;
    }
    const StrandRun& run = runs_[static_cast<size_t>(-1 - way)];
    const StrandRun::Order& order = ws.order[static_cast<size_t>(-1 - way)];
    run.for_each_section(
        order, [&](int slot) { ws.used.push_back(static_cast<int>(run.plain) + slot); },
        [&](size_t f, size_t g) {
          const size_t index = run.section_through(f, g);
          const int from = order[f].before, to = order[g].behind;
          Section& placed = ws.passing[static_cast<size_t>(changing_[index])];
          placed.nodes.front() = run.slot(from).node;
          placed.nodes[placed.pieces.size()] = run.slot(to).node;
          placed.number = run.number + from;
          placed.inside = to - from - 1;
          placed.element.set_material(run.slot(from).s, run.slot(to).s);
          ws.sections[index].masses.clear();
          ws.sections[index].all.clear();
          ws.used.push_back(static_cast<int>(index));
          for (int k = from + 1; k < to; ++k)
            ws.inside[static_cast<size_t>(place_of(run.slot(k).node).mover)] = 1;
        });
  }
}

void Strands::lay_out_run(const StrandRun& run, int first, NodeLayout& layout) const {
  // Every slot may become an end of a section through any gate, with one at most `room` away.
  std::vector<int> gates;
  for (size_t k = 1; k + 1 < run.way.stops.size(); ++k) gates.push_back(run.way.stops[k].node);
  for (const RoutePiece& piece : run.way.pieces)
    for (int k = 0; piece.guide >= 0 && k < 4; ++k)
      gates.push_back(first_frame_ + 4 * piece.guide + k);
  connect_nodes(gates, first, layout);
  std::vector<int> pair(2);
  for (int k = 0; k <= run.last(); ++k) {
    pair[0] = run.slot(k).node;
    const auto connect = [&](int node) {
      pair[1] = node;
      connect_nodes(pair, first, layout);
    };
    for (const int gate : gates) connect(gate);
    for (int n = k; n <= std::min(run.last(), k + run.room); ++n) connect(run.slot(n).node);
  }
}

/// At one section: first whoever can come out, so that sections stay short.
Passage Strands::passage_at(size_t r, size_t f, size_t g, double h, StrandScratch& ws) const {
  const StrandRun& run = runs_[r];
  const StrandRun::Order& order = ws.order[r];
  const Section& section = this->section(run.section_through(f, g), ws);
  const StrandSection& element = section.element;
  const int from = order[f].before, to = order[g].behind;
  ws.obstructions.clear();
  const double length = element.append_obstructions(ws.motion, ws.obstructions);
  if (!(length > 0)) return {};
  const double per_length = element.rest_length() / length;
  const auto material = [&](double arc) { return run.slot(from).s + arc * per_length; };
  /// How fast a point of the way approaches the gate, in material.
  const auto ahead = [&](const Vec3& v, size_t piece, int end) {
    PieceLength of;
    element.update_piece(ws.motion, piece, false, of);
    const bool around = element.surface(piece) != nullptr;
    const size_t gate = element.piece_node(piece, around ? 2 : 1 - end);
    const double speed = (ws.motion.v[gate] - v).dot(of.gradient(end)) * per_length;
    return kStepAllowance * std::max(0.0, speed) * std::abs(h);
  };
  const auto speed_of = [&](int slot) {
    element.update_material_point(ws.motion, run.slot(slot).s, ws.place);
    Vec3 v = Vec3::Zero();
    for (size_t b = 0; b < section.nodes.size(); ++b)
      v += ws.place.X.middleCols<3>(3 * static_cast<Eigen::Index>(b)) * ws.motion.v[b];
    return v;
  };
  const size_t last_piece = section.pieces.size() - 1;
  const double entry = material(ws.obstructions.front().entry),
               exit = material(ws.obstructions.back().exit);
  if (to - from > 1) {
    const int k = from + 1, n = to - 1;
    const double out = kAppears * run.slot(k).width;
    if (entry - run.slot(k).s > out && entry - run.slot(k).s > 2 * ahead(speed_of(k), 0, 0))
      return {true, r, true, k, f, g, f};
    const double behind = kAppears * run.slot(n).width;
    if (run.slot(n).s - exit > behind &&
        run.slot(n).s - exit > 2 * ahead(speed_of(n), last_piece, 1))
      return {true, r, true, n, f, g, g + 1};
    for (size_t e = f; e < g; ++e) {
      const size_t next = run.gates[e + 1].first - run.gates[f].first;
      for (int m = k; m <= n; ++m) {
        const double clear = kAppears * run.slot(m).width;
        if (run.slot(m).s - material(ws.obstructions[next - 1].exit) > clear &&
            material(ws.obstructions[next].entry) - run.slot(m).s > clear)
          return {true, r, true, m, f, g, e + 1};
      }
    }
  }
  const auto goes = [&](int slot, double distance, double reach) {
    const double width = run.slot(slot).width;
    return distance < std::clamp(reach, kDisappears * width, kMostAhead * width);
  };
  if (run.passes(from) && goes(from, entry - run.slot(from).s, ahead(ws.motion.v[0], 0, 0))) {
    const Passage out{true, r, false, from, f, g, f};
    if (may_disappear(out, ws)) return out;
  }
  if (run.passes(to) &&
      goes(to, run.slot(to).s - exit, ahead(ws.motion.v[last_piece + 1], last_piece, 1))) {
    const Passage out{true, r, false, to, f, g, g + 1};
    if (may_disappear(out, ws)) return out;
  }
  return {};
}

void Strands::count(const Passage& passage, StrandRun::Order& order) const {
  const auto [found, r, appears, slot, f, g, span] = passage;
  if (appears) {
    // In front of the gates from its span on, behind those before.
    for (size_t e = f; e <= g; ++e) (e < span ? order[e].behind : order[e].before) = slot;
    return;
  }
  if (span == f) {
    const bool alone = f > 0 && order[f - 1].behind == slot;
    const int before = alone ? order[f - 1].before : slot - 1;
    for (size_t e = f; e <= g; ++e) order[e].before = before;
    for (size_t e = f; alone && e > 0 && order[e - 1].behind == slot; --e)
      order[e - 1].behind = order[g].behind;
    return;
  }
  const bool alone = g + 1 < order.size() && order[g + 1].before == slot;
  const int behind = alone ? order[g + 1].behind : slot + 1;
  for (size_t e = f; e <= g; ++e) order[e].behind = behind;
  for (size_t e = g + 1; alone && e < order.size() && order[e].before == slot; ++e)
    order[e].before = order[f].before;
}

/// There must be room for the section that it leaves.
bool Strands::may_disappear(const Passage& passage, StrandScratch& ws) const {
  const StrandRun& run = runs_[passage.run];
  StrandRun::Order& after = ws.order_after;
  after = ws.order[passage.run];
  count(passage, after);
  return std::all_of(after.begin(), after.end(), [&](const StrandRun::Beside& gate) {
    return gate.behind - gate.before <= run.room;
  });
}

Passage Strands::find_passage(const PartAt& at, double h, StrandScratch& ws) const {
  update_nodes(at, ws);
  Passage out;
  for (size_t r = 0; r < runs_.size() && !out.found; ++r)
    runs_[r].for_each_section(
        ws.order[r], [](int) {},
        [&](size_t f, size_t g) {
          if (out.found) return;
          gather(at, section(runs_[r].section_through(f, g), ws), false, ws);
          out = passage_at(r, f, g, h, ws);
        });
  return out;
}

bool Strands::must_rearrange(const PartAt& at, double h, PartScratch& scratch) const {
  StrandScratch& ws = passing_scratch(scratch);
  // Room for the first passage. A state has no more coordinates than there are.
  for (size_t c = 0; c < 3 && ws.impulse[c].size() == 0; ++c)
    for (VecX* room : {&ws.impulse[c], &ws.on_state[c], &ws.response[c]})
      room->resize(at.skeleton.q.size());
  ws.slips_out = find_slip_out(at, ws);
  if (ws.slips_out.found) return true;
  ws.next = find_passage(at, h, ws);
  return ws.next.found;
}

void Strands::rearrange(PartChange& change, PartScratch& scratch) const {
  StrandScratch& ws = passing_scratch(scratch);
  if (ws.slips_out.found)
    slip_out(change, ws);
  else if (ws.next.appears)
    appear(change, ws);
  else
    disappear(change, ws);
}

void Strands::write_order(size_t r, const StrandRun::Order& order, VecRef own) const {
  const auto write = [&](int node, int value) {
    own[tree_->movers()[static_cast<size_t>(place_of(node).mover)].first] = value;
  };
  for (size_t f = 0; f < order.size(); ++f) {
    write(runs_[r].gates[f].before, order[f].before);
    write(runs_[r].gates[f].behind, order[f].behind);
  }
}

/// It goes to where its material is: positions and velocities of all material stay as they are.
void Strands::appear(PartChange& change, StrandScratch& ws) const {
  const Passage next = ws.next;
  const StrandRun& run = runs_[next.run];
  const PartAt at = change.at();
  update_nodes(at, ws);
  const Section& section = this->section(run.section_through(next.f, next.g), ws);
  gather(at, section, false, ws);
  section.element.update_material_point(ws.motion, run.slot(next.slot).s, ws.place);
  Vec3 v = Vec3::Zero();
  for (size_t b = 0; b < section.nodes.size(); ++b)
    v += ws.place.X.middleCols<3>(3 * static_cast<Eigen::Index>(b)) * ws.motion.v[b];
  ws.order_after = ws.order[next.run];
  count(next, ws.order_after);
  write_order(next.run, ws.order_after, change.q());
  const int node = run.slot(next.slot).node;
  const int own = tree_->movers()[static_cast<size_t>(place_of(node).mover)].first;
  change.q().segment<3>(own) = ws.place.x;
  change.qdot().segment<3>(own) = v;
}

void Strands::pull_back(const PartAt& at, const StrandScratch& ws, int node, const Vec3& f,
                        VecX& out) const {
  const Place& place = place_of(node);
  const auto J = columns_of(ws, node);
  for (const NodeCoordinate& by : place.coordinates) {
    const int index =
        by.dof >= 0 ? by.dof
                    : at.dof + tree_->movers()[static_cast<size_t>(by.mover)].first + by.entry;
    out[index] += J.col(by.column).dot(f);
  }
}

/// Its velocity first becomes that of its material in the section that it leaves behind, by an
/// impulse between them: with G = ∂(ẋ − X ẋ_section)/∂q̇, q̇ ← q̇ − M⁻¹Gᵀ(G M⁻¹Gᵀ)⁻¹ G q̇.
void Strands::disappear(PartChange& change, StrandScratch& ws) const {
  const Passage next = ws.next;
  const StrandRun& run = runs_[next.run];
  const int node = run.slot(next.slot).node;
  const int own = tree_->movers()[static_cast<size_t>(place_of(node).mover)].first;
  ws.order_after = ws.order[next.run];
  ws.order_before = ws.order_after;
  count(next, ws.order_after);
  write_order(next.run, ws.order_after, change.q());
  {
    const PartAt at = change.at();
    update_nodes(at, ws);
    update_jacobians(at, nullptr, ws);
    const StrandRun::Order& order = ws.order_after;
    size_t f = next.f, g = next.g;
    while (f > 0 && order[f - 1].before == order[f].before) --f;
    while (g + 1 < order.size() && order[g + 1].before == order[f].before) ++g;
    const Section& section = this->section(run.section_through(f, g), ws);
    gather(at, section, false, ws);
    section.element.update_material_point(ws.motion, run.slot(next.slot).s, ws.place);
    ws.excess = ws.nodes[static_cast<size_t>(node)].v;
    for (size_t b = 0; b < section.nodes.size(); ++b)
      ws.excess -= ws.place.X.middleCols<3>(3 * static_cast<Eigen::Index>(b)) * ws.motion.v[b];
    for (int c = 0; c < 3; ++c) {
      VecX& G = ws.impulse[static_cast<size_t>(c)];
      G.setZero(at.skeleton.q.size());
      pull_back(at, ws, node, Vec3::Unit(c), G);
      for (size_t b = 0; b < section.nodes.size(); ++b)
        pull_back(at, ws, section.nodes[b],
                  -ws.place.X.middleCols<3>(3 * static_cast<Eigen::Index>(b)).row(c).transpose(),
                  G);
    }
  }
  write_order(next.run, ws.order_before, change.q());
  change.at();
  Mat3 S;
  for (size_t c = 0; c < 3; ++c) {
    change.respond(ws.impulse[c], ws.on_state[c], ws.response[c]);
  }
  for (size_t c = 0; c < 3; ++c)
    for (size_t d = 0; d < 3; ++d)
      S(static_cast<Eigen::Index>(c), static_cast<Eigen::Index>(d)) =
          ws.on_state[c].dot(ws.response[d]);
  const Vec3 lambda = S.ldlt().solve(ws.excess);
  for (int c = 0; c < 3; ++c) change.add_rates(-lambda[c], ws.response[static_cast<size_t>(c)]);
  write_order(next.run, ws.order_after, change.q());
  change.q().segment<3>(own).setZero();
  change.qdot().segment<3>(own).setZero();
}

}  // namespace sinew
