#!/usr/bin/env python3
"""Measures what starting, limiting and ending a solver costs: two programs smelt side by side.

    bench/processes.py before=OLD/smelt after=NEW/smelt --solver z3@5.4.0 [--files 100] [--rounds 10]

Both run the same solver on the same small formulas, cold (`smelt run`) and warm (`smelt run --warm`), one job, taking
turns, so that noise of the machine hits both alike. Reported is the processor time per formula in milliseconds, of smelt
and its solvers together: the median of all rounds, and the median of the differences within a round as a share of it.
"""

import argparse
import os
import statistics
import sys
import tempfile
from pathlib import Path

FORMULA = "(declare-const x Int)\n(assert (and (> x {}) (< (* 2 x) {})))\n(check-sat)\n"


def cost(program, args, folder):
    """The processor time of one command and all that it has waited for, in milliseconds."""
    to_null = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_WRONLY, 0) for fd in (1, 2)]
    child = os.posix_spawn(program, [program, "run", folder, "-j", "1", *args], os.environ, file_actions=to_null)
    _, status, usage = os.wait4(child, 0)
    if status != 0:
        sys.exit(f"`{program}` ended with status {status}")
    return (usage.ru_utime + usage.ru_stime) * 1e3


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("programs", nargs=2, metavar="NAME=PROGRAM")
    parser.add_argument("--solver", required=True)
    parser.add_argument("--files", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=10)
    args = parser.parse_args()
    programs = [word.split("=", 1) for word in args.programs]
    with tempfile.TemporaryDirectory() as folder:
        for number in range(args.files):
            Path(folder, f"{number}.smt2").write_text(FORMULA.format(number, 2 * number + 9), encoding="utf-8")
        for name, options in [("cold", []), ("warm", ["--warm"])]:
            options = ["--solver", args.solver, *options]
            times = {program: [] for program, _ in programs}
            for round_number in range(args.rounds + 1):
                order = programs if round_number % 2 else programs[::-1]
                for program, path in order:
                    used = cost(path, options, folder) / args.files
                    # The first round fills caches.
                    if round_number:
                        times[program].append(used)
            (first, _), (second, _) = programs
            shares = [(new - old) / old for old, new in zip(times[first], times[second])]
            medians = {program: statistics.median(used) for program, used in times.items()}
            print(
                f"{name}: {first} {medians[first]:.3f} ms, {second} {medians[second]:.3f} ms, "
                f"difference {100 * statistics.median(shares):+.1f} %"
            )


if __name__ == "__main__":
    main()
