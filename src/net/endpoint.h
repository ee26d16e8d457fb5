// Where to listen: "127.0.0.1:8080", "[::1]:8080", "localhost:0" (port 0: a free one).
//
// Numeric addresses and `localhost` only: a name server has no say in where a server listens.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <string>
#include <string_view>

#include "weir/result.h"

namespace weir::net {

using Endpoint = boost::asio::ip::tcp::endpoint;

Result<Endpoint> parse_endpoint(std::string_view text);
std::string to_text(const Endpoint& endpoint);

// A listening socket. With `share_port` other sockets of this process may join it, and the kernel
// spreads connections over them. `flag` is the option that changes the address, for the message
// when it is taken ("--listen").
Result<boost::asio::ip::tcp::acceptor> listen_on(boost::asio::io_context& context,
                                                 const Endpoint& endpoint, bool share_port,
                                                 std::string_view flag);

// Fails when somebody listens there already, another process that shares ports included.
Result<void> check_free(boost::asio::io_context& context, const Endpoint& endpoint,
                        std::string_view flag);

}  // namespace weir::net
