#pragma once

#include <set>

#include "sinew/strands/strand_route.hpp"

/// Free nodes that pass rings and guides: docs/theory/strands.md, §6.

namespace sinew {

/// A stretch of a strand whose free nodes pass what lies on its way. Its *slots* are its material
/// nodes, in order; the first and the last stay where they are. Between the straight *spans* of
/// its way lie *gates*: rings that material flows through, tubes, and guides. The nodes between the
/// last one in front of a gate and the first one behind it are *inside*: they stand for nothing,
/// and their material is part of the section that passes the gate. Which ones these are, two
/// numbers for each gate, is in coordinates of the strands, the u of two nodes on a line:
/// everything that reads a state reads them, too.
struct StrandRun {
  struct Slot {
    int node;
    double s;
    double width = 0;  ///< half of the material up to its neighbours; zero at the ends
  };
  /// A span's piece of the way without slots, and whether it is what lies before the guide of that
  /// piece, or behind it.
  enum class Side { whole, before, behind };
  struct Span {
    size_t piece;
    Side side;
  };
  struct Gate {
    int before, behind;  ///< nodes whose u are the slots on both sides of it
    size_t first;        ///< its first obstruction, counted along the way
    size_t count = 1;    ///< and how many it has: a tube has one for each of its nodes
  };
  /// The slots beside each gate.
  struct Beside {
    int before, behind;
    bool operator==(const Beside&) const = default;
  };
  using Order = std::vector<Beside>;  ///< of all gates

  size_t strand = 0;
  std::vector<Slot> slots;
  StrandRoute way;  ///< from the first slot to the last, without those between
  std::vector<Span> spans;
  std::vector<Gate> gates;
  int room = 0;    ///< the most slots from one end of a section to the other
  int number = 1;  ///< of its first section, along the strand
  // indices of sections
  size_t plain = 0;                  ///< the first of those between neighbouring slots
  std::vector<size_t> through = {};  ///< from gate f to gate g at f · gates + g

  int last() const { return static_cast<int>(slots.size()) - 1; }
  bool passes(int slot) const { return slot > 0 && slot < last(); }
  const Slot& slot(int k) const { return slots[static_cast<size_t>(k)]; }
  size_t section_through(size_t f, size_t g) const { return through[f * gates.size() + g]; }
  /// The way through the gates f to g, its ends those of the run.
  StrandRoute way_through(size_t f, size_t g) const;

  /// Calls plain(slot) for each section from a slot to the next, and passing(f, g) for each that
  /// passes the gates f to g, in order.
  template <class Plain, class Passing>
  void for_each_section(const Order& order, Plain&& plain_one, Passing&& passing) const {
    int at = 0;
    for (size_t f = 0; f < gates.size();) {
      size_t g = f;
      while (g + 1 < gates.size() && order[g + 1].before == order[f].before) ++g;
      for (; at < order[f].before; ++at) plain_one(at);
      passing(f, g);
      at = order[g].behind;
      f = g + 1;
    }
    for (; at < last(); ++at) plain_one(at);
  }
};

/// A node that is about to go inside a gate, or to come out of one.
struct Passage {
  bool found = false;
  size_t run = 0;
  bool appears = false;
  int slot = 0;
  size_t f = 0, g = 0;  ///< gates that it is inside of
  size_t span = 0;      ///< in which it appears: f, …, g + 1
};

/// Divides the ways of strands into runs and what lies between.
class RunFinder {
 public:
  RunFinder(RouteFinder& finder, std::vector<StrandNode>& nodes,
            const std::vector<StrandGuide>& guides, const std::vector<Strand>& strands);

  /// The runs of a strand on its way, which is without nodes that start inside a gate. Adds the
  /// nodes for their gates.
  std::vector<StrandRun> find(size_t strand, const StrandRoute& route);

 private:
  /// Throws an Error if nodes that should pass cannot.
  void check(size_t strand, const StrandRoute& route) const;
  StrandRun make_run(size_t strand, const StrandRoute& route, size_t first, size_t last) const;
  void add_gates(StrandRun& run, const StrandRoute& route, size_t first, size_t last);

  RouteFinder& finder_;
  std::vector<StrandNode>& nodes_;
  const std::vector<StrandGuide>& guides_;
  const std::vector<Strand>& strands_;
  std::map<std::string, int> uses_;  ///< of nodes, by strands and as control points
  std::set<std::string> passing_;
};

}  // namespace sinew
