#include "identity/edit_accounts.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "identity/accounts.h"
#include "identity/edit_file.h"
#include "policy/loader.h"

namespace weir::identity {
namespace {

namespace fs = std::filesystem;

class EditAccounts : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string folder = ::testing::TempDir() + "weir_edit_XXXXXX";
    ASSERT_NE(::mkdtemp(folder.data()), nullptr);
    folder_ = folder;
    path_ = folder + "/keys.csv";
    policy_ = policy::load_text(R"(version: 1
tiers:
  free:       {limits: [30/min]}
  pro:        {limits: [300/min]}
  enterprise: {limits: [5000/min], custom: true}
accounts: keys.csv
)",
                                "policy.yaml")
                  .policy;
    ASSERT_TRUE(policy_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const std::string& text) { std::ofstream(path_, std::ios::binary) << text; }
  std::string read() const {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  unsigned mode() const {
    struct stat status {};
    return ::stat(path_.c_str(), &status) == 0 ? status.st_mode & 07777U : 0;
  }
  // Only the accounts file is left: no temporary one.
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  std::string limit() const { return policy_->limits[0].name; }

  std::string folder_;
  std::string path_;
  std::shared_ptr<policy::Policy> policy_;
};

std::string hash(std::string_view key) { return to_hex(hash_api_key(key)); }

TEST(GenerateApiKey, IsLongAndNeverTheSame) {
  std::set<std::string> seen;
  for (int i = 0; i < 200; ++i) {
    const std::string key = generate_api_key();
    EXPECT_EQ(key.size(), 46U);
    EXPECT_TRUE(key.starts_with("wk_"));
    EXPECT_EQ(key.find_first_not_of("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                    "abcdefghijklmnopqrstuvwxyz",
                                    3),
              std::string::npos);
    EXPECT_TRUE(seen.insert(key).second);
  }
}

TEST_F(EditAccounts, AddCreatesTheFileForItsOwnerOnly) {
  const auto added = add_account(path_, *policy_, {"pro", "acme", ""});
  ASSERT_TRUE(added) << added.error().text();
  EXPECT_EQ(mode(), 0600U);
  EXPECT_EQ(read(), added->sha256 + ",pro,acme\n");
  EXPECT_EQ(read().find(added->key), std::string::npos);
  const auto loaded = Accounts::load_file(path_, *policy_);
  ASSERT_TRUE(loaded.accounts);
  EXPECT_EQ(loaded.accounts->find(hash_api_key(added->key))->name, "acme");
  EXPECT_EQ(files(), 1U);
}

TEST_F(EditAccounts, AddKeepsWhatIsThere) {
  const std::string before = "# ours\r\n\n" + hash("a") + ", free ,\"a\"";
  write(before);
  ::chmod(path_.c_str(), 0640);
  const auto added =
      add_account(path_, *policy_, {"enterprise", "Big, \"Corp\"", limit() + "=9/s"});
  ASSERT_TRUE(added) << added.error().text();
  EXPECT_EQ(read(), before + "\n" + added->sha256 + ",enterprise,\"Big, \"\"Corp\"\"\"," + limit() +
                        "=9/s\n");
  EXPECT_EQ(mode(), 0640U);
}

TEST_F(EditAccounts, WhatWouldNotLoadIsNotWritten) {
  const std::string before = hash("a") + ",free,a\n";
  write(before);
  const auto tier = add_account(path_, *policy_, {"prro", "acme", ""});
  ASSERT_FALSE(tier);
  EXPECT_NE(tier.error().message.find("did you mean `pro`?"), std::string::npos)
      << tier.error().message;
  EXPECT_FALSE(add_account(path_, *policy_, {"pro", "", ""}));
  EXPECT_FALSE(add_account(path_, *policy_, {"pro", "x\ny", ""}));
  EXPECT_FALSE(add_account(path_, *policy_, {"pro", "x", limit() + "=9/s"}));
  EXPECT_FALSE(set_account(path_, *policy_, "a", {"gold", {}}));
  EXPECT_FALSE(set_account(path_, *policy_, "a", {{}, "x\n"}));
  EXPECT_EQ(read(), before);
  EXPECT_EQ(files(), 1U);
}

TEST_F(EditAccounts, AFailedAddCreatesNothing) {
  EXPECT_FALSE(add_account(path_, *policy_, {"prro", "acme", ""}));
  EXPECT_EQ(files(), 0U);
  const auto nowhere = add_account(folder_ + "/no/keys.csv", *policy_, {"pro", "acme", ""});
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().code, ErrorCode::io);
}

TEST_F(EditAccounts, SetChangesTheLinesOfAnAccountAlone) {
  write("# head\n" + hash("a") + ",free,acme\r\n" + hash("b") + ", free , bob\n" + hash("c") +
        ",free,acme");
  const auto changed = set_account(path_, *policy_, "acme", {"enterprise", limit() + "=9/s"});
  ASSERT_TRUE(changed) << changed.error().text();
  EXPECT_EQ(*changed, 2U);
  EXPECT_EQ(read(), "# head\n" + hash("a") + ",enterprise,acme," + limit() + "=9/s\r\n" +
                        hash("b") + ", free , bob\n" + hash("c") + ",enterprise,acme," + limit() +
                        "=9/s");
  ASSERT_TRUE(set_account(path_, *policy_, "acme", {"pro", ""}));
  EXPECT_EQ(read(), "# head\n" + hash("a") + ",pro,acme\r\n" + hash("b") + ", free , bob\n" +
                        hash("c") + ",pro,acme");
}

TEST_F(EditAccounts, RemoveTakesLinesOut) {
  write("# head\n" + hash("a") + ",free,acme\n# tail\n" + hash("b") + ",free,bob\n");
  const auto removed = remove_account(path_, *policy_, "acme");
  ASSERT_TRUE(removed) << removed.error().text();
  EXPECT_EQ(*removed, 1U);
  EXPECT_EQ(read(), "# head\n# tail\n" + hash("b") + ",free,bob\n");
  const auto again = remove_account(path_, *policy_, "acme");
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::not_found);
}

TEST_F(EditAccounts, OneKeyOfSeveralByItsHash) {
  write(hash("a") + ",free,acme\n" + hash("b") + ",free,acme\n");
  const auto removed = remove_account(path_, *policy_, "sha256:" + hash("a").substr(0, 8));
  ASSERT_TRUE(removed) << removed.error().text();
  EXPECT_EQ(read(), hash("b") + ",free,acme\n");
  EXPECT_FALSE(remove_account(path_, *policy_, "sha256:" + hash("b").substr(0, 7)));
  EXPECT_FALSE(remove_account(path_, *policy_, "sha256:" + hash("c")));
}

TEST_F(EditAccounts, ListShowsWhatTheFileHas) {
  write("# head\n" + hash("a") + ",free,acme\n" + hash("b") + ",enterprise,\"b,c\"," + limit() +
        "=9/s\n");
  const auto lines = list_accounts(path_, *policy_);
  ASSERT_TRUE(lines) << lines.error().text();
  ASSERT_EQ(lines->size(), 2U);
  EXPECT_EQ((*lines)[0].sha256, hash("a"));
  EXPECT_EQ((*lines)[0].line, 2U);
  EXPECT_EQ((*lines)[1].account, "b,c");
  EXPECT_EQ((*lines)[1].overrides, limit() + "=9/s");
  write("nonsense\n");
  EXPECT_FALSE(list_accounts(path_, *policy_));
}

TEST_F(EditAccounts, YamlIsEditedByHand) {
  for (const auto& code : {add_account(folder_ + "/keys.yaml", *policy_, {"pro", "a", ""}).error(),
                           remove_account(folder_ + "/keys.yml", *policy_, "a").error()}) {
    EXPECT_EQ(code.code, ErrorCode::unsupported);
  }
}

TEST_F(EditAccounts, FollowsASymbolicLink) {
  const std::string link = folder_ + "/link.csv";
  write(hash("a") + ",free,acme\n");
  fs::create_symlink("keys.csv", link);
  ASSERT_TRUE(add_account(link, *policy_, {"pro", "bob", ""}));
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_NE(read().find(",pro,bob\n"), std::string::npos);
}

TEST_F(EditAccounts, FollowsASymbolicLinkToAFileThatIsNotThereYet) {
  const std::string link = folder_ + "/link.csv";
  fs::create_symlink("keys.csv", link);
  ASSERT_TRUE(add_account(link, *policy_, {"pro", "bob", ""}));
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_NE(read().find(",pro,bob\n"), std::string::npos);

  const std::string nowhere = folder_ + "/nowhere.csv";
  fs::create_symlink("no-such-folder/keys.csv", nowhere);
  EXPECT_FALSE(add_account(nowhere, *policy_, {"pro", "bob", ""}));
  EXPECT_TRUE(fs::is_symlink(nowhere));
}

// In another process, which the kernel kills in the middle of the first write.
int killed_while_editing(const std::string& path) {
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit one{1, 1};
    const rlimit none{0, 0};
    ::signal(SIGXFSZ, SIG_DFL);
    ::setrlimit(RLIMIT_CORE, &none);
    ::setrlimit(RLIMIT_FSIZE, &one);
    std::ignore = edit_file(path, [](std::string_view) { return std::string("new text"); });
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

TEST_F(EditAccounts, AKilledEditLeavesOneFileAndTheNextRemovesIt) {
  write("");
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(killed_while_editing(path_), SIGXFSZ);
    EXPECT_EQ(read(), "");
    EXPECT_EQ(files(), 2U);
  }
  ASSERT_TRUE(add_account(path_, *policy_, {"pro", "bob", ""}));
  EXPECT_EQ(files(), 1U);
  EXPECT_EQ(list_accounts(path_, *policy_)->size(), 1U);
}

TEST_F(EditAccounts, ALinkInThePlaceOfTheTemporaryFileIsNotWrittenThrough) {
  const std::string other = folder_ + "/other";
  std::ofstream(other) << "mine";
  fs::create_symlink(other, path_ + ".weir-new");
  ASSERT_TRUE(add_account(path_, *policy_, {"pro", "bob", ""}));
  EXPECT_EQ(files(), 2U);
  EXPECT_EQ(fs::file_size(other), 4U);
  EXPECT_FALSE(fs::is_symlink(path_));
}

TEST_F(EditAccounts, ConcurrentEditsLoseNothing) {
  constexpr int kThreads = 4;
  constexpr int kEach = 8;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kEach; ++i) {
        const std::string name = std::to_string(t) + "-" + std::to_string(i);
        EXPECT_TRUE(add_account(path_, *policy_, {"pro", name, ""}));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const auto lines = list_accounts(path_, *policy_);
  ASSERT_TRUE(lines) << lines.error().text();
  EXPECT_EQ(lines->size(), std::size_t{kThreads * kEach});
  EXPECT_EQ(files(), 1U);
}

}  // namespace
}  // namespace weir::identity
