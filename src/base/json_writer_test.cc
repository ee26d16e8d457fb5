#include "base/json_writer.h"

#include <gtest/gtest.h>

namespace weir::base {
namespace {

std::string escaped(std::string_view text) {
  std::string out;
  append_json_text(out, text);
  return out;
}

TEST(JsonWriter, PutsCommasBetweenMembersAndElementsOnly) {
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  json.member("admit", true);
  json.member("name", "a\"b");
  json.member("count", std::uint64_t{18'446'744'073'709'551'615u});
  json.key("list");
  json.begin_array();
  json.begin_object();
  json.end_object();
  json.value(std::string("x"));
  json.value(std::uint16_t{7});
  json.null();
  json.raw("{\"raw\":1}");
  json.begin_array();
  json.end_array();
  json.end_array();
  json.key("text");
  json.begin_text();
  json.text("in ");
  json.digits(3);
  json.text(" \"s\"");
  json.end_text();
  json.member("last", false);
  json.end_object();
  EXPECT_EQ(out, R"({"admit":true,"name":"a\"b","count":18446744073709551615,)"
                 R"("list":[{},"x",7,null,{"raw":1},[]],"text":"in 3 \"s\"","last":false})");
}

TEST(JsonWriter, EscapesToAscii) {
  struct Case {
    const char* name;
    std::string_view in;
    const char* out;
  };
  const Case cases[] = {
      {"plain", "abc ~", "abc ~"},
      {"empty", "", ""},
      {"quote and backslash", "\"\\", R"(\"\\)"},
      {"controls", std::string_view("\0\n\x1f\x7f", 4), R"(\u0000\u000a\u001f\u007f)"},
      {"two bytes", "\xc3\xa9", R"(\u00e9)"},
      {"three bytes", "\xe2\x82\xac", R"(\u20ac)"},
      {"four bytes: a surrogate pair", "\xf0\x9f\x9a\x80", R"(\ud83d\ude80)"},
      {"the last code point", "\xf4\x8f\xbf\xbf", R"(\udbff\udfff)"},
      {"beyond it", "\xf4\x90\x80\x80", R"(\ufffd\ufffd\ufffd\ufffd)"},
      {"overlong", "\xc0\xaf", R"(\ufffd\ufffd)"},
      {"overlong in three", "\xe0\x80\xaf", R"(\ufffd\ufffd\ufffd)"},
      {"a surrogate", "\xed\xa0\x80", R"(\ufffd\ufffd\ufffd)"},
      {"cut off", "a\xe2\x82", R"(a\ufffd\ufffd)"},
      {"a lone continuation", "\x80z", R"(\ufffdz)"},
  };
  for (const Case& c : cases) EXPECT_EQ(escaped(c.in), c.out) << c.name;
}

}  // namespace
}  // namespace weir::base
