// Failure policies, with a store that does not answer, and degraded verdicts.
#include "decide/fold.h"

#include <gtest/gtest.h>

#include "decide/decider.h"
#include "decide/testing/harness.h"

namespace weir::decide {
namespace {

class DeadStore final : public store::Store {
 public:
  void charge(std::span<const store::Request> requests, Now now, store::Sink& sink) override {
    for (std::size_t i = 0; i < requests.size(); ++i) {
      sink.decided({.request = i, .admit = false, .failed = true, .now = now, .outcomes = {}});
    }
  }
  void refund(std::span<const store::Charge>, Now) override {}
  store::Inspection inspect(const store::Charge&, Now) override { return {}; }
  bool reset(store::Slot, const base::Digest&) override { return false; }
  store::Stats stats() const override { return {}; }
  const base::HashSecret& secret() const override { return secret_; }

 private:
  base::HashSecret secret_;
};

Decision ask_dead_store(std::string_view limits) {
  testing::Harness h("version: 1\ntiers: {t: {}}\nlimits:\n" + std::string(limits));
  DeadStore store;
  identity::Facts facts;
  facts.method = "GET";
  facts.target = "/";
  facts.client = policy::Address::parse("203.0.113.7");
  Decision d;
  static std::shared_ptr<const Snapshot> snapshot;
  snapshot = h.engine->snapshot();
  Decider(store).check(*snapshot, facts, h.clock.now(), d);
  return d;
}

TEST(FailurePolicy, OpenAdmitsAndSaysSo) {
  const Decision d = ask_dead_store("  - {name: a, key: [ip], rate: 1/s}\n");
  EXPECT_TRUE(d.admit);
  EXPECT_TRUE(d.degraded);
  EXPECT_EQ(d.status, 200);
}

TEST(FailurePolicy, ClosedIs503WithAWait) {
  const Decision d =
      ask_dead_store("  - {name: a, key: [ip], rate: 1/s, on_store_failure: closed}\n");
  EXPECT_FALSE(d.admit);
  EXPECT_TRUE(d.degraded);
  EXPECT_EQ(d.status, 503);
  EXPECT_EQ(d.reason, Reason::store_failure);
  EXPECT_EQ(d.retry_after, seconds(1));
}

TEST(FailurePolicy, OneClosedLimitDeniesTheRequest) {
  const Decision d = ask_dead_store(
      "  - {name: a, key: [ip], rate: 1/s}\n"
      "  - {name: b, key: global, rate: 1/s, on_store_failure: closed}\n");
  EXPECT_FALSE(d.admit);
  EXPECT_EQ(d.verdicts[d.governing].limit, 1u);
}

}  // namespace
}  // namespace weir::decide
