"""Two equal trees, a prune in one and find in the other: see bench-prune."""

import os
import random
import re
import string
import subprocess
import sys
import time

sys.dont_write_bytecode = True
from benching import cool, median, run

ALPHABET = string.ascii_letters + string.digits
TAG = "Signature: 8a477f597d28d172789f06886806bc55\n# of Onesheet\n"
# The beginning and the end of a seal, by which a prune knows its own files.
SEAL = b"\nOnesht\n" + bytes(200) + b"Seal"
FOLDERS = ["posters/w342", "thumbs/120x180-cover-q82.jpeg"]


class Tree:
    """A cache directory with files of the right names, and what a prune reads of their seals."""

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
            file.seek(0, os.SEEK_END)
            file.write(SEAL)
        os.utime(path, (when, when))

    def count(self):
        return sum(len(files) for _, _, files in os.walk(self.root)) - 1

    def restore(self):
        when = time.time() - 31 * 86400
        for path in self.paths[::30]:
            self.write(path, when)
        os.sync()


def lock_times(words):
    """How long folders were locked, in milliseconds, sorted; nothing but locks is traced."""
    traced = subprocess.run(
        ["strace", "-f", "--seccomp-bpf", "-ttt", "-e", "trace=flock", "-o", "/dev/stderr", *words],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=True)
    taken, times = {}, []
    for line in traced.stderr.splitlines():
        call = re.search(r"(\d+\.\d+) flock\((\d+), (LOCK_\w+)", line)
        if not call:
            continue
        when, file = float(call[1]), call[2]
        if call[3] == "LOCK_EX" and line.endswith("= 0"):
            taken[file] = when
        elif call[3] == "LOCK_UN" and file in taken and len(taken) > 1:
            # The one that is taken first and kept is the prune's own.
            times.append((when - taken.pop(file)) * 1e3)
    return sorted(times)


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
    print("inodes\tround\twhat\twall ms\tCPU ms\tkB")
    for state in ["warm", "cold"]:
        times = {name: [] for name, _ in rivals}
        for number in range(int(rounds)):
            for index, (name, words) in enumerate(rivals):
                tree = trees[(number + index) % 2]
                tree.restore()
                if state == "cold" and not cool():
                    sys.exit("only root can empty the page cache")
                wall, cpu, memory = run(words(tree.root))
                if tree.count() != left:
                    sys.exit(f"{name} left {tree.count()} files and not {left}")
                times[name].append((wall, cpu))
                print(
                    f"{state}\t{number + 1}\t{name}\t{wall:.0f}\t{cpu:.0f}\t{memory}", flush=True
                )
        ratios = [
            median([cost[kind] for cost in times["prune"]])
            / median([cost[kind] for cost in times["find"]])
            for kind in (0, 1)
        ]
        print(f"{state}: prune / find: wall {ratios[0]:.2f}, CPU {ratios[1]:.2f}")
    trees[0].restore()
    times = lock_times(rivals[1][1](trees[0].root))
    print(
        f"folders were locked {len(times)} times: median {median(times):.2f} ms, of a hundred all but"
        f" one {times[len(times) * 99 // 100]:.2f}, at most {times[-1]:.1f}")


main()
