#include "identity/fields.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace weir::identity {
namespace {

std::string shown(std::optional<std::string_view> value) {
  return value ? "[" + std::string(*value) + "]" : "none";
}

TEST(Headers, AreFoundInAnyCaseAndTrimmed) {
  const std::vector<Field> headers{{"x-uSer", " \talice "}, {"X-Other", ""}};
  EXPECT_EQ(shown(single_header(headers, "X-User")), "[alice]");
  EXPECT_EQ(shown(single_header(headers, "x-other")), "[]");
  EXPECT_EQ(shown(single_header(headers, "x-none")), "none");
}

TEST(Headers, RepeatedAreMissing) {
  EXPECT_EQ(shown(single_header(std::vector<Field>{{"X-User", "a"}, {"x-user", "a"}}, "x-user")),
            "none");
}

TEST(Headers, WithUnderscoresAreNeverRead) {
  EXPECT_EQ(shown(single_header(std::vector<Field>{{"X_User", "a"}}, "x-user")), "none");
  EXPECT_EQ(shown(single_header(std::vector<Field>{{"x_user", "a"}}, "x_user")), "none");
  EXPECT_EQ(shown(single_header(std::vector<Field>{{"X_User", "a"}, {"X-User", "b"}}, "x-user")),
            "[b]");
}

TEST(QueryParameter, IsDecodedOnce) {
  struct Case {
    const char* target;
    const char* want;
  };
  const Case cases[] = {
      {"/x?key=abc", "[abc]"},
      {"/x?a=1&key=abc&b=2", "[abc]"},
      {"/x?key=a%20b+c", "[a b c]"},
      {"/x?key=%2541", "[%41]"},
      {"/x?k%65y=abc", "[abc]"},
      {"/x?key=", "[]"},
      {"/x?key", "[]"},
      {"/x?KEY=abc", "none"},
      {"/x?keys=abc", "none"},
      {"/x?ke=abc", "none"},
      {"/x", "none"},
      {"/x?", "none"},
      {"/x#?key=abc", "none"},
      {"/x?key=abc#&key=def", "[abc]"},
      {"/x?key=a&key=a", "none"},
      {"/x?key=a&k%65y=b", "none"},
      {"/x?key=a=b=c", "[a=b=c]"},
      {"/x?key=%zz", "none"},
      {"/x?key=%2", "none"},
      {"/x?key=a?b", "[a?b]"},
      {"/x?&&key=a&&", "[a]"},
  };
  for (const Case& c : cases) {
    std::array<char, 64> out;

    EXPECT_EQ(shown(query_parameter(c.target, "key", out)), c.want) << c.target;
  }
}

TEST(QueryParameter, LongerThanItsRoomIsMissing) {
  std::array<char, 4> out;
  EXPECT_EQ(shown(query_parameter("/x?k=%61bcd", "k", out)), "[abcd]");
  EXPECT_EQ(shown(query_parameter("/x?k=%61bcde", "k", out)), "none");
}

TEST(Cookie, ByNameFromAllCookieHeaders) {
  const auto get = [](const std::vector<Field>& headers) { return shown(cookie(headers, "sid")); };
  EXPECT_EQ(get({{"Cookie", "sid=abc"}}), "[abc]");
  EXPECT_EQ(get({{"cookie", "a=1; sid=abc; b=2"}}), "[abc]");
  EXPECT_EQ(get({{"Cookie", "a=1;sid=\"abc\" ;b"}}), "[abc]");
  EXPECT_EQ(get({{"Cookie", "a=1"}, {"Cookie", "sid=abc"}}), "[abc]");
  EXPECT_EQ(get({{"Cookie", "sid=a=b"}}), "[a=b]");
  EXPECT_EQ(get({{"Cookie", "sid="}}), "[]");
  EXPECT_EQ(get({{"Cookie", "SID=abc"}}), "none");
  EXPECT_EQ(get({{"Cookie", "xsid=abc; sid2=x"}}), "none");
  EXPECT_EQ(get({{"Cookie", "sid"}}), "none");
  EXPECT_EQ(get({{"Cookie", "sid=a; sid=a"}}), "none");
  EXPECT_EQ(get({{"Cookie", "sid=a"}, {"Cookie", "sid=b"}}), "none");
  EXPECT_EQ(get({}), "none");
}

TEST(Credentials, OfTheWantedScheme) {
  const std::string_view schemes[] = {"Bearer", "ApiKey"};
  const auto get = [&](const std::vector<Field>& headers) {
    return shown(credentials(headers, schemes));
  };
  EXPECT_EQ(get({{"Authorization", "Bearer abc"}}), "[abc]");
  EXPECT_EQ(get({{"authorization", "bEARER   abc "}}), "[abc]");
  EXPECT_EQ(get({{"Authorization", "apikey k"}}), "[k]");
  EXPECT_EQ(get({{"Authorization", "Basic abc"}}), "none");
  EXPECT_EQ(get({{"Authorization", "Bearer"}}), "none");
  EXPECT_EQ(get({{"Authorization", "Bearerabc"}}), "none");
  EXPECT_EQ(get({{"Authorization", "Bearer a"}, {"Authorization", "Bearer a"}}), "none");
}

}  // namespace
}  // namespace weir::identity
