// A user's project: weir::redis with a policy of 2 requests a minute and address, in memory, in a
// Redis that is there (redis-server, where it is installed) and in one that is not.
#include <weir/redis.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <string>

namespace {

bool check(bool holds, const char* what) {
  if (!holds) std::printf("FAILED: %s\n", what);
  return holds;
}

weir::Verdict decide(const weir::RedisEngine& engine, bool peek = false) {
  std::promise<weir::Verdict> promise;
  engine.decide({.method = "GET", .target = "/", .client_ip = "203.0.113.7", .peek = peek},
                [&](weir::Verdict verdict) { promise.set_value(std::move(verdict)); });
  return promise.get_future().get();
}

bool admits_two(const weir::RedisEngine& engine, const char* where) {
  bool good = true;
  for (int i = 0; i < 2; ++i) good &= check(decide(engine).admit(), where);
  const weir::Verdict third = decide(engine);
  good &= check(!third.admit() && !third.degraded(), where);
  return good & check(engine.answer(third).status == 429, where);
}

// Free a moment ago.
int free_port() {
  const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ::bind(fd, reinterpret_cast<sockaddr*>(&address), size);
  ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  ::close(fd);
  return ntohs(address.sin_port);
}

pid_t start_redis(int port) {
  const std::string text = std::to_string(port);
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::execlp("redis-server", "redis-server", "--bind", "127.0.0.1", "--port", text.c_str(),
             "--save", "", "--appendonly", "no", "--logfile", "/dev/null", nullptr);
    ::_exit(127);
  }
  return pid;
}

bool runs(pid_t pid) { return ::waitpid(pid, nullptr, WNOHANG) == 0; }

// A Redis that was just started, or there is no redis-server.
bool answers(const weir::RedisEngine& engine, pid_t redis) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (decide(engine, true).degraded()) {
    if (!runs(redis)) return false;
    if (std::chrono::steady_clock::now() > end) return true;  // what follows fails
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::puts("usage: consumer POLICY");
    return 2;
  }
  auto memory = weir::RedisEngine::open(argv[1]);
  if (!memory) {
    std::puts(memory.error().text().c_str());
    return 1;
  }
  bool good = admits_two(*memory, "in memory two are admitted and the third is not");

  char folder[] = "/tmp/weir-consumer-XXXXXX";
  if (::mkdtemp(folder) == nullptr) return 1;
  const std::string path = std::string(folder) + "/policy.yaml";
  const int port = free_port();
  std::ofstream(path) << "version: 1\nstore: {type: redis, timeout: 1s, url: \"redis://127.0.0.1:"
                      << port << "\"}\nlimits: [{name: a, key: [ip], algorithm: fixed_window, "
                      << "align: first, limit: 2, window: 1h, on_store_failure: closed}]\n";
  auto redis = weir::RedisEngine::open(path);
  std::filesystem::remove_all(folder);
  if (!redis) {
    std::puts(redis.error().text().c_str());
    return 1;
  }
  const weir::Verdict away = decide(*redis);
  good &= check(away.degraded() && away.status() == 503, "without a Redis: closed");
  const pid_t server = start_redis(port);
  if (answers(*redis, server)) {
    good &= admits_two(*redis, "in a Redis two are admitted and the third is not");
    ::kill(server, SIGKILL);
    ::waitpid(server, nullptr, 0);
  } else {
    std::puts("no redis-server: not tried with one");
  }
  return good ? 0 : 1;
}
