// A blocking HTTP client for tests: sends any bytes, reads whole answers. Gives up after 10 s.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weir::net::testing {

// 0 where it is none.
inline std::size_t number(std::string_view digits) {
  std::size_t n = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), n);
  return n;
}

struct Reply {
  int status = 0;
  std::vector<std::pair<std::string, std::string>> fields;
  std::string body;

  std::optional<std::string> field(std::string_view name) const {
    for (const auto& [n, v] : fields) {
      if (n == name) return v;
    }
    return std::nullopt;
  }
};

class HttpClient {
 public:
  explicit HttpClient(std::uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
    const timeval limit{10, 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    ::setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    const int on = 1;
    ::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(fd_, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0;
  }
  ~HttpClient() { ::close(fd_); }
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  bool connected() const { return connected_; }
  int fd() const { return fd_; }

  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t n = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (n <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
  }
  void end_sending() { ::shutdown(fd_, SHUT_WR); }

  // nullopt: the connection ended, or nothing came for 10 s.
  std::optional<Reply> read(bool head = false) {
    std::size_t end = 0;
    while ((end = buffer_.find("\r\n\r\n")) == std::string::npos) {
      if (!fill()) return std::nullopt;
    }
    Reply reply;
    std::string_view text(buffer_.data(), end + 2);
    std::size_t length = 0;
    bool first = true;
    while (!text.empty()) {
      const std::string_view line = text.substr(0, text.find("\r\n"));
      text.remove_prefix(line.size() + 2);
      if (std::exchange(first, false)) {
        reply.status = static_cast<int>(number(line.substr(9, 3)));
        continue;
      }
      const std::size_t colon = line.find(": ");
      if (colon == std::string_view::npos) return std::nullopt;
      reply.fields.emplace_back(line.substr(0, colon), line.substr(colon + 2));
      if (reply.fields.back().first == "Content-Length") {
        length = number(reply.fields.back().second);
      }
    }
    if (head || reply.status == 100) length = 0;
    buffer_.erase(0, end + 4);
    while (buffer_.size() < length) {
      if (!fill()) return std::nullopt;
    }
    reply.body = buffer_.substr(0, length);
    buffer_.erase(0, length);
    return reply;
  }
  std::optional<Reply> ask(std::string_view request) {
    if (!send(request)) return std::nullopt;
    return read();
  }
  // The other end closed, with nothing more to read.
  bool closed() { return buffer_.empty() && !fill() && end_; }

 private:
  bool fill() {
    char bytes[16384];
    const ssize_t n = ::recv(fd_, bytes, sizeof bytes, 0);
    end_ = n == 0;
    if (n <= 0) return false;
    buffer_.append(bytes, static_cast<std::size_t>(n));
    return true;
  }

  int fd_;
  bool connected_ = false;
  bool end_ = false;
  std::string buffer_;
};

}  // namespace weir::net::testing
