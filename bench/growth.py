#!/usr/bin/env python3
"""Measures how the time of smelt, Z3 and cvc5 grows with n on families of formulas over strings.

    bench/growth.py --smelt target/release/smelt [--most 128] [--timeout 5] [--repeats 3] [--write]

For each family and n a formula is written, and `smelt scale` measures the solvers on them, in turn and in processor time.
With --write the plots go to docs/measurements/growth/ and the table to docs/measurements/growth.md.
"""

import argparse
import json
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs/measurements"
SIZES = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128]
SOLVERS = ["smelt", "z3@5.4.0", "cvc5@1.4.2"]


def script(variables, assertions):
    lines = [f"(declare-const {name} {sort})" for name, sort in variables]
    lines += [f"(assert {assertion})" for assertion in assertions]
    return "\n".join(lines) + "\n(check-sat)\n"


def words(names):
    return [(name, "String") for name in names]


def concat(parts):
    parts = list(parts)
    return parts[0] if len(parts) == 1 else f"(str.++ {' '.join(parts)})"


def concatenations(n, length):
    """A word of n unknown words with a letter after each: it is at least n long."""
    names = [f"x{i}" for i in range(n)]
    parts = [part for name in names for part in (name, '"a"')]
    return script(words([*names, "y"]), [f"(= y {concat(parts)})", f"(= (str.len y) {length})",
                                         '(str.prefixof "b" y)'])


def overlap(n, last):
    """An unknown word that can be exchanged with a literal: the one behind it must be the one before it, turned."""
    return script(words("x"), [f'(= (str.++ "{"aabb" * n}" x) (str.++ x "{last * n}"))', f"(> (str.len x) {4 * n})"])


def chain(n, has_solution):
    """n equations, each of which goes on with the word of the one before."""
    names = [f"x{i}" for i in range(n + 1)]
    assertions = [f'(= (str.++ {names[i]} "ab") (str.++ "ab" {names[i + 1]}))' for i in range(n)]
    assertions.append(f"(= (str.len {names[0]}) 2)")
    if not has_solution:
        assertions.append(f'(str.contains {names[n]} "bb")')
    return script(words(names), assertions)


def replaces(n, result):
    """One letter after the other is replaced, n times."""
    term = "x"
    for i in range(n):
        term = f'(str.replace {term} "a" "b")'
    return script(words("x"), [f'(= {term} "{result}")', f"(= (str.len x) {n + 1})", '(str.prefixof "a" x)'])


def loop(n, tail):
    """A word of n to 2n blocks of a regular expression, n times as long as its shortest block, with a tail that it has or not."""
    block = '(re.union (str.to_re "ab") (str.to_re "cde"))'
    return script(words("x"), [f"(str.in_re x ((_ re.loop {n} {2 * n}) {block}))", f"(= (str.len x) {2 * n + 1})",
                               f'(str.suffixof "{tail}" x)'])


def both_loops(n, step):
    """A word of blocks of two letters and of three, between n and n + step long."""
    lengths = f"(and (> (str.len x) {6 * n}) (< (str.len x) {6 * n + step}))"
    return script(words("x"), ['(str.in_re x (re.+ (str.to_re "aa")))', '(str.in_re x (re.+ (str.to_re "aaa")))', lengths])


FAMILIES = {
    "concatenations-sat": lambda n: concatenations(n, 2 * n + 1),
    "concatenations-unsat": lambda n: concatenations(n, n),
    "overlap-sat": lambda n: overlap(n, "abba"),
    "overlap-unsat": lambda n: overlap(n, "abab"),
    "chain-sat": lambda n: chain(n, True),
    "chain-unsat": lambda n: chain(n, False),
    "replaces-sat": lambda n: replaces(n, "b" * (n + 1)),
    "replaces-unsat": lambda n: replaces(n, "b" * n + "ab"),
    "loop-sat": lambda n: loop(n, "e"),
    "loop-unsat": lambda n: loop(n, "cd"),
    "two-loops-sat": lambda n: both_loops(n, 7),
    "two-loops-unsat": lambda n: both_loops(n, 6),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--smelt", type=Path, default=ROOT / "target/release/smelt")
    parser.add_argument("--most", type=int, default=128)
    parser.add_argument("--timeout", type=float, default=5)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--family", choices=FAMILIES, action="append", help="only these")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    plots = DOCS / "growth"
    rows = []
    for name in args.family or FAMILIES:
        with tempfile.TemporaryDirectory() as folder:
            family = Path(folder) / name
            family.mkdir()
            for n in SIZES:
                (family / f"{n}.smt2").write_text(FAMILIES[name](n))
            command = [args.smelt.resolve(), "scale", name, "--most", args.most, "--timeout", args.timeout,
                       "--repeats", args.repeats, "--json"]
            command += [word for solver in SOLVERS for word in ("--solver", solver)]
            if args.write:
                plots.mkdir(exist_ok=True)
                command += ["-o", plots / f"{name}.svg"]
            command = [str(word) for word in command]
            output = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout
        rows.append((name, [json.loads(line) for line in output.splitlines()]))
        print(row(*rows[-1]), flush=True)
    if args.write:
        page = DOCS / "growth.md"
        head = page.read_text().split("| family |")[0]
        page.write_text(head + table(rows, args))


def row(name, curves):
    return f"| {name} | " + " | ".join(cell(curve) for curve in curves) + " |"


def cell(curve):
    """The largest n that is decided, its time, and how times grow."""
    decided = [(n, time) for n, time in zip(curve["n"], curve["cpu_ms"]) if time is not None]
    if not decided:
        return "none"
    n, time = decided[-1]
    growth = {None: "flat", "linear": "linear"}.get(curve["growth"])
    if curve["growth"] == "polynomial":
        growth = f"n^{curve['exponent']:.1f}"
    if curve["growth"] == "exponential":
        growth = f"{curve['base']:.2f}^n"
    return f"{n}: {time / 1000:.2f} s, {growth}"


def table(rows, args):
    head = "| family | " + " | ".join(SOLVERS) + " |\n|---|" + "---|" * len(SOLVERS) + "\n"
    body = "\n".join(row(name, curves) for name, curves in rows)
    plots = "\n\n".join(f"![{name}](growth/{name}.svg)" for name, _ in rows)
    return f"{head}{body}\n\n{plots}\n"


if __name__ == "__main__":
    main()
