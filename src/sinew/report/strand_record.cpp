#include "sinew/report/strand_record.hpp"

#include "sinew/analysis/strand_tensions.hpp"
#include "sinew/report/report_frame.hpp"
#include "sinew/report/report_geometry.hpp"

namespace sinew {
namespace {

using nlohmann::ordered_json;

/// The index of the first strand's line among all that are drawn.
int first_line(const System& system) {
  int out = 0;
  const auto count = [&](const std::vector<MovingShape>& shapes) {
    for (const MovingShape& shape : shapes) out += shape.triangles.empty();
  };
  for (const auto& force : system.forces()) count(force->shapes());
  for (size_t k = 0; k < system.strands_index(); ++k) count(system.parts()[k]->shapes());
  return out;
}

ordered_json describe_node(const StrandNode& node, const StrandReading& at) {
  ordered_json out = {
      {"name", node.name}, {"kind", node.kind()}, {"material", at.material}, {"point", at.point}};
  if (const auto* rigid = std::get_if<RigidNode>(&node.place)) {
    out["body"] = rigid->body.value;
    out["position"] = numbers(rigid->x_B);
  }
  if (const auto* free = std::get_if<MaximalNode>(&node.place)) out["mass"] = free->mass;
  if (const auto* shaped = std::get_if<ShapedNode>(&node.place)) out["mass"] = shaped->mass;
  return out;
}

}  // namespace

ordered_json describe_strands(const System& system) {
  ordered_json out = ordered_json::array();
  if (system.strands() == nullptr) return out;
  const Strands& strands = *system.strands();
  int line = first_line(system);
  for (const Strand& strand : strands.strands())
    out.push_back({{"name", strand.name},
                   {"line", line++},
                   {"closed", strand.loop.has_value()},
                   {"length", strand.rest_length()},
                   {"mass", strand.density * strand.rest_length()},
                   {"nodes", ordered_json::array()},
                   {"tensions", ordered_json::array()}});
  const StrandTensions tensions(system);
  Workspace ws(system);
  const std::vector<StrandReading> nodes = tensions.nodes(system.described_state(), ws);
  for (size_t k = 0; k < nodes.size(); ++k) {
    const StrandReading& node = nodes[k];
    ordered_json& one = out[node.strand];
    one["nodes"].push_back(describe_node(strands.nodes()[static_cast<size_t>(node.node)], node));
    if (StrandTensions::is_end(nodes, k)) continue;
    const auto name = [&](int place) {
      return place < 0 ? ordered_json()
                       : ordered_json(tensions.places()[static_cast<size_t>(place)].name);
    };
    const auto [before, behind] = tensions.along(node);
    one["tensions"].push_back({name(before), name(behind)});
  }
  return out;
}

ordered_json describe_pulleys(const System& system) {
  ordered_json out = ordered_json::array();
  if (system.strands() == nullptr) return out;
  for (const StrandGuide& guide : system.strands()->guides())
    if (const auto* pulley = std::get_if<PulleyWrap>(&guide.wrap)) {
      ordered_json one = {
          {"name", guide.name}, {"body", guide.body.value}, {"radius", pulley->radius}};
      one.update(place(guide.E_BS));
      out.push_back(std::move(one));
    }
  return out;
}

std::vector<ReportGroup> strand_groups(const System& system, const MotionTable& strands,
                                       const MotionTable* reactions) {
  const auto values_of = [](const MotionTable& table, int column) {
    const VecX values = table.values.col(column);
    return std::vector<double>(values.begin(), values.end());
  };
  ReportGroup tension{"strand-tension", "Tension of strands", {}};
  const StrandTensions tensions(system);
  for (const StrandTensions::Place& place : tensions.places()) {
    const bool held = place.constraint >= 0;
    if (held && reactions == nullptr) continue;
    const MotionTable& table = held ? *reactions : strands;
    const int column = table.find(held ? place.name + "_tension" : place.column);
    if (column >= 0) tension.columns.push_back({place.name, "force", values_of(table, column)});
  }
  ReportGroup length{"strand-length", "Length of strands", {}};
  ReportGroup place{"strand-nodes", "Nodes of strands", {}};
  const Strands& part = *system.strands();
  const auto dofs = static_cast<size_t>(part.dof_count() - 3 * part.free_vertex_count());
  const std::vector<std::string> names = part.columns()[0].names;
  for (size_t k = 0; k < names.size(); ++k) {
    const int column = strands.find(names[k]);
    if (column < 0) continue;
    const bool shape = names[k].ends_with("_u") || names[k].ends_with("_v");
    if (k < dofs)
      place.columns.push_back({names[k], shape ? "number" : "length", values_of(strands, column)});
    else if (names[k].find("_length_") != std::string::npos)
      length.columns.push_back({names[k], "length", values_of(strands, column)});
  }
  std::vector<ReportGroup> out;
  for (ReportGroup* group : {&tension, &length, &place})
    if (!group->columns.empty()) out.push_back(std::move(*group));
  return out;
}

}  // namespace sinew
