#!/usr/bin/env python3
"""What the sandbox costs: processor time of runs of a solver inside and outside of it, interleaved.

Usage: bench/sandbox.py --smelt target/release/smelt --solver z3@latest [--rounds 20] [--runs 25]

Prints the mean and median processor time of cold and of warm runs on a trivial formula, and what the sandbox adds.
Processor time of a run includes entering the sandbox. On a busy machine it is noisy all the same: take many rounds.
"""

import argparse
import json
import statistics
import subprocess
import tempfile
from pathlib import Path

FORMULA = "(declare-fun x () Int)\n(assert (> x 2))\n(assert (< x 4))\n(check-sat)\n"


def times(options, files, mode, extra):
    command = [options.smelt, "run", *files, "--solver", options.solver, "--jobs", "1", "--json"]
    command += ["--sandbox", mode, *extra]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    runs = [json.loads(line) for line in output.splitlines()]
    assert all(run["answer"] == "sat" for run in runs), output
    return [run["cpu_ms"] for run in runs]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--smelt", required=True)
    parser.add_argument("--solver", required=True)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--runs", type=int, default=25)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        files = [str(Path(folder, f"{number}.smt2")) for number in range(options.runs)]
        for file in files:
            Path(file).write_text(FORMULA)
        for kind, extra in [("cold", []), ("warm", ["--warm"])]:
            seen = {"off": [], "on": []}
            for number in range(options.rounds):
                for mode in ["off", "on"] if number % 2 == 0 else ["on", "off"]:
                    seen[mode] += times(options, files, mode, extra)
            for mode, measured in seen.items():
                mean, median = statistics.mean(measured), statistics.median(measured)
                print(f"{kind} {mode:>3}: {len(measured)} runs, mean {mean:.3f} ms, median {median:.3f} ms")
            for name, middle in [("mean", statistics.mean), ("median", statistics.median)]:
                off, on = middle(seen["off"]), middle(seen["on"])
                print(f"{kind} {name}: the sandbox adds {on - off:+.3f} ms, {100 * (on - off) / off:+.1f} %")


if __name__ == "__main__":
    main()
