#pragma once

#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <optional>
#include <thread>
#include <variant>

#include "sinew/core/error.hpp"
#include "sinew/view/session.hpp"

namespace sinew {

/// The thread that owns a session. Others hand it what is to be done and wait for the answer, or
/// wait for frames; nobody else touches the session.
class ViewWorker {
 public:
  explicit ViewWorker(std::unique_ptr<ViewSession> session);
  /// Ends the thread; whoever waits is told so.
  ~ViewWorker();
  ViewWorker(const ViewWorker&) = delete;
  ViewWorker& operator=(const ViewWorker&) = delete;

  /// ViewSession::apply on the worker's thread. Throws its Error, and one where too much waits.
  nlohmann::ordered_json command(nlohmann::json command);
  /// The live page as it is now.
  std::string page();

  struct Frame {
    std::uint64_t number = 0;
    std::shared_ptr<const std::string> text;  ///< ViewSession::frame
  };
  /// The newest frame once it is newer than number `after`; none where `seconds` pass without one,
  /// or the worker has stopped.
  std::optional<Frame> wait_for_frame(std::uint64_t after, double seconds);
  /// From now on nobody waits for frames. For the server's end, which comes before the worker's.
  void close();
  bool closed();

 private:
  using Answer = std::variant<std::string, Error>;
  using Task = std::packaged_task<Answer(ViewSession&)>;
  /// What `what` returns or throws on the worker's thread. Errors come as copies: exceptions are
  /// not shared between threads.
  std::string ask(std::function<std::string(ViewSession&)> what);
  void run();
  void publish();

  std::unique_ptr<ViewSession> session_;  ///< of the thread alone
  std::mutex mutex_;
  std::condition_variable wake_, fresh_;
  std::deque<Task> tasks_;
  Frame frame_;
  bool closed_ = false, stop_ = false;
  std::thread thread_;
};

}  // namespace sinew
