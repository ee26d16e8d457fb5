#include "traffic/format/field_map.h"

#include <gtest/gtest.h>

namespace weir::traffic {
namespace {

TEST(FieldMap, SaysWhichNameIsWhichField) {
  const auto fields = parse_field_map(
      "end_time_ms=ts,client=request.remote_ip,cost.tokens=usage.total,header.X-Api-Key=key");
  ASSERT_TRUE(fields) << fields.error().message;
  ASSERT_EQ(fields->size(), 4u);
  EXPECT_EQ((*fields)[0].name, "ts");
  EXPECT_EQ((*fields)[0].spec.kind, FieldKind::time_number);
  EXPECT_EQ((*fields)[0].spec.unit_ns, 1'000'000);
  EXPECT_TRUE((*fields)[0].spec.time_is_end);
  EXPECT_EQ((*fields)[1].name, "request.remote_ip");
  EXPECT_EQ((*fields)[1].spec.kind, FieldKind::client);
  EXPECT_EQ((*fields)[2].spec.kind, FieldKind::cost);
  EXPECT_EQ((*fields)[2].spec.name, "tokens");
  EXPECT_EQ((*fields)[3].spec.kind, FieldKind::header);
  EXPECT_EQ((*fields)[3].spec.name, "x-api-key");
}

struct Wrong {
  const char* text;
  const char* says;
};

TEST(FieldMap, SaysWhatIsWrongAndWhatToDo) {
  for (const Wrong& wrong : {
           Wrong{"", "does not say which name"},
           Wrong{"time=", "does not say which name"},
           Wrong{"time=ts,", "does not say which name"},
           Wrong{"time=ts,clinet=ip", "did you mean 'client'?"},
           Wrong{"time=ts,header.=x", "there is no field 'header.'"},
           Wrong{"client=ip", "add time=NAME"},
       }) {
    const auto fields = parse_field_map(wrong.text);
    ASSERT_FALSE(fields) << wrong.text;
    EXPECT_EQ(fields.error().where, "--fields");
    EXPECT_NE(fields.error().message.find(wrong.says), std::string::npos)
        << wrong.text << ": " << fields.error().message;
  }
}

TEST(AnyTime, IsSeenByItsForm) {
  const FieldSpec any{FieldKind::time_any};
  constexpr std::int64_t kExpected = 1'525'046'400'000'000'000;
  for (const char* text :
       {"2018-04-30T00:00:00Z", "2018-04-30 00:00:00", "1525046400", "1525046400.000",
        "1525046400000", "1525046400000000", "1525046400000000000", "[29/Apr/2018:22:00:00 -0200]",
        "30/Apr/2018:00:00:00 +0000", "2018/04/30 00:00:00"}) {
    Record record;
    CommonTime common;
    FieldSink sink(record);
    EXPECT_EQ(sink.put(any, text, common), "") << text;
    EXPECT_EQ(record.time_ns, kExpected) << text;
  }
}

}  // namespace
}  // namespace weir::traffic
