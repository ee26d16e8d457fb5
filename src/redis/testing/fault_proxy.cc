#include "redis/testing/fault_proxy.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

namespace weir::redis::testing {
namespace {

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return address;
}

bool send_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

bool readable(int fd) {
  pollfd p{fd, POLLIN, 0};
  return ::poll(&p, 1, 0) > 0;
}

}  // namespace

FaultProxy::FaultProxy(int server_port) : server_port_(server_port) {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0) std::abort();
  ::listen(listener_, 16);
  ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { run(); });
}

FaultProxy::~FaultProxy() {
  stop_ = true;
  thread_.join();
  for (const Pair& pair : pairs_) {
    ::close(pair.client);
    ::close(pair.server);
  }
  ::close(listener_);
}

void FaultProxy::set(const Fault& fault) {
  const std::lock_guard lock(mutex_);
  fault_ = fault;
}

void FaultProxy::run() {
  while (!stop_) {
    std::vector<pollfd> fds{{listener_, POLLIN, 0}};
    for (const Pair& pair : pairs_) {
      fds.push_back({pair.client, POLLIN, 0});
      fds.push_back({pair.server, POLLIN, 0});
    }
    ::poll(fds.data(), fds.size(), 1);
    Fault fault;
    {
      const std::lock_guard lock(mutex_);
      fault = fault_;
    }
    if (readable(listener_)) accept();
    for (auto pair = pairs_.begin(); pair != pairs_.end();) {
      const bool lives = (!readable(pair->client) || forward(*pair)) &&
                         (!readable(pair->server) || reply(*pair, fault)) && send_due(*pair);
      if (lives) {
        ++pair;
        continue;
      }
      ::close(pair->client);
      ::close(pair->server);
      pair = pairs_.erase(pair);
    }
  }
}

void FaultProxy::accept() {
  Pair pair;
  pair.client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  pair.server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = loopback(server_port_);
  if (::connect(pair.server, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    ::close(pair.client);
    ::close(pair.server);
    return;
  }
  const int yes = 1;
  ::setsockopt(pair.client, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  ::setsockopt(pair.server, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  pairs_.push_back(std::move(pair));
}

bool FaultProxy::forward(Pair& pair) {
  char bytes[16 * 1024];
  const ssize_t n = ::recv(pair.client, bytes, sizeof bytes, 0);
  return n > 0 && send_all(pair.server, {bytes, static_cast<std::size_t>(n)});
}

bool FaultProxy::reply(Pair& pair, const Fault& fault) {
  char bytes[16 * 1024];
  const ssize_t n = ::recv(pair.server, bytes, sizeof bytes, 0);
  if (n <= 0) return false;
  if (fault.drop) return true;
  if (!fault.instead.empty()) return send_all(pair.client, fault.instead);
  if (fault.cut) {
    send_all(pair.client, {bytes, static_cast<std::size_t>(n) / 2});
    return false;
  }
  pair.late.push_back({std::chrono::steady_clock::now() + fault.delay,
                       std::string(bytes, static_cast<std::size_t>(n))});
  return true;
}

bool FaultProxy::send_due(Pair& pair) {
  const Time now = std::chrono::steady_clock::now();
  while (!pair.late.empty() && pair.late.front().due <= now) {
    if (!send_all(pair.client, pair.late.front().bytes)) return false;
    pair.late.erase(pair.late.begin());
  }
  return true;
}

}  // namespace weir::redis::testing
