"""Clients that ask for everything at once and believe nothing."""

import json
import random
import re
import socket
import struct
import threading
import time
from collections import Counter

from . import wishes
from .films import SIZES, digest, picture_size
from .wire import Connection, WireError

# What may be answered where no answer can be had: the codes of the contract, by status.
RELAY_ERRORS = {
    502: {"upstream_unreachable", "upstream_error", "upstream_invalid"},
    503: {"upstream_rate_limited", "api_budget_spent", "busy"}, 504: {"upstream_timeout"},
}
IMAGE_ERRORS = {502: {"upstream_unavailable"}, 503: {"busy"}, 504: {"upstream_timeout"}}
# The boxes of the placeholders that a server draws when it starts.
READY_PLACEHOLDERS = {
    (92, 138), (185, 278), (342, 513), (500, 750), (185, 185), (500, 500), (300, 169), (780, 439),
}
DETAIL = re.compile(r"^onesheet; (?:(hit)|fwd=(\w+)|)(?:.*?detail=([\w-]+))?")
LIFE = re.compile(r"^public, max-age=(\d+)$")
TOKEN = ("Authorization: Bearer soak-token",)


class Ledger:
    """What all clients counted and found."""

    def __init__(self):
        self.lock = threading.Lock()
        self.finds = []
        self.requests, self.results, self.codes = Counter(), Counter(), Counter()
        self.contracted = Counter()
        self.latencies = []
        self.image_times, self.late = [], 0
        self.bytes = self.bodies = self.aborted = 0
        self.tags = {}

    def find(self, text):
        with self.lock:
            self.finds.append(text)

    def count(self, route, response, seconds):
        with self.lock:
            self.requests[route, response.status] += 1
            self.bytes += len(response.body)
            self.bodies += bool(response.body)
            self.latencies.append(seconds)

    def note_image(self, wish, seconds, patience):
        """Judges how long an image took; `patience`: the most that it may, where that is asked."""
        with self.lock:
            self.image_times.append(seconds)
            self.late += patience is not None and seconds > patience
        if patience is not None and seconds > patience:
            self.find(f"late by {seconds - patience:.2f} s: {wish.target}")

    def total(self):
        return sum(self.requests.values())


class Client(threading.Thread):
    """One connection, and wishes one after another until the end."""

    def __init__(self, number, world, ledger, until, max_age, patience):
        super().__init__(daemon=True)
        self.random = random.Random(f"{world.seed} {number}")
        self.world, self.ledger, self.until, self.max_age = world, ledger, until, max_age
        # The most seconds that an image may take; None: no limit.
        self.patience = patience
        self.connection = Connection(world.port, timeout=90)
        self.known_tags = {}
        # All looks of a few films, some of the others: the server remembers what it has looked
        # at, up to a bound, and its memory is to be flat after the first minutes.
        films = world.films.names
        self.hot = films[:: len(films) // 24]

    def run(self):
        kinds = [
            (self.poster, 34), (self.thumbnail, 28), (self.bound, 8), (self.unknown, 3),
            (self.no_poster, 1), (self.placeholder, 4), (self.list, 6), (self.page, 2),
            (self.bad, 8), (self.operators, 2),
        ]
        choices, weights = zip(*kinds)
        while time.monotonic() < self.until:
            try:
                self.random.choices(choices, weights)[0]()
            except WireError as error:
                self.ledger.find(f"no answer: {error}")
        self.connection.close()

    def film(self):
        return self.random.choice(self.hot if self.random.random() < 0.6 else
                                  self.world.films.names)

    def poster(self):
        extra = self.random.choice(["", "", "", "?title=Poster", "?fallback=error"])
        wish = wishes.poster(self.film(), self.random.choice(list(SIZES)), extra)
        dice = self.random.random()
        if dice < 0.1:
            self.range(wish)
        elif dice < 0.2:
            self.image(wish, "HEAD")
        else:
            self.image(wish)

    def thumbnail(self):
        film, box, look = self.film(), self.random.choice(wishes.BOXES[:4]), {}
        if film in self.hot:
            box, look = self.random.choice(wishes.BOXES), self.random.choice(wishes.LOOKS)
        title = self.random.choice(wishes.TITLES)
        fallback = "fallback=error" if self.random.random() < 0.05 else ""
        accepts_webp = self.random.random() < 0.5
        wish = wishes.thumbnail(film, box, look, accepts_webp, title, fallback)
        self.image(wish, "HEAD" if self.random.random() < 0.1 else "GET")

    def bound(self):
        film, size = self.random.choice(self.hot), self.random.choice(list(SIZES))
        self.image(wishes.bound_thumbnail(film, size, self.random.choice(wishes.BOUND)))

    def unknown(self):
        self.image(wishes.unknown(self.random.randrange(40), self.random.random() < 0.3))

    def no_poster(self):
        self.image(wishes.no_poster(self.random.choice(list(SIZES))))

    def placeholder(self):
        box = (self.random.randrange(20, 200), self.random.randrange(20, 300))
        form = self.random.choice(["jpeg", "jpeg", "jpeg", "png", "webp"])
        self.image(wishes.drawn(box, form, self.random.choice(wishes.TITLES)))

    def list(self):
        path = self.random.choice(wishes.LISTS)
        if self.random.random() < 0.3:
            path = f"/3/trending/movie/week?page={self.random.randrange(3, 500)}"
        if self.random.random() < 0.1 and not self.world.has_stranger:
            return self.error("GET", path, 401, "token_required", "relay")
        response = self.ask("relay", path, headers=TOKEN)
        if response.status == 200:
            if response.body != self.world.references.list(path):
                self.complain(path, response, "a list that upstream has not")
        else:
            self.contracted(path, response, RELAY_ERRORS)

    def page(self):
        target = self.random.choice(["/", "/?language=ru-RU"])
        response = self.ask("page", target)
        if not response.body.endswith(b"</html>\n"):
            self.complain(target, response, "half a page")
        if response.status != 200:
            # The page says what failed, and which: as the relay, in words for people.
            self.ledger.contracted["page", response.status, ""] += 1
            if response.status not in RELAY_ERRORS:
                self.complain(target, response, "a status that is none of the page's")

    def bad(self):
        method, target, status, code, route = self.random.choice(wishes.BAD)
        self.error(method, target.format(film=self.film()), status, code, route)

    def operators(self):
        route = self.random.choice(["healthz", "readyz", "metrics"])
        response = self.ask(route, f"/{route}")
        if route == "readyz" and response.status == 503:
            for reason in json.loads(response.body)["reasons"]:
                self.ledger.contracted["readyz", 503, reason["code"]] += 1
                if reason["code"] != "upstream_backing_off":
                    self.complain("/readyz", response, reason["message"])
        elif response.status != 200:
            self.complain(f"/{route}", response, "not well")

    # Asking and judging.

    def ask(self, route, target, method="GET", headers=(), wish=None):
        began = time.monotonic()
        response = self.connection.ask(target, method, headers)
        took = time.monotonic() - began
        self.ledger.count(route, response, took)
        if wish:
            self.ledger.note_image(wish, took, self.patience)
        return response

    def complain(self, target, response, what):
        self.world.keep(response.body)
        self.ledger.find(f"{what}: {target} {response.status} {response.headers}")

    def error(self, method, target, status, code, route):
        headers = TOKEN if status == 400 and route == "relay" else ()
        response = self.ask(route, target, method, headers)
        try:
            given = json.loads(response.body)["error"]["code"]
        except ValueError:
            given = None
        with self.ledger.lock:
            self.ledger.codes[given] += 1
        if (response.status, given) != (status, code) or response["cache-control"] != "no-store":
            self.complain(target, response, f"instead of {status} {code}, {given}")

    def contracted(self, target, response, allowed):
        """An error that the contract has for this route, or a find."""
        try:
            code = json.loads(response.body)["error"]["code"]
        except (ValueError, KeyError):
            code = None
        with self.ledger.lock:
            route = "relay" if target.startswith("/3/") else "image"
            self.ledger.contracted[route, response.status, code] += 1
            if code == "busy":
                self.ledger.codes[code] += 1
        if code not in allowed.get(response.status, ()):
            self.complain(target, response, f"no error of the contract: {code}")

    def image(self, wish, method="GET"):
        headers = [f"Accept: {wish.accept}"] if wish.accept else []
        key = (wish.target, wish.accept)
        tag = self.known_tags.get(key) if self.random.random() < 0.3 else None
        if tag:
            headers.append(f"If-None-Match: {tag}")
        response = self.ask(wish.route, wish.target, method, headers, wish)
        state = self.state(wish, response)
        if response.status == 304:
            if response["etag"] != tag or state.startswith("placeholder"):
                self.complain(wish.target, response, f"304 to {tag}")
        elif response.status != 200:
            if wish.wants_error and method == "GET":
                self.refused(wish, response)
            elif not wish.wants_error or response.status not in {404, *IMAGE_ERRORS}:
                self.complain(wish.target, response, "no image")
        else:
            self.judge(wish, response, state, method)
            if not state.startswith("placeholder"):
                if len(self.known_tags) > 2000:
                    self.known_tags.clear()
                self.known_tags[key] = response["etag"]

    def refused(self, wish, response):
        """What fallback=error gives instead of a placeholder."""
        if response.status != 404:
            self.contracted(wish.target, response, IMAGE_ERRORS)
        elif not self.world.may_lack(wish.film):
            self.complain(wish.target, response, "upstream has it")

    def state(self, wish, response):
        """What the answer says of itself; counted, to be compared with the server's counts."""
        match = DETAIL.match(response["cache-status"])
        if not match:
            return "none"
        hit, forward, detail = match.groups()
        state = detail or hit or forward
        if wish.route != "placeholder":
            name = {"hit": "hit", "made": "miss", "miss": "miss", "stale": "miss",
                    "stale-if-error": "stale", "derived": "derived"}.get(state, state)
            with self.ledger.lock:
                self.ledger.results[name] += 1
        return state

    def judge(self, wish, response, state, method):
        for name in ("etag", "last-modified", "content-security-policy"):
            if not response[name]:
                self.complain(wish.target, response, f"no {name}")
        life = LIFE.match(response["cache-control"])
        life = int(life.group(1)) if life else -1
        fixed = {"placeholder-missing": 3600, "placeholder-unavailable": 60,
                 "stale-if-error": 60, "derived": 60}.get(state)
        if life != fixed if fixed else not 0 <= life <= self.max_age:
            self.complain(wish.target, response, f"kept for {life} s as {state}")
        if response["content-type"] != wish.form and state != "derived":
            self.complain(wish.target, response, f"not {wish.form}")
        if method == "HEAD":
            if wish.size and not state.startswith(("placeholder", "derived")):
                length = len(self.world.films.posters[wish.size, wish.film])
                if int(response["content-length"]) != length:
                    self.complain(wish.target, response, f"HEAD of {length} bytes")
            return
        if self.ledger.tags.setdefault(response["etag"], digest(response.body)) != digest(
                response.body):
            self.complain(wish.target, response, "one tag for two bodies")
        if not self.is_right(wish, response, state):
            self.complain(wish.target, response, f"WRONG BODY as {state}")

    def is_right(self, wish, response, state):
        films, references = self.world.films, self.world.references
        if state.startswith("placeholder"):
            # One that says that there is no poster must not stand for one that there is.
            if state == "placeholder-missing" and not self.world.may_lack(wish.film):
                return False
            form, *box = picture_size(response.body)
            # One that was drawn before, where there is no time to draw.
            is_ready = state == "placeholder-unavailable" and tuple(box) in READY_PLACEHOLDERS
            return form == wish.form and (box == list(wish.box) or is_ready)
        if not wish.exists:
            return False
        if wish.size and state == "derived":
            others = [size for size in SIZES if size != wish.size]
            return references.allows(wish.film, f"w={SIZES[wish.size]}", others, response.body)
        if wish.size:
            return response.body == films.posters[wish.size, wish.film]
        sizes = wish.sizes if state != "derived" else tuple(SIZES)
        return references.allows(wish.film, wish.query, sizes, response.body)

    def range(self, wish):
        whole = self.world.films.posters[wish.size, wish.film]
        first = self.random.randrange(len(whole) + 100)
        last = first + self.random.randrange(5000)
        spelling, part = self.random.choice([
            (f"bytes={first}-{last}", whole[first : last + 1]), (f"bytes={first}-", whole[first:]),
            (f"bytes=-{last + 1}", whole[-last - 1 :]),
        ])
        response = self.ask("poster", wish.target, headers=(f"Range: {spelling}",), wish=wish)
        state = self.state(wish, response)
        if response.status == 206:
            if state == "derived":
                return
            if response.body != part or not response["content-range"].endswith(f"/{len(whole)}"):
                self.complain(wish.target, response, f"WRONG PART for {spelling}")
        elif response.status == 416:
            with self.ledger.lock:
                self.ledger.codes["range_not_satisfiable"] += 1
            if state == "none" and part and first < len(whole) and self.is_whole(response, whole):
                self.complain(wish.target, response, f"416 to {spelling}")
        elif response.status == 200:
            self.judge(wish, response, state, "GET")
        elif wish.wants_error:
            self.refused(wish, response)
        else:
            self.complain(wish.target, response, f"to {spelling}")

    @staticmethod
    def is_whole(response, whole):
        """Whether a 416 speaks of the poster, and not of a smaller one that stood in for it."""
        return response["content-range"] == f"bytes */{len(whole)}"


class RudeClient(threading.Thread):
    """Leaves in the middle, sends what is no HTTP, or sends a head too slowly."""

    def __init__(self, world, ledger, until):
        super().__init__(daemon=True)
        self.world, self.ledger, self.until = world, ledger, until
        self.random = random.Random(f"{world.seed} rude")

    def run(self):
        while time.monotonic() < self.until:
            rude = self.random.choice([self.abort, self.abort, self.abort, self.babble, self.dawdle])
            try:
                rude()
            except OSError as error:
                self.ledger.find(f"{rude.__name__}: {error!r}")
            time.sleep(0.05)

    def abort(self):
        connection = Connection(self.world.port)
        film = self.random.choice(self.world.films.names)
        connection.send(f"/t/p/w500/{film}")
        with self.ledger.lock:
            self.ledger.aborted += 1
        if self.random.random() < 0.5:
            connection.socket.recv(100)
        connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()

    def babble(self):
        with socket.create_connection(("127.0.0.1", self.world.port), 30) as rude:
            rude.sendall(self.random.randbytes(50) + b"\r\n\r\n")
            with self.ledger.lock:
                self.ledger.aborted += 1
            try:
                if rude.recv(1000).startswith(b"HTTP/1.1 2"):
                    self.ledger.find("a 200 to noise")
            except OSError:
                pass

    def dawdle(self):
        with socket.create_connection(("127.0.0.1", self.world.port), 30) as slow:
            slow.sendall(b"GET /healthz HTTP/1.1\r\nHost: ")
            with self.ledger.lock:
                self.ledger.aborted += 1
            time.sleep(0.5)
