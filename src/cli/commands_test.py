#!/usr/bin/env python3
"""Runs the real `weir`: every command, every example of every --help, every exit code.

commands_test.py WEIR SOURCE_DIR
"""
import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

WEIR = ""
SOURCE = ""


def listening(process):
    """The addresses that a server prints."""
    found = {}
    while len(found) < 2:
        line = process.stdout.readline()
        if not line:
            raise AssertionError("weir serve ended: " + process.stderr.read())
        match = re.match(r"listening (\w+) (\S+)$", line.strip())
        if match:
            found[match.group(1)] = match.group(2)
    return found


class Commands(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp()
        shutil.copytree(os.path.join(SOURCE, "examples"), os.path.join(self.dir, "examples"))

    def tearDown(self):
        shutil.rmtree(self.dir)

    def weir(self, *args, stdin=""):
        return subprocess.run([WEIR, *args], cwd=self.dir, input=stdin, text=True,
                              capture_output=True, timeout=60)

    def expect(self, code, *args, stdin=""):
        done = self.weir(*args, stdin=stdin)
        self.assertEqual(done.returncode, code,
                         f"weir {' '.join(args)}\n{done.stdout}{done.stderr}")
        return done

    def write(self, name, text):
        with open(os.path.join(self.dir, name), "w") as f:
            f.write(text)

    # -- help, versions, mistakes

    def test_every_example_of_every_help_works(self):
        ran = 0
        # The order matters: `accounts` edits the files that later examples read.
        for command in ["", "init", "lint", "check", "explain", "test", "schema", "serve", "accounts",
                        "accounts list", "accounts add", "accounts set", "accounts remove",
                        "store", "store check", "simulate"]:
            text = self.expect(0, *command.split(), "--help").stdout
            examples = re.findall(r"^  (weir .*)$", text.split("Example")[-1], re.M)
            self.assertTrue(examples, command)
            for example in examples:
                ran += 1
                with self.subTest(example=example):
                    self.run_example(example)
        self.assertGreaterEqual(ran, 14)

    def run_example(self, example):
        path = os.path.dirname(WEIR) + os.pathsep + os.environ["PATH"]
        if not example.startswith("weir serve"):
            done = subprocess.run(["bash", "-c", example], cwd=self.dir, text=True,
                                  capture_output=True, timeout=60, env={**os.environ, "PATH": path})
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            return
        server = subprocess.Popen(["bash", "-c", "exec " + example], cwd=self.dir, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  env={**os.environ, "PATH": path})
        try:
            listening(server)
        finally:
            server.send_signal(signal.SIGTERM)
            server.communicate(timeout=30)
        self.assertEqual(server.returncode, 0)

    def test_mistakes_name_the_nearest_word_and_exit_2(self):
        for args, words in [
            (["lnt"], ["unknown command `lnt`", "`lint`"]),
            (["--versoin"], ["unknown option", "`--version`"]),
            (["lint", "examples/plans.yaml", "--fromat", "json"], ["`--fromat`", "`--format`"]),
            (["check", "examples/plans.yaml", "--methd=GET"], ["`--methd`", "`--method`"]),
            (["serve", "examples/plans.yaml", "--lisen", "x"], ["`--lisen`", "`--listen`"]),
            (["schema", "extra"], ["`extra` is one argument too many"]),
            (["accounts", "ad"], ["unknown action `ad`", "`add`"]),
            (["store", "chek"], ["unknown action `chek`", "`check`"]),
            (["init", "abus"], ["unknown situation `abus`", "`abuse`"]),
            (["lint", "--explain", "WR1O1"], ["unknown code", "`WR101`"]),
            (["check", "examples/plans.yaml", "--cost", "points=x"], ["--cost `points=x`"]),
            (["check", "examples/plans.yaml", "--header", "nonsense"], ["--header `nonsense`"]),
            (["check", "examples/plans.yaml", "--client-ip", "300.1.1.1"], ["not an IP address"]),
            (["check"], ["give either a POLICY or --server URL"]),
            (["check", "--server", "https://x"], ["not an http:// URL"]),
            (["serve", "examples/plans.yaml", "--grpc", "127.0.0.1:0"], ["--grpc is not in this"]),
            (["serve", "examples/plans.yaml", "--resp", "127.0.0.1:0"], ["--resp is not in this"]),
            ([], ["Usage: weir COMMAND"]),
        ]:
            with self.subTest(args=args):
                done = self.expect(2, *args)
                for word in words:
                    self.assertIn(word, done.stderr)

    def test_commands_of_later_versions_are_refused_by_name(self):
        for name in ["design", "diff", "export", "import", "usage", "set", "override",
                     "top"]:
            self.assertIn("not in this version", self.expect(2, name).stderr)

    def test_version(self):
        self.assertRegex(self.expect(0, "--version").stdout, r"^weir \d+\.\d+\.\d+\n$")

    def test_the_help_shows_what_there_is(self):
        text = self.expect(0, "serve", "--help").stdout
        for word in ["{false}", "--grpc", "--resp"]:
            self.assertNotIn(word, text)
        self.assertIn("--no-watch", text)
        self.assertIn("share/doc/weir", text)
        self.assertNotIn("--peek", self.expect(0, "explain", "--help").stdout)
        self.assertIn("--peek", self.expect(0, "check", "--help").stdout)
        self.assertIn("unknown option `--peek`",
                      self.expect(2, "explain", "examples/plans.yaml", "--peek").stderr)

    # -- init

    def test_init_writes_policies_of_at_most_12_lines_that_lint_without_errors(self):
        for name, file in [("abuse", "abuse"), ("plans", "plans-small"), ("replicas", "replicas"),
                           ("downstream", "downstream")]:
            out = f"examples/new-{name}.yaml"
            self.expect(0, "init", name, "-o", out)
            with open(os.path.join(self.dir, out)) as f:
                text = f.read()
            with open(os.path.join(SOURCE, "examples", file + ".yaml")) as f:
                self.assertEqual(text, f.read())
            self.assertLessEqual(len(text.splitlines()), 12)
            self.expect(0, "lint", out)
            self.assertIn("exists already", self.expect(2, "init", name, "-o", out).stderr)

    def test_what_init_writes_loads_where_nothing_else_is(self):
        for name in ["abuse", "plans", "replicas", "downstream"]:
            os.mkdir(os.path.join(self.dir, name))
            out = f"{name}/policy.yaml"
            said = self.expect(0, "init", name, "-o", out).stderr
            self.assertIn(out, said)
            self.expect(0, "explain", out)
            if name == "plans":
                self.assertIn("plans/keys.csv", said)
                self.assertEqual(os.stat(os.path.join(self.dir, "plans/keys.csv")).st_mode & 0o77, 0)

    # -- lint

    def test_lint_shows_the_place_with_a_caret(self):
        self.write("p.yaml", "version: 1\nlimts: []\nlimits:\n  - {name: a, key: [ip], rate: 1/s}\n")
        done = self.expect(1, "lint", "p.yaml")
        self.assertIn("p.yaml:2:1: error: unknown key `limts`", done.stdout)
        self.assertIn("did you mean `limits`", done.stdout)
        self.assertRegex(done.stdout, r"\n +2 \| limts: \[\]\n +\| \^")

    def test_lint_formats_agree(self):
        self.write("p.yaml",
                   "version: 1\ninstances: 3\nlimits:\n  - {name: a, key: [ip], rate: 100/min}\n")
        findings = json.loads(self.expect(1, "lint", "p.yaml", "--format", "json").stdout)
        self.assertEqual(findings["errors"], 1)
        first = [f for f in findings["findings"] if f["code"] == "WR101"][0]
        self.assertEqual((first["file"], first["line"], first["column"]), ("p.yaml", 2, 1))
        self.assertIn("3 x 100/min = 300/min", first["message"])
        sarif = json.loads(self.expect(1, "lint", "p.yaml", "--format", "sarif").stdout)
        self.assertEqual(sarif["version"], "2.1.0")
        results = sarif["runs"][0]["results"]
        self.assertEqual(len(results), len(findings["findings"]))
        rules = {r["id"] for r in sarif["runs"][0]["tool"]["driver"]["rules"]}
        for result in results:
            self.assertIn(result["ruleId"], rules)
        github = self.expect(1, "lint", "p.yaml", "--format", "github").stdout
        self.assertIn("::error file=p.yaml,line=2,col=1,title=WR101::", github)

    def test_lint_exit_codes(self):
        self.write("warn.yaml", "version: 1\nlimits:\n  - {name: a, key: [ip], rate: 9/s, burst: 9}\n")
        self.expect(0, "lint", "warn.yaml")
        self.expect(1, "lint", "warn.yaml", "--strict")
        unread = self.expect(2, "lint", "nowhere.yaml")
        self.assertEqual(unread.stdout, "")
        self.assertIn("nowhere.yaml", unread.stderr)
        both = self.expect(2, "lint", "nowhere.yaml", "warn.yaml")
        self.assertIn("1 file: 0 errors, 1 warning", both.stdout)
        found = json.loads(self.expect(2, "lint", "nowhere.yaml", "--format", "json").stdout)
        self.assertEqual((found["errors"], found["findings"][0]["file"]), (1, "nowhere.yaml"))
        self.write("p.yaml", "version: 1\nlimts: []\n")
        self.assertNotIn("--explain CODE", self.expect(1, "lint", "p.yaml").stdout)
        self.assertIn(": info: ", self.expect(0, "lint", "warn.yaml").stdout)
        self.expect(2, "lint")

    def test_lint_explains_codes(self):
        self.assertIn("twice the limit", self.expect(0, "lint", "--explain", "wr120").stdout)
        self.assertIn("not in this version", self.expect(0, "lint", "--explain", "WR151").stdout)
        self.assertIn("as it reads the policy", self.expect(0, "lint", "--explain", "WR127").stdout)
        self.assertIn("Never reported: weir never sends less than 1",
                      self.expect(0, "lint", "--explain", "WR162").stdout)

    def test_colour_is_for_terminals_without_no_color(self):
        self.assertNotIn("\x1b", self.weir("lint", "examples/plans.yaml").stdout)
        self.write("p.yaml", "version: 1\nlimts: []\n")
        for no_colour, expected in [("", True), ("1", False)]:
            parent, child = pty.openpty()
            subprocess.run([WEIR, "lint", "p.yaml"], cwd=self.dir, stdout=child,
                           env={**os.environ, "NO_COLOR": no_colour}, timeout=60)
            os.close(child)
            shown = b""
            try:
                while chunk := os.read(parent, 65536):
                    shown += chunk
            except OSError:
                pass  # the other end is closed
            os.close(parent)
            self.assertEqual(b"\x1b[31m" in shown, expected)

    # -- check, explain

    def test_check_gives_the_verdict_and_the_exit_code(self):
        args = ["check", "examples/plans.yaml", "--path", "/api/search", "--header",
                "X-Api-Key: demo-free", "--count", "2"]
        lines = self.expect(0, *args, "--format", "json").stdout.splitlines()
        first, second = map(json.loads, lines)
        self.assertTrue(first["admit"])
        self.assertEqual((first["tier"], first["account"]), ("free", "demo-free"))
        self.assertFalse(second["admit"])
        self.assertEqual((second["status"], second["governing"]), (429, "plan-second"))
        self.assertIn("Retry-After", second["headers"])
        self.assertEqual(second["body"]["error"]["code"], "RATE_LIMIT_EXCEEDED")
        text = self.expect(1, *args, "--exit-code").stdout
        self.assertIn("429 denied: limit_exceeded (by plan-second)", text)
        self.expect(0, "check", "examples/plans.yaml", "--count", "9", "--peek", "--exit-code")

    def test_a_redis_policy_is_counted_in_memory_and_that_is_said(self):
        self.write("p.yaml", "version: 1\nstore: \"redis://127.0.0.1:1/0\"\n"
                             "limits: [{name: a, key: [ip], rate: 1/s}]\n")
        for command in ["check", "explain"]:
            self.assertIn("counts in memory", self.expect(0, command, "p.yaml", "--path", "/").stderr)

    def test_a_wrong_policy_is_exit_1_and_an_unreadable_one_exit_2(self):
        self.write("p.yaml", "version: 1\nlimts: []\n")
        for command in ["check", "explain"]:
            self.assertIn("limts", self.expect(1, command, "p.yaml").stderr)
            self.expect(2, command, "nowhere.yaml")
        self.assertIn("limts", self.expect(2, "serve", "p.yaml").stderr)

    def test_a_cost_in_a_unit_that_nothing_counts_is_refused(self):
        for command in ["check", "explain"]:
            error = self.expect(2, command, "examples/plans.yaml", "--cost", "point=3").stderr
            self.assertIn("no limit of this policy counts that unit; there is `requests`, `points`",
                          error)
            self.expect(0, command, "examples/plans.yaml", "--cost", "points=3")

    def test_explain_says_what_the_policy_does(self):
        text = self.expect(0, "explain", "examples/plans.yaml").stdout
        for word in ["plan-second", "plan-day", "global", "/api/generate", "default", "10,000"]:
            self.assertIn(word, text)
        explained = json.loads(self.expect(0, "explain", "examples/plans.yaml", "--format",
                                           "json").stdout)
        glob = [x for x in explained["limits"] if x["name"] == "global"][0]
        self.assertEqual(glob["key"], "global")
        self.assertIn("default", glob["classes"])
        text = self.expect(0, "explain", "examples/downstream.yaml").stdout
        self.assertIn("proved: vendor: 1000000 + 1000000/min x 1m = 2000000 <= 2000000", text)

    def test_explain_says_why_a_request_is_answered_so(self):
        args = ["explain", "examples/plans.yaml", "--method", "POST", "--path", "/api/generate?x=1",
                "--header", "X-Api-Key: demo-free"]
        text = self.expect(0, *args).stdout
        for word in ["class      /api/generate, by pattern /api/generate", "tier free",
                     "account demo-free", "closest to exhaustion", "HTTP/1.1 200", "RateLimit-Policy"]:
            self.assertIn(word, text)
        self.assertNotIn("X-Api-Key: demo", text)
        explained = json.loads(self.expect(0, *args, "--cost", "points=31", "--format", "json").stdout)
        self.assertFalse(explained["admit"])
        self.assertIn("for ever", explained["why"])

    def test_the_long_form_loads_to_the_same_policy(self):
        long_form = self.expect(0, "explain", "examples/plans.yaml", "--expanded").stdout
        self.write("examples/long.yaml", long_form)
        same = [json.loads(self.expect(0, "explain", f"examples/{name}.yaml", "--format",
                                       "json").stdout)["policy"]["id"] for name in ["plans", "long"]]
        self.assertEqual(same[0], same[1])

    def test_schema_is_json(self):
        schema = json.loads(self.expect(0, "schema").stdout)
        self.assertIn("limits", schema["properties"])

    # -- a running server

    def test_check_and_explain_ask_a_running_server(self):
        server = subprocess.Popen(
            [WEIR, "serve", "examples/plans.yaml", "--listen", "127.0.0.1:0", "--admin",
             "127.0.0.1:0"], cwd=self.dir, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE)
        try:
            url = "http://" + listening(server)["http"]
            ask = ["--server", url, "--path", "/api/search", "--header", "X-Api-Key: demo-free"]
            for _ in range(3):  # nothing is charged
                self.assertIn("200 admitted", self.expect(0, "explain", *ask).stdout)
            self.assertIn("200 admitted", self.expect(0, "check", *ask).stdout)
            for _ in range(20):  # a second may end between two commands
                denied = self.expect(1, "check", *ask, "--count", "5", "--exit-code").stdout
                explained = self.expect(0, "explain", *ask).stdout
                if "429 denied" in explained:
                    break
            self.assertIn("429 denied", denied)
            self.assertIn("429 denied", explained)

            # A new key, which the server finds by itself.
            key = self.expect(0, "accounts", "add", "examples/plans.yaml", "--tier", "pro",
                              "--account", "new").stdout.strip()
            ask[-1] = "X-Api-Key: " + key
            end = time.monotonic() + 30
            while time.monotonic() < end:
                verdict = json.loads(self.expect(0, "check", *ask, "--peek", "--format",
                                                 "json").stdout)
                if verdict["tier"] == "pro":
                    break
            self.assertEqual((verdict["tier"], verdict["account"]), ("pro", "new"))

            wrong = self.expect(2, "check", "--server", url, "--cost", "nonsense=3")
            self.assertIn("400", wrong.stderr)
        finally:
            server.send_signal(signal.SIGTERM)
            server.communicate(timeout=30)
        self.assertEqual(server.returncode, 0)
        self.assertIn("cannot connect", self.expect(2, "check", "--server", url).stderr)

    # -- test

    def test_a_failing_timeline_says_what_was_expected_and_what_came(self):
        self.write("t.yaml", """\
policy:
  version: 1
  limits:
    - {name: a, key: [ip], rate: 10/s, burst: 10}
request: {client_ip: 192.0.2.1}
steps:
  - {at: 0s, repeat: 20, expect: {admit: 10}}
  - at: 1s
    expect: {admit: 0, remaining: 3, governing: a}
""")
        done = self.expect(1, "test", "t.yaml")
        self.assertIn("t.yaml:9:21: step 2: admit: expected 0, got 1", done.stdout)
        self.assertIn("t.yaml:9:35: step 2: remaining: expected 3, got 9", done.stdout)
        self.assertNotIn("governing", done.stdout)
        result = json.loads(self.expect(1, "test", "t.yaml", "--format", "json").stdout)
        self.assertFalse(result["passed"])
        self.assertEqual(len(result["timelines"][0]["mismatches"]), 2)

    def test_output_that_is_lost_is_an_error_unless_its_reader_left(self):
        for command in [["check", "examples/plans.yaml"], ["explain", "examples/plans.yaml"],
                        ["lint", "examples/plans.yaml"], ["--version"], ["schema"],
                        ["accounts", "add", "examples/plans.yaml", "--tier", "pro", "--account", "x"]]:
            with open("/dev/full", "w") as full:
                done = subprocess.run([WEIR, *command], cwd=self.dir, stdout=full,
                                      stderr=subprocess.PIPE, text=True, timeout=60)
            self.assertEqual(done.returncode, 2, command)
            self.assertIn("standard output", done.stderr)
        done = subprocess.run(f"'{WEIR}' explain examples/plans.yaml | true; exit ${{PIPESTATUS[0]}}",
                              shell=True, executable="/bin/bash", cwd=self.dir, timeout=60)
        self.assertEqual(done.returncode, 0)

    def serve(self, redirections, **streams):
        return subprocess.Popen(
            f"exec '{WEIR}' serve examples/plans.yaml --listen 127.0.0.1:0 --admin 127.0.0.1:0 "
            + redirections, shell=True, executable="/bin/bash", cwd=self.dir, text=True, **streams)

    def test_nothing_takes_the_place_of_a_closed_stream(self):
        for closed, redirections in [([0], "<&-"), ([1], ">&-"), ([2], "2>&-"),
                                     ([0, 1, 2], "<&- >&- 2>&-")]:
            server = self.serve(redirections, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL)
            try:
                links = {}
                end = time.monotonic() + 60
                while sum("socket:" in link for link in links.values()) < 2:
                    self.assertLess(time.monotonic(), end, links)
                    self.assertIsNone(server.poll(), redirections)
                    folder = f"/proc/{server.pid}/fd"
                    for fd in os.listdir(folder):
                        try:
                            links[int(fd)] = os.readlink(f"{folder}/{fd}")
                        except FileNotFoundError:
                            pass  # closed since it was listed
                for fd in closed:
                    self.assertEqual(links[fd], "/dev/null", redirections)
            finally:
                server.terminate()
                self.assertEqual(server.wait(60), 0, redirections)

    def test_serve_logs_where_it_listens_when_it_cannot_print_it(self):
        for redirections in [">/dev/full", ">&-"]:
            with self.serve(redirections, stderr=subprocess.PIPE) as server:
                line = server.stderr.readline()
                server.terminate()
                self.assertIn("level=error", line)
                self.assertIn("standard output cannot be written", line)
                self.assertRegex(line, r"http=127\.0\.0\.1:[0-9]+ admin=127\.0\.0\.1:[0-9]+ error=")
                server.stderr.read()
                self.assertEqual(server.wait(60), 0)

    def test_a_header_that_breaks_the_line_is_refused(self):
        for command in ["check", "explain"]:
            for header in ["A: b\r\nC: d", "A: b\nC: d", "A\n: b"]:
                done = self.expect(2, command, "examples/plans.yaml", "--header", header)
                self.assertIn("--header `A", done.stderr)

    def test_a_timeline_that_cannot_be_read_is_exit_2(self):
        done = self.expect(2, "test", "nowhere.yaml", "examples/timelines/e2-token-bucket.yaml")
        self.assertIn("nowhere.yaml", done.stderr)
        self.assertIn("ok   examples/timelines/e2-token-bucket.yaml", done.stdout)
        self.expect(2, "test", ".")

    def test_a_policy_from_a_pipe_is_checked_and_linting_it_is_refused(self):
        os.mkfifo(os.path.join(self.dir, "pipe"))
        subprocess.run(f"cat examples/abuse.yaml > pipe & exec '{WEIR}' check pipe > out",
                       shell=True, cwd=self.dir, check=True, timeout=30)
        with open(os.path.join(self.dir, "out")) as out:
            self.assertIn("200 admitted", out.read())
        self.assertIn("save it first", self.expect(2, "lint", "pipe").stderr)

    def test_a_wrong_timeline_is_named_with_its_place(self):
        self.write("t.yaml", """\
policy:
  version: 1
  limts: []
steps:
  - {at: 0s, expect: {admit: 1}}
""")
        self.assertIn("t.yaml:3:3: error: unknown key `limts`", self.expect(1, "test", "t.yaml").stderr)


if __name__ == "__main__":
    WEIR = os.path.abspath(sys.argv[1])
    SOURCE = os.path.abspath(sys.argv[2])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
