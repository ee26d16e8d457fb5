// For tests: a proxy before a Redis that delays, drops, cuts or replaces what the server says.
//
//   FaultProxy proxy(server.port());
//   proxy.set({.drop = true});
//
// A thread of its own; connections to it live until it or either end closes. Thread-safe.
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace weir::redis::testing {

struct Fault {
  std::chrono::milliseconds delay{0};
  bool drop = false;         // replies are swallowed, the connection stays
  bool cut = false;          // half of each reply, then the connection is closed
  std::string instead = {};  // sent in place of each reply
};

class FaultProxy {
 public:
  explicit FaultProxy(int server_port);
  ~FaultProxy();
  FaultProxy(const FaultProxy&) = delete;

  int port() const { return port_; }
  void set(const Fault& fault);

 private:
  using Time = std::chrono::steady_clock::time_point;
  struct Late {
    Time due;
    std::string bytes;
  };
  struct Pair {
    int client = -1;
    int server = -1;
    std::vector<Late> late;
  };

  void run();
  void accept();
  bool forward(Pair& pair);                    // client to server; false: over
  bool reply(Pair& pair, const Fault& fault);  // server to client
  bool send_due(Pair& pair);

  int server_port_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  Fault fault_;
  std::vector<Pair> pairs_;
  std::thread thread_;
};

}  // namespace weir::redis::testing
