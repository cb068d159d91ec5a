#!/usr/bin/env python3
"""The tables of docs/design/arms.md: each engine alone, arm selection, ablations, and each engine per class of formulas.

    bench/arms.py CORPUS --baseline BASELINE.csv [--smelt target/release/smelt] [--sample 400] [--timeout 2]
                  [--csv FILE] [--write]

All ways to use `smelt solve`, and Z3 and cvc5, are run on the same sample of the corpus, side by side, by `smelt bench`, or
the figures of an earlier run are taken from --csv. What is right is what the baseline expects. With --write the tables
replace those between the two marks in docs/design/arms.md.
"""

import csv
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

from train_arms import ROOT, arguments, figures, probe_parts

PAGE = ROOT / "docs/design/arms.md"
MARKS = ("<!-- tables of bench/arms.py -->\n", "<!-- end of tables -->\n")
ENGINES = ["length-abstraction", "cases", "arrangement", "sequence"]
SELECTIONS = ["learned", "paper", "rounds", "lengths-and-cases"]
PARTS = ["sharing", "arrangement-words", "difficulty"]
OTHERS = ["z3@5.4.0", "cvc5@1.4.2"]
CLASSES = ["regex", "mostly-not-equations", "conjunctive", "other", "simplified"]


def main():
    parser = arguments(__doc__)
    parser.add_argument("--baseline", type=Path, required=True)
    args = parser.parse_args()
    runs = figures(args, measure, read)
    with open(args.baseline, newline="") as rows:
        expected = {(row["suite"], row["file"]): row["expected"] for row in csv.DictReader(rows)}
    text = table_of_ways(runs, expected, args.timeout) + table_of_classes(runs, args)
    print(text, end="")
    if args.write:
        head, rest = PAGE.read_text().split(MARKS[0])
        PAGE.write_text(head + MARKS[0] + text + MARKS[1] + rest.split(MARKS[1])[1])


def ways(smelt):
    """Every way to use the solver, by name, with its command line."""
    for engine in ENGINES:
        yield f"engine {engine}", f"{smelt} solve --engine {engine}"
    for arm in SELECTIONS:
        yield f"arm {arm}", f"{smelt} solve --arm {arm}"
    for part in PARTS:
        yield f"arm learned, without {part}", f"{smelt} solve --without {part}"
    yield "engine arrangement, without arrangement-words", f"{smelt} solve --engine arrangement --without arrangement-words"


def measure(args, path):
    command = [args.smelt, "bench", args.corpus, "--baseline", args.baseline, "--sample", str(args.sample),
               "--timeout", str(args.timeout), "--jobs", "2"]
    for name, line in ways(args.smelt):
        command += ["--solver", f"{name}={line}"]
    for other in OTHERS:
        command += ["--solver", other]
    status = subprocess.run([*command, "--csv", path], stdout=sys.stderr).returncode
    # 1 means that some answer is wrong, which the table counts.
    if status > 1:
        sys.exit(f"smelt bench ended with status {status}")


def read(path):
    """For each way that was measured, its answer and time on each file."""
    runs = defaultdict(dict)
    with open(path, newline="") as rows:
        for row in csv.DictReader(rows):
            if not row["solver"].startswith(("engine", "arm")) and row["solver"] not in OTHERS:
                continue
            runs[row["solver"]][row["suite"], row["file"]] = (row["answer"], float(row["cpu_ms"]) / 1000)
    return runs


def is_solved(answer):
    return answer in ("sat", "unsat")


def best_of(runs, names):
    """The first of some ways to decide each file."""
    files = next(iter(runs.values()))
    return {file: min((runs[name][file] for name in names), key=lambda run: (not is_solved(run[0]), run[1])) for file in files}


def table_of_ways(runs, expected, timeout):
    names = [name for name in runs if name.startswith(("engine", "arm"))]
    rows = [(name, runs[name]) for name in names if ", without" not in name]
    rows.append(("virtual best of our engines", best_of(runs, [name for name in names if name.startswith("engine") and ", without" not in name])))
    rows += [(name, runs[name]) for name in OTHERS if name in runs]
    rows.append(("virtual best overall", best_of(runs, [name for name in runs if ", without" not in name])))
    rows += [(name, runs[name]) for name in names if ", without" in name]
    text = f"{len(expected)} files in the corpus, {len(rows[0][1])} in the sample, {timeout:g} s each.\n\n"
    text += "| | solved | sat | unsat | unknown | other | wrong | seconds | PAR-2 |\n|---|" + "---:|" * 8 + "\n"
    for name, results in rows:
        counts = Counter(answer for answer, _ in results.values())
        solved = counts["sat"] + counts["unsat"]
        wrong = sum(is_solved(answer) and expected[file] in ("sat", "unsat") and answer != expected[file]
                    for file, (answer, _) in results.items())
        seconds = sum(time for _, time in results.values())
        par2 = sum(time if is_solved(answer) else 2 * timeout for answer, time in results.values())
        text += (f"| {name} | {solved} | {counts['sat']} | {counts['unsat']} | {counts['unknown']} | "
                 f"{len(results) - solved - counts['unknown']} | {wrong} | {seconds:.0f} | {par2:.0f} |\n")
    return text + "\n"


def table_of_classes(runs, args):
    """What each engine solves inside and outside of the classes for which the paper asks it first."""
    files = next(iter(runs.values()))
    classes = {file: class_of(args, file) for file in files}
    sizes = Counter(classes.values())
    text = "| solved of class | " + " | ".join(f"{name} ({sizes[name]})" for name in CLASSES) + " |\n"
    text += "|---|" + "---:|" * len(CLASSES) + "\n"
    for name, results in runs.items():
        if ", without" in name:
            continue
        solved = Counter(classes[file] for file, (answer, _) in results.items() if is_solved(answer))
        text += f"| {name} | " + " | ".join(str(solved[one]) for one in CLASSES) + " |\n"
    return text


def class_of(args, file):
    parts = probe_parts(args, {"suite": file[0], "file": file[1]})
    largest = max(parts, key=lambda numbers: int(numbers["terms"]), default=None)
    return largest["class"] if largest else "simplified"


if __name__ == "__main__":
    main()
