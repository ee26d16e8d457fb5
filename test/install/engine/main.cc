// A user's project: weir::engine with a policy of 2 requests a minute and address.
#include <weir/engine.h>

#include <cstdio>
#include <string>

namespace {

bool check(bool holds, const char* what) {
  if (!holds) std::printf("FAILED: %s\n", what);
  return holds;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::puts("usage: consumer POLICY");
    return 2;
  }
  weir::ManualClock clock(weir::Instant{1'800'000'000'000'000'000});
  auto engine = weir::Engine::open(argv[1], clock);
  if (!engine) {
    std::puts(engine.error().text().c_str());
    return 1;
  }
  const weir::Request request{.method = "GET", .target = "/", .client_ip = "203.0.113.7"};
  bool good = true;
  for (int i = 0; i < 2; ++i) good &= check(engine->decide(request).admit(), "two are admitted");
  const weir::Verdict third = engine->decide(request);
  good &= check(!third.admit(), "the third is denied");
  good &= check(third.retry_after() == std::chrono::seconds(30), "for 30 s: half a minute a token");
  const weir::Answer answer = engine->answer(third);
  good &= check(answer.status == 429, "with 429");
  good &= check(answer.body.find("RATE_LIMIT_EXCEEDED") != std::string::npos, "and a body");
  clock.advance(weir::seconds(30));
  good &= check(engine->decide(request).admit(), "after which one is admitted");
  return good ? 0 : 1;
}
