#!/usr/bin/env python3
"""Measures what one small formula costs: the processor time of a whole process, side by side for several solvers.

    bench/startup.py smelt='target/release/smelt solve' z3='z3 -smt2' [--rounds 200] [--file FILE]

Programs take turns, so that noise of the machine hits all alike. Each is copied first, as installing does: what a page
fault costs depends on how a file came into memory, and a program straight from the linker has more of them than the same
program once it was copied or read from disk. With --as-it-is programs are run where they are.

Reported are the median and the least processor time (user and system) in milliseconds, the page faults, and each median
as a share of the last program's.
"""

import argparse
import os
import shlex
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

FORMULA = """(declare-const x String)
(assert (= (str.++ x "b") "ab"))
(check-sat)
"""


def run(command, path):
    """Runs a command on a file; gives its processor time in ms, its time on the clock in ms, and its page faults."""
    start = time.perf_counter()
    # A fork would count the copying of this interpreter for the program.
    to_null = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    child = os.posix_spawnp(command[0], [*command, path], os.environ, file_actions=to_null)
    _, status, usage = os.wait4(child, 0)
    if status != 0:
        sys.exit(f"`{' '.join(command)}` ended with status {status}")
    wall = (time.perf_counter() - start) * 1e3
    return (usage.ru_utime + usage.ru_stime) * 1e3, wall, usage.ru_minflt


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("programs", nargs="+", metavar="NAME=COMMAND")
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--file", help="a formula [default: three lines]")
    parser.add_argument("--as-it-is", action="store_true", help="do not copy the programs first")
    args = parser.parse_args()
    programs = [(name, shlex.split(command)) for name, _, command in (p.partition("=") for p in args.programs)]
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder) / "formula.smt2"
        written.write_text(FORMULA)
        path = args.file or str(written)
        if not args.as_it_is:
            for name, command in programs:
                command[0] = shutil.copy(shutil.which(command[0]), Path(folder) / f"program-{name}")
        measured = {name: [] for name, _ in programs}
        for _ in range(args.rounds):
            for name, command in programs:
                measured[name].append(run(command, path))
    reference = statistics.median(cpu for cpu, _, _ in measured[programs[-1][0]])
    print("| program | median CPU ms | least CPU ms | median wall ms | page faults | share |")
    print("|---|---:|---:|---:|---:|---:|")
    for name, _ in programs:
        cpu, wall, faults = zip(*measured[name])
        median = statistics.median(cpu)
        print(
            f"| {name} | {median:.2f} | {min(cpu):.2f} | {statistics.median(wall):.2f}"
            f" | {statistics.median(faults):.0f} | {median / reference:.3f} |"
        )


if __name__ == "__main__":
    main()
