"""A verify beside cat and xxhsum over the same files: see bench-verify."""

import os
import sys

sys.dont_write_bytecode = True
from benching import cool, median, run


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
                wall, cpu, _ = run(words)
                times[name].append((wall, cpu))
                rate = megabytes / wall * 1e3
                print(
                    f"{state}\t{number + 1}\t{name}\t{wall:.0f}\t{cpu:.0f}\t{rate:.0f}", flush=True
                )
        for rival in ["cat", "xxhsum"]:
            wall, cpu = [
                median([cost[kind] for cost in times["verify"]])
                / median([cost[kind] for cost in times[rival]])
                for kind in (0, 1)
            ]
            print(f"{state}: verify / {rival}: wall {wall:.2f}, CPU {cpu:.2f}")


main()
