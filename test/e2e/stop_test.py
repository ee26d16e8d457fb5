"""SIGTERM and SIGINT end `weir serve` at once, while it still reads or lints its policy too."""

import os
import signal
import subprocess
import time

import stack

SOON = 2.0  # seconds: on a busy machine


def start(path):
    return subprocess.Popen(
        [stack.WEIR, "serve", str(path), "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def end(process, number):
    """The exit code, the log and how long it took."""
    begin = time.monotonic()
    process.send_signal(number)
    _, log = process.communicate(timeout=stack.DEADLINE)
    return process.returncode, log, time.monotonic() - begin


def test_a_signal_while_the_policy_is_read_ends_it_at_once():
    for number in (signal.SIGTERM, signal.SIGINT):
        with stack.folder() as folder:
            path = folder / "policy.yaml"
            os.mkfifo(path)
            process = start(path)
            with open(path, "w"):  # opened by both: it is being read, and does not end
                code, log, seconds = end(process, number)
            assert code == 0, (code, log)
            assert seconds < SOON, seconds
            assert "stopped before it served" in log, log


def test_a_signal_while_the_policy_is_linted_ends_it_at_once():
    # Each pattern is compared with all others: tens of seconds of lint.
    classes = "".join(
        f"  - {{name: c{i}, match: ['GET /a/{{x}}/b{i}/**', 'POST /z{i}/*/k', 'GET /*/q{i}/**']}}\n"
        for i in range(1200))
    limit = "limits: [{name: l, key: [ip, class], rate: 10/s}]\n"
    with stack.folder() as folder:
        path = folder / "policy.yaml"
        path.write_text("version: 1\nclasses:\n" + classes + limit)
        process = start(path)
        for _ in ("http", "admin"):
            assert process.stdout.readline().startswith("listening"), process.communicate()
        code, log, seconds = end(process, signal.SIGTERM)
    assert code == 0, (code, log)
    assert seconds < SOON, seconds
    assert "msg=stopped" in log and "policy finding" not in log, log


if __name__ == "__main__":
    stack.main(globals())
