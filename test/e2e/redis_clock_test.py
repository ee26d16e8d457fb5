"""Clocks that disagree or jump, under a limit that several processes share in one Redis.

Time is the server's own: the clocks of the processes are of no account, and a step of the server's
earns each key what the step is worth, once.
"""

import mmap
import os
import struct
import threading
import time

import stack
from redis_test import Fleet, check, policy

class Shifted:
    """The environment of a process whose wall clock is moved (clock_shift.c), and a way to move it."""

    def __init__(self, folder, name, seconds=0.0):
        file = open(folder / f"{name}.shift", "w+b")
        file.write(bytes(8))
        file.flush()
        self.shift = mmap.mmap(file.fileno(), 8)
        self.env = {"LD_PRELOAD": os.environ["CLOCK_SHIFT_LIBRARY"], "CLOCK_SHIFT": file.name}
        file.close()
        self.set(seconds)

    def set(self, seconds):
        struct.pack_into("=q", self.shift, 0, int(seconds * 1e9))


def test_two_processes_50_ms_apart_mint_nothing():
    """E8: 5/s, burst 10, hammered for a second by two processes: at most 15."""
    with stack.folder() as folder, stack.Redis() as redis:
        text = policy(redis, "rate: 5/s, burst: 10, on_store_failure: closed")
        text = text.replace("timeout: 100ms", "timeout: 10s")
        weirs = []
        try:
            for i, ahead in enumerate((0.0, 0.05)):
                own = folder / str(i)
                own.mkdir()
                weirs.append(stack.Weir(text, own, env=Shifted(own, "clock", ahead).env))
            barrier, admitted, spans = threading.Barrier(4), [0] * 4, [None] * 4

            def hammer(i):
                client = stack.Client(weirs[i % 2].port)
                barrier.wait()
                begin = end = time.monotonic()
                while end - begin < 1:
                    admitted[i] += check(client)["admit"]
                    end = time.monotonic()
                spans[i] = begin, end
                client.close()

            threads = [threading.Thread(target=hammer, args=(i,)) for i in range(4)]
            for t in threads:
                t.start()
            for t in threads:
                t.join()
        finally:
            for weir in weirs:
                weir.__exit__()
    took = max(end for _, end in spans) - min(begin for begin, _ in spans)
    # 15 where the hammering took a second; a machine that stalls makes it longer.
    assert 14 <= sum(admitted) <= 10 + int(5 * took), f"{sum(admitted)} in {took:.3f} s"


BELIEVED = 1.0  # seconds: how long a process repeats a denial without asking the store again


def drain(client):
    """How many are admitted until the store itself says no; and that answer."""
    admitted, end = 0, time.monotonic() + BELIEVED + 0.2
    while True:
        verdict = check(client)
        assert not verdict["degraded"], verdict
        admitted += verdict["admit"]
        if not verdict["admit"] and time.monotonic() > end:
            return admitted, verdict


def test_a_step_of_the_servers_clock_earns_what_it_is_worth_once():
    with stack.folder() as folder:
        clock = Shifted(folder, "redis")
        with stack.Redis(env=clock.env) as redis:
            text = policy(redis, "rate: 60/h, burst: 5, on_store_failure: closed")
            with Fleet(folder, text.replace("timeout: 100ms", "timeout: 10s"), 1) as fleet:
                fleet.wait_until_counted()
                client = stack.Client(fleet.weirs[0].port)
                assert drain(client)[0] == 5
                clock.set(150)  # two and a half tokens
                assert drain(client)[0] == 2
                clock.set(150 + 86_400)  # at most the burst
                assert drain(client)[0] == 5
                clock.set(0)  # a day back: what is owed lies in the future, and is cut to a full debt
                admitted, denied = drain(client)
                assert admitted == 0
                assert denied["retry_after_ms"] <= 60_000, denied
                clock.set(300)  # its own time to full later
                assert drain(client)[0] == 5
                client.close()


def test_a_window_opens_with_each_step_forward_and_with_none_back():
    with stack.folder() as folder:
        clock = Shifted(folder, "redis")
        with stack.Redis(env=clock.env) as redis:
            text = policy(redis, "algorithm: fixed_window, limit: 5, window: 1d, on_store_failure: closed")
            with Fleet(folder, text.replace("timeout: 100ms", "timeout: 10s"), 1) as fleet:
                fleet.wait_until_counted()
                client = stack.Client(fleet.weirs[0].port)
                assert drain(client)[0] == 5
                clock.set(86_400)
                assert drain(client)[0] == 5
                clock.set(0)
                assert drain(client)[0] == 0
                clock.set(86_400)
                assert drain(client)[0] == 5
                client.close()


if __name__ == "__main__":
    stack.main(globals())
