// Whole logs: every line is counted once, whatever it holds, and time is put in order.
#include "traffic/reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>

#include "traffic/blocks.h"

namespace weir::traffic {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kMidnight = 1'525'046'400 * kSecond;  // 2018-04-30T00:00:00Z

class ReaderTest : public ::testing::Test {
 protected:
  ReaderTest() {
    std::string name = (fs::temp_directory_path() / "weir-reader-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~ReaderTest() override { fs::remove_all(folder_); }

  std::string write(const std::string& name, std::string_view bytes) {
    std::string path = (folder_ / name).string();
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  ReadLogs read(std::string_view bytes, const ReadOptions& options = {}) {
    auto logs = read_logs({write("access.log", bytes)}, options);
    EXPECT_TRUE(logs) << (logs ? "" : logs.error().text());
    return logs ? std::move(*logs) : ReadLogs{};
  }
  std::string error(std::string_view bytes, const ReadOptions& options = {}) {
    const auto logs = read_logs({write("access.log", bytes)}, options);
    return logs ? "" : logs.error().text();
  }

  fs::path folder_;
};

std::string line(std::string_view time, std::string_view request = "GET / HTTP/1.1",
                 std::string_view rest = "200 12 \"-\" \"curl/8\"") {
  return "192.0.2.1 - - [" + std::string(time) + "] \"" + std::string(request) + "\" " +
         std::string(rest) + "\n";
}

constexpr const char* kTime = "29/Apr/2018:22:00:00 -0200";

TEST_F(ReaderTest, CountsEveryMalformedLineOnce) {
  const std::string good = line(kTime);
  const std::string log = good                                                             // 1
                          + line(kTime, "")                                                // 2
                          + line(kTime, "\\x03\\x00\\x00/*\\xE0")                          // 3
                          + line(kTime, "\x16\x03\x01\x02")                                // 4
                          + line(kTime, "GET / HTTP/1.1", "200 12 \"\" \"curl/8\"")        // 5
                          + line(kTime, "GET / HTTP/1.1", "200 12 \"-\" \"a \\\"b\\\"\"")  // 6
                          + good.substr(0, good.size() - 1) + "\r\n"                       // 7
                          + std::string((1 << 20) + 1, 'x') + "\n"              // 8: too long
                          + line(kTime, "GET /" + std::string(1'000'000, 'y'))  // 9
                          + "\n"                                                // 10
                          +
                          "192.0.2.1 - - [29/Foo/2018:22:00:00 -0200] \"GET / HTTP/1.1\" 200 1 "
                          "\"-\" \"-\"\n"        // 11
                          + good.substr(0, 40);  // 12: cut
  const ReadLogs logs = read(log);
  const ReadReport& report = logs.report;
  EXPECT_EQ(report.format, "combined");
  EXPECT_EQ(report.lines, 12u);
  EXPECT_EQ(report.requests, 8u);
  EXPECT_EQ(report.nothing, 1u);
  EXPECT_EQ(report.rejected, 3u);
  EXPECT_EQ(report.odd_requests, 3u);
  EXPECT_EQ(logs.events.size(), report.requests);
  ASSERT_EQ(report.rejections.size(), 3u);
  const auto at = [&](const char* reason) {
    const auto found = report.rejections.find(reason);
    EXPECT_NE(found, report.rejections.end()) << reason;
    return found == report.rejections.end() ? 0 : found->second.line;
  };
  EXPECT_EQ(at("the line is longer than 1 MiB"), 8u);
  EXPECT_EQ(at("the time is not in the form that the format has"), 11u);
  EXPECT_EQ(at("the line ends before the format does"), 12u);
  std::uint64_t rejected = 0;
  for (const auto& [reason, rejection] : report.rejections) {
    rejected += rejection.count;
    for (const char c : rejection.sample) EXPECT_TRUE(c >= ' ' && c < 0x7F);
  }
  EXPECT_EQ(rejected, report.rejected);
  const auto decoded = [&](std::uint32_t id) { return logs.events.caller(id).user_agent; };
  bool quotes = false;
  for (std::uint32_t id = 0; id < logs.events.callers(); ++id) quotes |= decoded(id) == "a \"b\"";
  EXPECT_TRUE(quotes) << "escaped quotes are decoded";
}

TEST_F(ReaderTest, OffsetsMeetInOneInstant) {
  const ReadLogs logs =
      read(line("29/Apr/2018:22:00:00 -0200") + line("30/Apr/2018:00:00:00 +0000") +
           line("30/Apr/2018:02:00:00 +0200"));
  ASSERT_EQ(logs.events.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(logs.events.at(i).start_ns, kMidnight);
  EXPECT_EQ(logs.report.out_of_order, 0u);
  EXPECT_EQ(logs.report.resolution_ns, kSecond);
}

// A clock that is put back for the winter, in local time with its offset: nothing is out of order.
TEST_F(ReaderTest, AChangeToWinterTimeIsNoStepBack) {
  const ReadLogs logs =
      read(line("28/Oct/2018:02:59:59 +0200") + line("28/Oct/2018:02:00:00 +0100") +
           line("28/Oct/2018:02:00:01 +0100"));
  EXPECT_EQ(logs.report.out_of_order, 0u);
  EXPECT_EQ(logs.report.last_ns - logs.report.first_ns, 2 * kSecond);
}

TEST_F(ReaderTest, ReportsAStepBackAndPutsTheLinesInOrder) {
  const ReadLogs logs =
      read(line("30/Apr/2018:00:20:00 +0000") + line("30/Apr/2018:00:00:00 +0000") +
           line("30/Apr/2018:00:20:01 +0000") + line("30/Apr/2018:00:10:00 +0000"));
  EXPECT_EQ(logs.report.out_of_order, 2u);
  EXPECT_EQ(logs.report.largest_step_back_ns, 20 * 60 * kSecond);
  EXPECT_EQ(logs.report.first_ns, kMidnight);
  for (std::size_t i = 1; i < logs.events.size(); ++i) {
    EXPECT_LE(logs.events.at(i - 1).start_ns, logs.events.at(i).start_ns);
  }
}

TEST_F(ReaderTest, AShuffledLogIsTheSortedOne) {
  std::mt19937_64 random(3);
  std::vector<std::string> lines;
  for (int i = 0; i < 500; ++i) {
    std::string second = std::to_string(random() % 60);
    if (second.size() < 2) second = "0" + second;
    lines.push_back(line("30/Apr/2018:00:00:" + second + " +0000", "GET /" + second));
  }
  const auto joined = [&] {
    std::string all;
    for (const std::string& one : lines) all += one;
    return all;
  };
  std::sort(lines.begin(), lines.end());
  const ReadLogs sorted = read(joined());
  std::shuffle(lines.begin(), lines.end(), random);
  const ReadLogs shuffled = read(joined());
  EXPECT_EQ(sorted.report.out_of_order, 0u);
  EXPECT_GT(shuffled.report.out_of_order, 0u);
  ASSERT_EQ(sorted.events.size(), shuffled.events.size());
  for (std::size_t i = 0; i < sorted.events.size(); ++i) {
    const Event a = sorted.events.at(i);
    const Event b = shuffled.events.at(i);
    EXPECT_EQ(a.start_ns, b.start_ns);
    EXPECT_EQ(sorted.events.target(a.request), shuffled.events.target(b.request));
  }
}

TEST_F(ReaderTest, SeesHowFinelyTheLogTellsTime) {
  ReadOptions options;
  options.format = "$remote_addr $msec";
  EXPECT_EQ(read("a 1525046400.000\nb 1525046400.250\n", options).report.resolution_ns, 1'000'000);
  EXPECT_EQ(read("a 1525046400.000\n", options).report.resolution_ns, kSecond);
  EXPECT_EQ(read("a 1525046400.000001\n", options).report.resolution_ns, 1'000);
}

TEST_F(ReaderTest, ATimeBefore1970IsRejected) {
  ReadOptions options;
  options.format = "combined";
  const ReadLogs logs = read(line("31/Dec/1969:23:59:59 +0000") + line(kTime), options);
  EXPECT_EQ(logs.report.requests, 1u);
  EXPECT_EQ(logs.report.rejections.count("a time before 1970"), 1u);
}

TEST_F(ReaderTest, SaysWhatItCannotRecognise) {
  EXPECT_NE(error("hello\nworld\n").find("--log-format"), std::string::npos);
  EXPECT_NE(error("hello\nworld\n").find("begins: hello"), std::string::npos);
  EXPECT_NE(error("").find("there is no line in it"), std::string::npos);
  EXPECT_NE(error("\n\n").find("there is no line in it"), std::string::npos);
}

TEST_F(ReaderTest, TakesNoMoreMemoryThanItMay) {
  std::string log;
  for (int i = 0; i < 40'000; ++i) log += line(kTime, "GET /" + std::to_string(i));
  ReadOptions options;
  options.memory_bytes = 1 << 20;
  EXPECT_NE(error(log, options).find("--memory"), std::string::npos);
}

// Blocks are parsed side by side; what comes of them is what one after the other would be.
TEST_F(ReaderTest, ALogOfManyBlocksIsReadAsOne) {
  std::mt19937_64 random(9);
  ReadOptions options;
  options.format = "$remote_addr $msec \"$request\" $http_x_key";
  std::string log;
  std::vector<std::pair<std::string, std::string>> sent;  // client and target
  std::uint64_t lines = 0;
  std::uint64_t bad = 0;
  std::uint64_t first_bad = 0;
  for (; log.size() < 3 * Blocks::kSize; ++lines) {
    if (lines > 150'000 && random() % 1'000 == 0) {
      if (bad++ == 0) first_bad = lines + 1;
      log += "junk\n";
      continue;
    }
    const std::string client = "192.0.2." + std::to_string(random() % 200);
    const std::string target = "/" + std::to_string(random() % 100'000);
    log += client + " " + std::to_string(1'525'046'400 + sent.size() / 100) + ".000 \"GET " +
           target + "\" " + std::to_string(random() % 3) + "\n";
    sent.emplace_back(client, target);
  }
  const ReadLogs logs = read(log, options);
  EXPECT_EQ(logs.report.lines, lines);
  EXPECT_EQ(logs.report.rejected, bad);
  ASSERT_EQ(logs.report.rejections.size(), 1u);
  EXPECT_EQ(logs.report.rejections.begin()->second.line, first_bad);
  EXPECT_EQ(logs.report.out_of_order, 0u);
  ASSERT_EQ(logs.events.size(), sent.size());
  EXPECT_EQ(logs.events.callers(), 600u);
  for (std::size_t i = 0; i < sent.size(); ++i) {
    const Event event = logs.events.at(i);
    ASSERT_EQ(logs.events.caller(event.caller).client, sent[i].first) << i;
    ASSERT_EQ(logs.events.target(event.request), sent[i].second) << i;
  }
}

TEST_F(ReaderTest, AnEmptyFileAmongOthersIsNoReasonToStop) {
  const std::string empty = write("access.log", "");
  const std::string full = write("access.log.1", line(kTime));
  const auto logs = read_logs({empty, full}, {});
  ASSERT_TRUE(logs) << logs.error().text();
  EXPECT_EQ(logs->report.requests, 1u);
}

TEST_F(ReaderTest, KeepsATargetWithoutItsQueryWhereThatIsAsked) {
  ReadOptions options;
  options.keep_query = false;
  const ReadLogs logs = read(line(kTime, "GET /a?x=1") + line(kTime, "GET /a?x=2"), options);
  EXPECT_EQ(logs.events.requests(), 1u);
  EXPECT_EQ(logs.events.target(0), "/a");
}

}  // namespace
}  // namespace weir::traffic
