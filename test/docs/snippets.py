#!/usr/bin/env python3
"""Runs what the documents show: policies through `weir lint`, commands through bash, C++ through
the compiler. CONTRIBUTING.md ("Documents that are tested") says how a block is marked.

  snippets.py --source . --weir build/release/weir --prefix INSTALLED README.md docs/*.md
"""

import argparse
import contextlib
import os
import pathlib
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from markdown import Fault, blocks

TIMEOUT_S = 120
READ_ONLY = {"text", "json", "http", "nginx", "caddyfile", "yml", "csv", "cmake", "make", "diff"}


class Server:
    """One `weir serve` on free ports."""

    def __init__(self, weir, policy, cwd, env):
        self.process = subprocess.Popen(
            [weir, "serve", policy, "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"],
            cwd=cwd, env=env, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
        self.addresses = {}
        try:
            self.wait()
        except Fault:
            self.stop()
            raise

    def wait(self):
        deadline, text = time.monotonic() + 30, b""
        while len(self.addresses) < 2:
            ready, _, _ = select.select([self.process.stdout], [], [], deadline - time.monotonic())
            chunk = os.read(self.process.stdout.fileno(), 65536) if ready else b""
            if not chunk:
                raise Fault("weir serve did not say 'listening http' and 'listening admin': "
                            + text.decode(errors="replace"))
            text += chunk
            for kind, address in re.findall(rb"^listening (http|admin) (\S+)\n", text, re.M):
                self.addresses[kind.decode()] = address.decode()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()


class Document:
    """Runs the blocks of one file in order, in a workspace that starts as a copy of examples/."""

    def __init__(self, options, work):
        self.options, self.work, self.server = options, pathlib.Path(work), None
        source = pathlib.Path(options.source)
        if (source / "examples").is_dir():
            shutil.copytree(source / "examples", self.work / "examples")
        (self.work / "build/release").mkdir(parents=True)
        self.weir = os.path.abspath(options.weir)
        os.symlink(self.weir, self.work / "build/release/weir")
        self.env = dict(os.environ, NO_COLOR="1",
                        PATH=f"{self.work}/build/release:{os.environ['PATH']}")
        self.env.pop("WEIR_URL", None)

    def close(self):
        if self.server:
            self.server.stop()
            self.server = None

    def run(self, block):
        """'ok', 'skipped' or 'read only'; raises Fault with what is wrong."""
        if block.one("skip"):
            return "skipped"
        if (serve := block.one("serve")) and block.language != "yaml":
            self.serve(serve)
        action = {"yaml": self.yaml, "sh": self.sh, "bash": self.sh, "console": self.console,
                  "cpp": self.cpp, "c++": self.cpp, "c": self.c}.get(block.language)
        if action is None:
            if block.language not in READ_ONLY:
                raise Fault(f"no rule for a '{block.language}' block; use 'text' if it is only read")
            if name := block.one("file"):
                self.write(name, block.text)
                return "ok"
            return "read only"
        action(block)
        return "ok"

    def write(self, name, text):
        path = (self.work / name).resolve()
        if not path.is_relative_to(self.work.resolve()):
            raise Fault(f"{name} lies outside the workspace")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def serve(self, policy):
        self.close()
        self.server = Server(self.weir, policy, self.work, self.env)
        self.env["WEIR_URL"] = "http://" + self.server.addresses["http"]
        self.env["WEIR_ADMIN_URL"] = "http://" + self.server.addresses["admin"]

    def local(self, text):
        """The documents' default addresses become those of the server that runs."""
        if self.server:
            for port, kind in ((8080, "http"), (8090, "admin")):
                text = re.sub(rf"\b(127\.0\.0\.1|localhost):{port}\b",
                              self.server.addresses[kind], text)
        return text

    def execute(self, block, command):
        """Runs `command` and holds its exit code and output against the block's directives."""
        tries = int(block.one("retry") or 1)
        for left in reversed(range(tries)):
            done = subprocess.run(command, cwd=self.work, env=self.env, timeout=TIMEOUT_S,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, errors="replace")
            fault = self.verdict(block, done)
            if not fault:
                return done.stdout
            if left:
                time.sleep(1.1)  # past a window of a second that the block straddled
        raise Fault(fault)

    def verdict(self, block, done):
        wanted = int(block.one("exit") or 0)
        if done.returncode != wanted:
            return f"exit {done.returncode}, not {wanted}:\n{done.stdout}"
        for text in block.all("expect"):
            if text not in done.stdout:
                return f"'{text}' is not in the output:\n{done.stdout}"
        for text in block.all("reject"):
            if text in done.stdout:
                return f"'{text}' is in the output:\n{done.stdout}"
        return None

    def yaml(self, block):
        text = block.text
        if same := block.one("same"):
            if (pathlib.Path(self.options.source) / same).read_text() != text:
                raise Fault(f"differs from {same}")
        if base := block.one("with"):
            text = (self.work / base).read_text() + text
        name = block.one("file")
        path = self.write(name or "snippet.yaml", text)
        if name is None or re.search(r"^version:", text, re.M):
            self.execute(block, [self.weir, "lint", str(path.relative_to(self.work.resolve()))])
        if block.one("serve") is not None:
            self.serve(str(path))

    def sh(self, block):
        self.execute(block, ["bash", "-euo", "pipefail", "-c", self.local(block.text)])

    def console(self, block):
        """`$ command` lines, each followed by its whole output; '...' stands for anything."""
        steps = re.split(r"^\$ ", block.text, flags=re.M)
        if steps[0].strip() or len(steps) < 2:
            raise Fault("a console block starts with '$ command'")
        for step in steps[1:]:
            command, _, shown = step.partition("\n")
            while command.endswith("\\"):
                more, _, shown = shown.partition("\n")
                command += "\n" + more
            done = subprocess.run(["bash", "-c", self.local(command)], cwd=self.work, env=self.env,
                                  timeout=TIMEOUT_S, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            pattern = ".*".join(re.escape(part) for part in self.local(shown).strip().split("..."))
            if not re.fullmatch(pattern, done.stdout.strip().replace("\r", ""), re.S):
                raise Fault(f"'{command}' printed\n{done.stdout}\nnot\n{shown}")

    def flags(self, library, *more):
        """What pkg-config says of an installed library."""
        pc = next(pathlib.Path(self.options.prefix).rglob(f"weir-{library}.pc"), None)
        if pc is None:
            raise Fault(f"weir-{library}.pc is not installed in {self.options.prefix}")
        env = dict(self.env, PKG_CONFIG_PATH=str(pc.parent))
        return subprocess.run(["pkg-config", "--cflags", "--libs", *more, f"weir-{library}"], env=env,
                              check=True, capture_output=True, text=True).stdout.split()

    def compile(self, command):
        done = subprocess.run(command, cwd=self.work, timeout=TIMEOUT_S, capture_output=True, text=True)
        if done.returncode:
            raise Fault(f"does not compile:\n{done.stderr}")

    def c(self, block):
        """A whole program, linked by the C compiler."""
        source = self.write("snippet.c", block.text)
        self.compile([os.environ.get("CC", "gcc"), "-std=c11", "-Wall", "-Wextra", "-Werror", str(source),
                      "-o", str(self.work / "snippet"), *self.flags("limiter", "--static")])
        self.execute(block, [str(self.work / "snippet")])

    def cpp(self, block):
        """A whole program, or statements that are put into one (includes are moved to the top)."""
        text = block.text
        if not re.search(r"\bint main\(", text) and block.one("decl") is None:
            includes = "".join(re.findall(r"^#include.*\n", text, re.M))
            body = re.sub(r"^#include.*\n", "", text, flags=re.M)
            text = f"{includes}int main() {{\n{body}return 0;\n}}\n"
        source = self.write("snippet.cc", text)
        flags = self.flags(block.one("link") or "engine")
        whole = "main(" in text
        build = [os.environ.get("CXX", "g++"), "-std=c++20", "-Wall", "-Wextra",
                 "-Wno-unused-variable", "-Wno-unused-but-set-variable", str(source)]
        build += ["-o", str(self.work / "snippet"), *flags] if whole else ["-fsyntax-only", *flags]
        self.compile(build)
        if block.one("run") is not None or block.all("expect"):
            self.execute(block, [str(self.work / "snippet")])


def test_file(options, path):
    """Number of blocks that failed."""
    counts, failed = {}, 0
    name = os.path.relpath(path, options.source)
    with tempfile.TemporaryDirectory(prefix="weir-docs-") as work, contextlib.ExitStack() as stack:
        document = Document(options, work)
        stack.callback(document.close)
        for block in blocks(name, pathlib.Path(path).read_text()):
            try:
                result = document.run(block)
                counts[result] = counts.get(result, 0) + 1
            except (Fault, OSError, ValueError, subprocess.SubprocessError) as fault:
                failed += 1
                print(f"{block.where}: {block.language}: {fault}")
    words = ", ".join(f"{n} {what}" for what, n in sorted(counts.items())) or "no blocks"
    print(f"{name}: {words}, {failed} failed")
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", required=True, help="the repository")
    parser.add_argument("--weir", required=True, help="the program")
    parser.add_argument("--prefix", required=True, help="where weir is installed, for C++")
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    options.source = os.path.abspath(options.source)
    try:
        failed = sum(test_file(options, path) for path in options.files)
    except Fault as fault:
        print(fault)
        failed = 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
