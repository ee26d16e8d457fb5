#include "cli/request.h"

#include <gtest/gtest.h>

namespace weir::cli {
namespace {

Result<RequestSpec> parse(const Arguments& args) {
  Options options("check", "", {"weir check"});
  RequestOptions request(options);
  if (options.parse(args)) return Error{ErrorCode::invalid_argument, "usage", ""};
  return request.spec();
}

TEST(Request, ReadsTheOptionsOfACommand) {
  const auto spec = parse({"--method", "POST", "--path", "/x?y=1", "--client-ip", "::1", "--header",
                           "A: b: c", "--header", "D:", "--attribute", "service=billing", "--cost",
                           "points=3", "--cost", "2k", "--peek", "--stage", "pre"});
  ASSERT_TRUE(spec) << spec.error().text();
  EXPECT_EQ(spec->method, "POST");
  EXPECT_EQ(spec->headers, (RequestSpec::Pairs{{"A", "b: c"}, {"D", ""}}));
  EXPECT_EQ(spec->attributes, (RequestSpec::Pairs{{"service", "billing"}}));
  EXPECT_EQ(spec->costs[0], (std::pair<std::string, std::uint64_t>{"points", 3}));
  EXPECT_EQ(spec->costs[1], (std::pair<std::string, std::uint64_t>{"", 2'000}));
  EXPECT_TRUE(spec->peek);
  EXPECT_EQ(spec->stage, identity::StageFilter::pre_auth);
}

TEST(Request, RefusesWhatItCannotRead) {
  for (const Arguments& args : std::vector<Arguments>{{"--header", ": x"},
                                                      {"--header", "A b: x"},
                                                      {"--header", "A: b\r\nC: d"},
                                                      {"--header", "A: b\nC: d"},
                                                      {"--header", "A\n: b"},
                                                      {"--path", ""},
                                                      {"--attribute", "x"},
                                                      {"--cost", "points="},
                                                      {"--cost", "-1"},
                                                      {"--method", "G T"},
                                                      {"--method", ""},
                                                      {"--client-ip", "1.2.3"}}) {
    const auto spec = parse(args);
    ASSERT_FALSE(spec) << args[1];
    EXPECT_EQ(spec.error().text().find_first_of("\r\n"), std::string::npos) << args[1];
  }
}

TEST(Request, BindsViewsThatOutliveTheSpec) {
  auto bound = [] {
    RequestSpec spec;
    spec.path = "/a-path-that-is-longer-than-a-small-string";
    spec.headers.emplace_back("X-Api-Key", "k");
    spec.client_ip = "192.0.2.1";
    return BoundRequest::bind(spec);
  }();
  ASSERT_TRUE(bound);
  const BoundRequest moved = std::move(*bound);
  EXPECT_EQ(moved.facts().target, "/a-path-that-is-longer-than-a-small-string");
  EXPECT_EQ(moved.facts().headers[0].value, "k");
  EXPECT_TRUE(moved.facts().client.has_value());
}

TEST(Request, WritesTheBodyOfACheck) {
  RequestSpec spec;
  spec.client_ip = "192.0.2.1";
  spec.headers.emplace_back("X-Api-Key", "a\"b");
  spec.costs.emplace_back("points", 3);
  spec.peek = true;
  EXPECT_EQ(check_body(spec),
            R"({"method":"GET","path":"/","client_ip":"192.0.2.1","headers":{"X-Api-Key":"a\"b"},)"
            R"("cost":{"points":3},"peek":true})");
}

}  // namespace
}  // namespace weir::cli
