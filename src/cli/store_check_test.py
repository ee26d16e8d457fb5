#!/usr/bin/env python3
"""`weir store check` as a user runs it, against real redis-servers.

store_check_test.py WEIR SOURCE_DIR
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

WEIR, SOURCE = sys.argv[1:3]
sys.path.insert(0, os.path.join(SOURCE, "test", "e2e"))
from stack import Redis, free_port  # noqa: E402

LIMITS = "limits:\n  - {name: a, key: [ip], rate: 60/min}\n"


class StoreCheck(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = folder.name

    def policy(self, port, scheme="redis", login="", **settings):
        keys = {"timeout": "10s", "secret": "'0123456789abcdef'", **settings}
        lines = "".join(f"  {key}: {value}\n" for key, value in keys.items())
        path = os.path.join(self.dir, "policy.yaml")
        with open(path, "w") as f:
            f.write("version: 1\ninstances: 3\nstore:\n  type: redis\n"
                    f"  url: '{scheme}://{login}127.0.0.1:{port}'\n{lines}{LIMITS}")
        return path

    def expect(self, code, *args):
        done = subprocess.run([WEIR, "store", "check", *args], cwd=self.dir, text=True,
                              capture_output=True, timeout=60, env={**os.environ, "NO_COLOR": "1"})
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def findings(self, code, *args):
        said = json.loads(self.expect(code, *args, "--json", "--timeout", "20s").stdout)
        counted = [f["grade"] for f in said["findings"]]
        self.assertEqual((said["errors"], said["warnings"]),
                         (counted.count("error"), counted.count("warning")))
        return {f["what"]: f for f in said["findings"]}

    def test_a_good_server_is_exit_0(self):
        with Redis() as redis:
            policy = self.policy(redis.port, prefix="acme")
            text = self.expect(0, policy, "--timeout", "20s").stdout
            self.assertIn(f"redis://127.0.0.1:{redis.port}/0, prefix acme\n", text)
            self.assertRegex(text, r"\nok +role +primary\n")
            self.assertRegex(text, r"\nok +commands +all that weir needs, on acme:\*\n")
            self.assertRegex(text, r"\ninfo +persistence +none\n +a restart forgets")
            self.assertRegex(text, r"12 connections \(3 instances\)")
            self.assertRegex(text, r"\n0 errors, 0 warnings\n$")
            found = self.findings(0, policy)
            self.assertEqual(found["script"]["grade"], "ok")
            self.assertEqual(redis.command("DBSIZE"), b":0")

    def test_a_warning_is_exit_0(self):
        with Redis(None, "--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru") as redis:
            found = self.findings(0, self.policy(redis.port))
            self.assertEqual(found["eviction"]["grade"], "warning")
            self.assertIn("noeviction", found["eviction"]["advice"])

    def test_the_login_of_the_policy_is_used_and_not_shown(self):
        with Redis() as redis:
            redis.command("ACL", "SETUSER", "limiter", "on", ">s3cret", "~weir:*", "+@all")
            redis.command("CONFIG", "SET", "requirepass", "another")
            for code, keys in [(0, {"login": "limiter:s3cret@"}),
                               (0, {"username": "limiter", "password": "s3cret"}),
                               (1, {"login": "limiter:s3cret2@"})]:
                said = self.expect(code, self.policy(redis.port, **keys), "--timeout", "20s")
                self.assertNotIn("s3cret", said.stdout + said.stderr)
                self.assertIn("user limiter" if code == 0 else "WRONGPASS", said.stdout)

    def test_what_keeps_no_limits_is_exit_1(self):
        with Redis() as primary, Redis(None, "--replicaof", f"127.0.0.1 {primary.port}") as replica:
            found = self.findings(1, self.policy(replica.port))
            self.assertIn(f"replica of 127.0.0.1:{primary.port}", found["role"]["value"])
            said = self.expect(1, self.policy(primary.port, scheme="rediss"), "--timeout", "1s")
            self.assertRegex(said.stdout, r"\nerror +tls +no handshake in time\n")
        found = self.findings(1, self.policy(free_port()))
        self.assertEqual([f["grade"] for f in found.values()], ["error"])

    def test_the_memory_store_has_nothing_to_check(self):
        path = os.path.join(self.dir, "memory.yaml")
        with open(path, "w") as f:
            f.write("version: 1\n" + LIMITS)
        self.assertIn("nothing to check", self.expect(0, path).stdout)
        self.assertEqual(json.loads(self.expect(0, path, "--format", "json").stdout),
                         {"store": "memory", "findings": [], "errors": 0, "warnings": 0})

    def test_mistakes(self):
        policy = self.policy(1)
        self.assertIn("POLICY", self.expect(2).stderr)
        self.assertIn("nowhere.yaml", self.expect(2, "nowhere.yaml").stderr)
        for wrong in ["0s", "2", "2m", "soon"]:
            self.assertIn(f"--timeout `{wrong}`",
                          self.expect(2, policy, "--timeout", wrong).stderr)
        with open(policy, "a") as f:
            f.write("limts: []\n")
        self.assertIn("limts", self.expect(1, policy).stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
