"""Counters behind TLS with client certificates, in a cluster and behind Sentinels: every connection
is encrypted, also to the nodes that others name."""

import json
import shutil
import subprocess

import stack
from redis_test import Fleet, storm
from topology import NAME, text

LIMIT = 300


class Authority:
    """Signs one certificate for 127.0.0.1, which every program here shows."""

    def __init__(self, folder):
        self.folder = folder / "tls"
        self.folder.mkdir()
        new = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        self.openssl("req", "-x509", *new, "-days", "2", "-subj", "/CN=ca", "-keyout", "ca.key", "-out", "ca.pem")
        self.openssl("req", *new, "-subj", "/CN=weir", "-keyout", "own.key", "-out", "own.csr")
        (self.folder / "names").write_text("subjectAltName=IP:127.0.0.1\n")
        self.openssl("x509", "-req", "-in", "own.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial",
                     "-days", "2", "-extfile", "names", "-out", "own.pem")

    def openssl(self, *words):
        subprocess.run(["openssl", *words], cwd=self.folder, check=True, capture_output=True)

    def file(self, name):
        return str(self.folder / name)

    def options(self, port):
        return ["--tls-port", str(port), "--tls-ca-cert-file", self.file("ca.pem"),
                "--tls-cert-file", self.file("own.pem"), "--tls-key-file", self.file("own.key")]

    def policy(self, url):
        tls = f"{{ca: {self.file('ca.pem')}, cert: {self.file('own.pem')}, key: {self.file('own.key')}}}"
        return (f"version: 1\ninstances: 2\nstore: {{type: redis, url: \"{url}\", secret: \"0123456789abcdef\", "
                f"timeout: 10s, tls: {tls}}}\ntiers: {{t: {{}}}}\nlimits:\n"
                f"  - {{name: all, key: global, limit: {LIMIT}, algorithm: fixed_window, window: 365d, "
                "on_store_failure: closed}\n"
                f"  - {{name: ip, key: [ip], limit: 100000, algorithm: fixed_window, window: 365d}}\n")


def admits_exactly_the_limit(folder, policy):
    """Two processes share the folder of their certificates; the check finds nothing amiss."""
    with Fleet(folder, policy, 2) as fleet:
        fleet.wait_until_counted()
        assert storm(fleet, 8, 100) == (LIMIT, 0)
    path = folder / "policy.yaml"
    path.write_text(policy)
    checked = subprocess.run([stack.WEIR, "store", "check", str(path), "--format", "json"],
                             capture_output=True, text=True, timeout=60)
    report = json.loads(checked.stdout)
    assert checked.returncode == 0 and report["errors"] == 0, checked.stdout + checked.stderr
    return [f["value"] for f in report["findings"] if f["what"] == "tls"]


def test_cluster_by_tls():
    with stack.folder() as folder:
        tls = Authority(folder)
        nodes, ports = [], []
        try:
            for i in range(3):
                port, bus = stack.free_port(), stack.free_port()
                node = stack.Redis(None, *tls.options(port), "--tls-cluster", "yes", "--cluster-enabled", "yes",
                                   "--cluster-port", str(bus), "--dir", str(folder),
                                   "--cluster-config-file", f"node{i}", "--cluster-node-timeout", "2000")
                nodes.append(node.start())
                ports.append(port)
            for node in nodes[1:]:
                text(nodes[0], "CLUSTER", "MEET", "127.0.0.1", ports[nodes.index(node)], bus_of(node))
            for i, node in enumerate(nodes):
                text(node, "CLUSTER", "ADDSLOTSRANGE", i * 5461, 16383 if i == 2 else i * 5461 + 5460)
            stack.wait_until(lambda: all("cluster_state:ok" in text(n, "CLUSTER", "INFO") and
                                         "cluster_known_nodes:3" in text(n, "CLUSTER", "INFO") for n in nodes),
                             "the cluster")
            url = f"rediss+cluster://127.0.0.1:{ports[1]}"
            assert admits_exactly_the_limit(folder, tls.policy(url))
        finally:
            for node in nodes:
                node.kill()


def bus_of(node):
    return node.options[node.options.index("--cluster-port") + 1]


def test_sentinel_by_tls():
    with stack.folder() as folder:
        tls = Authority(folder)
        port, watched = stack.free_port(), stack.free_port()
        with stack.Redis(None, *tls.options(port), "--tls-replication", "yes") as _, stack.Redis() as watcher:
            watcher.kill()
            conf = folder / "sentinel.conf"
            options = tls.options(watched) + ["--tls-replication", "yes"]
            conf.write_text(f"bind 127.0.0.1\nport {watcher.port}\ndir {folder}\n" +
                            "".join(f"{a[2:]} {b}\n" for a, b in zip(options[::2], options[1::2])) +
                            f"sentinel monitor {NAME} 127.0.0.1 {port} 1\n")
            watcher.process = subprocess.Popen(
                [shutil.which("redis-server") or "/usr/bin/redis-server", str(conf), "--sentinel"],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            stack.wait_until(watcher.says_pong, "a Sentinel")
            url = f"rediss+sentinel://127.0.0.1:{watched}/{NAME}"
            assert admits_exactly_the_limit(folder, tls.policy(url))


if __name__ == "__main__":
    stack.main(globals())
