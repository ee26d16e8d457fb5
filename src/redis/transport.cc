#include "redis/transport.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <utility>

namespace weir::redis {

namespace asio = boost::asio;
namespace ssl = boost::asio::ssl;
using asio::ip::tcp;

namespace {

Error unreadable(const std::string& key, const std::string& file,
                 const boost::system::error_code& ec) {
  return {weir::ErrorCode::io, file + ": " + ec.message(), "store.tls." + key};
}

bool is_address(const std::string& host) {
  boost::system::error_code ec;
  asio::ip::make_address(host, ec);
  return !ec;
}

}  // namespace

Result<std::unique_ptr<ssl::context>> make_tls(const Options& options) {
  auto tls = std::make_unique<ssl::context>(ssl::context::tls_client);
  boost::system::error_code ec;
  SSL_CTX_set_min_proto_version(tls->native_handle(), TLS1_2_VERSION);
  tls->set_verify_mode(ssl::verify_peer, ec);
  if (options.tls_ca.empty()) {
    tls->set_default_verify_paths(ec);
    if (ec) return unreadable("ca", "the system's certificates", ec);
  } else {
    tls->load_verify_file(options.tls_ca, ec);
    if (ec) return unreadable("ca", options.tls_ca, ec);
  }
  if (options.tls_cert.empty()) return tls;
  tls->use_certificate_chain_file(options.tls_cert, ec);
  if (ec) return unreadable("cert", options.tls_cert, ec);
  tls->use_private_key_file(options.tls_key, ssl::context::pem, ec);
  if (ec) return unreadable("key", options.tls_key, ec);
  if (SSL_CTX_check_private_key(tls->native_handle()) != 1) {
    return Error{weir::ErrorCode::invalid_argument, "it is not the key of the certificate",
                 "store.tls.key"};
  }
  return tls;
}

Transport::Transport(asio::io_context& context, const Address& address, ssl::context* tls)
    : address_(address), resolver_(context), socket_(context) {
  if (tls != nullptr) tls_.emplace(socket_, *tls);
}

void Transport::connect(Connected handler) {
  const std::string port = std::to_string(address_.port);
  if (is_address(address_.host)) {
    boost::system::error_code ec;
    const tcp::endpoint endpoint(asio::ip::make_address(address_.host, ec), address_.port);
    return resolved(tcp::resolver::results_type::create(endpoint, address_.host, port),
                    std::move(handler));
  }
  resolver_.async_resolve(address_.host, port,
                          [this, handler = std::move(handler)](
                              const ErrorCode& ec, const tcp::resolver::results_type& found) {
                            if (ec) return handler(Failure::unreachable, ec);
                            resolved(found, handler);
                          });
}

void Transport::resolved(const tcp::resolver::results_type& found, Connected handler) {
  asio::async_connect(
      socket_, found,
      [this, handler = std::move(handler)](const ErrorCode& ec, const tcp::endpoint&) {
        if (ec) return handler(Failure::unreachable, ec);
        reached_ = true;
        ErrorCode ignored;
        socket_.set_option(tcp::no_delay(true), ignored);
        socket_.set_option(asio::socket_base::keep_alive(true), ignored);
        if (tls_) return encrypt(handler);
        handler({}, {});
      });
}

void Transport::encrypt(Connected handler) {
  SSL* const session = tls_->native_handle();
  const char* const host = address_.host.c_str();
  const bool expects =
      is_address(address_.host)
          ? X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session), host) == 1
          : SSL_set1_host(session, host) == 1 && SSL_set_tlsext_host_name(session, host) == 1;
  if (!expects) {  // rather no connection than one to whoever answers
    asio::post(socket_.get_executor(), [handler = std::move(handler)] {
      handler(Failure::tls, asio::error::make_error_code(asio::error::invalid_argument));
    });
    return;
  }
  tls_->async_handshake(
      ssl::stream_base::client,
      [handler = std::move(handler)](const ErrorCode& failed) { handler(Failure::tls, failed); });
}

std::string Transport::why(const ErrorCode& ec) {
  const long found = tls_ ? SSL_get_verify_result(tls_->native_handle()) : X509_V_OK;
  const std::string text = ec.message();
  return found == X509_V_OK ? text : text + ": " + X509_verify_cert_error_string(found);
}

void Transport::read(std::span<char> space, Moved handler) {
  const auto buffer = asio::buffer(space.data(), space.size());
  if (tls_) return tls_->async_read_some(buffer, std::move(handler));
  socket_.async_read_some(buffer, std::move(handler));
}

void Transport::write(std::string_view bytes, Moved handler) {
  const auto buffer = asio::buffer(bytes.data(), bytes.size());
  if (tls_) return asio::async_write(*tls_, buffer, std::move(handler));
  asio::async_write(socket_, buffer, std::move(handler));
}

// Without TLS' farewell: it would be one more thing to wait for, and a cut reply is seen as such.
void Transport::close() {
  resolver_.cancel();
  ErrorCode ignored;
  socket_.close(ignored);
}

}  // namespace weir::redis
