#pragma once

#include <string>
#include <vector>

#include "sinew/io/osim/document.hpp"

namespace sinew {

/// Changes of a document before it is read, by OpenSim's paths.
class OsimEdits {
 public:
  explicit OsimEdits(const OsimDocument& document) : document_(document) {}

  /// "/bodyset/femur_r/mass=8": the components from the model on, then a property and its text. An
  /// object is found by its name, wherever below the last one it is; a set that the document does
  /// not have (3.x: "jointset") stands for all objects of its kind. A property that is left out is
  /// added. A number after the property is the place of one of its numbers, from 0:
  /// "/bodyset/femur_r/mass_center/1=-0.17". Throws an Error that says how far the path was found,
  /// and the nearest names.
  void apply(const std::string& assignment);

  /// Throws an Error for a change that no reader has asked for: it would have no effect. To be
  /// called when the model is read.
  void require_read() const;

 private:
  struct Change {
    std::string assignment;
    pugi::xml_node property;
  };
  const OsimDocument& document_;
  std::vector<Change> changes_;
};

}  // namespace sinew
