// Answers that come later: their order, and what happens to connections meanwhile.
#include "net/later.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "net/http_server.h"
#include "net/testing/http_client.h"

namespace weir::net {
namespace {

using std::chrono::milliseconds;
using testing::HttpClient;

struct Counts {
  std::atomic<int> answered{0};
  std::atomic<int> deleted{0};
};

class EchoLater final : public Later {
 public:
  EchoLater(std::shared_ptr<Completions> completions, const wire::HttpRequest& request,
            Counts& counts)
      : Later(std::move(completions)),
        target(request.target),
        text(std::string(request.target) + std::string(request.body)),
        counts_(counts) {}
  ~EchoLater() override { ++counts_.deleted; }

  Duration answer(wire::HttpResponse& response) override {
    ++counts_.answered;
    EXPECT_EQ(std::this_thread::get_id(), made_on_);
    response.start(200);
    response.finish("text/plain", target == "/big" ? std::string(std::size_t{1} << 20, 'x') : text);
    if (target == "/close") response.close();
    return target == "/hold" ? weir::milliseconds(50) : Duration{};
  }

  const std::string target;
  const std::string text;

 private:
  Counts& counts_;
  std::thread::id made_on_ = std::this_thread::get_id();  // the loop's
};

// Answers /now at once and /self before it returns; the others when the test says so.
class LaterHandler final : public HttpHandler {
 public:
  void attach(const std::shared_ptr<Completions>& completions) override {
    completions_ = completions;
  }
  Handled handle(const wire::HttpRequest& request, const Peer&,
                 wire::HttpResponse& response) override {
    if (request.target == "/now") {
      response.start(200);
      response.finish("text/plain", "/now");
      return {};
    }
    auto* later = new EchoLater(completions_, request, counts);
    if (request.target == "/self") {
      later->complete();
    } else {
      const std::lock_guard lock(mutex_);
      waiting_.push_back(later);
    }
    return {.later = later};
  }

  // Those that wait, once there are `n`.
  std::vector<EchoLater*> take(std::size_t n) {
    for (;;) {
      {
        const std::lock_guard lock(mutex_);
        if (waiting_.size() >= n) return std::exchange(waiting_, {});
      }
      std::this_thread::yield();
    }
  }
  std::size_t waiting() {
    const std::lock_guard lock(mutex_);
    return waiting_.size();
  }

  Counts counts;

 private:
  std::shared_ptr<Completions> completions_;
  std::mutex mutex_;
  std::vector<EchoLater*> waiting_;
};

class LaterTest : public ::testing::Test {
 protected:
  void open(const ConnectionLimits& limits = {}) {
    auto server = HttpServer::open({.endpoint = *parse_endpoint("127.0.0.1:0"), .limits = limits},
                                   {&handler_});
    ASSERT_TRUE(server) << server.error().message;
    server_ = std::move(*server);
    server_->start();
  }
  std::uint16_t port() const { return server_->endpoint().port(); }
  void complete_one() { handler_.take(1)[0]->complete(); }

  LaterHandler handler_;
  std::unique_ptr<HttpServer> server_;
};

std::string get(const std::string& target, const std::string& more = "") {
  return "GET " + target + " HTTP/1.1\r\nHost: h\r\n" + more + "\r\n";
}

void until(const auto& condition) {
  while (!condition()) std::this_thread::yield();
}

TEST_F(LaterTest, AnswersWhenItIsComplete) {
  open();
  HttpClient client(port());
  ASSERT_TRUE(client.send(get("/a")));
  complete_one();
  const auto reply = client.read();
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, 200);
  EXPECT_EQ(reply->body, "/a");
  EXPECT_TRUE(reply->field("Date"));
  EXPECT_EQ(server_->stats(0).by_status[200].load(), 1u);
  until([&] { return handler_.counts.deleted == 1; });
}

TEST_F(LaterTest, MayBeCompleteBeforeTheHandlerReturns) {
  open();
  HttpClient client(port());
  std::string requests;
  for (int i = 0; i < 200; ++i) requests += get("/self");
  ASSERT_TRUE(client.send(requests));
  for (int i = 0; i < 200; ++i) {
    const auto reply = client.read();
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->body, "/self");
  }
}

TEST_F(LaterTest, KeepsTheOrderOfAPipeline) {
  open();
  HttpClient client(port());
  ASSERT_TRUE(client.send(get("/now") + get("/a") + get("/now") + get("/b") + get("/now")));
  EXPECT_EQ(client.read()->body, "/now");
  for (const char* target : {"/a", "/b"}) {
    const std::vector<EchoLater*> waiting = handler_.take(1);
    ASSERT_EQ(waiting.size(), 1u);  // those behind it are not asked for yet
    EXPECT_EQ(waiting[0]->target, target);
    waiting[0]->complete();
    EXPECT_EQ(client.read()->body, target);
    EXPECT_EQ(client.read()->body, "/now");
  }
}

TEST_F(LaterTest, DoesNotHoldUpOtherConnections) {
  open();
  HttpClient slow(port()), quick(port());
  ASSERT_TRUE(slow.send(get("/a")));
  const std::vector<EchoLater*> waiting = handler_.take(1);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(quick.ask(get("/now"))->body, "/now");
  waiting[0]->complete();
  EXPECT_EQ(slow.read()->body, "/a");
}

TEST_F(LaterTest, AnswersManyInAnyOrderOnTheLoopsThread) {
  open();
  constexpr std::size_t kClients = 100;
  std::vector<std::unique_ptr<HttpClient>> clients;
  for (std::size_t i = 0; i < kClients; ++i) {
    clients.push_back(std::make_unique<HttpClient>(port()));
    ASSERT_TRUE(clients.back()->send(get("/" + std::to_string(i))));
  }
  std::vector<EchoLater*> waiting = handler_.take(kClients);
  std::jthread one([&] {
    for (std::size_t i = kClients; i-- > kClients / 2;) waiting[i]->complete();
  });
  std::jthread other([&] {
    for (std::size_t i = 0; i < kClients / 2; ++i) waiting[i]->complete();
  });
  for (std::size_t i = 0; i < kClients; ++i) {
    const auto reply = clients[i]->read();
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->body, "/" + std::to_string(i));
  }
}

TEST_F(LaterTest, HoldsTheAnswerAfterItIsComplete) {
  open();
  HttpClient client(port());
  ASSERT_TRUE(client.send(get("/hold") + get("/now")));
  const auto start = std::chrono::steady_clock::now();
  complete_one();
  EXPECT_EQ(client.read()->body, "/hold");
  EXPECT_GE(std::chrono::steady_clock::now() - start, milliseconds(50));
  EXPECT_EQ(client.read()->body, "/now");
}

TEST_F(LaterTest, ClosesWhereTheRequestOrTheAnswerAsksForIt) {
  open();
  HttpClient old(port()), last(port()), closing(port()), kept(port());
  ASSERT_TRUE(old.send("GET /x HTTP/1.0\r\n\r\n"));
  complete_one();
  EXPECT_EQ(old.read()->field("Connection"), "close");
  EXPECT_TRUE(old.closed());
  ASSERT_TRUE(last.send(get("/x", "Connection: close\r\n")));
  complete_one();
  EXPECT_EQ(last.read()->field("Connection"), "close");
  EXPECT_TRUE(last.closed());
  ASSERT_TRUE(closing.send(get("/close")));
  complete_one();
  EXPECT_TRUE(closing.read());
  EXPECT_TRUE(closing.closed());
  ASSERT_TRUE(kept.send("GET /x HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"));
  complete_one();
  EXPECT_EQ(kept.read()->field("Connection"), "keep-alive");
  EXPECT_TRUE(kept.ask(get("/now")));
}

TEST_F(LaterTest, AnswersAHeadRequestWithoutABody) {
  open();
  HttpClient client(port());
  ASSERT_TRUE(client.send("HEAD /abc HTTP/1.1\r\nHost: h\r\n\r\n" + get("/now")));
  complete_one();
  const auto reply = client.read(true);
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->field("Content-Length"), "4");
  EXPECT_EQ(client.read()->body, "/now");
}

TEST_F(LaterTest, OutlastsEveryTimeLimitOfTheConnection) {
  open({.idle_timeout = milliseconds(20), .request_timeout = milliseconds(20)});
  HttpClient client(port()), other(port());
  ASSERT_TRUE(client.send(get("/a")));
  const std::vector<EchoLater*> waiting = handler_.take(1);
  EXPECT_TRUE(other.closed());  // so the limits have passed
  waiting[0]->complete();
  EXPECT_EQ(client.read()->body, "/a");
  EXPECT_TRUE(client.closed());  // they hold again
}

TEST_F(LaterTest, IsToldOfAnAnswerToAClientThatWentAway) {
  open();
  {
    HttpClient client(port());
    ASSERT_TRUE(client.send(get("/gone") + get("/never-asked")));
    until([&] { return handler_.waiting() == 1; });
  }
  complete_one();
  until([&] { return handler_.counts.deleted >= 1; });
  EXPECT_EQ(handler_.counts.answered, 1);
  // What was behind it had arrived: it is asked for, or the connection is gone.
  until([&] { return handler_.waiting() == 1 || server_->open_connections() == 0; });
  if (handler_.waiting() == 1) complete_one();
  until([&] { return server_->open_connections() == 0; });
}

TEST_F(LaterTest, AnswersAClientThatSendsNoMore) {
  open();
  HttpClient client(port());
  ASSERT_TRUE(client.send(get("/a") + get("/b")));
  client.end_sending();
  complete_one();
  EXPECT_EQ(client.read()->body, "/a");
  complete_one();
  EXPECT_EQ(client.read()->body, "/b");
  EXPECT_TRUE(client.closed());
}

TEST_F(LaterTest, StopsForAClientThatDoesNotRead) {
  open({.write_timeout = milliseconds(100), .output_bytes = 64 * 1024});
  HttpClient client(port());
  const int small = 4096;
  ::setsockopt(client.fd(), SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
  std::string requests;
  for (int i = 0; i < 100; ++i) requests += get("/big");
  client.send(requests);
  until([&] { return handler_.waiting() == 1; });
  while (server_->open_connections() > 0) {
    if (handler_.waiting() > 0) complete_one();
    std::this_thread::yield();
  }
  EXPECT_LT(handler_.counts.answered, 50);
}

TEST_F(LaterTest, SendsAllOfALargePipelineToASlowReader) {
  open({.output_bytes = 64 * 1024});
  HttpClient client(port());
  std::string requests;
  for (int i = 0; i < 10; ++i) requests += get("/big") + get("/now");
  ASSERT_TRUE(client.send(requests));
  for (int i = 0; i < 10; ++i) {
    complete_one();
    EXPECT_EQ(client.read()->body.size(), std::size_t{1} << 20);
    EXPECT_EQ(client.read()->body, "/now");
  }
}

TEST_F(LaterTest, ADrainWaitsForIt) {
  open();
  HttpClient client(port()), idle(port());
  ASSERT_TRUE(idle.ask(get("/now")));
  ASSERT_TRUE(client.send(get("/a")));
  const std::vector<EchoLater*> waiting = handler_.take(1);
  std::jthread drain([&] { server_->drain(milliseconds(5000)); });
  EXPECT_TRUE(idle.closed());  // so the drain has begun
  waiting[0]->complete();
  const auto reply = client.read();
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->body, "/a");
  EXPECT_EQ(reply->field("Connection"), "close");
  EXPECT_TRUE(client.closed());
}

TEST_F(LaterTest, IsDeletedWithoutAnAnswerOnceItsLoopIsGone) {
  open();
  HttpClient one(port()), two(port());
  ASSERT_TRUE(one.send(get("/a")));
  ASSERT_TRUE(two.send(get("/b")));
  std::vector<EchoLater*> waiting = handler_.take(2);
  server_->drain(milliseconds(0));
  waiting[0]->complete();  // the loop's thread has ended, the loop is there
  server_.reset();
  waiting[1]->complete();
  EXPECT_EQ(handler_.counts.deleted, 2);
  EXPECT_EQ(handler_.counts.answered, 0);
  EXPECT_TRUE(one.closed());
}

}  // namespace
}  // namespace weir::net
