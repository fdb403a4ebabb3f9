"""What clients ask for: targets of every kind, each with what its answer must be."""

from urllib.parse import quote

from .films import SIZES, USUAL_HEIGHTS

BOXES = [(40, 60), (60, 90), (92, 138), (120, 180), (180, 270), (240, 360), (342, 513), (100, 100)]
LOOKS = [
    {}, {}, {}, {"dpr": "2"}, {"dpr": "1.5"}, {"fit": "contain"}, {"q": "50"}, {"format": "png"},
    {"format": "webp"}, {"format": "auto"}, {"format": "auto", "dpr": "2", "q": "70"},
]
# Further looks of `/t/p/{size}/{film}`, which is made from that size.
BOUND = ["w=60", "h=120", "w=100&h=150", "w=92&q=60", "w=80&h=80&fit=contain", "dpr=2&w=50"]
TITLES = ["", "The Long Way Home", "Дом у дороги", "夜の橋", "ليل"]
TYPES = {"jpeg": "image/jpeg", "png": "image/png", "webp": "image/webp"}
LISTS = [
    "/3/trending/movie/week", "/3/trending/movie/day", "/3/trending/tv/week",
    "/3/trending/movie/week?language=ru-RU",
]
BAD = [
    ("GET", "/nowhere", 404, "not_found", "none"),
    ("GET", "/t/p/w184/{film}", 400, "bad_parameter", "none"),
    ("GET", "/t/p/w342/%2e%2e/x.jpg", 400, "bad_poster_path", "none"),
    ("GET", "/thumb/60x90/{film}?q=1&q=2", 400, "bad_parameter", "thumbnail"),
    ("GET", "/t/p/w342/{film}?format=gif", 400, "bad_parameter", "poster"),
    ("GET", "/thumb/60x90/{film}?fit=fill", 400, "bad_parameter", "thumbnail"),
    ("GET", "/3/../x", 400, "bad_list_request", "relay"),
    ("GET", "//x", 400, "bad_target", "none"),
    ("POST", "/healthz", 405, "method_not_allowed", "none"),
]


class Wish:
    """An image: where it lies, and all that may come."""

    def __init__(self, route, target, film=None, size=None, query=None, sizes=(), box=(0, 0),
                 form="image/jpeg", accept=None, wants_error=False, exists=True):
        self.route, self.target, self.film, self.size, self.query = route, target, film, size, query
        self.sizes, self.box, self.form, self.accept = sizes, box, form, accept
        self.wants_error, self.exists = wants_error, exists


def rounded(side, ratio):
    return int(side * ratio + 0.5)


def poster(film, size, extra=""):
    return Wish("poster", f"/t/p/{size}/{film}{extra}", film, size=size,
                box=(SIZES[size], USUAL_HEIGHTS[size]), wants_error="fallback=error" in extra)


def thumbnail(film, box, look, accepts_webp, title="", fallback=""):
    """`/thumb/`: made from the smallest size that covers it, or from a larger one that is there."""
    form = look.get("format", "jpeg")
    accept = None
    if form == "auto":
        form = "webp" if accepts_webp else "jpeg"
        accept = "image/avif,image/webp,*/*" if accepts_webp else "image/*"
    shown = "&".join(f"{name}={value}" for name, value in look.items())
    query = "&".join([f"w={box[0]}&h={box[1]}"] + [
        f"{name}={form if name == 'format' else value}" for name, value in look.items()])
    tail = "&".join(part for part in (shown, title and f"title={quote(title)}", fallback) if part)
    ratio = float(look.get("dpr", "1"))
    return Wish("thumbnail", f"/thumb/{box[0]}x{box[1]}/{film}" + (f"?{tail}" if tail else ""),
                film, query=query, sizes=tuple(SIZES), form=TYPES[form], accept=accept,
                box=tuple(rounded(side, ratio) for side in box), wants_error=bool(fallback))


def bound_thumbnail(film, size, query):
    """`/t/p/` with a look: made from that size, unless it cannot be had."""
    fields = dict(part.split("=") for part in query.split("&"))
    ratio = float(fields.get("dpr", "1"))
    width, height = (fields.get(side) and rounded(int(fields[side]), ratio) for side in "wh")
    box = (width or (height * 2 + 1) // 3, height or (width * 3 + 1) // 2)
    return Wish("poster", f"/t/p/{size}/{film}?{query}", film, query=query, sizes=(size,), box=box)


def unknown(number, wants_error):
    """A poster that upstream has not."""
    extra = "?fallback=error" if wants_error else "?title=Nothing"
    return Wish("poster", f"/t/p/w342/nosuch{number}.jpg{extra}", box=(342, 513),
                wants_error=wants_error, exists=False)


def drawn(box, form, title):
    """`/placeholder/`."""
    tail = title and f"&title={quote(title)}"
    return Wish("placeholder", f"/placeholder/{box[0]}x{box[1]}?format={form}{tail}", box=box, form=TYPES[form], exists=False)


def no_poster(size):
    return Wish("poster", f"/t/p/{size}/null?title=None", box=(SIZES[size], USUAL_HEIGHTS[size]),
                exists=False)
