"""The law of docs/semantics.md once more, slow and in exact integers: decides a decision log again.

A second writing of the semantics in another language, sharing no code with weir. `Model.decide`
takes one line of the decision log (its limits with their numbers, costs and keys, and the instant
the store used) and returns what each limit must have said; `check` compares.
"""

import json

NEVER = 2**64 - 1


def ceil_div(a, b):
    return -(-a // b)


def known(ns):
    """A duration of the log: null stands for never."""
    return NEVER if ns is None else ns


class Said:
    """What one limit says of one request."""

    def __init__(self, admit, reason, limit, remaining, wait, reset, delay=0):
        self.admit = admit
        self.reason = reason
        self.limit = limit
        self.remaining = remaining
        self.wait = wait
        self.reset = reset
        self.delay = delay


class Bucket:
    """token_bucket and leaky_bucket: one instant, on a grid of k units a token."""

    def __init__(self, n):
        self.period = n["period_ns"]
        self.k = max(1, self.period // n["count"])
        self.m = n["count"] * self.k
        self.size = n["burst"]
        self.tat = 0

    def units(self, t):
        return t * self.m // self.period

    def used(self, now):
        return min(max(self.units(self.tat) - self.units(now), 0), self.size * self.k)

    def fits(self, now, cost):
        return self.used(now) + cost * self.k <= self.size * self.k

    def remaining(self, now):
        return (self.size * self.k - self.used(now)) // self.k

    def in_time(self, now, cost, allowed):
        """What requests of this cost take together until one would have to wait too long."""
        before, taken = self.tat, 0
        while self.fits(now, cost) and max(0, self.tat - now) <= allowed:
            self.charge(now, cost)
            taken += cost
        whole = self.fits(now, cost) is False and max(0, self.tat - now) <= allowed
        self.tat = before
        return self.size if whole else taken  # the bucket, not the time, is what stops them

    def wait(self, now, cost):
        need = self.units(now) + self.used(now) + cost * self.k - self.size * self.k
        return max(0, ceil_div(need * self.period, self.m) - now)

    def reset(self, now):
        return max(0, ceil_div((self.units(now) + self.used(now)) * self.period, self.m) - now) \
            if self.used(now) else 0

    def charge(self, now, cost):
        units = self.units(now) + self.used(now) + cost * self.k
        self.tat = ceil_div(units * self.period, self.m)


class Fixed:
    def __init__(self, n):
        self.window = n["period_ns"]
        self.size = n["count"]
        self.aligned = n["align"] == "epoch"
        self.start = None
        self.count = 0

    def roll(self, now, wall):
        if self.aligned:
            start = wall // self.window
            if self.start is None or start > self.start:
                self.start, self.count = start, 0
        elif self.start is not None and now - self.start >= self.window:
            self.start, self.count = None, 0

    def fits(self, cost):
        return self.count + cost <= self.size

    def left(self, now, wall):
        if self.aligned:
            return self.window - wall % self.window
        return self.window - (now - self.start if self.start is not None else 0)


class Sliding:
    """Windows one after another; the part of the last that still counts is strictly below its share.

    Times are on the limiter's own clock: the wall for `align: epoch`, else the steady one.
    """

    def __init__(self, n):
        self.window = n["period_ns"]
        self.size = n["count"]
        self.aligned = n["align"] == "epoch"
        self.start, self.current, self.previous = None, 0, 0

    def roll(self, t):
        if self.start is not None:
            behind = max(0, (t - self.start) // self.window)
            if behind > 0:
                self.previous, self.current = self.current if behind == 1 else 0, 0
            self.start += behind * self.window
        if self.current == 0 and self.previous == 0:  # nothing is counted: it starts afresh
            self.start = t - t % self.window if self.aligned else None

    def begin(self, t):
        return t - t % self.window if self.aligned else t if self.start is None else self.start

    def estimate(self, t, previous=None):
        previous = self.previous if previous is None else previous
        if previous == 0:
            return 0
        elapsed = (t - self.begin(t)) % self.window
        return ceil_div(previous * (self.window - elapsed), self.window) - 1

    def used(self, t):
        return self.estimate(t) + self.current

    def first(self, t, enough):
        """From t to the first instant with enough(share of the last window, count of this one)."""
        for n, (previous, current) in enumerate([(self.previous, self.current), (self.current, 0), (0, 0)]):
            low = max(t, self.begin(t) + n * self.window)
            high = self.begin(t) + (n + 1) * self.window - 1
            room = lambda x: enough(self.estimate(x, previous), current)
            if not room(high):
                continue
            if room(low):
                return low - t
            while low < high:
                middle = (low + high) // 2
                low, high = (low, middle) if room(middle) else (middle + 1, high)
            return low - t
        raise AssertionError("a cost within the limit fits within three windows")

    def wait(self, t, cost):
        return self.first(t, lambda share, current: share + current + cost <= self.size)

    def reset(self, t):
        """Until the estimate is 0 with nothing current."""
        return self.first(t, lambda share, current: share + current == 0)


class Log:
    def __init__(self, n):
        self.window = n["period_ns"]
        self.size = n["count"]
        self.entries = []

    def roll(self, now):
        self.entries = [(t, c) for t, c in self.entries if now - t < self.window]

    def used(self):
        return sum(c for _, c in self.entries)

    def wait(self, now, cost):
        """Until enough of the oldest entries have left."""
        used, wait = self.used(), 0
        for t, c in self.entries:
            if used + cost <= self.size:
                break
            used -= c
            wait = t + self.window - now
        return wait


class Model:
    def __init__(self):
        self.counters = {}

    def counter(self, limit):
        key = (limit["slot"], limit["key"])
        if key not in self.counters:
            kind = {"token_bucket": Bucket, "leaky_bucket": Bucket, "fixed_window": Fixed,
                    "sliding_window": Sliding, "sliding_log": Log}[limit["algorithm"]]
            self.counters[key] = kind(limit)
        return self.counters[key]

    def look(self, counter, limit, now, wall, cost):
        """(fits, remaining, wait for cost, reset) of a counter as it is."""
        if isinstance(counter, Bucket):
            counter.size = limit["burst"]
            delay = max(0, counter.tat - now) if limit["algorithm"] == "leaky_bucket" else 0
            allowed = min(known(limit.get("max_wait_ns")), known(limit.get("max_delay_ns")))
            wait, remaining = counter.wait(now, cost), counter.remaining(now)
            if delay > allowed:
                wait, remaining = max(wait, delay - allowed), 0
            elif (limit["algorithm"] == "leaky_bucket" and cost <= counter.size
                  and allowed < NEVER):
                remaining = min(remaining, counter.in_time(now, max(cost, 1), allowed))
            return (counter.fits(now, cost) and delay <= allowed, remaining, wait,
                    counter.reset(now), delay)
        counter.size = limit["count"]
        if isinstance(counter, Fixed):
            counter.roll(now, wall)
            left = counter.left(now, wall)
            return (counter.fits(cost), max(0, counter.size - counter.count),
                    0 if counter.fits(cost) else left, left, 0)
        if isinstance(counter, Sliding):
            own = wall if counter.aligned else now
            counter.roll(own)
            used = counter.used(own)
            return (used + cost <= counter.size, max(0, counter.size - used),
                    counter.wait(own, cost), counter.reset(own), 0)
        counter.roll(now)
        reset = counter.entries[-1][0] + counter.window - now if counter.entries else 0
        return (counter.used() + cost <= counter.size, max(0, counter.size - counter.used()),
                counter.wait(now, cost), reset, 0)

    def charge(self, counter, now, wall, cost):
        if isinstance(counter, Bucket):
            counter.charge(now, cost)
        elif isinstance(counter, Fixed):
            if counter.start is None:
                counter.start = wall // counter.window if counter.aligned else now
            counter.count += cost
        elif isinstance(counter, Sliding):
            counter.start = counter.begin(wall if counter.aligned else now)
            counter.current += cost
        else:
            counter.entries.append((now, cost))

    def limit_size(self, limit):
        return limit["burst"] if "bucket" in limit["algorithm"] else limit["count"]

    def decide(self, line, after=True):
        """[Said] for the limits of one decision; charges what an exact limiter would.

        Without `after` an admission says what was there before its charge.
        """
        now, wall = line["now_ns"], line["now_ns"] + line["wall_offset_ns"]
        looks = []
        for limit in line["limits"]:
            counter, size, cost = self.counter(limit), self.limit_size(limit), limit["cost"]
            if cost > size:
                asked = cost if isinstance(counter, Bucket) else 0
                _, remaining, _, reset, _ = self.look(counter, limit, now, wall, asked)
                looks.append(Said(False, "cost_exceeds_limit", size, remaining, NEVER, reset))
                continue
            fits, remaining, wait, reset, delay = self.look(counter, limit, now, wall, cost)
            reason = "admitted" if fits else "limit_exceeded"
            looks.append(Said(fits, reason, size, remaining, wait, reset, delay if fits else 0))
        admit = all(s.admit for s, l in zip(looks, line["limits"]) if l["mode"] == "enforce")
        if admit and not line["peek"]:
            for i, (said, limit) in enumerate(zip(looks, line["limits"])):
                if not said.admit:
                    continue
                counter = self.counter(limit)
                self.charge(counter, now, wall, limit["cost"])
                if not after:
                    continue
                _, remaining, wait, reset, _ = self.look(counter, limit, now, wall, limit["cost"])
                looks[i] = Said(True, "admitted", said.limit, remaining, wait, reset, said.delay)
        return admit, looks


def governing(line, admit, said):
    """The index of the limit that the answer's single-limit fields speak of, or None."""
    enforced = [i for i, l in enumerate(line["limits"]) if l["mode"] == "enforce"]
    if not enforced:
        return None
    if not admit:
        denying = [i for i in enforced if not said[i].admit]
        return max(denying, key=lambda i: (said[i].wait, -i))
    costs = [l["cost"] for l in line["limits"]]
    return min(enforced, key=lambda i: (said[i].remaining // costs[i], -said[i].reset, i))


def seconds_up(ns):
    return ceil_div(ns, 10**9)


def published_window(limit):
    if "bucket" in limit["algorithm"]:
        return max(1, seconds_up(ceil_div(limit["burst"] * limit["period_ns"], limit["count"])))
    return max(1, seconds_up(limit["period_ns"]))


def effective_window(limit, said):
    """`t` of the RateLimit field, in whole seconds."""
    if limit["algorithm"] == "fixed_window":
        return seconds_up(said.reset)
    if said.remaining > 0 and said.admit:
        return max(1, ceil_div(said.remaining * published_window(limit), said.limit))
    if said.remaining > 0 and said.wait == 0:
        return max(1, ceil_div(said.remaining * published_window(limit), said.limit))
    return max(1, seconds_up(said.wait))


def check(path):
    """Decides a whole decision log again. Returns (decisions, [differences])."""
    model, wrong, count = Model(), [], 0
    with open(path) as lines:
        for number, text in enumerate(lines, 1):
            line = json.loads(text)
            if any(l.get("overflow") for l in line["limits"]):
                raise AssertionError("the model does not know the overflow counter")
            count += 1
            admit, said = model.decide(line)
            if admit != line["admit"]:
                wrong.append(f"{path}:{number}: admit {line['admit']}, the model says {admit}")
            for limit, s in zip(line["limits"], said):
                for field, expected in (("admit", s.admit), ("reason", s.reason), ("limit", s.limit),
                                        ("remaining", s.remaining), ("wait_ns", s.wait),
                                        ("reset_ns", s.reset), ("delay_ns", s.delay)):
                    if known(limit[field]) != expected:
                        wrong.append(f"{path}:{number}: {limit['name']}.{field} is {limit[field]}, "
                                     f"the model says {expected}")
    return count, wrong
