#include "sinew/view/node_pull.hpp"

#include <algorithm>
#include <cmath>

#include "sinew/core/error.hpp"
#include "sinew/core/names.hpp"
#include "sinew/strands/strands.hpp"
#include "sinew/view/pull.hpp"

namespace sinew {

std::array<double, NodePullInput::kControls> NodePullInput::to_controls() const {
  return {dof + 1.0, static_cast<double>(node), target_W.x(), target_W.y(), target_W.z(), stiffness,
          damping};
}

NodePullInput NodePullInput::FromControls(const double* controls) {
  NodePullInput out;
  out.dof = static_cast<int>(std::lround(controls[0])) - 1;
  out.node = static_cast<int>(std::lround(controls[1]));
  out.target_W = Eigen::Map<const Vec3>(controls + 2);
  out.stiffness = controls[5];
  out.damping = controls[6];
  return out;
}

std::vector<Control> NodePull::controls() const {
  return std::vector<Control>(NodePullInput::kControls, {name_, ControlKind::pull, 0.0});
}

void NodePull::add_forces(const PartAt& at, ForceForm, PartScratch&, AppliedForces& out) const {
  const NodePullInput pull = NodePullInput::FromControls(at.skeleton.controls);
  if (pull.dof < 0) return;
  const Vec3 x = at.skeleton.q.segment<3>(pull.dof), v = at.skeleton.qdot.segment<3>(pull.dof);
  const Vec3 f = pull.stiffness * (pull.target_W - x) - pull.damping * v;
  out.tau.segment<3>(pull.dof) += f;
  out.power += f.dot(v);
}

void NodePull::add_force_derivatives(const PartAt& at, const double*, StiffnessModel,
                                     const DerivativeWorkspace&, PartScratch&,
                                     PartDerivatives& out) const {
  const NodePullInput pull = NodePullInput::FromControls(at.skeleton.controls);
  if (pull.dof < 0) return;
  out.dg_dq_nodes.block(out.layout, pull.node, pull.node).diagonal().array() += pull.stiffness;
  out.dg_dqdot_nodes.block(out.layout, pull.node, pull.node).diagonal().array() += pull.damping;
}

bool has_free_nodes(const System& system) {
  if (system.strands() == nullptr) return false;
  const auto& nodes = system.strands()->nodes();
  return std::any_of(nodes.begin(), nodes.end(), [](const StrandNode& node) {
    return std::holds_alternative<MaximalNode>(node.place);
  });
}

namespace {

/// The masses that a hand at a node feels [kg]: of its strands, and of what is next to it.
struct NodeMass {
  double strands = 0, own = 0;
};
NodeMass mass_at(const Strands& strands, const StrandNode& node) {
  const double bead = std::get<MaximalNode>(node.place).mass;
  NodeMass out{bead, bead};
  for (const Strand& strand : strands.strands())
    for (size_t k = 0; k < strand.points.size(); ++k) {
      if (strand.points[k].node != node.name) continue;
      out.strands += strand.density * strand.rest_length();
      for (const size_t other : {k - 1, k + 1})
        if (strand.points[k].s && other < strand.points.size() && strand.points[other].s)
          out.own += strand.density / 3 * std::abs(*strand.points[k].s - *strand.points[other].s);
    }
  return out;
}

}  // namespace

NodePullInput pull_of_node(const System& system, const std::string& node, const Vec3& target,
                           double explicit_step) {
  std::vector<std::string> names;
  if (system.strands() != nullptr)
    for (const StrandNode& one : system.strands()->nodes()) names.push_back(one.name);
  const auto found = std::find(names.begin(), names.end(), node);
  if (found == names.end())
    throw Error("strand node '" + node + "'", "does not exist", suggest(node, names));
  const Strands& strands = *system.strands();
  const auto k = static_cast<int>(found - names.begin());
  if (!std::holds_alternative<MaximalNode>(strands.nodes()[static_cast<size_t>(k)].place))
    throw Error("strand node '" + node + "'", "does not move freely",
                "pull a node that does, or a body");
  const PartPlace& place = system.place(system.strands_index());
  const int mover = strands.tree().place(k).mover;
  NodePullInput out;
  out.dof = place.dof + strands.tree().movers()[static_cast<size_t>(mover)].first;
  out.node = place.node + mover;
  out.target_W = target;
  const NodeMass mass = mass_at(strands, strands.nodes()[static_cast<size_t>(k)]);
  const HandSpring spring = hand_spring(explicit_step > 0 ? mass.own : mass.strands, explicit_step);
  out.stiffness = spring.stiffness;
  out.damping = spring.damping;
  return out;
}

}  // namespace sinew
