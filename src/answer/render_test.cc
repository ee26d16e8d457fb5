// What must hold of every answer: random views, Retry-After, jitter, CORS.
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <cstdlib>
#include <random>
#include <set>

#include "answer/answer.h"
#include "answer/testing/sf_parser.h"
#include "answer/testing/views.h"
#include "policy/dialect.h"

namespace weir::answer {
namespace {

using policy::Dialect;
using testing::add;
using testing::denied;
using testing::find;
using testing::limit;
using testing::value;
using testing::view_of;

TEST(RetryAfter, IsRoundedUpAndNeverZero) {  // C20
  struct Case {
    Duration wait;
    const char* expected;
  };
  policy::Response response;
  for (const Case& c :
       {Case{milliseconds(200), "1"}, Case{milliseconds(999), "1"}, Case{milliseconds(1001), "2"},
        Case{milliseconds(1500), "2"}, Case{seconds(58), "58"}, Case{nanoseconds(1), "1"},
        Case{{}, "1"}, Case{seconds(1), "1"}, Case{days(146'100), "12623040000"}}) {
    View view = view_of(response);
    add(view, denied(limit("five", 5, minutes(1), 0), c.wait));
    Answer answer;
    render(answer, view);
    EXPECT_EQ(value(answer, "Retry-After"), c.expected);
    EXPECT_EQ(value(answer, "RateLimit"), std::string("\"five\";r=0;t=") + c.expected);
    EXPECT_EQ(value(answer, "RateLimit-Reset"), c.expected);
    EXPECT_EQ(std::to_string(boost::json::parse(answer.body)
                                 .at("error")
                                 .at("retryAfter")
                                 .to_number<std::uint64_t>()),
              c.expected);
  }
}

TEST(RetryAfter, IsAbsentOnAnAdmission) {
  policy::Response response;
  View view = view_of(response);
  add(view, limit("five", 5, minutes(1), 3));
  view.retry_after = seconds(9);
  Answer answer;
  render(answer, view);
  EXPECT_EQ(find(answer, "Retry-After"), nullptr);
  EXPECT_EQ(find(answer, "Cache-Control"), nullptr);
}

TEST(RetryAfter, JittersUpwardWithinItsShareTheSameForACaller) {
  policy::Response response;
  response.jitter_ppm = 200'000;
  std::set<std::string> seen;
  for (std::uint64_t key = 0; key < 200; ++key) {
    View view = view_of(response);
    view.key_hash = key;
    add(view, denied(limit("daily", 1000, days(1), 0), seconds(100)));
    Answer answer;
    render(answer, view);
    const std::string retry = value(answer, "Retry-After");
    EXPECT_GE(std::stoull(retry), 100u);
    EXPECT_LE(std::stoull(retry), 120u);
    EXPECT_EQ(value(answer, "RateLimit"), "\"daily\";r=0;t=100");
    EXPECT_EQ(boost::json::parse(answer.body).at("error").at("retryAfter"), std::stoull(retry));
    Answer again;
    render(again, view);
    EXPECT_EQ(value(again, "Retry-After"), retry);
    seen.insert(retry);
  }
  EXPECT_GT(seen.size(), 10u);
}

TEST(Fields, OnADenialComeFromTheDenyingLimitWithTheLongestWait) {  // C57
  policy::Response response;
  View view = view_of(response);
  add(view, limit("second", 10, seconds(1), 1));
  add(view, denied(limit("minute", 300, minutes(1), 2), seconds(7)));
  add(view, limit("day", 50'000, days(1), 9));
  Answer answer;
  render(answer, view);
  EXPECT_EQ(value(answer, "RateLimit-Limit"), "300");
  EXPECT_EQ(value(answer, "RateLimit-Remaining"), "2");  // S17: what really remains
  EXPECT_EQ(value(answer, "RateLimit-Reset"), "7");
  EXPECT_EQ(value(answer, "RateLimit"), "\"second\";r=1;t=1, \"minute\";r=2;t=7, \"day\";r=9;t=16");
  EXPECT_EQ(value(answer, "Weir-Violated"), "\"minute\"");
}

TEST(Fields, OnAnAdmissionComeFromTheLimitClosestToExhaustion) {  // C57, S20
  policy::Response response;
  response.headers = {Dialect::fields, Dialect::draft_07};
  View view = view_of(response);
  LimitView points = limit("points", 300, minutes(1), 30);
  points.cost = 10;  // three more requests
  add(view, limit("second", 10, seconds(1), 5));
  add(view, points);
  Answer answer;
  render(answer, view);
  EXPECT_EQ(value(answer, "RateLimit-Limit"), "300");
  EXPECT_EQ(value(answer, "RateLimit-Remaining"), "30");
  EXPECT_EQ(value(answer, "RateLimit"), "limit=10, remaining=5, reset=1");  // in absolute units
}

TEST(Fields, ListLimitsInFileOrderWhateverOrderTheyWereCharged) {
  policy::Response response;
  View view = view_of(response);
  add(view, limit("b", 2, seconds(1), 1));
  add(view, limit("a", 1, seconds(1), 1));
  view.verdicts[0].file_order = 7;
  view.verdicts[1].file_order = 3;
  view.governing = 0;
  Answer answer;
  render(answer, view);
  EXPECT_EQ(value(answer, "RateLimit"), "\"a\";r=1;t=1, \"b\";r=1;t=1");
  EXPECT_EQ(value(answer, "RateLimit-Limit"), "2");
}

TEST(Fields, TwoQuotasOfOneNumberKeepTheShorterWindow) {
  policy::Response response;
  response.headers = {Dialect::draft_06};
  View view = view_of(response);
  add(view, limit("minute", 10, minutes(1), 9));
  add(view, limit("second", 10, seconds(1), 9));
  add(view, limit("same", 10, seconds(1), 9));
  add(view, limit("day", 1000, days(1), 9));
  Answer answer;
  render(answer, view);
  EXPECT_EQ(value(answer, "RateLimit-Policy"), "10;w=1, 1000;w=86400");
}

TEST(Fields, ANameThatTwoDialectsShareIsSentOnce) {
  policy::Response response;
  response.headers = {Dialect::draft_11, Dialect::draft_07, Dialect::draft_11};
  View view = view_of(response);
  add(view, limit("a", 5, seconds(1), 4));
  Answer answer;
  render(answer, view);
  EXPECT_EQ(value(answer, "RateLimit"), "\"a\";r=4;t=1");
  EXPECT_EQ(answer.signals, 3u);  // with Access-Control-Expose-Headers
  using policy::header_conflicts;
  EXPECT_EQ(header_conflicts(response.headers, false),
            (std::vector<std::string>{"RateLimit-Policy", "RateLimit"}));
  EXPECT_TRUE(header_conflicts({Dialect::draft_11, Dialect::fields}, true).empty());
  EXPECT_TRUE(header_conflicts({Dialect::draft_06, Dialect::fields}, false).empty());
  EXPECT_EQ(header_conflicts({Dialect::draft_06, Dialect::fields}, true),
            std::vector<std::string>{"RateLimit-Reset"});
  EXPECT_EQ(header_conflicts({Dialect::x_ratelimit, Dialect::github}, false),
            std::vector<std::string>{"x-ratelimit-reset"});
  EXPECT_TRUE(header_conflicts({Dialect::x_ratelimit, Dialect::github}, true).empty());
}

TEST(Fields, HoldFifteenDigitsAtMost) {
  policy::Response response;
  View view = view_of(response);
  add(view, limit("huge", kMaxCount, days(146'100), kMaxCount - 1));
  Answer answer;
  render(answer, view);
  EXPECT_EQ(value(answer, "RateLimit-Policy"), "\"huge\";q=999999999999999;w=12623040000");
  EXPECT_EQ(value(answer, "RateLimit-Remaining"), "999999999999999");
}

TEST(Fields, AFractionOfASecondIsASecond) {
  policy::Response response;
  View view = view_of(response);
  add(view, limit("half", 3, milliseconds(500), 1));
  Answer answer;
  render(answer, view);
  EXPECT_EQ(value(answer, "RateLimit-Policy"), "\"half\";q=3;w=1");
  EXPECT_EQ(value(answer, "RateLimit"), "\"half\";r=1;t=1");
}

TEST(Fields, AFailedOpenStoreLeavesItsLimitOut) {
  policy::Response response;
  View view = view_of(response);
  LimitView failed = limit("gone", 10, seconds(1), 10);
  failed.outcome.reason = Reason::store_failure;
  add(view, failed);
  add(view, limit("kept", 20, seconds(1), 10));
  view.governing = 1;
  view.degraded = true;
  Answer answer;
  render(answer, view);
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(value(answer, "RateLimit"), "\"kept\";r=10;t=1");
  EXPECT_EQ(value(answer, "Weir-Degraded"), "store");
}

TEST(Fields, OnlyARegisteredUnitIsNamed) {
  policy::Response response;
  View view = view_of(response);
  add(view, limit("bytes", 1000, seconds(1), 10));
  add(view, limit("points", 1000, seconds(1), 10));
  view.verdicts[0].unit = "content-bytes";
  view.verdicts[1].unit = "points";
  Answer answer;
  render(answer, view);
  EXPECT_EQ(value(answer, "RateLimit-Policy"),
            "\"bytes\";q=1000;qu=\"content-bytes\";w=1, \"points\";q=1000;w=1");
}

TEST(Fields, ANameCannotBreakALine) {
  policy::Response response;
  response.headers = {Dialect::draft_11, Dialect::github};
  View view = view_of(response);
  add(view, denied(limit("a\"b\\\r\nX: 1\xc3\xa4", 5, seconds(1), 0), seconds(1)));
  view.tier_name = "fr\nee";
  Answer answer;
  render(answer, view);
  EXPECT_EQ(value(answer, "RateLimit"), R"("a\"b\\%0D%0AX: 1%C3%A4";r=0;t=1)");
  EXPECT_EQ(value(answer, "x-ratelimit-resource"), R"(a"b\%0D%0AX: 1%C3%A4)");
  EXPECT_EQ(value(answer, "Weir-Tier"), "fr%0Aee");
  EXPECT_EQ(value(answer, "Weir-Violated"), R"("a\"b\\\u000d\u000aX: 1\u00e4")");
}

TEST(Verdict, AlwaysCarriesTheTierAndNeverTheAccount) {
  policy::Response response;
  View view = view_of(response);
  view.skipped = true;
  view.account = "acme-secret";
  Answer answer;
  render(answer, view);
  ASSERT_EQ(answer.headers.size(), 1u);
  EXPECT_EQ(value(answer, "Weir-Tier"), "");
  EXPECT_EQ(answer.signals, 0u);
  EXPECT_EQ(answer.text.find("acme"), std::string::npos);
}

TEST(Warning, NamesTheLimitsNearTheirEnd) {
  policy::Response response;
  View view = view_of(response);
  add(view, limit("calm", 10, seconds(1), 9));
  add(view, limit("monthly", 1000, days(30), 179));
  add(view, limit("yearly", 1000, days(365), 0));
  add(view, limit("tenth", 1000, days(365), 100));
  view.verdicts[1].warned_ppm = 800'000;
  view.verdicts[2].warned_ppm = 950'000;
  view.verdicts[3].warned_ppm = 800'000;
  Answer answer;
  render(answer, view);
  EXPECT_EQ(value(answer, "Weir-Warning"),
            "\"monthly\";used=0.82, \"yearly\";used=1.0, \"tenth\";used=0.9");
  const auto list = sf::parse_list(value(answer, "Weir-Warning"));
  ASSERT_TRUE(list);
  EXPECT_EQ(sf::serialize(*list), value(answer, "Weir-Warning"));
  EXPECT_NE(value(answer, "Access-Control-Expose-Headers").find("Weir-Warning"), std::string::npos);
}

TEST(Cors, ExposesExactlyWhatIsSent) {
  policy::Response response;
  View view = view_of(response);
  add(view, limit("a", 5, seconds(1), 4));
  Answer answer;
  render(answer, view);
  EXPECT_EQ(value(answer, "Access-Control-Expose-Headers"),
            "RateLimit, RateLimit-Limit, RateLimit-Policy, RateLimit-Remaining, RateLimit-Reset");
  response.cors_expose = false;
  render(answer, view);
  EXPECT_EQ(find(answer, "Access-Control-Expose-Headers"), nullptr);
}

// ---- random views -------------------------------------------------------------------------------

const char* const kNames[] = {"burst", "daily", "a b", "q\"uote", "back\\slash", "plan-minute"};

View random_view(const policy::Response& response, std::mt19937_64& rng) {
  const auto below = [&](std::uint64_t n) { return rng() % n; };
  const auto number = [&](unsigned bits) { return rng() >> (64 - 1 - below(bits)); };
  View view = view_of(response);
  view.key_hash = rng();
  view.tier_name = below(2) == 0 ? "" : "free";
  view.degraded = below(8) == 0;
  if (below(2) == 0) {
    view.upgrade_label = "Pro";
    view.upgrade_url = "https://acme.example/u";
  }
  for (std::uint64_t i = below(17); i > 0; --i) {
    LimitView l = limit(kNames[below(6)], number(53), nanoseconds(number(63)), 0,
                        static_cast<Algorithm>(1 + below(5)));
    l.outcome.remaining = below(4) == 0 ? 0 : below(l.quota + 2);
    l.outcome.reset = nanoseconds(number(62));
    l.cost = number(20);
    l.warned_ppm = below(3) == 0 ? 800'000 : 0;
    if (l.outcome.remaining < l.cost) l.outcome.wait = nanoseconds(number(62));
    if (below(5) == 0) {
      const auto reason = static_cast<Reason>(1 + below(6));
      const bool never = reason != Reason::limit_exceeded && below(2) == 0;
      l = denied(l, never ? Duration::max() : nanoseconds(number(62)), reason);
    }
    add(view, l);
    view.verdicts[view.count - 1].file_order = static_cast<std::uint16_t>(below(1000));
  }
  if (!view.admit && below(3) == 0) view.status = 503;
  return view;
}

std::uint64_t digits(std::string_view text) {
  EXPECT_TRUE(!text.empty() && text.size() <= 15 &&
              text.find_first_not_of("0123456789") == std::string_view::npos)
      << text;
  return std::strtoull(std::string(text).c_str(), nullptr, 10);
}

void expect_sound_items(const Answer& answer) {
  const Header* items = find(answer, "RateLimit");
  const Header* policies = find(answer, "RateLimit-Policy");
  ASSERT_EQ(items == nullptr, policies == nullptr);
  if (items == nullptr) return;
  const auto remaining = sf::parse_list(items->value);
  const auto quota = sf::parse_list(policies->value);
  ASSERT_TRUE(remaining && quota) << items->value << "\n" << policies->value;
  EXPECT_EQ(sf::serialize(*remaining), items->value);
  EXPECT_EQ(sf::serialize(*quota), policies->value);
  ASSERT_EQ(remaining->size(), quota->size());
  for (std::size_t i = 0; i < quota->size(); ++i) {
    const sf::Item& r = (*remaining)[i];
    const sf::Item& q = (*quota)[i];
    EXPECT_EQ(r.value, q.value);
    EXPECT_EQ(r.value.kind, sf::Kind::string);
    EXPECT_LE(r.parameter("r")->integer(), q.parameter("q")->integer());
    EXPECT_GE(r.parameter("r")->integer(), 0);
    EXPECT_GE(q.parameter("w")->integer(), 1);
    EXPECT_TRUE(r.parameter("t") == nullptr || r.parameter("t")->integer() >= 1);
  }
}

void expect_body_agrees(const Answer& answer, const View& view) {
  EXPECT_EQ(answer.body.empty(), view.admit);
  if (view.admit) return;
  EXPECT_LE(answer.body.size(), kMaxBody);
  for (const char c : answer.body) ASSERT_TRUE(c >= 0x20 && c < 0x7F);
  const auto body = boost::json::parse(answer.body).as_object();
  EXPECT_EQ(body.at("status"), answer.status);
  const auto& error = body.at("error").as_object();
  const auto same = [&](const char* member, const char* field) {
    ASSERT_EQ(error.contains(member), find(answer, field) != nullptr) << answer.body;
    if (!error.contains(member)) return;
    EXPECT_EQ(error.at(member).to_number<std::uint64_t>(), digits(value(answer, field)));
  };
  same("retryAfter", "Retry-After");
  same("limit", "RateLimit-Limit");
  if (!error.contains("currentUsage")) return;
  EXPECT_EQ(
      error.at("currentUsage").at("used").to_number<std::uint64_t>(),
      digits(value(answer, "RateLimit-Limit")) - digits(value(answer, "RateLimit-Remaining")));
}

TEST(Answer, HoldsItsPromisesForRandomViews) {
  policy::Response response;
  std::mt19937_64 rng(20261130);
  Answer answer;
  for (int i = 0; i < 8'000 && !HasFailure(); ++i) {
    response.jitter_ppm = i % 3 == 0 ? 300'000 : 0;
    response.reset_epoch = i % 5 == 0;
    const View view = random_view(response, rng);
    render(answer, view);
    std::set<std::string> names;
    for (const Header& h : answer.headers) {
      EXPECT_TRUE(names.insert(std::string(h.name)).second) << h.name;
      for (const char c : h.value) ASSERT_TRUE(c >= 0x20 && c < 0x7F) << h.name;
    }
    if (const Header* retry = find(answer, "Retry-After")) {
      EXPECT_GE(digits(retry->value), 1u);
      EXPECT_NE(retry->value[0], '0');
      EXPECT_FALSE(view.admit);
    }
    if (find(answer, "RateLimit-Limit") != nullptr) {  // C56
      EXPECT_LE(digits(value(answer, "RateLimit-Remaining")),
                digits(value(answer, "RateLimit-Limit")));
      digits(value(answer, "RateLimit-Reset"));
    }
    expect_sound_items(answer);
    expect_body_agrees(answer, view);
  }
}

TEST(Answer, EveryDialectParsesForRandomViews) {
  std::mt19937_64 rng(7);
  Answer answer;
  for (int i = 0; i < 3'000 && !HasFailure(); ++i) {
    policy::Response response;
    response.headers = {policy::kDialects[static_cast<std::size_t>(i) % 9].dialect};
    const View view = random_view(response, rng);
    render(answer, view);
    for (const policy::DialectField& field : policy::row_of(response.headers[0]).fields()) {
      const Header* h = find(answer, field.name);
      if (h == nullptr) continue;
      switch (field.kind) {
        case policy::FieldKind::policy_items:
        case policy::FieldKind::limit_items:
        case policy::FieldKind::policy_quotas:
        case policy::FieldKind::limit_and_quotas:
        case policy::FieldKind::limit_and_named: {
          const auto list = sf::parse_list(h->value);
          ASSERT_TRUE(list) << h->value;
          EXPECT_EQ(sf::serialize(*list), h->value);
          break;
        }
        case policy::FieldKind::limit_dictionary:
          EXPECT_EQ(sf::parse_dictionary(h->value).value().size(), 3u);
          break;
        case policy::FieldKind::name:
        case policy::FieldKind::denied_flag:
          break;
        default:
          digits(h->value);
      }
    }
  }
}

}  // namespace
}  // namespace weir::answer
