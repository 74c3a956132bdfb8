#include "sinew/analysis/rest.hpp"

#include <gtest/gtest.h>

#include "integrate/feature_systems.hpp"
#include "support/message_of.hpp"
#include "support/strand_systems.hpp"

namespace sinew {
namespace rest_test {

using test::free_node;
using test::rigid_node;

/// 0.3 m of strand between two nails 0.2 m apart, and a bead of 0.1 % of its mass on its middle
/// third (Sueda 2010, Fig. 6.4b). Stiff: it stretches by 1e-7.
System hanging(int pieces, StrandMass model) {
  SystemBuilder builder(test::still_skeleton());
  builder.set_gravity({0, -9.81, 0});
  Strand strand;
  strand.name = "strand";
  strand.density = 0.0138;
  strand.mass_model = model;
  strand.law.elastic = LinearStretch{1e5};
  const auto place = [](double share) { return Vec3(0.2 * share, -0.36 * share * (1 - share), 0); };
  for (int k = 0; k <= pieces; ++k) {
    const std::string name = "n" + std::to_string(k);
    const double share = static_cast<double>(k) / pieces;
    builder.add_strand_node(k == 0 || k == pieces ? rigid_node(name, kWorld, place(share))
                                                  : free_node(name, place(share)));
    if (pieces == 3 && k == 2) {
      builder.add_strand_node(free_node("bead", place(0.5), 1e-3 * 0.3 * strand.density));
      strand.points.push_back({"bead", {}});
    }
    strand.points.push_back({name, 0.3 * share});
  }
  return builder.add_strand(strand).build();
}

double sag(const System& system) {
  Workspace ws(system);
  State state = system.default_state();
  const RestReport report = find_rest(system, state, ws);
  EXPECT_TRUE(report.found) << report.iterations << " " << report.residual;
  double lowest = 0;
  for (Eigen::Index k = 1; k < state.q.size(); k += 3) lowest = std::max(lowest, -state.q[k]);
  return lowest;
}

TEST(Rest, AStrandHangsAsACatenary) {
  // Continuous mass: 0.1029 m with a bead; lumped: the middle third is nearly straight, 0.0867 m;
  // the catenary 0.10053 m.
  EXPECT_NEAR(sag(hanging(3, StrandMass::continuous)), 0.1029, 5e-5);  // the digits given
  EXPECT_NEAR(sag(hanging(3, StrandMass::lumped)), 0.0867, 5e-5);
  EXPECT_NEAR(sag(hanging(64, StrandMass::continuous)), 0.10053, 2e-4);
}

TEST(Rest, RefusesConstraints) {
  const System system = test::system_with({{Feature::constraints}});
  Workspace ws(system);
  State state = system.default_state();
  EXPECT_NE(test::message_of([&] { find_rest(system, state, ws); }), "");
}

}  // namespace rest_test
}  // namespace sinew
