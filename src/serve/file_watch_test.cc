#include "serve/file_watch.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace weir::serve {
namespace {

namespace fs = std::filesystem;

class FileWatchOf : public ::testing::Test {
 protected:
  FileWatchOf() : folder_(::testing::TempDir() + "weir_watch_XXXXXX") {
    if (::mkdtemp(folder_.data()) == nullptr) ADD_FAILURE() << "no temporary folder";
    write("a", "one");
    watch_.reset({path("a"), path("b")});
  }
  ~FileWatchOf() override { fs::remove_all(folder_); }

  std::string path(const char* name) const { return folder_ + "/" + name; }
  void write(const char* name, const std::string& text) const { std::ofstream(path(name)) << text; }
  // A change is one that rests: seen twice.
  bool changed() {
    watch_.changed();
    return watch_.changed();
  }

  std::string folder_;
  FileWatch watch_;
};

TEST_F(FileWatchOf, UntouchedFilesHaveNotChanged) {
  EXPECT_FALSE(changed());
  EXPECT_FALSE(changed());
}

TEST_F(FileWatchOf, SeesALongerText) {
  write("a", "one and more");
  EXPECT_TRUE(changed());
  EXPECT_TRUE(watch_.changed());  // until it was read
  EXPECT_TRUE(watch_.reset(watch_.paths()));
  EXPECT_FALSE(changed());
  EXPECT_FALSE(watch_.reset(watch_.paths()));
  EXPECT_TRUE(watch_.reset({path("a")}));
}

TEST_F(FileWatchOf, SeesAReplacedFileOfTheSameSizeAndTime) {
  write("new", "two");
  fs::last_write_time(path("new"), fs::last_write_time(path("a")));
  fs::rename(path("new"), path("a"));
  EXPECT_TRUE(changed());
}

TEST_F(FileWatchOf, SeesAFileThatAppearsAndOneThatIsGone) {
  write("b", "new");
  EXPECT_TRUE(changed());
  watch_.reset(watch_.paths());
  fs::remove(path("a"));
  EXPECT_TRUE(changed());
}

TEST_F(FileWatchOf, SeesALinkThatIsMoved) {
  write("old", "one");
  write("new", "two");
  fs::create_symlink("old", path("link"));
  watch_.reset({path("link")});
  fs::create_symlink("new", path("link2"));
  fs::rename(path("link2"), path("link"));
  EXPECT_TRUE(changed());
}

TEST_F(FileWatchOf, WaitsUntilAWriterRests) {
  std::ofstream out(path("a"));
  for (int i = 0; i < 5; ++i) {
    out << "a line\n" << std::flush;
    EXPECT_FALSE(watch_.changed()) << i;
  }
  EXPECT_TRUE(watch_.changed());
}

}  // namespace
}  // namespace weir::serve
