"""Many clients on one key: exactly the limit is admitted, for every algorithm, whatever they do."""

import json
import threading

import stack

NUMBERS = {
    "token_bucket": "rate: 1000/d",
    "fixed_window": "limit: 1000, window: 365d",
    "sliding_window": "limit: 1000, window: 365d",
    "sliding_log": "limit: 1000, window: 1d",
    "leaky_bucket": "rate: 1000/d, queue: 999",
}


def policy(algorithm, numbers):
    return (f"version: 1\ntiers: {{t: {{}}}}\nlimits:\n"
            f"  - {{name: a, key: [ip], algorithm: {algorithm}, {numbers}}}\n")


def storm(weir, connections, requests, ask):
    """How many of connections x requests were admitted, all connections at once."""
    barrier, admitted = threading.Barrier(connections), [0] * connections

    def work(i):
        client = stack.Client(weir.port)
        barrier.wait()
        for _ in range(requests):
            admitted[i] += ask(client, i)
        client.close()

    threads = [threading.Thread(target=work, args=(i,)) for i in range(connections)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return sum(admitted)


def by_auth(client, _):
    return client.ask("GET", "/v1/auth", {"X-Forwarded-Method": "GET", "X-Forwarded-Uri": "/"})[0] == 200


def by_check(client, _):
    body = json.dumps({"method": "GET", "path": "/", "client_ip": "203.0.113.7"})
    status, _, text = client.ask("POST", "/v1/check", {"Content-Type": "application/json"}, body)
    assert status == 200, text
    return json.loads(text)["admit"]


def test_64_connections_on_one_key_admit_exactly_the_limit():
    for algorithm, numbers in NUMBERS.items():
        ask = by_check if algorithm == "leaky_bucket" else by_auth
        with stack.folder() as folder, stack.Weir(policy(algorithm, numbers), folder) as weir:
            admitted = storm(weir, 64, 25, ask)
        assert admitted == 1000, f"{algorithm}: {admitted}"


def test_two_tenants_under_one_global_limit_admit_exactly_that():
    text = ("version: 1\ntiers: {t: {}}\nidentity: {keys: {tenant: {from: \"header:x-tenant\"}}}\n"
            "limits:\n  - {name: tenant, key: [tenant], rate: 900/d}\n"
            "  - {name: all, key: global, rate: 1000/d}\n")

    def ask(client, i):
        return client.ask("GET", "/v1/auth", {"X-Forwarded-Method": "GET", "X-Forwarded-Uri": "/",
                                              "X-Tenant": f"t{i % 2}"})[0] == 200

    with stack.folder() as folder, stack.Weir(text, folder) as weir:
        assert storm(weir, 64, 30, ask) == 1000


def test_three_instances_with_memory_admit_three_times_the_limit():  # E7
    text = policy("fixed_window", "limit: 100, window: 365d")
    total = 0
    for _ in range(3):
        with stack.folder() as folder, stack.Weir(text, folder) as weir:
            total += storm(weir, 4, 50, by_auth)
    assert total == 300


def test_a_killed_client_leaves_the_others_served():
    with stack.folder() as folder, \
            stack.Weir(policy("fixed_window", "limit: 1000, window: 365d"), folder) as weir:
        for _ in range(200):
            client = stack.Client(weir.port)
            client.connection.connect()
            client.connection.sock.sendall(b"GET /v1/auth HTTP/1.1\r\nHost: x\r\nX-Forw")
            client.close()
        assert by_auth(stack.Client(weir.port), 0)


if __name__ == "__main__":
    stack.main(globals())
