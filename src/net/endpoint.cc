#include "net/endpoint.h"

#include <sys/socket.h>

#include <boost/asio/io_context.hpp>
#include <charconv>

namespace weir::net {

namespace asio = boost::asio;
using boost::system::error_code;
using ReusePort = asio::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>;

namespace {

constexpr int kBacklog = 4096;

Error cannot_listen(const Endpoint& endpoint, const error_code& ec, std::string_view flag) {
  std::string message = "cannot listen on " + to_text(endpoint) + ": ";
  if (ec == asio::error::address_in_use) {
    message += "the address is in use; choose another with " + std::string(flag) +
               " ADDR:PORT (port 0 takes a free one)";
  } else {
    message += ec.message() + "; choose another with " + std::string(flag) + " ADDR:PORT";
  }
  return {ErrorCode::io, std::move(message), {}};
}

// Opens and binds. Closed again by its destructor on any error.
error_code bind(asio::ip::tcp::acceptor& acceptor, const Endpoint& endpoint, bool share_port) {
  error_code ec;
  acceptor.open(endpoint.protocol(), ec);
  if (!ec) acceptor.set_option(asio::socket_base::reuse_address(true), ec);
  if (!ec && share_port) acceptor.set_option(ReusePort(true), ec);
  if (!ec) acceptor.bind(endpoint, ec);
  return ec;
}

}  // namespace

Result<Endpoint> parse_endpoint(std::string_view text) {
  const auto wrong = [&] {
    return Error{ErrorCode::invalid_argument,
                 "`" + std::string(text) +
                     "` is no ADDR:PORT; write 127.0.0.1:8080, [::1]:8080 or 127.0.0.1:0",
                 {}};
  };
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return wrong();
  std::string_view host = text.substr(0, colon);
  const std::string_view port_text = text.substr(colon + 1);
  std::uint16_t port = 0;
  const auto [end, status] =
      std::from_chars(port_text.data(), port_text.data() + port_text.size(), port);
  if (status != std::errc() || end != port_text.data() + port_text.size()) return wrong();
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  if (host == "localhost") host = "127.0.0.1";
  error_code ec;
  const asio::ip::address address = asio::ip::make_address(std::string(host), ec);
  if (ec || address.is_v6() != bracketed) return wrong();
  return Endpoint(address, port);
}

std::string to_text(const Endpoint& endpoint) {
  const std::string host = endpoint.address().to_string();
  const std::string port = std::to_string(endpoint.port());
  return endpoint.address().is_v6() ? "[" + host + "]:" + port : host + ":" + port;
}

Result<asio::ip::tcp::acceptor> listen_on(asio::io_context& context, const Endpoint& endpoint,
                                          bool share_port, std::string_view flag) {
  asio::ip::tcp::acceptor acceptor(context);
  error_code ec = bind(acceptor, endpoint, share_port);
  if (!ec) acceptor.listen(kBacklog, ec);
  if (!ec) acceptor.non_blocking(true, ec);
  if (ec) return cannot_listen(endpoint, ec, flag);
  return acceptor;
}

Result<void> check_free(asio::io_context& context, const Endpoint& endpoint,
                        std::string_view flag) {
  asio::ip::tcp::acceptor acceptor(context);
  if (const error_code ec = bind(acceptor, endpoint, false)) {
    return cannot_listen(endpoint, ec, flag);
  }
  return {};
}

}  // namespace weir::net
