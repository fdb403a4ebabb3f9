"""A stranger to the operator: floods of lists, boxes, names and large placeholders, and readers that
do not read.

    python3 -m soaking.stranger PORT SECONDS SEED FILMS KIND=CONNECTIONS…

FILMS is a file of poster names, one a line. Prints one JSON object at the end: by kind its answers by
status, bytes, and connections that the server closed. A program of its own, so that its clients and
the honest ones share no interpreter.
"""

import json
import os
import random
import select
import socket
import struct
import sys
import threading
import time
from collections import Counter
from pathlib import Path

from .wire import Connection, WireError

LANGUAGES = [f"{a}{b}-{c}{c}" for a in "abcdefgh" for b in "aeiou" for c in "XYZ"]
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"


def lists(dice, films):
    number = dice.randrange(1, 1_000_000)
    return dice.choice([
        f"/3/trending/movie/week?page={number % 500 + 1}&language={dice.choice(LANGUAGES)}",
        f"/3/discover/movie?with_genres={number}", f"/3/movie/{number}", f"/film/{number}",
        f"/?language={dice.choice(LANGUAGES)}",
    ])


def boxes(dice, films):
    box = f"{dice.randrange(20, 500)}x{dice.randrange(20, 750)}"
    form = dice.choice(["jpeg", "png", "webp"])
    return f"/thumb/{box}/{dice.choice(films)}?q={dice.randrange(1, 101)}&format={form}"


def names(dice, films):
    name = "".join(dice.choices(LETTERS, k=24))
    return dice.choice([f"/t/p/w342/{name}.jpg", f"/thumb/120x180/{name}.jpg"])


def placeholders(dice, films):
    box = f"{dice.randrange(800, 2000)}x{dice.randrange(1000, 2000)}"
    title = "%20".join("".join(dice.choices(LETTERS, k=6)) for _ in range(4))
    return f"/placeholder/{box}?format={dice.choice(['jpeg', 'png', 'webp'])}&title={title}"


FLOODS = {"lists": lists, "boxes": boxes, "names": names, "placeholders": placeholders}


class Flood(threading.Thread):
    """One connection that asks for something new as fast as it is answered."""

    def __init__(self, kind, number, port, until, seed, films, counts):
        super().__init__(daemon=True)
        self.target, self.kind = FLOODS[kind], kind
        self.dice = random.Random(f"{seed} {kind} {number}")
        self.port, self.until, self.films, self.counts = port, until, films, counts

    def run(self):
        connection = Connection(self.port, timeout=90)
        own = Counter()
        while time.monotonic() < self.until:
            try:
                response = connection.ask(self.target(self.dice, self.films))
                own[str(response.status)] += 1
                own["bytes"] += len(response.body)
            except WireError:
                own["closed"] += 1
                time.sleep(0.05)
        connection.close()
        self.counts.append((self.kind, own))


class Readers(threading.Thread):
    """Connections that ask for pictures, one request behind the other, and read nothing. After some
    seconds, or when the server has hung up, each is reset and opened again."""

    PATIENCE = 15
    REQUESTS = 64

    def __init__(self, number, port, until, seed, films, counts):
        super().__init__(daemon=True)
        self.dice = random.Random(f"{seed} readers")
        self.number, self.port, self.until = number, port, until
        self.films, self.counts = films, counts

    def open(self):
        reader = socket.socket()
        # The least that the kernel allows: what is not read stays with the server.
        reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        reader.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        reader.connect(("127.0.0.1", self.port))
        wishes = (f"GET /t/p/w500/{self.dice.choice(self.films)} HTTP/1.1\r\nHost: stranger\r\n\r\n"
                  for _ in range(self.REQUESTS))
        reader.setblocking(False)
        reader.send("".join(wishes).encode())
        return reader, time.monotonic() + self.PATIENCE

    def run(self):
        own, readers = Counter(), []
        while time.monotonic() < self.until:
            while len(readers) < self.number:
                try:
                    readers.append(self.open())
                    own["opened"] += 1
                except OSError:
                    own["refused"] += 1
                    break
            poller = select.poll()
            for reader, _ in readers:
                poller.register(reader, select.POLLRDHUP)
            gone = {file for file, _ in poller.poll(200)}
            now, kept = time.monotonic(), []
            for reader, end in readers:
                if reader.fileno() in gone or now > end:
                    own["closed"] += reader.fileno() in gone
                    reader.close()
                else:
                    kept.append((reader, end))
            readers = kept
            time.sleep(0.1)
        for reader, _ in readers:
            reader.close()
        self.counts.append(("readers", own))


def main(words):
    port, seconds, seed = int(words[0]), float(words[1]), words[2]
    films = Path(words[3]).read_text().split()
    # It would come from elsewhere, and not take this machine's cores from the honest clients.
    os.nice(5)
    until, counts, threads = time.monotonic() + seconds, [], []
    for word in words[4:]:
        kind, _, number = word.partition("=")
        if kind == "readers":
            threads.append(Readers(int(number), port, until, seed, films, counts))
        else:
            threads += [Flood(kind, one, port, until, seed, films, counts)
                        for one in range(int(number))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sums = {}
    for kind, own in counts:
        sums.setdefault(kind, Counter()).update(own)
    print(json.dumps(sums))


if __name__ == "__main__":
    main(sys.argv[1:])
