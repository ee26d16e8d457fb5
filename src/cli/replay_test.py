#!/usr/bin/env python3
"""`weir replay` as a user runs it, against a model of a sliding log that is a dozen lines.

replay_test.py WEIR SOURCE_DIR
"""
import json
import os
import random
import subprocess
import sys
import tempfile
import time
import unittest

WEIR = sys.argv[1]
START = 1796083200  # 2026-12-01T00:00:00Z
LIMIT, WINDOW = 5, 60
POLICY = ("version: 1\nlimits:\n"
          f"  - {{name: a, key: [ip], algorithm: sliding_log, limit: {LIMIT}, window: {WINDOW}s}}\n")


def line(at, client, hours=0):
    local = time.strftime("%d/%b/%Y:%H:%M:%S", time.gmtime(at + hours * 3600))
    sign = "-" if hours < 0 else "+"
    return (f'{client} - - [{local} {sign}{abs(hours):02}00] "GET / HTTP/1.1" 200 1 '
            '"-" "agent \\"x\\""\n')


def denied_by_model(requests):
    admitted, denied = {}, 0
    for at, client in sorted(requests):
        log = [t for t in admitted.get(client, []) if t > at - WINDOW]
        if len(log) < LIMIT:
            log.append(at)
        else:
            denied += 1
        admitted[client] = log
    return denied


class Replay(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = folder.name
        self.write("policy.yaml", POLICY.encode())

    def write(self, name, content):
        with open(os.path.join(self.dir, name), "wb") as f:
            f.write(content)

    def expect(self, code, *args):
        done = subprocess.run([WEIR, "replay", *args], cwd=self.dir, text=True,
                              capture_output=True, timeout=60, env={**os.environ, "NO_COLOR": "1"})
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def test_denies_what_the_model_denies_in_whatever_order_and_zone_the_lines_are(self):
        chance = random.Random(5)
        requests = [(START + chance.randrange(3600), f"192.0.2.{chance.randrange(8)}")
                    for _ in range(2000)]
        lines = [line(*r, hours=chance.choice([-2, 0, 5])) for r in requests]
        self.write("a.log", "".join(lines).encode())
        seen = json.loads(self.expect(0, "policy.yaml", "a.log", "--format", "json").stdout)
        self.assertEqual(seen["requests"], len(requests))
        self.assertGreater(seen["denied"], 100)
        self.assertEqual(seen["denied"], denied_by_model(requests))

    def test_counts_every_line_and_says_why_one_cannot_be_read(self):
        bad = b"\x16\x03\x01\x00\xff junk\n" + b"x" * (1 << 20) + b"\n"
        cut = line(START, "192.0.2.9").encode()[:40]
        self.write("a.log", line(START, "192.0.2.1").encode() * 7 + bad + cut)
        text = self.expect(0, "policy.yaml", "a.log").stdout
        self.assertIn("7 requests of combined", text)
        self.assertIn("3 of 10 lines could not be read", text)
        self.assertIn("denied 2 ", text)

    def test_writes_a_page_without_script_and_fails_on_a_condition(self):
        self.write("a.log", line(START, "<b>x</b>").encode() * 7)
        done = self.expect(1, "policy.yaml", "a.log", "--html", "r.html", "--fail-if", "denied>1")
        self.assertIn("denied>1", done.stderr)
        with open(os.path.join(self.dir, "r.html")) as f:
            page = f.read()
        self.assertEqual(page.count("<svg"), 3)
        self.assertIn("99 % of the keys", page)
        self.assertIn("\n  limit ", page)
        for wrong in ("<script", "http://", "https://", "<b>x"):
            self.assertNotIn(wrong, page)

    def test_says_why_no_line_could_be_read(self):
        self.write("a.log", line(START, "192.0.2.1").encode())
        done = self.expect(2, "policy.yaml", "a.log", "--log-format", '%h %l %u %t "%r" %>s %b')
        self.assertIn("1  there is more on the line than the format has; first: a.log:1: 192.0.2.1",
                      done.stderr)
        self.assertIn("there is no request in a.log", done.stderr)

    def test_refuses_what_it_cannot_do(self):
        self.write("a.log", line(START, "192.0.2.1").encode())
        self.expect(2, "policy.yaml", "none.log")
        self.expect(2, "policy.yaml", "a.log", "--algorithms", "some")
        self.expect(2, "policy.yaml", "a.log", "--clients", "rude")
        for args, word in ((("--fields", "time=ts", "--log-format", "combined"), "json"),
                           (("--fields", "tiem=ts"), "did you mean 'time'"),
                           (("--fields", "client=ip"), "names no time"),
                           (("--fields", "time=ts", "--log-format", "json"),
                            "is no JSON object; first: a.log:1")):
            self.assertIn(word, self.expect(2, "policy.yaml", "a.log", *args).stderr)

    def test_json_lines_and_columns_are_denied_as_the_model_denies_them(self):
        chance = random.Random(6)
        requests = [(START + chance.randrange(3600), f"192.0.2.{chance.randrange(8)}")
                    for _ in range(2000)]
        self.write("a.json", "".join(json.dumps({"at": {"s": at}, "who": client, "other": [1, {}]})
                                     + "\n" for at, client in requests).encode())
        done = self.expect(0, "policy.yaml", "a.json", "--fields", "time_s=at.s,client=who",
                           "--format", "json")
        self.assertEqual(json.loads(done.stdout)["denied"], denied_by_model(requests))
        # As columns, in two files, each with a header of its own.
        for name, columns, rows in (("a.csv", "at,who", requests[:900]),
                                    ("b.csv", "who,at", requests[900:])):
            lines = [f"{at},{who}" if columns == "at,who" else f"{who},{at}" for at, who in rows]
            self.write(name, "\n".join([columns, *lines]).encode())
        done = self.expect(0, "policy.yaml", "a.csv", "b.csv", "--fields", "time_s=at,client=who",
                           "--format", "json")
        self.assertEqual(json.loads(done.stdout)["denied"], denied_by_model(requests))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
