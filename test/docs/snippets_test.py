"""The runner itself: what it must accept, and above all what it must not let pass."""

import contextlib
import io
import os
import pathlib
import stat
import tempfile
import types
import unittest

import markdown
import snippets

FAKE_WEIR = """#!/usr/bin/env bash
# A stand-in: `lint` refuses a file with the word bad; `serve` says it listens and waits.
case $1 in
  lint) if grep -q bad "$2"; then echo "finding: bad"; exit 1; fi ;;
  serve) echo "listening http 127.0.0.1:1234"; echo "listening admin 127.0.0.1:1235"
         exec sleep 60 ;;
esac
"""


class Runner(unittest.TestCase):
    def setUp(self):
        self.root = tempfile.TemporaryDirectory()
        self.addCleanup(self.root.cleanup)
        root = pathlib.Path(self.root.name)
        (root / "examples").mkdir()
        (root / "examples/p.yaml").write_text("version: 1\n")
        weir = root / "weir"
        weir.write_text(FAKE_WEIR)
        weir.chmod(weir.stat().st_mode | stat.S_IXUSR)
        self.options = types.SimpleNamespace(source=str(root), weir=str(weir), prefix=str(root))

    def failures(self, text):
        path = os.path.join(self.root.name, "doc.md")
        pathlib.Path(path).write_text(text)
        self.output = io.StringIO()
        with contextlib.redirect_stdout(self.output):
            return snippets.test_file(self.options, path)

    def test_policies(self):
        self.assertEqual(self.failures("```yaml\nversion: 1\n```\n"), 0)
        self.assertEqual(self.failures("```yaml\nversion: bad\n```\n"), 1)
        self.assertEqual(self.failures(
            "<!-- test: exit 1 -->\n<!-- test: expect finding -->\n```yaml\nversion: bad\n```\n"), 0)
        self.assertEqual(self.failures(
            "<!-- test: exit 1 -->\n<!-- test: expect else -->\n```yaml\nversion: bad\n```\n"), 1)
        self.assertEqual(self.failures(
            "<!-- test: same examples/p.yaml -->\n```yaml\nversion: 1\n```\n"), 0)
        self.assertEqual(self.failures(
            "<!-- test: same examples/p.yaml -->\n```yaml\nversion: 2\n```\n"), 1)
        self.assertEqual(self.failures(
            "<!-- test: with examples/p.yaml -->\n```yaml\nlimits: []\n```\n"), 0)
        self.assertEqual(self.failures(
            "<!-- test: with examples/p.yaml -->\n```yaml\nlimits: bad\n```\n"), 1)

    def test_commands(self):
        self.assertEqual(self.failures("```sh\ntrue\n```\n"), 0)
        self.assertEqual(self.failures("```sh\nfalse\ntrue\n```\n"), 1)
        self.assertEqual(self.failures("<!-- test: exit 3 -->\n```sh\nexit 3\n```\n"), 0)
        self.assertEqual(self.failures("<!-- test: reject b -->\n```sh\necho abc\n```\n"), 1)
        self.assertEqual(self.failures("```sh\nbuild/release/weir lint examples/p.yaml\n```\n"), 0)

    def test_a_retry_runs_the_block_again(self):
        again = "<!-- test: retry 2 -->\n```sh\n[ -e once ] || { touch once; exit 1; }\n```\n"
        self.assertEqual(self.failures(again), 0)

    def test_transcripts(self):
        self.assertEqual(self.failures("```console\n$ echo one; echo two\none\n...\n```\n"), 0)
        self.assertEqual(self.failures("```console\n$ echo one\ntwo\n```\n"), 1)
        self.assertEqual(self.failures("```console\n$ echo one\n$ echo two\none\n```\n"), 1)

    def test_addresses_become_those_of_the_server(self):
        text = ("<!-- test: serve examples/p.yaml -->\n<!-- test: expect to 127.0.0.1:1234/v1 -->\n"
                "```sh\necho to 127.0.0.1:8080/v1\n```\n")
        self.assertEqual(self.failures(text), 0)
        self.assertIn("1 ok", self.output.getvalue())

    def test_what_is_not_run_is_counted(self):
        self.assertEqual(self.failures("<!-- test: skip needs root -->\n```sh\nfalse\n```\n"), 0)
        self.assertIn("1 skipped", self.output.getvalue())
        self.assertEqual(self.failures("```text\nanything\n```\n"), 0)
        self.assertEqual(self.failures("```shell\ntrue\n```\n"), 1)

    def test_faulty_marks(self):
        for text in ("```\nuntagged\n```\n", "```sh\nnever closed\n", "<!-- test: skip -->\n```sh\n```\n",
                     "<!-- test: skipp x -->\n```sh\n```\n", "<!-- test: run -->\ntext\n",
                     "<!-- test: run -->\n"):
            with self.assertRaises(markdown.Fault, msg=text):
                self.failures(text)


if __name__ == "__main__":
    unittest.main()
