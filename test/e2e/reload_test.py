"""`weir serve` under load with a reload every 100 ms: no request fails and no count is lost.

WEIR_SOAK: seconds of load (default 60).
"""

import os
import threading
import time

import stack

SECONDS = float(os.environ.get("WEIR_SOAK", "60"))
LIMIT = 2_000_000_000

POLICY = """\
version: 1
tiers: {{t: {{}}}}
limits:
  - {{name: bucket, key: global, rate: 2G/d}}
  - {{name: window, key: global, algorithm: fixed_window, limit: 2G, window: 365d}}
  - {{name: sliding, key: global, algorithm: sliding_window, limit: 2G, window: 365d}}
  - {{name: log, key: [ip], algorithm: sliding_log, limit: 10M, window: 1h}}
{extra}"""

BAD = POLICY + "  - {{name: typo, key: [ip], rte: 5/s}}\n"
FIELDS = {"X-Forwarded-Method": "GET", "X-Forwarded-Uri": "/v1/x"}


def write(path, text):
    """As an editor or a deployment does: the file is never half there."""
    new = path.with_suffix(".new")
    new.write_text(text)
    os.replace(new, path)


def test_reloads_under_load_fail_nothing_and_lose_no_count():
    with stack.folder() as folder, stack.Weir(POLICY.format(extra=""), folder) as weir:
        counts, failures, done = [0, 0, 0, 0], [], threading.Event()

        def load(i):
            client = stack.Client(weir.port)
            while not done.is_set():
                try:
                    status, _, _ = client.ask("GET", "/v1/auth", FIELDS)
                except OSError as error:
                    failures.append(repr(error))
                    return
                if status != 200:
                    failures.append(status)
                counts[i] += 1

        threads = [threading.Thread(target=load, args=(i,)) for i in range(len(counts))]
        for t in threads:
            t.start()
        end, reloads = time.monotonic() + SECONDS, 0
        while time.monotonic() < end:
            extra = ["", "  - {name: other, key: [ip], rate: 1G/s}\n"][reloads % 2]
            text = POLICY.format(extra=extra)
            if reloads % 10 == 9:
                text = BAD.format(extra=extra)
            write(weir.policy, text)
            weir.reload()
            reloads += 1
            done.wait(0.1)
        done.set()
        for t in threads:
            t.join()
        assert not failures, failures[:5]
        write(weir.policy, POLICY.format(extra=""))
        client = stack.Client(weir.port)
        status, fields, _ = client.ask("GET", "/v1/auth", FIELDS)
        assert status == 200
        served = sum(counts) + 1
        values = dict(part.split(";")[:2] for part in fields["ratelimit"].split(", "))
        for name in ('"window"', '"sliding"'):
            assert int(values[name][2:]) == LIMIT - served, (name, values, served)
        print(f"  {served} requests, {reloads} reloads, {SECONDS:.0f} s")
        assert "rte" in weir.errors(), "the wrong policies were reported"


def test_a_policy_that_became_a_pipe_stops_neither_decisions_nor_the_stop():
    with stack.folder() as folder, stack.Weir(POLICY.format(extra=""), folder) as weir:
        weir.policy.unlink()
        os.mkfifo(weir.policy)
        weir.reload()
        assert stack.Client(weir.port).ask("GET", "/v1/auth", FIELDS)[0] == 200
        stack.wait_until(lambda: "is no regular file" in weir.errors(), "the finding")
        weir.reload()
        assert stack.Client(weir.port).ask("GET", "/v1/auth", FIELDS)[0] == 200
        assert weir.stop() == 0


def test_a_stop_does_not_wait_for_a_reload():
    with stack.folder() as folder, stack.Weir(POLICY.format(extra=""), folder, "--no-watch") as weir:
        weir.policy.unlink()
        os.mkfifo(weir.policy)
        writer = os.open(weir.policy, os.O_RDWR)  # it is read for 5 s, as nothing is written
        try:
            weir.reload()
            stack.wait_until(lambda: str(weir.policy) in files_of(weir.pid), "the reload")
            assert weir.stop() == 0
        finally:
            os.close(writer)
        last = [line for line in weir.errors().splitlines() if line][-1]
        assert "msg=stopped" in last, last
        assert "is no regular file" not in weir.errors(), "the reload had not ended"


def files_of(pid):
    found = []
    for fd in os.listdir(f"/proc/{pid}/fd"):
        try:
            found.append(os.readlink(f"/proc/{pid}/fd/{fd}"))
        except FileNotFoundError:
            pass  # closed since it was listed
    return found


NARROW = "version: 1\ntiers: {{t: {{}}}}\nlimits: [{{name: {name}, key: [ip], rate: 10/s, burst: 10}}]\n"


def test_what_lint_warns_of_is_logged_at_the_start_and_on_each_reload():
    with stack.folder() as folder, stack.Weir(NARROW.format(name="first"), folder) as weir:
        logged = lambda code, name: [l for l in weir.errors().splitlines()
                                     if f"code={code} " in l and f"`{name}`" in l]
        stack.wait_until(lambda: logged("WR125", "first"), "the warning at the start")
        assert "level=warning" in logged("WR125", "first")[0]
        write(weir.policy, NARROW.format(name="second"))
        weir.reload()
        stack.wait_until(lambda: logged("WR125", "second"), "the warning of the new policy")
        assert "WR165" not in weir.errors(), "what is info stays quiet"
        assert stack.Client(weir.port).ask("GET", "/v1/auth", FIELDS)[0] == 200


def test_a_lint_error_does_not_stop_it():
    policy = ("version: 1\nlisteners: {trusted_proxies: [0.0.0.0/0]}\ntiers: {t: {}}\n"
              "limits: [{name: a, key: [ip], rate: 10/s, burst: 20}]\n")
    with stack.folder() as folder, stack.Weir(policy, folder) as weir:
        stack.wait_until(lambda: "code=WR104" in weir.errors(), "the error")
        line = next(l for l in weir.errors().splitlines() if "code=WR104" in l)
        assert "level=error" in line, line
        assert stack.Client(weir.port).ask("GET", "/v1/auth", FIELDS)[0] == 200


if __name__ == "__main__":
    stack.main(globals())
