// `store` of a policy: what is taken, what stands for secrets, and that they are shown nowhere.
#include "policy/show_store.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "policy/findings.h"
#include "policy/loader.h"
#include "policy/policy.h"

namespace weir::policy {
namespace {

constexpr const char* kFile = "test/data/p.yaml";
constexpr const char* kSecretText = "not-a-secret-4711";  // of test/data/redis-password.txt

std::string with_store(const std::string& store) {
  return "version: 1\nstore: " + store + "\nlimits: [{name: a, key: [ip], rate: 60/min}]\n";
}

StoreConfig store_of(const std::string& text) {
  const Loaded loaded = load_text(text, kFile);
  for (const Finding& f : loaded.findings) EXPECT_NE(f.severity, Severity::error) << f.text();
  return loaded.policy ? loaded.policy->store : StoreConfig{};
}

class Environment {
 public:
  Environment(const char* name, const char* value) : name_(name) { ::setenv(name, value, 1); }
  ~Environment() { ::unsetenv(name_); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
};

TEST(StoreConfigTest, TakesEveryKey) {
  const Loaded loaded = load_file("test/data/policy-redis.yaml");
  ASSERT_TRUE(loaded.policy) << (loaded.findings.empty() ? "" : loaded.findings[0].text());
  const StoreConfig& s = loaded.policy->store;
  EXPECT_EQ(s.type, StoreType::redis);
  EXPECT_EQ(s.url, "rediss://redis:6380/1");
  EXPECT_EQ(s.username, "weir");
  EXPECT_EQ(s.password, kSecretText);
  EXPECT_EQ(s.tls_ca, "test/data/ca.pem");
  EXPECT_EQ(s.tls_cert, "test/data/tls.crt");
  EXPECT_EQ(s.tls_key, "test/data/tls.key");
  EXPECT_EQ(s.timeout, milliseconds(25));
  EXPECT_EQ(s.connections, 8u);
  EXPECT_EQ(s.prefix, "acme");
  EXPECT_TRUE(s.has_secret);
  EXPECT_EQ(s.breaker, (StoreConfig::Breaker{3, seconds(5), seconds(1)}));
}

TEST(StoreConfigTest, HasTheDefaultsOfARedisUrl) {
  const StoreConfig s = store_of(with_store("\"redis://cache/3\""));
  StoreConfig wanted;
  wanted.type = StoreType::redis;
  wanted.url = "redis://cache/3";
  EXPECT_EQ(s, wanted);
  EXPECT_EQ(s.timeout, milliseconds(15));
  EXPECT_EQ(s.prefix, "weir");
  EXPECT_FALSE(s.has_secret);
  EXPECT_EQ(s, store_of(with_store("{type: redis, url: \"redis://cache/3\"}")));
}

TEST(StoreConfigTest, StaysInMemoryWhereNothingIsSaid) {
  EXPECT_EQ(store_of("version: 1\nglobal: 9/s\n"), StoreConfig{});
  EXPECT_EQ(store_of(with_store("memory")), StoreConfig{});
  EXPECT_EQ(store_of(with_store("{max_keys: 2k, on_full: deny}")).max_keys, 2000u);
}

TEST(StoreConfigTest, ReadsReferencesInAnyText) {
  const Environment url("WEIR_TEST_URL", "redis://:pw@cache:6380/0");
  const Environment name("WEIR_TEST_NAME", "acme");
  EXPECT_EQ(store_of(with_store("\"${env:WEIR_TEST_URL}\"")).url, "redis://:pw@cache:6380/0");
  const StoreConfig s = store_of(
      with_store("{type: redis, url: \"rediss://${env:WEIR_TEST_NAME}.example\", username: "
                 "\"${env:WEIR_TEST_NAME}\", prefix: \"${env:WEIR_TEST_NAME}-1\", tls: {ca: "
                 "\"/etc/${env:WEIR_TEST_NAME}.pem\"}}"));
  EXPECT_EQ(s.url, "rediss://acme.example");
  EXPECT_EQ(s.username, "acme");
  EXPECT_EQ(s.prefix, "acme-1");
  EXPECT_EQ(s.tls_ca, "/etc/acme.pem");
}

TEST(StoreConfigTest, JudgesWhatAReferenceHoldsAndDoesNotRepeatIt) {
  const Environment value("WEIR_TEST_VALUE", "hun ter2");
  for (const char* store :
       {"\"${env:WEIR_TEST_VALUE}\"", "{type: redis, url: \"${env:WEIR_TEST_VALUE}\"}",
        "{type: redis, url: \"redis://x:${env:WEIR_TEST_VALUE}@\"}",
        "{type: redis, url: \"redis://h\", prefix: \"${env:WEIR_TEST_VALUE}\"}"}) {
    const std::string text = with_store(store);
    const Loaded loaded = load_text(text, kFile);
    EXPECT_EQ(loaded.policy, nullptr) << store;
    for (const Finding& f : loaded.findings) {
      EXPECT_EQ(f.text().find("ter2"), std::string::npos) << f.text();
      EXPECT_EQ(with_caret(f, text).find("ter2"), std::string::npos) << f.text();
    }
  }
  const Environment empty("WEIR_TEST_VALUE", "");
  EXPECT_EQ(load_text(with_store("{type: redis, url: \"redis://h\", password: "
                                 "\"${env:WEIR_TEST_VALUE}\"}"),
                      kFile)
                .policy,
            nullptr);
}

TEST(StoreConfigTest, MakesTheSameSecretOnEveryInstanceAndAnotherOfAnotherText) {
  const auto secret = [](const std::string& text) {
    return store_of(with_store("{type: redis, url: \"redis://h\", secret: " + text + "}")).secret;
  };
  EXPECT_EQ(secret("first"), secret("\"first\""));
  EXPECT_NE(secret("first"), secret("second"));
  EXPECT_NE(secret("first"), base::HashSecret{});
  // Written down, for a change would make every counter in every Redis a new one.
  EXPECT_EQ(secret("first").k0, 0x3c3ded13475933f0u);
  EXPECT_EQ(secret("first").k1, 0x1c749d58ef93ce65u);
}

TEST(StoreConfigTest, ShowsReferencesAndLoadsThemAgain) {
  const Loaded loaded = load_file("test/data/policy-redis.yaml");
  ASSERT_TRUE(loaded.policy);
  const std::string text = expanded(*loaded.policy);
  EXPECT_EQ(text.find(kSecretText), std::string::npos) << text;
  EXPECT_NE(text.find("password: \"file:redis-password.txt\""), std::string::npos) << text;
  const Loaded again = load_text(text, kFile);
  ASSERT_TRUE(again.policy);
  EXPECT_EQ(again.policy->store, loaded.policy->store);
  EXPECT_EQ(expanded(*again.policy), text);
}

TEST(StoreConfigTest, DoesNotShowASecretThatIsWrittenOut) {
  const Loaded loaded =
      load_text(with_store("{type: redis, url: \"redis://weir:hunter2@h\", password: hunter3, "
                           "secret: hunter4}"),
                kFile);
  ASSERT_TRUE(loaded.policy);
  EXPECT_EQ(loaded.policy->store.url, "redis://weir:hunter2@h");
  EXPECT_EQ(loaded.policy->store.password, "hunter3");
  const std::string text = expanded(*loaded.policy);
  EXPECT_EQ(text.find("hunter"), std::string::npos) << text;
  const Loaded again = load_text(text, kFile);
  ASSERT_EQ(again.policy, nullptr);
  EXPECT_NE(again.findings[0].text().find("`REDACTED` is not set"), std::string::npos);
}

TEST(StoreUrlTest, HidesThePasswordAndNothingElse) {
  const struct {
    const char* typed;
    const char* shown;
  } cases[] = {
      {"redis://host:6379/0", "redis://host:6379/0"},
      {"redis://weir@host", "redis://weir@host"},
      {"redis://:pw@host", "redis://:${env:REDACTED}@host"},
      {"redis://weir:pw@host/1", "redis://weir:${env:REDACTED}@host/1"},
      {"redis://weir:p@w:d@host", "redis://weir:${env:REDACTED}@host"},
      {"redis://weir:${env:PW}@host", "redis://weir:${env:PW}@host"},
      {"redis://${env:USER}:pw@${env:HOST}", "redis://${env:USER}:${env:REDACTED}@${env:HOST}"},
      {"redis://weir:pw${env:PW}@host", "redis://weir:${env:REDACTED}@host"},
      {"${env:URL}", "${env:URL}"},
      {"file:/run/secrets/url", "file:/run/secrets/url"},
  };
  for (const auto& c : cases) EXPECT_EQ(show_store_url(c.typed), c.shown) << c.typed;
}

TEST(StoreUrlTest, AMistakeInAUrlIsFoundWithItsPlaceWhereverItWasTyped) {
  const struct {
    const char* store;
    const char* why;
  } cases[] = {
      {"\"redis://u:%zz@h\"", "two hexadecimal digits do not follow"},
      {"{type: redis, url: \"redis://u:%4@h\"}", "two hexadecimal digits do not follow"},
      {"{type: redis, url: \"redis://a,b\"}", "names several hosts"},
      {"{type: redis, url: \"redis://a\", secret: \"$WEIR_SECRET\"}", "a variable of a shell"},
      {"{type: redis, url: \"redis://a\", password: \"${PW}\"}", "a variable of a shell"},
      {"{type: redis, url: \"rediss://a\", tls: {ca: \"file:ca.pem\"}}", "is a path already"},
      {"\"redis+cluster://a/1\"", "none but 0"},
  };
  for (const auto& c : cases) {
    const Loaded loaded = load_text(with_store(c.store), kFile);
    EXPECT_FALSE(loaded.policy) << c.store;
    ASSERT_EQ(loaded.findings.size(), 1u) << c.store;
    EXPECT_NE(loaded.findings[0].message.find(c.why), std::string::npos)
        << loaded.findings[0].text();
    EXPECT_GT(loaded.findings[0].at.line, 0u) << c.store;
  }
}

}  // namespace
}  // namespace weir::policy
