#include "traffic/synthetic.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <string>
#include <vector>

namespace weir::traffic {
namespace {

constexpr double kNs = 1e9;
constexpr std::array<std::pair<Shape, std::string_view>, 8> kNames{{
    {Shape::poisson, "poisson"},
    {Shape::on_off, "on-off"},
    {Shape::diurnal, "diurnal"},
    {Shape::flash_crowd, "flash-crowd"},
    {Shape::retry_storm, "retry-storm"},
    {Shape::scraper, "scraper"},
    {Shape::nat_office, "nat-office"},
    {Shape::llm_chat, "llm-chat"},
}};

constexpr std::array<std::string_view, 6> kAgents{
    "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/126.0 Safari/537.36",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 14_5) AppleWebKit/605.1.15 Version/17.5 "
    "Safari/605.1.15",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148",
    "okhttp/4.12.0",
    "python-requests/2.32.3"};

class Generator {
 public:
  Generator(Events& events, const Synthetic& part, std::size_t index, Duration duration,
            std::uint64_t seed)
      : events_(events),
        part_(part),
        index_(index),
        length_(static_cast<double>(duration.ns) / kNs),
        random_(seed * 1'000'003 + index) {}

  void run() {
    switch (part_.shape) {
      case Shape::poisson:
        return thinned(1, [](double) { return 1.0; });
      case Shape::on_off:
        return on_off();
      case Shape::diurnal:
        return diurnal();
      case Shape::flash_crowd:
        return flash_crowd();
      case Shape::retry_storm:
        return retry_storm();
      case Shape::scraper:
        return scraper();
      case Shape::nat_office:
        return nat_office();
      case Shape::llm_chat:
        return llm_chat();
    }
  }

 private:
  double uniform() { return std::uniform_real_distribution<double>(0, 1)(random_); }
  double exponential(double mean) { return -mean * std::log1p(-uniform()); }
  // Of shape 1.5: its mean exists, its variance does not.
  double pareto(double mean) { return mean / 3 * std::pow(1 - uniform(), -1 / 1.5); }
  double normal() { return std::normal_distribution<double>()(random_); }
  std::uint32_t some_client() { return static_cast<std::uint32_t>(random_() % part_.clients); }

  // 10.x addresses: each part has 65,536 of its own.
  void address(std::uint32_t client) {
    client_ =
        fmt::format("10.{}.{}.{}", index_ * 4 + (client >> 16), client >> 8 & 255, client & 255);
  }
  void target() {
    const std::uint64_t dice = random_() % 100;
    method_ = dice < 90 ? "GET" : "POST";
    target_ = dice < 50   ? fmt::format("/items/{}", random_() % 1'000)
              : dice < 75 ? fmt::format("/search?q=word{}", random_() % 100)
              : dice < 90 ? fmt::format("/users/{}", random_() % 500)
                          : "/orders";
  }
  void write(double at, std::string_view agent, std::uint16_t status, double seconds) {
    if (at < 0 || at >= length_) return;
    record_.clear();
    record_.time_ns = kSyntheticStart_ns + static_cast<std::int64_t>(at * kNs);
    record_.duration_ns = static_cast<std::int64_t>(seconds * kNs);
    record_.client = client_;
    record_.method = method_;
    record_.target = target_;
    record_.user_agent = agent;
    record_.status = status;
    record_.bytes = 200 + random_() % 4'000;
    if (!key_.empty()) record_.add_header("x-api-key", key_);
    if (tokens_ > 0) record_.add_cost("tokens", tokens_);
    events_.add(record_, target_);
  }
  void ordinary(double at, std::uint32_t client) {
    address(client);
    target();
    write(at, kAgents[client % kAgents.size()], 200, 0.01 + exponential(0.04));
  }

  // Poisson arrivals at rate * share(t), share(t) at most `most` (Lewis and Shedler's thinning).
  template <typename F>
  void thinned(double most, F&& share) {
    for (double at = next(most); at < length_; at += next(most)) {
      if (uniform() * most < share(at)) ordinary(at, some_client());
    }
  }
  double next(double share) { return exponential(1 / (part_.rate * share)); }

  void diurnal() {
    thinned(1.8,
            [this](double at) { return 1 - 0.8 * std::cos(2 * std::numbers::pi * at / length_); });
  }

  // Busy for 10 s and idle for 50 s on average, so six times its mean rate while busy.
  void on_off() {
    const double rate = part_.rate / part_.clients * 6;
    for (std::uint32_t client = 0; client < part_.clients; ++client) {
      double at = -exponential(60);
      while (at < length_) {
        const double end = at + pareto(10);
        for (at += exponential(1 / rate); at < std::min(end, length_);
             at += exponential(1 / rate)) {
          ordinary(at, client);
        }
        at = end + pareto(50);
      }
    }
  }

  void flash_crowd() {
    const double begin = length_ / 3;
    const double fade = length_ / 6;
    const auto crowd = [&](double at) {
      return at < begin ? 0 : 9 * std::exp((begin - at) / fade);
    };
    for (double at = next(10); at < length_; at += next(10)) {
      const double dice = uniform() * 10;
      if (dice < 1) {
        ordinary(at, some_client());
      } else if (dice < 1 + crowd(at)) {  // they come once or twice
        ordinary(at, part_.clients + static_cast<std::uint32_t>(random_() % (part_.clients * 20)));
      }
    }
  }

  void retry_storm() {
    constexpr int kTries = 10;
    const double begin = length_ / 3;
    const double end = begin + length_ / 10;
    for (double at = next(1); at < length_; at += next(1)) {
      address(some_client());
      target();
      const std::string_view agent = kAgents[random_() % kAgents.size()];
      double again = at;
      for (int i = 0; i < kTries && again >= begin && again < end; ++i, again += 1) {
        write(again, agent, 503, 1);
      }
      if (again < begin || again >= end) write(again, agent, 200, 0.05);
    }
  }

  void scraper() {
    std::uint64_t page = 0;
    for (double at = next(1); at < length_; at += next(1)) {
      if (random_() % 5 != 0) {
        ordinary(at, some_client());
        continue;
      }
      address(part_.clients);
      method_ = "GET";
      target_ = fmt::format("/items/{}", page++);
      write(at, "catalogue-crawler/1.0", 200, 0.02);
    }
  }

  void nat_office() {
    for (double at = next(1); at < length_; at += next(1)) {
      const std::uint32_t client = some_client();
      client_ = fmt::format("192.0.2.{}", 1 + index_ % 250);
      key_ = fmt::format("office-{}-{}", index_, client);
      target();
      write(at, fmt::format("{} seat/{}", kAgents[client % kAgents.size()], client), 200, 0.05);
    }
    key_.clear();
  }

  // A turn of a chat takes 200 ms and 30 ms a token of the answer; then its reader thinks.
  void llm_chat() {
    const double every = part_.clients / part_.rate;  // of one client, from turn to turn
    for (std::uint32_t client = 0; client < part_.clients; ++client) {
      address(client);
      key_ = fmt::format("chat-{}-{}", index_, client);
      method_ = "POST";
      target_ = "/v1/chat/completions";
      double prompt = 0;
      for (double at = exponential(every); at < length_;) {
        prompt = prompt > 8'000 ? 0 : prompt;  // a new chat
        prompt += std::exp(4.5 + 0.8 * normal());
        const double answer = std::clamp(std::exp(5.0 + 0.9 * normal()), 1.0, 4'096.0);
        tokens_ = static_cast<std::uint64_t>(prompt + answer) + 1;
        const double taken = 0.2 + 0.03 * answer;
        write(at, "chat/1.0", 200, taken);
        prompt += answer;
        at += std::max(taken, exponential(every));
      }
    }
    tokens_ = 0;
    key_.clear();
  }

  Events& events_;
  const Synthetic& part_;
  const std::size_t index_;
  const double length_;  // seconds
  std::mt19937_64 random_;
  Record record_;
  std::string client_, method_, target_, key_;
  std::uint64_t tokens_ = 0;
};

}  // namespace

Result<Shape> parse_shape(std::string_view text) {
  std::string known;
  for (const auto& [shape, shape_name] : kNames) {
    if (shape_name == text) return shape;
    known += (known.empty() ? "" : ", ") + std::string(shape_name);
  }
  return Error{ErrorCode::invalid_argument,
               "'" + std::string(text) + "' is no shape of traffic: use one of " + known, ""};
}

std::string_view name(Shape shape) { return kNames[static_cast<std::size_t>(shape)].second; }

Events generate(std::span<const Synthetic> parts, Duration duration, std::uint64_t seed) {
  Events events;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Generator(events, parts[i], i, duration, seed).run();
  }
  events.sort();
  return events;
}

}  // namespace weir::traffic
