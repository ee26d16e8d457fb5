// Behind a store in pieces (a cluster): what it is told of whose counters belong together, and a
// denial that comes before all were asked.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "decide/engine.h"
#include "decide/pending.h"

namespace weir::decide {
namespace {

// Keeps what it is asked; answers what it was told to.
class PiecesStore final : public store::Store {
 public:
  static Result<std::unique_ptr<store::Store>> open(const policy::StoreConfig&) {
    return std::unique_ptr<store::Store>(new PiecesStore);
  }
  static PiecesStore& of(Engine& engine) { return dynamic_cast<PiecesStore&>(engine.store()); }

  bool immediate() const override { return false; }
  void charge(std::span<const store::Request> requests, Now now, store::Sink& sink) override {
    asked.assign(requests[0].charges.begin(), requests[0].charges.end());
    std::vector<Outcome> outcomes(asked.size());
    for (std::size_t i = 0; i < asked.size(); ++i) {
      outcomes[i].limit = asked[i].numbers->burst;
      if (i == denied_by) {
        outcomes[i].admit = false;
        outcomes[i].reason = Reason::limit_exceeded;
        outcomes[i].wait = seconds(7);
      }
    }
    store::Verdict v;
    v.admit = denied_by >= asked.size();
    v.now = now;
    v.outcomes = outcomes;
    v.unasked = unasked;
    sink.decided(v);
  }
  void refund(std::span<const store::Charge>, Now) override {}
  store::Inspection inspect(const store::Charge&, Now) override { return {}; }
  bool reset(store::Slot, const base::Digest&) override { return false; }
  store::Stats stats() const override { return {}; }
  const base::HashSecret& secret() const override { return secret_; }

  std::vector<store::Charge> asked;
  std::size_t denied_by = ~std::size_t{0};
  std::uint32_t unasked = 0;

 private:
  base::HashSecret secret_{1, 2};
};

class Asked final : public Pending {
 private:
  void done() override {}
};

constexpr const char* kPolicy =
    "version: 1\ntiers: {t: {}}\n"
    "identity: {keys: {tenant: {from: \"header:x-tenant\"}}}\n"
    "classes: [{name: s, match: [\"GET /s\"]}]\n"
    "limits:\n"
    "  - {name: tenant, key: [tenant], rate: 9/s}\n"
    "  - {name: tenant-class, key: [class, tenant], rate: 8/s}\n"
    "  - {name: tenant-ip, key: [tenant, ip], rate: 7/s}\n"
    "  - {name: ip, key: [ip], rate: 6/s}\n"
    "  - {name: class, key: [class], rate: 5/s}\n"
    "  - {name: all, key: global, rate: 4/s}\n";

class Pieces : public ::testing::Test {
 protected:
  void open(Engine::OpenStore store = PiecesStore::open) {
    Engine::Opened opened = Engine::open_text(kPolicy, "p.yaml", {}, store);
    for (const policy::Finding& f : opened.findings) {
      EXPECT_NE(f.severity, policy::Severity::error) << f.text();
    }
    engine_ = std::move(opened.engine);
  }
  const Decision& ask(const char* tenant, const char* ip) {
    const Field headers[] = {{"x-tenant", tenant}};
    identity::Facts facts;
    facts.method = "GET";
    facts.target = "/s";
    facts.client = policy::Address::parse(ip);
    facts.headers = headers;
    pending_.start(engine_->decider(), engine_->snapshot(), facts, {});
    return pending_.decision();
  }
  std::map<std::string, std::uint32_t> tags() {
    std::map<std::string, std::uint32_t> tags;
    const Decision& d = pending_.decision();
    for (std::size_t i = 0; i < d.count; ++i) {
      tags[pending_.snapshot().policy->limits[d.verdicts[i].limit].name] =
          PiecesStore::of(*engine_).asked[i].tag;
    }
    return tags;
  }

  std::unique_ptr<Engine> engine_;
  Asked pending_;
};

TEST_F(Pieces, LimitsWhoseKeysBeginWithOneIdentityBelongTogether) {
  open();
  ask("acme", "203.0.113.7");
  const auto a = tags();
  ASSERT_EQ(a.size(), 6u);
  EXPECT_NE(a.at("tenant"), 0u);
  EXPECT_LT(a.at("tenant"), 1u << 24);
  EXPECT_EQ(a.at("tenant-class"), a.at("tenant"));
  EXPECT_EQ(a.at("tenant-ip"), a.at("tenant"));
  EXPECT_NE(a.at("ip"), a.at("tenant"));
  EXPECT_EQ(a.at("class"), 0u);
  EXPECT_EQ(a.at("all"), 0u);
  ask("other", "203.0.113.7");
  EXPECT_NE(tags().at("tenant"), a.at("tenant"));
  EXPECT_EQ(tags().at("ip"), a.at("ip"));
  ask("acme", "203.0.113.8");
  EXPECT_EQ(tags().at("tenant-ip"), a.at("tenant-ip"));
}

TEST_F(Pieces, ALimitThatWasNotAskedIsNotListed) {
  open();
  PiecesStore& store = PiecesStore::of(*engine_);
  store.denied_by = 1;
  store.unasked = 0b110000;
  const Decision& d = ask("acme", "203.0.113.7");
  EXPECT_FALSE(d.admit);
  EXPECT_EQ(d.status, 429);
  EXPECT_EQ(d.retry_after, seconds(7));
  ASSERT_EQ(d.count, 4u);
  EXPECT_FALSE(d.verdicts[d.governing].outcome.admit);
  for (const LimitVerdict& v : d.limits())
    EXPECT_FALSE(pending_.snapshot().policy->limits[v.limit].key.empty());
}

}  // namespace
}  // namespace weir::decide
