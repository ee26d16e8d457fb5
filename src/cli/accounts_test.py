#!/usr/bin/env python3
"""`weir accounts` as a user runs it: keys are printed once, and only their hashes are kept.

accounts_test.py WEIR SOURCE_DIR
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

WEIR, SOURCE = (os.path.abspath(argument) for argument in sys.argv[1:3])


class Accounts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = folder.name
        shutil.copytree(os.path.join(SOURCE, "examples"), os.path.join(self.dir, "examples"))

    def expect(self, code, *args, stdin=""):
        done = subprocess.run([WEIR, *args], cwd=self.dir, input=stdin, text=True,
                              capture_output=True, timeout=60)
        self.assertEqual(done.returncode, code,
                         f"weir {' '.join(args)}\n{done.stdout}{done.stderr}")
        return done

    def write(self, name, text):
        with open(os.path.join(self.dir, name), "w") as f:
            f.write(text)

    def test_accounts_add_set_list_remove(self):
        policy = "examples/plans.yaml"
        done = self.expect(0, "accounts", "add", policy, "--tier", "pro", "--account", "acme")
        key = done.stdout.strip()
        self.assertRegex(key, r"^\S{20,}$")
        with open(os.path.join(self.dir, "examples/keys.csv")) as f:
            self.assertNotIn(key, f.read())
        self.assertIn("by itself within a second", done.stderr)
        verdict = json.loads(self.expect(0, "check", policy, "--header", f"X-Api-Key: {key}",
                                         "--format", "json").stdout)
        self.assertEqual((verdict["tier"], verdict["account"]), ("pro", "acme"))
        self.expect(0, "accounts", "set", policy, "acme", "--tier", "enterprise")
        listed = self.expect(0, "accounts", "list", policy).stdout
        self.assertRegex(listed, r"acme +enterprise")
        self.assertNotIn(key, listed)
        self.expect(0, "accounts", "remove", policy, "acme")
        self.assertNotIn("acme", self.expect(0, "accounts", "list", policy).stdout)
        self.expect(1, "accounts", "remove", policy, "acme")

    def test_accounts_takes_a_key_that_exists(self):
        policy = "examples/plans.yaml"
        done = self.expect(0, "accounts", "add", policy, "--tier", "pro", "--account", "old",
                           "--key-stdin", stdin="their-own-key\n")
        self.assertEqual(done.stdout, "")
        verdict = json.loads(self.expect(0, "check", policy, "--header",
                                         "X-Api-Key: their-own-key", "--format", "json").stdout)
        self.assertEqual(verdict["account"], "old")
        # The same key twice changes nothing.
        self.expect(1, "accounts", "add", policy, "--tier", "free", "--account", "two",
                    "--key-stdin", stdin="their-own-key")

    def test_accounts_checks_the_tier_and_the_policy(self):
        done = self.expect(1, "accounts", "add", "examples/plans.yaml", "--tier", "por",
                           "--account", "x")
        self.assertIn("did you mean `pro`?", done.stderr)
        self.assertIn("names no accounts file",
                      self.expect(2, "accounts", "list", "examples/abuse.yaml").stderr)

    def test_a_missing_accounts_file_is_named_with_the_next_command(self):
        self.write("p.yaml", "version: 1\ntiers: {free: 1/min, pro: 9/min}\naccounts: k.csv\n")
        said = self.expect(1, "explain", "p.yaml").stderr
        self.assertIn("p.yaml:3:11: error: `k.csv` cannot be read", said)
        command = re.search(r"`weir (accounts add [^`]*)`", said)[1].replace("NAME", "acme").split()
        self.expect(0, *command)
        self.expect(0, "explain", "p.yaml")
        self.write("k.csv", "a,b\n")
        said = self.expect(1, *command).stderr
        self.assertEqual(said.count("k.csv"), 1, said)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
