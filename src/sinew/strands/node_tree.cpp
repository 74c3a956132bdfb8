#include "sinew/strands/node_tree.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "sinew/core/error.hpp"
#include "sinew/core/names.hpp"

// Descriptions of nodes, checked, and what moves them.

namespace sinew {
namespace {

std::string quoted_tree_node(const StrandNode& node) { return "strand node '" + node.name + "'"; }

/// Control points of all nodes, by index.
using ControlLists = std::vector<std::vector<int>>;

ControlLists control_lists(const std::vector<StrandNode>& nodes) {
  std::vector<std::string> names;
  for (const StrandNode& node : nodes) names.push_back(node.name);
  ControlLists out(nodes.size());
  for (size_t k = 0; k < nodes.size(); ++k) {
    const auto* shaped = std::get_if<ShapedNode>(&nodes[k].place);
    if (shaped == nullptr) continue;
    for (const std::string& control : shaped->controls) {
      const auto found = std::find(names.begin(), names.end(), control);
      if (found == names.end())
        throw Error(quoted_tree_node(nodes[k]),
                    "has the control point '" + control + "', which does not exist",
                    suggest(control, names));
      out[k].push_back(static_cast<int>(found - names.begin()));
    }
  }
  return out;
}

/// Puts every node after its control points; a cycle is an Error that names it.
class Ordering {
 public:
  Ordering(const std::vector<StrandNode>& nodes, const ControlLists& controls)
      : nodes_(nodes), controls_(controls), mark_(nodes.size(), 0), paths_(nodes.size(), 1) {
    for (size_t k = 0; k < nodes.size(); ++k) visit(k);
  }
  std::vector<int> order;

 private:
  void visit(size_t node) {
    if (mark_[node] == 2) return;
    if (mark_[node] == 1) fail(node);
    mark_[node] = 1;
    above_.push_back(node);
    if (!controls_[node].empty()) paths_[node] = 0;
    for (const int control : controls_[node]) {
      visit(static_cast<size_t>(control));
      paths_[node] += paths_[static_cast<size_t>(control)];
    }
    // Rows evaluate nodes from their leaves, without memory of what they have in common.
    if (paths_[node] > kMostPaths)
      throw Error(quoted_tree_node(nodes_[node]),
                  "has more than 100000 points through all levels of its control points",
                  "use fewer control points, or fewer levels");
    above_.pop_back();
    mark_[node] = 2;
    order.push_back(static_cast<int>(node));
  }
  [[noreturn]] void fail(size_t node) const {
    std::string cycle;
    for (auto at = std::find(above_.begin(), above_.end(), node); at != above_.end(); ++at)
      cycle += "'" + nodes_[*at].name + "' → ";
    throw Error(quoted_tree_node(nodes_[node]),
                "is its own control point: " + cycle + "'" + nodes_[node].name + "'",
                "let one of them have other control points");
  }

  static constexpr double kMostPaths = 1e5;
  const std::vector<StrandNode>& nodes_;
  const ControlLists& controls_;
  std::vector<char> mark_;  // 0: new, 1: being visited, 2: done
  std::vector<double> paths_;
  std::vector<size_t> above_;
};

void check_shaped(const ShapedNode& node, const std::string& element) {
  validate(node.shape, node.controls.size(), element);
  if (!node.u.allFinite() || !node.udot.allFinite())
    throw Error(element, "has a coordinate or a rate that is not finite", "give finite numbers");
  if (!(std::isfinite(node.mass) && node.mass >= 0))
    throw Error(element, "has a mass that is not ≥ 0", "give the mass of its bead in kg, or none");
}

/// The place of `entry` in a list that it is appended to if it is not there.
size_t found_or_added(std::vector<int>& list, int entry) {
  const auto found = std::find(list.begin(), list.end(), entry);
  if (found != list.end()) return static_cast<size_t>(found - list.begin());
  list.push_back(entry);
  return list.size() - 1;
}

/// A coordinate that does not move its node has no mass: the equations have no solution.
void check_directions(const Eigen::Matrix<double, 3, 2>& X, const StrandNode& node) {
  constexpr double kNone = 1e-12;  // [m], rounding of positions
  const NodeShape& shape = std::get<ShapedNode>(node.place).shape;
  const int count = coordinate_count(shape);
  if (count == 0) return;
  const Vec3 by_u = X.col(0), by_v = X.col(1);
  const double least = count == 1
                           ? by_u.norm()
                           : by_u.cross(by_v).norm() / std::max({by_u.norm(), by_v.norm(), kNone});
  if (least > kNone) return;
  throw Error(quoted_tree_node(node),
              std::string("cannot slide at the start: its ") + name_of(shape) +
                  (count == 1 ? " has no direction there" : " has no two directions there"),
              "move its control points apart, or give it another 'u'");
}

}  // namespace

NodeTree::NodeTree(const Skeleton& skeleton, std::vector<StrandNode> nodes)
    : nodes_(std::move(nodes)), places_(nodes_.size()) {
  std::set<std::string> names;
  for (const StrandNode& node : nodes_)
    if (!names.insert(node.name).second)
      throw Error(quoted_tree_node(node), "is defined twice", "give each node a unique name");
  ControlLists controls = control_lists(nodes_);
  const Ordering ordering(nodes_, controls);
  for (size_t k = 0; k < nodes_.size(); ++k) {
    places_[k].controls = std::move(controls[k]);
    place_node(skeleton, k);
  }
  for (const int node : ordering.order) {
    if (!place(node).shaped()) continue;
    shaped_.push_back(node);
    place_shaped(static_cast<size_t>(node));
  }
  for (Place& place : places_) place.coordinates = list_coordinates(place);
}

void NodeTree::place_node(const Skeleton& skeleton, size_t node) {
  const std::string element = quoted_tree_node(nodes_[node]);
  const auto require = [&](bool good, const char* problem, const char* remedy) {
    if (!good) throw Error(element, problem, remedy);
  };
  Place& place = places_[node];
  const auto move = [&](int size) {
    if (size == 0) return;
    place.mover = static_cast<int>(movers_.size());
    movers_.push_back({static_cast<int>(node), dof_count(), size});
    place.movers = {place.mover};
  };
  if (const auto* maximal = std::get_if<MaximalNode>(&nodes_[node].place)) {
    require(maximal->x.allFinite() && maximal->v.allFinite(),
            "has a position or velocity that is not finite", "give finite numbers");
    require(std::isfinite(maximal->mass) && maximal->mass >= 0, "has a mass that is not ≥ 0",
            "give the mass of its bead in kg, or none");
    place.free = true;
    place.bead = maximal->mass;
    move(3);
    return;
  }
  if (const auto* shaped = std::get_if<ShapedNode>(&nodes_[node].place)) {
    check_shaped(*shaped, element);
    place.bead = shaped->mass;
    move(coordinate_count(shaped->shape));
    return;
  }
  const auto& rigid = std::get<RigidNode>(nodes_[node].place);
  require(rigid.body == kWorld || (rigid.body.valid() && rigid.body < skeleton.body_count()),
          "is on a body that does not exist", "use a body of the skeleton");
  require(rigid.x_B.allFinite(), "has a point that is not finite", "give finite numbers");
  place.body = rigid.body;
  place.x_B = rigid.x_B;
  place.link = link_of(skeleton, rigid.body);
  for (int i = place.link; i > 0; i = skeleton.link(i).parent)
    for (int k = 0; k < skeleton.link(i).dof_count; ++k) {
      place.dofs.push_back(skeleton.link(i).dof + k);
      place.links.push_back(i);
    }
}

/// What moves its control points moves a shaped node, too.
void NodeTree::place_shaped(size_t node) {
  Place& place = places_[node];
  for (const int control : place.controls) {
    const Place& of = this->place(control);
    for (size_t d = 0; d < of.dofs.size(); ++d)
      if (found_or_added(place.dofs, of.dofs[d]) == place.links.size())
        place.links.push_back(of.links[d]);
    for (const int mover : of.movers) found_or_added(place.movers, mover);
  }
  for (const int control : place.controls) {
    const Place& of = this->place(control);
    std::vector<int>& columns = place.columns.emplace_back();
    for (const int dof : of.dofs)
      columns.push_back(static_cast<int>(found_or_added(place.dofs, dof)));
    for (const int mover : of.movers) {
      const size_t first = place.dofs.size() + 3 * found_or_added(place.movers, mover);
      for (size_t i = 0; i < 3; ++i) columns.push_back(static_cast<int>(first + i));
    }
  }
}

Eigen::Vector2d NodeTree::coordinates(int node, const double* own) const {
  Eigen::Vector2d out = Eigen::Vector2d::Zero();
  const int mover = place(node).mover;
  if (mover < 0 || own == nullptr) return out;
  const Mover& of = movers_[static_cast<size_t>(mover)];
  for (int i = 0; i < of.size; ++i) out[i] = own[of.first + i];
  return out;
}

NodeTree::Motion NodeTree::motion(const SkeletonAt& in, int dof, int node) const {
  const Place& of = place(node);
  if (of.free) {
    const int at = dof + movers_[static_cast<size_t>(of.mover)].first;
    return {in.q.segment<3>(at), in.qdot.segment<3>(at)};
  }
  if (!of.shaped()) {
    const AttachedPoint point = attach(in.skeleton, in.ws, of.body, of.x_B);
    return {point.position, point.velocity};
  }
  const Eigen::Vector2d u = coordinates(node, in.q.data() + dof),
                        udot = coordinates(node, in.qdot.data() + dof);
  Motion out;
  for_each_control(node, u, [&](int control, const NodeWeight& w) {
    const Motion y = motion(in, dof, control);
    out.x += w.w * y.x;
    out.v += w.w * y.v + rates_of(w, udot, udot).first * y.x;
  });
  return out;
}

NodeTree::OwnColumns NodeTree::own_columns(const SkeletonAt& in, int dof, int node) const {
  const Eigen::Vector2d u = coordinates(node, in.q.data() + dof),
                        udot = coordinates(node, in.qdot.data() + dof);
  OwnColumns out;
  for_each_control(node, u, [&](int control, const NodeWeight& w) {
    const Motion y = motion(in, dof, control);
    for (size_t i = 0; i < 2; ++i) {
      const auto column = static_cast<Eigen::Index>(i);
      out.X.col(column) += w.d[i] * y.x;
      out.Xdot.col(column) += w.d[i] * y.v + rates_of_slope(w, i, udot, udot).first * y.x;
    }
  });
  return out;
}

std::vector<NodeCoordinate> NodeTree::list_coordinates(const Place& place) const {
  std::vector<NodeCoordinate> out;
  int column = 0;
  for (const int dof : place.dofs) out.push_back({dof, -1, 0, column++});
  for (const int mover : place.movers) {
    for (int i = 0; i < movers_[static_cast<size_t>(mover)].size; ++i)
      out.push_back({-1, mover, i, column + i});
    column += 3;
  }
  return out;
}

Vec3 NodeTree::column(const SkeletonAt& in, int dof, int node, const NodeCoordinate& by) const {
  const Place& of = place(node);
  if (of.free) return by.mover == of.mover ? Vec3(Vec3::Unit(by.entry)) : Vec3(Vec3::Zero());
  if (!of.shaped()) {
    const auto found = std::find(of.dofs.begin(), of.dofs.end(), by.dof);
    if (by.dof < 0 || found == of.dofs.end()) return Vec3::Zero();
    const auto link = static_cast<size_t>(of.links[static_cast<size_t>(found - of.dofs.begin())]);
    const Vec6& s = in.ws.s[static_cast<size_t>(by.dof)];
    return s.tail<3>() + s.head<3>().cross(motion(in, dof, node).x - in.ws.link[link].p);
  }
  if (by.mover >= 0 && by.mover == of.mover) return own_columns(in, dof, node).X.col(by.entry);
  Vec3 out = Vec3::Zero();
  for_each_control(
      node, coordinates(node, in.q.data() + dof),
      [&](int control, const NodeWeight& w) { out += w.w * column(in, dof, control, by); });
  return out;
}

WeightRates rates_of(const NodeWeight& w, const Eigen::Vector2d& udot,
                     const Eigen::Vector2d& uddot) {
  const double a = udot[0], b = udot[1];
  return {w.d[0] * a + w.d[1] * b, w.d[0] * uddot[0] + w.d[1] * uddot[1] + w.dd[0] * a * a +
                                       2 * w.dd[1] * a * b + w.dd[2] * b * b};
}

WeightRates rates_of_slope(const NodeWeight& w, size_t by, const Eigen::Vector2d& udot,
                           const Eigen::Vector2d& uddot) {
  const double a = udot[0], b = udot[1];
  return {w.dd[by] * a + w.dd[by + 1] * b, w.dd[by] * uddot[0] + w.dd[by + 1] * uddot[1] +
                                               w.ddd[by] * a * a + 2 * w.ddd[by + 1] * a * b +
                                               w.ddd[by + 2] * b * b};
}

void check_nodes(const std::vector<StrandNode>& nodes) {
  const ControlLists controls = control_lists(nodes);
  const Ordering ordering(nodes, controls);
  for (const StrandNode& node : nodes)
    if (const auto* shaped = std::get_if<ShapedNode>(&node.place))
      check_shaped(*shaped, quoted_tree_node(node));
}

std::vector<Vec3> described_positions(const std::vector<StrandNode>& nodes,
                                      const std::function<Pose(BodyIndex)>& pose) {
  const ControlLists controls = control_lists(nodes);
  const Ordering ordering(nodes, controls);
  std::vector<Vec3> x(nodes.size(), Vec3::Zero());
  for (const int index : ordering.order) {
    const auto k = static_cast<size_t>(index);
    if (const auto* maximal = std::get_if<MaximalNode>(&nodes[k].place)) {
      x[k] = maximal->x;
    } else if (const auto* rigid = std::get_if<RigidNode>(&nodes[k].place)) {
      x[k] = pose(rigid->body) * rigid->x_B;
    } else {
      const auto& shaped = std::get<ShapedNode>(nodes[k].place);
      Eigen::Matrix<double, 3, 2> X = Eigen::Matrix<double, 3, 2>::Zero();  // ∂x/∂u
      for_each_weight(shaped.shape, controls[k].size(), shaped.u, [&](const NodeWeight& w) {
        const Vec3& y = x[static_cast<size_t>(controls[k][w.control])];
        x[k] += w.w * y;
        for (size_t i = 0; i < 2; ++i) X.col(static_cast<Eigen::Index>(i)) += w.d[i] * y;
      });
      check_directions(X, nodes[k]);
    }
  }
  return x;
}

void add_entry(const NodeLayout& layout, int first, const NodeCoordinate& row,
               const NodeCoordinate& column, double value, MatX& rr, NodeEntries& nodes) {
  if (row.dof >= 0 && column.dof >= 0)
    rr(row.dof, column.dof) += value;
  else if (row.dof >= 0)
    nodes.rf_rows(layout, first + column.mover)(column.entry, row.dof) += value;
  else if (column.dof >= 0)
    nodes.fr_rows(layout, first + row.mover)(row.entry, column.dof) += value;
  else
    nodes.block(layout, first + row.mover, first + column.mover)(row.entry, column.entry) += value;
}

}  // namespace sinew
