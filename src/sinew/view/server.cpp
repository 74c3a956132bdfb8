#include "sinew/view/server.hpp"

#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <fstream>
#include <functional>
#include <list>
#include <mutex>
#include <thread>

#include "sinew/core/error.hpp"
#include "sinew/view/worker.hpp"

// After Eigen, whose names its headers of the system define as macros.
#include <httplib.h>

namespace sinew {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr const char* kLoopback = "127.0.0.1";
constexpr size_t kLargestBody = 64 << 10;
constexpr std::uintmax_t kLargestSentFile = 256u << 20;
constexpr int kMostStreams = 8;  // pages that are open at a time: each takes a thread
constexpr int kMostConnections = 512;
constexpr double kHeartbeat = 1;  // [s]: so that pages that were closed are found out

/// What pages of this server may do: talk to it, and nothing else.
constexpr const char* kPolicy =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'";

/// A thread for each connection: any number that say nothing, or little at a time, keep nobody
/// waiting. Beyond kMostConnections new ones wait for the timeout of old ones. Called by the thread
/// that listens alone.
class ConnectionThreads : public httplib::TaskQueue {
 public:
  void enqueue(std::function<void()> serve) override {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return open_ < kMostConnections; });
      ++open_;
    }
    join_if([](const Connection& c) { return c.done.load(); });
    Connection& connection = connections_.emplace_back();
    connection.thread = std::thread([this, &connection, serve = std::move(serve)] {
      serve();
      const std::lock_guard lock(mutex_);
      --open_;
      connection.done = true;
      changed_.notify_all();
    });
  }
  void shutdown() override {
    join_if([](const Connection&) { return true; });
  }

 private:
  struct Connection {
    std::thread thread;
    std::atomic<bool> done{false};
  };

  template <class Condition>
  void join_if(Condition condition) {
    for (auto c = connections_.begin(); c != connections_.end();)
      if (condition(*c)) {
        c->thread.join();
        c = connections_.erase(c);
      } else {
        ++c;
      }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  int open_ = 0;
  std::list<Connection> connections_;
};

void refuse(httplib::Response& response, int status, const std::string& why) {
  response.status = status;
  response.set_content(ordered_json{{"error", why}}.dump() + "\n", "application/json");
}

}  // namespace

std::string make_token() {
  std::array<unsigned char, 16> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw Error("viewer", "the system gives no random numbers", "");
  std::string out;
  for (const unsigned char byte : bytes) out += fmt::format("{:02x}", byte);
  return out;
}

bool equal_in_constant_time(const std::string& a, const std::string& b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (size_t k = 0; k < a.size(); ++k)
    difference |= static_cast<unsigned char>(a[k]) ^ static_cast<unsigned char>(b[k]);
  return difference == 0;
}

fs::path file_below(const fs::path& folder, const std::string& path) {
  if (path.find('\0') != std::string::npos) return {};
  const fs::path relative(path);
  if (relative.is_absolute()) return {};
  for (const fs::path& part : relative)
    if (part.string().starts_with('.')) return {};
  std::error_code code;
  const fs::path root = fs::canonical(folder, code);
  if (code) return {};
  const fs::path file = fs::canonical(root / relative, code);
  if (code || !fs::is_regular_file(file, code)) return {};
  // Links are resolved by now: what is below the folder has all its parts in front.
  const auto mismatch = std::mismatch(root.begin(), root.end(), file.begin(), file.end());
  return mismatch.first == root.end() ? file : fs::path();
}

struct ViewServer::Implementation {
  Implementation(ViewWorker& of, Settings with) : worker(of), settings(std::move(with)) {}

  ViewWorker& worker;
  Settings settings;
  httplib::Server server;
  std::atomic<int> streams{0};
  std::thread thread;

  /// The part of a path after the token; none without the right one.
  std::optional<std::string> after_token(const std::string& path) const {
    if (!path.starts_with('/')) return std::nullopt;
    const size_t end = path.find('/', 1);
    const std::string token = path.substr(1, end == std::string::npos ? end : end - 1);
    if (!equal_in_constant_time(token, settings.token) || end == std::string::npos)
      return std::nullopt;
    return path.substr(end + 1);
  }

  /// A page of another name that resolves to this machine, or of another server, is none of ours.
  bool is_from_here(const httplib::Request& request) const {
    const std::string port = std::to_string(settings.port);
    const std::string host = request.get_header_value("Host");
    if (request.get_header_value_count("Host") != 1 ||
        (host != kLoopback + (":" + port) && host != "localhost:" + port))
      return false;
    const std::string origin = request.get_header_value("Origin");
    return origin.empty() || origin == "http://" + host;
  }

  /// Everything but the bodies of commands. True where the request is answered.
  bool answer(const httplib::Request& request, httplib::Response& response) {
    response.set_header("Cache-Control", "no-store");
    response.set_header("X-Content-Type-Options", "nosniff");
    response.set_header("Referrer-Policy", "no-referrer");
    response.set_header("Content-Security-Policy", kPolicy);
    const std::optional<std::string> path = after_token(request.path);
    if (!is_from_here(request) || !path) {
      refuse(response, 403, "the address lacks its token, or is not this machine's");
    } else if (request.method == "POST" && *path == "command") {
      return false;
    } else if (request.method != "GET") {
      refuse(response, 405, "only GET, and POST of commands");
    } else if (request.ranges.size() > 1) {
      refuse(response, 416,
             "one range at a time: copies of overlapping ones would fill the memory");
    } else if (path->empty()) {
      response.set_content(worker.page(), "text/html; charset=utf-8");
    } else if (*path == "frames") {
      stream(response);
    } else if (path->starts_with("files/")) {
      send_file(path->substr(6), response);
    } else {
      refuse(response, 404, "there is nothing here");
    }
    return true;
  }

  void send_file(const std::string& path, httplib::Response& response) const {
    const fs::path file = file_below(settings.folder, path);
    std::error_code code;
    if (file.empty() || fs::file_size(file, code) > kLargestSentFile || code) {
      refuse(response, 404, "there is no such file below the model's folder");
      return;
    }
    std::ifstream in(file, std::ios::binary);
    std::string text((std::istreambuf_iterator<char>(in)), {});
    // Never to be run as a page of ours.
    response.set_header("Content-Disposition", "attachment");
    response.set_content(std::move(text), "application/octet-stream");
  }

  void stream(httplib::Response& response) {
    if (streams.fetch_add(1) >= kMostStreams) {
      streams.fetch_sub(1);
      refuse(response, 503, "too many pages are open; close one");
      return;
    }
    auto last = std::make_shared<std::uint64_t>(0);
    response.set_chunked_content_provider(
        "text/event-stream",
        [this, last](size_t, httplib::DataSink& sink) {
          const auto frame = worker.wait_for_frame(*last, kHeartbeat);
          if (frame) *last = frame->number;
          const std::string text = frame ? "data: " + *frame->text + "\n\n" : ":\n\n";
          return sink.write(text.data(), text.size()) && !worker.closed();
        },
        [this](bool) { streams.fetch_sub(1); });
  }

  void command(const httplib::Request& request, httplib::Response& response) {
    const nlohmann::json command = nlohmann::json::parse(request.body, nullptr, false);
    if (command.is_discarded()) {
      refuse(response, 400, "the command is not JSON");
      return;
    }
    try {
      response.set_content(worker.command(command).dump() + "\n", "application/json");
    } catch (const Error& error) {
      refuse(response, 400, error.what());
    } catch (const std::future_error&) {
      refuse(response, 503, "the viewer has ended");
    }
  }

  void listen() {
    server.set_pre_routing_handler([this](const auto& request, auto& response) {
      return answer(request, response) ? httplib::Server::HandlerResponse::Handled
                                       : httplib::Server::HandlerResponse::Unhandled;
    });
    server.Post("/.*", [this](const auto& request, auto& response) { command(request, response); });
    server.set_exception_handler([](const auto&, auto& response, std::exception_ptr problem) {
      try {
        std::rethrow_exception(problem);
      } catch (const std::exception& error) {
        refuse(response, 500, error.what());
      }
    });
    server.new_task_queue = [] { return new ConnectionThreads; };
    server.set_payload_max_length(kLargestBody);
    server.set_tcp_nodelay(true);
    server.set_read_timeout(5);
    server.set_keep_alive_timeout(2);
    // Without the library's SO_REUSEPORT, by which another program could share the port.
    server.set_socket_options([](socket_t socket) {
      const int yes = 1;
      setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    if (settings.port == 0)
      settings.port = server.bind_to_any_port(kLoopback);
    else if (!server.bind_to_port(kLoopback, settings.port))
      settings.port = -1;
    if (settings.port <= 0)
      throw Error("--port", "is not available", "choose another one, or none for any that is free");
    thread = std::thread([this] { server.listen_after_bind(); });
    // Once stop() has something to stop.
    while (!server.is_running()) std::this_thread::yield();
  }
};

ViewServer::ViewServer(ViewWorker& worker, Settings settings)
    : implementation_(std::make_unique<Implementation>(worker, std::move(settings))) {
  implementation_->listen();
}

ViewServer::~ViewServer() {
  implementation_->worker.close();
  implementation_->server.stop();
  implementation_->thread.join();
}

int ViewServer::port() const { return implementation_->settings.port; }

std::string ViewServer::address() const {
  return fmt::format("http://{}:{}/{}/", kLoopback, port(), implementation_->settings.token);
}

}  // namespace sinew
