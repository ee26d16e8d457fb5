"""Real programs for the end-to-end tests: weir serve, nginx, and a tiny application.

Everything listens on loopback, on free ports; readiness is waited for, never slept for; what was
started is stopped by its pid. Environment: WEIR, the binary (default build/release/weir).
"""

import contextlib
import http.client
import http.server
import os
import pathlib
import re
import shutil
import signal
import socket
import socketserver
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
WEIR = os.environ.get("WEIR", str(ROOT / "build" / "release" / "weir"))
DEADLINE = 20.0


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_until(condition, what):
    end = time.monotonic() + DEADLINE
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"waited {DEADLINE:.0f} s for {what}")
        threading.Event().wait(0.01)


def accepts(port):
    with socket.socket() as s:
        s.settimeout(1)
        return s.connect_ex(("127.0.0.1", port)) == 0


class Weir:
    """`weir serve` on a policy text or file."""

    def __init__(self, policy, folder, *options, env=None):
        self.folder = pathlib.Path(folder)
        path = pathlib.Path(policy) if os.path.exists(str(policy)) else self.folder / "policy.yaml"
        if str(path) != str(policy):
            path.write_text(policy)
        self.policy = path
        self.log = open(self.folder / "weir.log", "ab")
        self.process = subprocess.Popen(
            [WEIR, "serve", str(path), "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", *options],
            stdout=subprocess.PIPE, stderr=self.log, text=True, env={**os.environ, **(env or {})})
        self.ports = {}
        while not {"http", "admin"} <= self.ports.keys():
            line = self.process.stdout.readline()
            if not line:
                self.process.wait()
                raise AssertionError("weir did not start:\n" + (self.folder / "weir.log").read_text())
            words = line.split()
            if words and words[0] == "listening":
                self.ports[words[1]] = int(words[2].rsplit(":", 1)[1])
        self.port, self.admin = self.ports["http"], self.ports["admin"]
        threading.Thread(target=self.process.stdout.read, daemon=True).start()

    @property
    def pid(self):
        return self.process.pid

    def reload(self):
        self.process.send_signal(signal.SIGHUP)

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(DEADLINE)
        return self.process.returncode

    def kill(self):
        self.process.kill()
        self.process.wait(DEADLINE)

    def errors(self):
        self.log.flush()
        return (self.folder / "weir.log").read_text()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(DEADLINE)
            except subprocess.TimeoutExpired:
                self.kill()
        self.log.close()


class Redis:
    """A redis-server of our own that keeps nothing on disk."""

    def __init__(self, port=None, *options, env=None):
        self.port, self.options, self.process = port or free_port(), options, None
        self.env = {**os.environ, **(env or {})}

    def start(self):
        self.process = subprocess.Popen(
            [shutil.which("redis-server") or "/usr/bin/redis-server", "--bind", "127.0.0.1", "--port",
             str(self.port), "--save", "", "--appendonly", "no", "--dbfilename",
             f"weir-{self.port}.rdb", *self.options],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=self.env)
        wait_until(lambda: self.process.poll() is not None or self.says_pong(), "redis-server")
        assert self.process.poll() is None, "redis-server ended"
        return self

    def says_pong(self):
        try:
            return self.command("PING") == b"+PONG"
        except OSError:
            return False

    def command(self, *words):
        """The first line of the reply."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=DEADLINE) as s:
            parts = [w if isinstance(w, bytes) else str(w).encode() for w in words]
            s.sendall(b"*%d\r\n" % len(parts) + b"".join(b"$%d\r\n%s\r\n" % (len(p), p) for p in parts))
            return s.makefile("rb").readline().rstrip()

    def signal(self, number):
        self.process.send_signal(number)

    def kill(self):
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait(DEADLINE)

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        if self.process is not None:
            self.process.send_signal(signal.SIGCONT)
        self.kill()


class App:
    """The protected application: 200 and a body for everything, 403 and 429 of its own."""

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def answer(self):
            length = int(self.headers.get("Content-Length") or 0)
            self.rfile.read(length)
            status = {"/own/403": 403, "/own/429": 429, "/own/500": 500}.get(self.path, 200)
            body = b"app\n"
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = do_OPTIONS = do_PATCH = answer

        def log_message(self, *_):
            pass

    class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
        daemon_threads = True

    def __init__(self):
        self.server = self.Server(("127.0.0.1", 0), self.Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


class Nginx:
    """Debian's nginx with the files of integrations/nginx as they are, but for the ports, and with
    the patience that a busy machine needs: after 100 ms a verdict would be what nginx makes of it."""

    def __init__(self, folder, weir_port, app_port, fail_open=True, edit=lambda conf: conf):
        folder = pathlib.Path(folder)
        self.port = free_port()
        shared = (ROOT / "integrations/nginx/weir.conf").read_text()
        if not fail_open:
            lines = shared.splitlines(keepends=True)
            kept = [l for l in lines if "= @weir_open;" not in l]
            assert len(kept) == len(lines) - 1, "weir.conf has one line that makes it fail open"
            shared = "".join(kept)
        patient, n = re.subn(r"(proxy_(?:connect|read)_timeout) \d+ms;", r"\1 10s;", shared)
        assert n == 2, "weir.conf has two timeouts"
        (folder / "weir.conf").write_text(edit(patient))
        shutil.copy(ROOT / "integrations/nginx/weir-protect.conf", folder)
        (folder / "nginx.conf").write_text(f"""
pid {folder}/nginx.pid;
error_log {folder}/nginx.log;
worker_processes 1;
daemon off;
events {{ worker_connections 512; }}
http {{
  access_log off;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
  keepalive_requests 1000000;
  upstream weir {{ server 127.0.0.1:{weir_port}; keepalive 32; }}
  upstream app {{ server 127.0.0.1:{app_port}; keepalive 32; }}
  server {{
    listen 127.0.0.1:{self.port};
    include {folder}/weir.conf;
    location / {{
      include {folder}/weir-protect.conf;
      proxy_http_version 1.1; proxy_set_header Connection "";
      proxy_pass http://app;
    }}
  }}
}}
""")
        self.folder = folder
        self.process = subprocess.Popen(
            [shutil.which("nginx") or "/usr/sbin/nginx", "-c", str(folder / "nginx.conf"), "-p",
             str(folder)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        try:
            wait_until(lambda: accepts(self.port) or self.process.poll() is not None, "nginx")
            assert self.process.poll() is None, self.process.stderr.read().decode()
        except BaseException:
            self.process.kill()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGQUIT)
        try:
            self.process.wait(DEADLINE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Client:
    """One keep-alive connection."""

    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=DEADLINE)

    def ask(self, method, target, headers=None, body=None):
        """(status, {lower-case field: value}, body); a field sent twice is an error."""
        self.connection.request(method, target, body=body, headers=headers or {})
        response = self.connection.getresponse()
        data = response.read()
        fields = {}
        for name, value in response.getheaders():
            assert name.lower() not in fields, f"{name} was sent twice"
            fields[name.lower()] = value
        return response.status, fields, data

    def raw(self, method, target, fields):
        """As ask, with fields as a list: names may repeat and be odd."""
        self.connection.putrequest(method, target, skip_host=True, skip_accept_encoding=True)
        self.connection.putheader("Host", "localhost")
        for name, value in fields:
            self.connection.putheader(name, value)
        self.connection.endheaders()
        response = self.connection.getresponse()
        data = response.read()
        return response.status, {k.lower(): v for k, v in response.getheaders()}, data

    def close(self):
        self.connection.close()


@contextlib.contextmanager
def folder():
    """A temporary folder that nginx' worker may enter."""
    with tempfile.TemporaryDirectory(prefix="weir-e2e-") as path:
        os.chmod(path, 0o755)
        yield pathlib.Path(path)


def skip(why):
    """ctest counts exit code 77 as skipped."""
    print(f"skipped: {why}")
    sys.exit(77)


def main(tests):
    """Runs the functions whose name begins with test_; prints one line each."""
    if not os.path.exists(WEIR):
        raise SystemExit(f"{WEIR} is not built; run `make build`, or set WEIR")
    names = [n for n in sorted(tests) if n.startswith("test_")]
    only = sys.argv[1:]
    for name in names:
        if only and name not in only:
            continue
        started = time.monotonic()
        tests[name]()
        print(f"ok {name} ({time.monotonic() - started:.1f} s)", flush=True)
