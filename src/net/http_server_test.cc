#include "net/http_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <thread>

#include "net/testing/http_client.h"

namespace weir::net {
namespace {

using std::chrono::milliseconds;
using testing::HttpClient;

// Answers with the target; /hold after 50 ms, /hold-long after 1 s; /big with 1 MiB.
class Echo final : public HttpHandler {
 public:
  Handled handle(const wire::HttpRequest& request, const Peer&,
                 wire::HttpResponse& response) override {
    ++requests;
    response.start(200);
    if (request.target == "/big") {
      response.finish("text/plain", std::string(1024 * 1024, 'x'));
    } else {
      response.finish("text/plain", std::string(request.target) + std::string(request.body));
    }
    if (request.target == "/close") response.close();
    if (request.target == "/hold") return {weir::milliseconds(50)};
    if (request.target == "/hold-long") return {weir::milliseconds(1000)};
    return {};
  }

  std::atomic<int> requests{0};
};

class HttpServerTest : public ::testing::Test {
 protected:
  void open(const ConnectionLimits& limits = {}, std::size_t loops = 1) {
    std::vector<HttpHandler*> handlers(loops, &echo_);
    auto server =
        HttpServer::open({.endpoint = *parse_endpoint("127.0.0.1:0"), .limits = limits}, handlers);
    ASSERT_TRUE(server) << server.error().message;
    server_ = std::move(*server);
    server_->start();
  }
  std::uint16_t port() const { return server_->endpoint().port(); }

  Echo echo_;
  std::unique_ptr<HttpServer> server_;
};

std::string get(const std::string& target) {
  return "GET " + target + " HTTP/1.1\r\nHost: h\r\n\r\n";
}

TEST_F(HttpServerTest, AnswersKeepAliveRequests) {
  open();
  HttpClient client(port());
  for (int i = 0; i < 100; ++i) {
    const auto reply = client.ask(get("/" + std::to_string(i)));
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->status, 200);
    EXPECT_EQ(reply->body, "/" + std::to_string(i));
    EXPECT_FALSE(reply->field("Connection"));
    EXPECT_TRUE(reply->field("Date"));
  }
  EXPECT_EQ(server_->stats(0).accepted.load(), 1u);
  EXPECT_EQ(server_->stats(0).by_status[200].load(), 100u);
}

TEST_F(HttpServerTest, AnswersPipelinedRequestsInOrder) {
  open();
  HttpClient client(port());
  std::string requests;
  for (int i = 0; i < 500; ++i) requests += get("/" + std::to_string(i));
  ASSERT_TRUE(client.send(requests));
  for (int i = 0; i < 500; ++i) {
    const auto reply = client.read();
    ASSERT_TRUE(reply);
    ASSERT_EQ(reply->body, "/" + std::to_string(i));
  }
}

TEST_F(HttpServerTest, HoldsAnAnswerAndThoseBehindItButNotThoseBefore) {
  open();
  HttpClient client(port());
  const auto start = std::chrono::steady_clock::now();
  ASSERT_TRUE(client.send(get("/a") + get("/hold") + get("/b")));
  EXPECT_EQ(client.read()->body, "/a");
  EXPECT_EQ(client.read()->body, "/hold");
  EXPECT_GE(std::chrono::steady_clock::now() - start, milliseconds(50));
  EXPECT_EQ(client.read()->body, "/b");
}

TEST_F(HttpServerTest, ClosesAfterConnectionCloseAndHttp10) {
  open();
  HttpClient client(port());
  auto reply = client.ask("GET /x HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->field("Connection"), "close");
  EXPECT_TRUE(client.closed());
  HttpClient old(port());
  reply = old.ask("GET /x HTTP/1.0\r\n\r\n");
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->field("Connection"), "close");
  EXPECT_TRUE(old.closed());
  HttpClient kept(port());
  reply = kept.ask("GET /x HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->field("Connection"), "keep-alive");
  EXPECT_TRUE(kept.ask("GET /y HTTP/1.0\r\n\r\n"));
}

TEST_F(HttpServerTest, AnswersAMalformedRequestWithAProblemAndCloses) {
  open();
  HttpClient client(port());
  const auto reply = client.ask(get("/ok") + "GET / HTTP/1.1\r\nHost : h\r\n\r\n" + get("/never"));
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->body, "/ok");
  const auto problem = client.read();
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->status, 400);
  EXPECT_EQ(problem->field("Content-Type"), "application/problem+json");
  EXPECT_EQ(problem->field("Connection"), "close");
  EXPECT_TRUE(client.closed());
  EXPECT_EQ(echo_.requests, 1);
}

TEST_F(HttpServerTest, SendsContinueAndThenReadsTheBody) {
  open();
  HttpClient client(port());
  const auto interim = client.ask(
      "POST /x HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  ASSERT_TRUE(interim);
  EXPECT_EQ(interim->status, 100);
  const auto reply = client.ask("ok");
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->body, "/xok");
}

TEST_F(HttpServerTest, EndsARequestThatTricklesIn) {
  open({.request_timeout = milliseconds(60)});
  HttpClient client(port());
  ASSERT_TRUE(client.send("GET /slow HTTP/1.1\r\nHost: h\r\nX: "));
  // A byte now and then does not buy time.
  std::jthread trickle([&] {
    for (int i = 0; i < 100 && client.send("a"); ++i) {
      std::this_thread::sleep_for(milliseconds(2));
    }
  });
  const auto reply = client.read();
  trickle.join();
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, 408);
  EXPECT_EQ(echo_.requests, 0);
  EXPECT_GE(server_->stats(0).timed_out.load(), 1u);
}

TEST_F(HttpServerTest, ClosesIdleConnections) {
  open({.idle_timeout = milliseconds(30), .request_timeout = milliseconds(30)});
  HttpClient used(port());
  ASSERT_TRUE(used.ask(get("/x")));
  HttpClient unused(port());
  EXPECT_TRUE(used.closed());
  EXPECT_TRUE(unused.closed());
}

TEST_F(HttpServerTest, StopsReadingFromAClientThatDoesNotRead) {
  open({.write_timeout = milliseconds(100), .output_bytes = 64 * 1024});
  HttpClient client(port());
  const int small = 4096;
  ::setsockopt(client.fd(), SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
  std::string requests;
  for (int i = 0; i < 1000; ++i) requests += get("/big");
  client.send(requests);
  // 1,000 MiB were asked for: the server makes a few of them, sees no progress, and closes.
  while (echo_.requests == 0) std::this_thread::yield();
  while (server_->open_connections() > 0) std::this_thread::yield();
  EXPECT_LT(echo_.requests, 50);
  EXPECT_EQ(server_->stats(0).timed_out.load(), 1u);
}

TEST_F(HttpServerTest, AnswersAllOfALargePipelineToASlowReader) {
  open({.output_bytes = 64 * 1024});
  HttpClient client(port());
  std::string requests;
  for (int i = 0; i < 20; ++i) requests += get("/big") + get("/s");
  ASSERT_TRUE(client.send(requests));
  client.end_sending();
  for (int i = 0; i < 20; ++i) {
    auto reply = client.read();
    ASSERT_TRUE(reply);
    ASSERT_EQ(reply->body.size(), 1024u * 1024);
    reply = client.read();
    ASSERT_TRUE(reply);
    ASSERT_EQ(reply->body, "/s");
  }
  EXPECT_TRUE(client.closed());
}

TEST_F(HttpServerTest, RefusesConnectionsOverTheMaximumWith503) {
  open({.max_connections = 2}, 2);
  HttpClient one(port()), two(port());
  ASSERT_TRUE(one.ask(get("/1")));
  ASSERT_TRUE(two.ask(get("/2")));
  {
    HttpClient three(port());
    const auto reply = three.read();
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->status, 503);
    EXPECT_EQ(reply->field("Connection"), "close");
    EXPECT_TRUE(three.closed());
  }
  EXPECT_TRUE(one.ask(get("/1")));
  EXPECT_EQ(server_->open_connections(), 2u);
}

TEST_F(HttpServerTest, SpreadsConnectionsOverLoopsOfOnePort) {
  open({}, 4);
  std::vector<std::unique_ptr<HttpClient>> clients;
  for (int i = 0; i < 64; ++i) {
    clients.push_back(std::make_unique<HttpClient>(port()));
    ASSERT_TRUE(clients.back()->ask(get("/x")));
  }
  std::uint64_t total = 0;
  std::size_t used = 0;
  for (std::size_t i = 0; i < server_->loops(); ++i) {
    total += server_->stats(i).accepted.load();
    used += server_->stats(i).accepted.load() > 0;
  }
  EXPECT_EQ(total, 64u);
  EXPECT_GT(used, 1u);
}

TEST_F(HttpServerTest, DrainFinishesWhatIsInFlight) {
  open();
  HttpClient held(port()), idle(port()), partial(port());
  ASSERT_TRUE(idle.ask(get("/i")));
  ASSERT_TRUE(held.send(get("/hold-long") + get("/behind")));
  ASSERT_TRUE(partial.send("GET /partial HTTP/1.1\r\nHo"));
  while (echo_.requests < 2) std::this_thread::yield();
  std::jthread drain([&] { server_->drain(milliseconds(5000)); });
  EXPECT_TRUE(idle.closed());  // so the drain has begun
  const auto first = held.read();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->body, "/hold-long");
  const auto behind = held.read();
  ASSERT_TRUE(behind);
  EXPECT_EQ(behind->body, "/behind");
  EXPECT_EQ(behind->field("Connection"), "close");
  const auto rest = partial.ask("st: h\r\n\r\n");
  ASSERT_TRUE(rest);
  EXPECT_EQ(rest->body, "/partial");
  EXPECT_EQ(rest->field("Connection"), "close");
  held.end_sending();
  partial.end_sending();
  drain.join();
  EXPECT_FALSE(HttpClient(port()).connected());
}

TEST_F(HttpServerTest, DrainCutsWhatIsLeftAtItsDeadline) {
  open();
  HttpClient partial(port());
  ASSERT_TRUE(partial.ask(get("/x")));
  ASSERT_TRUE(partial.send("GET /never"));
  const auto start = std::chrono::steady_clock::now();
  server_->drain(milliseconds(50));
  EXPECT_LT(std::chrono::steady_clock::now() - start, milliseconds(5000));
  EXPECT_EQ(server_->open_connections(), 0u);
}

}  // namespace
}  // namespace weir::net
