// The C interface: weir_c.h over weir::Limiter. No exception leaves it.
#include "weir/weir_c.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <limits>
#include <string>

#include "weir/limiter.h"

struct weir_limiter {
  weir::Limiter limiter;
};

namespace {

using std::chrono::nanoseconds;

static_assert(WEIR_LEAKY_BUCKET == static_cast<int>(weir::Algorithm::leaky_bucket));
static_assert(WEIR_TABLE_FULL == static_cast<int>(weir::Reason::table_full));
static_assert(WEIR_COST_EXCEEDS_LIMIT == static_cast<int>(weir::Reason::cost_exceeds_limit));
static_assert(WEIR_ALIGN_FIRST == static_cast<int>(weir::Align::first));

weir::Error wrong(const char* what, const char* where) {
  return {weir::ErrorCode::invalid_argument, what, where};
}

// 292 years where it is longer; such a period is out of range anyway.
nanoseconds length(std::uint64_t ns) { return weir::Duration{ns}.to_chrono(); }

weir::Result<weir::Limit> limit_of(const weir_limit& l) {
  if (l.align != WEIR_ALIGN_EPOCH && l.align != WEIR_ALIGN_FIRST) {
    return wrong("is neither WEIR_ALIGN_EPOCH nor WEIR_ALIGN_FIRST", "align");
  }
  const auto align = static_cast<weir::Align>(l.align);
  const weir::Rate rate{l.count, length(l.period_ns)};
  switch (l.algorithm) {
    case WEIR_TOKEN_BUCKET:
      return weir::Limit(weir::TokenBucket{rate, l.burst == 0 ? l.count : l.burst});
    case WEIR_FIXED_WINDOW:
      return weir::Limit(weir::FixedWindow{l.count, rate.period, align});
    case WEIR_SLIDING_WINDOW:
      return weir::Limit(weir::SlidingWindow{l.count, rate.period, align});
    case WEIR_SLIDING_LOG:
      return weir::Limit(weir::SlidingLog{l.count, rate.period});
    case WEIR_LEAKY_BUCKET: {
      weir::LeakyBucket bucket{rate, l.queue};
      if (l.max_wait_ns != 0) bucket.max_wait = length(l.max_wait_ns);
      return weir::Limit(bucket);
    }
    default:
      return wrong("is none of enum weir_algorithm", "algorithm");
  }
}

weir::Result<weir_limiter*> create(const weir_limit& limit, const weir_options* options) {
  const weir::Result<weir::Limit> checked = limit_of(limit);
  if (!checked) return checked.error();
  weir::LimiterOptions chosen;
  if (options != nullptr && options->max_keys != 0) chosen.max_keys = options->max_keys;
  if (options != nullptr && options->deny_when_full != 0) chosen.on_full = weir::OnFull::deny;
  weir::Result<weir::Limiter> limiter = weir::Limiter::make(*checked, chosen);
  if (!limiter) return limiter.error();
  return new weir_limiter{std::move(*limiter)};
}

void say(const std::string& text, char* error, size_t error_size) {
  if (error == nullptr || error_size == 0) return;
  const size_t n = std::min(text.size(), error_size - 1);
  std::memcpy(error, text.data(), n);
  error[n] = '\0';
}

std::uint64_t count_ns(nanoseconds d) {
  return d == weir::LimitDecision::kNever ? WEIR_NEVER : static_cast<std::uint64_t>(d.count());
}

weir_decision decision(const weir::LimitDecision& d) {
  return {d.admit ? 1 : 0, static_cast<int>(d.reason), d.overflow ? 1 : 0,      d.limit,
          d.remaining,     count_ns(d.retry_after),    count_ns(d.reset_after), count_ns(d.delay)};
}

// An empty key may come with any pointer.
std::string_view key_of(const char* key, size_t length) {
  return length == 0 ? std::string_view() : std::string_view(key, length);
}

}  // namespace

weir_limiter* weir_limiter_create(const weir_limit* limit, const weir_options* options, char* error,
                                  size_t error_size) {
  if (limit == nullptr) {
    say("limit: is null", error, error_size);
    return nullptr;
  }
  try {
    const weir::Result<weir_limiter*> made = create(*limit, options);
    if (made) return *made;
    say(made.error().text(), error, error_size);
  } catch (const std::exception& e) {
    say(e.what(), error, error_size);
  }
  return nullptr;
}

void weir_limiter_destroy(weir_limiter* limiter) { delete limiter; }

weir_decision weir_limiter_charge(weir_limiter* limiter, const char* key, size_t length,
                                  uint64_t cost) {
  return decision(limiter->limiter.charge(key_of(key, length), cost));
}

weir_decision weir_limiter_peek(weir_limiter* limiter, const char* key, size_t length,
                                uint64_t cost) {
  return decision(limiter->limiter.peek(key_of(key, length), cost));
}

void weir_limiter_refund(weir_limiter* limiter, const char* key, size_t length, uint64_t cost) {
  limiter->limiter.refund(key_of(key, length), cost);
}

int weir_limiter_reset(weir_limiter* limiter, const char* key, size_t length) {
  return limiter->limiter.reset(key_of(key, length)) ? 1 : 0;
}

const char* weir_reason_name(int reason) {
  if (reason < 0 || reason > static_cast<int>(weir::Reason::store_failure)) return "unknown";
  return weir::name(static_cast<weir::Reason>(reason)).data();
}
