#include "sinew/report/result_folder.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <fstream>

#include "sinew/io/tables/whole_file.hpp"

namespace sinew {
namespace result_folder_test {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

/// While it lives, files of this process can grow to so many bytes, as on a full disk.
class SmallDisk {
 public:
  explicit SmallDisk(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit small{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
  }
  ~SmallDisk() { setrlimit(RLIMIT_FSIZE, &before_); }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

 private:
  rlimit before_{};
};

class ResultFolderOnASmallDisk : public testing::Test {
 protected:
  void SetUp() override {
    path_ = fs::path(testing::TempDir()) /
            testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(path_);
    ResultFolder earlier(path_, TableFormat::csv);
    earlier.finish({{"status", "finished"}, {"of", "the earlier run"}});
  }
  void TearDown() override { fs::remove_all(path_); }

  ordered_json record() const {
    std::ifstream file(path_ / "run.json");
    return ordered_json::parse(file);
  }
  fs::path path_;
};

TEST_F(ResultFolderOnASmallDisk, KeepsTheEarlierRunIfItsRecordHasNoRoom) {
  {
    const SmallDisk disk(1000);
    ResultFolder folder(path_, TableFormat::csv);
    EXPECT_THROW(folder.finish({{"status", "finished"}, {"long", std::string(2000, 'x')}}),
                 WriteError);
  }
  EXPECT_EQ(record()["of"], "the earlier run");
}

TEST_F(ResultFolderOnASmallDisk, MarksItsOwnRecordAsFailedWithoutMoreRoom) {
  {
    const SmallDisk disk(1000);
    ResultFolder folder(path_, TableFormat::csv);
    folder.describe({{"status", "running"}, {"of", "this run"}});
    folder.take_over();
    EXPECT_THROW(folder.finish({{"status", "finished"}, {"long", std::string(2000, 'x')}}),
                 WriteError);
  }
  EXPECT_EQ(record()["of"], "this run");
  EXPECT_EQ(record()["status"], "failed");
}

}  // namespace result_folder_test
}  // namespace sinew
