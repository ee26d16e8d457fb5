/* A user's project in C: weir::limiter by weir_c.h, linked by a C compiler. */
#include <weir/weir_c.h>

#include <inttypes.h>
#include <stdio.h>

int main(void) {
  weir_limit limit = {.algorithm = WEIR_TOKEN_BUCKET, .count = 10, .period_ns = 1000000000,
                      .burst = 20};
  char why[256];
  weir_limiter *limiter = weir_limiter_create(&limit, NULL, why, sizeof why);
  if (limiter == NULL) {
    fprintf(stderr, "%s\n", why);
    return 2;
  }
  int admitted = 0;
  for (int i = 0; i < 25; ++i) admitted += weir_limiter_charge(limiter, "user:42", 7, 1).admit;
  weir_decision d = weir_limiter_peek(limiter, "user:42", 7, 20);
  printf("%d admitted; 20 more in %" PRIu64 " ns\n", admitted, d.retry_after_ns);
  weir_limiter_destroy(limiter);
  return admitted >= 20 ? 0 : 1;
}
