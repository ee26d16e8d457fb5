"""A real log under examples/plans.yaml, counted again in Python: `weir replay` says the same.

The lines are read by a regular expression, the time by datetime, the limits decided by the model of
the decision log: nothing is shared with weir but the numbers of the policy. Debian's package
logstalgia has the log.
"""

import collections
import datetime
import json
import os
import pathlib
import re
import subprocess
import sys

import model

WEIR = os.environ["WEIR"]
ROOT = pathlib.Path(__file__).resolve().parents[2]
LOG = "/usr/share/logstalgia/example.log"
LINE = re.compile(r'(\S+) \S+ \S+ \[([^\]]+)\] "(\S+) (\S+)[^"]*" \d+ \S+ ')
SECOND = 10**9
LIMITS = [("plan-second", 1, SECOND), ("plan-minute", 30, 60 * SECOND),
          ("plan-day", 1000, 86400 * SECOND), ("global", 10000, SECOND)]
ALGORITHMS = ["token_bucket", "fixed_window", "sliding_window", "sliding_log", "leaky_bucket"]


def requests():
    """(instant, client, path), in order of time."""
    epoch = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
    found = []
    with open(LOG, encoding="latin-1") as log:
        for text in log:
            client, time, _, target = LINE.match(text).groups()
            at = datetime.datetime.strptime(time, "%d/%b/%Y:%H:%M:%S %z") - epoch
            found.append((int(at.total_seconds()) * SECOND, client, target.split("?")[0]))
    return sorted(found, key=lambda r: r[0])


def line(at, client, path, algorithm):
    limits = []
    for slot, (name, count, period) in enumerate(LIMITS):
        limits.append({"slot": slot, "key": "" if name == "global" else client, "cost": 1,
                       "algorithm": algorithm, "count": count, "burst": count,
                       "period_ns": period, "align": "epoch", "mode": "enforce"})
    return {"now_ns": at, "wall_offset_ns": 0, "limits": limits, "peek": False}


def counted(algorithm):
    """What a replay reports, from the model alone."""
    limiter = model.Model()
    count = collections.Counter()
    denied_keys, keys = collections.Counter(), set()
    for at, client, path in requests():
        asked = line(at, client, path, algorithm)
        admit, said = limiter.decide(asked, after=False)
        keys.add(client)
        for (name, _, _), one in zip(LIMITS, said):
            count["no_room", name] += not one.admit
        if admit:
            count["admitted"] += 1
            continue
        count["denied"] += 1
        denied_keys[client] += 1
        by = model.governing(asked, admit, said)
        count["governed", LIMITS[by][0]] += 1
        count["longest_ms"] = max(count["longest_ms"], model.ceil_div(said[by].wait, 10**6))
    return count, denied_keys, keys


def compare(what, seen, expected):
    if seen != expected:
        raise AssertionError(f"{what}: weir says {seen}, the model {expected}")


def main():
    if not os.path.exists(LOG):
        print(f"skipped: there is no {LOG} (Debian package logstalgia)")
        sys.exit(77)
    run = subprocess.run([WEIR, "replay", "examples/plans.yaml", LOG, "--algorithms", "all",
                          "--format", "json", "--top", "1000"], cwd=ROOT, check=True,
                         capture_output=True, text=True)
    report = json.loads(run.stdout)
    count, denied_keys, keys = counted("sliding_window")
    compare("requests", report["requests"], len(requests()))
    compare("admitted", report["admitted"], count["admitted"])
    compare("denied", report["denied"], count["denied"])
    compare("the longest wait", report["wait_ms"]["max"], count["longest_ms"])
    compare("keys", report["keys"]["count"], len(keys))
    compare("keys hurt", {k["key"]: k["denied"] for k in report["keys"]["top"]}, dict(denied_keys))
    for limit in report["limits"]:
        name = limit["name"]
        compare(f"no room in {name}", limit["no_room"], count["no_room", name])
        compare(f"governed by {name}", limit["governed"], count["governed", name])
    print("ok examples/plans.yaml")
    compare("algorithms", [a["algorithm"] for a in report["algorithms"]], ALGORITHMS)
    for seen in report["algorithms"]:
        count, denied_keys, _ = counted(seen["algorithm"])
        compare(seen["algorithm"],
                (seen["admitted"], seen["denied"], seen["hurt_keys"], seen["wait_ms"]["max"]),
                (count["admitted"], count["denied"], len(denied_keys), count["longest_ms"]))
        print("ok", seen["algorithm"])


main()
