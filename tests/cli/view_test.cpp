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

/// The file once it has a whole line, or what there is after half a minute.
std::string wait_for_line(const std::filesystem::path& file) {
  std::string text;
  for (int k = 0; k < 600 && text.find('\n') == std::string::npos; ++k) {
    usleep(50000);
    text = read_file(file);
  }
  return text;
}

TEST_F(View, PrintsItsAddressServesThePageAndEndsWithCtrlC) {
  const TemporaryFolder folder;
  const pid_t child =
      start_program({"view", "wrap-pendulum", "--no-browser", "--json"}, folder / "out");
  const std::string line = wait_for_line(folder / "out");
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
  EXPECT_EQ(end_by(SIGINT, child), 0);
}

// The page that leads the browser to the address holds the token.
TEST_F(View, LeavesNoTemporaryFileAfterSigterm) {
  const TemporaryFolder folder, temporary;
  const std::filesystem::path browser = folder / "xdg-open";
  std::ofstream(browser) << "#!/bin/sh\nls \"$1\" >'" << (folder / "opened").string() << "'\n";
  std::filesystem::permissions(browser, std::filesystem::perms::owner_all);
  const std::string path = getenv("PATH");
  setenv("PATH", (folder.path().string() + ":" + path).c_str(), 1);
  setenv("TMPDIR", temporary.path().c_str(), 1);
  const pid_t child = start_program({"view", "wrap-pendulum"}, folder / "out");
  setenv("PATH", path.c_str(), 1);
  unsetenv("TMPDIR");
  EXPECT_THAT(wait_for_line(folder / "opened"), HasSubstr("/sinew-view-"));
  EXPECT_EQ(end_by(SIGTERM, child), 0);
  EXPECT_TRUE(std::filesystem::is_empty(temporary.path()));
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
