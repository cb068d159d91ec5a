#!/usr/bin/env python3
"""Does a busy machine change what `smelt bench` says?

Keeps every core busy with several loops and runs the same benchmark twice. Both must have the same answers, unless the
processor time of a run is within a tenth of the limit, and no run may be a timeout below the limit.

    bench/load.py CORPUS.. --smelt target/release/smelt --solver z3@5.4.0 --solver cvc5@1.4.2 --solver smelt
"""

import argparse
import csv
import os
import subprocess
import sys
import tempfile


def busy_loops(count):
    """Processes that compute until they are ended."""
    return [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]


def results(arguments, number, folder):
    """One benchmark: what each solver said of each file, and its processor and clock time."""
    path = os.path.join(folder, f"{number}.csv")
    command = [arguments.smelt, "bench", *arguments.corpus, "--sample", str(arguments.files)]
    command += ["--timeout", str(arguments.timeout), "--jobs", str(arguments.jobs), "--csv", path]
    for solver in arguments.solver:
        command += ["--solver", solver]
    subprocess.run(command, check=False, stdout=subprocess.DEVNULL)
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    return {(row["suite"], row["file"], row["solver"]): row for row in rows}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", nargs="+")
    parser.add_argument("--smelt", default="target/release/smelt")
    parser.add_argument("--solver", action="append", default=[])
    parser.add_argument("--files", type=int, default=100)
    parser.add_argument("--timeout", type=float, default=2.0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--loops", type=int, default=4, help="busy loops per core")
    arguments = parser.parse_args()
    arguments.solver = arguments.solver or ["z3@5.4.0", "cvc5@1.4.2", "smelt"]
    cores = len(os.sched_getaffinity(0))
    loops = busy_loops(arguments.loops * cores)
    try:
        with tempfile.TemporaryDirectory() as folder:
            first, second = (results(arguments, number, folder) for number in (1, 2))
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()

    limit_ms = arguments.timeout * 1000
    problems, at_limit, stretched = [], 0, 0.0
    for key in sorted(first.keys() | second.keys()):
        pair = [rows.get(key) for rows in (first, second)]
        name = " ".join(key)
        if None in pair:
            problems.append(f"{name}: missing in one of the two")
            continue
        for row in pair:
            cpu_ms, wall_ms = float(row["cpu_ms"]), float(row["wall_ms"])
            if cpu_ms > 100:
                stretched = max(stretched, wall_ms / cpu_ms)
            if row["answer"] == "timeout" and cpu_ms < limit_ms:
                problems.append(f"{name}: timeout after {cpu_ms:.0f} ms of {limit_ms:.0f} ({row['limit']})")
        answers = {row["answer"] for row in pair}
        is_at_limit = any(abs(float(row["cpu_ms"]) - limit_ms) <= limit_ms / 10 for row in pair)
        if len(answers) > 1 and is_at_limit:
            at_limit += 1
        elif len(answers) > 1:
            times = ", ".join(f"{row['answer']} after {float(row['cpu_ms']):.0f} ms" for row in pair)
            problems.append(f"{name}: {times}")
    timeouts = sum(row["answer"] == "timeout" for rows in (first, second) for row in rows.values())
    print(f"{len(first)} and {len(second)} runs beside {len(loops)} busy loops on {cores} cores")
    print(f"{timeouts} timeouts, {at_limit} answers that differ within a tenth of the limit")
    print(f"on the clock a run took up to {stretched:.1f} times its processor time")
    print(f"{len(problems)} problems")
    for problem in problems:
        print(f"  {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
