"""One limit over several processes, in a real redis-server; and what clients see when it fails."""

import json
import os
import signal
import threading
import time

import stack
from load_test import NUMBERS

KEY = "203.0.113.7"
CHECK = json.dumps({"method": "GET", "path": "/", "client_ip": KEY})


def policy(redis, limit, head=""):
    return (f"version: 1\n{head}"
            f"store: {{type: redis, url: \"redis://127.0.0.1:{redis.port}/0\", secret: \"0123456789abcdef\","
            f" timeout: 100ms}}\n"
            f"tiers: {{t: {{}}}}\nlimits:\n  - {{name: a, key: [ip], {limit}}}\n")


def check(client):
    status, _, text = client.ask("POST", "/v1/check", {"Content-Type": "application/json"}, CHECK)
    assert status == 200, text
    return json.loads(text)


def auth(client):
    fields = {"X-Forwarded-Method": "GET", "X-Forwarded-Uri": "/", "X-Forwarded-For": KEY}
    return client.ask("GET", "/v1/auth", fields)


class Fleet:
    """`count` processes of weir serve on one policy."""

    def __init__(self, folder, text, count):
        self.weirs = []
        try:
            for i in range(count):
                own = folder / str(i)
                own.mkdir()
                self.weirs.append(stack.Weir(text, own))
        except BaseException:
            self.__exit__()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for weir in self.weirs:
            weir.__exit__()

    def wait_until_counted(self):
        """Each has reached its store."""
        for weir in self.weirs:
            client = stack.Client(weir.port)
            peek = json.dumps({"method": "GET", "path": "/", "client_ip": "192.0.2.1", "peek": True})
            stack.wait_until(
                lambda: not json.loads(client.ask("POST", "/v1/check", {}, peek)[2])["degraded"],
                "a decision that the store made")
            client.close()


def storm(fleet, connections, requests):
    """(admitted, degraded) of all."""
    barrier = threading.Barrier(connections)
    admitted, degraded = [0] * connections, [0] * connections

    def work(i):
        client = stack.Client(fleet.weirs[i % len(fleet.weirs)].port)
        barrier.wait()
        for _ in range(requests):
            verdict = check(client)
            admitted[i] += verdict["admit"]
            degraded[i] += verdict["degraded"]
        client.close()

    threads = [threading.Thread(target=work, args=(i,)) for i in range(connections)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return sum(admitted), sum(degraded)


def test_three_processes_admit_exactly_the_limit():
    for algorithm, numbers in NUMBERS.items():
        with stack.folder() as folder, stack.Redis() as redis:
            text = policy(redis, f"algorithm: {algorithm}, {numbers}, on_store_failure: closed",
                          "instances: 3\n").replace("timeout: 100ms", "timeout: 10s")
            with Fleet(folder, text, 3) as fleet:
                fleet.wait_until_counted()
                admitted, degraded = storm(fleet, 24, 60)
        assert (admitted, degraded) == (1000, 0), f"{algorithm}: {admitted} admitted, {degraded} degraded"


def test_three_processes_admit_what_one_would():
    """100 a minute over three processes is 100, and of three in memory it would be 300."""
    with stack.folder() as folder, stack.Redis() as redis:
        text = policy(redis, "limit: 100, window: 365d, algorithm: fixed_window", "instances: 3\n")
        with Fleet(folder, text.replace("timeout: 100ms", "timeout: 10s"), 3) as fleet:
            fleet.wait_until_counted()
            assert storm(fleet, 6, 50) == (100, 0)


def test_a_script_cache_that_is_lost_costs_nothing():
    with stack.folder() as folder, stack.Redis() as redis:
        text = policy(redis, "limit: 1000, window: 365d, algorithm: fixed_window, on_store_failure: closed")
        with Fleet(folder, text.replace("timeout: 100ms", "timeout: 10s"), 2) as fleet:
            fleet.wait_until_counted()
            done = threading.Event()

            def flush():
                while not done.wait(0.02):
                    redis.command("SCRIPT", "FLUSH")

            flusher = threading.Thread(target=flush)
            flusher.start()
            try:
                assert storm(fleet, 8, 150) == (1000, 0)
            finally:
                done.set()
                flusher.join()


def test_without_redis_each_limit_fails_as_it_says():
    with stack.folder() as folder:
        redis = stack.Redis()
        answers = {}
        for word in ("open", "closed", "local"):
            own = folder / word
            own.mkdir()
            limit = f"limit: 9, window: 365d, algorithm: fixed_window, on_store_failure: {word}"
            with stack.Weir(policy(redis, limit, "instances: 3\n"), own) as weir:
                client = stack.Client(weir.port)
                assert client.ask("GET", "/readyz")[0] == 200
                answers[word] = [auth(client) for _ in range(5)]
                client.close()
        for status, fields, _ in answers["open"]:
            assert status == 200 and fields["weir-degraded"] == "store", fields
            assert not any(name.startswith("ratelimit") for name in fields), fields
        for status, fields, body in answers["closed"]:
            assert status == 503 and fields["weir-degraded"] == "store", fields
            assert int(fields["retry-after"]) >= 1 and b"temporary-reduced-capacity" in body, body
        assert [a[0] for a in answers["local"]] == [200, 200, 200, 429, 429]
        assert all(a[1]["weir-degraded"] == "store" for a in answers["local"])


def test_it_connects_when_redis_comes_and_loses_nothing_when_it_goes():
    with stack.folder() as folder:
        redis = stack.Redis()
        limit = "limit: 1000, window: 365d, algorithm: fixed_window, on_store_failure: closed"
        with Fleet(folder, policy(redis, limit), 1) as fleet:
            client = stack.Client(fleet.weirs[0].port)
            assert check(client)["degraded"]
            with redis:
                fleet.wait_until_counted()
                first = check(client)
                assert first["admit"] and first["limits"][0]["remaining"] == 999, first
                redis.signal(signal.SIGSTOP)
                begin = time.monotonic()
                for _ in range(10):
                    assert check(client)["degraded"]
                took = time.monotonic() - begin
                assert took < 10 * 0.15 + 1, f"{took:.2f} s for ten decisions of at most 100 ms"
                redis.signal(signal.SIGCONT)
                fleet.wait_until_counted()
                # What was in the socket when the store stopped it may have counted: at most the
                # decisions that were given up. Nothing is sent after that.
                second = check(client)["limits"][0]["remaining"]
                assert 988 <= second <= 998, second
                assert check(client)["limits"][0]["remaining"] == second - 1
            client.close()


def test_what_a_key_leaves_behind_ends():
    with stack.folder() as folder, stack.Redis() as redis:
        text = policy(redis, "rate: 10/s, burst: 20")
        with Fleet(folder, text, 1) as fleet:
            fleet.wait_until_counted()
            client = stack.Client(fleet.weirs[0].port)
            assert check(client)["admit"]
            assert redis.command("DBSIZE") == b":1"
            stack.wait_until(lambda: redis.command("DBSIZE") == b":0", "the key to end")
            client.close()


if __name__ == "__main__":
    stack.main(globals())
