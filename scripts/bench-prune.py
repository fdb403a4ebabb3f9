"""Two equal trees, a prune in one and find in the other: see bench-prune."""

import os
import random
import string
import subprocess
import sys
import time

ALPHABET = string.ascii_letters + string.digits
TAG = "Signature: 8a477f597d28d172789f06886806bc55\n"
FOLDERS = ["posters/w342", "thumbs/120x180-cover-q82.jpeg"]


class Tree:
    """A cache directory with files of the right names, and no seals: a prune does not read."""

    def __init__(self, root, names, size):
        self.root = root
        self.body = bytes(size)
        for folder in ["posters", "thumbs", "lists", "hosts", "tmp"]:
            os.makedirs(f"{root}/{folder}")
        with open(f"{root}/CACHEDIR.TAG", "w") as tag:
            tag.write(TAG)
        self.paths = [self.path(index, name) for index, name in enumerate(names)]
        for folder in {os.path.dirname(path) for path in self.paths}:
            os.makedirs(folder, exist_ok=True)
        now = time.time()
        for index, path in enumerate(self.paths):
            self.write(path, now - (31 if index % 30 == 0 else index % 29) * 86400)

    def path(self, index, name):
        return f"{self.root}/{FOLDERS[index % 2]}/{name[:2]}/{name}.jpg"

    def write(self, path, when):
        with open(path, "wb", buffering=0) as file:
            file.write(self.body)
            file.truncate(4000)
        os.utime(path, (when, when))

    def count(self):
        return sum(len(files) for _, _, files in os.walk(self.root)) - 1

    def restore(self):
        when = time.time() - 31 * 86400
        for path in self.paths[::30]:
            self.write(path, when)
        os.sync()


def run(words):
    """Wall and processor milliseconds, and the largest resident kB."""
    # A child of ours would begin with our own memory as its peak; one of time's does not.
    start = time.monotonic()
    timed = subprocess.run(
        ["/usr/bin/time", "-f", "%U %S %M", *words],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=True)
    wall = time.monotonic() - start
    user, system, memory = timed.stderr.split()
    return wall * 1e3, (float(user) + float(system)) * 1e3, int(memory)


def median(numbers):
    return sorted(numbers)[len(numbers) // 2]


def main():
    work, program, entries, rounds, size = sys.argv[1:]
    random.seed(7)
    names = ["".join(random.choices(ALPHABET, k=27)) for _ in range(int(entries))]
    trees = [Tree(f"{work}/{name}", names, int(size)) for name in "ab"]
    left = len(names) - len(names[::30])
    rivals = [
        ("find", lambda root: ["find", root, "-type", "f", "-mtime", "+29", "-delete"]),
        ("prune", lambda root: [program, "prune", "--quiet", "--cache-dir", root]),
    ]
    times = {name: [] for name, _ in rivals}
    print("round\twhat\twall ms\tCPU ms\tkB")
    for number in range(int(rounds)):
        for index, (name, words) in enumerate(rivals):
            tree = trees[(number + index) % 2]
            tree.restore()
            wall, cpu, memory = run(words(tree.root))
            if tree.count() != left:
                sys.exit(f"{name} left {tree.count()} files and not {left}")
            times[name].append((wall, cpu))
            print(f"{number + 1}\t{name}\t{wall:.0f}\t{cpu:.0f}\t{memory}", flush=True)
    ratios = [
        median([run[kind] for run in times["prune"]])
        / median([run[kind] for run in times["find"]])
        for kind in (0, 1)
    ]
    print(f"prune / find: wall {ratios[0]:.2f}, CPU {ratios[1]:.2f}")


main()
