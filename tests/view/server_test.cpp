#include "sinew/view/server.hpp"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <sys/socket.h>
#include <unistd.h>

#include <set>

#include "cli/program.hpp"
#include "sinew/view/worker.hpp"
#include "support/source_dir.hpp"

// After Eigen, whose names its headers of the system define as macros.
#include <httplib.h>

/// Access to the live viewer, and its answers. Effects of commands: session_test.cpp.

namespace sinew {
namespace view_server_test {

namespace fs = std::filesystem;
using nlohmann::json;
using test::TemporaryFolder;
using testing::HasSubstr;

/// A viewer of a scene in its own folder.
class ViewServerTest : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_ / "model" / "sub");
    fs::copy_file(test::source_dir() + "/scenes/wrap-pendulum.json", scene_);
    std::ofstream(folder_ / "secret.txt") << "secret";
    std::ofstream(folder_ / "model" / "sub" / "mesh.obj") << "v 0 0 0";
    std::ofstream(folder_ / "model" / ".hidden") << "hidden";
    fs::create_symlink(folder_ / "secret.txt", folder_ / "model" / "link.txt");
    fs::create_directory_symlink(folder_.path(), folder_ / "model" / "up");
    worker_ = std::make_unique<ViewWorker>(
        std::make_unique<ViewSession>(load_view_model(scene_.string())));
    server_ =
        std::make_unique<ViewServer>(*worker_, ViewServer::Settings{folder_ / "model", 0, token_});
    port_ = server_->port();
    client_ = std::make_unique<httplib::Client>("127.0.0.1", port_);
  }

  int status(const std::string& path, const httplib::Headers& headers = {}) {
    const auto result = client_->Get(path, headers);
    return result ? result->status : -1;
  }
  httplib::Result post(const std::string& body) {
    return client_->Post("/" + token_ + "/command", body, "application/json");
  }
  /// The first events of the stream.
  std::vector<json> events(size_t count) {
    std::vector<json> out;
    std::string text;
    httplib::Client client("127.0.0.1", port_);  // the server may be gone by now
    client.Get("/" + token_ + "/frames", [&](const char* data, size_t size) {
      text.append(data, size);
      for (size_t end; (end = text.find("\n\n")) != std::string::npos; text.erase(0, end + 2))
        if (text.starts_with("data: ")) out.push_back(json::parse(text.substr(6, end - 6)));
      return out.size() < count;
    });
    return out;
  }

  const TemporaryFolder folder_;
  const fs::path scene_ = folder_ / "model/wrap-pendulum.json";
  const std::string token_ = make_token();
  std::unique_ptr<ViewWorker> worker_;
  std::unique_ptr<ViewServer> server_;
  int port_ = 0;
  std::unique_ptr<httplib::Client> client_;
};

TEST(ViewToken, Has128BitsThatAreNeverTheSame) {
  std::set<std::string> seen;
  for (int k = 0; k < 100; ++k) {
    const std::string token = make_token();
    EXPECT_EQ(token.size(), 32u);
    EXPECT_EQ(token.find_first_not_of("0123456789abcdef"), std::string::npos);
    seen.insert(token);
  }
  EXPECT_EQ(seen.size(), 100u);
}

TEST(ViewToken, IsComparedWhole) {
  EXPECT_TRUE(equal_in_constant_time("abc", "abc"));
  EXPECT_FALSE(equal_in_constant_time("abc", "abd"));
  EXPECT_FALSE(equal_in_constant_time("xbc", "abc"));
  EXPECT_FALSE(equal_in_constant_time("ab", "abc"));
  EXPECT_FALSE(equal_in_constant_time("", "abc"));
}

TEST_F(ViewServerTest, RefusesEverythingWithoutTheToken) {
  std::string wrong = token_;
  wrong.back() = wrong.back() == '0' ? '1' : '0';
  for (const std::string& token : {std::string(), std::string("token"), wrong, token_ + "0",
                                   token_.substr(1), std::string(5000, 'a')})
    for (const char* path : {"", "/", "/frames", "/files/wrap-pendulum.json", "/command"})
      EXPECT_EQ(status("/" + token + path), 403) << token << path;
  EXPECT_EQ(status("/"), 403);
  EXPECT_EQ(status("/favicon.ico"), 403);
  EXPECT_EQ(client_->Post("/" + wrong + "/command", "{}", "application/json")->status, 403);
  EXPECT_EQ(client_->Put("/" + wrong + "/command", "{}", "application/json")->status, 403);
  EXPECT_EQ(client_->Delete("/anything")->status, 403);
}

TEST_F(ViewServerTest, RefusesOtherHostsAndOrigins) {
  const std::string path = "/" + token_ + "/files/wrap-pendulum.json";
  const std::string port = std::to_string(server_->port());
  EXPECT_EQ(status(path, {{"Host", "127.0.0.1:" + port}}), 200);
  EXPECT_EQ(status(path, {{"Host", "localhost:" + port}}), 200);
  // A name of an attacker's that resolves to this machine.
  for (const std::string& host :
       {"evil.example:" + port, std::string("127.0.0.1"), "127.0.0.1:1" + port, std::string()})
    EXPECT_EQ(status(path, {{"Host", host}}), 403) << host;
  EXPECT_EQ(status(path, {{"Host", "localhost:" + port}, {"Origin", "http://evil.example"}}), 403);
  EXPECT_EQ(status(path, {{"Host", "localhost:" + port}, {"Origin", "http://localhost:" + port}}),
            200);
}

TEST_F(ViewServerTest, GivesFilesBelowTheFolderOnly) {
  const std::string files = "/" + token_ + "/files/";
  const auto mesh = client_->Get(files + "sub/mesh.obj");
  ASSERT_TRUE(mesh);
  EXPECT_EQ(mesh->body, "v 0 0 0");
  EXPECT_EQ(mesh->get_header_value("Content-Disposition"), "attachment");
  for (const char* path :
       {"../secret.txt", "%2e%2e/secret.txt", "%2e%2e%2fsecret.txt", "..%5csecret.txt",
        "sub/../../secret.txt", "sub/%2e%2e/%2e%2e/secret.txt", "link.txt", "up/secret.txt",
        ".hidden", "sub", "", ".", "/etc/passwd", "%2fetc%2fpasswd", "none.obj",
        "sub/mesh.obj%00.txt", "%252e%252e/secret.txt"}) {
    const auto result = client_->Get(files + path);
    ASSERT_TRUE(result) << path;
    EXPECT_EQ(result->status, 404) << path;
    EXPECT_EQ(result->body.find("secret"), std::string::npos) << path;
  }
  EXPECT_EQ(status("/" + token_ + "/../secret.txt"), 404);
  EXPECT_EQ(status("/" + token_ + "/elsewhere"), 404);
}

TEST_F(ViewServerTest, ChangesNoFiles) {
  const std::string file = "/" + token_ + "/files/sub/mesh.obj";
  EXPECT_EQ(client_->Put(file, "x", "text/plain")->status, 405);
  EXPECT_EQ(client_->Post(file, "x", "text/plain")->status, 405);
  EXPECT_EQ(client_->Delete(file)->status, 405);
  EXPECT_EQ(client_->Get(file)->body, "v 0 0 0");
}

TEST_F(ViewServerTest, BindsToLoopbackOnly) {
  // The kernel's table of sockets: local address, state 0A for those that listen.
  int listening = 0;
  for (const char* table : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    std::ifstream in(table);
    std::string line;
    std::getline(in, line);
    while (std::getline(in, line)) {
      std::istringstream words(line);
      std::string slot, local, remote, state;
      words >> slot >> local >> remote >> state;
      const size_t colon = local.find(':');
      if (state != "0A" || std::stoi(local.substr(colon + 1), nullptr, 16) != server_->port())
        continue;
      ++listening;
      EXPECT_EQ(local.substr(0, colon), "0100007F") << "127.0.0.1, as the kernel writes it";
    }
  }
  EXPECT_EQ(listening, 1);
  // Loopback has other addresses, too: none answers.
  EXPECT_FALSE(httplib::Client("127.0.0.2", server_->port()).Get("/"));
}

TEST_F(ViewServerTest, SaysWhereAPortIsTaken) {
  EXPECT_THROW(ViewServer(*worker_, {folder_.path(), server_->port(), token_}), Error);
}

TEST_F(ViewServerTest, RefusesBodiesThatMakeNoSense) {
  const auto error_of = [&](const std::string& body) {
    const auto result = post(body);
    if (!result) return std::string("no answer");
    EXPECT_EQ(result->status, 400) << body;
    return json::parse(result->body)["error"].get<std::string>();
  };
  EXPECT_THAT(error_of(""), HasSubstr("not JSON"));
  EXPECT_THAT(error_of("{\"do\":"), HasSubstr("not JSON"));
  EXPECT_THAT(error_of("\xff\xfe"), HasSubstr("not JSON"));
  EXPECT_THAT(error_of("[]"), HasSubstr("is not an object"));
  EXPECT_THAT(error_of("{\"do\": \"fly\"}"), HasSubstr("command 'fly': does not exist"));
  EXPECT_THAT(error_of("{\"do\": \"set\"}"), HasSubstr("has no 'coordinate'"));
  // Deep, but small enough to be read.
  EXPECT_THAT(error_of(std::string(30000, '[')), HasSubstr("not JSON"));
  const auto huge = post(std::string(1 << 20, 'x'));
  EXPECT_TRUE(!huge || huge->status == 413);
  // It is still there.
  EXPECT_EQ(post("{\"do\": \"pause\"}")->status, 200);
}

TEST_F(ViewServerTest, TellsBrowsersToTrustNobodyElse) {
  const auto result = client_->Get("/" + token_ + "/files/wrap-pendulum.json");
  EXPECT_THAT(result->get_header_value("Content-Security-Policy"), HasSubstr("default-src 'none'"));
  EXPECT_EQ(result->get_header_value("Referrer-Policy"), "no-referrer");
  EXPECT_EQ(result->get_header_value("X-Content-Type-Options"), "nosniff");
  EXPECT_EQ(result->get_header_value("Cache-Control"), "no-store");
  EXPECT_EQ(result->get_header_value_count("Access-Control-Allow-Origin"), 0u);
}

TEST_F(ViewServerTest, FramesFollowCommands) {
  const auto answer = post(R"({"do": "set", "coordinate": "elbow", "value": 0.25})");
  ASSERT_EQ(answer->status, 200) << answer->body;
  EXPECT_EQ(json::parse(answer->body)["value"], 0.25);
  // The frame that knows of it may come a moment after the answer.
  json number;
  for (int k = 0; k < 1000 && number != json::parse(answer->body)["number"]; ++k) {
    const std::vector<json> frames = events(1);
    ASSERT_EQ(frames.size(), 1u);
    number = frames[0]["number"];
  }
  EXPECT_EQ(number, json::parse(answer->body)["number"]);
  post(R"({"do": "run"})");
  const std::vector<json> run = events(5);
  ASSERT_EQ(run.size(), 5u);
  EXPECT_GT(run[4]["time"], run[0]["time"]);
  EXPECT_EQ(run[4]["running"], true);
}

TEST_F(ViewServerTest, ManyMayTalkAtOnce) {
  std::vector<std::thread> threads;
  std::atomic<int> answered{0}, seen{0};
  for (int k = 0; k < 3; ++k) {
    threads.emplace_back([&, k] {
      httplib::Client client("127.0.0.1", server_->port());
      for (int i = 0; i < 20; ++i) {
        const json command =
            i % 5 == 0 ? json{{"do", i % 2 == 0 ? "run" : "pause"}}
                       : json{{"do", "set"}, {"coordinate", "elbow"}, {"value", 0.01 * i * k}};
        const auto result =
            client.Post("/" + token_ + "/command", command.dump(), "application/json");
        if (result && result->status == 200) ++answered;
      }
    });
    threads.emplace_back([&] { seen += static_cast<int>(events(3).size()); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(answered, 60);
  EXPECT_EQ(seen, 9);
}

TEST_F(ViewServerTest, ConnectionsThatSayNothingKeepNobodyWaiting) {
  std::vector<int> idle;
  for (int k = 0; k < 200; ++k) {
    const int file = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(server_->port()));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ASSERT_EQ(connect(file, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    if (k % 2 == 0) {
      ASSERT_EQ(write(file, "GET /", 5), 5);
    }
    idle.push_back(file);
  }
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(status("/" + token_ + "/"), 200);
  // They would be waited for until their timeout, 5 s, one batch after the other.
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(4));
  for (const int file : idle) close(file);
}

TEST_F(ViewServerTest, ConnectionsThatSendByteByByteKeepNobodyWaiting) {
  std::atomic<bool> ended{false};
  std::vector<std::thread> slow;
  for (int k = 0; k < 40; ++k)
    slow.emplace_back([&] {
      const int file = socket(AF_INET, SOCK_STREAM, 0);
      sockaddr_in address{};
      address.sin_family = AF_INET;
      address.sin_port = htons(static_cast<std::uint16_t>(server_->port()));
      address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      EXPECT_EQ(connect(file, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
      const std::string text = "GET /" + std::string(1000, 'a');
      for (size_t at = 0; at < text.size() && !ended; ++at) {
        if (send(file, &text[at], 1, MSG_NOSIGNAL) != 1) break;
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
      }
      close(file);
    });
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(status("/" + token_ + "/"), 200);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(4));
  ended = true;
  for (std::thread& one : slow) one.join();
}

TEST_F(ViewServerTest, GivesOneRangeOfAFileAtATime) {
  const std::string file = "/" + token_ + "/files/sub/mesh.obj";
  EXPECT_EQ(status(file, {{"Range", "bytes=0-3"}}), 206);
  std::string many = "bytes=0-";
  for (int k = 0; k < 150; ++k) many += ",0-";
  EXPECT_EQ(status(file, {{"Range", many}}), 416);
}

TEST_F(ViewServerTest, EndsWhilePagesLookOn) {
  std::atomic<bool> ended{false};
  std::thread page([&] {
    events(1000000);
    ended = true;
  });
  while (events(1).empty()) {
  }
  server_.reset();
  page.join();
  EXPECT_TRUE(ended);
}

}  // namespace view_server_test
}  // namespace sinew
