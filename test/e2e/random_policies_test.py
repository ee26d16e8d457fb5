"""Random policies under concurrent clients: the model decides the decision log again, and agrees.

WEIR_SEED: the first of the seeds (default 1), WEIR_POLICIES: how many (default 12). A failure names
its seed; the policy is written by nothing else.
"""

import json
import os
import random
import threading

import model
import stack

SEED = int(os.environ.get("WEIR_SEED", "1"))
POLICIES = int(os.environ.get("WEIR_POLICIES", "12"))
CLIENTS = 6
REQUESTS = 60

HEAD = """\
version: 1
tiers: {t: {}}
listeners: {trusted_proxies: [127.0.0.0/8]}
identity: {keys: {tenant: {from: "header:x-tenant"}}}
classes:
  - {name: dear, match: ["/dear"], cost: {requests: 3}}
  - {name: free, match: ["/free"], cost: {requests: 0}}
limits:
"""


def numbers(r, algorithm, size):
    """Short windows, so that many pass while the clients ask."""
    window = r.choice(["20ms", "70ms", "250ms", "1s", "7s"])
    if algorithm == "token_bucket":
        return f"rate: {size}/{window}, burst: {r.randint(1, 2 * size)}"
    if algorithm == "leaky_bucket":
        wait = r.choice(["", ", max_wait: 30ms"])
        return f"rate: {size}/{window}, queue: {r.randint(0, 20)}{wait}"
    align = "" if algorithm == "sliding_log" else f", align: {r.choice(['epoch', 'first'])}"
    return f"limit: {size}, window: {window}{align}"


def policy(r):
    text = HEAD + "  - {name: all, key: global, rate: 3k/s}\n"  # no class may be without a limit
    for i in range(r.randint(1, 5)):
        algorithm = r.choice(["token_bucket", "fixed_window", "sliding_window", "sliding_log",
                              "leaky_bucket"])
        key = r.choice(["global", "[ip]", "[tenant], on_missing: skip", "[ip, class]",
                        '["tenant | ip"]'])
        mode = r.choice(["enforce", "enforce", "enforce", "shadow"])
        some = r.choice(["", "", ", classes: [dear]", ", except: [dear]"])
        size = 10 * r.randint(0, 6) + i + 1  # no two are the same limit
        text += (f"  - {{name: l{i}, key: {key}, algorithm: {algorithm}, mode: {mode}, "
                 f"{numbers(r, algorithm, size)}{some}}}\n")
    return text


def ask(client, r):
    """One random request; whether it was admitted."""
    path = r.choice(["/", "/", "/dear", "/free"])
    address = f"203.0.113.{r.randint(1, 2)}"
    tenant = {"X-Tenant": f"t{r.randint(1, 2)}"} if r.random() < 0.7 else {}
    if r.random() < 0.5:
        status, _, _ = client.ask("GET", "/v1/auth", {
            "X-Forwarded-Method": "GET", "X-Forwarded-Uri": path, "X-Forwarded-For": address, **tenant})
        assert status in (200, 429), status
        return status == 200
    body = {"method": "GET", "path": path, "client_ip": address, "headers": tenant}
    if r.random() < 0.3:
        body["cost"] = r.choice([0, 1, 2, 5, 50, 2**53])
    if r.random() < 0.2:
        body["peek"] = True
    status, _, text = client.ask("POST", "/v1/check", {}, json.dumps(body))
    assert status == 200, text
    return json.loads(text)["admit"]


def storm(weir, seed):
    """How many requests were admitted, of all clients at once."""
    admitted, broken = [0] * CLIENTS, []

    def work(i):
        r, client = random.Random(f"{seed}-{i}"), stack.Client(weir.port)
        try:
            for _ in range(REQUESTS):
                admitted[i] += ask(client, r)
        except Exception as error:  # a thread's exception would be lost
            broken.append(repr(error))
        client.close()

    threads = [threading.Thread(target=work, args=(i,)) for i in range(CLIENTS)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not broken, broken
    return sum(admitted)


def longest_wait(line):
    """retry_after_ms from what the limits said; None: no wait helps."""
    waits = [model.known(l["wait_ns"]) for l in line["limits"]
             if l["mode"] == "enforce" and not l["admit"]]
    return None if max(waits) == model.NEVER else model.ceil_div(max(waits), 10**6)


def test_the_model_agrees_with_every_decision_of_random_policies():
    decisions = denials = 0
    for seed in range(SEED, SEED + POLICIES):
        text = policy(random.Random(seed))
        with stack.folder() as folder:
            log = folder / "decisions"
            with stack.Weir(text, folder, "--decision-log", str(log)) as weir:
                admitted = storm(weir, seed)
                assert weir.stop() == 0
            count, wrong = model.check(log)
            lines = [json.loads(line) for line in log.read_text().splitlines()]
        about = f"seed {seed}:\n{text}"
        assert not wrong, f"{about}\n" + "\n".join(wrong[:10])
        assert count == CLIENTS * REQUESTS, f"{about}\n{count} lines"
        assert sum(l["admit"] for l in lines) == admitted, about
        for line in lines:
            if not line["admit"]:
                assert line["retry_after_ms"] == longest_wait(line), f"{about}\n{line}"
        decisions, denials = decisions + count, denials + count - admitted
    print(f"  {POLICIES} policies, {decisions} decisions, {denials} denials")
    assert 0 < denials < decisions


if __name__ == "__main__":
    stack.main(globals())
