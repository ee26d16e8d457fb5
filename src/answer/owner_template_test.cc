#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "answer/answer.h"
#include "answer/testing/views.h"
#include "policy/body_template.h"

namespace weir::answer {
namespace {

using testing::add;
using testing::denied;
using testing::limit;

std::string message_of(std::string_view text) {
  const Result<void> checked = policy::check_template(text);
  return checked ? "" : checked.error().message;
}

std::string rendered(std::string_view text, bool numbers = true) {
  EXPECT_EQ(message_of(text), "");
  policy::Response response;
  response.body = policy::BodyKind::owner_template;
  response.body_template = text;
  response.docs = "https://docs.acme.example";
  View view = testing::view_of(response);
  view.tier_name = "free";
  add(view, numbers ? denied(limit("plan", 60, minutes(1), 0), seconds(3))
                    : denied(limit("plan", 0, {}, 0), Duration::max(), Reason::not_in_plan));
  Answer answer;
  render(answer, view);
  EXPECT_EQ(answer.content_type, "application/json");
  return answer.body;
}

TEST(BodyTemplate, FillsEveryPlaceholderInsideAndOutsideOfStrings) {
  EXPECT_EQ(rendered(R"({"s": {{status}}, "why": {{ message }}, "t": "wait {{retry_after}} s"})"),
            R"({"s": 429, "why": "Rate limit exceeded: 60 requests per 1 minute. )"
            R"(Try again in 3 seconds.", "t": "wait 3 s"})");
  std::string all = "{";
  for (const policy::PlaceholderRow& row : policy::kPlaceholders) {
    all += all.size() > 1 ? "," : "";
    all += "\"" + std::string(row.name) + "\":{{" + std::string(row.name) + "}}";
  }
  all += "}";
  const auto body = boost::json::parse(rendered(all)).as_object();
  EXPECT_EQ(boost::json::serialize(body),
            R"({"status":429,"reason":"limit_exceeded",)"
            R"("message":"Rate limit exceeded: 60 requests per 1 minute. Try again in 3 seconds.",)"
            R"("policy":"plan","unit":"requests","limit":60,"remaining":0,"used":60,)"
            R"("window":"1m","window_seconds":60,"retry_after":3,)"
            R"("resets_at":"2026-11-30T15:31:31Z","tier":"free",)"
            R"("docs":"https://docs.acme.example","upgrade_label":null,"upgrade_url":null})");
}

TEST(BodyTemplate, AValueThatIsNotThereIsNullOrNothing) {
  EXPECT_EQ(rendered(R"({"wait":{{retry_after}},"text":"[{{limit}}{{upgrade_url}}]"})", false),
            R"({"wait":null,"text":"[]"})");
}

TEST(BodyTemplate, OffersAnUpgradeWhereItHelps) {
  policy::Response response;
  response.body = policy::BodyKind::owner_template;
  response.body_template = R"({"to":{{upgrade_label}},"at":{{upgrade_url}}})";
  View view = testing::view_of(response);
  view.upgrade_label = "Pro";
  view.upgrade_url = "https://acme.example/u";
  add(view, denied(limit("plan", 60, minutes(1), 0), seconds(3)));
  Answer answer;
  render(answer, view);
  EXPECT_EQ(answer.body, R"({"to":"Pro","at":"https://acme.example/u"})");
  view.status = 503;
  render(answer, view);
  EXPECT_EQ(answer.body, R"({"to":null,"at":null})");
}

TEST(BodyTemplate, BecomesOneLineOfAscii) {
  EXPECT_EQ(rendered("{\n\t\"gr\xc3\xbc\xc3\x9f\": 1,\r\n\t\"b\": \"\\\"{{policy}}\\\\\"\n}\n"),
            R"({"gr\u00fc\u00df": 1,"b": "\"plan\\"})");
}

TEST(BodyTemplate, ATooLongResultFallsBackToTheStandardBody) {
  policy::Response response;
  response.body = policy::BodyKind::owner_template;
  response.body_template = R"({"a":"{{docs}}","b":"{{docs}}"})";
  response.docs = std::string(1100, 'd');
  View view = testing::view_of(response);
  add(view, denied(limit("plan", 60, minutes(1), 0), seconds(3)));
  Answer answer;
  render(answer, view);
  EXPECT_LE(answer.body.size(), kMaxBody);
  EXPECT_EQ(answer.content_type, "application/problem+json");
  EXPECT_EQ(boost::json::parse(answer.body).at("status"), 429);
}

TEST(BodyTemplate, RefusesWhatCouldNotBeABody) {
  struct Case {
    const char* name;
    std::string text;
    const char* why;
  };
  const Case cases[] = {
      {"unknown", "{\"a\":\n {{limits}}}", "line 2: unknown placeholder `limits`"},
      {"unclosed", R"({"a": "{{limit"})", "line 1: `{{` has no `}}`"},
      {"empty name", R"({"a": {{}}})", "unknown placeholder ``"},
      {"no JSON", "Too many requests", "not a JSON object"},
      {"nothing", "", "not a JSON object"},
      {"not an object", "[{{limit}}]", "not a JSON object"},
      {"trailing comma", R"({"a": {{limit}},})", "not a JSON object"},
      {"bare word", R"({"a": yes})", "not a JSON object"},
      {"two values", R"({} {})", "not a JSON object"},
      {"bad escape", R"({"a": "\x"})", "not a JSON object"},
      {"a raw line break in a string", "{\"a\": \"x\ny\"}", "not a JSON object"},
      {"deep", R"({"a":)" + std::string(40, '[') + std::string(40, ']') + "}", "not a JSON object"},
      {"long", R"({"a":")" + std::string(1600, 'x') + "\"}", "a body has room for 1536"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_NE(message_of(c.text).find(c.why), std::string::npos) << message_of(c.text);
  }
}

TEST(BodyTemplate, AcceptsWhatJsonAllows) {
  for (const char* text :
       {R"({})", R"({"a":[1,-0.5e+7,true,false,null,{"b":[]}]})", R"({"":"\u00e9\n\/"})",
        R"({"a":{"b":{"c":{{limit}}}}})", R"({"{{tier}}":"{{tier}}"})"}) {
    EXPECT_EQ(message_of(text), "") << text;
  }
}

}  // namespace
}  // namespace weir::answer
