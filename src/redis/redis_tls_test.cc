// The store over TLS, with certificates that openssl makes here.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "redis/probe.h"
#include "redis/redis_store.h"
#include "redis/testing/ask.h"
#include "redis/testing/redis_process.h"
#include "store/testing/lab.h"

namespace weir::redis {
namespace {

using testing::Answer;
using testing::ask;
using testing::RedisProcess;
using testing::wait_until;

// A certificate authority in a directory of its own, and what it has signed.
class Authority {
 public:
  Authority() {
    char path[] = "/tmp/weir-tls-XXXXXX";
    if (::mkdtemp(path) == nullptr) std::abort();
    directory_ = path;
    run("req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=ca "
        "-keyout ca.key -out ca.pem");
  }
  ~Authority() { std::filesystem::remove_all(directory_); }

  std::string file(const std::string& name) const { return directory_ + "/" + name; }
  // NAME.pem and NAME.key; `names`: what the certificate is for.
  void sign(const std::string& name, const std::string& names) {
    run("req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=" + name +
        " -keyout " + name + ".key -out " + name + ".csr");
    run("x509 -req -in " + name + ".csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -out " +
        name + ".pem -extfile <(echo subjectAltName=" + names + ")");
  }

 private:
  void run(const std::string& command) {
    const std::string line =
        "bash -c 'cd " + directory_ + " && openssl " + command + " >/dev/null 2>&1'";
    if (std::system(line.c_str()) != 0) ADD_FAILURE() << line;
  }
  std::string directory_;
};

class RedisTls : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    authority_ = new Authority;
    authority_->sign("server", "IP:127.0.0.1");
    authority_->sign("client", "DNS:weir");
    port_ = RedisProcess::free_port();
    server_ = new RedisProcess(
        {"--bind", "127.0.0.1", "127.0.0.2", "--tls-port", std::to_string(port_), "--tls-cert-file",
         authority_->file("server.pem"), "--tls-key-file", authority_->file("server.key"),
         "--tls-ca-cert-file", authority_->file("ca.pem"), "--tls-auth-clients", "yes"});
  }
  static void TearDownTestSuite() {
    delete server_;
    delete authority_;
  }
  static Options good() {
    Options options;
    options.url = "rediss://127.0.0.1:" + std::to_string(port_);
    options.timeout = seconds(2);
    options.tls_ca = authority_->file("ca.pem");
    options.tls_cert = authority_->file("client.pem");
    options.tls_key = authority_->file("client.key");
    return options;
  }
  static Answer answer(RedisStore& store) {
    const algo::Numbers numbers = store::testing::a_day(Algorithm::token_bucket, 1'000);
    store::Charge c;
    c.numbers = &numbers;
    return ask(store, {c});
  }
  static void expect_refused(const Options& options, std::string_view why) {
    auto store = RedisStore::open(options);
    ASSERT_TRUE(store) << store.error().text();
    EXPECT_EQ(answer(**store), Answer::failed);
    EXPECT_TRUE(wait_until([&] {
      return (*store)->health().connection_failures(Failure::tls) > 0;
    })) << (*store)->health().last_error;
    EXPECT_NE((*store)->health().last_error.find(why), std::string::npos)
        << (*store)->health().last_error;
    EXPECT_EQ((*store)->health().connected, 0u);
  }

  static Authority* authority_;
  static RedisProcess* server_;
  static int port_;
};
Authority* RedisTls::authority_ = nullptr;
RedisProcess* RedisTls::server_ = nullptr;
int RedisTls::port_ = 0;

TEST_F(RedisTls, WithItsCertificateItIsServed) {
  auto store = RedisStore::open(good());
  ASSERT_TRUE(store) << store.error().text();
  for (int i = 0; i < 100; ++i) ASSERT_EQ(answer(**store), Answer::admitted);
  EXPECT_EQ((*store)->health().failures(Failure::timeout), 0u);
}

TEST_F(RedisTls, ManyRequestsGoThroughAtOnce) {
  auto store = RedisStore::open(good());
  ASSERT_TRUE(store) << store.error().text();
  const algo::Numbers numbers = store::testing::a_day(Algorithm::fixed_window, 10'000);
  store::Charge c;
  c.numbers = &numbers;
  const std::vector<store::Request> requests(3'000, store::Request{{&c, 1}, false});
  testing::Ask sink;
  (*store)->charge(requests, {}, sink);
  sink.wait(requests.size());
  EXPECT_EQ(sink.admitted(), 3'000u);
}

TEST_F(RedisTls, AServerOfAnotherAuthorityIsNotTrusted) {
  Authority other;
  Options options = good();
  options.tls_ca = other.file("ca.pem");
  expect_refused(options, "self-signed certificate in certificate chain");
}

TEST_F(RedisTls, TheSystemsAuthoritiesDoNotKnowATestsOwn) {
  Options options = good();
  options.tls_ca = "";
  expect_refused(options, "self-signed certificate in certificate chain");
}

TEST_F(RedisTls, ACertificateForAnotherNameIsRefused) {
  Options options = good();
  options.url = "rediss://localhost:" + std::to_string(port_);
  expect_refused(options, "hostname mismatch");
}

TEST_F(RedisTls, ACertificateForAnotherAddressIsRefused) {
  Options options = good();
  options.url = "rediss://127.0.0.2:" + std::to_string(port_);
  expect_refused(options, "IP address mismatch");
}

TEST_F(RedisTls, WithoutAClientCertificateTheServerRefuses) {
  Options options = good();
  options.tls_cert = "";
  options.tls_key = "";
  expect_refused(options, "tls");
}

TEST_F(RedisTls, PlainBytesToATlsPortAreNoConnection) {
  Options options = good();
  options.url = "redis://127.0.0.1:" + std::to_string(port_);
  options.tls_ca = options.tls_cert = options.tls_key = "";
  auto store = RedisStore::open(options);
  ASSERT_TRUE(store) << store.error().text();
  EXPECT_EQ(answer(**store), Answer::failed);
  EXPECT_EQ((*store)->health().connected, 0u);
}

TEST_F(RedisTls, TlsToAPlainPortIsNoConnection) {
  Options options = good();
  options.url = "rediss://127.0.0.1:" + std::to_string(server_->port());
  options.timeout = milliseconds(100);
  auto store = RedisStore::open(options);
  ASSERT_TRUE(store) << store.error().text();
  EXPECT_EQ(answer(**store), Answer::failed);
  EXPECT_EQ((*store)->health().connected, 0u);
}

TEST_F(RedisTls, AKeyThatIsNotTheCertificatesIsAnErrorAtOnce) {
  Options options = good();
  options.tls_key = authority_->file("server.key");
  const auto store = RedisStore::open(options);
  ASSERT_FALSE(store);
  EXPECT_EQ(store.error().where, "store.tls.key");
}

// What `weir store check` says of it.
TEST_F(RedisTls, AProbeSaysWhatIsWrongWithACertificate) {
  const std::vector<ProbeFinding> served = probe(good(), {.step = seconds(20)});
  ASSERT_GE(served.size(), 2u);
  EXPECT_EQ(served[1].what, "tls");
  EXPECT_EQ(served[1].grade, Grade::ok) << served[1].value;
  EXPECT_EQ(served.back().what, "script");
  EXPECT_EQ(served.back().grade, Grade::ok) << served.back().value;

  Options options = good();
  options.tls_ca = "";
  const std::vector<ProbeFinding> stranger = probe(options, {.step = seconds(20)});
  EXPECT_EQ(stranger.back().what, "tls");
  EXPECT_NE(stranger.back().value.find("self-signed certificate"), std::string::npos)
      << stranger.back().value;

  options = good();
  options.tls_cert = options.tls_key = "";
  const std::vector<ProbeFinding> anonymous = probe(options, {.step = seconds(20)});
  EXPECT_EQ(anonymous.back().what, "tls") << anonymous.back().value;
  EXPECT_EQ(anonymous.back().grade, Grade::error) << anonymous.back().value;

  options = good();
  options.url = "redis://127.0.0.1:" + std::to_string(port_);
  options.tls_ca = options.tls_cert = options.tls_key = "";
  const std::vector<ProbeFinding> plain = probe(options, {.step = seconds(20)});
  EXPECT_EQ(plain.back().what, "login");
  EXPECT_NE(plain.back().advice.find("rediss://"), std::string::npos) << plain.back().value;

  options = good();
  options.tls_ca = "/nowhere.pem";
  const std::vector<ProbeFinding> unread = probe(options, {.step = seconds(20)});
  ASSERT_EQ(unread.size(), 1u);
  EXPECT_NE(unread[0].value.find("/nowhere.pem"), std::string::npos) << unread[0].value;
}

}  // namespace
}  // namespace weir::redis
