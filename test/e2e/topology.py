"""Redis in its larger forms, as real processes on loopback: a primary with replicas that Sentinels
watch, and a cluster. What was started is stopped by its pid."""

import pathlib
import shutil
import socket
import subprocess
import tempfile

import stack

NAME = "main"


def lines(redis, *words, after=None):
    """The whole reply of a command as text, nested arrays flattened; `after` another command on the
    same connection."""
    with socket.create_connection(("127.0.0.1", redis.port), timeout=stack.DEADLINE) as s:
        for command in [after, words] if after else [words]:
            parts = [str(w).encode() for w in command]
            s.sendall(b"*%d\r\n" % len(parts) +
                      b"".join(b"$%d\r\n%s\r\n" % (len(p), p) for p in parts))
        file = s.makefile("rb")

        def read():
            line = file.readline().rstrip()
            kind, rest = line[:1], line[1:]
            if kind == b"*":
                return [item for _ in range(int(rest)) for item in read()]
            if kind == b"$":
                return [] if rest == b"-1" else [file.read(int(rest) + 2)[:-2].decode()]
            return [line.decode() if kind == b"-" else rest.decode()]

        if after:
            first = read()
            assert not first or not first[0].startswith("-"), first
        return read()


def replicated(primary, replicas):
    """All that this primary has answered so far is with so many replicas."""
    # A key of the same hash tag: a cluster's node takes no other.
    mark = lines(primary, "RANDOMKEY")[0] + ":mark"
    said = lines(primary, "WAIT", replicas, 5000, after=("SET", mark, "", "PX", 100))
    assert int(said[0]) >= replicas, said


def text(redis, *words):
    return "\n".join(lines(redis, *words))


class Sentinels:
    """A primary, two replicas, and three Sentinels that act half a second after it is gone."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="weir-sentinel-"))
        self.servers, self.watchers = [], []

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def start(self):
        primary = self.add("--repl-diskless-sync-delay", "0", "--repl-ping-replica-period", "1")
        for _ in range(2):
            self.add("--replicaof", f"127.0.0.1 {primary.port}", "--repl-diskless-sync-delay", "0")
        for replica in self.servers[1:]:
            stack.wait_until(lambda: "master_link_status:up" in text(replica, "INFO", "replication"),
                             "a replica to follow")
        for _ in range(3):
            self.watch(primary)
        for port in self.watchers:
            stack.wait_until(lambda: self.sees_all(port), "a Sentinel to know all")

    def add(self, *options):
        own = self.folder / str(len(self.servers))
        own.mkdir()
        self.servers.append(stack.Redis(None, "--dir", str(own), *options).start())
        return self.servers[-1]

    def watch(self, primary):
        watcher = stack.Redis()
        conf = self.folder / f"sentinel-{watcher.port}.conf"
        conf.write_text(f"bind 127.0.0.1\nport {watcher.port}\ndir {self.folder}\n"
                        f"sentinel monitor {NAME} 127.0.0.1 {primary.port} 2\n"
                        f"sentinel down-after-milliseconds {NAME} 500\n"
                        f"sentinel failover-timeout {NAME} 3000\n")
        watcher.process = subprocess.Popen(
            [shutil.which("redis-server") or "/usr/bin/redis-server", str(conf), "--sentinel"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        stack.wait_until(watcher.says_pong, "a Sentinel")
        self.watchers.append(watcher)

    @staticmethod
    def sees_all(watcher):
        words = lines(watcher, "SENTINEL", "MASTER", NAME)
        facts = dict(zip(words[::2], words[1::2]))
        return facts.get("num-slaves") == "2" and facts.get("num-other-sentinels") == "2"

    @property
    def url(self):
        return "redis+sentinel://" + ",".join(f"127.0.0.1:{w.port}" for w in self.watchers) + f"/{NAME}"

    def primary(self, watcher=None):
        """As a Sentinel has it, the first one where none is given."""
        asked = watcher or self.watchers[0]
        port = int(lines(asked, "SENTINEL", "GET-MASTER-ADDR-BY-NAME", NAME)[1])
        return next(s for s in self.servers if s.port == port)

    def __exit__(self, *_):
        for redis in self.watchers + self.servers:
            redis.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


class Cluster:
    """Three primaries with a replica each; a node is gone after a second."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="weir-cluster-"))
        self.nodes = []

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def start(self):
        addresses = []
        for i in range(6):
            bus = stack.free_port()
            node = stack.Redis(None, "--cluster-enabled", "yes", "--cluster-port", bus, "--dir", self.folder,
                               "--cluster-config-file", f"node{i}", "--cluster-node-timeout", "1000",
                               "--repl-diskless-sync-delay", "0")
            node.options = [str(o) for o in node.options]
            self.nodes.append(node.start())
            addresses.append(f"127.0.0.1:{node.port}@{bus}")
        made = subprocess.run(["redis-cli", "--cluster", "create", *addresses, "--cluster-replicas", "1",
                               "--cluster-yes"], capture_output=True, text=True, timeout=60)
        assert made.returncode == 0, made.stdout + made.stderr
        stack.wait_until(lambda: all(self.is_well(n) for n in self.nodes), "the cluster")

    @staticmethod
    def is_well(node):
        info = text(node, "CLUSTER", "INFO")
        well = "cluster_state:ok" in info and "cluster_slots_ok:16384" in info
        replication = text(node, "INFO", "replication")
        return well and ("role:master" not in replication or "state=online" in replication)

    @property
    def url(self):
        return "redis+cluster://" + ",".join(f"127.0.0.1:{n.port}" for n in self.nodes)

    def alive(self):
        return [n for n in self.nodes if n.process.poll() is None]

    def primaries(self):
        return [n for n in self.alive() if "role:master" in text(n, "INFO", "replication")]

    def keys(self):
        """{key: the primary that has it}."""
        return {key: node for node in self.primaries() for key in lines(node, "KEYS", "*")}

    def move(self, slot, source, target):
        """The slot with its keys; others ask for them meanwhile."""
        source_id, target_id = (lines(n, "CLUSTER", "MYID")[0] for n in (source, target))
        assert text(target, "CLUSTER", "SETSLOT", slot, "IMPORTING", source_id) == "OK"
        assert text(source, "CLUSTER", "SETSLOT", slot, "MIGRATING", target_id) == "OK"
        while keys := lines(source, "CLUSTER", "GETKEYSINSLOT", slot, 10):
            for key in keys:
                said = text(source, "MIGRATE", "127.0.0.1", target.port, key, 0, 5000)
                assert said in ("OK", "NOKEY"), said
        for node in [target, source] + self.primaries():
            assert text(node, "CLUSTER", "SETSLOT", slot, "NODE", target_id) == "OK"
        # A next move needs a later epoch than this one's, so all must have heard of it.
        epoch = self.number(target, "cluster_my_epoch")
        stack.wait_until(lambda: all(self.number(n, "cluster_current_epoch") >= epoch
                                     for n in self.primaries()), "all to hear of a move")

    @staticmethod
    def number(node, word):
        return int(text(node, "CLUSTER", "INFO").split(word + ":")[1].split()[0])

    def __exit__(self, *_):
        for node in self.nodes:
            node.kill()
        shutil.rmtree(self.folder, ignore_errors=True)
