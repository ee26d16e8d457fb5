"""P14 and P15: reading an access log, and asking a policy with it, in CPU time of one core.

The log is made anew: a million combined lines of a shop, few clients most of the requests. Its peers
read the same file: GoAccess and Logswan, which count what is in it, and mawk, which counts one column.
"""

import json
import random
import resource
import shutil
import statistics
import subprocess
import tempfile
import time

LINES = 1_000_000
RUNS = 3
ALGORITHMS = ("token_bucket", "fixed_window", "sliding_window", "sliding_log")


def write_log(path):
    chance, at = random.Random(1), 1795996800
    agents = [f"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{v}.0.0.0 "
              "Safari/537.36" for v in range(90, 130)]
    clients = [f"{chance.randrange(1, 223)}.{chance.randrange(256)}.{chance.randrange(256)}."
               f"{chance.randrange(1, 255)}" for _ in range(20_000)]
    with open(path, "w", encoding="ascii") as f:
        for i in range(LINES):
            if i % 12 == 0:
                at += 1
                text = time.strftime("%d/%b/%Y:%H:%M:%S +0000", time.gmtime(at))
            f.write(f"{clients[int(chance.paretovariate(0.6)) % len(clients)]} - - [{text}] "
                    f'"GET /shop/items/{chance.randrange(3000)}?page={chance.randrange(20)} HTTP/1.1" '
                    f"{200 if chance.random() < .97 else 404} {chance.randrange(50_000)} "
                    f'"https://example.org/shop/category/{chance.randrange(100)}" '
                    f'"{agents[chance.randrange(40)]}"\n')


def cpu(command):
    """CPU seconds of a command, and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, check=True, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, done.stdout


def peers(log, out):
    every = {"goaccess": ["goaccess", log, "--log-format=COMBINED", "--no-progress", "-o", out],
             "logswan": ["logswan", log], "mawk": ["mawk", "{c[$1]++} END {print length(c)}", log]}
    return {name: command for name, command in every.items() if shutil.which(name)}


class LogRead:
    """Both targets from one run: of weir and the peers in turn."""

    def __init__(self, build):
        self.build, self.own, self.others = build, [], {}

    def measure(self):
        if self.own:
            return
        with tempfile.TemporaryDirectory(prefix="weir-log-") as folder:
            log = f"{folder}/access.log"
            write_log(log)
            commands = peers(log, f"{folder}/report.json")
            for run in range(RUNS):
                self.own.append(json.loads(cpu([str(self.build / "log_read"), log])[1]))
                for name, command in commands.items():
                    if name != "goaccess" or run == 0:  # a quarter of a minute each
                        self.others.setdefault(name, []).append(cpu(command)[0])

    def median(self, part):
        return statistics.median(run[part] for run in self.own)

    def p14(self):
        self.measure()
        own = self.median("read")
        ratio = {name: statistics.median(times) / own for name, times in self.others.items()}
        absent = [name for name in ("goaccess", "logswan") if name not in ratio]
        if absent:
            return [("P14", None, f"missing {', '.join(absent)}", "")]
        met = ratio["goaccess"] >= 20 and ratio["logswan"] >= 1.3
        mawk = f", mawk {ratio['mawk']:.2f} x" if "mawk" in ratio else ""
        return [("P14", met, f"{ratio['goaccess']:.1f} x GoAccess, {ratio['logswan']:.2f} x Logswan "
                 "(>= 20 x, >= 1.3 x)",
                 f"{LINES / own / 1e6:.2f} M lines/s a core, to keyed events in order of time{mawk}")]

    def p15(self):
        self.measure()
        rates = {name: LINES / self.median(name) / 1e6 for name in ALGORITHMS}
        fit = self.median("fit_events") / self.median("fit") / 1e6
        slowest = min(rates.values())
        policy = min(LINES / self.median(f"policy_{name}") / 1e6 for name in ALGORITHMS)
        return [("P15", fit >= 100 and slowest >= 30,
                 f"fit of 64 rates {fit:.0f} M, replay {slowest:.1f} M events/s a core (>= 100 M, >= 30 M)",
                 "replay by algorithm: " + ", ".join(f"{n} {r:.1f} M" for n, r in rates.items()) +
                 f"; with a whole policy around it (classes, keys, answer) {policy:.1f} M")]
