#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sinew/io/osim/osim_model.hpp"
#include "sinew/io/osim/pose_evaluation.hpp"
#include "sinew/io/scene/scene.hpp"
#include "sinew/io/scene/wrap_reader.hpp"
#include "support/reference.hpp"

/// Lengths of paths in all poses of the reference, by the surfaces that they may meet.

namespace sinew {
namespace opensim_paths_test {

using nlohmann::json;

/// OpenSim's length less ours, sorted.
using Excess = std::vector<double>;

std::string surfaces_of(const OsimPath& path) {
  const auto& surfaces = path.path.surfaces;
  if (surfaces.empty()) return "none";
  if (surfaces.size() > 1) return "several";
  return name_of(surfaces[0].surface->wrap);
}

/// All batteries of 4.x documents: of the 3.x one OpenSim rounds the places of joints.
std::map<std::string, Excess> excesses() {
  std::map<std::string, Excess> out;
  for (const std::string name :
       {"arm26", "gait10dof18musc", "gait2392_thelen2003muscle", "gait2392_millard2012muscle",
        "leg6dof9musc_inertiafix", "Rajagopal2016", "Tug_of_War", "Tug_of_War_Millard"}) {
    const json theirs = test::reference_json("opensim/" + name + ".json");
    const auto file = *test::reference_dir() / "opensim/models" / theirs["file"].get<std::string>();
    const OsimModel model = parse_osim(read_text_file(file), file.string());
    const json ours = json::parse(evaluate_poses(model, theirs.dump(), name));
    std::map<std::string, std::string> kinds;
    for (const OsimPath& path : model.paths) kinds[path.path.name] = surfaces_of(path);
    for (size_t i = 0; i < theirs["poses"].size(); ++i) {
      std::map<std::string, double> length;
      for (const json& path : ours["poses"][i]["paths"]) length[path["m"]] = path["L"];
      for (const json& path : theirs["poses"][i]["paths"])
        out[kinds.at(path["m"])].push_back(path["L"].get<double>() - length.at(path["m"]));
    }
  }
  for (auto& [kind, list] : out) std::sort(list.begin(), list.end());
  return out;
}

TEST(OpenSimPaths, AgreeInEveryPoseWithinOpenSimsOwnError) {
  SINEW_NEEDS_REFERENCE();
  std::map<std::string, Excess> all = excesses();
  ASSERT_GT(all["none"].size(), 2000u);
  EXPECT_LT(std::max(-all["none"].front(), all["none"].back()), 1e-9);
  ASSERT_GT(all["cylinder"].size(), 400u);
  for (const std::string kind : {"cylinder", "several"}) {
    const Excess& e = all[kind];
    ASSERT_FALSE(e.empty());
    // Ours are shortest; OpenSim's tangent points on cylinders are approximate.
    EXPECT_GT(e.front(), -1e-9) << kind;
    EXPECT_LT(e.back(), 5e-4) << kind;
    EXPECT_LT(e[e.size() / 2], 1e-6) << kind;
  }
  ASSERT_FALSE(all["ellipsoid"].empty());
  // In one pose of arm26, beyond the range of its shoulder, most of OpenSim's arc around BIClonghh
  // is beyond the border of the quadrant; ours stays on the side and is longer.
  EXPECT_GT(all["ellipsoid"][0], -1e-3);
  EXPECT_GT(all["ellipsoid"][1], -5e-6);  // its arcs are polylines of 1 mm, inscribed
  EXPECT_LT(all["ellipsoid"].back(), 1e-3);
}

}  // namespace opensim_paths_test
}  // namespace sinew
