// Sessions: the requests of one key with no pause of half an hour between them.
//
//   Sessions sessions(keys.size());
//   sessions.add(key, start_ns);        // in order of time
//   sessions.finish();
//
// A value. For one thread; a few nanoseconds a request.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace weir::traffic {

class Sessions {
 public:
  static constexpr std::int64_t kPause_ns = 1'800'000'000'000;

  explicit Sessions(std::size_t keys) : open_(keys) {}

  void add(std::uint32_t key, std::int64_t start_ns) {
    Session& s = open_[key];
    if (s.requests > 0 && start_ns - s.last_ns > kPause_ns) close(s);
    if (s.requests == 0) s.first_ns = start_ns;
    s.last_ns = start_ns;
    ++s.requests;
  }
  void finish() {
    for (Session& s : open_) {
      if (s.requests > 0) close(s);
    }
    std::sort(requests_.begin(), requests_.end());
    std::sort(lengths_ns_.begin(), lengths_ns_.end());
  }

  std::size_t count() const { return requests_.size(); }
  // Of all sessions: the least number of requests, and length, that half of them do not exceed.
  std::uint64_t median_requests() const { return middle(requests_); }
  std::int64_t median_length_ns() const { return middle(lengths_ns_); }

 private:
  struct Session {
    std::uint64_t requests = 0;
    std::int64_t first_ns = 0;
    std::int64_t last_ns = 0;
  };
  void close(Session& s) {
    requests_.push_back(s.requests);
    lengths_ns_.push_back(s.last_ns - s.first_ns);
    s = {};
  }
  template <typename T>
  static T middle(const std::vector<T>& sorted) {
    return sorted.empty() ? T{} : sorted[(sorted.size() - 1) / 2];
  }

  std::vector<Session> open_;
  std::vector<std::uint64_t> requests_;
  std::vector<std::int64_t> lengths_ns_;
};

}  // namespace weir::traffic
