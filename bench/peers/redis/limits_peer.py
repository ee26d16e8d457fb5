"""limits over redis-py: PORT DECISIONS LIMITS, from one caller (it is synchronous), over 10,000 keys.

Prints seconds and the 50th and 99th percentile of a decision as JSON.
"""

import json
import random
import sys
import time

from limits import RateLimitItemPerHour
from limits.storage import RedisStorage
from limits.strategies import FixedWindowRateLimiter

port, decisions, limits = map(int, sys.argv[1:4])
limiter = FixedWindowRateLimiter(RedisStorage(f"redis://127.0.0.1:{port}/0"))
items = [RateLimitItemPerHour(1_000_000 + i) for i in range(limits)]
rng, times = random.Random(1), []
begin = time.perf_counter()
for _ in range(decisions):
    key = f"k{rng.randrange(10_000)}"
    start = time.perf_counter()
    for item in items:
        assert limiter.hit(item, key)
    times.append((time.perf_counter() - start) * 1e6)
seconds = time.perf_counter() - begin
times.sort()
print(json.dumps({"seconds": seconds, "p50_us": times[len(times) // 2],
                  "p99_us": times[len(times) * 99 // 100]}))
