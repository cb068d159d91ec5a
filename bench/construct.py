#!/usr/bin/env python3
"""Runs solvers on the cases of `smelt generate construct` and prints the table of Bugariu and Mueller (their Table 4).

For each category and solver: IM incorrect models, IC incorrect cores, S sat, U unsat, K unknown, T timeouts, E errors.
An answer is wrong if it is not the one that the category is constructed to have. Models are evaluated with `smelt eval`.
A core that the solver names is asked of another solver, and is incorrect if that finds a model of it that `smelt eval`
accepts. A core that is larger than need be is not counted.

Usage: construct.py --smelt PATH --solver NAME=COMMAND.. [--options NAME=SMT-LIB..] [--most N] [--limit SECS]
  [--dialect 2.5] FOLDER
  COMMAND  reads SMT-LIB from its standard input, as `z3 -in` does
"""

import argparse
import collections
import pathlib
import random
import re
import shlex
import subprocess
import sys
import tempfile

CATEGORY = re.compile(r"construct-(.*)-\d+\.smt2$")
COLUMNS = ["IM", "IC", "S", "U", "K", "T", "E"]


def run(command, script, limit):
    try:
        done = subprocess.run(shlex.split(command), input=script.encode(), capture_output=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return "timeout"
    return text_of(done.stdout) + text_of(done.stderr)


def text_of(output):
    """Old solvers print letters above 127 as single bytes."""
    try:
        return output.decode()
    except UnicodeDecodeError:
        return output.decode("latin-1")


def verdict(output):
    """The column of an answer, and what stands after it."""
    if output == "timeout":
        return "T", ""
    found = re.search(r"^(sat|unsat|unknown|timeout)\b", output, re.M)
    if not found or "(error" in output[: found.start()]:
        return "E", ""
    column = {"sat": "S", "unsat": "U", "unknown": "K", "timeout": "T"}[found.group(1)]
    return column, output[found.end() :]


def satisfies(evaluate, script, model):
    """Whether our evaluator, a command, accepts a model: true, false, or unknown."""
    with tempfile.TemporaryDirectory() as folder:
        formula, answer = pathlib.Path(folder, "formula.smt2"), pathlib.Path(folder, "model")
        formula.write_text(script)
        answer.write_text(model)
        done = subprocess.run([*evaluate, str(formula), "--model", str(answer)], capture_output=True, text=True)
    if done.returncode == 0:
        return "true"
    return "false" if re.search(r"\bfalse\b", done.stdout) else "unknown"


def restricted(script, names):
    """A script with those assertions only that have these names."""
    kept = []
    for line in assertions(script):
        found = re.search(r":named ([^\s()]+)\)\)$", line)
        if found is None or found.group(1) in names:
            kept.append(line)
    return "\n".join(kept) + "\n"


def assertions(script):
    return [line for line in script.splitlines() if line and not line.startswith(";")]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--smelt", required=True)
    parser.add_argument("--solver", action="append", required=True)
    parser.add_argument("--options", action="append", default=[])
    parser.add_argument("--most", type=int, default=300, help="of each category")
    parser.add_argument("--limit", type=float, default=5)
    parser.add_argument("--dialect", help="that the cases are in, where their operators do not show it")
    options = parser.parse_args()
    solvers = dict(solver.split("=", 1) for solver in options.solver)
    evaluate = [options.smelt, "eval", *(["--dialect", options.dialect] if options.dialect else [])]
    preambles = dict(option.split("=", 1) for option in options.options)

    files = collections.defaultdict(list)
    for path in sorted(pathlib.Path(options.folder).glob("construct-*.smt2")):
        text = path.read_text()
        patterns = "[+p] " if ":pattern" in text else ""
        expected = text.split("\n", 1)[0].removeprefix("; expect: ")
        files[expected, patterns + CATEGORY.search(path.name).group(1)].append((path, text))

    counts = collections.Counter()
    drawn = {}
    for key, cases in files.items():
        random.Random(0).shuffle(cases)
        drawn[key] = cases[: options.most]
    for (expected, category), cases in drawn.items():
        for path, text in cases:
            for name, command in solvers.items():
                ask = "(get-model)" if expected == "sat" else "(get-unsat-core)"
                produce = "models" if expected == "sat" else "unsat-cores"
                preamble = f"(set-option :produce-{produce} true)\n" + preambles.get(name, "")
                column, rest = verdict(run(command, f"{preamble}\n{text}{ask}\n", options.limit))
                if column in "SU" and column != expected[0].upper():
                    print(f"wrong answer: {name} says {column} on {path}", flush=True)
                elif column == "S":
                    value = satisfies(evaluate, text, rest)
                    if value != "true":
                        print(f"model: {name} on {path}: {value}", flush=True)
                    column = "IM" if value == "false" else column
                elif column == "U":
                    core = re.search(r"\(([^()]*)\)", rest)
                    names = set(core.group(1).split()) if core else set()
                    others = [other for other in solvers if other != name]
                    if names and others:
                        small = restricted(text, names)
                        full = f"(set-option :produce-models true)\n{preambles.get(others[0], '')}\n{small}(get-model)\n"
                        answer, model = verdict(run(solvers[others[0]], full, options.limit))
                        if answer == "S" and satisfies(evaluate, small, model) == "true":
                            print(f"core: {name} on {path}: {' '.join(sorted(names))}", flush=True)
                            column = "IC"
                counts[expected, category, name, column] += 1
        sys.stdout.flush()

    print(f"\n| expected | category | cases | {' | '.join(f'{name}: {column}' for name in solvers for column in COLUMNS)} |")
    print("|---" * (3 + len(solvers) * len(COLUMNS)) + "|")
    for (expected, category), cases in drawn.items():
        cells = [str(counts[expected, category, name, column] or "") for name in solvers for column in COLUMNS]
        print(f"| {expected} | {category} | {len(cases)} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
