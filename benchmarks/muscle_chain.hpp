#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

/// A chain of ten hinges with muscles around cylinders, for engines that do not share headers.

namespace bench {

/// From body k to body k + 1, around a cylinder fixed to body k; lengths in metres.
struct MuscleSpec {
  int body;
  std::array<double, 3> origin, insertion;  ///< in the frames of body k and body k + 1
  bool axis_x;                              ///< the cylinder lies along x; otherwise along z
};

struct MuscleChain {
  static constexpr int kLinks = 10;
  static constexpr double kLinkLength = 0.2, kMass = 1, kRadius = 0.05, kTension = 1, kStart = 0.3;
  static constexpr std::array<double, 3> kInertia{0.004, 0.001, 0.004};
  std::vector<MuscleSpec> muscles;
};
/// Insertions and origins lie around the bone, outside the cylinder, so that most muscles touch it.
MuscleChain muscle_chain(int muscles);

/// MuJoCo with massless muscles.
class MujocoMuscles {
 public:
  explicit MujocoMuscles(const MuscleChain& chain);
  ~MujocoMuscles();
  void reset();
  void step();
  double length(int muscle) const;
  static std::string version();

 private:
  struct Model;
  std::unique_ptr<Model> model_;
};

}  // namespace bench
