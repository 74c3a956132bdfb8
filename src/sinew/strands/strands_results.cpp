#include "sinew/strands/strands.hpp"

// Tables and pictures.

namespace sinew {

std::vector<StrandReading> Strands::read(const PartAt& at, PartScratch& scratch) const {
  auto& ws = static_cast<StrandScratch&>(scratch);
  update_nodes(at, ws);
  std::vector<StrandReading> out;
  for (size_t i = 0; i < sections_.size(); ++i) {
    const Section& section = sections_[i];
    gather(section, false, ws);
    const double tension = section.element.pull(ws.motion).stretch.tension;
    std::vector<double> s;
    section.element.material(ws.motion, s);
    const bool last = i + 1 == sections_.size() || sections_[i + 1].strand != section.strand;
    const size_t count = section.nodes.size();
    for (size_t k = 0; k < (last ? count : count - 1); ++k) {
      StrandReading& row = out.emplace_back();
      row.strand = section.strand;
      row.section = section.number;
      row.node = section.nodes[k];
      row.material = k == 0 || k + 1 == count;
      row.x = ws.motion.x[k];
      row.s = s[k];
      if (k + 1 == count) continue;
      row.length = (ws.motion.x[k + 1] - ws.motion.x[k]).norm();
      row.tension = tension;
    }
  }
  return out;
}

PartColumns Strands::columns() const {
  PartColumns out{"strands", {}};
  for (const NodeTree::Mover& mover : tree_->movers())
    for (int i = 0; i < mover.size; ++i)
      out.names.push_back(nodes()[static_cast<size_t>(mover.node)].name + "_" +
                          (mover.size == 3 ? "xyz" : "uv")[i]);
  for (size_t i = 0; i < sections_.size(); ++i) {
    const Strand& strand = strands_[sections_[i].strand];
    const std::string number = std::to_string(sections_[i].number);
    out.names.push_back(strand.name + "_length_" + number);
    if (strand.length == StrandLength::elastic)
      out.names.push_back(strand.name + "_tension_" + number);
  }
  return out;
}

void Strands::measure(const PartAt& at, PartScratch& scratch, std::vector<double>& out) const {
  auto& ws = static_cast<StrandScratch&>(scratch);
  update_nodes(at, ws);
  const double* const own = at.skeleton.q.data() + at.dof;
  out.insert(out.end(), own, own + dof_count());
  for (const Section& section : sections_) {
    gather(section, false, ws);
    const SectionPull now = section.element.pull(ws.motion);
    out.push_back(now.length);
    if (strands_[section.strand].length == StrandLength::elastic)
      out.push_back(now.stretch.tension);
  }
}

void Strands::recall(std::span<const double> values, VecRef q) const {
  for (Eigen::Index k = 0; k < dof_count(); ++k) q[k] = values[static_cast<size_t>(k)];
}

std::vector<MovingShape> Strands::shapes() const {
  std::vector<MovingShape> out;
  for (const Strand& strand : strands_)
    out.push_back({strand.name, "strand", static_cast<int>(strand.points.size())});
  return out;
}

void Strands::draw(const PartAt& at, PartScratch& scratch, std::vector<double>& points) const {
  auto& ws = static_cast<StrandScratch&>(scratch);
  update_nodes(at, ws);
  for (size_t i = 0; i < sections_.size(); ++i) {
    const Section& section = sections_[i];
    const bool first = i == 0 || sections_[i - 1].strand != section.strand;
    for (size_t k = first ? 0 : 1; k < section.nodes.size(); ++k) {
      const Vec3& x = ws.nodes[static_cast<size_t>(section.nodes[k])].x;
      points.insert(points.end(), x.data(), x.data() + 3);
    }
  }
}

}  // namespace sinew
