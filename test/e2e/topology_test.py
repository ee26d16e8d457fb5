"""One limit over several processes, in a Redis that Sentinels watch and in a cluster; and what is
lost, at most, when a primary is."""

import json
import signal
import threading

import stack
from redis_test import Fleet, storm
from topology import Cluster, Sentinels, lines, replicated, text

LIMIT = 1000
CLOSED = "algorithm: fixed_window, window: 365d, on_store_failure: closed"


def policy(url, *limits, timeout="10s"):
    store = f"{{type: redis, url: \"{url}\", secret: \"0123456789abcdef\", timeout: {timeout}}}"
    return (f"version: 1\ninstances: 3\nstore: {store}\ntiers: {{t: {{}}}}\nlimits:\n" +
            "".join(f"  - {{{limit}, {CLOSED}}}\n" for limit in limits))


class Load:
    """Asks without end, from `connections` at once, each with a pause after every answer; counts."""

    def __init__(self, fleet, connections, callers=1, pause=0.0):
        self.done, self.pause = threading.Event(), pause
        self.admitted, self.degraded = [0] * connections, [0] * connections
        self.threads = [threading.Thread(target=self.work, args=(fleet, i, callers))
                        for i in range(connections)]
        for t in self.threads:
            t.start()

    def work(self, fleet, i, callers):
        client = stack.Client(fleet.weirs[i % len(fleet.weirs)].port)
        n = 0
        while not self.done.wait(self.pause):
            ip = f"203.0.113.{(i + n) % callers + 1}"
            n += 1
            body = json.dumps({"method": "GET", "path": "/", "client_ip": ip})
            status, _, answer = client.ask("POST", "/v1/check", {"Content-Type": "application/json"}, body)
            assert status == 200, answer
            verdict = json.loads(answer)
            self.admitted[i] += verdict["admit"]
            self.degraded[i] += verdict["degraded"]
        client.close()

    def total(self):
        return sum(self.admitted)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.done.set()
        for t in self.threads:
            t.join()


def peeked(weir):
    client = stack.Client(weir.port)
    body = json.dumps({"method": "GET", "path": "/", "client_ip": "203.0.113.1", "peek": True})
    verdict = json.loads(client.ask("POST", "/v1/check", {}, body)[2])
    client.close()
    return verdict


def counted(weir):
    """The store, not a failure, answers."""
    return not peeked(weir)["degraded"]


def denied_for_good(fleet):
    """The store, not a failure, denies."""
    verdict = peeked(fleet.weirs[0])
    return not verdict["admit"] and not verdict["degraded"]


def lose_primary(fleet, primary_of, replicas, end=stack.Redis.kill, then=lambda primary: None):
    """The primary ends under load: at most what was admitted since the last state known to be
    replicated is admitted once more."""
    with Load(fleet, 6, pause=0.02) as load:
        stack.wait_until(lambda: load.total() >= 200, "some to be admitted")
        known = load.total()
        primary = primary_of()
        replicated(primary, replicas)
        stack.wait_until(lambda: load.total() >= known + 50, "more to be admitted")
        end(primary)
        at_most = load.total() + 6  # of each connection, one that was on its way
        then(primary)
        stack.wait_until(lambda: denied_for_good(fleet), "the new primary to run out")
    lost = at_most - known
    # And no less than the limit, but for what may have been charged and got no verdict.
    least = LIMIT - sum(load.degraded)
    assert least <= load.total() <= LIMIT + lost, f"{load.total()} admitted, {lost} unreplicated"
    return load


def test_sentinel_three_processes_admit_exactly_the_limit():
    with stack.folder() as folder, Sentinels() as redis:
        with Fleet(folder, policy(redis.url, f"name: a, key: [ip], limit: {LIMIT}"), 3) as fleet:
            fleet.wait_until_counted()
            assert storm(fleet, 12, 100) == (LIMIT, 0)


def test_sentinel_follows_a_failover():
    with stack.folder() as folder, Sentinels() as redis:
        text = policy(redis.url, f"name: a, key: [ip], limit: {LIMIT}", timeout="100ms")
        with Fleet(folder, text, 3) as fleet:
            fleet.wait_until_counted()
            before = redis.primary()
            lose_primary(fleet, redis.primary, 2)
            assert redis.primary() is not before


def test_sentinel_leaves_a_primary_that_was_frozen():
    """It comes back as a primary, until a Sentinel tells it otherwise: nobody counts there."""
    with stack.folder() as folder, Sentinels() as redis:
        text = policy(redis.url, f"name: a, key: [ip], limit: {LIMIT}", timeout="100ms")

        def thaw(primary):
            # A Sentinel that was not told of the failover yet still names the old one, and a weir
            # that asked just before believes that for its second: both are over here.
            for watcher in redis.watchers:
                stack.wait_until(lambda: redis.primary(watcher) is not primary, "a failover")
            for weir in fleet.weirs:
                stack.wait_until(lambda: counted(weir), "an answer of the new primary")
            primary.signal(signal.SIGCONT)

        with Fleet(folder, text, 3) as fleet:
            fleet.wait_until_counted()
            lose_primary(fleet, redis.primary, 2, lambda p: p.signal(signal.SIGSTOP), thaw)


def test_cluster_three_processes_admit_exactly_the_limit():
    with stack.folder() as folder, Cluster() as redis:
        limits = ("name: ip, key: [ip], limit: 100000", f"name: all, key: global, limit: {LIMIT}")
        with Fleet(folder, policy(redis.url, *limits), 3) as fleet:
            fleet.wait_until_counted()
            with Load(fleet, 12, callers=40) as load:
                stack.wait_until(lambda: denied_for_good(fleet), "the limit to be used up")
            assert load.total() == LIMIT, load.total()
            assert len(redis.keys()) >= 40

        # Slots move under load, back and forth: nothing is lost, and nothing fails.
        for node in redis.primaries():
            text(node, "FLUSHALL")
        again = folder / "again"
        again.mkdir()
        with Fleet(again, policy(redis.url, limits[1]), 3) as fleet:
            fleet.wait_until_counted()
            with Load(fleet, 12) as load:
                stack.wait_until(lambda: load.total() > 0, "the first")
                (key, source), = redis.keys().items()
                slot = lines(source, "CLUSTER", "KEYSLOT", key)[0]
                moves = 0
                while not denied_for_good(fleet) or moves < 3:
                    source = redis.keys()[key]
                    target = next(n for n in redis.primaries() if n is not source)
                    redis.move(slot, source, target)
                    moves += 1
            assert load.total() == LIMIT, load.total()


def test_cluster_follows_a_failover():
    with stack.folder() as folder, Cluster() as redis:
        text = policy(redis.url, f"name: a, key: global, limit: {LIMIT}", timeout="100ms")
        with Fleet(folder, text, 3) as fleet:
            fleet.wait_until_counted()
            lose_primary(fleet, lambda: next(iter(redis.keys().values())), 1)


if __name__ == "__main__":
    stack.main(globals())
