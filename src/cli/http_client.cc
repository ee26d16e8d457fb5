#include "cli/http_client.h"

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <charconv>
#include <chrono>

namespace weir::cli {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;

constexpr auto kPatience = std::chrono::seconds(5);

Error io(const Url& server, std::string_view doing, const beast::error_code& ec) {
  return {ErrorCode::io, std::string("cannot ") + std::string(doing) + ": " + ec.message(),
          server.host + ":" + server.port};
}

http::request<http::string_body> request_of(const Url& server, std::string_view target,
                                            std::string_view json) {
  const bool v6 = server.host.find(':') != std::string::npos;
  http::request<http::string_body> request(http::verb::post, std::string(target), 11);
  request.set(http::field::host, (v6 ? "[" + server.host + "]" : server.host) + ":" + server.port);
  request.set(http::field::content_type, "application/json");
  request.set(http::field::user_agent, "weir");
  request.body() = json;
  request.prepare_payload();
  request.keep_alive(true);
  return request;
}

}  // namespace

Result<Url> Url::parse(std::string_view text) {
  std::string_view rest = text;
  const auto bad = [&](std::string_view why) {
    return Error{
        ErrorCode::invalid_argument,
        "`" + std::string(text) + "` " + std::string(why) + "; write it as http://127.0.0.1:8080",
        ""};
  };
  if (rest.substr(0, 7) == "http://") {
    rest.remove_prefix(7);
  } else if (rest.find("://") != std::string_view::npos) {
    return bad("is not an http:// URL");
  }
  if (!rest.empty() && rest.back() == '/') rest.remove_suffix(1);
  if (rest.empty() || rest.find_first_of("/?#@ ") != std::string_view::npos) {
    return bad("is not the URL of a server");
  }
  Url url;
  std::size_t port_at = rest.rfind(':');
  if (rest.front() == '[') {
    const std::size_t end = rest.find(']');
    if (end == std::string_view::npos) return bad("has no `]`");
    url.host = rest.substr(1, end - 1);
    if (end + 1 == rest.size()) return url;
    if (rest[end + 1] != ':') return bad("is not the URL of a server");
    port_at = end + 1;
  } else {
    url.host = rest.substr(0, port_at);
  }
  if (port_at != std::string_view::npos) url.port = rest.substr(port_at + 1);
  if (url.host.empty() || url.port.empty() ||
      url.port.find_first_not_of("0123456789") != std::string::npos) {
    return bad("is not the URL of a server");
  }
  // The resolver would take a larger one modulo 65,536.
  unsigned port = 0;
  const auto [end, ec] = std::from_chars(url.port.data(), url.port.data() + url.port.size(), port);
  if (ec != std::errc{} || port < 1 || port > 65'535) return bad("has no port of 1 to 65535");
  return url;
}

// Asynchronous steps, each run to its end: Beast applies its timeout to those only.
class HttpConnection::Stream {
 public:
  explicit Stream(const Url& server) : server_(server), stream_(context_) {}
  ~Stream() {
    beast::error_code ec;
    stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_both, ec);
  }

  Result<void> connect() {
    asio::ip::tcp::resolver resolver(context_);
    beast::error_code ec;
    const auto addresses = resolver.resolve(server_.host, server_.port, ec);
    if (ec) return io(server_, "resolve the name", ec);
    step([&](auto done) { stream_.async_connect(addresses, done); }, ec);
    if (ec) return io(server_, "connect", ec);
    stream_.socket().set_option(asio::ip::tcp::no_delay(true), ec);
    return {};
  }

  Result<HttpReply> ask(const http::request<http::string_body>& request) {
    beast::error_code ec;
    step([&](auto done) { http::async_write(stream_, request, done); }, ec);
    if (ec) return io(server_, "send the request", ec);
    http::response<http::string_body> response;
    step([&](auto done) { http::async_read(stream_, buffer_, response, done); }, ec);
    if (ec) return io(server_, "read the answer", ec);
    // Beast moves the message into its parser, and back once it is read.
    open_ = response.keep_alive();                  // NOLINT(clang-analyzer-cplusplus.Move)
    const unsigned status = response.result_int();  // NOLINT(clang-analyzer-cplusplus.Move)
    return HttpReply{status, std::move(response.body())};
  }

  bool open() const { return open_; }

 private:
  template <typename Start>
  void step(Start start, beast::error_code& ec) {
    stream_.expires_after(kPatience);
    start([&ec](const beast::error_code& result, auto&&...) { ec = result; });
    context_.restart();
    context_.run();
  }

  const Url& server_;
  asio::io_context context_{1};
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  bool open_ = true;
};

HttpConnection::HttpConnection(Url server) : server_(std::move(server)) {}
HttpConnection::~HttpConnection() = default;

Result<HttpReply> HttpConnection::post(std::string_view target, std::string_view json) {
  try {
    if (stream_ == nullptr) {
      stream_ = std::make_unique<Stream>(server_);
      if (auto connected = stream_->connect(); !connected) {
        stream_.reset();
        return connected.error();
      }
    }
    auto reply = stream_->ask(request_of(server_, target, json));
    if (!reply || !stream_->open()) stream_.reset();
    return reply;
  } catch (const std::exception& e) {
    stream_.reset();
    return Error{ErrorCode::io, e.what(), server_.host};
  }
}

Result<HttpReply> post(const Url& server, std::string_view target, std::string_view json) {
  return HttpConnection(server).post(target, json);
}

}  // namespace weir::cli
