#include "redis/testing/redis_process.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace weir::redis::testing {
namespace {

bool is_free(int port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  const bool free = ::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  ::close(fd);
  return free;
}

// Below what the system gives to connections, and from another place for each process: a port that
// another test takes between the look and the start would answer in the place of ours.
int find_free_port() {
  constexpr int kFirst = 12'000;
  constexpr int kPorts = 20'000;
  static int next = static_cast<int>(::getpid() * 61L % kPorts);
  for (int tries = 0; tries < kPorts; ++tries) {
    next = (next + 1) % kPorts;
    if (is_free(kFirst + next)) return kFirst + next;
  }
  return 0;
}

[[noreturn]] void run_server(int port, const std::vector<std::string>& options,
                             const std::string& file) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int quiet = ::open("/dev/null", O_RDWR);
  ::dup2(quiet, STDOUT_FILENO);
  std::vector<std::string> words{
      "redis-server", "--port", std::to_string(port), "--bind", "127.0.0.1",
      "--save",       "",       "--appendonly",       "no",     "--dir",
      "/tmp"};
  // None that somebody left there is read.
  words.insert(words.end(), {"--dbfilename", "weir-" + std::to_string(port) + ".rdb"});
  words.insert(words.end(), options.begin(), options.end());
  if (!file.empty()) words.insert(words.begin() + 1, file);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execvp(argv[0], argv.data());
  ::_exit(127);
}

}  // namespace

RedisProcess::RedisProcess(const std::vector<std::string>& options, int port,
                           const std::string& file)
    : options_(options), file_(file), port_(port) {
  for (int tries = 0; tries < 5; ++tries) {
    if (port == 0) port_ = find_free_port();
    if (start()) return;
    kill();
  }
  std::fprintf(stderr, "no redis-server: install Debian's redis-server\n");
  std::abort();
}

int RedisProcess::free_port() { return find_free_port(); }

void RedisProcess::restart() {
  kill();
  for (int tries = 0; tries < 5; ++tries) {
    if (start()) return;
    kill();
  }
  std::fprintf(stderr, "redis-server did not start again\n");
  std::abort();
}

bool RedisProcess::start() {
  pid_ = ::fork();
  if (pid_ == 0) run_server(port_, options_, file_);
  for (int i = 0; i < 2'000; ++i) {
    if (::waitpid(pid_, nullptr, WNOHANG) != 0) {
      pid_ = -1;
      return false;
    }
    redisContext* context = redisConnect("127.0.0.1", port_);
    const bool up = context != nullptr && context->err == 0;
    if (context != nullptr) redisFree(context);
    if (up) return true;
    ::poll(nullptr, 0, 5);
  }
  return false;
}

void RedisProcess::kill() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

RedisClient::RedisClient(int port) : context_(redisConnect("127.0.0.1", port)) {}

void RedisClient::send(std::string_view bytes) {
  redisAppendFormattedCommand(context_.get(), bytes.data(), bytes.size());
}

void RedisClient::send(const std::vector<std::string_view>& words) {
  std::vector<const char*> argv;
  std::vector<std::size_t> sizes;
  for (const std::string_view word : words) {
    argv.push_back(word.data());
    sizes.push_back(word.size());
  }
  redisAppendCommandArgv(context_.get(), static_cast<int>(words.size()), argv.data(), sizes.data());
}

Reply RedisClient::read() {
  void* reply = nullptr;
  if (redisGetReply(context_.get(), &reply) != REDIS_OK) return nullptr;
  return Reply(static_cast<redisReply*>(reply));
}

Reply RedisClient::command(const std::vector<std::string_view>& words) {
  send(words);
  return read();
}

std::string RedisClient::text(const std::vector<std::string_view>& words) {
  const Reply reply = command(words);
  if (!reply) return "(no reply)";
  if (reply->type == REDIS_REPLY_INTEGER) return std::to_string(reply->integer);
  return reply->str == nullptr ? "" : std::string(reply->str, reply->len);
}

long long RedisClient::integer(const std::vector<std::string_view>& words) {
  const Reply reply = command(words);
  return reply && reply->type == REDIS_REPLY_INTEGER ? reply->integer : -1'000'000;
}

}  // namespace weir::redis::testing
