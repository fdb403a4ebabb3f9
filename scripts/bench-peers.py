"""The part of scripts/bench that runs the peers: `bench-peers.py WORK QUALITY WxH[-FIT]…`.

WORK holds `ours.tsv`, as `Benchmarks image` prints it, and a folder WxH-FIT of our thumbnails a
size. A size without its fit is `cover`, and is measured in time as well.
"""

import io
import pathlib
import sys
import time

import numpy as np
import PIL
import pyvips
from PIL import Image

POSTERS = sorted(pathlib.Path("fixtures/posters/w500").glob("*.jpg"))
ROUNDS = 15


def lanczos(source, start, extent, target):
    """The matrix of weights that makes `target` samples of `extent` of `source` from `start` on."""
    scale = extent / target
    centres = start + (np.arange(target) + 0.5) * scale
    distance = (np.arange(source) + 0.5 - centres[:, None]) / max(1, scale)
    weights = np.where(np.abs(distance) < 3, np.sinc(distance) * np.sinc(distance / 3), 0)
    return weights / weights.sum(axis=1, keepdims=True)


def ideal(poster, width, height, fit="cover"):
    """The poster decoded whole, cropped to the box and resampled, in floating point."""
    pixels = np.asarray(Image.open(poster).convert("RGB"), dtype=float)
    rows, columns, _ = pixels.shape
    scale = min(columns / width, rows / height)
    shown = (scale * width, scale * height) if fit == "cover" else (columns, rows)
    across = lanczos(columns, (columns - shown[0]) / 2, shown[0], width)
    down = lanczos(rows, (rows - shown[1]) / 2, shown[1], height)
    return np.clip(np.einsum("yr,rcp,xc->yxp", down, pixels, across, optimize=True), 0, 255)


def luma(pixels):
    return pixels @ np.array([0.299, 0.587, 0.114])


def blurred(plane):
    """Under a Gaussian of 11 × 11 with deviation 1.5, where it lies whole within the plane."""
    kernel = np.exp(-((np.arange(11) - 5) ** 2) / (2 * 1.5**2))
    kernel /= kernel.sum()
    windows = np.lib.stride_tricks.sliding_window_view(plane, 11, axis=0) @ kernel
    return np.lib.stride_tricks.sliding_window_view(windows, 11, axis=1) @ kernel


def ssim(one, other):
    """Mean structural similarity (Wang et al., 2004) of two planes of 0…255."""
    low, high = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    a, b = blurred(one), blurred(other)
    aa, bb = blurred(one * one) - a * a, blurred(other * other) - b * b
    ab = blurred(one * other) - a * b
    return np.mean((2 * a * b + low) * (2 * ab + high) / ((a * a + b * b + low) * (aa + bb + high)))


def vips(data, width, height, quality):
    image = pyvips.Image.thumbnail_buffer(data, width, height=height, crop="centre")
    return image.jpegsave_buffer(Q=quality, keep="none")


def pillow(data, width, height, quality):
    image = Image.open(io.BytesIO(data))
    # As `Image.thumbnail` does: a scaled decode that leaves twice the target's pixels.
    image.draft("RGB", (2 * width, 2 * height))
    scale = min(image.width / width, image.height / height)
    # Not below zero, where rounding takes it.
    left = max(0, (image.width - scale * width) / 2)
    top = max(0, (image.height - scale * height) / 2)
    box = (left, top, image.width - left, image.height - top)
    image = image.resize((width, height), Image.Resampling.LANCZOS, box=box)
    out = io.BytesIO()
    image.save(out, "JPEG", quality=quality)
    return out.getvalue()


def measured(make, posters):
    """Median CPU microseconds a poster, and the thumbnails."""
    times, made = [], []
    for data in posters:
        samples = []
        for _ in range(ROUNDS + 1):
            start = time.process_time_ns()
            thumbnail = make(data)
            samples.append((time.process_time_ns() - start) / 1000)
        times.append(sorted(samples[1:])[ROUNDS // 2])
        made.append(thumbnail)
    return np.mean(times), made


def unmeasured(data, width, height, fit, quality):
    crop = {"crop": "centre"} if fit == "cover" else {}
    image = pyvips.Image.thumbnail_buffer(data, width, height=height, size="down", **crop)
    return image.jpegsave_buffer(Q=quality, keep="none")


def compare(case, work, quality):
    """Bytes, SSIM and the greatest shift of a channel's mean, ours and libvips's."""
    size, fit = case.split("-")
    width, height = map(int, size.split("x"))
    line = f"{case:<18}"
    for peer in False, True:
        likeness, shift, count = [], [], 0
        for path in POSTERS:
            data = (work / case / path.name).read_bytes()
            if peer:
                data = unmeasured(path.read_bytes(), width, height, fit, quality)
            pixels = np.asarray(Image.open(io.BytesIO(data)).convert("RGB"), dtype=float)
            wanted = ideal(path, pixels.shape[1], pixels.shape[0], fit)
            likeness.append(ssim(luma(pixels), luma(wanted)))
            shift.append(np.abs((pixels - wanted).mean(axis=(0, 1))).max())
            count += len(data)
        line += f"{count / len(POSTERS):>9.0f}{np.mean(likeness):>9.4f}{np.max(shift):>8.2f}"
    print(line)


def row(name, cpu, made, ideals, first):
    quality = []
    shift = []
    for data, wanted in zip(made, ideals):
        pixels = np.asarray(Image.open(io.BytesIO(data)).convert("RGB"), dtype=float)
        quality.append(ssim(luma(pixels), luma(wanted)))
        shift.append(np.abs((pixels - wanted).mean(axis=(0, 1))).max())
    size = np.mean([len(data) for data in made])
    first = first or (cpu, size)
    print(
        f"{name:<18}{cpu:>10.0f}{first[0] / cpu:>8.2f}{size:>9.0f}{first[1] / size:>8.3f}"
        f"{np.mean(quality):>9.4f}{np.mean(shift):>8.2f}"
    )
    return first


def main():
    work, quality = pathlib.Path(sys.argv[1]), int(sys.argv[2])
    lines = (work / "ours.tsv").read_text().splitlines()
    fields = [line.split("\t") for line in lines[1:] if line.count("\t") > 2]
    ours = {size: time for size, step, time, *_ in fields if step == "thumbnail"}
    posters = [path.read_bytes() for path in POSTERS]
    print(f"libvips {'.'.join(str(pyvips.version(i)) for i in range(3))}, Pillow {PIL.__version__}")
    for size in (case for case in sys.argv[3:] if "-" not in case):
        width, height = map(int, size.split("x"))
        ideals = [ideal(path, width, height) for path in POSTERS]
        print(f"\n{size:<18}{'CPU µs':>10}{'ratio':>8}{'bytes':>9}{'ratio':>8}{'SSIM':>9}{'shift':>8}")
        made = [(work / f"{size}-cover" / path.name).read_bytes() for path in POSTERS]
        first = row("onesheet", float(ours[size]), made, ideals, None)
        for name, make in [("libvips", vips), ("Pillow", pillow)]:
            cpu, made = measured(lambda data: make(data, width, height, quality), posters)
            row(name, cpu, made, ideals, first)
    head = "".join(f"{name:>9}{'SSIM':>9}{'shift':>8}" for name in ("bytes", "libvips"))
    print(f"\n{'':<18}{head}")
    for case in (case for case in sys.argv[3:] if "-" in case):
        compare(case, work, quality)


main()
