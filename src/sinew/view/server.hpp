#pragma once

#include <filesystem>
#include <memory>
#include <string>

namespace sinew {

class ViewWorker;

/// 128 bits of the system's random numbers, as 32 hexadecimal digits. Throws an Error where there
/// are none.
std::string make_token();

/// Whether two texts are equal, in a time that depends on their lengths alone.
bool equal_in_constant_time(const std::string& a, const std::string& b);

/// The file below `folder` that a path of a request names; empty where there is none such, it is
/// hidden, or it leads out of the folder, be it by "..", by an absolute path or by a link.
std::filesystem::path file_below(const std::filesystem::path& folder, const std::string& path);

/// Shows a session to the browsers of this machine: http on 127.0.0.1 and nowhere else. Everything
/// asks for the token: http://127.0.0.1:PORT/TOKEN/ is the page, …/frames its server-sent events,
/// …/command takes commands, …/files/PATH are the files of the model's folder, to be read only.
class ViewServer {
 public:
  struct Settings {
    std::filesystem::path folder;  ///< of the model
    int port = 0;                  ///< 0: any that is free
    std::string token;             ///< make_token
  };
  /// Binds and answers from now on. Throws an Error if the port is not available. `worker` must
  /// outlive the server.
  ViewServer(ViewWorker& worker, Settings settings);
  /// Ends all connections.
  ~ViewServer();
  ViewServer(const ViewServer&) = delete;
  ViewServer& operator=(const ViewServer&) = delete;

  int port() const;
  std::string address() const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace sinew
