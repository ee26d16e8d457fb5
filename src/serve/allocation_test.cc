// A keep-alive /v1/auth decision, from the bytes of the request to the bytes of the answer,
// allocates nothing once the buffers have grown.
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <string>

#include "base/testing/count_allocations.h"
#include "serve/service.h"
#include "serve/testing/test_server.h"
#include "wire/http1.h"

namespace weir::serve {
namespace {

using base::testing::allocations_so_far;

constexpr std::string_view kPolicy = R"(version: 1
tiers: {free: {public: true}, pro: {label: Pro, public: true, upgrade_url: "https://a.example/up"}}
listeners: {trusted_proxies: [127.0.0.0/8]}
limits:
  - {name: second, key: [client], rate: 100/s}
  - {name: minute, key: [client], algorithm: sliding_window, limit: 50, window: 1m}
  - {name: search, key: [client, class], algorithm: fixed_window, limit: 900, window: 1h}
  - {name: all, key: global, rate: 10000/s}
)";

class Loopless : public ::testing::Test {
 protected:
  Loopless() : clock_(testing::kStart, {1'000'000'000}) {
    auto opened = decide::Engine::open_text(kPolicy, testing::kNoFile,
                                            testing::account_line("k", "free", "acme"));
    engine_ = std::move(opened.engine);
    metrics_ = std::make_unique<Metrics>(*engine_);
    service_ = std::make_unique<Service>(
        ServiceParts{*engine_, clock_, *metrics_, stopping_, nullptr, false, false});
  }

  // One request through parser, service and writer; the answer's status.
  int answer(const std::string& bytes) {
    const std::span<char> space = parser_.prepare(4096);
    std::memcpy(space.data(), bytes.data(), bytes.size());
    parser_.commit(bytes.size());
    EXPECT_EQ(parser_.next(), wire::Http1Parser::Status::request);
    net::Peer peer;
    peer.address = policy::Address::parse("127.0.0.1")->bytes;
    out_.clear();
    wire::HttpResponse response(out_, wire::HttpReply{});
    service_->handle(parser_.request(), peer, response);
    EXPECT_EQ(parser_.next(), wire::Http1Parser::Status::need_more);
    return response.status();
  }

  ManualClock clock_;
  std::atomic<bool> stopping_{false};
  std::unique_ptr<decide::Engine> engine_;
  std::unique_ptr<Metrics> metrics_;
  std::unique_ptr<Service> service_;
  wire::Http1Parser parser_;
  std::string out_;
};

TEST_F(Loopless, NeitherAnAdmissionNorADenialAllocates) {
  const std::string ask = testing::auth(
      "GET", "/v1/search?q=1",
      {{"X-Api-Key", "k"}, {"X-Forwarded-For", "203.0.113.7"}, {"User-Agent", "test/1.0"}});
  const std::string nginx = testing::request(
      "GET", "/v1/auth/nginx",
      {{"X-Original-Method", "GET"}, {"X-Original-URI", "/v1/search?q=1"}, {"X-Api-Key", "k"}});
  ASSERT_EQ(answer(ask), 200);
  std::size_t before = allocations_so_far();
  for (int i = 0; i < 40; ++i) ASSERT_EQ(answer(ask), 200);
  EXPECT_EQ(allocations_so_far() - before, 0u);
  while (answer(ask) == 200) {
  }
  ASSERT_EQ(answer(nginx), 403);
  before = allocations_so_far();
  for (int i = 0; i < 40; ++i) {
    ASSERT_EQ(answer(ask), 429);
    ASSERT_EQ(answer(nginx), 403);
  }
  EXPECT_EQ(allocations_so_far() - before, 0u);
}

}  // namespace
}  // namespace weir::serve
