#!/usr/bin/env python3
"""`weir simulate` as a user runs it: what it writes reads back, what it cannot do it refuses.

simulate_test.py WEIR SOURCE_DIR
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

WEIR, SOURCE = sys.argv[1:3]
THREATS = os.path.join(SOURCE, "examples", "threats.yaml")
SHAPES = ("poisson", "on-off", "diurnal", "flash-crowd", "retry-storm", "scraper", "nat-office",
          "llm-chat")


class Simulate(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = folder.name

    def expect(self, code, *args, command="simulate"):
        done = subprocess.run([WEIR, command, *args], cwd=self.dir, text=True,
                              capture_output=True, timeout=60, env={**os.environ, "NO_COLOR": "1"})
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def test_every_shape_is_told_request_by_request(self):
        for shape in SHAPES:
            report = json.loads(self.expect(0, THREATS, "--shape", f"{shape}:20:30", "--duration",
                                            "2m", "--format", "json").stdout)
            self.assertGreater(report["requests"], 0, shape)
            self.assertEqual(report["admitted"] + report["denied"], report["requests"], shape)

    def test_what_it_writes_is_a_log_that_replay_reads(self):
        for form in ("common", "combined"):
            told = json.loads(self.expect(
                0, THREATS, "--shape", "flash-crowd:20:50", "--duration", "5m", "--out", "a.log",
                "--out-format", form, "--format", "json").stdout)
            read = json.loads(self.expect(0, THREATS, "a.log", "--format", "json",
                                          command="replay").stdout)
            self.assertEqual(read["log"]["format"], form)
            self.assertEqual(read["log"]["rejected"], 0)
            self.assertEqual(read["requests"], told["requests"])
            self.assertEqual({(r["method"], r["path"], r["requests"]) for r in read["routes"]},
                             {(r["method"], r["path"], r["requests"]) for r in told["routes"]})

    def test_the_json_log_is_one_object_a_line_in_order_of_time(self):
        told = json.loads(self.expect(
            0, THREATS, "--shape", "llm-chat:5:20", "--duration", "2m", "--out", "a.json",
            "--out-format", "json", "--format", "json").stdout)
        with open(os.path.join(self.dir, "a.json"), encoding="utf-8") as f:
            rows = [json.loads(line) for line in f]
        self.assertEqual(len(rows), told["requests"])
        times = [row["time"] for row in rows]
        self.assertEqual(times, sorted(times))
        self.assertTrue(all(row["tokens"] > 0 for row in rows))
        read = json.loads(self.expect(0, THREATS, "a.json", "--format", "json",
                                      command="replay").stdout)
        self.assertEqual((read["log"]["format"], read["log"]["rejected"]), ("nginx-json", 0))
        self.assertEqual(read["requests"], told["requests"])

    def test_the_same_seed_is_the_same_traffic(self):
        def run(seed):
            return self.expect(0, THREATS, "--duration", "1m", "--seed", seed).stdout
        self.assertEqual(run("3"), run("3"))
        self.assertNotEqual(run("3"), run("4"))

    def test_a_policy_made_for_the_threats_holds_them_off(self):
        report = json.loads(self.expect(0, THREATS, "--threat", "all", "--format", "json").stdout)
        self.assertEqual(len(report["threats"]), 8)
        for threat in report["threats"]:
            without, guarded = threat["without"], threat["with"]
            self.assertEqual(without["offered"], guarded["offered"])
            if threat["name"] == "volumetric-flood":
                continue  # told to be for the network in front
            self.assertLess(without["good"], 0.5 * without["offered"], threat["name"])
            self.assertGreater(guarded["good"], 0.97 * guarded["offered"], threat["name"])
        self.assertIn("not absorbed", self.expect(0, THREATS, "--threat",
                                                  "volumetric-flood").stdout)

    def test_bench_asks_a_server_with_the_same_traffic(self):
        server = subprocess.Popen([WEIR, "serve", THREATS, "--listen", "127.0.0.1:0", "--admin",
                                   "127.0.0.1:0"], text=True, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, cwd=self.dir)
        try:
            port = re.search(r"listening http \S+:(\d+)", server.stdout.readline())[1]
            url = f"http://127.0.0.1:{port}"
            told = json.loads(self.expect(0, url, "--shape", "poisson:200:3", "--duration", "3s",
                                          "--format", "json", command="bench").stdout)
            self.assertEqual(told["admitted"] + told["denied"], told["requests"])
            self.assertEqual((told["failed"], told["degraded"]), (0, 0))
            # Three clients that share 200 a second may have a burst and 2 a second each.
            self.assertGreater(told["denied_by"]["client"], 300)
            self.assertLessEqual(told["admitted"], 3 * (20 + 2 * 4))
            self.assertGreaterEqual(told["duration_ms"], 2500)
            self.assertLessEqual(told["latency_us"]["p50"], told["latency_us"]["max"])
        finally:
            server.terminate()
            server.communicate(timeout=30)
        for wrong in ((url,), ("ftp://x",), (url, "--connections", "0")):
            self.assertIn("weir bench: ", self.expect(2, *wrong, command="bench").stderr)

    def test_what_it_cannot_do_it_refuses_and_says_why(self):
        for args, word in (
                (("--shape", "calm"), "nat-office"),
                (("--shape", "poisson:0"), "rate"),
                (("--shape", "poisson:nan"), "rate"),
                (("--shape", "poisson:5:0"), "clients"),
                (("--shape", "poisson:5:10:1"), "clients"),
                (("--shape", "poisson:1000000", "--duration", "1h"), "20,000,000"),
                (("--duration", "0s"), "--duration"),
                (("--duration", "soon"), "--duration"),
                (("--threat", "gremlins"), "paid-downstream"),
                (("--threat", "scraping", "--shape", "poisson"), "leave --shape"),
                (("--threat", "scraping", "--fail-if", "hurt_keys>1%"), "--fail-if"),
                (("--threat", "scraping", "--clients", "immediate"), "--clients"),
                (("--out-format", "xml"), "combined"),
                (("--out", "missing/a.log", "--duration", "1m"), "missing/a.log")):
            self.assertIn(word, self.expect(2, THREATS, *args).stderr, args)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
