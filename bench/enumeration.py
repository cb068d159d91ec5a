#!/usr/bin/env python3
"""Measures enumeration: formulas per second of processor time, and what one formula at a huge index costs.

    bench/enumeration.py [--smelt target/release/smelt] [--count 3000000] [--rounds 3]

All figures are processor time (user and system) of whole processes writing to /dev/null, the best of several rounds. The
cost of one formula at a huge index is measured by drawing formulas of the size that such an index has: of 1 and of 101 of
them, the difference is 100 formulas, and what is left is counting, which a process does once.
"""

import argparse
import os
import subprocess
import sys


def cpu_seconds(command):
    """Runs a command without its output; gives its processor time."""
    to_null = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_WRONLY, 0) for fd in (1, 2)]
    child = os.posix_spawnp(command[0], command, os.environ, file_actions=to_null)
    _, status, usage = os.wait4(child, 0)
    if status != 0:
        sys.exit(f"`{' '.join(command)}` ended with status {status}")
    return usage.ru_utime + usage.ru_stime


def size_at(command, index):
    """The size of the formula with this index, found by counting."""
    for size in range(100, 5000, 100):
        counted = subprocess.run([*command, "--count-only", "--size", str(size)], capture_output=True, text=True)
        words = counted.stdout.split()
        if words and int(words[words.index("index") + 1]) > index:
            return size
    sys.exit("the sizes of this grammar grow too fast")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--smelt", default="target/release/smelt")
    parser.add_argument("--count", type=int, default=3_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    sys.set_int_max_str_digits(0)

    def best(*options):
        return min(cpu_seconds([args.smelt, "generate", "enumerate", *options]) for _ in range(args.rounds))

    print("| grammar | formulas per CPU second | compact, per CPU second |")
    print("|---|---:|---:|")
    for grammar in ["core", "ints", "strings", "strings-rich"]:
        rates = [
            args.count / best("--grammar", grammar, "--count", str(args.count), *layout)
            for layout in ([], ["--compact"])
        ]
        print(f"| {grammar} | {rates[0]:,.0f} | {rates[1]:,.0f} |")
    print()
    print("| grammar | size | counting up to it, CPU ms | one formula then, CPU ms |")
    print("|---|---:|---:|---:|")
    for grammar in ["core", "strings"]:
        command = [args.smelt, "generate", "enumerate", "--grammar", grammar]
        size = size_at(command, 10**1000)
        draw = ("--grammar", grammar, "--random", "--size", str(size), "--count")
        one, many = best(*draw, "1"), best(*draw, "101")
        each = (many - one) / 100
        print(f"| {grammar} | {size} | {(one - each) * 1e3:.0f} | {each * 1e3:.2f} |")


if __name__ == "__main__":
    main()
