#include "sinew/analysis/drawing/muscle_drawing.hpp"

#include <gtest/gtest.h>

#include "sinew/analysis/snapshot.hpp"
#include "sinew/io/scene/scene.hpp"
#include "sinew/muscles/muscles.hpp"
#include "support/source_dir.hpp"

namespace sinew {
namespace muscle_drawing_test {

Scene scene(const std::string& name) {
  return load_scene(test::source_dir() + "/scenes/" + name + ".json");
}

double length(const std::vector<Vec3>& points) {
  double out = 0;
  for (size_t k = 1; k < points.size(); ++k) out += (points[k] - points[k - 1]).norm();
  return out;
}

/// Muscles of a scene in its default state, moving.
struct Drawn {
  explicit Drawn(const std::string& name, double turn = 0)
      : of(scene(name)), ws(of.system), state(of.system.default_state()) {
    state.q.array() += turn;
    state.qdot.setConstant(0.7);
    Snapshot snapshot;
    take_snapshot(of.system, {0, state.q, state.qdot}, SnapshotDetail::pictures, ws, snapshot);
    drawings = snapshot.drawings;
    update_muscle_paths(of.system, {0, state.q, state.qdot}, ws, paths);
  }
  Scene of;
  Workspace ws;
  State state;
  std::vector<MuscleDrawing> drawings;
  std::vector<MusclePath> paths;
};

TEST(MuscleDrawing, LinesAreAsLongAsPathsLessTheSagittaOfTheirChords) {
  for (const char* name : {"straight-pendulum", "polyline-pendulum", "wrap-pendulum"})
    for (const double turn : {0.0, 0.6, 1.2}) {
      const Drawn drawn(name, turn);
      for (size_t m = 0; m < drawn.drawings.size(); ++m) {
        const double drawn_length = length(drawn.drawings[m].points);
        // Ten chords of an arc φ are shorter by φ³/2400 of the radius; φ < 3 here, and no arc is
        // longer than its path.
        EXPECT_LE(drawn_length, drawn.paths[m].length * (1 + 1e-12));
        EXPECT_GE(drawn_length, drawn.paths[m].length * (1 - 27.0 / 2400)) << name << " " << turn;
        EXPECT_EQ(drawn.drawings[m].points.size(),
                  static_cast<size_t>(drawing_points(*drawn.of.system.muscles()[m])));
      }
    }
}

TEST(MuscleDrawing, EnergiesOfMusclesAddUp) {
  Drawn drawn("wrap-pendulum", 0.8);
  double sum = 0;
  for (const MuscleDrawing& drawing : drawn.drawings) sum += drawing.kinetic_energy;
  energy(drawn.of.system, drawn.state, drawn.ws);
  const PartEnergy all = drawn.of.system.muscle_part()->energy(
      part_at(drawn.of.system, 0, drawn.state, drawn.ws), *drawn.ws.parts[0]);
  EXPECT_GT(sum, 0);
  EXPECT_NEAR(sum, all.kinetic, 1e-12 * all.kinetic);  // the same sum: rounding
  // m g h of the centre of mass is the energy of gravity.
  double potential = 0;
  for (size_t m = 0; m < drawn.drawings.size(); ++m)
    potential -= drawn.of.system.muscles()[m]->muscle().mass *
                 drawn.of.system.gravity().dot(drawn.drawings[m].com);
  EXPECT_NEAR(potential, all.gravity, 1e-12 * std::abs(all.gravity));
}

TEST(MuscleDrawing, UniformStraightMusclesHaveTheirMassInTheMiddle) {
  const Drawn drawn("straight-pendulum", 0.3);
  const MuscleDrawing& drawing = drawn.drawings.at(0);
  const Muscle& muscle = drawn.of.system.muscles()[0]->muscle();
  const double L = drawn.paths[0].length;
  const double middle = (muscle.material.A(L) + 0.5 * muscle.material.B(L)) / L;
  const Vec3 expected =
      drawing.points.front() + middle * (drawing.points.back() - drawing.points.front());
  EXPECT_LT((drawing.com - expected).norm(), 1e-12);  // rounding of lengths of order 1
}

}  // namespace muscle_drawing_test
}  // namespace sinew
