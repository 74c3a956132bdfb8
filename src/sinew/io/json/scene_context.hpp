#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "sinew/core/error.hpp"

namespace sinew {

struct JsonNode;

/// SI value of one unit of each dimension. Time is in seconds and angles are in radians in either
/// system.
struct Units {
  double length = 1;  ///< m
  double mass = 1;    ///< kg

  double acceleration() const { return length; }
  double force() const { return mass * length; }
  double torque() const { return mass * length * length; }
  double inertia() const { return mass * length * length; }
  double density() const { return mass / (length * length * length); }
  double force_per_length() const { return mass; }
};
inline constexpr Units kSi{};
inline constexpr Units kCgs{.length = 0.01, .mass = 0.001};

/// Context of all parts of the scene reader: the source of the text, and its units.
struct SceneContext {
  std::string source;                  ///< the file's name in messages
  std::filesystem::path folder;        ///< mesh files lie here or below
  std::vector<std::string> overrides;  ///< "path=value" from the command line
  Units units;
  /// Frames of the scene's curves, which joints refer to by name.
  std::map<std::string, const JsonNode*> curves;

  /// Throws an Error at that line of the file; line −k means the k-th override.
  [[noreturn]] void fail(int line, const std::string& element, const std::string& problem,
                         const std::string& remedy) const;
  /// The same error with such a line.
  Error located(const Error& error, int line) const;
};

}  // namespace sinew
