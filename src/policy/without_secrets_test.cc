#include "policy/without_secrets.h"

#include <gtest/gtest.h>

#include "policy/findings.h"

namespace weir::policy {
namespace {

TEST(WithoutSecrets, HidesWhatIsWrittenOut) {
  struct Case {
    std::string_view line;
    std::string_view shown;
  };
  const Case cases[] = {
      {"store: \"redis://:hunter2pw@127.0.0.1:6379/0\"",
       "store: \"redis://**********@127.0.0.1:6379/0\""},
      {"store: redis://me:a@b/c@host", "store: redis://********@host"},
      {"  url: 'rediss://u:p, q@h:99999/0'", "  url: 'rediss://******@h:99999/0'"},
      {"  url: \"redis:/u:pw@h\"", "  url: \"redis:/****@h\""},
      {"store: \"redis//u:pw@h\"", "store: \"redis//****@h\""},
      {"  url: \"redis://h?password=pw\"", "  url: \"redis://h?***********\""},
      {"  secert: hunter2", "  secert: *******"},
      {"  password: hunter2, and more", "  password: *****************"},
      {"  password: hunter2   # mine", "  password: ********* # mine"},
      {"store: {password: \"a\\\"b}\", secret: S3CRET, timeoutt: 5}",
       "store: {password: \"*****\", secret: ******, timeoutt: 5}"},
      {"  \"pasword\" : 'x y'", "  \"pasword\" : '***'"},
      {"  PASSWD: x", "  PASSWD: *"},
      {"  secrets: [one, two]", "  secrets: **********"},
      {"  password: \"open", "  password: \"****"},
      {"password:", "password:"},
  };
  for (const Case& c : cases) EXPECT_EQ(without_secrets(c.line), c.shown) << c.line;
}

TEST(WithoutSecrets, ShowsTheRest) {
  for (const std::string_view line :
       {"  - {name: client, key: [client], rate: 600/min}", "  secret: \"${env:WEIR_SECRET}\"",
        "  password: file:/run/secrets/redis", "  url: \"redis://redis:6379/0\"",
        "  url: \"redis://u:${env:P}@h/0\"", "", ":", "  match: [\"POST /v1/login\"]",
        "  tokens: 100", "  algorithm: token_bucket"}) {
    EXPECT_EQ(without_secrets(line), line);
  }
}

TEST(WithoutSecrets, AFindingPointsIntoALineWithoutThem) {
  const std::string_view source = "store: {password: hunter2, timeoutt: 5}\n";
  Finding finding;
  finding.at = {1, 28};
  finding.message = "unknown key";
  const std::string text = with_caret(finding, source);
  EXPECT_EQ(text.find("hunter2"), text.npos) << text;
  EXPECT_NE(text.find("password: *******, timeoutt: 5}"), text.npos) << text;
}

}  // namespace
}  // namespace weir::policy
