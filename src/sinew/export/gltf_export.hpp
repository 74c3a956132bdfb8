#pragma once

#include "sinew/export/export_frames.hpp"
#include "sinew/io/models/loaded_model.hpp"

namespace sinew {

/// What is exported.
struct ExportModel {
  const System& system;
  const ModelLook& look;
  std::string name, title, citation;
};

/// The turn that makes +y point against gravity; none without gravity.
Eigen::Quaterniond upright(const Vec3& gravity);

/// A binary glTF 2.0 file: docs/export.md says what is in it. `element` names it in errors; what
/// cannot be written is added to `notes`, in words.
std::string gltf_bytes(const ExportModel& model, const ExportFrames& frames,
                       const std::string& element, std::vector<std::string>& notes);

}  // namespace sinew
