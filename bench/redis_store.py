"""P12: what a decision costs a Redis, by weir and by its peers, on one redis-server.

The judged ratio is processor time of the server alone, from redis_script_bench (src/redis). Beside
it stands what whole programs reach over the same server: `weir serve` asked over HTTP, and the peers
of bench/peers, each with decisions a second, the server's time a decision, and the latency.
"""

import json
import os
import pathlib
import subprocess

import stack

ROOT = pathlib.Path(__file__).resolve().parents[1]
PEERS = ROOT / "build/peers/redis"
TICK = os.sysconf("SC_CLK_TCK")

POLICY = """\
version: 1
store: {{type: redis, url: "redis://127.0.0.1:{port}/0", secret: "0123456789abcdef0123456789abcdef", timeout: 1s}}
tiers: {{t: {{}}}}
limits:
{limits}"""

# wrk: each request another of 10,000 callers.
LUA = """\
wrk.method = "POST"
request = function()
  local k = math.random(0, 9999)
  return wrk.format(nil, nil, nil, string.format(
    '{"method":"GET","path":"/","client_ip":"198.18.%d.%d"}', math.floor(k / 256), k % 256))
end
"""


def cpu_us(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK * 1e6


def script_bench(build):
    out = subprocess.run([str(build / "redis_script_bench"), "--json"], check=True,
                         capture_output=True, text=True).stdout
    return json.loads(out)


def micros(text):
    """wrk's way to write a time."""
    for unit, factor in (("us", 1), ("ms", 1e3), ("s", 1e6)):
        if text.endswith(unit):
            return float(text[:-len(unit)]) * factor
    raise AssertionError(text)


def serve(folder, limits, seconds=4):
    """weir serve on a server of its own: the figures of a peer, and the bytes of a key."""
    rows = "".join(f"  - {{name: l{i}, key: [ip], rate: 1M/h, burst: {1_000_000 + i}}}\n"
                   for i in range(limits))
    (folder / "wrk.lua").write_text(LUA)
    with stack.Redis() as redis:
        text = POLICY.format(port=redis.port, limits=rows)
        with stack.Weir(text, folder) as weir:
            url = f"http://127.0.0.1:{weir.port}/v1/check"

            def wrk(duration):
                return subprocess.run(["wrk", "-t1", "-c64", f"-d{duration}s", "--latency", "-s",
                                       str(folder / "wrk.lua"), url],
                                      check=True, capture_output=True, text=True).stdout
            wrk(1)
            before = cpu_us(redis.process.pid)
            out = wrk(seconds)
            used = cpu_us(redis.process.pid) - before
            assert "Non-2xx" not in out, out
        served = int(out.split(" requests in")[0].split()[-1])
        took = micros(out.split(" requests in ")[1].split(",")[0]) / 1e6
        lines = {l.split()[0]: l.split()[1] for l in out.splitlines() if l.strip().endswith(("us", "ms", "s"))
                 and l.split()[0] in ("50%", "99%")}
        return {"rate": served / took, "cpu_us": used / served, "p50_us": micros(lines["50%"]),
                "p99_us": micros(lines["99%"])}, bytes_a_key(redis)


def bytes_a_key(redis):
    """What one counter takes in the server, by its own count."""
    cli = ["redis-cli", "-p", str(redis.port)]
    key = subprocess.run([*cli, "RANDOMKEY"], check=True, capture_output=True).stdout.rstrip(b"\n")
    used = subprocess.run([*cli, "-x", "MEMORY", "USAGE"], input=key, check=True, capture_output=True)
    return int(used.stdout)


def peer(command, decisions, limits):
    with stack.Redis() as redis:
        def run(n):
            out = subprocess.run([*command, str(redis.port), str(n), str(limits)], check=True,
                                 capture_output=True, text=True).stdout
            return json.loads(out)
        run(decisions // 10)
        before = cpu_us(redis.process.pid)
        figures = run(decisions)
        used = cpu_us(redis.process.pid) - before
    return {"rate": decisions / figures["seconds"], "cpu_us": used / decisions, **figures}


def peers():
    subprocess.run([str(ROOT / "bench/peers/install"), "redis"], check=False)
    return {"rate-limiter-flexible + ioredis": ["node", str(PEERS / "flexible.mjs")],
            "redis_rate + go-redis": [str(PEERS / "rate")],
            "limits + redis-py": [str(PEERS / "venv/bin/python"), str(PEERS / "limits_peer.py")]}


def told(name, f):
    return (f"{name} {f['rate']:,.0f}/s, {f['cpu_us']:.1f} us, p50 {f['p50_us'] / 1e3:.2f} ms, "
            f"p99 {f['p99_us'] / 1e3:.2f} ms")


def p12(build):
    script = script_bench(build)
    one, four = script["one"] / script["lean"], script["four"] / script["lean"]
    parts = [f"CPU of Redis a decision: lean EVALSHA {script['lean']:.2f} us, GET {script['get']:.2f} us "
             f"(both P=32), weir 1 limit {script['one']:.2f} us, 4 limits {script['four']:.2f} us"]
    commands = peers()
    for limits in (1, 4):
        with stack.folder() as folder:
            figures, size = serve(folder, limits)
        of = f"{limits} limit{'s' if limits > 1 else ''}"
        rows = [told("weir serve", figures)]
        for name, command in commands.items():
            if not all(os.path.exists(word) for word in command if word.startswith("/")):
                rows.append(f"missing {name}")
                continue
            rows.append(told(name, peer(command, 40_000 // limits, limits)))
        parts.append(f"{of}, decisions/s, CPU of Redis, latency: " + "; ".join(rows))
    parts.append(f"{size} bytes a key")
    return [("P12", one <= 0.6 and four <= 1.5,
             f"{one:.2f} x and {four:.2f} x (<= 0.6 x, <= 1.5 x)", ". ".join(parts))]
