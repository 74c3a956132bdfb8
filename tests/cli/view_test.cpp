#include <fcntl.h>
#include <gmock/gmock.h>
#include <httplib.h>
#include <spawn.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "cli/program.hpp"

/// `sinew view` as a program.

namespace sinew::test {
namespace view_test {

using nlohmann::json;
using testing::HasSubstr;

/// Only where the page was built: that takes Node.js.
class View : public testing::Test {
 protected:
  void SetUp() override {
    const std::filesystem::path program = SINEW_PROGRAM;
    if (!std::filesystem::exists(program.parent_path() / "../share/sinew/report.html"))
      GTEST_SKIP() << "the page was not built";
  }
};

TEST_F(View, PrintsItsAddressServesThePageAndEndsWithCtrlC) {
  const TemporaryFolder folder;
  const std::string out = (folder / "out").string();
  std::string program = SINEW_PROGRAM;
  std::vector<std::string> words = {program, "view", "wrap-pendulum", "--no-browser", "--json"};
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), O_WRONLY | O_CREAT, 0600);
  pid_t child = 0;
  ASSERT_EQ(posix_spawn(&child, program.c_str(), &actions, nullptr, argv.data(), environ), 0);
  posix_spawn_file_actions_destroy(&actions);
  std::string line;
  for (int k = 0; k < 600 && line.find('\n') == std::string::npos; ++k) {
    usleep(50000);
    line = read_file(out);
  }
  const json start = json::parse(line, nullptr, false);
  EXPECT_TRUE(start.is_object()) << line;
  if (start.is_object()) {
    const std::string address = start["address"];
    const std::string host = "http://127.0.0.1:" + std::to_string(start["port"].get<int>());
    ASSERT_TRUE(address.starts_with(host + "/")) << address;
    httplib::Client client(host);
    const auto page = client.Get(address.substr(host.size()));
    ASSERT_TRUE(page);
    EXPECT_EQ(page->status, 200);
    EXPECT_THAT(page->body, HasSubstr("\"kind\":\"live\""));
    EXPECT_EQ(client.Get("/")->status, 403);
  }
  kill(child, SIGINT);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(View, SaysWhatIsWrongAsEverythingElseDoes) {
  EXPECT_EQ(run_program("view nothing-such --no-browser").exit_code, 2);
  EXPECT_THAT(run_program("view wrap-pendulm --no-browser").err,
              HasSubstr("did you mean 'wrap-pendulum'?"));
  EXPECT_EQ(run_program("view wrap-pendulum --port 99999").exit_code, 2);
  const ProgramResult lost = run_program("view wrap-pendulum no-such.mot --no-browser");
  EXPECT_EQ(lost.exit_code, 2);
  EXPECT_THAT(lost.err, HasSubstr("no-such.mot"));
  EXPECT_THAT(run_program("view wrap-pendulum --beside other.mot --no-browser").err,
              HasSubstr("nothing to be compared with"));
  EXPECT_THAT(run_program("view --help").out, HasSubstr("sinew view wrap-pendulum"));
}

}  // namespace view_test
}  // namespace sinew::test
