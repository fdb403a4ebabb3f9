"""A verify beside cat and xxhsum over the same files: see bench-verify."""

import os
import subprocess
import sys
import time


def run(words):
    """Wall and processor milliseconds, children included."""
    before, start = os.times(), time.monotonic()
    subprocess.run(words, stdout=subprocess.DEVNULL, check=True)
    wall, after = time.monotonic() - start, os.times()
    cpu = sum(after[2:4]) - sum(before[2:4])
    return wall * 1e3, cpu * 1e3


def cool():
    """Empties the page cache; false for those who may not."""
    os.sync()
    try:
        with open("/proc/sys/vm/drop_caches", "w") as drop:
            drop.write("3")
        return True
    except OSError:
        return False


def median(numbers):
    return sorted(numbers)[len(numbers) // 2]


def main():
    cache, program, rounds = sys.argv[1:]
    entries = [
        os.path.join(folder, name)
        for top in ["posters", "thumbs"]
        for folder, _, names in os.walk(f"{cache}/{top}")
        for name in names
    ]
    megabytes = sum(os.stat(path).st_size for path in entries) / 1e6
    print(f"{len(entries)} entries, {megabytes:.0f} MB")
    each = f"find {cache}/posters {cache}/thumbs -type f -print0 | xargs -0 -n 500 -P {os.cpu_count()}"
    rivals = {
        "cat": ["sh", "-c", f"{each} cat"],
        "xxhsum": ["sh", "-c", f"{each} xxhsum -H2 -q"],
        "verify": [program, "verify", "--quiet", "--cache-dir", cache],
    }
    print("page cache\tround\twhat\twall ms\tCPU ms\tMB/s")
    for state in ["warm", "cold"]:
        times = {name: [] for name in rivals}
        for name, words in rivals.items():
            run(words)
        for number in range(int(rounds)):
            for name, words in rivals.items():
                if state == "cold" and not cool():
                    sys.exit("only root can empty the page cache")
                wall, cpu = run(words)
                times[name].append((wall, cpu))
                rate = megabytes / wall * 1e3
                print(
                    f"{state}\t{number + 1}\t{name}\t{wall:.0f}\t{cpu:.0f}\t{rate:.0f}", flush=True
                )
        for rival in ["cat", "xxhsum"]:
            wall, cpu = [
                median([run[kind] for run in times["verify"]])
                / median([run[kind] for run in times[rival]])
                for kind in (0, 1)
            ]
            print(f"{state}: verify / {rival}: wall {wall:.2f}, CPU {cpu:.2f}")


main()
