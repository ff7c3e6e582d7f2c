"""The programs of a fleet on loopback: Redis, sentinels, memcached, S3, picture servers. All end with this process."""

import atexit
import ctypes
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
PYTHON = os.path.join(ROOT, ".venv/bin/python")
os.environ["PATH"] += ":/usr/sbin:/usr/local/sbin"

_running = []


def use_the_python_of_the_tests():
    """Starts the script again with the Python that has Pillow and moto."""
    if os.path.exists(PYTHON) and os.path.realpath(sys.prefix) != os.path.realpath(os.path.join(ROOT, ".venv")):
        os.execv(PYTHON, [PYTHON] + sys.argv)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def _end_with_parent():
    # PR_SET_PDEATHSIG: a process that is killed cannot end its children.
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


class Program:
    """A program that listens at a port."""

    def __init__(self, command, port, log, environment=None):
        self.command, self.port, self.log, self.environment = command, port, log, environment
        if not shutil.which(command[0]):
            sys.exit(f"fleet: {command[0]} is not installed; script/bootstrap does it")
        self.start()

    def start(self, waits=True):
        # An interrupt of the terminal is for this process, which then ends the others.
        self.process = subprocess.Popen(
            self.command, stdin=subprocess.DEVNULL, stdout=open(self.log, "ab"), stderr=subprocess.STDOUT,
            env={**os.environ, **(self.environment or {})}, preexec_fn=_end_with_parent, start_new_session=True)
        _running.append(self)
        if waits:
            self.wait_for_start()
        return self

    def wait_for_start(self, seconds=30):
        end = time.time() + seconds
        while time.time() < end and self.process.poll() is None:
            try:
                return socket.create_connection(("127.0.0.1", self.port), 0.5).close()
            except OSError:
                time.sleep(0.02)
        tail = open(self.log, errors="replace").read()[-2000:]
        sys.exit(f"fleet: {' '.join(self.command)} does not start:\n{tail}")

    def send(self, number):
        self.process.send_signal(number)

    def stop(self):
        """Kills the program and its children."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        if self in _running:
            _running.remove(self)


@atexit.register
def stop_all():
    for program in list(_running):
        program.stop()


signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))


class Folder:
    """A temporary folder for the logs and files of all programs, removed at the end."""

    def __init__(self):
        self.path = tempfile.mkdtemp(prefix="easel-fleet-")
        # Programs that still write into it end first.
        atexit.unregister(stop_all)
        atexit.register(shutil.rmtree, self.path, ignore_errors=True)
        atexit.register(stop_all)

    def file(self, name, text=None):
        path = os.path.join(self.path, name)
        if text is not None:
            with open(path, "w") as file:
                file.write(text)
        return path

    def folder(self, name):
        path = os.path.join(self.path, name)
        os.makedirs(path, exist_ok=True)
        return path


def redis(folder, *options, port=None, name="redis"):
    port = port or free_port()
    return Program(
        ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no",
         "--maxmemory-policy", "allkeys-lfu", "--dir", folder.folder(f"{name}-{port}"), *options],
        port, folder.file(f"{name}-{port}.log"))


def sentinel(folder, master, name="main"):
    port = free_port()
    settings = folder.file(f"sentinel-{port}.conf", f"""
port {port}
bind 127.0.0.1
dir {folder.folder(f"sentinel-{port}")}
sentinel monitor {name} 127.0.0.1 {master} 1
sentinel down-after-milliseconds {name} 500
sentinel failover-timeout {name} 3000
""")
    return Program(["redis-sentinel", settings], port, folder.file(f"sentinel-{port}.log"))


def redis_says(port, *words):
    """The answer of Redis to one command, as redis-cli prints it."""
    return subprocess.run(
        ["redis-cli", "-p", str(port), *words], capture_output=True, text=True, timeout=10).stdout.strip()


def memcached(folder):
    port = free_port()
    return Program(
        ["memcached", "-u", "nobody", "-l", "127.0.0.1", "-p", str(port), "-I", "2m"], port,
        folder.file(f"memcached-{port}.log"))


S3_KEYS = {"AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_REGION": "us-east-1"}


def s3(folder, bucket="pictures"):
    """moto, which behaves as S3 does, with a bucket."""
    import urllib.request
    port = free_port()
    folder.file("easel_moto.py", "from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app\n"
                "application = DomainDispatcherApplication(create_backend_app)\n")
    program = Program(
        [PYTHON, "-m", "gunicorn", "--bind", f"127.0.0.1:{port}", "--workers", "1", "--threads", "16",
         "--no-control-socket", "--chdir", folder.path, "--log-level", "warning", "easel_moto:application"],
        port, folder.file("s3.log"))
    request = urllib.request.Request(f"http://127.0.0.1:{port}/{bucket}", method="PUT", data=b"")
    urllib.request.urlopen(request, timeout=30).close()
    program.address = f"s3://{bucket}/easel?endpoint=http://127.0.0.1:{port}"
    return program


class PictureServer(Program):
    """An `easel serve`."""

    def __init__(self, easel, folder, shared, *options):
        self.metrics = free_port()
        port = free_port()
        command = [easel, "serve", "--unsafe", "--allow-private", "--listen", f"127.0.0.1:{port}", "--metrics",
                   f"127.0.0.1:{self.metrics}", "--log", "off", "--no-progress", "--drain-delay", "0"]
        for address in shared:
            command += ["--shared", address]
        super().__init__(command + list(options), port, folder.file(f"easel-{port}.log"), S3_KEYS)

    def figures(self):
        """The metrics by their names; empty if the server cannot be reached."""
        import http.client
        try:
            connection = http.client.HTTPConnection("127.0.0.1", self.metrics, timeout=5)
            connection.request("GET", "/metrics")
            text = connection.getresponse().read().decode()
            connection.close()
        except OSError:
            return {}
        lines = (line.rsplit(" ", 1) for line in text.splitlines() if line and not line.startswith("#"))
        return {name: float(value) for name, value in lines}


def fleet(easel, folder, shared, *options, count=3):
    return [PictureServer(easel, folder, shared, *options) for _ in range(count)]
