// The bytes of one connection, over TCP or TLS.
//
//   transport.connect([self](Failure f, const error_code& ec) { ... });
//   transport.read(space, handler);  transport.write(bytes, handler);
//
// Handlers run on the context's thread, never within the call that was given them; at most one read
// and one write at a time. After `close` pending handlers are called with an error. The buffers and
// the transport outlive their operations: a handler keeps its connection alive.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "redis/address.h"
#include "redis/error.h"
#include "redis/options.h"
#include "weir/result.h"

namespace weir::redis {

// The certificates of `options`, read once; a missing or wrong file is an error.
Result<std::unique_ptr<boost::asio::ssl::context>> make_tls(const Options& options);

class Transport {
 public:
  using ErrorCode = boost::system::error_code;
  // Without an error: connected, and encrypted where the URL says so.
  using Connected = std::function<void(Failure, const ErrorCode&)>;
  using Moved = std::function<void(const ErrorCode&, std::size_t)>;

  // `address` and `tls` outlive it; `tls` is null in the clear.
  Transport(boost::asio::io_context& context, const Address& address,
            boost::asio::ssl::context* tls);

  void connect(Connected handler);
  void read(std::span<char> space, Moved handler);
  void write(std::string_view bytes, Moved handler);
  void close();
  // Of an error that `connect` gave: also what is wrong with the server's certificate.
  std::string why(const ErrorCode& ec);
  // The other end has accepted; a handshake may be still to come.
  bool reached() const { return reached_; }

 private:
  using Tcp = boost::asio::ip::tcp;

  void resolved(const Tcp::resolver::results_type& found, Connected handler);
  void encrypt(Connected handler);

  const Address& address_;
  Tcp::resolver resolver_;
  Tcp::socket socket_;
  bool reached_ = false;
  std::optional<boost::asio::ssl::stream<Tcp::socket&>> tls_;
};

}  // namespace weir::redis
