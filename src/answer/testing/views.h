// Views for tests: a limit of each kind, requests admitted and denied at 2026-11-30T15:31:31Z.
#pragma once

#include <string>
#include <string_view>

#include "answer/answer.h"
#include "answer/view.h"

namespace weir::answer::testing {

inline constexpr std::uint64_t kUnixNow = 1'796'052'691;

inline LimitView limit(std::string_view name, std::uint64_t quota, Duration window,
                       std::uint64_t remaining, Algorithm algorithm = Algorithm::token_bucket) {
  LimitView l;
  l.name = name;
  l.unit = "requests";
  l.algorithm = algorithm;
  l.quota = quota;
  l.window = window;
  l.outcome.limit = quota;
  l.outcome.remaining = remaining;
  return l;
}

// `wait` until the cost fits; a fixed window ends then.
inline LimitView denied(LimitView l, Duration wait, Reason reason = Reason::limit_exceeded) {
  l.outcome.admit = false;
  l.outcome.reason = reason;
  l.outcome.wait = wait;
  if (l.algorithm == Algorithm::fixed_window) l.outcome.reset = wait;
  return l;
}

inline LimitView ends_in(LimitView l, Duration reset) {
  l.outcome.reset = reset;
  return l;
}

inline View view_of(const policy::Response& response) {
  View v;
  v.response = &response;
  v.now = {Instant{5'000'000'000},
           static_cast<std::int64_t>(kUnixNow * 1'000'000'000) - 5'000'000'000};
  return v;
}

// Adds a limit as the decider does: the verdict follows, the longest wait governs a denial, the
// smallest remaining/cost an admission.
inline void add(View& v, const LimitView& l) {
  const std::size_t at = v.count++;
  v.verdicts[at] = l;
  v.verdicts[at].file_order = static_cast<std::uint16_t>(at);
  const auto headroom = [](const LimitView& x) {
    return x.cost == 0 ? ~std::uint64_t{0} : x.outcome.remaining / x.cost;
  };
  if (l.outcome.admit) {
    if (!v.admit) return;
    if (v.governing >= at || headroom(l) < headroom(v.verdicts[v.governing])) v.governing = at;
    return;
  }
  if (v.admit || l.outcome.wait > v.retry_after) {
    v.governing = at;
    v.retry_after = l.outcome.wait;
    v.reason = l.outcome.reason;
  }
  v.admit = false;
  v.status = 429;
}

inline const Header* find(const Answer& answer, std::string_view name) {
  for (const Header& h : answer.headers) {
    if (h.name == name) return &h;
  }
  return nullptr;
}

inline std::string value(const Answer& answer, std::string_view name) {
  const Header* h = find(answer, name);
  return h == nullptr ? "(absent)" : std::string(h->value);
}

}  // namespace weir::answer::testing
