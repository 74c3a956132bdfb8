#include "sinew/analysis/rest.hpp"

#include <gtest/gtest.h>

#include "support/message_of.hpp"
#include "support/strand_systems.hpp"

namespace sinew {
namespace rest_test {

using test::free_node;
using test::rigid_node;

/// 0.3 m of strand between two nails 0.2 m apart, and a bead of 0.1 % of its mass on its middle
/// third (Sueda 2010, Fig. 6.4b). It stretches by 1e-5.
System hanging(int pieces, StrandMass model) {
  SystemBuilder builder(test::still_skeleton());
  builder.set_gravity({0, -9.81, 0});
  Strand strand;
  strand.name = "strand";
  strand.density = 0.0138;
  strand.mass_model = model;
  strand.law.elastic = LinearStretch{4900};
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
  EXPECT_TRUE(report.found) << report.steps << " " << report.acceleration;
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

/// A rope of 0.5 m without stretch over a span of 0.3 m, and a bead on it.
System rope_with_bead(StrandLength length) {
  SystemBuilder builder(test::still_skeleton());
  builder.add_strand_node(rigid_node("left", kWorld, Vec3::Zero()));
  builder.add_strand_node(free_node("bead", Vec3(0.1, -0.1, 0.05), 0.2));
  builder.add_strand_node(rigid_node("right", kWorld, Vec3(0.3, 0, 0)));
  Strand rope;
  rope.name = "rope";
  rope.length = length;
  rope.points = {{"left", 0.0}, {"bead", {}}, {"right", 0.5}};
  return builder.add_strand(rope).build();
}

TEST(Rest, HoldsConstraints) {
  // The bead hangs in the middle, at √(0.25² − 0.15²) = 0.2 m.
  const System system = rope_with_bead(StrandLength::fixed);
  Workspace ws(system);
  State state = system.default_state();
  const RestReport report = find_rest(system, state, ws);
  EXPECT_TRUE(report.found) << report.steps << " " << report.acceleration;
  EXPECT_LT((state.q - Vec3(0.15, -0.2, 0)).norm(), 1e-8);  // the projection's tolerance
}

TEST(Rest, RefusesLimits) {
  const System system = rope_with_bead(StrandLength::at_most);
  Workspace ws(system);
  State state = system.default_state();
  EXPECT_NE(test::message_of([&] { find_rest(system, state, ws); }).find("limits"),
            std::string::npos);
}

}  // namespace rest_test
}  // namespace sinew
