#include "identity/accounts.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "policy/loader.h"

namespace weir::identity {
namespace {

using policy::Policy;

constexpr std::string_view kPolicy = R"(version: 1
tiers:
  free:       {limits: [30/min]}
  pro:        {limits: [300/min]}
  enterprise: {limits: [100 request/s, 5000/min], custom: true}
accounts: keys.csv
global: 10000/s
)";

std::shared_ptr<Policy> policy_of(std::string_view text = kPolicy) {
  policy::Loaded loaded = policy::load_text(text, "policy.yaml");
  for (const auto& finding : loaded.findings) {
    if (finding.severity == policy::Severity::error) ADD_FAILURE() << finding.text();
  }
  return loaded.policy;
}

std::string hash(std::string_view key) { return to_hex(hash_api_key(key)); }

Accounts::Loaded load(const std::string& text, const std::string& file = "keys.csv") {
  static const std::shared_ptr<Policy> kLoaded = policy_of();
  return Accounts::load_text(text, file, *kLoaded);
}

// "line:column message; help" of each finding.
std::string findings_of(const std::string& text, const std::string& file = "keys.csv") {
  const Accounts::Loaded loaded = load(text, file);
  EXPECT_EQ(loaded.accounts == nullptr, !loaded.findings.empty()) << text;
  std::string out;
  for (const policy::Finding& f : loaded.findings) {
    EXPECT_EQ(f.file, file);
    EXPECT_FALSE(f.help.empty()) << f.message;
    out += std::to_string(f.at.line) + ":" + std::to_string(f.at.column) + " " + f.message + "; " +
           f.help + "\n";
  }
  return out;
}

TEST(Accounts, HashesKeysWithSha256) {
  EXPECT_EQ(hash("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hash(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Accounts, FindsAKeyByItsHash) {
  const auto loaded = load(hash("k1") + ",pro,acme\n" + hash("k2") + ",free,bob\r\n" + "\n" +
                           "# a comment, with commas\n   \n" + hash("k3") +
                           " , enterprise , \"Big, \"\"Corp\"\"\"");
  ASSERT_TRUE(loaded.accounts) << loaded.findings[0].message;
  EXPECT_EQ(loaded.accounts->size(), 3U);
  const Account* acme = loaded.accounts->find(hash_api_key("k1"));
  ASSERT_NE(acme, nullptr);
  EXPECT_EQ(acme->name, "acme");
  EXPECT_EQ(acme->tier, 1);
  EXPECT_EQ(acme->at.line, 1U);
  EXPECT_EQ(loaded.accounts->find(hash_api_key("k2"))->name, "bob");
  EXPECT_EQ(loaded.accounts->find(hash_api_key("k3"))->name, "Big, \"Corp\"");
  EXPECT_EQ(loaded.accounts->find(hash_api_key("k3"))->at.line, 6U);
  EXPECT_EQ(loaded.accounts->find(hash_api_key("k4")), nullptr);
}

TEST(Accounts, ManyKeysAreAllFound) {
  std::string text;
  for (int i = 0; i < 5'000; ++i) {
    text += hash("k" + std::to_string(i)) + ",free,a" + std::to_string(i) + "\n";
  }
  const auto loaded = load(text);
  ASSERT_TRUE(loaded.accounts);
  for (int i = 0; i < 5'000; ++i) {
    const Account* account = loaded.accounts->find(hash_api_key("k" + std::to_string(i)));
    ASSERT_NE(account, nullptr);
    ASSERT_EQ(account->name, "a" + std::to_string(i));
  }
  EXPECT_EQ(loaded.accounts->find(hash_api_key("k5000")), nullptr);
}

TEST(Accounts, NoLinesAreNoAccounts) {
  for (const char* text : {"", "\n", "# nothing\n", "\xef\xbb\xbf", "\r\n\r\n"}) {
    const auto loaded = load(text);
    ASSERT_TRUE(loaded.accounts) << text;
    EXPECT_EQ(loaded.accounts->size(), 0U);
    EXPECT_EQ(loaded.accounts->find(hash_api_key("k")), nullptr);
  }
}

TEST(Accounts, SkipsTheMarkThatSpreadsheetsWrite) {
  const auto loaded = load("\xef\xbb\xbf" + hash("k") + ",pro,acme");
  ASSERT_TRUE(loaded.accounts);
  EXPECT_NE(loaded.accounts->find(hash_api_key("k")), nullptr);
}

TEST(Accounts, OverridesOfACustomTier) {
  const auto loaded =
      load(hash("k") + ",enterprise,big,plan-minute=9000/min; plan-second = deny;\n");
  ASSERT_TRUE(loaded.accounts) << loaded.findings[0].message;
  const Account* account = loaded.accounts->find(hash_api_key("k"));
  ASSERT_EQ(account->overrides.size(), 2U);
  const auto policy = policy_of();
  EXPECT_EQ(policy->limits[account->overrides[0].first].name, "plan-minute");
  EXPECT_EQ(account->overrides[0].second.kind, policy::NumbersKind::numbers);
  EXPECT_EQ(account->overrides[0].second.numbers.count, 9'000U);
  EXPECT_EQ(account->overrides[0].second.at.line, 1U);
  EXPECT_EQ(policy->limits[account->overrides[1].first].name, "plan-second");
  EXPECT_EQ(account->overrides[1].second.kind, policy::NumbersKind::deny);
}

TEST(Accounts, EveryFindingAtOnceWithItsPlace) {
  const std::string text = "sha256(key),tier,account\n" +                                   // 1
                           hash("a") + ",prro,acme\n" +                                     // 2
                           "my-secret-key,pro,acme\n" +                                     // 3
                           hash("b") + ",pro\n" +                                           // 4
                           hash("c") + ",pro,c,,x\n" +                                      // 5
                           hash("d") + ",pro,\n" +                                          // 6
                           hash("e") + ",pro,e,plan-minute=1/s\n" +                         // 7
                           hash("f") + ",enterprise,f,plan-minut=1/s;plan-second\n" +       // 8
                           hash("g") + ",enterprise,g,plan-minute=lots\n" +                 // 9
                           hash("h") + ",enterprise,h,plan-minute=1/s;plan-minute=2/s\n" +  // 10
                           "\"" + hash("i") + ",pro,i\n" +                                  // 11
                           "\"" + hash("i") + "\"x,pro,i\n" +                               // 12
                           hash("z") + ",gold,z\n" +                                        // 13
                           hash("j") + ",pro,j\n" + hash("j") + ",free,j\n";  // 14, 15
  const std::string found = findings_of(text);
  const char* wanted[] = {
      "1:1 a header line; the file has none: remove it",
      "2:66 unknown tier `prro`; did you mean `pro`?",
      "3:1 not a SHA-256 in 64 lower-case hex digits; `weir accounts add` makes a key",
      "4:1 2 cells of 3",
      "5:1 more than 4 cells",
      "6:70 an account's name has 1 to 256 bytes",
      "7:72 numbers of its own for an account of tier `pro`; only a tier with `custom: true`",
      "8:79 unknown limit `plan-minut`; did you mean `plan-minute`?",
      "8:94 an override without `=`",
      "9:79 `lots`: ",
      "10:95 `plan-minute` twice for one key",
      "11:1 a quote that is not closed on its line",
      "12:67 text after a closing quote",
      "13:66 unknown tier `gold`; known: free pro enterprise",
      "15:1 a key that is in the file twice; it is in line 14 too",
  };
  std::size_t at = 0;
  for (const char* want : wanted) {
    const std::size_t next = found.find(want, at);
    ASSERT_NE(next, std::string::npos) << want << "\nin\n" << found;
    at = next;
  }
  EXPECT_EQ(found.find("my-secret-key"), std::string::npos) << "a key must never be shown";
}

TEST(Accounts, NamesTheNearestLimit) {
  EXPECT_NE(findings_of(hash("f") + ",enterprise,f,plan-minut=1/s\n")
                .find("1:79 unknown limit `plan-minut`; did you mean `plan-minute`?"),
            std::string::npos);
}

TEST(Accounts, AHashInCapitalsSaysSo) {
  std::string upper = hash("k");
  for (char& c : upper) c = static_cast<char>(std::toupper(c));
  EXPECT_NE(findings_of(upper + ",pro,a").find("write it in lower case"), std::string::npos);
}

TEST(Accounts, NamesArePlainText) {
  EXPECT_NE(findings_of(hash("k") + ",pro,a\tb").find("control characters"), std::string::npos);
  EXPECT_NE(findings_of(hash("k") + ",pro,a\xff").find("control characters"), std::string::npos);
  EXPECT_NE(findings_of(hash("k") + ",pro," + std::string(257, 'a')).find("1 to 256"),
            std::string::npos);
  EXPECT_EQ(findings_of(hash("k") + ",pro,caf\xc3\xa9"), "");
}

TEST(Accounts, ColumnsCountCharacters) {
  EXPECT_NE(
      findings_of(hash("k") + ",enterprise,\xc3\xa9\xc3\xa9,x=1/s").find("1:80 unknown limit"),
      std::string::npos);
}

TEST(Accounts, YamlHasTheSameRows) {
  const auto loaded =
      load("- {sha256: " + hash("k1") + ", tier: pro, account: acme}\n" +
               "- sha256: " + hash("k2") + "\n  tier: enterprise\n" +
               "  account: \"Big, Corp\"\n  overrides:\n" + "    plan-minute: 9000/min\n",
           "keys.yaml");
  ASSERT_TRUE(loaded.accounts) << loaded.findings[0].message;
  EXPECT_EQ(loaded.accounts->find(hash_api_key("k1"))->name, "acme");
  const Account* big = loaded.accounts->find(hash_api_key("k2"));
  EXPECT_EQ(big->name, "Big, Corp");
  EXPECT_EQ(big->at.line, 2U);
  ASSERT_EQ(big->overrides.size(), 1U);
  EXPECT_EQ(big->overrides[0].second.at.line, 6U);
}

TEST(Accounts, YamlFindingsHaveTheirPlace) {
  const std::string found = findings_of(
      "- {sha256: " + hash("k1") + ", teir: pro, account: a}\n" +
          "- {sha256: nope, tier: pro, account: a}\n- text\n" + "- {sha256: " + hash("k2") +
          ", tier: [pro], account: a}\n" + "- {sha256: " + hash("k3") +
          ", tier: enterprise, account: a, overrides: x}\n",
      "keys.yaml");
  for (const char* want :
       {"1:78 unknown key `teir`; did you mean `tier`?", "1:3 an account without `tier`",
        "2:12 not a SHA-256", "3:3 an account is a mapping", "4:84 text is wanted here",
        "5:119 `overrides` is a mapping"}) {
    EXPECT_NE(found.find(want), std::string::npos) << want << "\nin\n" << found;
  }
  EXPECT_NE(findings_of("a: b\n", "keys.yml").find("1:1 an accounts file is a sequence"),
            std::string::npos);
}

TEST(Accounts, AMissingFileSaysHowToMakeOne) {
  const auto policy = policy_of();
  const auto loaded = Accounts::load_file("/nonexistent/keys.csv", *policy);
  EXPECT_FALSE(loaded.accounts);
  ASSERT_EQ(loaded.findings.size(), 1U);
  EXPECT_EQ(loaded.findings[0].text(),
            "policy.yaml:6:11: error: `/nonexistent/keys.csv` cannot be read: No such file or "
            "directory; `weir accounts add policy.yaml --tier enterprise --account NAME` makes it "
            "with a first key, and an empty file will do");
}

TEST(Accounts, LoadsAFile) {
  const std::string path = ::testing::TempDir() + "weir_accounts_test.csv";
  std::ofstream(path) << hash("k") << ",pro,acme\n";
  const auto policy = policy_of();
  const auto loaded = Accounts::load_file(path, *policy);
  std::remove(path.c_str());
  ASSERT_TRUE(loaded.accounts);
  EXPECT_EQ(loaded.accounts->find(hash_api_key("k"))->name, "acme");
}

}  // namespace
}  // namespace weir::identity
