#!/usr/bin/env python3
"""Checks the models that real solvers print with `smelt eval`.

For every formula below FOLDER that a solver calls satisfiable, its model is asked for, parsed and evaluated.
The last lines count the answers: `true`, `false`, `unknown` with the reasons. A `false` is a wrong model, or a bug
of ours: each is named.

Usage: models.py --smelt target/release/smelt --z3 PATH --cvc5 DIR [--limit SECS] [--most N] FOLDER
  --z3 PATH      a z3 binary
  --cvc5 DIR     an unpacked cvc5 wheel (the folder that has `cvc5/` in it)
  --by-hash      take the files in the order of the SHA-256 of their paths below FOLDER, not in a shuffled one
  --models DIR   keep formulas and models in DIR, and evaluate those that are there already instead of solving again
"""

import argparse
import collections
import contextlib
import hashlib
import json
import os
import pathlib
import random
import re
import resource
import subprocess
import sys
import tempfile

CHECK = re.compile(r"\(\s*check-sat(-assuming\s*\([^()]*(\([^()]*\)[^()]*)*\))?\s*\)")


def with_model(text):
    """The script up to its last check, followed by a request for the model."""
    checks = list(CHECK.finditer(text))
    if not checks:
        return None
    head = text[: checks[-1].end()]
    head = re.sub(r"\(\s*(get-model|get-info[^()]*|get-unsat-core|get-value\s*\(.*\))\s*\)", "", head)
    return "(set-option :produce-models true)\n" + head + "\n(get-model)\n"


def run_z3(binary, script, limit):
    try:
        done = subprocess.run(
            [binary, "-in", f"-T:{limit}"], input=script, capture_output=True, text=True, timeout=limit + 5
        )
    except subprocess.TimeoutExpired:
        return "timeout"
    return done.stdout


def run_cvc5(script, limit):
    """In a child of this process, which has imported cvc5 already: importing costs more than solving."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
        resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
        with os.fdopen(writer, "w") as out:
            try:
                out.write(solve_cvc5(script))
            except BaseException as error:  # the answer is data, whatever it is
                out.write(f"(error {error})")
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as source:
        text = source.read()
    os.waitpid(child, 0)
    return text


def solve_cvc5(script):
    import cvc5

    manager = cvc5.TermManager()
    solver = cvc5.Solver(manager)
    solver.setOption("strings-exp", "true")
    solver.setOption("incremental", "true" if "(push" in script or script.count("(check-sat") > 1 else "false")
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, script, "script")
    symbols = parser.getSymbolManager()
    out = []
    while True:
        command = parser.nextCommand()
        if command.isNull():
            return "".join(out)
        out.append(command.invoke(solver, symbols))


def last_answer(output):
    """The last verdict and what stands after it."""
    found = list(re.finditer(r"^(sat|unsat|unknown|timeout)\b.*$", output, re.M))
    if not found or "(error" in output[: found[-1].start()]:
        return None, ""
    return found[-1].group(1), output[found[-1].end() :]


def files_of(folder, by_hash):
    """The formulas below a folder, in the order in which they are tried."""
    files = sorted(path for path in pathlib.Path(folder).rglob("*.smt2") if "orig-2.5" not in path.parts)
    if by_hash:
        files.sort(key=lambda path: hashlib.sha256(path.relative_to(folder).as_posix().encode()).digest())
    else:
        random.Random(0).shuffle(files)
    return files


def gather(files, solvers, most, store):
    """Solves until there are models of `most` formulas: `SOLVER/NUMBER-FOLDER-NAME.smt2` and `.model` in `store`."""
    done = 0
    for path in files:
        if done >= most:
            break
        script = with_model(path.read_text())
        if script is None:
            continue
        counted = False
        for name, solve in solvers.items():
            verdict, model = last_answer(solve(script))
            if verdict != "sat" or "(" not in model or "(error" in model:
                continue
            counted = True
            place = store / name / f"{done:04}-{path.parent.name}-{path.stem}"
            place.parent.mkdir(parents=True, exist_ok=True)
            pathlib.Path(f"{place}.smt2").write_text(script)
            pathlib.Path(f"{place}.model").write_text(model)
        done += counted
    (store / "complete").write_text(f"{done} formulas with a model\n")


def evaluate(smelt, folder):
    """The answers of `smelt eval` to the formulas and models of a folder."""
    command = [smelt, "eval", "--complete", "--json", folder, "--model", folder]
    answers = subprocess.run(command, capture_output=True, text=True)
    return [json.loads(line) for line in answers.stdout.splitlines()]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--smelt", required=True)
    parser.add_argument("--z3")
    parser.add_argument("--cvc5")
    parser.add_argument("--limit", type=int, default=5)
    parser.add_argument("--most", type=int, default=600)
    parser.add_argument("--by-hash", action="store_true")
    parser.add_argument("--models", help="folder for formulas and models")
    options = parser.parse_args()
    if options.cvc5:
        sys.path.insert(0, options.cvc5)
        import cvc5  # noqa: F401

    solvers = {}
    if options.z3:
        solvers["z3"] = lambda script: run_z3(options.z3, script, options.limit)
    if options.cvc5:
        solvers["cvc5"] = lambda script: run_cvc5(script, options.limit)
    with contextlib.ExitStack() as stack:
        store = pathlib.Path(options.models or stack.enter_context(tempfile.TemporaryDirectory()))
        store.mkdir(parents=True, exist_ok=True)
        if not (store / "complete").exists():
            gather(files_of(options.folder, options.by_hash), solvers, options.most, store)
        results = {name: collections.Counter() for name in solvers}
        reasons = {name: collections.Counter() for name in solvers}
        for name in solvers:
            for line in evaluate(options.smelt, store / name):
                results[name][line["result"]] += 1
                for reason in sorted(set(line["reasons"])):
                    reasons[name][re.sub(r"`[^`]*`", "`..`", reason)] += 1
                if line["result"] != "true":
                    print(f"{name} {pathlib.Path(line['file']).stem}: {line['result']} {'; '.join(line['reasons'][:2])}")
        print((store / "complete").read_text().strip())
        for name in solvers:
            print(name, dict(results[name]), "reasons", dict(reasons[name]))


if __name__ == "__main__":
    main()
