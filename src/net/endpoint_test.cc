#include "net/endpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>

namespace weir::net {
namespace {

TEST(Endpoint, ReadsAddressAndPort) {
  for (const char* text : {"127.0.0.1:8080", "0.0.0.0:0", "[::1]:65535", "[::]:1"}) {
    const auto endpoint = parse_endpoint(text);
    ASSERT_TRUE(endpoint) << text;
    EXPECT_EQ(to_text(*endpoint), text);
  }
  EXPECT_EQ(to_text(*parse_endpoint("localhost:80")), "127.0.0.1:80");
}

TEST(Endpoint, RefusesWhatIsNone) {
  for (const char* text :
       {"", "8080", ":8080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "::1:80", "127.0.0.1:-1",
        "127.0.0.1:8x", "example.net:80", "[127.0.0.1]:80", "[::1:80"}) {
    const auto endpoint = parse_endpoint(text);
    ASSERT_FALSE(endpoint) << text;
    EXPECT_THAT(endpoint.error().message, testing::HasSubstr("ADDR:PORT"));
  }
}

TEST(ListenOn, SaysWhichAddressIsInUseAndHowToChangeIt) {
  boost::asio::io_context context;
  const Endpoint any = *parse_endpoint("127.0.0.1:0");
  const auto first = listen_on(context, any, true, "--listen");
  ASSERT_TRUE(first);
  const Endpoint taken = first->local_endpoint();
  const auto second = listen_on(context, taken, false, "--admin");
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().message, "cannot listen on " + to_text(taken) +
                                        ": the address is in use; choose another with --admin "
                                        "ADDR:PORT (port 0 takes a free one)");
  // Also where the other listener would let others share its port.
  EXPECT_FALSE(check_free(context, taken, "--listen"));
}

}  // namespace
}  // namespace weir::net
