#!/usr/bin/env python3
"""Bugs found in a given time: `smelt hunt` with all techniques against each of yinyang 0.3.0's three tools.

The same seeds, the same solver under test, the same second solver, the same time limit for a run, one worker, one tool
after the other. yinyang is started again whenever it stops before its time is over; its fusion gets half of its time
for satisfiable and half for unsatisfiable seeds, in the dialect that the solver reads.

What a tool reports counts only if smelt confirms it: every file that yinyang keeps is judged by a hunt over that file
alone, unchanged, in which also cvc5 has a say. Then whole assertions are dropped as long as the same class of finding
stays, for both tools alike. Two reports are one bug if their class and their crash signature, or their set of operators
after that, are the same. Drift, disputes and slowness do not count.

    bench/time_to_bug.py --smelt target/release/smelt --minutes 5 --work FOLDER [--only z3@4.5.1] [--write]

writes docs/measurements/time-to-bug.md with --write. The figures of each target are also kept in FOLDER, and targets with
figures there are not run again.
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
YINYANG = "0.3.0"
REFERENCE = "z3@5.4.0"
THIRD = "cvc5@1.4.2"
CLASSES = ("soundness-refutation", "soundness-solution", "invalid-model", "invalid-core", "crash", "inconsistency")
TIMEOUT = 1

# Name, as smelt names the solver, as yinyang starts it, and the dialect that it reads.
TARGETS = [
    ("z3@4.5.1.0.post2", "z3@4.5.1.0.post2", "{z3:4.5.1.0.post2}", "2.5"),
    ("z3str3 of z3@4.8.7", "z3str3=z3@4.8.7 smt.string_solver=z3str3", "{z3:4.8.7} smt.string_solver=z3str3", "2.6"),
    ("cvc4 1.8", "cvc4=cvc4 --lang smt2 --strings-exp --incremental -", "cvc4 --strings-exp --incremental", "2.6"),
]


def release(text):
    """Puts the path of an installed release in the place of {z3:VERSION}."""
    if not text.startswith("{"):
        return text
    version, rest = text[4:].split("}")
    cache = os.environ.get("SMELT_CACHE") or Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "smelt"
    folders = sorted((Path(cache) / "solvers/z3").glob(f"{version}*"))
    if not folders:
        sys.exit(f"z3@{version} is not installed: smelt solvers install z3@{version}")
    return str(folders[0] / "bin/z3") + rest


class Bench:
    def __init__(self, args):
        self.args = args
        self.work = args.work.resolve()
        self.work.mkdir(parents=True, exist_ok=True)
        self.seconds = args.minutes * 60
        venv = Path(os.environ.get("BENCH_VENV", self.work / "venv"))
        if not (venv / "bin/opfuzz").exists():
            subprocess.run([sys.executable, "-m", "venv", venv], check=True)
            subprocess.run([venv / "bin/pip", "install", "--quiet", f"yinyang=={YINYANG}"], check=True)
        self.venv = venv
        self.judged = 0

    def seeds(self, dialect):
        """smelt's own seeds as files, all and by what they are."""
        folder = self.work / f"seeds-{dialect}"
        if folder.exists():
            return folder
        drawn = self.work / "drawn"
        shutil.rmtree(drawn, ignore_errors=True)
        self.smelt("generate", "unchanged", "--count", "1500", "--out", drawn)
        texts = {}
        for file in sorted(drawn.glob("*.smt2")):
            text = file.read_text()
            texts["\n".join(line for line in text.splitlines() if not line.startswith(";"))] = text
        for number, text in enumerate(texts.values()):
            kind = text.splitlines()[0].removeprefix("; expect: ")
            for place in {"all", kind}:
                path = folder / place / f"seed{number:03}.smt2"
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
                printed = self.smelt("print", path, "--dialect", dialect).stdout
                path.write_text(f"; expect: {kind}\n{printed}")
        shutil.rmtree(drawn)
        return folder

    def smelt(self, *argv, cwd=None):
        argv = [str(self.args.smelt), *map(str, argv)]
        return subprocess.run(argv, capture_output=True, text=True, cwd=cwd)

    def hunt(self, solver, folder):
        """Findings of a hunt with all techniques."""
        self.smelt("hunt", self.seeds("2.6") / "all", "--solver", solver, "--solver", REFERENCE, "--jobs", 1,
                   "--timeout", TIMEOUT, "--time", f"{int(self.seconds)}s", "--technique", "all", "--dir", folder)
        return [(finding, folder / "findings" / finding["id"] / "case.smt2") for finding in self.findings(folder)]

    def findings(self, folder):
        lines = self.smelt("findings", "--dir", folder, "--json").stdout.splitlines()
        return [finding for finding in map(json.loads, lines)
                if finding["class"] in CLASSES and finding["confirmed"]]

    def yinyang(self, tool, command, dialect, folder):
        """Files that one of yinyang's tools keeps."""
        seeds = self.seeds(dialect)
        bugs = folder / "bugs"
        for name in ("bugs", "scratch", "logs"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        common = ["-t", str(TIMEOUT), "-b", "bugs", "-s", "scratch", "-l", "logs"]
        both = f"{command};{release('{z3:5.4.0}')}"
        phases = {
            "opfuzz": [["-m", "1", *common, both, seeds / "all"]],
            "typefuzz": [[*common, both, seeds / "all"]],
            "yinyang": [["-o", kind, *common, command, seeds / kind] for kind in ("sat", "unsat")],
        }[tool]
        for phase in phases:
            end = time.monotonic() + self.seconds / len(phases)
            while (left := end - time.monotonic()) > 1:
                process = subprocess.Popen([self.venv / "bin" / tool, *phase], cwd=folder, start_new_session=True,
                                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                try:
                    process.wait(left)
                except subprocess.TimeoutExpired:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()
        return sorted(bugs.glob("*.smt2"))

    def judge(self, solver, text):
        """What a hunt over one formula finds of a solver."""
        self.judged += 1
        place = self.work / "judge"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        (place / "case.smt2").write_text(text)
        self.smelt("hunt", "case.smt2", "--solver", solver, "--solver", REFERENCE, "--solver", THIRD, "--jobs", 1,
                   "--timeout", 2 * TIMEOUT, "--cases", 1, "--technique", "unchanged", cwd=place)
        name = solver.split("=")[0]
        return [finding for finding in self.findings(place / "smelt-campaign") if finding["culprit"] == name]

    def bugs(self, solver, texts):
        """The distinct bugs that some formulas show, as (class, signature or operators), with how many show each."""
        found = {}
        confirmed = 0
        for text in texts:
            findings = self.judge(solver, text)
            confirmed += bool(findings)
            for finding in findings[:1]:
                key = self.reduced(solver, text, finding)
                found[key] = found.get(key, 0) + 1
        return confirmed, found

    def reduced(self, solver, text, finding):
        signature = signature_of(finding)
        if signature:
            return finding["class"], signature
        lines = self.smelt("print", self.write(text)).stdout.splitlines()
        index = 0
        while index < len(lines):
            if lines[index].startswith("(assert"):
                shorter = lines[:index] + lines[index + 1:]
                same = [other for other in self.judge(solver, "\n".join(shorter) + "\n")
                        if other["class"] == finding["class"]]
                if same:
                    lines, finding = shorter, same[0]
                    continue
            index += 1
        return finding["class"], " ".join(finding["operators"])

    def write(self, text):
        path = self.work / "printed.smt2"
        path.write_text(text)
        return path


def signature_of(finding):
    """The place in the solver where it crashed, if it says one."""
    signature = (finding["evidence"] or {}).get("signature") if isinstance(finding["evidence"], dict) else None
    return signature if signature and "|" in signature else None


def run_target(bench, target):
    name, solver, command, dialect = target
    result = bench.work / (name.replace(" ", "-") + ".json")
    if result.exists():
        return json.loads(result.read_text())
    figures = {}
    for tool in ("smelt", "opfuzz", "typefuzz", "yinyang"):
        folder = bench.work / f"{name.replace(' ', '-')}-{tool}"
        shutil.rmtree(folder, ignore_errors=True)
        if tool == "smelt":
            texts = [case.read_text() for _, case in bench.hunt(solver, folder)]
        else:
            texts = [file.read_text() for file in bench.yinyang(tool, release(command), dialect, folder)]
        print(f"{name}, {tool}: {len(texts)} reports", flush=True)
        confirmed, bugs = bench.bugs(solver, texts)
        figures[tool] = {"reports": len(texts), "confirmed": confirmed,
                         "bugs": [[*key, count] for key, count in sorted(bugs.items())]}
        print(f"{name}, {tool}: {confirmed} confirmed, {len(bugs)} distinct", flush=True)
    result.write_text(json.dumps(figures, indent=1))
    return figures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--smelt", default=ROOT / "target/release/smelt", type=lambda path: Path(path).resolve())
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--work", type=Path, required=True, help="a folder for everything")
    parser.add_argument("--only", default="", help="only targets whose name contains this")
    parser.add_argument("--write", action="store_true", help="write docs/measurements/time-to-bug.md")
    args = parser.parse_args()
    bench = Bench(args)
    rows = ["| solver | tool | reports | confirmed | distinct | of these by class |", "|---|---|---:|---:|---:|---|"]
    for target in TARGETS:
        if args.only not in target[0]:
            continue
        for tool, got in run_target(bench, target).items():
            classes = {}
            for kind, _, _ in got["bugs"]:
                classes[kind] = classes.get(kind, 0) + 1
            by_class = ", ".join(f"{count} {kind}" for kind, count in classes.items()) or "-"
            rows.append(f"| {target[0]} | {tool} | {got['reports']} | {got['confirmed']} | {len(got['bugs'])} | {by_class} |")
    print("\n".join(rows))
    if args.write:
        document = DOCUMENT.format(table="\n".join(rows), minutes=args.minutes)
        (ROOT / "docs/measurements/time-to-bug.md").write_text(document)


DOCUMENT = """# Bugs in the same time

`smelt hunt --technique all` against each of the three tools of yinyang 0.3.0: {minutes:g} minutes each, one after the other on the same machine.
Written by `bench/time_to_bug.py --minutes {minutes:g} --work FOLDER --write`; the script says what is measured, how reports are confirmed and what makes them distinct.

{table}
"""

if __name__ == "__main__":
    main()
