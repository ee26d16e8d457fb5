"""Real nginx in front of a real application asks a real weir: replay, failures, forgeries."""

import hashlib
import json
import os
import re


import model
import stack

LOG = "/usr/share/logstalgia/example.log"

POLICY = """\
version: 1
listeners: {trusted_proxies: [127.0.0.0/8]}
tiers: {anonymous: {}}
classes:
  - {name: images, match: ["GET /images/**"]}
  - {name: write, match: ["POST /**"]}
limits:
  - {name: burst, key: [ip], rate: 3/s, burst: 20}
  - {name: minute, key: [ip], classes: [images], algorithm: sliding_window, limit: 60, window: 1m}
  - {name: second, key: [ip, class], algorithm: fixed_window, limit: 15, window: 1s}
  - {name: exact, key: [ip], algorithm: sliding_log, limit: 30, window: 2s}
  - {name: odd, key: [ip], rate: 7/3s, burst: 23}
  - {name: watch, key: [ip], rate: 1/s, mode: shadow}
  - {name: all, key: global, rate: 1500/s, burst: 300}
"""


def address_of(host):
    """A stable address for a client that the log names by host."""
    digest = hashlib.sha256(host.encode()).digest()
    return f"198.{18 + digest[0] % 2}.{digest[1]}.{digest[2]}"


def requests_of_log():
    line = re.compile(r'^(\S+) \S+ \S+ \[[^]]*\] "(\S+) (\S+) HTTP/[\d.]+" ')
    with open(LOG, encoding="utf-8", errors="replace") as lines:
        for text in lines:
            m = line.match(text)
            if m:
                yield address_of(m[1]), m[2], m[3]


def expected_fields(line, admit, said):
    """The RateLimit fields that the model's verdict means, by name."""
    shown = [i for i, l in enumerate(line["limits"]) if l["mode"] == "enforce"]
    names = [l["name"] for l in line["limits"]]
    order = sorted(shown, key=lambda i: [n for n in ORDER].index(names[i]))
    g = model.governing(line, admit, said)
    limits = line["limits"]
    fields = {
        "ratelimit-policy": ", ".join(
            f'"{names[i]}";q={said[i].limit};w={model.published_window(limits[i])}' for i in order),
        "ratelimit": ", ".join(
            f'"{names[i]}";r={said[i].remaining};t={model.effective_window(limits[i], said[i])}'
            for i in order),
        "ratelimit-limit": str(said[g].limit),
        "ratelimit-remaining": str(said[g].remaining),
        "ratelimit-reset": str(model.effective_window(limits[g], said[g])),
    }
    if not admit:
        fields["retry-after"] = str(max(1, model.seconds_up(said[g].wait)))
    return fields


ORDER = re.findall(r"name: (\w+), key", POLICY)


def test_replay_of_a_real_log_agrees_with_the_exact_model():
    if not os.path.exists(LOG):
        stack.skip("Debian's logstalgia is not installed")
    with stack.folder() as folder, stack.App() as app:
        log = folder / "decisions.ndjson"
        with stack.Weir(POLICY, folder, "--decision-log", str(log)) as weir, \
                stack.Nginx(folder, weir.port, app.port) as nginx:
            client = stack.Client(nginx.port)
            seen = []
            for address, method, target in requests_of_log():
                seen.append(client.ask(method, target, {"X-Forwarded-For": address}))
            assert weir.stop() == 0, weir.errors()
        lines = [json.loads(text) for text in log.read_text().splitlines()]
        assert len(lines) == len(seen), (len(lines), len(seen))
        exact, denied = model.Model(), 0
        for number, (line, (status, fields, body)) in enumerate(zip(lines, seen), 1):
            admit, said = exact.decide(line)
            assert admit == line["admit"], f"decision {number}: {line}"
            assert status == (200 if admit else 429), (number, status)
            for limit, s in zip(line["limits"], said):
                got = (limit["admit"], limit["remaining"], model.known(limit["wait_ns"]),
                       model.known(limit["reset_ns"]))
                want = (s.admit, s.remaining, s.wait, s.reset)
                assert got == want, f"decision {number}, {limit['name']}: {got}, model {want}"
            for name, value in expected_fields(line, admit, said).items():
                assert fields.get(name) == value, (number, name, fields.get(name), value)
            if not admit:
                denied += 1
                document = json.loads(body)
                assert document["error"]["retryAfter"] == int(fields["retry-after"])
                assert fields["content-type"] == "application/problem+json"
        assert 0 < denied < len(lines), "the replay has to meet both verdicts"
        print(f"  {len(lines)} decisions, {denied} denied")


SMALL = """\
version: 1
listeners: {trusted_proxies: [127.0.0.0/8]}
tiers: {free: {label: Free, limits: [5/h]}}
response: {docs: "https://docs.example/limits"}
"""


def test_the_client_gets_the_whole_body_and_every_field():
    with stack.folder() as folder, stack.App() as app, stack.Weir(SMALL, folder) as weir, \
            stack.Nginx(folder, weir.port, app.port) as nginx:
        client = stack.Client(nginx.port)
        for _ in range(5):
            status, fields, body = client.ask("GET", "/x")
            assert (status, body) == (200, b"app\n")
            for name in ("ratelimit", "ratelimit-policy", "ratelimit-limit", "ratelimit-remaining",
                         "ratelimit-reset", "access-control-expose-headers"):
                assert name in fields, (name, fields)
        status, fields, body = client.ask("GET", "/x")
        assert status == 429
        document = json.loads(body)
        assert document["status"] == 429 and document["error"]["code"] == "RATE_LIMIT_EXCEEDED"
        assert document["error"]["documentation"] == "https://docs.example/limits"
        assert document["error"]["currentUsage"]["used"] == 5
        assert document["error"]["retryAfter"] == int(fields["retry-after"])
        assert fields["cache-control"] == "no-store"


# What each dialect sends, in any case; `limit` of 5 an hour, an address, one address.
DIALECTS = {
    "ietf": {"ratelimit-policy", "ratelimit"},
    "fields": {"ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"},
    "ietf-03": {"ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"},
    "ietf-06": {"ratelimit-policy", "ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"},
    "ietf-07": {"ratelimit-policy", "ratelimit"},
    "envoy": {"x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"},
    "x-ratelimit": {"x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"},
    "github": {"x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset",
               "x-ratelimit-used", "x-ratelimit-resource"},
    "twitter": {"x-rate-limit-limit", "x-rate-limit-remaining", "x-rate-limit-reset"},
}
LIMIT_FIELD = re.compile(r"(x-)?rate-?limit|x-envoy-ratelimited")
WEIRS_OWN = {"weir-tier", "weir-reason", "weir-violated", "weir-status", "weir-body"}


def dialect_policy(dialect, body="both"):
    return f"""\
version: 1
listeners: {{trusted_proxies: [127.0.0.0/8]}}
limits:
  - {{name: a, key: [ip], rate: 5/h, warn_at: [0.4]}}
response: {{headers: [{dialect}], body: {body}}}
"""


def weirs_fields(weir):
    """What weir itself says of the next request, for comparison; nothing that it tells gateways."""
    ask = {"X-Original-Method": "GET", "X-Original-URI": "/x", "X-Forwarded-For": "198.51.100.9"}
    _, fields, _ = stack.Client(weir.port).ask("GET", "/v1/auth/nginx", ask)
    return fields


def test_every_dialect_reaches_the_client():
    for dialect, names in DIALECTS.items():
        with stack.folder() as folder, stack.App() as app, \
                stack.Weir(dialect_policy(dialect), folder) as weir, \
                stack.Nginx(folder, weir.port, app.port) as nginx:
            client = stack.Client(nginx.port)
            asked = {"X-Forwarded-For": "198.51.100.9"}
            for n in range(1, 6):
                status, fields, _ = client.ask("GET", "/x", asked)
                assert status == 200, (dialect, status)
                got = {name for name in fields if LIMIT_FIELD.match(name)}
                assert got == names, (dialect, got)
                assert ("weir-warning" in fields) == (n >= 2), (dialect, n, fields)
                assert not WEIRS_OWN & fields.keys(), fields
            denied = names | ({"x-envoy-ratelimited"} if dialect == "envoy" else set())
            status, fields, _ = client.ask("GET", "/x", asked)
            assert status == 429, (dialect, status)
            assert {name for name in fields if LIMIT_FIELD.match(name)} == denied, (dialect, fields)
            assert not WEIRS_OWN & fields.keys(), fields
            for name, value in weirs_fields(weir).items():
                if name in denied and "reset" not in name and name != "ratelimit":
                    assert fields[name] == value, (dialect, name, fields[name], value)


def test_the_body_has_the_type_that_weir_gives_it():
    for body, wanted in [("both", "application/problem+json"), ("problem", "application/problem+json"),
                         ("error", "application/json"), ("{template: own.json}", "application/json")]:
        with stack.folder() as folder, stack.App() as app:
            (folder / "own.json").write_text('{"why": "{{message}}"}')
            with stack.Weir(dialect_policy("ietf", body), folder) as weir, \
                    stack.Nginx(folder, weir.port, app.port) as nginx:
                client = stack.Client(nginx.port)
                for path in ["/x", "/photo.jpg"]:
                    for _ in range(6):
                        status, fields, text = client.ask("GET", path)
                    assert status == 429
                    assert fields["content-type"] == wanted, (body, path, fields)  # and once
                    assert isinstance(json.loads(text), dict)


def preflights(fields_of_weir_conf):
    """How many of ten CORS preflights pass where five requests would."""
    with stack.folder() as folder, stack.App() as app, \
            stack.Weir(dialect_policy("ietf"), folder) as weir, \
            stack.Nginx(folder, weir.port, app.port, edit=fields_of_weir_conf) as nginx:
        client = stack.Client(nginx.port)
        preflight = {"Origin": "https://a.example", "Access-Control-Request-Method": "GET"}
        return sum(client.ask("OPTIONS", "/x", preflight)[0] == 200 for _ in range(10))


def test_preflights_are_counted_where_nginx_says_so():
    assert preflights(lambda conf: conf) == 10
    line = '# proxy_set_header Access-Control-Request-Method "";'
    assert preflights(lambda conf: conf.replace(line, line[2:])) == 5


def test_the_applications_own_answers_pass_unchanged():
    with stack.folder() as folder, stack.App() as app, \
            stack.Weir(SMALL.replace("5/h", "1000/s"), folder) as weir, \
            stack.Nginx(folder, weir.port, app.port) as nginx:
        client = stack.Client(nginx.port)
        for status in (403, 429, 500):
            got, _, body = client.ask("GET", f"/own/{status}")
            assert (got, body) == (status, b"app\n")


def test_weir_killed_fails_open_where_nginx_says_so():
    with stack.folder() as folder, stack.App() as app, stack.Weir(SMALL, folder) as weir, \
            stack.Nginx(folder, weir.port, app.port) as nginx:
        client = stack.Client(nginx.port)
        assert client.ask("GET", "/x")[0] == 200
        weir.kill()
        for _ in range(20):
            status, fields, _ = client.ask("GET", "/x")
            assert status == 200 and "ratelimit" not in fields


def test_weir_killed_fails_closed_where_nginx_says_so():
    with stack.folder() as folder, stack.App() as app, stack.Weir(SMALL, folder) as weir, \
            stack.Nginx(folder, weir.port, app.port, fail_open=False) as nginx:
        client = stack.Client(nginx.port)
        assert client.ask("GET", "/x")[0] == 200
        weir.kill()
        for _ in range(20):
            status, fields, body = client.ask("GET", "/x")
            assert status == 503 and fields["retry-after"] == "1"
            assert json.loads(body)["status"] == 503


FORGERY = """\
version: 1
listeners: {trusted_proxies: [127.0.0.0/8]}
tiers: {anonymous: {}, vip: {}}
accounts: none.csv
identity:
  keys: {tenant: {from: "header:x-tenant"}}
classes:
  - {name: health, match: ["/healthz"], exempt: true}
  - {name: lang, match: ["/lang"]}
limits:
  - {name: plan, key: [client], tiers: {anonymous: 5/h, vip: 1000/s}}
  - {name: lang, classes: [lang], key: [ip], rate: 3/h}
"""

# What a client may send in the hope of another path, address, key or tier. Section 3.4 of the
# collection of bypasses: the number says which one it is of.
FORGERIES = [
    ("its own original URI", [("X-Original-URI", "/healthz")]),
    ("its own original method", [("X-Original-Method", "OPTIONS")]),
    ("a forwarded URI", [("X-Forwarded-Uri", "/healthz"), ("X-Forwarded-Method", "GET")]),
    ("a path of another name", [("X-Rewrite-URL", "/healthz"), ("X-Original-URL", "/healthz")]),
    ("underscores for the URI (11)", [("X_Original_URI", "/healthz")]),
    ("underscores for the address (11)", [("X_Forwarded_For", "203.0.113.{n}")]),
    ("underscores for the key (11)", [("X_Api_Key", "k-{n}")]),
    ("an address on the left (4, 5, 6, 18)", [("X-Forwarded-For", "203.0.113.{n}, 198.51.100.9")]),
    ("many lines of addresses (5)", [("X-Forwarded-For", "203.0.113.{n}"),
                                     ("X-Forwarded-For", "198.51.100.9")]),
    ("an address and a port (3)", [("X-Forwarded-For", "198.51.100.9:{n}")]),
    ("another spelling of the address (1)", [("X-Forwarded-For", "::ffff:198.51.100.9")]),
    ("the address in hexadecimal (1)", [("X-Forwarded-For", "::ffff:c633:6409")]),
    ("another header for the address", [("X-Forwarded-For", "198.51.100.9"),
                                        ("X-Real-IP", "203.0.113.{n}"),
                                        ("Forwarded", "for=203.0.113.{n}"),
                                        ("CF-Connecting-IP", "203.0.113.{n}"),
                                        ("True-Client-IP", "203.0.113.{n}"),
                                        ("X-Client-IP", "203.0.113.{n}")]),
    ("a request id for each (dedupe)", [("X-Request-Id", "r-{n}")]),
    ("a key that nobody knows (3.3)", [("X-Api-Key", "made-up-{n}")]),
    ("two keys", [("X-Api-Key", "a-{n}"), ("X-Api-Key", "b-{n}")]),
    ("a tier of its own (11b)", [("Weir-Tier", "vip"), ("X-Tier", "vip")]),
    ("a token that nobody verified (3.3)",
     [("Authorization", "Bearer e30.eyJzdWIiOiJ7bn0ifQ.{n}")]),
    ("a prefix and a port (12)", [("X-Forwarded-Prefix", "/healthz"), ("X-Forwarded-Port", "{n}")]),
    ("another host (7)", [("X-Forwarded-Host", "h{n}.example"), ("X-Forwarded-Proto", "ws")]),
    ("another method (override)", [("X-HTTP-Method-Override", "OPTIONS")]),
    ("a preflight's field without its method", [("Access-Control-Request-Method", "GET"),
                                                ("Origin", "https://a.example")]),
    ("a cost", [("Weir-Cost", "0"), ("X-Weir-Cost", "-1000")]),
    ("a status for nginx", [("Weir-Status", "200"), ("Weir-Body", "{}")]),
]


def test_no_forged_field_gains_anything():
    with stack.folder() as folder, stack.App() as app:
        (folder / "none.csv").write_text("")
        for name, fields in FORGERIES:
            with stack.Weir(FORGERY, folder) as weir, \
                    stack.Nginx(folder, weir.port, app.port) as nginx:
                client = stack.Client(nginx.port)
                given = any(k == "X-Forwarded-For" for k, _ in fields)
                address = [] if given else [("X-Forwarded-For", "198.51.100.9")]
                admitted = sum(
                    client.raw("GET", "/v1/x", address + [(k, v.replace("{n}", str(n % 250 + 1)))
                                                          for k, v in fields])[0] == 200
                    for n in range(40))
                assert admitted == 5, f"{name}: {admitted} of 40 were admitted, not 5"


PATHS = ["/lang", "/lang/", "/x/../lang", "//lang", "/%6Cang", "/lang?x={n}", "/./lang",
         "/lang?/healthz", "/healthz/../lang", "/%6c%61%6e%67", "///lang//", "/lang/."]


def test_no_spelling_of_a_path_gains_anything():  # 9, 10, 13, 14, 16, 22
    with stack.folder() as folder, stack.App() as app:
        (folder / "none.csv").write_text("")
        policy = FORGERY.replace("anonymous: 5/h", "anonymous: 1000/s")
        with stack.Weir(policy, folder) as weir, stack.Nginx(folder, weir.port, app.port) as nginx:
            client = stack.Client(nginx.port)
            admitted = sum(client.raw("GET", p.replace("{n}", str(n)), [])[0] == 200
                           for n in range(4) for p in PATHS)
            assert admitted == 3, f"{admitted} of {4 * len(PATHS)} spellings were admitted, not 3"


if __name__ == "__main__":
    stack.main(globals())
