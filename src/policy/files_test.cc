// Files a policy names: read whole, bounded in size and time.
#include "policy/files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <string>
#include <thread>

namespace weir::policy {
namespace {

// A process that opens a pipe which nobody writes to waits for ever.
TEST(ReadFile, WaitsForAPipeNoLongerThanItIsTold) {
  const std::string path = ::testing::TempDir() + "weir-pipe-" + std::to_string(::getpid());
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const auto unwritten = read_file(path, 100, std::chrono::milliseconds(1));
  ASSERT_FALSE(unwritten);
  EXPECT_NE(unwritten.error().text().find("is no regular file, and did not end"),
            std::string::npos);

  const int writer = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(::write(writer, "version: 1\n", 11), 11);
  EXPECT_FALSE(read_file(path, 100, std::chrono::milliseconds(1)));  // it may write more
  ::close(writer);
  ::unlink(path.c_str());
}

TEST(ReadFile, ReadsAPipeToItsEnd) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "version: 1\n", 11), 11);
  ::close(ends[1]);
  const auto read = read_file("/proc/self/fd/" + std::to_string(ends[0]), 11);
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(*read, "version: 1\n");
  ::close(ends[0]);
}

TEST(ReadFile, ReadsWhatIsThereAndNoMoreThanAllowed) {
  const std::string path = ::testing::TempDir() + "weir-file-" + std::to_string(::getpid());
  for (const std::size_t size : {0U, 1U, 16U * 1024, 16U * 1024 + 1, 100'000U}) {
    std::ofstream(path, std::ios::trunc) << std::string(size, 'x');
    const auto whole = read_file(path, size);
    ASSERT_TRUE(whole) << size;
    EXPECT_EQ(whole->size(), size);
    if (size > 0) {
      EXPECT_FALSE(read_file(path, size - 1)) << size;
    }
  }
  ::unlink(path.c_str());
  EXPECT_FALSE(read_file(path, 10));
  EXPECT_FALSE(read_file("/dev/zero", 1000));
  EXPECT_FALSE(read_file(::testing::TempDir(), 1000));
}

TEST(ReadFile, SaysWhatMayPass) {
  const std::string path = ::testing::TempDir() + "weir-away-" + std::to_string(::getpid());
  const auto absent = read_file(path, 10);
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().code, ErrorCode::unavailable);

  std::ofstream(path) << "12345678901";
  EXPECT_EQ(read_file(path, 10).error().code, ErrorCode::io);
  EXPECT_EQ(read_file(path + "/below", 10).error().code, ErrorCode::io);

  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit none = before;
  none.rlim_cur = 3;  // those below it are open
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const auto full = read_file(path, 100);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().code, ErrorCode::unavailable);
  EXPECT_TRUE(read_file(path, 100));
  ::unlink(path.c_str());
}

// What is read while it is written may be half of each.
TEST(ReadFile, DoesNotTakeAFileThatIsWrittenMeanwhile) {
  const std::string path = ::testing::TempDir() + "weir-grows-" + std::to_string(::getpid());
  std::ofstream file(path, std::ios::trunc);
  file << std::string(1 << 20, 'x') << std::flush;
  std::atomic<bool> done{false};
  std::thread writer([&] {
    for (int i = 0; i < (8 << 20) && !done; ++i) file << 'x' << std::flush;
  });
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  bool noticed = false;
  while (!noticed && std::chrono::steady_clock::now() < end) {
    const auto read = read_file(path, std::size_t{16} << 20);
    noticed = !read && read.error().code == ErrorCode::unavailable;
  }
  done = true;
  writer.join();
  EXPECT_TRUE(noticed);
  EXPECT_TRUE(read_file(path, std::size_t{16} << 20));
  ::unlink(path.c_str());
}

}  // namespace
}  // namespace weir::policy
