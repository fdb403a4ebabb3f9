"""What happens beside the traffic: upstream's weather, other processes on the cache, signals."""

import os
import random
import signal
import subprocess
import threading
import time
from collections import Counter
from pathlib import Path

from .wire import Connection, WireError

# Faults that pass: a film has its poster again when the fault is over.
PASSING = [
    "hang", "reset&after=2000", "status&code=500", "status&code=503&retry-after=1", "refused",
    "short&after=5000", "cut&after=3000", "drip&bytes=20&ms=500", "delay&ms=600", "delay&ms=3000",
    "broken-chunks&after=3000", "chunked", "excess", "ignores-conditional", "http10",
]
# Faults of which the server remembers for ten minutes or an hour that the film has no poster:
# only for films whose name begins with one of these.
LASTING = ["html", "gzip", "status&code=404", "encoding", "oversized", "redirect&to=http://x.invalid/"]
UNLUCKY = "01"
# What befalls the whole host, lists included.
STORMS = [
    "hang", "status&code=500", "status&code=429&retry-after=3", "reset&after=100", "refused",
    "delay&ms=2000", "cut&after=500", "status&code=429", "not-http",
]


class Beside(threading.Thread):
    """Does one thing again and again until the end."""

    def __init__(self, name, work, pause, until):
        super().__init__(daemon=True, name=name)
        self.work, self.pause, self.until = work, pause, until
        self.times = 0

    def run(self):
        while time.monotonic() + self.pause < self.until:
            time.sleep(self.pause)
            self.work(self.times)
            self.times += 1


class Weather:
    """Faults at the stand-in upstream: a few films at a time, and all of it now and then."""

    def __init__(self, port, seed, cycle):
        self.port, self.cycle = port, cycle
        self.random = random.Random(f"{seed} weather")
        self.patterns = []
        self.seen = Counter()
        self.storms = 0
        self.storm_ends = None

    def control(self, method, what):
        Connection(self.port).ask(f"/_origin/{what}", method, ("Connection: close",))

    def set(self, pattern, fault):
        self.control("PUT", f"faults?path={pattern}&fault={fault}")
        self.seen[fault.split("&")[0]] += 1

    def change(self, times):
        """Called every second."""
        if self.storm_ends is not None:
            if times < self.storm_ends:
                return
            self.control("DELETE", "faults?path=/t/p/*")
            self.control("DELETE", "faults?path=/3/*")
            self.storm_ends = None
        if times % self.cycle == self.cycle // 2:
            self.control("DELETE", "faults")
            self.patterns = []
            fault = STORMS[self.storms % len(STORMS)]
            self.storms += 1
            self.set("/t/p/*", fault)
            self.set("/3/*", fault)
            self.storm_ends = times + 3
            return
        size = self.random.choice(["w185", "w342", "w500"])
        letter = self.random.choice("0123456789abcdef")
        pattern = f"/t/p/{size}/{letter}*"
        self.set(pattern, self.random.choice(LASTING if letter in UNLUCKY else PASSING))
        self.patterns.append(pattern)
        if len(self.patterns) > 4:
            self.control("DELETE", f"faults?path={self.patterns.pop(0)}")

    def clear(self):
        self.control("DELETE", "faults")


class Processes:
    """`prefetch`, `prune` and `verify` on the cache that is being served."""

    def __init__(self, program, environment, folder, films, seed, ledger):
        self.program, self.environment, self.ledger = program, environment, ledger
        self.folder, self.films = folder, films
        self.random = random.Random(f"{seed} processes")
        self.codes = Counter()
        self.rotten = 0

    def run(self, allowed, *words):
        done = subprocess.run([self.program, *words], env=self.environment, capture_output=True,
                              text=True, timeout=300)
        self.codes[words[0], done.returncode] += 1
        if done.returncode not in allowed:
            self.ledger.find(f"{' '.join(words)}: exit {done.returncode}: {done.stderr[-400:]}")
        elif done.returncode == 0 and words[0] != "verify" and done.stdout + done.stderr:
            self.ledger.find(f"{' '.join(words)} is not quiet: {(done.stdout + done.stderr)[:400]}")
        return done

    def prefetch(self, times):
        # 1: some failed; 69: no list; 75: the host asked for a longer pause. All are the weather's.
        allowed = {0, 1, 69, 75}
        if times % 4 == 3:
            self.run(allowed, "prefetch", "--quiet", "--pages", "2", "--sizes", "w185")
            return
        some = self.folder / f"films{times}"
        some.write_text("".join(f"/{film}\n" for film in self.random.sample(self.films.names, 40)))
        self.run(allowed, "prefetch", "--quiet", "--from", str(some), "--sizes", "w185,w342",
                 "--thumbs", "60x90,120x180", "--rate", "100")
        some.unlink()

    def prune(self, times):
        words = ["prune", "--quiet", "--max-age", "40s"]
        self.run({0}, *words, *(["--max-size", "4M"] if times % 5 == 4 else []))

    def verify(self, times):
        done = self.run({0, 1}, "verify")
        if done.returncode == 1 and not self.rotten:
            self.ledger.find(f"verify: {done.stdout[-400:]} {done.stderr[-400:]}")

    def rot(self, times):
        """Changes a byte of an entry, as a failing disk does."""
        # A prune removes empty folders meanwhile, which os.walk passes over.
        cache = Path(self.environment["ONESHEET_CACHE_DIR"])
        files = [
            Path(folder) / name
            for kind in ("posters", "thumbs") for folder, _, names in os.walk(cache / kind)
            for name in names
        ]
        try:
            with open(self.random.choice(files), "r+b") as file:
                place = self.random.randrange(os.fstat(file.fileno()).st_size)
                file.seek(place)
                byte = file.read(1)
                file.seek(place)
                file.write(bytes([byte[0] ^ 1 << self.random.randrange(8)]))
            self.rotten += 1
        except (OSError, IndexError, ValueError):
            # Pruned meanwhile, or nothing there yet.
            pass


class Rotation:
    """Moves the access log away and has it reopened."""

    def __init__(self, server, log):
        self.server, self.log = server, log
        self.files = [log]

    def rotate(self, times):
        moved = self.log.with_name(f"{self.log.name}.{times}")
        os.rename(self.log, moved)
        self.files.append(moved)
        self.server.send_signal(signal.SIGHUP)

    def lines(self):
        return [line for file in self.files for line in file.read_text().splitlines()]


class Gauge:
    """What the server's process uses, once a second."""

    def __init__(self, process):
        self.process = process
        self.samples = []

    def sample(self, times):
        folder = f"/proc/{self.process}"
        with open(f"{folder}/status") as file:
            fields = dict(line.split(":", 1) for line in file)
        try:
            descriptors = len(os.listdir(f"{folder}/fd"))
        except OSError:
            return
        self.samples.append((int(fields["VmRSS"].split()[0]) / 1024, descriptors,
                             int(fields["Threads"])))


class Readers:
    """Connections that stay open and idle, so that there are some to be counted."""

    def __init__(self, port, number):
        self.connections = [Connection(port) for _ in range(number)]

    def ask_all(self, ledger):
        for connection in self.connections:
            try:
                ledger.count("healthz", connection.ask("/healthz"), 0)
            except WireError as error:
                ledger.find(f"an idle connection: {error}")
