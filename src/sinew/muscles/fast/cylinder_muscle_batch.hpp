#pragma once

#include "sinew/muscles/fast/cylinder_lanes.hpp"
#include "sinew/muscles/fast/muscle_block.hpp"
#include "sinew/muscles/fast/tensions.hpp"

namespace sinew {

/// Muscles with mass of the most common kind, eight at a time in the lanes of vector registers: one
/// span around a cylinder, mass uniform along the belly, one end on the cylinder's
/// link and the other moved against it by one coordinate. Made from the muscles of a system; the
/// others are not touched.
class CylinderMuscleBatch {
 public:
  explicit CylinderMuscleBatch(const SpanPathList& muscles);

  /// Whether the batch handles muscle k.
  bool takes(size_t k) const { return taken_[k] != 0; }

  /// Scratch.
  struct Workspace {
    struct Joint {
      double motion[34];  ///< a lane of lanes::Motion
      Vec3 gravity;       ///< subtracted from accelerations, in axes of the link
      SpanMass<1> sum;    ///< in axes of the link
    };
    std::vector<Joint> joints;
    lanes::Motion motion;
    lanes::Result result;
    /// Muscles that this method cannot handle in the present pose: ends beside the cylinder's
    /// surface, contacts past its ends, lost paths.
    std::vector<size_t> others;
  };

  /// The same as MuscleBlock::add for all muscles that it takes, but for those that it names in
  /// ws.others. Returns the power of their pulls.
  double add(const SkeletonAt& in, const Tensions& tensions, Workspace& ws, MuscleSums& sums,
             std::vector<Vec6>& wrench) const;

 private:
  /// Two links and the coordinate between them.
  struct Joint {
    int frame, end;  ///< links of the cylinder and of the end that moves
    int dof, link_of_dof;
    double sign;  ///< +1: the coordinate moves the end, −1: the frame
  };
  struct Pack {
    lanes::Description description;
    std::array<int, lanes::kLanes> muscle, joint;  ///< −1: an empty lane
  };

  void describe(size_t muscle, const MuscleBlock& spanned, int joint);
  void update(const SkeletonAt& in, const Joint& joint, Workspace::Joint& out) const;
  double take_lane(const SkeletonAt& in, const Tensions& tensions, const Pack& pack, size_t lane,
                   Workspace& ws) const;

  SpanPathList muscles_;
  std::vector<char> taken_;
  std::vector<Joint> joints_;
  std::vector<Pack> packs_;
  int count_ = 0;
};

}  // namespace sinew
