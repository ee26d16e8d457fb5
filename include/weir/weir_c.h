/* weir for C, and for what can call C: a limit in this process, any number of keys.
 *
 *   weir_limit limit = {.algorithm = WEIR_TOKEN_BUCKET, .count = 10, .period_ns = 1000000000,
 *                       .burst = 20};
 *   char why[256];
 *   weir_limiter *limiter = weir_limiter_create(&limit, NULL, why, sizeof why);
 *   weir_decision d = weir_limiter_charge(limiter, "user:42", 7, 1);
 *   if (!d.admit) sleep_ns(d.retry_after_ns);
 *   weir_limiter_destroy(limiter);
 *
 * The same rules as limiter.h, which has the words. Times are nanoseconds; WEIR_NEVER stands for
 * never. Thread-safe, except weir_limiter_destroy; no function allocates but _create. A key is
 * `length` bytes of any value, and is not kept. No function accepts a null limiter except _destroy.
 */
#ifndef WEIR_WEIR_C_H
#define WEIR_WEIR_C_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WEIR_NEVER UINT64_MAX

enum weir_algorithm {
  WEIR_TOKEN_BUCKET = 1,
  WEIR_FIXED_WINDOW = 2,
  WEIR_SLIDING_WINDOW = 3,
  WEIR_SLIDING_LOG = 4,
  WEIR_LEAKY_BUCKET = 5
};

enum weir_align { WEIR_ALIGN_EPOCH = 0, WEIR_ALIGN_FIRST = 1 };

enum weir_reason {
  WEIR_ADMITTED = 0,
  WEIR_LIMIT_EXCEEDED = 1,
  WEIR_COST_EXCEEDS_LIMIT = 2,
  WEIR_TABLE_FULL = 5
};

typedef struct weir_limit {
  int algorithm;        /* enum weir_algorithm */
  int align;            /* fixed_window, sliding_window: enum weir_align */
  uint64_t count;       /* a bucket's rate is count in period_ns; a window's limit is count */
  uint64_t period_ns;   /* or the window */
  uint64_t burst;       /* token_bucket; 0: count */
  uint64_t queue;       /* leaky_bucket */
  uint64_t max_wait_ns; /* leaky_bucket; 0: as long as the queue takes */
} weir_limit;

typedef struct weir_options {
  uint64_t max_keys;  /* 0: 1,000,000 */
  int deny_when_full; /* 0: keys without a place share a counter */
} weir_options;

typedef struct weir_decision {
  int admit;    /* 1 or 0 */
  int reason;   /* enum weir_reason */
  int overflow; /* 1: counted in the counter that keys without a place share */
  uint64_t limit;
  uint64_t remaining;
  uint64_t retry_after_ns; /* 0 if admitted */
  uint64_t reset_after_ns;
  uint64_t delay_ns; /* leaky_bucket, admitted: wait this long, then go on */
} weir_decision;

typedef struct weir_limiter weir_limiter;

/* Null where the numbers or the memory cannot be had; then `error` (if not null) says why, cut to
 * `error_size` bytes with its final zero. `options` may be null. */
weir_limiter* weir_limiter_create(const weir_limit* limit, const weir_options* options, char* error,
                                  size_t error_size);
/* Null is allowed. No other call on it may be under way. */
void weir_limiter_destroy(weir_limiter* limiter);

weir_decision weir_limiter_charge(weir_limiter* limiter, const char* key, size_t length,
                                  uint64_t cost);
weir_decision weir_limiter_peek(weir_limiter* limiter, const char* key, size_t length,
                                uint64_t cost);
void weir_limiter_refund(weir_limiter* limiter, const char* key, size_t length, uint64_t cost);
/* 1 if the key had used anything. */
int weir_limiter_reset(weir_limiter* limiter, const char* key, size_t length);

/* The word for a reason, as documents and JSON have it; a constant. */
const char* weir_reason_name(int reason);

#ifdef __cplusplus
}
#endif

#endif
