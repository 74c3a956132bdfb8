#pragma once

#include <memory>

#include "tree_spec.hpp"

namespace bench {

/// MuJoCo's transition matrices of a tree with a motor in every revolute joint, at rest.
class MujocoTransition {
 public:
  MujocoTransition(const TreeSpec& tree, double h);
  ~MujocoTransition();
  /// A step, and A and B by central differences.
  void run();

 private:
  struct Model;
  std::unique_ptr<Model> model_;
};

}  // namespace bench
