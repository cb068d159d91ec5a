#!/usr/bin/env python3
"""Learns which arm of `smelt solve` a formula gets, from measurements, and writes the decision tree.

    bench/train_arms.py --smelt target/release/smelt CORPUS [--sample 400] [--timeout 2] [--csv FILE] [--write]

Every arm is run on a sample of the corpus by `smelt bench` (or the figures of an earlier run are taken from --csv), and
each file is probed by `smelt solve --explain-arm`. What an arm costs on a file is the processor time that it took, or
twice the limit if it did not decide. The tree is grown greedily: the question that saves most, as long as it saves at
least a hundredth of the whole, no leaf with fewer than ten files. No name of a file or suite is ever asked for.

How deep the tree may be is told by leaving out: the files of each suite are given to a tree that was learned from the
other suites, and the depth that costs least then is taken, which may be none at all. Of a formula with several independent
parts, the largest speaks for all.

With --write the tree goes to crates/smelt-solver/src/schedule/learned.txt.
"""

import argparse
import csv
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TREE = ROOT / "crates/smelt-solver/src/schedule/learned.txt"
LEAST_FILES = 10
LEAST_SAVING = 0.01
MOST_QUESTIONS = 3


def main():
    args = arguments(__doc__).parse_args()
    files = figures(args, measure, lambda path: read(path, args.timeout))
    for file in files:
        file["probe"] = probe(args, file)
    files = [file for file in files if file["probe"]]
    arms = sorted({arm for file in files for arm in file["costs"]})
    print(f"{len(files)} files that rewriting does not decide, {len(arms)} arms")
    left_out = [costs_left_out(files, arms, depth) for depth in range(MOST_QUESTIONS + 1)]
    depth = min(range(MOST_QUESTIONS + 1), key=lambda depth: sum(left_out[depth]))
    tree = learn(files, arms, depth)
    print(text_of(tree), end="")
    report(files, arms, tree, left_out)
    if args.write:
        head = (f"# The arm for a formula by the numbers of its probe.\n"
                f"# Written by bench/train_arms.py --sample {args.sample} --timeout {args.timeout:g} from {len(files)} formulas.\n")
        TREE.write_text(head + text_of(tree))


def arguments(about):
    """What is the same for all that is measured on a sample of a corpus."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--smelt", type=lambda path: Path(path).resolve(), default=ROOT / "target/release/smelt")
    parser.add_argument("--sample", type=int, default=400)
    parser.add_argument("--timeout", type=float, default=2)
    parser.add_argument("--csv", type=Path, help="figures of an earlier run, or where to leave those of this one")
    parser.add_argument("--write", action="store_true")
    return parser


def figures(args, measure, read):
    """The figures of an earlier run, or those of a new one."""
    with tempfile.TemporaryDirectory() as folder:
        path = args.csv or Path(folder) / "arms.csv"
        if not path.exists():
            measure(args, path)
        return read(path)


def arm_names(smelt):
    text = subprocess.run([smelt, "solve", "--help"], capture_output=True, text=True, check=True).stdout
    names = re.search(r"^ *Arms: (.*)$", text, re.MULTILINE).group(1).split(", ")
    return [name for name in names if name not in ("learned", "paper")]


def measure(args, path):
    command = [args.smelt, "bench", args.corpus, "--sample", str(args.sample), "--timeout", str(args.timeout),
               "--jobs", "2"]
    for name in arm_names(args.smelt):
        command += ["--solver", f"{name}={args.smelt} solve --arm {name}"]
    status = subprocess.run([*command, "--csv", path], stdout=sys.stderr).returncode
    # 1 means that some answer is wrong, which the table names.
    if status > 1:
        sys.exit(f"smelt bench ended with status {status}")


def read(path, timeout):
    """The files with what each arm costs on them."""
    files = {}
    with open(path, newline="") as rows:
        for row in csv.DictReader(rows):
            file = files.setdefault((row["suite"], row["file"]), {"suite": row["suite"], "file": row["file"], "costs": {}})
            is_solved = row["answer"] in ("sat", "unsat")
            file["costs"][row["solver"]] = float(row["cpu_ms"]) / 1000 if is_solved else 2 * timeout
    return list(files.values())


def probe(args, file):
    """The numbers of the largest part; none if rewriting decides all."""
    parts = [{name: int(value) for name, value in part.items() if name != "class"} for part in probe_parts(args, file)]
    return max(parts, key=lambda numbers: numbers["terms"], default=None)


def probe_parts(args, file):
    """What `smelt solve` says of each independent part of a formula."""
    path = args.corpus / file["suite"] / file["file"]
    if not path.exists():
        path = next(args.corpus.rglob(file["file"]), None)
    command = [args.smelt, "solve", "--explain-arm", "--without", "guess", "--timeout", "0.1", path]
    errors = subprocess.run(command, capture_output=True, text=True, errors="replace").stderr
    probes = [line[len("; probe: "):] for line in errors.splitlines() if line.startswith("; probe: ")]
    return [dict(word.split("=", 1) for word in line.split()) for line in probes]


def min_cost(files, arms):
    """The least that one arm for all costs, and the arm."""
    return min((sum(file["costs"][arm] for file in files), arm) for arm in arms)


def learn(files, arms, depth):
    return grow(files, arms, depth, LEAST_SAVING * min_cost(files, arms)[0])


def costs_left_out(files, arms, depth):
    """What each file costs with a tree that was learned from the files of other suites."""
    costs = []
    for suite in sorted({file["suite"] for file in files}):
        tree = learn([file for file in files if file["suite"] != suite], arms, depth)
        costs += [file["costs"][decide(tree, file["probe"])] for file in files if file["suite"] == suite]
    return costs


def grow(files, arms, depth, least_saving):
    cost, arm = min_cost(files, arms)
    best = None
    if depth > 0:
        for number in files[0]["probe"]:
            for limit in sorted({file["probe"][number] for file in files})[:-1]:
                sides = ([], [])
                for file in files:
                    sides[file["probe"][number] > limit].append(file)
                if min(map(len, sides)) < LEAST_FILES:
                    continue
                saving = cost - sum(min_cost(side, arms)[0] for side in sides)
                if best is None or saving > best[0]:
                    best = (saving, number, limit, sides)
    if best is None or best[0] < least_saving:
        return arm
    _, number, limit, sides = best
    branches = [grow(side, arms, depth - 1, least_saving) for side in sides]
    # Two branches that say the same are one.
    return branches[0] if branches[0] == branches[1] else (number, limit, *branches)


def text_of(tree, depth=0):
    indent = "  " * depth
    if isinstance(tree, str):
        return f"{indent}{tree}\n"
    number, limit, yes, no = tree
    return f"{indent}{number} <= {limit}\n" + text_of(yes, depth + 1) + text_of(no, depth + 1)


def decide(tree, numbers):
    while not isinstance(tree, str):
        number, limit, yes, no = tree
        tree = yes if numbers[number] <= limit else no
    return tree


def report(files, arms, tree, left_out):
    rows = [(arm, [file["costs"][arm] for file in files]) for arm in arms]
    rows.append(("the tree, on the files that it was learned from", [file["costs"][decide(tree, file["probe"])] for file in files]))
    rows += [(f"a tree of depth {depth}, learned from other suites", costs) for depth, costs in enumerate(left_out)]
    rows.append(("best arm for each file", [min(file["costs"].values()) for file in files]))
    unsolved = max(cost for _, costs in rows for cost in costs)
    print("| choice | solved | PAR-2, seconds |\n|---|---:|---:|")
    for name, costs in rows:
        print(f"| {name} | {sum(cost < unsolved for cost in costs)} | {sum(costs):.1f} |")


if __name__ == "__main__":
    main()
