// The processor time that Redis spends on a decision: the script beside what Redis does at best.
//
//   build/.../redis_script_bench [--json]
//
// One redis-server, one connection, everything from one run, interleaved; medians of the rounds:
//   get       GET, 32 to a write, as redis-benchmark -P 32
//   lean      EVALSHA of a GCRA script with an integer reply, 32 to a write
//   one       a batch of 32 requests of one limit, in one EVALSHA
//   four      a batch of 32 requests of four limits
// The time is that of the server's process, in user space and in system calls. The keys are as many
// for each, and all of them live.
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "redis/batch.h"
#include "redis/testing/redis_process.h"

namespace weir::redis {
namespace {

using testing::RedisClient;
using testing::RedisProcess;
using testing::Reply;

constexpr std::size_t kKeys = 10'000;
constexpr std::size_t kBatch = 32;
constexpr std::size_t kWrites = 300;

// As lean as one limit in one script can be: floating microseconds, no metadata.
constexpr std::string_view kLean = R"(
local t = redis.call('TIME')
local now = t[1] * 1000000 + t[2]
local tat = tonumber(redis.call('GET', KEYS[1]) or now)
if tat < now then tat = now end
local after = tat + ARGV[1]
if after - now > ARGV[2] + 0 then return -1 end
redis.call('SET', KEYS[1], string.format('%.0f', after), 'PX', math.ceil((after - now) / 1000))
return 1
)";

double server_ns(pid_t pid) {
  clockid_t clock{};
  timespec used{};
  if (::clock_getcpuclockid(pid, &clock) != 0 || ::clock_gettime(clock, &used) != 0) std::abort();
  return static_cast<double>(used.tv_sec) * 1e9 + static_cast<double>(used.tv_nsec);
}

struct Work {
  const char* name;
  std::function<void(std::string&)> write;  // one write
  std::size_t replies;                      // to it
  std::size_t decisions;
  std::vector<double> us;
};

class Bench {
 public:
  Bench() {
    (void)client_.text({"SCRIPT", "LOAD", charge_script().text});
    lean_ = client_.text({"SCRIPT", "LOAD", kLean});
    for (std::size_t i = 0; i < kKeys; ++i) {
      (void)client_.text({"SET", "get:" + std::to_string(i), "value", "PX", "10000000"});
    }
    // Ten seconds a charge, so that nothing expires meanwhile.
    for (const std::uint64_t most : {900'000u, 800'000u, 700'000u, 600'000u}) {
      numbers_.push_back(*algo::make_token_bucket(6, minutes(1), most));
    }
  }

  void run(int rounds, bool json) {
    std::vector<Work> works;
    works.push_back({"get", [this](std::string& out) { gets(out); }, kBatch, kBatch, {}});
    works.push_back({"lean", [this](std::string& out) { leans(out); }, kBatch, kBatch, {}});
    works.push_back({"one", [this](std::string& out) { requests(out, 1); }, 1, kBatch, {}});
    works.push_back({"four", [this](std::string& out) { requests(out, 4); }, 1, kBatch, {}});
    for (Work& work : works) (void)measure(work);  // warm
    for (int i = 0; i < rounds; ++i) {
      for (Work& work : works) work.us.push_back(measure(work));
    }
    for (Work& work : works) std::sort(work.us.begin(), work.us.end());
    if (json) return write_json(works);
    const double lean = works[1].us[works[1].us.size() / 2];
    for (const Work& work : works) {
      const double us = work.us[work.us.size() / 2];
      std::printf("%-5s %7.3f us a decision  %5.2f x lean  (%.3f to %.3f)\n", work.name, us,
                  us / lean, work.us.front(), work.us.back());
    }
  }

 private:
  static void write_json(const std::vector<Work>& works) {
    const char* before = "{";
    for (const Work& work : works) {
      std::printf("%s\"%s\": %.4f", before, work.name, work.us[work.us.size() / 2]);
      before = ", ";
    }
    std::printf("}\n");
  }

  double measure(Work& work) {
    std::vector<std::string> writes(kWrites);
    for (std::string& bytes : writes) work.write(bytes);
    const double before = server_ns(server_.pid());
    for (const std::string& bytes : writes) {
      client_.send(bytes);
      for (std::size_t i = 0; i < work.replies; ++i) {
        const Reply reply = client_.read();
        if (!reply || reply->type == REDIS_REPLY_ERROR) {
          std::fprintf(stderr, "%s: %s\n", work.name, reply ? reply->str : "no reply");
          std::exit(1);
        }
      }
    }
    return (server_ns(server_.pid()) - before) / 1'000 /
           static_cast<double>(kWrites * work.decisions);
  }

  static void append(std::string& out, const std::vector<std::string>& words) {
    out += "*" + std::to_string(words.size()) + "\r\n";
    for (const std::string& word : words) {
      out += "$" + std::to_string(word.size()) + "\r\n" + word + "\r\n";
    }
  }
  std::string key(std::string_view kind) {
    return std::string(kind) + ":" + std::to_string(random_() % kKeys);
  }
  void gets(std::string& out) {
    for (std::size_t i = 0; i < kBatch; ++i) append(out, {"GET", key("get")});
  }
  void leans(std::string& out) {
    for (std::size_t i = 0; i < kBatch; ++i) {
      append(out, {"EVALSHA", lean_, "1", key("lean"), "10000000", "9000000000000"});
    }
  }
  void requests(std::string& out, std::size_t limits) {
    Batch batch;
    for (std::size_t i = 0; i < kBatch; ++i) {
      std::vector<store::Charge> charges(limits);
      for (std::size_t j = 0; j < limits; ++j) {
        charges[j].key = {j, random_() % (kKeys / limits)};
        charges[j].numbers = &numbers_[j];
      }
      batch.add(charges, false);
    }
    batch.append_eval(out, charge_script(), "weir", true, std::nullopt);
  }

  RedisProcess server_;
  RedisClient client_{server_.port()};
  std::string lean_;
  std::vector<algo::Numbers> numbers_;
  std::mt19937_64 random_{1};
};

}  // namespace
}  // namespace weir::redis

int main(int argc, char** argv) {
  constexpr int kRounds = 9;
  const bool json = argc > 1 && std::string_view(argv[1]) == "--json";
  weir::redis::Bench().run(kRounds, json);
}
