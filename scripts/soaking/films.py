"""The shadow map: what every answer may hold, known without asking the server under test."""

import hashlib
import struct
import threading
from pathlib import Path

from .wire import Connection

SIZES = {"w185": 185, "w342": 342, "w500": 500}
USUAL_HEIGHTS = {"w185": 278, "w342": 513, "w500": 750}
COPIES = 10


def digest(body):
    return hashlib.blake2b(body, digest_size=16).digest()


class Films:
    """Many films out of the few of the fixtures: each copy's files differ by a JPEG comment, so
    that no two posters have the same bytes, but those of one original have the same pixels."""

    def __init__(self, fixtures, folder):
        self.originals = {}
        for size in SIZES:
            (folder / "posters" / size).mkdir(parents=True)
            for file in sorted((fixtures / "posters" / size).glob("*.jpg")):
                self.originals[size, file.name] = file.read_bytes()
        names = sorted({name for _, name in self.originals})
        self.original = {}
        self.posters = {}
        for number, name in enumerate(names * COPIES):
            # The first letter picks the films that a fault is for; see weather.py.
            film = hashlib.blake2b(str(number).encode(), digest_size=12).hexdigest() + ".jpg"
            self.original[film] = name
            for size in SIZES:
                body = self.originals[size, name]
                note = film.encode()
                comment = b"\xff\xfe" + struct.pack(">H", len(note) + 2) + note
                self.posters[size, film] = body[:2] + comment + body[2:]
                (folder / "posters" / size / film).write_bytes(self.posters[size, film])
        self.names = sorted(self.original)


class References:
    """Thumbnails as a second server makes them that nothing disturbs.

    One decode makes all the thumbnails that wait for a poster, at the finest scale that one of
    them needs, and a thumbnail from a finer decode has other bytes. So the same poster is asked
    for with companions that need each of the scales, behind a held upstream, so that they meet.
    """

    def __init__(self, films, folder, server_port, origin_port):
        self.films, self.folder = films, folder
        self.server_port, self.origin_port = server_port, origin_port
        self.lock = threading.Lock()
        self.number = 0
        self.known, self.done = {}, set()
        self.lists = {}

    def allows(self, film, query, sizes, body):
        """Whether a body is the thumbnail of a film, made from one of the sizes."""
        original, wanted = self.films.original[film], digest(body)
        if any(wanted in self.known.get((original, query, size), ()) for size in sizes):
            return True
        with self.lock:
            for part in (None, 1, 3, 5, 8):
                for size in sizes:
                    if wanted in self._known(original, query, size, part):
                        return True
        return False

    def _known(self, original, query, size, part):
        """The thumbnails of an original that are known, now with the one beside a companion."""
        known = self.known.setdefault((original, query, size), set())
        if (original, query, size, part) not in self.done:
            companion = part and f"w={SIZES[size] // part}&q=1"
            made = digest(self._thumbnail(original, query, size, companion))
            known.add(made)
            self.done.add((original, query, size, part))
        return known

    def list(self, path):
        """A list as upstream has it."""
        with self.lock:
            if path not in self.lists:
                key = ("Authorization: Bearer fixture-key",)
                self.lists[path] = Connection(self.origin_port).ask(path, headers=key).body
            return self.lists[path]

    def _thumbnail(self, original, query, size, companion):
        self.number += 1
        name = f"reference{self.number}.jpg"
        path = f"/t/p/{size}/{name}"
        (self.folder / "posters" / size / name).write_bytes(self.films.originals[size, original])
        control = Connection(self.origin_port)
        control.ask(f"/_origin/holds?path={path}", "PUT")
        asked, beside = Connection(self.server_port), Connection(self.server_port)
        joined = self._coalesced()
        asked.send(f"{path}?{query}")
        if companion:
            beside.send(f"{path}?{companion}")
            while self._coalesced() == joined:
                pass
        control.ask(f"/_origin/holds?path={path}", "DELETE")
        body = asked.answer(path).body
        if companion:
            beside.answer(path)
        for connection in (asked, beside, control):
            connection.close()
        (self.folder / "posters" / size / name).unlink()
        return body

    def _coalesced(self):
        page = Connection(self.server_port).ask("/metrics", headers=("Connection: close",))
        return series(page.body)['onesheet_upstream_notes_total{note="coalesced"}']


def series(page):
    """A metrics page as numbers by series."""
    lines = (line for line in page.decode().splitlines() if not line.startswith("#"))
    return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines)}


def picture_size(body):
    """Format and pixels of a JPEG, PNG or WebP, from its own head."""
    if body[:8] == b"\x89PNG\r\n\x1a\n":
        return "image/png", *struct.unpack(">II", body[16:24])
    if body[:4] == b"RIFF" and body[8:12] == b"WEBP":
        return "image/webp", *webp_size(body)
    if body[:2] != b"\xff\xd8" or body[-2:] != b"\xff\xd9":
        return "", 0, 0
    place = 2
    while place + 9 < len(body):
        marker, length = body[place + 1], struct.unpack(">H", body[place + 2 : place + 4])[0]
        if 0xC0 <= marker <= 0xC2:
            height, width = struct.unpack(">HH", body[place + 5 : place + 9])
            return "image/jpeg", width, height
        place += 2 + length
    return "", 0, 0


def webp_size(body):
    if body[12:16] == b"VP8X":
        sides = (int.from_bytes(body[at : at + 3], "little") + 1 for at in (24, 27))
    elif body[12:16] == b"VP8L":
        bits = int.from_bytes(body[21:25], "little")
        sides = ((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
    else:
        sides = (side & 0x3FFF for side in struct.unpack("<HH", body[26:30]))
    return tuple(sides)
