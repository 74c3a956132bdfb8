#pragma once

#include "sinew/io/osim/tree.hpp"

namespace sinew {

/// Parts of the model that its elements refer to, once there is a skeleton.
class OsimScope {
 public:
  OsimScope(const OsimFrames& frames, const Skeleton& skeleton)
      : frames_(&frames), skeleton_(&skeleton) {}

  const OsimFrames& frames() const { return *frames_; }
  const Skeleton& skeleton() const { return *skeleton_; }
  BodyIndex body(const OsimFrame& frame) const;
  /// Finds by name or path; an Error naming `owner` if there is none.
  DofIndex coordinate(const OsimElement& owner, const std::string& path) const;
  /// The coordinate of a socket <socket_KEY>, or of the element `legacy` of older documents.
  DofIndex coordinate_socket(const OsimElement& owner, const char* key, const char* legacy) const;

 private:
  const OsimFrames* frames_;
  const Skeleton* skeleton_;
};

/// The constraint that an element describes; null if its type cannot be read.
std::shared_ptr<const Constraint> read_osim_constraint(const OsimElement& in,
                                                       const OsimScope& scope);

/// A joint that closes a loop, as a constraint. Throws an Error for types that cannot.
std::shared_ptr<const Constraint> close_osim_loop(const OsimJoint& joint, const OsimScope& scope);

/// Whether the file switches an element off.
bool is_disabled(const OsimElement& in);

}  // namespace sinew
