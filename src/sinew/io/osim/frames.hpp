#pragma once

#include <map>

#include "sinew/io/osim/document.hpp"

namespace sinew {

/// A pose on a body; every frame of a model reduces to one.
struct OsimFrame {
  std::string body;  ///< name; "ground" for the ground
  Pose E_BF;         ///< the frame in the body frame
};

/// All frames of a model by their paths: ground, bodies, and offset frames wherever they are
/// defined. Sockets are resolved as OpenSim does: absolute paths, paths relative to the component
/// that has the socket, and, as in old documents, bare names.
class OsimFrames {
 public:
  explicit OsimFrames(const OsimDocument& document);

  /// The frame that a socket of `owner` is connected to: `key` is "parent_frame" for the element
  /// <socket_parent_frame>. `legacy` is the element that names a body in 3.x documents. Throws an
  /// Error naming the owner if there is none.
  OsimFrame socket(const OsimElement& owner, const char* key, const char* legacy = nullptr) const;
  bool has_socket(const OsimElement& owner, const char* key, const char* legacy = nullptr) const;
  /// The frame of that path, name or body.
  OsimFrame find(const OsimElement& owner, const std::string& path) const;
  /// The frame that an element is defined in: the body or frame that holds it.
  OsimFrame enclosing(const OsimElement& owner) const;
  /// The same; none if nothing holds it.
  std::optional<OsimFrame> enclosing_body(const OsimElement& owner) const;

  const std::vector<OsimElement>& bodies() const { return bodies_; }
  const OsimDocument& document() const { return *document_; }

 private:
  struct Entry {
    OsimElement element;
    bool body;
  };
  std::string connectee(const OsimElement& owner, const char* key, const char* legacy) const;
  const std::pair<const std::string, Entry>* lookup(const OsimElement& owner,
                                                    const std::string& path) const;
  OsimFrame resolve(const std::string& path, const Entry& entry, int depth) const;

  const OsimDocument* document_;
  std::vector<OsimElement> bodies_;
  std::map<std::string, Entry> by_path_;
  std::multimap<std::string, std::string> by_name_;  ///< last part of the path → path
};

/// The path of a component in the model's tree: "/jointset/knee/femur_offset".
std::string component_path(const pugi::xml_node& node);

/// The last part of a path: the name.
std::string last_of_path(const std::string& path);

}  // namespace sinew
