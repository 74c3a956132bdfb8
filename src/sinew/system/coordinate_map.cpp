#include "sinew/system/coordinate_map.hpp"

#include <algorithm>
#include <set>

#include "sinew/core/error.hpp"
#include "sinew/core/names.hpp"

namespace sinew {
namespace {

constexpr const char* kTimeName = "time";

std::string element(const Skeleton& skeleton, DofIndex dof) {
  return "coordinate '" + skeleton.coordinates()[static_cast<size_t>(dof.value)].name + "'";
}

}  // namespace

CoordinateMap::CoordinateMap(const Skeleton& skeleton,
                             const std::vector<DependentCoordinate>& given,
                             const std::vector<ExtraCoordinate>& extra) {
  const auto n = static_cast<size_t>(skeleton.dof_count());
  std::vector<char> depends(n, 0);
  for (const DependentCoordinate& d : given) {
    if (d.dof < 0 || d.dof >= skeleton.dof_count())
      throw Error("dependent coordinate", "is not one of the skeleton",
                  "name one of its coordinates");
    char& seen = depends[static_cast<size_t>(d.dof.value)];
    if (seen)
      throw Error(element(skeleton, d.dof), "depends on others twice", "give one function for it");
    seen = 1;
  }

  std::vector<DependentCoordinate> dependent = given;
  for (size_t k = 0; k < n; ++k)
    if (skeleton.coordinates()[k].kind == CoordinateKind::time && !depends[k]) {
      dependent.push_back({DofIndex(static_cast<int>(k)), LinearFunction{{1}, 0}, {kTimeName}});
      depends[k] = 1;
    }

  all_ = skeleton.coordinates();
  free_index_.assign(n, -1);
  std::set<std::string> names;
  for (size_t k = 0; k < n; ++k) {
    names.insert(skeleton.coordinates()[k].name);
    if (depends[k]) continue;
    free_index_[k] = free_count();
    free_.push_back(skeleton.coordinates()[k]);
  }
  for (const ExtraCoordinate& x : extra) {
    if (!names.insert(x.name).second)
      throw Error("coordinate '" + x.name + "'", "is defined twice",
                  "give every coordinate its own name");
    require_coordinate_name(x.name);
    free_.push_back({x.name, x.kind, kWorld, 0, x.q0, x.qdot0});
    all_.push_back(free_.back());
  }

  std::vector<std::string> free_names;
  for (const Coordinate& c : free_) free_names.push_back(c.name);
  std::vector<char> used(free_.size(), 0);
  for (const DependentCoordinate& d : dependent) {
    const std::string defect = function_defect(d.f);
    if (!defect.empty())
      throw Error(element(skeleton, d.dof), "depends by a function that cannot be used: " + defect,
                  "correct the function");
    if (d.arguments.size() > static_cast<size_t>(kMaxJointDofs))
      throw Error(element(skeleton, d.dof), "depends on more than six coordinates",
                  "use at most six, or an extra coordinate that stands for several");
    if (argument_count(d.f) > 0 && argument_count(d.f) != static_cast<int>(d.arguments.size()))
      throw Error(element(skeleton, d.dof),
                  "depends by a function of " + std::to_string(argument_count(d.f)) +
                      " arguments on " + std::to_string(d.arguments.size()) + " coordinates",
                  "give as many coordinates as the function has arguments");
    Term term{d.dof, d.f, {}};
    for (const std::string& name : d.arguments) {
      if (name == kTimeName) {
        if (driven_.empty() || driven_.back() != d.dof) driven_.push_back(d.dof);
        term.arguments.push_back(kTime);
        continue;
      }
      const auto at = std::find(free_names.begin(), free_names.end(), name);
      if (at == free_names.end()) {
        const bool known = names.count(name) > 0;
        throw Error(
            element(skeleton, d.dof),
            known ? "depends on '" + name + "', which depends on others itself"
                  : "depends on '" + name + "', which does not exist",
            known ? "write it as a function of free coordinates" : suggest(name, free_names));
      }
      term.arguments.push_back(static_cast<int>(at - free_names.begin()));
      used[static_cast<size_t>(term.arguments.back())] = 1;
    }
    terms_.push_back(std::move(term));
  }
  for (size_t k = free_.size() - extra.size(); k < free_.size(); ++k)
    if (!used[k])
      throw Error("coordinate '" + free_[k].name + "'", "moves nothing",
                  "make a coordinate of the skeleton depend on it, or leave it out");
  if (free_.empty())
    throw Error("skeleton", "cannot move: every coordinate depends on others",
                "leave one coordinate free");
}

MapValues::MapValues(const Skeleton& skeleton, const CoordinateMap& map)
    : q(VecX::Zero(skeleton.dof_count())), qdot(VecX::Zero(skeleton.dof_count())), map_(map) {
  const int n = skeleton.dof_count();
  for (int dof = 0; dof < n; ++dof)
    if (const int k = map.free_index(dof); k >= 0) entries.push_back({dof, k, 1, 0, 0, 0});
  for (const CoordinateMap::Term& term : map.terms_)
    for (const int a : term.arguments) {
      if (a == CoordinateMap::kTime) continue;
      entries.push_back({term.dof, a, 0, 0, 0, 0});
      if (std::holds_alternative<LinearFunction>(term.f)) continue;
      for (const int b : term.arguments)
        if (b != CoordinateMap::kTime) curvature.push_back({entries.size() - 1, b, 0});
    }
  for (VecX* x : {&drift, &quadratic, &qddot}) x->setZero(n);
}

// Time is one more argument, whose rate is 1 and whose acceleration is 0: it has no entry of J, but
// enters all sums over arguments.
void MapValues::update(const ConstVecRef& q_R, const ConstVecRef& qdot_R, double t) {
  constexpr std::array<int, kMaxJointDofs> kLocal = {0, 1, 2, 3, 4, 5};
  quadratic.setZero();
  size_t entry = 0, second = 0;
  for (; entry < entries.size() && map_.free_index(entries[entry].dof) >= 0; ++entry) {
    q[entries[entry].dof] = q_R[entries[entry].free];
    qdot[entries[entry].dof] = qdot_R[entries[entry].free];
  }
  for (const CoordinateMap::Term& term : map_.terms_) {
    const size_t count = term.arguments.size();
    std::array<double, kMaxJointDofs> x{}, xdot{};
    for (size_t i = 0; i < count; ++i) {
      const int a = term.arguments[i];
      x[i] = a == CoordinateMap::kTime ? t : q_R[a];
      xdot[i] = a == CoordinateMap::kTime ? 1 : qdot_R[a];
    }
    const JointFunctionValue jet =
        evaluate(term.f, {kLocal.data(), count}, {x.data(), count}, {xdot.data(), count});
    q[term.dof] = jet.value;
    qdot[term.dof] = 0;
    drift[term.dof] = 0;
    for (size_t i = 0; i < count; ++i) {
      const double slope = jet.gradient[i];
      double rate = 0;  // of the slope
      for (size_t j = 0; j < count; ++j) rate += jet.hessian[i][j] * xdot[j];
      qdot[term.dof] += slope * xdot[i];
      quadratic[term.dof] += rate * xdot[i];
      if (term.arguments[i] == CoordinateMap::kTime) {
        drift[term.dof] += slope;
        continue;
      }
      Entry& e = entries[entry++];
      e.J = slope;
      e.Jdot = rate;
      e.third = jet.third[i];
      if (std::holds_alternative<LinearFunction>(term.f)) continue;
      for (size_t j = 0; j < count; ++j)
        if (term.arguments[j] != CoordinateMap::kTime)
          curvature[second++].value = jet.hessian[i][j];
    }
  }
}

void MapValues::update_acceleration(const ConstVecRef& qddot_R) {
  qddot = quadratic;
  for (Entry& e : entries) {
    qddot[e.dof] += e.J * qddot_R[e.free];
    e.slope = e.third;
  }
  for (const Curvature& k : curvature) entries[k.entry].slope += k.value * qddot_R[k.free];
}

}  // namespace sinew
