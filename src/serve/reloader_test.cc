// Files on disk that change under a running server.
#include "serve/reloader.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "serve/testing/test_server.h"

namespace weir::serve {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using testing::account_line;
using testing::auth;
using testing::HttpClient;

constexpr std::string_view kPolicy =
    "version: 1\naccounts: keys.csv\ntiers: {anonymous: {}, pro: {}}\n"
    "limits: [{name: a, key: [client], tiers: {anonymous: 7/min, pro: 700/min}}]\n";

class Reloading : public ::testing::Test {
 protected:
  Reloading() : folder_(::testing::TempDir() + "weir_reload_XXXXXX"), clock_(testing::kStart, {}) {
    if (::mkdtemp(folder_.data()) == nullptr) ADD_FAILURE() << "no temporary folder";
    replace("policy.yaml", kPolicy);
    replace("keys.csv", account_line("k-one", "pro", "one"));
    ServeOptions options;
    options.policy_file = folder_ + "/policy.yaml";
    options.listen = options.admin = "127.0.0.1:0";
    options.threads = 1;
    server_ = Server::open(options, clock_).server;
    if (server_) server_->start();
  }
  ~Reloading() override { std::filesystem::remove_all(folder_); }

  void replace(const std::string& name, std::string_view text) {
    std::ofstream(folder_ + "/new") << text;
    std::filesystem::rename(folder_ + "/new", folder_ + "/" + name);
  }
  std::string limit(std::string_view key) {
    HttpClient client(server_->port());
    const auto reply = client.ask(auth("GET", "/", {{"X-Api-Key", std::string(key)}}));
    return reply ? reply->field("RateLimit-Limit").value_or("") : "no answer";
  }
  // -1: there is none.
  static int metric(HttpClient& admin, const std::string& name) {
    const std::string text = admin.ask(testing::request("GET", "/metrics"))->body;
    const std::size_t at = text.find("\n" + name + " ");
    return at == std::string::npos ? -1 : std::stoi(text.substr(at + name.size() + 2));
  }
  int reloads(const std::string& result) {
    HttpClient admin(server_->admin_port());
    return metric(admin, "weir_policy_reloads_total{result=\"" + result + "\"}");
  }
  int refusals() { return reloads("refused"); }
  static int lines(const std::string& log, std::string_view text) {
    int n = 0;
    for (std::size_t at = log.find(text); at != std::string::npos; at = log.find(text, at + 1)) ++n;
    return n;
  }
  template <typename Condition>
  static bool until(Condition condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!condition()) {
      if (std::chrono::steady_clock::now() > end) return false;
    }
    return true;
  }

  static constexpr ReloaderOptions kSoon{true, std::chrono::milliseconds(10)};
  std::string folder_;
  ManualClock clock_;
  std::unique_ptr<Server> server_;
};

TEST_F(Reloading, AddedAccountsAreKnownByThemselves) {
  ASSERT_TRUE(server_);
  Reloader reloader(*server_, clock_, kSoon);
  EXPECT_EQ(limit("k-one"), "700");
  EXPECT_EQ(limit("k-two"), "7");
  replace("keys.csv", account_line("k-one", "pro", "one") + account_line("k-two", "pro", "two"));
  EXPECT_TRUE(until([&] { return limit("k-two") == "700"; }));
}

TEST_F(Reloading, AChangedPolicyIsAdoptedAndAWrongOneIsNot) {
  ASSERT_TRUE(server_);
  Reloader reloader(*server_, clock_, kSoon);
  replace("policy.yaml", "version: 1\nlimts: []\n");
  EXPECT_TRUE(until([&] { return refusals() == 1; }));
  EXPECT_EQ(limit("k-one"), "700");
  replace("policy.yaml", std::string(kPolicy) + "# the same, but for this\n");
  EXPECT_TRUE(until([&] { return reloads("adopted") == 1; }));
}

TEST_F(Reloading, WrongAccountsLeaveTheOldOnes) {
  ASSERT_TRUE(server_);
  ::testing::internal::CaptureStderr();
  {
    Reloader reloader(*server_, clock_, kSoon);
    replace("keys.csv", account_line("k-one", "pro", "one") + "half a li");
    EXPECT_TRUE(until([&] { return refusals() == 1; }));
    reloader.request();  // what is logged of the first is logged before the second is read
    EXPECT_TRUE(until([&] { return refusals() == 2; }));
  }
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(log, ::testing::HasSubstr("keys.csv:2"));
  EXPECT_THAT(log, ::testing::HasSubstr("policy refused, the old one stays"));
  EXPECT_THAT(log, ::testing::HasSubstr("why=\"file changed\""));
  EXPECT_EQ(limit("k-one"), "700");
}

TEST_F(Reloading, WhatIsFoundAgainIsNotLoggedAgain) {
  ASSERT_TRUE(server_);
  ::testing::internal::CaptureStderr();
  {
    Reloader reloader(*server_, clock_, kSoon);
    // A warning of lint: an hour's burst.
    std::string policy(kPolicy);
    policy.replace(policy.find("700/min"), 7, "{rate: 700/min, burst: 1M}");
    replace("policy.yaml", policy);
    ASSERT_TRUE(until([&] { return limit("k-one") == "1000000"; }));
    replace("keys.csv", account_line("k-one", "pro", "one") + account_line("k-two", "pro", "two"));
    ASSERT_TRUE(until([&] { return limit("k-two") == "1000000"; }));
    replace("keys.csv", account_line("k-three", "pro", "three"));
    ASSERT_TRUE(until([&] { return limit("k-three") == "1000000"; }));
  }
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(lines(log, "policy reloaded"), 3) << log;
  EXPECT_EQ(lines(log, "code=WR126"), 1) << log;
  EXPECT_EQ(lines(log, "code=\"\""), 0) << log;
}

TEST_F(Reloading, LintsFirstWhatWasNotLintedYet) {
  ASSERT_TRUE(server_);
  ::testing::internal::CaptureStderr();
  {
    Reloader reloader(*server_, clock_, {false, milliseconds(1)}, {}, policy::Findings{});
    reloader.request();
    EXPECT_TRUE(until([&] { return reloads("adopted") == 1; }));
  }
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(lines(log, "code=WR178"), 1) << log;
}

TEST_F(Reloading, OtherAccountsOfANewPolicyAreWatched) {
  ASSERT_TRUE(server_);
  Reloader reloader(*server_, clock_, kSoon);
  replace("more.csv", account_line("k-three", "pro", "three"));
  std::string policy(kPolicy);
  policy.replace(policy.find("keys.csv"), 8, "more.csv");
  replace("policy.yaml", policy);
  EXPECT_TRUE(until([&] { return limit("k-three") == "700"; }));
  replace("more.csv", account_line("k-four", "pro", "four"));
  EXPECT_TRUE(until([&] { return limit("k-four") == "700"; }));
}

TEST_F(Reloading, WithoutAWatchOnlyARequestReloads) {
  ASSERT_TRUE(server_);
  Reloader reloader(*server_, clock_, {false, std::chrono::milliseconds(1)});
  replace("keys.csv", account_line("k-two", "pro", "two"));
  reloader.request();
  EXPECT_TRUE(until([&] { return limit("k-two") == "700"; }));
  EXPECT_EQ(reloads("adopted"), 1);
}

TEST_F(Reloading, IsTriedAgainWhileNoDescriptorIsFreeAndLoggedOnce) {
  ASSERT_TRUE(server_);
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP()
      << "UBSan opens a pipe to look at an object, and takes its failure for a wild pointer";
#endif
  HttpClient admin(server_->admin_port());  // connected before there is no more
  const auto refused = [&] {
    return metric(admin, "weir_policy_reloads_total{result=\"refused\"}");
  };
  ASSERT_EQ(refused(), 0);
  ::testing::internal::CaptureStderr();
  {
    Reloader reloader(*server_, clock_, {false, milliseconds(1), milliseconds(1), milliseconds(4)});
    replace("keys.csv", account_line("k-two", "pro", "two"));
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
    rlimit none = before;
    none.rlim_cur = 3;  // those below it are open
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
    reloader.request();
    EXPECT_TRUE(until([&] { return refused() >= 4; }));
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
    EXPECT_TRUE(until([&] { return limit("k-two") == "700"; }));
  }
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(lines(log, "Too many open files"), 1) << log;
  EXPECT_EQ(lines(log, "the old one stays, it is tried again"), 1) << log;
  EXPECT_THAT(log, ::testing::HasSubstr("why=\"tried again\""));
  EXPECT_EQ(lines(log, "policy reloaded"), 1) << log;
}

TEST_F(Reloading, AFileThatIsNotThereYetIsTriedAgainWithLongerAndLongerPauses) {
  ASSERT_TRUE(server_);
  std::filesystem::remove(folder_ + "/keys.csv");
  Reloader reloader(*server_, clock_, {false, milliseconds(1), milliseconds(1), hours(1)});
  const auto begin = std::chrono::steady_clock::now();
  reloader.request();
  EXPECT_TRUE(until([&] { return refusals() >= 7; }));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, milliseconds(1 + 2 + 4 + 8 + 16 + 32));
  EXPECT_EQ(limit("k-one"), "700");
  replace("keys.csv", account_line("k-two", "pro", "two"));
  EXPECT_TRUE(until([&] { return limit("k-two") == "700"; }));
}

TEST_F(Reloading, AMistakeIsNotTriedAgain) {
  ASSERT_TRUE(server_);
  ::testing::internal::CaptureStderr();
  constexpr int kRequests = 20;
  {
    Reloader reloader(*server_, clock_, {false, milliseconds(1), milliseconds(1), milliseconds(1)});
    replace("policy.yaml", "version: 1\nlimts: []\n");
    for (int n = 1; n <= kRequests; ++n) {
      reloader.request();
      ASSERT_TRUE(until([&] { return refusals() >= n; }));
      ASSERT_EQ(refusals(), n);
    }
  }
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_GE(lines(log, "policy refused, the old one stays"), kRequests - 1) << log;
  EXPECT_EQ(lines(log, "tried again"), 0) << log;
}

// The policy is a pipe that somebody holds open: it is read until the test writes to it.
TEST_F(Reloading, WhatIsStillBeingReadAtAStopIsNeitherWaitedForNorAdoptedNorLogged) {
  ASSERT_TRUE(server_);
  ::testing::internal::CaptureStderr();
  {
    const std::string path = folder_ + "/policy.yaml";
    std::filesystem::remove(path);
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    Reloader reloader(*server_, clock_, {false, std::chrono::milliseconds(1)});
    reloader.request();
    int writer = -1;
    ASSERT_TRUE(until([&] { return (writer = ::open(path.c_str(), O_WRONLY | O_NONBLOCK)) >= 0; }));
    reloader.stop();
    EXPECT_FALSE(reloader.ended_within(std::chrono::milliseconds(0)));
    std::string policy(kPolicy);
    policy.replace(policy.find("700/min"), 7, "900/min");
    EXPECT_EQ(::write(writer, policy.data(), policy.size()), static_cast<ssize_t>(policy.size()));
    ::close(writer);
    EXPECT_TRUE(reloader.ended_within(std::chrono::seconds(20)));
  }
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(log.find("policy"), std::string::npos) << log;
  EXPECT_EQ(limit("k-one"), "700");
}

}  // namespace
}  // namespace weir::serve
