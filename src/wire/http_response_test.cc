#include "wire/http_response.h"

#include <gtest/gtest.h>

namespace weir::wire {
namespace {

TEST(HttpResponse, WritesAWholeAnswer) {
  std::string out;
  HttpResponse response(out, {.date = "Mon, 30 Nov 2026 15:31:31 GMT"});
  response.start(429);
  response.field("Retry-After", std::uint64_t{30});
  response.finish("application/problem+json", "{}");
  EXPECT_EQ(out,
            "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 30\r\n"
            "Content-Type: application/problem+json\r\nContent-Length: 2\r\n"
            "Date: Mon, 30 Nov 2026 15:31:31 GMT\r\n\r\n{}");
}

TEST(HttpResponse, LeavesTheBodyOutForHead) {
  std::string out;
  HttpResponse response(out, HttpReply{.head = true, .keep_alive = false});
  response.start(200);
  response.finish("text/plain", "hello");
  EXPECT_EQ(out,
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n"
            "Connection: close\r\n\r\n");
}

TEST(HttpResponse, SaysKeepAliveToHttp10) {
  std::string out;
  HttpResponse response(out, {.http10 = true});
  response.start(200);
  response.finish({}, {});
  EXPECT_EQ(out, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive\r\n\r\n");
}

TEST(HttpResponse, LetsNoValueBreakItsLine) {
  std::string out;
  HttpResponse response(out, {});
  response.start(200);
  response.field("A", "b\r\nSet-Cookie: c");
  EXPECT_EQ(out, "HTTP/1.1 200 OK\r\nA: b  Set-Cookie: c\r\n");
}

TEST(Problem, NamesTheField) {
  std::string out;
  append_problem(out, 400, "must be \"a\" whole number", "cost");
  EXPECT_EQ(out, R"({"type":"about:blank","title":"Bad Request","status":400,"field":"cost",)"
                 R"("detail":"must be \"a\" whole number"})");
}

}  // namespace
}  // namespace weir::wire
