"""What the benchmarks beside other programs share: a run's cost, an empty page cache, the median."""

import os
import subprocess
import time


def run(words):
    """Wall and processor milliseconds, children included, and the largest resident kB."""
    # A child of ours would begin with our own memory as its peak; one of time's does not.
    start = time.monotonic()
    timed = subprocess.run(
        ["/usr/bin/time", "-f", "%U %S %M", *words],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=True)
    wall = time.monotonic() - start
    user, system, memory = timed.stderr.split()
    return wall * 1e3, (float(user) + float(system)) * 1e3, int(memory)


def cool():
    """Empties the page cache and forgets every inode; false for those who may not."""
    os.sync()
    try:
        with open("/proc/sys/vm/drop_caches", "w") as drop:
            drop.write("3")
        return True
    except OSError:
        return False


def median(numbers):
    return sorted(numbers)[len(numbers) // 2]
