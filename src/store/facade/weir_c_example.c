/* A C program's use of weir, compiled as C: returns 0 when every answer is right, else its line. */
#include <string.h>

#include "weir/weir_c.h"

#define MUST(condition)                \
  do {                                 \
    if (!(condition)) return __LINE__; \
  } while (0)

int weir_c_example(void);

int weir_c_example(void) {
  const weir_limit limit = {
      .algorithm = WEIR_TOKEN_BUCKET, .count = 1, .period_ns = 3600000000000u, .burst = 3};
  char why[256];
  weir_limiter* limiter = weir_limiter_create(&limit, NULL, why, sizeof why);
  MUST(limiter != NULL);

  weir_decision d = weir_limiter_charge(limiter, "user:42", 7, 2);
  MUST(d.admit == 1 && d.limit == 3 && d.remaining == 1 && d.retry_after_ns == 0);
  MUST(d.reason == WEIR_ADMITTED && d.overflow == 0);
  d = weir_limiter_peek(limiter, "user:42", 7, 1);
  MUST(d.admit == 1 && d.remaining == 1);
  d = weir_limiter_charge(limiter, "user:42", 7, 2);
  MUST(d.admit == 0 && d.reason == WEIR_LIMIT_EXCEEDED);
  MUST(d.retry_after_ns > 3599000000000u && d.retry_after_ns <= 3600000000000u);
  MUST(strcmp(weir_reason_name(d.reason), "limit_exceeded") == 0);
  d = weir_limiter_charge(limiter, "user:42", 7, 4);
  MUST(d.admit == 0 && d.reason == WEIR_COST_EXCEEDS_LIMIT && d.retry_after_ns == WEIR_NEVER);

  weir_limiter_refund(limiter, "user:42", 7, 2);
  d = weir_limiter_peek(limiter, "user:42", 7, 3);
  MUST(d.admit == 1 && d.remaining == 3);
  d = weir_limiter_charge(limiter, "user:43", 7, 3);
  MUST(d.admit == 1);
  MUST(weir_limiter_reset(limiter, "user:43", 7) == 1);
  MUST(weir_limiter_reset(limiter, "user:43", 7) == 0);
  d = weir_limiter_charge(limiter, NULL, 0, 3);
  MUST(d.admit == 1);
  weir_limiter_destroy(limiter);
  weir_limiter_destroy(NULL);
  return 0;
}
